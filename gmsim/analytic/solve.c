/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contains the steps that all solution methods share. Before a method runs,
 * this code computes arrival rates and service times, and checks whether a
 * station saturates. After the method has run, this code computes queues and
 * delays from the waits that the method returns.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analytic/model_int.h"

unsigned gms_model_flow(const gms_model_t *model, int is_forward,
                        const unsigned char *use, const double *b, double *x)
{
    size_t visits = (size_t)model->stations * model->classes, i;
    double *next = malloc(visits * sizeof(*next));
    unsigned round;

    if (next == NULL) {
        return 0;
    }
    memcpy(x, b, visits * sizeof(*x));
    for (round = 1; round < GMS_MODEL_ROUNDS_MAX; ++round) {
        double change = 0, size = 0;

        memcpy(next, b, visits * sizeof(*next));
        for (i = 0; i < model->arcs; ++i) {
            const gms_model_arc_t *arc = &model->arc[i];

            if (use != NULL && !(use[arc->from] && use[arc->to])) {
                continue;
            }
            if (is_forward) {
                next[arc->from] += arc->probability * x[arc->to];
            } else {
                next[arc->to] += arc->probability * x[arc->from];
            }
        }
        for (i = 0; i < visits; ++i) {
            change = fmax(change, fabs(next[i] - x[i]));
            size = fmax(size, fabs(next[i]));
        }
        memcpy(x, next, visits * sizeof(*x));
        /* if the network contains no loops, the last round changes no value */
        if (change <= size * GMS_MODEL_CONVERGED) {
            free(next);
            return round;
        }
    }
    free(next);
    return 0;
}

double gms_model_mixed_scv(const gms_model_t *model,
                           const gms_model_result_t *result, unsigned station)
{
    const gms_model_at_station_t *at = &result->station[station];
    double second = 0;
    unsigned r;

    for (r = 0; r < model->classes; ++r) {
        size_t i = (size_t)station * model->classes + r;
        double relative = result->visit[i].service / at->service;

        second += result->visit[i].rate / at->rate * relative * relative *
                  (model->visit[i].scv + 1);
    }
    return second - 1;
}

double gms_model_erlang_c(unsigned servers, double utilisation)
{
    double offered = servers * utilisation, blocked = 1;
    unsigned i;

    /* use the recursion for Erlang's B, which cannot overflow */
    for (i = 1; i <= servers; ++i) {
        blocked = offered * blocked / (i + offered * blocked);
    }
    return blocked / (1 - utilisation * (1 - blocked));
}

/* ---- rates, service times, saturation ---- */

/** Compute the utilisation of a station at the given rates. The load of
 *  services whose time is multiplied by a guess is added to `guessed`, and the
 *  load of all other services to `certain`. */
static void gms_model_load(const gms_model_t *model,
                           const gms_model_result_t *result, unsigned station,
                           int is_guessed, double *certain, double *guessed)
{
    unsigned r;

    *certain = *guessed = 0;
    for (r = 0; r < model->classes; ++r) {
        size_t i = (size_t)station * model->classes + r;
        const gms_model_visit_t *visit = &model->visit[i];
        double load = result->visit[i].rate * visit->mean /
                      model->station[station].servers;

        if (is_guessed && visit->checks != GMS_MODEL_NONE) {
            *guessed += load * visit->guess;
        } else {
            *certain += load;
        }
    }
}

/** Return the largest factor by which all arrival rates can be multiplied
 *  before a station saturates. This factor is the solution of a x - b x^2 = 1.
 *  The term with b accounts for services that become less frequent when the
 *  checked station is busy more often. */
static double gms_model_station_limit(double a, double b)
{
    double root;

    if (b <= 0) {
        return (a > 0) ? 1 / a : (double)INFINITY;
    }
    root = a * a - 4 * b;
    return (root < 0) ? (double)INFINITY : 2 / (a + sqrt(root));
}

/** Return the part of a station's utilisation that is caused by services of
 *  other stations, which program the station. During such a service, the
 *  station cannot serve messages. The time of these services is therefore added
 *  to the time of the station's own services. */
