/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the performance variables of MPI_T. For counters, aggregates and timers, MPICH itself
 * stores the values at the time when a handle is started. This file computes the variables that are
 * quotients: a counter divided by the time since the handle was started.
 */
#include "gm_mpit.h"

/* The data of a handle; they replace the pointer to the object to which the handle is bound. */
typedef struct adigm_binding {
    struct adigm_binding *next, *prev;
    const adigm_variable_t *variable;
    int n;                      /* number of elements: 1, or one per peer rank of the
                                 * communicator */
    gm_qos_flow_t *flows;
    int *peers;                 /* rank in MPI_COMM_WORLD of each element */
    unsigned label;
    uint64_t *now;              /* the counters at the last read */
    uint64_t now_ps;
    uint64_t *before;           /* the counters at the read before the last read */
    int is_reset;               /* 1: the next read of this sum is part of a reset */
    /* The following fields are for quotients. sums and sum_ps belong to earlier periods during
     * which the handle was started. The values begin and begin_ps belong to the beginning of the
     * current period. */
    int is_started;
    uint64_t *sums, *begin;
    uint64_t sum_ps, begin_ps;
} adigm_binding_t;

static struct {
    adigm_binding_t *bindings;  /* utlist */
    gmsim_nic_counters_t last_nic;      /* values at the time when the port was closed */
} mpit;

/* ---- reading ---- */

static uint64_t adigm_field(const void *counters, size_t offset)
{
    return *(const uint64_t *) ((const char *) counters + offset);
}

static int adigm_is_there(void)
{
    return adigm.is_open && !adigm.is_absent;
}

static void adigm_look_at_nic(adigm_binding_t * binding)
{
    gmsim_nic_counters_t counters = mpit.last_nic;
    if (adigm_is_there())
        (void) gmsim_get_nic_counters(adigm_net_place()->node_id, &counters);
    binding->now[0] = adigm_field(&counters, binding->variable->offset);
    binding->now_ps = counters.now_ps;
}

/* Read the counters. Counters that cannot be read, or can no longer be read, keep their values. */
static void adigm_look_at_flows(adigm_binding_t * binding)
{
    gmsim_flow_counters_t *counters;
    adigm_flow_counters_t flow;
    if (!adigm_is_there() || binding->n == 0)
        return;
    counters = MPL_calloc((size_t) binding->n, sizeof(*counters), MPL_MEM_MPIT);
    if (counters && gmsim_get_flow_counters(adigm_net_port(), binding->flows,
                                            (unsigned) binding->n, counters) == GM_SUCCESS) {
        for (int i = 0; i < binding->n; i++) {
            flow.card = counters[i];
            flow.token_waits = adigm_net_token_waits(binding->peers[i], binding->label);
            binding->now[i] = adigm_field(&flow, binding->variable->offset);
        }
        binding->now_ps = counters[0].now_ps;
    }
    MPL_free(counters);
}

/* Read the current values for a handle. Only one thread at a time may use the port. This function
 * acquires the lock recursively, because a variable may be read inside a user's reduction
 * function. */
