/* SPDX-License-Identifier: BSD-3-Clause */
/* Creates NICs for the tests of the method `chain', and solves their models. */
#ifndef TESTS_UNIT_CHAIN_RIG_H
#define TESTS_UNIT_CHAIN_RIG_H

#include "model_rig.h"

static char error[GMS_MODEL_ERROR_LEN];

static inline gms_model_result_t *solved_by(const gms_model_t *model,
                                            gms_model_method_t method)
{
    gms_model_result_t *result = NULL;

    if (gms_model_solve(model, method, &result, error) != GMS_MODEL_OK) {
        printf("\n    %s\n", error);
        abort();
    }
    return result;
}

static inline gms_model_result_t *solved(const gms_model_t *model)
{
    return solved_by(model, GMS_MODEL_CHAIN);
}

static inline void set_mean(gms_model_t *model, unsigned station,
                            unsigned class_index, double mean)
{
    gms_model_at(model, station, class_index)->mean = mean;
}

/* Create a sending NIC with these service times. */
static inline gms_model_t *nic(double rate, double doorbell, double program,
                               double fetch_descriptor, double fetch_data,
                               double send)
{
    gms_model_t *model = gms_model_nic(rate);

    model->station[GMS_MODEL_LANAI].discipline = GMS_MODEL_LIMITED;
    set_mean(model, GMS_MODEL_LANAI, GMS_MODEL_DOORBELL, doorbell);
    set_mean(model, GMS_MODEL_LANAI, GMS_MODEL_DESCRIPTOR, 1e-6);
    set_mean(model, GMS_MODEL_LANAI, GMS_MODEL_DATA, program);
    set_mean(model, GMS_MODEL_HDMA, GMS_MODEL_DOORBELL, fetch_descriptor);
    set_mean(model, GMS_MODEL_HDMA, GMS_MODEL_DESCRIPTOR, fetch_data);
    set_mean(model, GMS_MODEL_NSDMA, GMS_MODEL_DATA, send);
    return model;
}

static inline const gms_model_at_visit_t *
at(const gms_model_result_t *result, unsigned station, unsigned class_index)
{
    return &result->visit[station * result->classes + class_index];
}

#endif