static double gms_model_programming(const gms_model_t *model,
                                    const gms_model_result_t *result,
                                    unsigned station)
{
    double load = 0;
    size_t i;

    for (i = 0; i < (size_t)model->stations * model->classes; ++i) {
        if (model->visit[i].checks == (int)station) {
            load += result->visit[i].rate * model->visit[i].mean /
                    model->station[station].servers;
        }
    }
    return load;
}

static void gms_model_find_saturation(const gms_model_t *model, int is_guessed,
                                      gms_model_result_t *result)
{
    unsigned i, r;

    result->saturation = (double)INFINITY;
    for (i = 0; i < model->stations; ++i) {
        double certain, guessed, square = 0, limit;

        gms_model_load(model, result, i, is_guessed, &certain, &guessed);
        for (r = 0; is_guessed && r < model->classes; ++r) {
            size_t at = (size_t)i * model->classes + r;
            const gms_model_visit_t *visit = &model->visit[at];
            double other, other_guessed;

            if (visit->checks != GMS_MODEL_NONE) {
                gms_model_load(model, result, (unsigned)visit->checks, 0,
                               &other, &other_guessed);
                square += result->visit[at].rate * visit->mean * visit->guess *
                          other / model->station[i].servers;
            }
        }
        if (!is_guessed) {
            certain += gms_model_programming(model, result, i);
        }
        limit = gms_model_station_limit(certain + guessed, square);
        if (limit < result->saturation) {
            result->saturation = limit;
            result->bottleneck = i;
        }
    }
}

static void gms_model_set_visit(const gms_model_t *model, int is_guessed,
                                gms_model_result_t *result, size_t i)
{
    const gms_model_visit_t *visit = &model->visit[i];
    gms_model_at_visit_t *at = &result->visit[i];
    unsigned station = (unsigned)(i / model->classes);
    double busy, guessed;

    at->service = visit->mean;
    if (is_guessed && visit->checks != GMS_MODEL_NONE) {
        gms_model_load(model, result, (unsigned)visit->checks, 0, &busy,
                       &guessed);
        at->service *= visit->guess * fmax(0, 1 - busy);
    }
    at->utilisation = at->rate * at->service / model->station[station].servers;
    result->station[station].rate += at->rate;
    result->station[station].utilisation += at->utilisation;
}

static gms_model_status_t gms_model_rates(const gms_model_t *model,
                                          int is_guessed,
                                          gms_model_result_t *result,
                                          char error[GMS_MODEL_ERROR_LEN])
{
    size_t visits = (size_t)model->stations * model->classes, i;
    double *arrive = malloc(2 * visits * sizeof(*arrive));
    unsigned rounds = 0;

    if (arrive != NULL) {
        for (i = 0; i < visits; ++i) {
            arrive[i] = model->visit[i].rate;
        }
        rounds = gms_model_flow(model, 0, NULL, arrive, arrive + visits);
        for (i = 0; i < visits; ++i) {
            result->visit[i].rate = arrive[visits + i];
        }
        free(arrive);
    }
    if (rounds == 0) {
        (void)snprintf(
            error, GMS_MODEL_ERROR_LEN,
            "messages never leave the network: a cycle of routes has no exit");
        return GMS_MODEL_INVALID;
    }
    for (i = 0; i < visits; ++i) {
        if (model->visit[i].is_served) {
            gms_model_set_visit(model, is_guessed, result, i);
        }
    }
    for (i = 0; i < model->stations; ++i) {
        gms_model_at_station_t *at = &result->station[i];

        if (at->rate > 0) {
            at->service =
                at->utilisation * model->station[i].servers / at->rate;
        }
    }
    return GMS_MODEL_OK;
}

static gms_model_status_t gms_model_unstable(const gms_model_t *model,
                                             const gms_model_result_t *result,
                                             char error[GMS_MODEL_ERROR_LEN])
{
    double rate = 0;
    unsigned i;

    for (i = 0; i < model->stations * model->classes; ++i) {
        rate += model->visit[i].rate;
    }
    (void)snprintf(
        error, GMS_MODEL_ERROR_LEN,
        "station '%s' cannot keep up: it saturates at an arrival rate of %.6g "
        "messages per unit of time, but the arrival rate is %.6g",
        model->station[result->bottleneck].name, rate * result->saturation,
        rate);
    return GMS_MODEL_UNSTABLE;
}

