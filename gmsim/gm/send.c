/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the send calls of a port. These calls send messages and datagrams,
 * put and get data, and drop or resume the sends of a stalled stream. A call
 * checks its arguments, charges the processor time, and posts a descriptor. The
 * NIC sends the message (nic/post.c).
 */
#include <string.h>

#include "engine/copy.h"
#include "gm/port.h"
#include "gm/trace.h"
#include "gm_qos.h"

/* Length of the longest message, in bytes. [source: GM: 2^31 - 1 bytes] */
#define GMS_SEND_MAX_BYTES UINT64_C(0x7fffffff)

/* Arguments of all kinds of send calls. */
typedef struct gms_send_args {
    enum gms_send_kind kind;
    void *source;
    gm_remote_ptr_t remote; /* used for puts and gets */
    unsigned size;          /* used for messages and datagrams */
    gm_size_t length;
    unsigned priority, node, port, label;
    gm_send_completion_callback_t callback;
    void *context;
    /* the call has no callback argument, so an event reports the result */
    int has_no_callback;
    int is_word; /* 1: the data are in `word` instead of at `source` */
    gm_u32_t word;
} gms_send_args_t;

static gm_status_t gms_send_check_length(const struct gm_port *port,
                                         const gms_send_args_t *args)
{
    gm_size_t most = GMS_SEND_MAX_BYTES;

    switch (args->kind) {
    case GMS_SEND_DROP:
    case GMS_SEND_RESUME:
        return GM_SUCCESS;
    case GMS_SEND_PUT:
    case GMS_SEND_GET:
        break;
    case GMS_SEND_DATAGRAM:
        most = args->is_word ? sizeof(args->word)
                             : port->sim->root->params.nic_mtu_bytes;
        break;
    case GMS_SEND_MESSAGE:
        break;
    }
    if ((args->kind == GMS_SEND_MESSAGE || args->kind == GMS_SEND_DATAGRAM) &&
        (args->size >= GMS_NIC_MAX_SIZE ||
         args->length > gm_max_length_for_size(args->size))) {
        return GM_INVALID_PARAMETER;
    }
    return args->length > most ||
                   (args->source == NULL && !args->is_word && args->length > 0)
               ? GM_INVALID_PARAMETER
               : GM_SUCCESS;
}

static gm_status_t gms_send_check(const struct gm_port *port,
                                  const gms_send_args_t *args)
{
    const gms_root_t *root = port->sim->root;

    if (args->priority >= GM_NUM_PRIORITIES || args->node == 0 ||
        args->node > root->nodes || args->port >= root->params.gm_ports ||
        (args->label & ~GM_QOS_REVERSE) > GM_QOS_MAX_LABEL ||
        ((args->label & GM_QOS_REVERSE) &&
         args->length > GM_QOS_REVERSE_MOST)) {
        return GM_INVALID_PARAMETER;
    }
    return gms_send_check_length(port, args);
}

/* Stage the data of a send. Staging reads the memory immediately. Memory that
 * cannot be read is not staged. The NIC then rejects the send in the same way
 * as without staging. */
static gm_status_t gms_send_stage(struct gm_port *port, gms_send_desc_t *desc)
{
    gms_ctx_t *ctx = &port->sim->ctx;
    const void *source = (const void *)(uintptr_t)desc->address;

    if (gms_copy_is_direct(ctx) || desc->kind == GMS_SEND_GET ||
        desc->kind == GMS_SEND_DROP || desc->kind == GMS_SEND_RESUME ||
        !gms_nic_is_registered(port->nic, port->number, desc->address,
                               desc->length) ||
        !gms_memory_is_mapped(source, desc->length)) {
        return GM_SUCCESS;
    }
    return gms_sim_status(
        gms_copy_stage(ctx, source, desc->length, &desc->staged));
}

/* Return the processor time of a send call. The processor writes the descriptor
 * to the NIC, so the cost includes the time for programmed I/O. */
static gms_time_t gms_send_cost_ps(const struct gm_port *port,
                                   const gms_send_args_t *args)
{
    const gms_params_t *params = &port->sim->root->params;

    return params->host_send_ps +
           (port->by_memory && args->node == port->node + 1
                ? 0
                : params->host_pio_ps);
}

