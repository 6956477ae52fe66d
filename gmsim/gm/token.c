/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Returns the numbers of tokens of a port, and counts tokens for programs that
 * allocate send tokens explicitly (gm_alloc_send_token()). These counters only
 * help a program to use no more tokens than it has. The files send.c and
 * receive.c count the real tokens.
 */
#include <limits.h>

#include "gm/port.h"

unsigned gm_num_send_tokens(struct gm_port *port)
{
    return gms_port_is_open(port)
               ? (unsigned)port->sim->root->params.gm_send_tokens
               : 0;
}

unsigned gm_num_receive_tokens(struct gm_port *port)
{
    return gms_port_is_open(port)
               ? (unsigned)port->sim->root->params.gm_receive_tokens
               : 0;
}

int gm_send_token_available(struct gm_port *port, unsigned priority)
{
    return gms_port_is_open(port) && priority < GM_NUM_PRIORITIES &&
           port->counted[priority] > 0;
}

int gm_alloc_send_token(struct gm_port *port, unsigned priority)
{
    if (!gm_send_token_available(port, priority)) {
        return 0;
    }
    --port->counted[priority];
    return 1;
}

void gm_free_send_tokens(struct gm_port *port, unsigned priority,
                         unsigned count)
{
    if (gms_port_is_open(port) && priority < GM_NUM_PRIORITIES &&
        __builtin_add_overflow(port->counted[priority], count,
                               &port->counted[priority])) {
        port->counted[priority] = UINT_MAX;
    }
}

void gm_free_send_token(struct gm_port *port, unsigned priority)
{
    gm_free_send_tokens(port, priority, 1);
}
