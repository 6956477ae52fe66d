/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Claims processors, because two sweeps on a machine must not use the same
 * processor. A claim is a socket with an abstract name. Abstract names require no
 * files, and disappear when the process ends.
 */
#define _GNU_SOURCE
#include "sweep/core.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

unsigned gms_sweep_cores_all(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof(set), &set) != 0) {
        return 1;
    }
    return (unsigned)CPU_COUNT(&set);
}

/** Claims an abstract socket name, which only one socket at a time can have. No
 *  file remains after the process ends, regardless of the reason. @return a
 *  descriptor, or -1 if another process has claimed the name */
static int gms_sweep_core_claim(unsigned core)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int len = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1,
                       "gmsim-core-%u", core);

    if (fd >= 0 && bind(fd, (struct sockaddr *)&address,
                        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
                                    (size_t)len)) != 0) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

void gms_sweep_cores_claim(gms_sweep_cores_t *cores, unsigned wanted)
{
    cpu_set_t allowed;
    unsigned core;

    memset(cores, 0, sizeof(*cores));
    cores->claims = calloc(wanted, sizeof(*cores->claims));
    if (cores->claims == NULL ||
        sched_getaffinity(0, sizeof(allowed), &allowed) != 0) {
        return;
    }
    for (core = 0; core < CPU_SETSIZE && cores->count < wanted; ++core) {
        int fd = CPU_ISSET(core, &allowed) ? gms_sweep_core_claim(core) : -1;

        if (fd >= 0) {
            CPU_SET(core, &cores->set);
            cores->claims[cores->count++] = fd;
        }
    }
    if (cores->count < wanted) {
        gms_sweep_cores_release(cores);
    }
}

void gms_sweep_cores_release(gms_sweep_cores_t *cores)
{
    unsigned i;

    for (i = 0; i < cores->count; ++i) {
        (void)close(cores->claims[i]);
    }
    free(cores->claims);
    memset(cores, 0, sizeof(*cores));
}