/* Post the descriptor of a send. The caller must hold the lock. */
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
        .is_booked = args->kind == GMS_SEND_MESSAGE && args->callback != NULL &&
                     args->callback == port->bookkeeper,
        .length = (uint32_t)args->length,
        .address = (uint64_t)(uintptr_t)args->source,
        .remote = args->remote,
        .cookie = slot,
        .call_ps = gms_gate_clock(ctx),
        .exchange_ps = port->exchange_ps,
        .exchange_packets = port->exchange_packets,
    };
    gm_status_t status;

    if (args->is_word) {
        gm_u64_t *word = (gm_u64_t *)port->words + slot;

        memcpy(word, &args->word, sizeof(args->word));
        desc.address = (uint64_t)(uintptr_t)word;
    }
    status = gms_send_stage(port, &desc);
    if (status == GM_SUCCESS) {
        if (ctx->is_traced) {
            gms_port_trace_send(port, &desc, gms_send_cost_ps(port, args));
        }
        gms_nic_post_send(ctx, port->nic, gms_gate_origin(ctx),
                          desc.call_ps + port->sim->root->params.host_send_ps,
                          &desc);
    }
    return status;
}

static void gms_send_fill_slot(gms_send_slot_t *slot,
                               const gms_send_args_t *args)
{
    slot->callback = args->callback;
    slot->context = args->context;
    slot->message = args->source;
    slot->target_node = (uint16_t)args->node;
    slot->target_subport = (uint16_t)(args->port << 1 | args->priority);
    slot->has_no_callback = (uint8_t)args->has_no_callback;
}

static void gms_send(struct gm_port *port, const gms_send_args_t *args)
{
    gm_status_t status;
    uint32_t slot;

    if (!gms_port_is_open(port)) {
        return; /* return silently, because an error can be reported only
                 * through a port */
    }
    status = gms_send_check(port, args);
    gms_sim_begin_post(port->sim);
    slot = gms_port_pop(port, &port->free);
    if (slot == GMS_PORT_NO_SLOT) {
        gms_port_violate(port, GM_SEND_TOKEN_VIOLATION_EVENT);
    } else {
        gms_send_fill_slot(&port->slots[slot], args);
        if (status == GM_SUCCESS) {
            status = gms_send_post(port, args, slot);
        }
        port->exchange_ps = 0;
        port->exchange_packets = 0;
        if (status != GM_SUCCESS) {
            port->slots[slot].status = status;
            gms_port_push(port, &port->failed, slot);
        }
    }
    gms_sim_end(port->sim, gms_send_cost_ps(port, args));
}

/* ---- Messages ---------------------------------------------------------- */

/* Return the arguments that all sends of a message have in common. The callback
 * is not set. */
static gms_send_args_t gms_send_message(void *message, unsigned size,
                                        gm_size_t length, unsigned priority,
                                        unsigned node, unsigned port)
{
    return (gms_send_args_t){
        .kind = GMS_SEND_MESSAGE,
        .source = message,
        .size = size,
        .length = length,
        .priority = priority,
        .node = node,
        .port = port,
    };
}

void gm_qos_send_with_callback(struct gm_port *port, void *message,
                               unsigned size, gm_size_t len, unsigned priority,
                               unsigned target_node, unsigned target_port,
                               unsigned label,
                               gm_send_completion_callback_t callback,
                               void *context)
{
    gms_send_args_t args = gms_send_message(message, size, len, priority,
                                            target_node, target_port);

    args.label = label;
    args.callback = callback;
    args.context = context;
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
                              target_node, gm_get_port_id(port), 0, callback,
                              context);
}

void gm_send(struct gm_port *port, void *message, unsigned size,
             gm_size_t length, unsigned priority, unsigned target_node,
             unsigned target_port)
{
    gms_send_args_t args = gms_send_message(message, size, length, priority,
                                            target_node, target_port);

    args.has_no_callback = 1;
    gms_send(port, &args);
}

void gm_send_to_peer(struct gm_port *port, void *message, unsigned size,
                     gm_size_t length, unsigned priority, unsigned target_node)
{
    gm_send(port, message, size, length, priority, target_node,
            gm_get_port_id(port));
}

void gm_datagram_send(struct gm_port *port, void *message, unsigned size,
                      gm_size_t length, unsigned priority, unsigned target_node,
                      unsigned target_port,
                      gm_send_completion_callback_t callback, void *context)
{
    gms_send_args_t args = gms_send_message(message, size, length, priority,
                                            target_node, target_port);

    args.kind = GMS_SEND_DATAGRAM;
    args.callback = callback;
    args.context = context;
    gms_send(port, &args);
}

void gm_datagram_send_4(struct gm_port *port, gm_u32_t message, unsigned size,
                        gm_size_t length, unsigned priority,
                        unsigned target_node, unsigned target_port,
                        gm_send_completion_callback_t callback, void *context)
{
    gms_send_args_t args = gms_send_message(NULL, size, length, priority,
                                            target_node, target_port);

    args.kind = GMS_SEND_DATAGRAM;
    args.is_word = 1;
    args.word = message;
    args.callback = callback;
    args.context = context;
    gms_send(port, &args);
}

