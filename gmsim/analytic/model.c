/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Constructs and validates a queueing model with its stations, classes,
 * arrivals, services and routes. The validation detects models that cannot be
 * solved, for example because the probabilities of the arcs of a visit add up
 * to more than 1. The files solve.c and decompose.c implement the solvers, and
 * run.c implements the simulation.
 */
#include "analytic/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GMS_MODEL_VISITS_MAX 4096u
/* Allowed rounding error of a sum of probabilities that should be 1. */
#define GMS_MODEL_SUM_SLACK 1e-9

const char *const gms_model_method_names[GMS_MODEL_METHODS + 1] = {
    "paper", "qna", "revisit", "chain", "chain-fast", NULL};

gms_model_t *gms_model_create(unsigned stations, unsigned classes)
{
    gms_model_t *model;
    unsigned i;

    if (stations == 0 || classes == 0 ||
        stations > GMS_MODEL_VISITS_MAX / classes) {
        return NULL;
    }
    model = calloc(1, sizeof(*model));
    if (model == NULL) {
        return NULL;
    }
    model->stations = stations;
    model->classes = classes;
    model->station = calloc(stations, sizeof(*model->station));
    model->class_name = calloc(classes, sizeof(*model->class_name));
    model->visit = calloc((size_t)stations * classes, sizeof(*model->visit));
    if (model->station == NULL || model->class_name == NULL ||
        model->visit == NULL) {
        gms_model_destroy(model);
        return NULL;
    }
    for (i = 0; i < stations; ++i) {
        model->station[i].servers = 1;
        model->station[i].limit = 1;
        (void)snprintf(model->station[i].name, GMS_MODEL_NAME_LEN, "station%u",
                       i + 1);
    }
    for (i = 0; i < classes; ++i) {
        (void)snprintf(model->class_name[i], GMS_MODEL_NAME_LEN, "class%u",
                       i + 1);
    }
    for (i = 0; i < stations * classes; ++i) {
        model->visit[i].checks = GMS_MODEL_NONE;
        model->visit[i].rate_scv = 1.0;
        model->visit[i].guess = 1.0;
    }
    return model;
}

void gms_model_destroy(gms_model_t *model)
{
    if (model != NULL) {
        free(model->station);
        free(model->class_name);
        free(model->visit);
        free(model->arc);
        free(model);
    }
}

gms_model_t *gms_model_copy(const gms_model_t *model)
{
    gms_model_t *copy = gms_model_create(model->stations, model->classes);

    if (copy == NULL) {
        return NULL;
    }
    memcpy(copy->station, model->station,
           model->stations * sizeof(*copy->station));
    memcpy(copy->class_name, model->class_name,
           model->classes * sizeof(*copy->class_name));
    memcpy(copy->visit, model->visit,
           (size_t)model->stations * model->classes * sizeof(*copy->visit));
    if (model->arcs > 0) {
        copy->arc = malloc(model->arcs * sizeof(*copy->arc));
        if (copy->arc == NULL) {
            gms_model_destroy(copy);
            return NULL;
        }
        memcpy(copy->arc, model->arc, model->arcs * sizeof(*copy->arc));
        copy->arcs = copy->arc_room = model->arcs;
    }
    return copy;
}

gms_model_visit_t *gms_model_at(gms_model_t *model, unsigned station,
                                unsigned class_index)
{
    return &model->visit[(size_t)station * model->classes + class_index];
}

void gms_model_serve(gms_model_t *model, unsigned station, unsigned class_index,
                     double mean, double scv)
{
    gms_model_visit_t *visit = gms_model_at(model, station, class_index);

    visit->is_served = 1;
    visit->mean = mean;
    visit->scv = scv;
}

gms_model_status_t gms_model_route(gms_model_t *model, unsigned from_station,
                                   unsigned from_class, unsigned to_station,
                                   unsigned to_class, double probability)
{
    if (model->arcs == model->arc_room) {
        size_t room = 2 * model->arc_room + 8;
        gms_model_arc_t *arc = realloc(model->arc, room * sizeof(*arc));

        if (arc == NULL) {
            return GMS_MODEL_NO_MEMORY;
        }
        model->arc = arc;
        model->arc_room = room;
    }
    model->arc[model->arcs].from = from_station * model->classes + from_class;
    model->arc[model->arcs].to = to_station * model->classes + to_class;
    model->arc[model->arcs++].probability = probability;
    return GMS_MODEL_OK;
}

int gms_model_find_station(const gms_model_t *model, const char *name)
{
    unsigned i;

    for (i = 0; i < model->stations; ++i) {
        if (strcmp(model->station[i].name, name) == 0) {
            return (int)i;
        }
    }
    return GMS_MODEL_NONE;
}

int gms_model_find_class(const gms_model_t *model, const char *name)
{
    unsigned i;

    for (i = 0; i < model->classes; ++i) {
        if (strcmp(model->class_name[i], name) == 0) {
            return (int)i;
        }
    }
    return GMS_MODEL_NONE;
}

