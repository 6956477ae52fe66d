/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts between lengths and GM's buffer sizes. Every size has its own
 * receive buffers. A buffer of size n holds a message of up to 2^n - 8 bytes.
 */
#include "gm/port.h"

#define GMS_SIZE_LEAST 3u
/* Number of bytes of a buffer that GM reserves for itself. [source: GM 2.0 size
 * table] */
#define GMS_SIZE_KEPT_BYTES 8u

gm_size_t gm_max_length_for_size(unsigned size)
{
    if (size < GMS_SIZE_LEAST) {
        return 0;
    }
    if (size >= 8 * sizeof(gm_size_t)) {
        size = 8 * sizeof(gm_size_t) - 1;
    }
    return ((gm_size_t)1 << size) - GMS_SIZE_KEPT_BYTES;
}

unsigned gm_min_size_for_length(gm_size_t length)
{
    unsigned size = GMS_SIZE_LEAST;

    while (size < GMS_NIC_MAX_SIZE && gm_max_length_for_size(size) < length) {
        ++size;
    }
    return size;
}

unsigned gm_min_message_size(struct gm_port *port)
{
    (void)port;
    return GMS_SIZE_LEAST;
}

unsigned gm_mtu(struct gm_port *port)
{
    return (unsigned)(gms_port_is_open(port)
                          ? port->sim->root->params.nic_mtu_bytes
                          : gms_param_find("nic_mtu_bytes")->value);
}