/* ---- results from the waits ---- */

static gms_model_status_t gms_model_delays(const gms_model_t *model,
                                           gms_model_result_t *result)
{
    size_t visits = (size_t)model->stations * model->classes, i;
    double *own = malloc(visits * sizeof(*own));
    gms_model_status_t status = GMS_MODEL_NO_MEMORY;

    if (own == NULL) {
        return status;
    }
    for (i = 0; i < visits; ++i) {
        own[i] = result->visit[i].wait + result->visit[i].held +
                 result->visit[i].service;
    }
    if (gms_model_flow(model, 1, NULL, own, result->delay) != 0) {
        status = GMS_MODEL_OK;
    }
    for (i = 0; i < visits; ++i) {
        if (!(model->visit[i].rate > 0)) {
            result->delay[i] = 0;
        }
    }
    free(own);
    return status;
}

static void gms_model_queues(const gms_model_t *model,
                             gms_model_result_t *result)
{
    unsigned i, r;

    for (i = 0; i < model->stations; ++i) {
        gms_model_at_station_t *at = &result->station[i];

        for (r = 0; r < model->classes; ++r) {
            gms_model_at_visit_t *visit =
                &result->visit[(size_t)i * model->classes + r];

            visit->queue = visit->rate * visit->wait;
            at->queue += visit->queue;
        }
        if (at->rate > 0) {
            at->wait = at->queue / at->rate;
            at->number = at->queue + at->rate * at->service;
        }
    }
}

static gms_model_result_t *gms_model_result_create(const gms_model_t *model)
{
    size_t visits = (size_t)model->stations * model->classes;
    gms_model_result_t *result = calloc(1, sizeof(*result));

    if (result == NULL) {
        return NULL;
    }
    result->stations = model->stations;
    result->classes = model->classes;
    result->station = calloc(model->stations, sizeof(*result->station));
    result->visit = calloc(visits, sizeof(*result->visit));
    result->delay = calloc(visits, sizeof(*result->delay));
    if (result->station == NULL || result->visit == NULL ||
        result->delay == NULL) {
        gms_model_result_destroy(result);
        return NULL;
    }
    return result;
}

void gms_model_result_destroy(gms_model_result_t *result)
{
    if (result != NULL) {
        free(result->station);
        free(result->visit);
        free(result->delay);
        free(result);
    }
}

gms_model_status_t gms_model_solve(const gms_model_t *model,
                                   gms_model_method_t method,
                                   gms_model_result_t **result_p,
                                   char error[GMS_MODEL_ERROR_LEN])
{
    int is_guessed = (method == GMS_MODEL_PAPER || method == GMS_MODEL_QNA);
    gms_model_status_t status = gms_model_check(model, error);
    gms_model_result_t *result;

    if (status != GMS_MODEL_OK) {
        return status;
    }
    result = gms_model_result_create(model);
    if (result == NULL) {
        return GMS_MODEL_NO_MEMORY;
    }
    status = gms_model_rates(model, is_guessed, result, error);
    if (status == GMS_MODEL_OK) {
        gms_model_find_saturation(model, is_guessed, result);
        if (!(result->saturation > 1)) {
            status = gms_model_unstable(model, result, error);
        }
    }
    if (status == GMS_MODEL_OK) {
        status = is_guessed ? gms_model_decompose(model, method, result)
                 : (method >= GMS_MODEL_CHAIN)
                     ? gms_model_chain(model, method, result, error)
                     : gms_model_revisit(model, result);
    }
    if (status == GMS_MODEL_OK) {
        gms_model_queues(model, result);
        status = gms_model_delays(model, result);
    }
    if (status != GMS_MODEL_OK) {
        gms_model_result_destroy(result);
        return status;
    }
    *result_p = result;
    return GMS_MODEL_OK;
}