static void adigm_look(adigm_binding_t * binding)
{
    int is_locked = adigm.is_open;
    if (is_locked)
        MPIDUI_THREAD_CS_ENTER_REC(MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    if (binding->variable->subject == ADIGM_SUBJECT_NIC)
        adigm_look_at_nic(binding);
    else
        adigm_look_at_flows(binding);
    if (is_locked)
        MPID_THREAD_CS_EXIT(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
}

/* If the program calls no other function of the library between a read and a reset, the values of
 * that read are the start values after the reset. MPI_T_pvar_readreset therefore does not lose any
 * counts. */
static void adigm_look_for_reset(adigm_binding_t * binding)
{
    size_t len = (size_t) binding->n * sizeof(*binding->now);
    uint64_t before_ps = binding->now_ps;
    uint64_t read_ps = 0;
    memcpy(binding->before, binding->now, len);
    adigm_look(binding);
    if (gmsim_get_param("host_clock_read_ps", &read_ps) == GM_SUCCESS &&
        binding->now_ps == before_ps + read_ps) {
        memcpy(binding->now, binding->before, len);
        binding->now_ps = before_ps;
    }
}

/* ---- quotients ---- */

static int adigm_is_quotient(const adigm_variable_t * variable)
{
    return variable->measure == ADIGM_MEASURE_SHARE || variable->measure == ADIGM_MEASURE_RATE;
}

static void adigm_quotient_begin(adigm_binding_t * binding)
{
    binding->is_started = 1;
    binding->begin_ps = binding->now_ps;
    memcpy(binding->begin, binding->now, (size_t) binding->n * sizeof(*binding->begin));
}

static void adigm_quotient_start(adigm_binding_t * binding)
{
    adigm_look(binding);
    adigm_quotient_begin(binding);
}

static void adigm_quotient_stop(adigm_binding_t * binding)
{
    adigm_look(binding);
    binding->is_started = 0;
    binding->sum_ps += binding->now_ps - binding->begin_ps;
    for (int i = 0; i < binding->n; i++)
        binding->sums[i] += binding->now[i] - binding->begin[i];
}

static void adigm_quotient_reset(adigm_binding_t * binding)
{
    binding->sum_ps = 0;
    memset(binding->sums, 0, (size_t) binding->n * sizeof(*binding->sums));
    if (binding->is_started) {
        adigm_look_for_reset(binding);
        adigm_quotient_begin(binding);
    }
}

static double adigm_quotient(const adigm_binding_t * binding, int i)
{
    uint64_t growth = binding->sums[i];
    uint64_t time_ps = binding->sum_ps;
    if (binding->is_started) {
        growth += binding->now[i] - binding->begin[i];
        time_ps += binding->now_ps - binding->begin_ps;
    }
    if (time_ps == 0)
        return 0;
    if (binding->variable->measure == ADIGM_MEASURE_RATE)
        return (double) growth * 1e12 / (double) time_ps;
    /* work that began before the handle was started is counted when the work ends */
    return growth < time_ps ? (double) growth / (double) time_ps : 1;
}

/* ---- functions that MPICH calls ---- */

static int adigm_binding_size(const adigm_variable_t * variable, void *obj_handle,
                              MPIR_Comm ** comm_p)
{
    *comm_p = NULL;
    if (variable->subject == ADIGM_SUBJECT_NIC)
        return 1;
    if (obj_handle != NULL && adigm_is_there())
        *comm_p = adigm_find_comm(*(MPI_Comm *) obj_handle);
    return *comm_p == NULL ? 0 : (*comm_p)->remote_size;
}

static void adigm_get_count(void *addr, void *obj_handle, int *count)
{
    MPIR_Comm *comm;
    *count = adigm_binding_size(addr, obj_handle, &comm);
}

static void adigm_get_value(void *addr, void *obj_handle, int count, void *buf)
{
    const adigm_variable_t *variable = addr;
    adigm_binding_t *binding = obj_handle;
    if (binding->is_reset)
        adigm_look_for_reset(binding);
    else if (!adigm_is_quotient(variable) || binding->is_started)
        adigm_look(binding);
    binding->is_reset = 0;
    for (int i = 0; i < count; i++) {
        switch (variable->measure) {
            case ADIGM_MEASURE_COUNT:
            case ADIGM_MEASURE_LEVEL:
                ((unsigned long long *) buf)[i] = binding->now[i];
                break;
            case ADIGM_MEASURE_SECONDS:
                ((double *) buf)[i] = (double) binding->now[i] * 1e-12;
                break;
            case ADIGM_MEASURE_SHARE:
            case ADIGM_MEASURE_RATE:
                ((double *) buf)[i] = adigm_quotient(binding, i);
                break;
        }
    }
}

static void adigm_binding_free(adigm_binding_t * binding)
{
    MPL_free(binding->flows);
    MPL_free(binding->peers);
    MPL_free(binding->now);
    MPL_free(binding->before);
    MPL_free(binding->sums);
    MPL_free(binding->begin);
    MPL_free(binding);
}

static adigm_binding_t *adigm_binding_alloc(const adigm_variable_t * variable, int n)
{
    size_t len = (size_t) (n > 0 ? n : 1);
    adigm_binding_t *binding = MPL_calloc(1, sizeof(*binding), MPL_MEM_MPIT);
    if (binding == NULL)
        return NULL;
    binding->variable = variable;
    binding->n = n;
    binding->flows = MPL_calloc(len, sizeof(*binding->flows), MPL_MEM_MPIT);
    binding->peers = MPL_calloc(len, sizeof(*binding->peers), MPL_MEM_MPIT);
    binding->now = MPL_calloc(len, sizeof(*binding->now), MPL_MEM_MPIT);
    binding->before = MPL_calloc(len, sizeof(*binding->before), MPL_MEM_MPIT);
    binding->sums = MPL_calloc(len, sizeof(*binding->sums), MPL_MEM_MPIT);
    binding->begin = MPL_calloc(len, sizeof(*binding->begin), MPL_MEM_MPIT);
    if (!binding->flows || !binding->peers || !binding->now || !binding->before ||
        !binding->sums || !binding->begin) {
        adigm_binding_free(binding);
        return NULL;
    }
    return binding;
}

static int adigm_handle_alloc(MPIR_T_pvar_handle_t * handle)
{
    const adigm_variable_t *variable = handle->addr;
    MPIR_Comm *comm;
    int n = adigm_binding_size(variable, handle->obj_handle, &comm);
    if (variable->subject == ADIGM_SUBJECT_FLOW && comm == NULL)
        return MPI_T_ERR_INVALID_HANDLE;
    adigm_binding_t *binding = adigm_binding_alloc(variable, n);
    if (binding == NULL)
        return MPI_T_ERR_OUT_OF_HANDLES;
    if (comm != NULL) {
        binding->label = adigm_comm_label(comm);
        for (int i = 0; i < n; i++) {
            binding->peers[i] = adigm_world_rank(comm, i);
            adigm_net_describe(binding->peers[i], binding->label, &binding->flows[i]);
        }
    }
    DL_APPEND(mpit.bindings, binding);
    handle->obj_handle = binding;
    return MPI_SUCCESS;
}

static int adigm_handle_event(MPIR_T_pvar_handle_t * handle, MPIR_T_pvar_handle_event_t event)
{
    if (handle->get_value != adigm_get_value)
        return MPI_SUCCESS;     /* a variable of MPICH */
    adigm_binding_t *binding = handle->obj_handle;
    int is_quotient = adigm_is_quotient(handle->addr);
    switch (event) {
        case MPIR_T_PVAR_HANDLE_ALLOC:
            return adigm_handle_alloc(handle);
        case MPIR_T_PVAR_HANDLE_FREE:
            DL_DELETE(mpit.bindings, binding);
            adigm_binding_free(binding);
            break;
        case MPIR_T_PVAR_HANDLE_START:
            if (is_quotient)
                adigm_quotient_start(binding);
            break;
        case MPIR_T_PVAR_HANDLE_STOP:
            if (is_quotient)
                adigm_quotient_stop(binding);
            break;
        case MPIR_T_PVAR_HANDLE_RESET:
            if (is_quotient)
                adigm_quotient_reset(binding);
            else
                binding->is_reset = MPIR_T_pvar_is_started(handle) != 0;
            break;
    }
    return MPI_SUCCESS;
}

/* ---- start and end ---- */

static void adigm_pvar_register(const adigm_variable_t * variable)
{
    int is_flow = variable->subject == ADIGM_SUBJECT_FLOW;
    int is_count = variable->measure == ADIGM_MEASURE_COUNT ||
        variable->measure == ADIGM_MEASURE_LEVEL;
    /* a level always has a value, and a program cannot reset it */
    int flags = variable->measure == ADIGM_MEASURE_LEVEL ?
        MPIR_T_PVAR_FLAG_CONTINUOUS | MPIR_T_PVAR_FLAG_READONLY : MPIR_T_PVAR_FLAG_ATOMIC;
    MPIR_T_PVAR_REGISTER_impl(variable->varclass,
                              is_count ? MPI_UNSIGNED_LONG_LONG : MPI_DOUBLE, variable->name,
                              (void *) variable, 1, MPI_T_ENUM_NULL, MPI_T_VERBOSITY_USER_BASIC,
                              is_flow ? MPI_T_BIND_MPI_COMM : MPI_T_BIND_NO_OBJECT, flags,
                              adigm_get_value, adigm_get_count, is_flow ? "gm_flow" : "gm_nic",
                              variable->desc);
}

/* Register the variables. MPICH calls this function in MPI_T_init_thread or MPI_Init, whichever is
 * called first. */
int MPIDI_GM_mpit_init(void)
{
    MPIR_T_cat_add_desc("gm", "Parameters of the simulated Myrinet/GM cluster");
    MPIR_T_cat_add_desc("gm_nic", "NIC of the process's host");
    MPIR_T_cat_add_desc("gm_flow", "Data that the process sends on a communicator, by target");
    MPIR_T_cat_add_subcat("gm", "gm_nic");
    MPIR_T_cat_add_subcat("gm", "gm_flow");
    adigm_cvar_init();
    for (const adigm_variable_t * variable = adigm_variables; variable->name; variable++)
        adigm_pvar_register(variable);
    MPIR_T_pvar_handle_hook = adigm_handle_event;
    return MPI_SUCCESS;
}

/* Read the counters only if MPI_T remains initialized, because reading them takes virtual time. */
void adigm_mpit_close(void)
{
    adigm_binding_t *binding;
    if (MPIR_T_init_balance == 0)
        return;
    (void) gmsim_get_nic_counters(adigm_net_place()->node_id, &mpit.last_nic);
    DL_FOREACH(mpit.bindings, binding) {
        adigm_look(binding);
    }
}