/* ---- Remote memory ----------------------------------------------------- */

/* Return the arguments that all accesses to remote memory have in common. The
 * callback is not set. */
static gms_send_args_t gms_send_remote(enum gms_send_kind kind, void *local,
                                       gm_remote_ptr_t remote, gm_size_t length,
                                       enum gm_priority priority, unsigned node,
                                       unsigned port)
{
    gms_send_args_t args =
        gms_send_message(local, 0, length, (unsigned)priority, node, port);

    args.kind = kind;
    args.remote = remote;
    return args;
}

void gm_qos_directed_send_with_callback(
    struct gm_port *port, void *source, gm_remote_ptr_t target, gm_size_t len,
    enum gm_priority priority, unsigned target_node, unsigned target_port,
    unsigned label, gm_send_completion_callback_t callback, void *context)
{
    gms_send_args_t args = gms_send_remote(GMS_SEND_PUT, source, target, len,
                                           priority, target_node, target_port);

    args.label = label;
    args.callback = callback;
    args.context = context;
    gms_send(port, &args);
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

void gm_directed_send(struct gm_port *port, void *source,
                      gm_remote_ptr_t target, gm_size_t length,
                      enum gm_priority priority, unsigned target_node,
                      unsigned target_port)
{
    gms_send_args_t args = gms_send_remote(GMS_SEND_PUT, source, target, length,
                                           priority, target_node, target_port);

    args.has_no_callback = 1;
    gms_send(port, &args);
}

void gm_qos_get(struct gm_port *port, gm_remote_ptr_t remote, void *local,
                gm_size_t length, enum gm_priority priority,
                unsigned target_node, unsigned target_port, unsigned label,
                gm_send_completion_callback_t callback, void *context)
{
    gms_send_args_t args = gms_send_remote(GMS_SEND_GET, local, remote, length,
                                           priority, target_node, target_port);

    args.label = label;
    args.callback = callback;
    args.context = context;
    gms_send(port, &args);
}

void gm_get(struct gm_port *port, gm_remote_ptr_t remote, void *local,
            gm_size_t length, enum gm_priority priority, unsigned target_node,
            unsigned target_port, gm_send_completion_callback_t callback,
            void *context)
{
    gm_qos_get(port, remote, local, length, priority, target_node, target_port,
               0, callback, context);
}

/* ---- Stalled streams --------------------------------------------------- */

/* Post a command to a stalled stream. Like a send, a command is posted to the
 * NIC and uses a send token. */
static void gms_send_command(struct gm_port *port, enum gms_send_kind kind,
                             const gm_qos_flow_t *flow,
                             gm_send_completion_callback_t callback,
                             void *context)
{
    gms_send_args_t args = {
        .kind = kind,
        .priority = (unsigned)flow->priority,
        .node = flow->target_node,
        .port = flow->target_port,
        .label = flow->label,
        .callback = callback,
        .context = context,
    };

    gms_send(port, &args);
}

void gm_qos_drop_sends(struct gm_port *port, const gm_qos_flow_t *flow,
                       gm_send_completion_callback_t callback, void *context)
{
    if (flow != NULL) {
        gms_send_command(port, GMS_SEND_DROP, flow, callback, context);
    }
}

void gm_drop_sends(struct gm_port *port, unsigned priority,
                   unsigned target_node, unsigned target_port,
                   gm_send_completion_callback_t callback, void *context)
{
    gm_qos_flow_t flow = {.target_node = target_node,
                          .target_port = target_port,
                          .priority = (enum gm_priority)priority};

    gms_send_command(port, GMS_SEND_DROP, &flow, callback, context);
}

void gm_qos_resume_sending(struct gm_port *port, const gm_qos_flow_t *flow,
                           gm_send_completion_callback_t callback,
                           void *context)
{
    if (flow != NULL) {
        gms_send_command(port, GMS_SEND_RESUME, flow, callback, context);
    }
}

void gm_resume_sending(struct gm_port *port, unsigned priority,
                       unsigned target_node, unsigned target_port,
                       gm_send_completion_callback_t callback, void *context)
{
    gm_qos_flow_t flow = {.target_node = target_node,
                          .target_port = target_port,
                          .priority = (enum gm_priority)priority};

    gms_send_command(port, GMS_SEND_RESUME, &flow, callback, context);
}

gm_status_t gm_set_enable_nack_down(struct gm_port *port, int enable)
{
    if (!gms_port_is_open(port)) {
        return GM_INVALID_PARAMETER;
    }
    gms_sim_begin_turn(port->sim);
    gms_nic_set_nack_down(port->nic, port->number, enable != 0);
    gms_sim_end(port->sim, port->sim->root->params.host_provide_ps);
    return GM_SUCCESS;
}
