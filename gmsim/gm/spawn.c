/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the public functions of gmsim.h for processes that join a running
 * job, and for processes that meet through a socket.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "engine/ranks.h"
#include "gm/port.h"
#include "gmsim.h"
#include "job/trace.h"

/* Return the simulation's handle if this process is or was in the cluster. */
static gms_sim_t *gms_spawn_known(void)
{
    gms_sim_t *sim = gms_sim();

    return sim != NULL && sim->root != NULL ? sim : NULL;
}

static uint64_t gms_spawn_job_id(const gms_sim_t *sim)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const char *c;

    for (c = sim->launch.job; *c != '\0'; ++c) {
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    }
    return hash;
}

gm_status_t gmsim_get_world(gmsim_world_t *world)
{
    const gms_sim_t *sim = gms_spawn_known();

    if (world == NULL) {
        return GM_INVALID_PARAMETER;
    }
    if (sim == NULL) {
        return GM_FAILURE;
    }
    world->first = sim->launch.first;
    world->size = sim->launch.size;
    world->is_spawned = sim->launch.spawner != 0;
    world->job_id = gms_spawn_job_id(sim);
    world->job_size = sim->root->size;
    world->launched = sim->root->first_size;
    return GM_SUCCESS;
}

void gmsim_leave_to_start(void)
{
    gms_sim_t *sim = gms_sim_joined();

    if (sim == NULL) {
        return;
    }
    if (sim->launch.spawner == 0) {
        gmsim_leave();
        return;
    }
    gms_gate_leave_and_hold(&sim->ctx);
    sim->state = GMS_SIM_ABSENT;
}

unsigned gmsim_free_places(void)
{
    gms_sim_t *sim = gms_sim_joined();
    unsigned count, most;

    if (sim == NULL) {
        return 0;
    }
    gms_sim_begin_turn(sim);
    count = gms_root_free_ports(sim->root);
    most = gms_gate_capacity(sim->root->gate) - sim->root->size;
    gms_gate_unlock(&sim->ctx);
    return count < most ? count : most;
}

/* Convert node ids to hosts.
 * @return 0 if a node id is invalid */
static int gms_spawn_hosts(const gms_sim_t *sim, unsigned count,
                           const unsigned *node_ids, unsigned *hosts)
{
    unsigned i;

    for (i = 0; i < count; ++i) {
        if (node_ids[i] > sim->root->nodes) {
            return 0;
        }
        hosts[i] = node_ids[i] == 0
                       ? GMS_ROOT_ANY_HOST
                       : gms_root_host_of(&sim->root->params, node_ids[i] - 1);
    }
    return 1;
}

gm_status_t gmsim_spawn(unsigned count, const unsigned *node_ids,
                        gmsim_spawned_t *spawned, char *error, size_t error_len)
{
    gms_sim_t *sim = gms_sim_joined();
    char why[GMS_ERROR_LEN] = "";
    gms_status_t status;
    unsigned *hosts;

    if (sim == NULL || count == 0 || node_ids == NULL || spawned == NULL ||
        error == NULL) {
        return GM_INVALID_PARAMETER;
    }
    if (sim->root->trace != NULL) {
        snprintf(error, error_len,
                 "a traced run cannot spawn processes; unset GMSIM_TRACE");
        return GM_UNSUPPORTED_DEVICE;
    }
    if (gms_ranks() != NULL) {
        snprintf(error, error_len,
                 "ranks that share one process cannot spawn processes; run "
                 "mpirun without -in-process");
        return GM_UNSUPPORTED_DEVICE;
    }
    hosts = calloc(count, sizeof(*hosts));
    if (hosts == NULL || !gms_spawn_hosts(sim, count, node_ids, hosts)) {
        free(hosts);
        snprintf(error, error_len, "%s",
                 hosts == NULL ? "out of memory" : "no such host");
        return hosts == NULL ? GM_OUT_OF_MEMORY : GM_INVALID_PARAMETER;
    }
    gms_sim_begin_turn(sim);
    status = gms_root_spawn(&sim->ctx, sim->root, count, hosts, &spawned->first,
                            why);
    gms_gate_unlock(&sim->ctx);
    free(hosts);
    if (status != GMS_OK) {
        snprintf(error, error_len, "%s", why);
        return GM_OUT_OF_MEMORY;
    }
    gms_gate_watch_expected(&sim->ctx, spawned->first);
    gms_launch_spawn_text(spawned->first, gms_job_descriptor(sim->job),
                          spawned->environment);
    return GM_SUCCESS;
}

int gmsim_has_open_port(unsigned rank)
{
    gms_sim_t *sim = gms_sim_joined();
    int is_open;

    if (sim == NULL) {
        return 0;
    }
    gms_sim_begin_turn(sim);
    is_open = rank < sim->root->size && !sim->root->slots[rank].is_free;
    gms_gate_unlock(&sim->ctx);
    return is_open;
}

void gmsim_take_turn(void)
{
    gms_sim_t *sim = gms_sim_joined();

    if (sim != NULL) {
        gms_sim_begin_turn(sim);
        gms_gate_unlock(&sim->ctx);
    }
}

