/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creates the keyval of the attribute MPIQOS_FLOW at its first use and frees it
 * in MPI_Finalize(). Also implements MPIQOS_Flow_state() and
 * MPIQOS_Peer_state().
 */
#include "mpi_qos.h"
#include "device.h"
#include "errors.h"
#include "files.h"
#include "flow.h"
#include "hints.h"
#include "policy.h"
#include "report.h"
#include "verdict.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mpiqos_keyval_lock = PTHREAD_MUTEX_INITIALIZER;
static int mpiqos_keyval = MPI_KEYVAL_INVALID;
/* 1 while the device observes the attribute and calls the set hook of this
 * library. */
static int mpiqos_supported;
/* 1 after the device has observed the keyval for the first time. From then on,
 * the value of every attribute that still exists after MPI_Finalize() has
 * started is a record of this library. */
static int mpiqos_has_watched;

/** The device calls this function when it loads libmpiqos; see mpix_gm.h. */
int mpiqos_device_open(int rank, int size, char *error, size_t error_len);

static const MPIX_GM_Comm_events mpiqos_comm_events = {
    .hints = mpiqos_hints_given,
    .created = mpiqos_policy_created,
    .named = mpiqos_policy_named,
    .answers = mpiqos_hints_read,
};

/* Print the reports and end the observation. MPI_Finalize() calls this function
 * when it deletes the attributes of MPI_COMM_SELF, before its other actions.
 * The MPI standard guarantees this order for libraries that clean up. At this
 * time, the library can still send messages. */
static int mpiqos_finalize(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm;
    (void)keyval;
    (void)value;
    (void)extra;

    mpiqos_verdict_note_all();
    mpiqos_report_write();
    mpiqos_policy_end();
    mpiqos_policy_clear();
    pthread_mutex_lock(&mpiqos_keyval_lock);
    if (mpiqos_supported) {
        MPIX_GM_Watch_comms(NULL);
        MPIX_GM_Watch_files(NULL);
        (void)MPIX_GM_Watch_keyval(mpiqos_keyval, NULL);
        mpiqos_supported = 0;
    }
    /* Free the keyval. Attributes that are still set keep using the keyval's
     * delete function. */
    if (mpiqos_keyval != MPI_KEYVAL_INVALID) {
        (void)PMPI_Comm_free_keyval(&mpiqos_keyval);
        mpiqos_keyval = MPI_KEYVAL_INVALID;
    }
    pthread_mutex_unlock(&mpiqos_keyval_lock);
    return MPI_SUCCESS;
}

static int mpiqos_at_finalize(void)
{
    int keyval;
    int err = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, mpiqos_finalize,
                                      &keyval, NULL);

    if (err != MPI_SUCCESS) {
        return err;
    }
    err = PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
    (void)PMPI_Comm_free_keyval(&keyval);
    return err;
}

static int mpiqos_usable(void)
{
    int initialized = 0;
    int finalized = 0;

    (void)PMPI_Initialized(&initialized);
    (void)PMPI_Finalized(&finalized);
    return initialized && !finalized;
}

/* Let the device observe the keyval. The error codes are created first, because
 * the hook can raise an error immediately. */
static void mpiqos_watch(int keyval)
{
    if (MPIX_GM_Watch_keyval != NULL && mpiqos_errors_create() == MPI_SUCCESS) {
        mpiqos_supported =
            (MPIX_GM_Watch_keyval(keyval, mpiqos_flow_set) == MPI_SUCCESS);
    }
    if (mpiqos_supported) {
        mpiqos_has_watched = 1;
        MPIX_GM_Watch_comms(&mpiqos_comm_events);
        MPIX_GM_Watch_files(&mpiqos_file_events);
    }
}

static int mpiqos_keyval_create(void)
{
    int keyval;

    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, mpiqos_flow_delete,
                                &keyval, NULL) != MPI_SUCCESS) {
        return MPI_KEYVAL_INVALID;
    }
    if (mpiqos_at_finalize() != MPI_SUCCESS) {
        (void)PMPI_Comm_free_keyval(&keyval);
        return MPI_KEYVAL_INVALID;
    }
    mpiqos_watch(keyval);
    return keyval;
}

