/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creates the two NIC models of Cherukuri et al. as queueing networks: a NIC
 * that only sends, and a NIC that sends and receives. The service times are
 * those of the paper's table 2. The caller sets the arrival rates.
 */
#include "analytic/nic.h"

#include <string.h>

/* Service times in microseconds, from table 2 of the paper. */
#define GMS_NIC_DOORBELL_LANAI   22.0
#define GMS_NIC_DESCRIPTOR_LANAI 0.12
#define GMS_NIC_PROGRAM          10.0
#define GMS_NIC_FETCH_DESCRIPTOR 21.0
#define GMS_NIC_FETCH_DATA       68.3154
#define GMS_NIC_SEND_DATA        52.6887
/* Probability that data are available, from section 3.1 of the paper. */
#define GMS_NIC_GUESS 0.5

static const char *const gms_nic_stations[] = {"lanai", "hdma", "nsdma",
                                               "nrdma"};
static const char *const gms_nic_classes[] = {
    "doorbell",           "descriptor",     "data",        "receive doorbell",
    "receive descriptor", "receive packet", "receive data"};

static gms_model_t *gms_nic_create(unsigned stations, unsigned classes)
{
    gms_model_t *model = gms_model_create(stations, classes);
    unsigned i;

    if (model == NULL) {
        return NULL;
    }
    for (i = 0; i < stations; ++i) {
        strcpy(model->station[i].name, gms_nic_stations[i]);
    }
    for (i = 0; i < classes; ++i) {
        strcpy(model->class_name[i], gms_nic_classes[i]);
    }
    return model;
}

typedef struct gms_nic_hop {
    unsigned from_station, from_class, to_station, to_class;
} gms_nic_hop_t;

static int gms_nic_connect(gms_model_t *model, const gms_nic_hop_t *hops,
                           size_t count)
{
    size_t i;

    for (i = 0; i < count; ++i) {
        if (gms_model_route(model, hops[i].from_station, hops[i].from_class,
                            hops[i].to_station, hops[i].to_class,
                            1.0) != GMS_MODEL_OK) {
            return 0;
        }
    }
    return 1;
}

static const gms_nic_hop_t gms_nic_send_hops[] = {
    {GMS_MODEL_LANAI, GMS_MODEL_DOORBELL, GMS_MODEL_HDMA, GMS_MODEL_DOORBELL},
    {GMS_MODEL_HDMA, GMS_MODEL_DOORBELL, GMS_MODEL_LANAI, GMS_MODEL_DESCRIPTOR},
    {GMS_MODEL_LANAI, GMS_MODEL_DESCRIPTOR, GMS_MODEL_HDMA,
     GMS_MODEL_DESCRIPTOR},
    {GMS_MODEL_HDMA, GMS_MODEL_DESCRIPTOR, GMS_MODEL_LANAI, GMS_MODEL_DATA},
    {GMS_MODEL_LANAI, GMS_MODEL_DATA, GMS_MODEL_NSDMA, GMS_MODEL_DATA},
};

static const gms_nic_hop_t gms_nic_receive_hops[] = {
    {GMS_MODEL_LANAI, GMS_MODEL_RECV_DOORBELL, GMS_MODEL_HDMA,
     GMS_MODEL_RECV_DOORBELL},
    {GMS_MODEL_HDMA, GMS_MODEL_RECV_DOORBELL, GMS_MODEL_LANAI,
     GMS_MODEL_RECV_DESCRIPTOR},
    {GMS_MODEL_LANAI, GMS_MODEL_RECV_PACKET, GMS_MODEL_NRDMA,
     GMS_MODEL_RECV_PACKET},
    {GMS_MODEL_NRDMA, GMS_MODEL_RECV_PACKET, GMS_MODEL_LANAI,
     GMS_MODEL_RECV_DATA},
    {GMS_MODEL_LANAI, GMS_MODEL_RECV_DATA, GMS_MODEL_HDMA, GMS_MODEL_RECV_DATA},
};

