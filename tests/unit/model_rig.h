/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds queueing models of a single station for the tests of the solvers. */
#ifndef TESTS_UNIT_MODEL_RIG_H
#define TESTS_UNIT_MODEL_RIG_H

#include "analytic/nic.h"
#include "unit.h"

/* Build a model of one station and one class. */
static inline gms_model_t *single(double rate, double mean, double scv,
                                  unsigned servers)
{
    gms_model_t *model = gms_model_create(1, 1);

    gms_model_serve(model, 0, 0, mean, scv);
    gms_model_at(model, 0, 0)->rate = rate;
    model->station[0].servers = servers;
    return model;
}

/* Build a model of one station and two classes with constant service times. */
static inline gms_model_t *two_classes(double mean0, double rate0, double mean1,
                                       double rate1)
{
    gms_model_t *model = gms_model_create(1, 2);

    gms_model_serve(model, 0, 0, mean0, 0);
    gms_model_serve(model, 0, 1, mean1, 0);
    gms_model_at(model, 0, 0)->rate = rate0;
    gms_model_at(model, 0, 1)->rate = rate1;
    return model;
}

#endif
