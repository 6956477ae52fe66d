/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the queueing network analyser. Numbers in brackets refer to
 * equations of the paper by Cherukuri et al.
 *
 * For several servers, equations (6) and (12) cannot both be correct as
 * printed, because (6) divides by the number of servers, and (12) divides by
 * this number again. In this file, the mean service time is always the service
 * time of one server, so (12) equals Whitt's formula.
 */
#include <math.h>
#include <stdlib.h>

#include "analytic/model_int.h"

/* utilisation above which the formula for heavy traffic in (12) applies */
#define GMS_DECOMPOSE_HEAVY 0.7

typedef struct gms_decompose {
    const gms_model_t *model;
    gms_model_result_t *result;
    double *flow_scv; /* [arcs]: SCV of the stream along an arc */
    int is_paper;
} gms_decompose_t;

/** Compute (8) and (9): the SCV of the arrivals at a station, which is the mean
 *  of the streams' SCVs, weighted by their rates. */
static double gms_decompose_arrivals(const gms_decompose_t *self,
                                     unsigned station)
{
    const gms_model_t *model = self->model;
    double rate = self->result->station[station].rate, sum = 0;
    unsigned r;
    size_t i;

    for (r = 0; r < model->classes; ++r) {
        const gms_model_visit_t *visit =
            &model->visit[(size_t)station * model->classes + r];

        sum += visit->rate * visit->rate_scv;
    }
    for (i = 0; i < model->arcs; ++i) {
        const gms_model_arc_t *arc = &model->arc[i];

        if (arc->to / model->classes == station) {
            sum += self->result->visit[arc->from].rate * arc->probability *
                   self->flow_scv[i];
        }
    }
    return sum / rate;
}

/** Compute (11): the SCV of the stream along every arc of a station. In the
 *  printed equation, p is the fraction of a class that follows the arc. A class
 *  with a single arc is therefore assigned the whole variability of the
 *  station's output. In Whitt's equation, p is the fraction of all messages
 *  that leave the station. */
static double gms_decompose_split(gms_decompose_t *self, unsigned station)
{
    const gms_model_t *model = self->model;
    const gms_model_at_station_t *at = &self->result->station[station];
    double change = 0;
    size_t i;

    for (i = 0; i < model->arcs; ++i) {
        const gms_model_arc_t *arc = &model->arc[i];
        double part = arc->probability, scv;

        if (arc->from / model->classes != station) {
            continue;
        }
        if (!self->is_paper) {
            part *= self->result->visit[arc->from].rate / at->rate;
        }
        scv = 1 + part * (at->departure_scv - 1);
        change = fmax(change, fabs(scv - self->flow_scv[i]));
        self->flow_scv[i] = scv;
    }
    return change;
}

static double gms_decompose_round(gms_decompose_t *self)
{
    double change = 0;
    unsigned i;

    for (i = 0; i < self->model->stations; ++i) {
        gms_model_at_station_t *at = &self->result->station[i];
        double busy = at->utilisation * at->utilisation;

        if (!(at->rate > 0)) {
            continue;
        }
        at->arrival_scv = gms_decompose_arrivals(self, i);
        at->departure_scv = /* (10) */
            1 +
            busy * (at->service_scv - 1) /
                sqrt(self->model->station[i].servers) +
            (1 - busy) * (at->arrival_scv - 1);
        change = fmax(change, gms_decompose_split(self, i));
    }
    return change;
}

/** Return the probability that a message must wait: the approximation in (12)
 *  for the method `paper', otherwise Erlang's C formula. */
static double gms_decompose_alpha(const gms_decompose_t *self, unsigned servers,
                                  double busy)
{
    if (!self->is_paper) {
        return gms_model_erlang_c(servers, busy);
    }
    return (busy > GMS_DECOMPOSE_HEAVY) ? (pow(busy, servers) + busy) / 2
                                        : pow(busy, (servers + 1) / 2.0);
}

static void gms_decompose_waits(gms_decompose_t *self)
{
    const gms_model_t *model = self->model;
    unsigned i, r;

    for (i = 0; i < model->stations; ++i) {
        const gms_model_at_station_t *at = &self->result->station[i];
        unsigned servers = model->station[i].servers;
        double wait;

        if (!(at->rate > 0)) {
            continue;
        }
        wait = gms_decompose_alpha(self, servers, at->utilisation) *
               at->service / (1 - at->utilisation) *
               (at->arrival_scv + at->service_scv) / (2.0 * servers); /* (12) */
        for (r = 0; r < model->classes; ++r) {
            self->result->visit[(size_t)i * model->classes + r].wait = wait;
        }
    }
}

gms_model_status_t gms_model_decompose(const gms_model_t *model,
                                       gms_model_method_t method,
                                       gms_model_result_t *result)
{
    gms_decompose_t self = {model, result, NULL, (method == GMS_MODEL_PAPER)};
    unsigned most =
        self.is_paper ? GMS_MODEL_PAPER_ROUNDS : GMS_MODEL_ROUNDS_MAX;
    size_t i;

    self.flow_scv = calloc(model->arcs + 1, sizeof(*self.flow_scv));
    if (self.flow_scv == NULL) {
        return GMS_MODEL_NO_MEMORY;
    }
    for (i = 0; i < model->arcs; ++i) {
        self.flow_scv[i] = 1;
    }
    for (i = 0; i < model->stations; ++i) {
        if (result->station[i].rate > 0) {
            result->station[i].service_scv =
                gms_model_mixed_scv(model, result, (unsigned)i);
        }
    }
    for (result->rounds = 1; result->rounds <= most; ++result->rounds) {
        if (gms_decompose_round(&self) <= GMS_MODEL_CONVERGED ||
            result->rounds == most) {
            break;
        }
    }
    gms_decompose_waits(&self);
    free(self.flow_scv);
    return GMS_MODEL_OK;
}
