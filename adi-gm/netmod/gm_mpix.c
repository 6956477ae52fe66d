/* SPDX-License-Identifier: BSD-3-Clause */
/* Implements mpix_gm.h, the interface between the device and a QoS layer above MPI. */
#include "gm_impl.h"
#include "gm_register.h"

/* MPICH hides all symbols without an export attribute. */
#pragma GCC visibility push(default)
#include "mpix_gm.h"
#pragma GCC visibility pop

_Static_assert(MPIX_GM_MAX_REQUESTS == GM_QOS_MAX_REQUESTS,
               "the limits of the device and of GM must be equal");

static int watched_keyval = MPI_KEYVAL_INVALID;
static MPIX_GM_Set_attr_fn *watched_fn;

/* Wrap an error code of the client, because MPICH would otherwise change it. The wrapped code
 * keeps the error message, which a fatal error handler prints. */
static int adigm_user_error(int code)
{
    char text[MPI_MAX_ERROR_STRING], format[2 * MPI_MAX_ERROR_STRING];
    char *end = format;
    MPIR_Err_get_string(code, text, sizeof(text), NULL);
    for (const char *c = text; *c; c++) {
        if (*c == '%')
            *end++ = '%';
        *end++ = *c;
    }
    *end = '\0';
    return MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, __func__, __LINE__,
                                MPI_ERR_OTHER, "**user", format, code);
}

