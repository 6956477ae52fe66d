/* SPDX-License-Identifier: BSD-3-Clause */
#include "gm/port.h"

unsigned gm_num_send_tokens(struct gm_port *port)
{
    return (unsigned)port->sim->root->params.gm_send_tokens;
}

unsigned gm_num_receive_tokens(struct gm_port *port)
{
    return (unsigned)port->sim->root->params.gm_receive_tokens;
}

int gm_send_token_available(struct gm_port *port, unsigned priority)
{
    return priority < GM_NUM_PRIORITIES && port->counted[priority] > 0;
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
    if (priority < GM_NUM_PRIORITIES) {
        port->counted[priority] += count;
    }
}

void gm_free_send_token(struct gm_port *port, unsigned priority)
{
    gm_free_send_tokens(port, priority, 1);
}