int mpiqos_flow_keyval(void)
{
    int keyval;

    if (!mpiqos_usable()) {
        return MPI_KEYVAL_INVALID;
    }
    pthread_mutex_lock(&mpiqos_keyval_lock);
    if (mpiqos_keyval == MPI_KEYVAL_INVALID) {
        mpiqos_keyval = mpiqos_keyval_create();
    }
    keyval = mpiqos_keyval;
    pthread_mutex_unlock(&mpiqos_keyval_lock);
    return keyval;
}

int mpiqos_flow_is_watched(void)
{
    return mpiqos_has_watched;
}

int mpiqos_device_open(int rank, int size, char *error, size_t error_len)
{
    const char *policy = getenv("MPIQOS_POLICY");
    const char *report = getenv("MPIQOS_REPORT");

    if (policy != NULL && policy[0] != '\0' &&
        mpiqos_policy_read(policy, rank, size, error, error_len) != 0) {
        return -1;
    }
    if (report != NULL && report[0] != '\0') {
        return mpiqos_report_open(report, rank, error, error_len);
    }
    return 0;
}

int mpiqos_error_class(void)
{
    (void)mpiqos_flow_keyval();
    return mpiqos_errors_class();
}

static void mpiqos_answer_unsupported(MPIQOS_Flow *flow)
{
    mpiqos_flow_answer(flow, MPIQOS_UNSUPPORTED,
                       mpiqos_usable()
                           ? "this MPI library cannot reserve bandwidth"
                           : "bandwidth can be reserved only after MPI_Init() "
                             "and before MPI_Finalize(); MPI Sessions alone "
                             "are not enough");
}

/** Check the arguments of a query. Answer the query if no bandwidth can be
 *  reserved.
 *  @return 0 if the caller must read the flow, otherwise -1 */
static int mpiqos_state_begin(MPI_Comm comm, MPIQOS_Flow *flow, unsigned size,
                              MPIQOS_Flow *ours, int *error_p)
{
    *error_p = (flow == NULL)            ? MPI_ERR_ARG
               : (comm == MPI_COMM_NULL) ? MPI_ERR_COMM
                                         : MPI_SUCCESS;
    if (*error_p != MPI_SUCCESS) {
        return -1;
    }
    (void)mpiqos_flow_keyval();
    /* Write only the answer; keep the caller's request fields. */
    mpiqos_flow_import_sized(flow, size, ours);
    if (!mpiqos_supported) {
        mpiqos_answer_unsupported(ours);
        mpiqos_flow_export(ours, size, flow);
        return -1;
    }
    return 0;
}

int mpiqos_peer_state_sized(MPI_Comm comm, int peer, MPIQOS_Flow *flow,
                            unsigned size)
{
    MPIQOS_Flow ours;
    int error;

    if (mpiqos_state_begin(comm, flow, size, &ours, &error) == 0) {
        if (!mpiqos_flow_read_peer(comm, peer, &ours)) {
            mpiqos_flow_answer(&ours, MPIQOS_RELEASED,
                               "nothing is reserved for this rank on this "
                               "communicator");
        }
        mpiqos_flow_export(&ours, size, flow);
    }
    return error;
}

int mpiqos_flow_state_sized(MPI_Comm comm, MPIQOS_Flow *flow, unsigned size)
{
    MPIQOS_Flow ours;
    int error;

    if (mpiqos_state_begin(comm, flow, size, &ours, &error) == 0) {
        if (!mpiqos_flow_read(comm, &ours)) {
            mpiqos_flow_answer(&ours, MPIQOS_RELEASED,
                               "nothing is reserved on this communicator");
        }
        mpiqos_flow_export(&ours, size, flow);
    }
    return error;
}

/* The parentheses around the names prevent the expansion of the macros.
 * Programs that were compiled with older headers need these functions, and so
 * do programs that take a function's address. */
int(MPIQOS_Peer_state)(MPI_Comm comm, int peer, MPIQOS_Flow *flow)
{
    return mpiqos_peer_state_sized(comm, peer, flow,
                                   (flow != NULL) ? flow->size : 0);
}

int(MPIQOS_Flow_state)(MPI_Comm comm, MPIQOS_Flow *flow)
{
    return mpiqos_flow_state_sized(comm, flow, (flow != NULL) ? flow->size : 0);
}