static int adigm_set_attr_hook(MPIR_Comm * comm_ptr, int keyval, void **value)
{
    int result;
    if (watched_fn == NULL || keyval != watched_keyval)
        return MPI_SUCCESS;
    /* release the lock, because the client calls MPI functions and the lock is not recursive */
    MPID_THREAD_CS_EXIT(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    result = watched_fn(comm_ptr->handle, keyval, value);
    MPID_THREAD_CS_ENTER(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    return result == MPI_SUCCESS ? MPI_SUCCESS : adigm_user_error(result);
}

int MPIX_GM_Watch_keyval(int keyval, MPIX_GM_Set_attr_fn * set_fn)
{
    if (watched_fn != NULL && keyval != watched_keyval)
        return MPI_ERR_OTHER;
    watched_keyval = set_fn ? keyval : MPI_KEYVAL_INVALID;
    watched_fn = set_fn;
    MPIR_Comm_set_attr_hook = adigm_set_attr_hook;
    return MPI_SUCCESS;
}

MPIR_Comm *adigm_find_comm(MPI_Comm comm)
{
    MPIR_Comm *comm_ptr = NULL;
    if (HANDLE_IS_BUILTIN(comm) || HANDLE_GET_MPI_KIND(comm) == MPIR_COMM)
        MPIR_Comm_get_ptr(comm, comm_ptr);
    return (comm_ptr == NULL || MPIR_Object_get_ref(comm_ptr) <= 0) ? NULL : comm_ptr;
}

int MPIX_GM_World_rank(MPI_Comm comm, int peer)
{
    MPIR_Comm *comm_ptr = adigm_find_comm(comm);
    if (peer == -1)
        return adigm_job_rank();
    if (comm_ptr == NULL || peer < 0 || peer >= comm_ptr->remote_size)
        return -1;
    return adigm_world_rank(comm_ptr, peer);
}

/* Find the caller's flow to a peer, in the forms that GM and the device use. Returns MPI_SUCCESS
 * or an MPI error class. */
static int adigm_find_flow(MPI_Comm comm, int peer, gm_qos_flow_t * flow_p,
                           adigm_flow_t ** own_p)
{
    MPIR_Comm *comm_ptr = adigm_find_comm(comm);
    if (!adigm.is_open || adigm.is_absent)
        return MPI_ERR_OTHER;
    if (comm_ptr == NULL)
        return MPI_ERR_ARG;
    if (peer < 0 || peer >= comm_ptr->remote_size)
        return MPI_ERR_RANK;
    if (comm_ptr->comm_kind == MPIR_COMM_KIND__INTRACOMM && peer == comm_ptr->rank)
        return MPI_ERR_RANK;
    adigm_net_describe(adigm_world_rank(comm_ptr, peer), adigm_comm_label(comm_ptr), flow_p);
    *own_p = adigm_net_flow(adigm_world_rank(comm_ptr, peer), adigm_comm_label(comm_ptr));
    return MPI_SUCCESS;
}

static int adigm_status_class(gm_status_t status)
{
    return status == GM_SUCCESS ? MPI_SUCCESS : MPI_ERR_ARG;
}

/* Convert one flow of a request to the form that GM uses. */
static int adigm_fill_request(MPI_Comm comm, const MPIX_GM_Request * request,
                              gm_qos_request_t * gm_request, adigm_flow_t ** own_p)
{
    int is_premium = request->qos_class == MPIX_GM_PREMIUM;
    int result = adigm_find_flow(comm, request->peer, &gm_request->flow, own_p);
    if (result != MPI_SUCCESS)
        return result;
    if (!is_premium && request->qos_class != MPIX_GM_BEST_EFFORT)
        return MPI_ERR_ARG;
    gm_request->bandwidth_bytes_s = request->gm_bytes_s;
    gm_request->qos_class = is_premium ? GM_QOS_PREMIUM : GM_QOS_BEST_EFFORT;
    gm_request->reverse_bytes_s = request->reverse_bytes_s;
    gm_request->source_load = request->sender_load;
    gm_request->target_load = request->receiver_load;
    gm_request->message_bytes = request->message_bytes;
    gm_request->burst_bytes = request->burst_bytes;
    gm_request->delay_s = request->delay_s;
    gm_request->jitter_s = request->jitter_s;
    return MPI_SUCCESS;
}

static void adigm_fill_answer(const gm_qos_answer_t * gm_answer, MPIX_GM_Answer * answer)
{
    memset(answer, 0, sizeof(*answer));
    answer->granted = gm_answer->granted;
    answer->idt_ticks = gm_answer->idt_ticks;
    answer->gm_bandwidth = gm_answer->bandwidth_bytes_s;
    answer->criterion = (int) gm_answer->criterion;
    MPL_strncpy(answer->place, gm_answer->place, sizeof(answer->place));
    answer->left = gm_answer->left_bytes_s;
    answer->latency_s = gm_answer->latency_s;
    answer->delay_s = gm_answer->delay_s;
    answer->jitter_s = gm_answer->jitter_s;
    answer->burst_bytes = gm_answer->burst_bytes;
    answer->reverse_delay_s = gm_answer->reverse_delay_s;
    answer->declared_only = gm_answer->declared_only;
}

/* Send the requests to the bandwidth manager. GM rejects out-of-range numbers, and requests that
 * contain the same peer twice. */
static int adigm_flow_request(MPI_Comm comm, const MPIX_GM_Request * requests, int count,
                              MPIX_GM_Answer * answers)
{
    gm_qos_request_t gm_requests[MPIX_GM_MAX_REQUESTS];
    gm_qos_answer_t gm_answers[MPIX_GM_MAX_REQUESTS];
    adigm_flow_t *own[MPIX_GM_MAX_REQUESTS];
    if (requests == NULL || answers == NULL || count < 1 || count > MPIX_GM_MAX_REQUESTS)
        return MPI_ERR_ARG;
    for (int i = 0; i < count; i++) {
        int result = adigm_fill_request(comm, &requests[i], &gm_requests[i], &own[i]);
        if (result != MPI_SUCCESS)
            return result;
        (void) gm_qos_note_payload(adigm_net_port(), &gm_requests[i].flow,
                                   requests[i].payload_part);
    }
    gm_status_t status = gm_qos_request_all(adigm_net_port(), gm_requests, (unsigned) count,
                                            gm_answers);
    if (status != GM_SUCCESS)
        return status == GM_OUT_OF_MEMORY ? MPI_ERR_NO_MEM : MPI_ERR_ARG;
    for (int i = 0; i < count; i++) {
        /* after a denied change, the old reservation remains in force and keeps its class */
        if (gm_answers[i].granted)
            adigm_net_reserve(own[i], gm_requests[i].qos_class == GM_QOS_PREMIUM,
                              gm_requests[i].reverse_bytes_s);
        adigm_fill_answer(&gm_answers[i], &answers[i]);
    }
    return MPI_SUCCESS;
}

static int adigm_flow_release(MPI_Comm comm, int peer)
{
    gm_qos_flow_t flow;
    adigm_flow_t *own;
    int result = adigm_find_flow(comm, peer, &flow, &own);
    if (result != MPI_SUCCESS)
        return result;
    adigm_net_reserve(own, 0, 0);
    return adigm_status_class(gm_qos_release(adigm_net_port(), &flow));
}

static int adigm_flow_state(MPI_Comm comm, int peer, MPIX_GM_Answer * answer)
{
    gm_qos_flow_t flow;
    gm_qos_flow_state_t state;
    adigm_flow_t *own;
    int result = adigm_find_flow(comm, peer, &flow, &own);
    if (result != MPI_SUCCESS)
        return result;
    if (answer == NULL)
        return MPI_ERR_ARG;
    result = adigm_status_class(gm_qos_get_flow(adigm_net_port(), &flow, &state));
    if (result != MPI_SUCCESS)
        return result;
    memset(answer, 0, sizeof(*answer));
    answer->granted = state.qos_class == GM_QOS_PREMIUM || state.qos_class == GM_QOS_BEST_EFFORT;
    answer->idt_ticks = state.idt_ticks;
    answer->gm_bandwidth = state.bandwidth_bytes_s;
    answer->latency_s = state.latency_s;
    answer->delay_s = state.delay_s;
    answer->jitter_s = state.jitter_s;
    answer->burst_bytes = state.burst_bytes;
    answer->worst_delay_s = state.worst_delay_s;
    answer->worst_exchange_s = state.worst_exchange_s;
    answer->messages_measured = state.messages_measured;
    answer->messages_beyond = state.messages_beyond;
    answer->reverse_delay_s = state.reverse_delay_s;
    answer->declared_only = state.declared_only;
    return MPI_SUCCESS;
}

/* The functions below acquire MPICH's global lock, because only one thread at a time may use the
 * port. */

int MPIX_GM_Flow_request(MPI_Comm comm, const MPIX_GM_Request * requests, int count,
                         MPIX_GM_Answer * answers)
{
    MPID_THREAD_CS_ENTER(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    int result = adigm_flow_request(comm, requests, count, answers);
    MPID_THREAD_CS_EXIT(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    return result;
}

int MPIX_GM_Flow_release(MPI_Comm comm, int peer)
{
    MPID_THREAD_CS_ENTER(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    int result = adigm_flow_release(comm, peer);
    MPID_THREAD_CS_EXIT(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    return result;
}

int MPIX_GM_Flow_state(MPI_Comm comm, int peer, MPIX_GM_Answer * answer)
{
    MPID_THREAD_CS_ENTER(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    int result = adigm_flow_state(comm, peer, answer);
    MPID_THREAD_CS_EXIT(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    return result;
}

/* ---- costs ---- */

static unsigned adigm_packets(size_t message_bytes)
{
    size_t mtu_bytes = gm_mtu(adigm_net_port());
    return message_bytes == 0 ? 1 : (unsigned) ((message_bytes + mtu_bytes - 1) / mtu_bytes);
}

/* Return a parameter in picoseconds, or 0 if the cluster does not have this parameter. */
static double adigm_ps(const char *name)
{
    uint64_t value_ps = 0;
    if (gmsim_get_param(name, &value_ps) != GM_SUCCESS)
        value_ps = 0;
    return (double) value_ps;
}

/* Return the time that the sender of a message spends in GM, from the call to the callback. */
static double adigm_gm_send_ps(void)
{
    return adigm_ps("host_send_ps") + adigm_ps("host_pio_ps") + adigm_ps("host_receive_ps") +
        adigm_ps("host_callback_ps");
}

/* Return the time that the receiver of a message spends in GM, until it has returned the buffer to
 * GM. */
static double adigm_gm_receive_ps(void)
{
    return adigm_ps("host_receive_ps") + adigm_ps("host_provide_ps");
}

static void adigm_eager_cost(size_t bytes, MPIX_GM_Message_cost * cost)
{
    size_t head_bytes = adigm_am_head_bytes(sizeof(MPIDIG_hdr_t));
    unsigned n_messages = 0;
    double send_ps = (double) adigm.overhead_ps +
        (double) bytes * (double) adigm.copy_ps_per_byte;
    double receive_ps = (double) adigm.receive_overhead_ps +
        (double) bytes * (double) adigm.receive_copy_ps_per_byte;
    do {
        size_t part = MPL_MIN(bytes, (size_t) adigm.part_bytes - head_bytes);
        unsigned n_packets = adigm_packets(head_bytes + part);
        cost->flow_packets += n_packets;
        cost->longest_packets = MPL_MAX(cost->longest_packets, n_packets);
        bytes -= part;
        head_bytes = sizeof(adigm_wire_t);
        n_messages++;
    } while (bytes > 0);
    cost->eager = 1;
    cost->sender_seconds = 1e-12 * (send_ps + n_messages * adigm_gm_send_ps());
    cost->receiver_seconds = 1e-12 * (receive_ps + n_messages * adigm_gm_receive_ps());
}

static void adigm_rndv_cost(size_t bytes, MPIX_GM_Message_cost * cost)
{
    double own_ps = (double) adigm.overhead_ps + (double) adigm_register_again_ps(bytes);
    double extra_ps = (double) (adigm.receive_overhead_ps - adigm.overhead_ps);
    /* the messages `ready to send` and `finished`, and the data */
    cost->flow_packets = adigm_packets(adigm_am_head_bytes(sizeof(MPIDIG_hdr_t))) +
        adigm_packets(bytes) + adigm_packets(adigm_rndv_fin_bytes());
    cost->longest_packets = adigm_packets(bytes);
    cost->reverse_packets = adigm_packets(adigm_rndv_cts_bytes());
    cost->reverse_bytes = (unsigned) adigm_rndv_cts_bytes();
    cost->puts_ahead = ADIGM_PUTS_IN_FLIGHT;
    cost->answers_ahead = ADIGM_REVERSE_AHEAD;
    cost->sender_seconds = 1e-12 * (own_ps + 3 * adigm_gm_send_ps() + adigm_gm_receive_ps());
    cost->receiver_seconds = 1e-12 * (own_ps + extra_ps + adigm_gm_send_ps() +
                                      2 * adigm_gm_receive_ps() +
                                      (double) bytes * (double) adigm.rndv_recv_ps_per_byte);
}

int MPIX_GM_Message(MPI_Aint message_bytes, MPIX_GM_Message_cost * cost)
{
    if (message_bytes < 0 || cost == NULL || !adigm.is_open)
        return MPI_ERR_ARG;
    memset(cost, 0, sizeof(*cost));
    cost->packet_bytes = gm_mtu(adigm_net_port());
    cost->eager_bytes = (MPI_Aint) adigm.eager_bytes;
    /* [source: gulati 2001 thesis 3.2.2: one packet per IDT] */
    cost->idt_product = cost->packet_bytes * 1e12 / adigm_ps("rtc_tick_ps");
    if (message_bytes <= adigm.eager_bytes)
        adigm_eager_cost((size_t) message_bytes, cost);
    else
        adigm_rndv_cost((size_t) message_bytes, cost);
    return MPI_SUCCESS;
}

int MPIX_GM_Get_counts(MPIX_GM_Counts * counts)
{
    if (counts == NULL || !adigm.is_open)
        return MPI_ERR_ARG;
    counts->copied_out_bytes = adigm.n_copied_out_bytes;
    counts->copied_in_bytes = adigm.n_copied_in_bytes;
    counts->registered = adigm.n_registered;
    counts->found_registered = adigm.n_found_registered;
    counts->chunk_memory_bytes = adigm_rndv_pool_bytes();
    return MPI_SUCCESS;
}

int MPIX_GM_Is_remote(MPI_Comm comm, int peer)
{
    int world_rank = peer < 0 ? -1 : MPIX_GM_World_rank(comm, peer);
    return adigm.is_open && world_rank >= 0 && !adigm_net_is_by_memory(world_rank);
}

int MPIX_GM_Keeps_pace(void)
{
    return adigm.is_open && gmsim_scheduler_keeps_pace();
}