/* ---- two processes meet -------------------------------------------------- */

#define GMS_MEET_MAGIC UINT64_C(0x316d6d69736d67) /* "gmsimm1" */
/* Longest real time to wait for the arrival of data that the other process has
 * sent. */
#define GMS_MEET_ARRIVE_MS 50

/* The first bytes that each process sends. */
typedef struct gms_meet_hello {
    uint64_t magic;
    uint64_t job_id;
    gms_time_t clock_ps;
} gms_meet_hello_t;

/* @return 1 if the socket has data or was closed */
static int gms_meet_await(int file, short events, int limit_ms)
{
    struct pollfd end = {.fd = file, .events = events};
    int result;

    do {
        result = poll(&end, 1, limit_ms);
    } while (result < 0 && errno == EINTR);
    return result > 0;
}

/* The program's socket may be in blocking or nonblocking mode. */
static int gms_meet_write(int file, const void *data, size_t len)
{
    const char *at = data;

    while (len > 0) {
        ssize_t n = send(file, at, len, MSG_NOSIGNAL);

        if (n > 0) {
            at += n;
            len -= (size_t)n;
        } else if (n < 0 && errno != EINTR && errno != EAGAIN) {
            return -1;
        } else if (n < 0) {
            (void)gms_meet_await(file, POLLOUT, -1);
        }
    }
    return 0;
}

static int gms_meet_read(int file, void *data, size_t len)
{
    char *at = data;

    while (len > 0) {
        ssize_t n = recv(file, at, len, 0);

        if (n > 0) {
            at += n;
            len -= (size_t)n;
        } else if (n == 0) {
            errno = ECONNRESET;
            return -1;
        } else if (errno != EINTR && errno != EAGAIN) {
            return -1;
        } else {
            (void)gms_meet_await(file, POLLIN, -1);
        }
    }
    return 0;
}

/* Read the other process's data. If no data arrive within GMS_MEET_ARRIVE_MS,
 * the other process has not reached its call, for example because its clock is
 * behind. In this case, the caller must not keep virtual time from advancing.
 * The other process finds the caller's data, and keeps virtual time from
 * advancing until the caller confirms its return to the simulation.
 *
 * At least one of the two processes finds the data of the other process,
 * because each process sends its own data first. */
static int gms_meet_hear(gms_sim_t *sim, int file, gms_meet_hello_t *hello,
                         void *theirs, size_t len)
{
    int is_absent = !gms_meet_await(file, POLLIN, GMS_MEET_ARRIVE_MS);
    gms_time_t clock_ps = gms_gate_peek(&sim->ctx);
    int result;

    if (is_absent) {
        gms_gate_leave(&sim->ctx);
    }
    result = gms_meet_read(file, hello, sizeof(*hello));
    if (result == 0 && hello->magic == GMS_MEET_MAGIC) {
        result = gms_meet_read(file, theirs, len);
    }
    if (result == 0 && hello->job_id == gms_spawn_job_id(sim) &&
        hello->clock_ps > clock_ps && hello->clock_ps < GMS_NEVER / 2) {
        clock_ps = hello->clock_ps;
    }
    if (is_absent) {
        gms_gate_return_at(&sim->ctx, clock_ps);
    } else if (clock_ps > gms_gate_peek(&sim->ctx)) {
        gms_gate_lock(&sim->ctx);
        gms_gate_spend(&sim->ctx, clock_ps - gms_gate_clock(&sim->ctx),
                       GMS_BUSY_KINDS);
        gms_gate_unlock(&sim->ctx);
    }
    return result;
}

gm_status_t gmsim_meet(int socket, const void *mine, void *theirs, size_t len,
                       char *error, size_t error_len)
{
    gms_sim_t *sim = gms_sim_joined();
    gms_meet_hello_t hello = {.magic = GMS_MEET_MAGIC}, other = {0};
    char ready = 1;

    if (sim == NULL || mine == NULL || theirs == NULL || error == NULL) {
        return GM_INVALID_PARAMETER;
    }
    hello.job_id = gms_spawn_job_id(sim);
    hello.clock_ps = gms_gate_peek(&sim->ctx);
    if (gms_meet_write(socket, &hello, sizeof(hello)) != 0 ||
        gms_meet_write(socket, mine, len) != 0 ||
        gms_meet_hear(sim, socket, &other, theirs, len) != 0) {
        snprintf(error, error_len, "the socket failed: %s", strerror(errno));
        return GM_FAILURE;
    }
    if (other.magic != GMS_MEET_MAGIC || other.job_id != hello.job_id) {
        snprintf(error, error_len,
                 "the other process belongs to a different mpirun, which runs "
                 "a separate simulation with its own virtual time; allowed: "
                 "two processes of one mpirun");
        return GM_PERMISSION_DENIED;
    }
    /* the clocks of both processes are equal, so neither process holds back the
     * other */
    if (gms_meet_write(socket, &ready, 1) != 0 ||
        gms_meet_read(socket, &ready, 1) != 0) {
        snprintf(error, error_len, "the socket failed: %s", strerror(errno));
        return GM_FAILURE;
    }
    return GM_SUCCESS;
}
