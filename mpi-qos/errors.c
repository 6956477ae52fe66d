/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks the fields of a request, and creates the error class and the error
 * codes with their messages.
 */
#include "errors.h"

#include <math.h>
#include <stddef.h>

#define MPIQOS_BANDWIDTH_ALLOWED "allowed: 0 (release) to 1e12 bytes/s"
#define MPIQOS_SIZE_ALLOWED      "allowed: 1 to 2147483647 bytes"

static const char *const mpiqos_fault_texts[MPIQOS_FAULT_COUNT] = {
    [MPIQOS_FAULT_NONE] = "no error",
    [MPIQOS_FAULT_NO_FLOW] =
        "mpi_qos: the attribute value is NULL; allowed: the address of an "
        "MPIQOS_Flow",
    [MPIQOS_FAULT_PEER_RANGE] =
        "mpi_qos: field peer is not a rank of the communicator; allowed: a "
        "rank (of the remote group, if there is one) or MPIQOS_ALL_PEERS",
    [MPIQOS_FAULT_PEER_SELF] =
        "mpi_qos: field peer is the calling process itself; allowed: another "
        "rank or MPIQOS_ALL_PEERS",
    [MPIQOS_FAULT_BANDWIDTH_NAN] =
        "mpi_qos: field bandwidth is not a number; " MPIQOS_BANDWIDTH_ALLOWED,
    [MPIQOS_FAULT_BANDWIDTH_NEGATIVE] =
        "mpi_qos: field bandwidth is negative; " MPIQOS_BANDWIDTH_ALLOWED,
    [MPIQOS_FAULT_BANDWIDTH_LARGE] =
        "mpi_qos: field bandwidth is too large; " MPIQOS_BANDWIDTH_ALLOWED,
    [MPIQOS_FAULT_CLASS] =
        "mpi_qos: field qos_class is unknown; allowed: MPIQOS_PREMIUM or "
        "MPIQOS_BEST_EFFORT",
    [MPIQOS_FAULT_MESSAGE_SIZE_SMALL] =
        "mpi_qos: field message_size is below 1; " MPIQOS_SIZE_ALLOWED,
    [MPIQOS_FAULT_MESSAGE_SIZE_LARGE] =
        "mpi_qos: field message_size is too large; " MPIQOS_SIZE_ALLOWED,
    [MPIQOS_FAULT_BURST] =
        "mpi_qos: field burst is out of range; allowed: 0 (one message) to "
        "2147483647 bytes",
    [MPIQOS_FAULT_DELAY] =
        "mpi_qos: field delay is negative, too large or not a number; "
        "allowed: 0 (not requested) to 40 s",
    [MPIQOS_FAULT_JITTER] =
        "mpi_qos: field jitter is negative, too large or not a number; "
        "allowed: 0 (not requested) to 40 s",
    [MPIQOS_FAULT_CLASS_BOUND] =
        "mpi_qos: class MPIQOS_BEST_EFFORT has no bounds, but field delay or "
        "jitter is set; allowed: 0 for both, or class MPIQOS_PREMIUM",
};

/* These variables are static, because a process has only one instance of MPI
 * and one set of error codes. */
static int mpiqos_class = MPI_ERR_UNKNOWN;
static int mpiqos_codes[MPIQOS_FAULT_COUNT];

static mpiqos_fault_t mpiqos_bandwidth_check(double bandwidth)
{
    if (isnan(bandwidth)) {
        return MPIQOS_FAULT_BANDWIDTH_NAN;
    }
    if (bandwidth < 0.0) {
        return MPIQOS_FAULT_BANDWIDTH_NEGATIVE;
    }
    if (bandwidth > MPIQOS_MAX_BANDWIDTH) {
        return MPIQOS_FAULT_BANDWIDTH_LARGE;
    }
    return MPIQOS_FAULT_NONE;
}

/* The comparisons are false for NaN, so NaN is rejected. */
static int mpiqos_is_time(double seconds)
{
    return seconds >= 0.0 && seconds <= MPIQOS_MAX_DELAY;
}

static mpiqos_fault_t mpiqos_bounds_check(const MPIQOS_Flow *flow)
{
    if (flow->burst < 0 || flow->burst > MPIQOS_MAX_BURST) {
        return MPIQOS_FAULT_BURST;
    }
    if (!mpiqos_is_time(flow->delay)) {
        return MPIQOS_FAULT_DELAY;
    }
    if (!mpiqos_is_time(flow->jitter)) {
        return MPIQOS_FAULT_JITTER;
    }
    if (flow->qos_class == MPIQOS_BEST_EFFORT &&
        (flow->delay > 0.0 || flow->jitter > 0.0)) {
        return MPIQOS_FAULT_CLASS_BOUND;
    }
    return MPIQOS_FAULT_NONE;
}

mpiqos_fault_t mpiqos_flow_check(const MPIQOS_Flow *flow, int peers, int self)
{
    if (flow == NULL) {
        return MPIQOS_FAULT_NO_FLOW;
    }
    if (flow->peer != MPIQOS_ALL_PEERS) {
        if (flow->peer < 0 || flow->peer >= peers) {
            return MPIQOS_FAULT_PEER_RANGE;
        }
        if (flow->peer == self) {
            return MPIQOS_FAULT_PEER_SELF;
        }
    }
    if (flow->qos_class != MPIQOS_PREMIUM &&
        flow->qos_class != MPIQOS_BEST_EFFORT) {
        return MPIQOS_FAULT_CLASS;
    }
    if (flow->message_size < 1) {
        return MPIQOS_FAULT_MESSAGE_SIZE_SMALL;
    }
    if (flow->message_size > MPIQOS_MAX_MESSAGE_SIZE) {
        return MPIQOS_FAULT_MESSAGE_SIZE_LARGE;
    }
    if (mpiqos_bandwidth_check(flow->bandwidth) != MPIQOS_FAULT_NONE) {
        return mpiqos_bandwidth_check(flow->bandwidth);
    }
    return mpiqos_bounds_check(flow);
}

int mpiqos_errors_create(void)
{
    int new_class;
    int err = PMPI_Add_error_class(&new_class);

    if (err == MPI_SUCCESS) {
        err =
            PMPI_Add_error_string(new_class, "mpi_qos: malformed MPIQOS_Flow");
    }
    for (int fault = 1; fault < MPIQOS_FAULT_COUNT && err == MPI_SUCCESS;
         ++fault) {
        err = PMPI_Add_error_code(new_class, &mpiqos_codes[fault]);
        if (err == MPI_SUCCESS) {
            err = PMPI_Add_error_string(mpiqos_codes[fault],
                                        mpiqos_fault_texts[fault]);
        }
    }
    if (err == MPI_SUCCESS) {
        mpiqos_class = new_class;
    }
    return err;
}

int mpiqos_errors_class(void)
{
    return mpiqos_class;
}

int mpiqos_errors_code(mpiqos_fault_t fault)
{
    return (fault == MPIQOS_FAULT_NONE) ? MPI_SUCCESS : mpiqos_codes[fault];
}