static void gms_nic_send_half(gms_model_t *model, double rate)
{
    gms_model_visit_t *data;

    gms_model_serve(model, GMS_MODEL_LANAI, GMS_MODEL_DOORBELL,
                    GMS_NIC_DOORBELL_LANAI, 0);
    gms_model_serve(model, GMS_MODEL_LANAI, GMS_MODEL_DESCRIPTOR,
                    GMS_NIC_DESCRIPTOR_LANAI, 0);
    gms_model_serve(model, GMS_MODEL_LANAI, GMS_MODEL_DATA, GMS_NIC_PROGRAM, 0);
    gms_model_serve(model, GMS_MODEL_HDMA, GMS_MODEL_DOORBELL,
                    GMS_NIC_FETCH_DESCRIPTOR, 0);
    gms_model_serve(model, GMS_MODEL_HDMA, GMS_MODEL_DESCRIPTOR,
                    GMS_NIC_FETCH_DATA, 0);
    gms_model_serve(model, GMS_MODEL_NSDMA, GMS_MODEL_DATA, GMS_NIC_SEND_DATA,
                    0);
    data = gms_model_at(model, GMS_MODEL_LANAI, GMS_MODEL_DATA);
    data->checks = GMS_MODEL_NSDMA;
    data->guess = GMS_NIC_GUESS;
    gms_model_at(model, GMS_MODEL_LANAI, GMS_MODEL_DOORBELL)->rate = rate;
}

gms_model_t *gms_model_nic(double rate)
{
    gms_model_t *model = gms_nic_create(3, 3);

    if (model == NULL) {
        return NULL;
    }
    gms_nic_send_half(model, rate);
    if (!gms_nic_connect(model, gms_nic_send_hops,
                         sizeof(gms_nic_send_hops) / sizeof(gms_nic_hop_t))) {
        gms_model_destroy(model);
        return NULL;
    }
    return model;
}

gms_model_t *gms_model_nic_both(double send_rate, double receive_rate)
{
    gms_model_t *model = gms_nic_create(4, 7);

    if (model == NULL) {
        return NULL;
    }
    gms_nic_send_half(model, send_rate);
    gms_model_serve(model, GMS_MODEL_LANAI, GMS_MODEL_RECV_DOORBELL,
                    GMS_NIC_DOORBELL_LANAI, 0);
    gms_model_serve(model, GMS_MODEL_HDMA, GMS_MODEL_RECV_DOORBELL,
                    GMS_NIC_FETCH_DESCRIPTOR, 0);
    gms_model_serve(model, GMS_MODEL_LANAI, GMS_MODEL_RECV_DESCRIPTOR,
                    GMS_NIC_DESCRIPTOR_LANAI, 0);
    gms_model_serve(model, GMS_MODEL_LANAI, GMS_MODEL_RECV_PACKET,
                    GMS_NIC_PROGRAM, 0);
    gms_model_serve(model, GMS_MODEL_NRDMA, GMS_MODEL_RECV_PACKET,
                    GMS_NIC_SEND_DATA, 0);
    gms_model_serve(model, GMS_MODEL_LANAI, GMS_MODEL_RECV_DATA,
                    GMS_NIC_DESCRIPTOR_LANAI, 0);
    gms_model_serve(model, GMS_MODEL_HDMA, GMS_MODEL_RECV_DATA,
                    GMS_NIC_FETCH_DATA, 0);
    gms_model_at(model, GMS_MODEL_LANAI, GMS_MODEL_RECV_PACKET)->checks =
        GMS_MODEL_NRDMA;
    gms_model_at(model, GMS_MODEL_LANAI, GMS_MODEL_RECV_PACKET)->guess =
        GMS_NIC_GUESS;
    gms_model_at(model, GMS_MODEL_LANAI, GMS_MODEL_RECV_DOORBELL)->rate =
        receive_rate;
    gms_model_at(model, GMS_MODEL_LANAI, GMS_MODEL_RECV_PACKET)->rate =
        receive_rate;
    if (!gms_nic_connect(model, gms_nic_send_hops,
                         sizeof(gms_nic_send_hops) / sizeof(gms_nic_hop_t)) ||
        !gms_nic_connect(model, gms_nic_receive_hops,
                         sizeof(gms_nic_receive_hops) /
                             sizeof(gms_nic_hop_t))) {
        gms_model_destroy(model);
        return NULL;
    }
    return model;
}