/* ---- validation ---- */

static gms_model_status_t gms_model_wrong(const gms_model_t *model,
                                          unsigned visit, const char *what,
                                          char error[GMS_MODEL_ERROR_LEN])
{
    (void)snprintf(error, GMS_MODEL_ERROR_LEN, "station '%s', class '%s': %s",
                   model->station[visit / model->classes].name,
                   model->class_name[visit % model->classes], what);
    return GMS_MODEL_INVALID;
}

static int gms_model_is_below(double value, double bound)
{
    return !(isfinite(value) && value >= bound);
}

static gms_model_status_t gms_model_check_visit(const gms_model_t *model,
                                                unsigned i,
                                                char error[GMS_MODEL_ERROR_LEN])
{
    const gms_model_visit_t *visit = &model->visit[i];
    int checks = visit->checks;

    if (gms_model_is_below(visit->rate, 0) ||
        gms_model_is_below(visit->rate_scv, 0)) {
        return gms_model_wrong(
            model, i, "the rate and the SCV of arrivals must be at least 0",
            error);
    }
    if (!visit->is_served) {
        return (visit->rate > 0)
                   ? gms_model_wrong(model, i,
                                     "messages of this class arrive, but the "
                                     "station does not serve the class",
                                     error)
                   : GMS_MODEL_OK;
    }
    if (gms_model_is_below(visit->mean, 0) || !(visit->mean > 0) ||
        gms_model_is_below(visit->scv, 0)) {
        return gms_model_wrong(
            model, i,
            "a service time must have a mean above 0 and an SCV of at least 0",
            error);
    }
    if (gms_model_is_below(visit->guess, 0) || visit->guess > 1) {
        return gms_model_wrong(
            model, i, "'guess' must be a probability between 0 and 1", error);
    }
    if (checks != GMS_MODEL_NONE &&
        (checks < 0 || (unsigned)checks >= model->stations ||
         (unsigned)checks == i / model->classes)) {
        return gms_model_wrong(model, i,
                               "'checks' must name another station of this "
                               "network",
                               error);
    }
    return GMS_MODEL_OK;
}

static gms_model_status_t gms_model_check_arcs(const gms_model_t *model,
                                               unsigned from,
                                               char error[GMS_MODEL_ERROR_LEN])
{
    unsigned visits = model->stations * model->classes;
    int checks = model->visit[from].checks;
    double sum = 0;
    size_t i;

    for (i = 0; i < model->arcs; ++i) {
        const gms_model_arc_t *arc = &model->arc[i];

        if (arc->from != from) {
            continue;
        }
        if (!(arc->probability > 0) || arc->probability > 1) {
            return gms_model_wrong(
                model, from,
                "a route's probability must be above 0 and at most 1", error);
        }
        if (!model->visit[from].is_served || arc->to >= visits ||
            !model->visit[arc->to].is_served) {
            return gms_model_wrong(model, from,
                                   "a route begins or ends at a station that "
                                   "does not serve the class",
                                   error);
        }
        if (checks != GMS_MODEL_NONE &&
            arc->to / model->classes != (unsigned)checks) {
            return gms_model_wrong(model, from,
                                   "the service checks a station, but one of "
                                   "its routes leads to another station",
                                   error);
        }
        sum += arc->probability;
    }
    return (sum > 1 + GMS_MODEL_SUM_SLACK)
               ? gms_model_wrong(model, from,
                                 "the probabilities of the outgoing routes add "
                                 "up to more than 1",
                                 error)
               : GMS_MODEL_OK;
}

gms_model_status_t gms_model_check(const gms_model_t *model,
                                   char error[GMS_MODEL_ERROR_LEN])
{
    unsigned visits = model->stations * model->classes, i;
    double rate = 0;

    for (i = 0; i < model->stations; ++i) {
        const gms_model_station_t *station = &model->station[i];

        if (station->servers == 0 || station->limit == 0) {
            (void)snprintf(error, GMS_MODEL_ERROR_LEN,
                           "station '%s': servers and limit must be at least 1",
                           station->name);
            return GMS_MODEL_INVALID;
        }
    }
    for (i = 0; i < model->arcs; ++i) {
        if (model->arc[i].from >= visits) {
            (void)snprintf(error, GMS_MODEL_ERROR_LEN,
                           "a route begins at a visit that does not exist");
            return GMS_MODEL_INVALID;
        }
    }
    for (i = 0; i < visits; ++i) {
        gms_model_status_t status = gms_model_check_visit(model, i, error);

        if (status == GMS_MODEL_OK) {
            status = gms_model_check_arcs(model, i, error);
        }
        if (status != GMS_MODEL_OK) {
            return status;
        }
        rate += model->visit[i].rate;
    }
    if (!(rate > 0)) {
        (void)snprintf(error, GMS_MODEL_ERROR_LEN,
                       "no messages arrive; at least one rate must be above 0");
        return GMS_MODEL_INVALID;
    }
    return GMS_MODEL_OK;
}
