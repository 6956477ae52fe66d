/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/copy.h"
#include "gm/port.h"
#include "gm_qos.h"

/* Longest message. [source: GM: 2^31 - 1 bytes] */
#define GMS_SEND_MAX_BYTES UINT64_C(0x7fffffff)

/* A send call's arguments, whichever call it was. */
typedef struct gms_send_args {
    enum gms_send_kind kind;
    void *source;
    gm_remote_ptr_t remote; /* put */
    unsigned size;          /* message */
    gm_size_t length;
    unsigned priority, node, port, label;
    gm_send_completion_callback_t callback;
    void *context;
} gms_send_args_t;

static gm_status_t gms_send_check(const struct gm_port *port,
                                  const gms_send_args_t *args)
{
    const gms_params_t *params = &port->sim->root->params;

    if (args->priority >= GM_NUM_PRIORITIES || args->node == 0 ||
        args->node > params->hosts || args->port >= params->gm_ports ||
        args->label > GM_QOS_MAX_LABEL || args->length > GMS_SEND_MAX_BYTES ||
        (args->source == NULL && args->length > 0)) {
        return GM_INVALID_PARAMETER;
    }
    if (args->kind == GMS_SEND_MESSAGE &&
        (args->size >= GMS_NIC_MAX_SIZE ||
         args->length > gm_max_length_for_size(args->size))) {
        return GM_INVALID_PARAMETER;
    }
    return GM_SUCCESS;
}

/* Lock held. */
static gm_status_t gms_send_post(struct gm_port *port,
                                 const gms_send_args_t *args, uint32_t slot)
{
    gms_ctx_t *ctx = &port->sim->ctx;
    gms_send_desc_t desc = {
        .flow = {.source_port = (uint16_t)port->number,
                 .target_node = (uint16_t)(args->node - 1),
                 .target_port = (uint16_t)args->port,
                 .priority = (uint16_t)args->priority,
                 .label = args->label},
        .kind = (uint8_t)args->kind,
        .size = (uint8_t)args->size,
        .length = (uint32_t)args->length,
        .address = (uint64_t)(uintptr_t)args->source,
        .remote = args->remote,
        .cookie = slot,
        .call_ps = gms_gate_clock(ctx),
    };

    if (!gms_copy_is_direct(ctx, port->sim->launch.rank)) {
        /* Staging reads the memory here and now; the card, which would refuse
         * it, looks only later. */
        if (!gms_nic_is_registered(port->nic, port->number, desc.address,
                                   desc.length)) {
            return GM_MEMORY_FAULT;
        }
        desc.staged = gms_copy_stage(ctx, args->source, args->length);
    }
    gms_nic_post_send(ctx, port->nic, gms_gate_origin(ctx),
                      desc.call_ps + port->sim->root->params.host_send_ps,
                      &desc);
    return GM_SUCCESS;
}

static void gms_send(struct gm_port *port, const gms_send_args_t *args)
{
    const gms_params_t *params = &port->sim->root->params;
    gm_status_t status = gms_send_check(port, args);
    uint32_t slot;

    gms_sim_begin_post(port->sim);
    slot = gms_port_pop(port, &port->free);
    if (slot == GMS_PORT_NO_SLOT) {
        gms_port_violate(port, GM_SEND_TOKEN_VIOLATION_EVENT);
    } else {
        port->slots[slot].callback = args->callback;
        port->slots[slot].context = args->context;
        if (status == GM_SUCCESS) {
            status = gms_send_post(port, args, slot);
        }
        if (status != GM_SUCCESS) {
            port->slots[slot].status = status;
            gms_port_push(port, &port->failed, slot);
        }
    }
    /* The processor itself writes the descriptor to the card, so that it takes
     * the processor's time as well as the descriptor's. */
    gms_sim_end(port->sim, params->host_send_ps + params->host_pio_ps);
}

void gm_qos_send_with_callback(struct gm_port *port, void *message,
                               unsigned size, gm_size_t len, unsigned priority,
                               unsigned target_node, unsigned target_port,
                               unsigned label,
                               gm_send_completion_callback_t callback,
                               void *context)
{
    gms_send_args_t args = {
        .kind = GMS_SEND_MESSAGE,
        .source = message,
        .size = size,
        .length = len,
        .priority = priority,
        .node = target_node,
        .port = target_port,
        .label = label,
        .callback = callback,
        .context = context,
    };

    gms_send(port, &args);
}

void gm_qos_directed_send_with_callback(
    struct gm_port *port, void *source, gm_remote_ptr_t target, gm_size_t len,
    enum gm_priority priority, unsigned target_node, unsigned target_port,
    unsigned label, gm_send_completion_callback_t callback, void *context)
{
    gms_send_args_t args = {
        .kind = GMS_SEND_PUT,
        .source = source,
        .remote = target,
        .length = len,
        .priority = (unsigned)priority,
        .node = target_node,
        .port = target_port,
        .label = label,
        .callback = callback,
        .context = context,
    };

    gms_send(port, &args);
}

void gm_send_with_callback(struct gm_port *port, void *message, unsigned size,
                           gm_size_t length, unsigned priority,
                           unsigned target_node, unsigned target_port,
                           gm_send_completion_callback_t callback,
                           void *context)
{
    gm_qos_send_with_callback(port, message, size, length, priority,
                              target_node, target_port, 0, callback, context);
}

void gm_send_to_peer_with_callback(struct gm_port *port, void *message,
                                   unsigned size, gm_size_t length,
                                   unsigned priority, unsigned target_node,
                                   gm_send_completion_callback_t callback,
                                   void *context)
{
    gm_qos_send_with_callback(port, message, size, length, priority,
                              target_node, port->number, 0, callback, context);
}

void gm_directed_send_with_callback(struct gm_port *port, void *source,
                                    gm_remote_ptr_t target, gm_size_t length,
                                    enum gm_priority priority,
                                    unsigned target_node, unsigned target_port,
                                    gm_send_completion_callback_t callback,
                                    void *context)
{
    gm_qos_directed_send_with_callback(port, source, target, length, priority,
                                       target_node, target_port, 0, callback,
                                       context);
}

void gm_put(struct gm_port *port, void *local, gm_remote_ptr_t remote,
            gm_size_t length, enum gm_priority priority, unsigned target_node,
            unsigned target_port, gm_send_completion_callback_t callback,
            void *context)
{
    gm_qos_directed_send_with_callback(port, local, remote, length, priority,
                                       target_node, target_port, 0, callback,
                                       context);
}
