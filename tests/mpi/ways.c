/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ways WAY: rank 0 of three ranks makes the same requests with one of three
 * methods (attribute, hints or policy), and prints the answers that
 * MPI_Comm_get_info() returns. The output must not depend on the method. With
 * the policy method, the program itself makes no request, because the policy
 * selects communicators by name.
 */
#include "check.h"

#include <string.h>

typedef struct request {
    const char *peer, *bandwidth, *class, *message_size;
} request_t;

static const request_t requests[] = {
    {"1", "10 MB/s", "premium", "65536"},
    {"1", "70 MB/s", "premium", "65536"}, /* this is more than the receiver can
                                           * handle */
    {"2", "40 MB/s", "premium", "65536"}, /* rank 0 has already reserved 40
                                             MB/s */
    {"all", "5e6 B/s", "premium", "65536"},
    {"all", "40 MB/s", "premium", "65536"},
    {"2", "12.5 MB/s", "premium", "4096"},
    {"2", "0", "best-effort", "4096"},
};

static const char *const keys[] = {
    "mpiqos_peer",         "mpiqos_bandwidth", "mpiqos_class",
    "mpiqos_message_size", "mpiqos_state",     "mpiqos_granted_bandwidth",
    "mpiqos_gm_bandwidth", "mpiqos_idt_ticks", "mpiqos_criterion",
    "mpiqos_place",        "mpiqos_left",      "mpiqos_reason",
};

static const char *get(MPI_Info info, const char *key)
{
    static char value[MPI_MAX_INFO_VAL + 1];
    int found;

    MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
    return found ? value : "";
}

static MPI_Info to_info(const request_t *request)
{
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "mpiqos_peer", request->peer);
    MPI_Info_set(info, "mpiqos_bandwidth", request->bandwidth);
    MPI_Info_set(info, "mpiqos_class", request->class);
    MPI_Info_set(info, "mpiqos_message_size", request->message_size);
    return info;
}

static void by_attribute(MPI_Comm comm, const request_t *request)
{
    MPIQOS_Flow flow = MPIQOS_FLOW_INIT;

    flow.peer = (strcmp(request->peer, "all") == 0) ? MPIQOS_ALL_PEERS
                                                    : atoi(request->peer);
    flow.bandwidth = atof(request->bandwidth) *
                     ((strstr(request->bandwidth, "MB") != NULL) ? MB : 1);
    flow.qos_class = (strcmp(request->class, "best-effort") == 0)
                         ? MPIQOS_BEST_EFFORT
                         : MPIQOS_PREMIUM;
    flow.message_size = atol(request->message_size);
    MPI_Comm_set_attr(comm, MPIQOS_FLOW, &flow);
}

/* Check that the info object and the struct contain the same values. */
static void check_struct(MPI_Comm comm, MPI_Info info)
{
    MPIQOS_Flow *flow;
    int found;

    MPI_Comm_get_attr(comm, MPIQOS_FLOW, &flow, &found);
    CHECK(found, "the hints set no attribute");
    if (found) {
        CHECK(strcmp(get(info, "mpiqos_reason"), flow->reason) == 0,
              "'%s', '%s'", get(info, "mpiqos_reason"), flow->reason);
        CHECK(strcmp(get(info, "mpiqos_state"),
                     MPIQOS_State_name(flow->state)) == 0,
              "%d", flow->state);
        CHECK(atof(get(info, "mpiqos_left")) - flow->left < 1, "%g",
              flow->left);
        CHECK(atoi(get(info, "mpiqos_idt_ticks")) == (int)flow->idt_ticks, "%u",
              flow->idt_ticks);
    }
}

static void print(size_t n, MPI_Info info)
{
    if (check_rank != 0) {
        return;
    }
    printf("request %zu\n", n);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); ++i) {
        printf("  %s: %s\n", keys[i], get(info, keys[i]));
    }
}

/*
 * Only rank 0 sets hints, because each rank may request bandwidth
 * independently.
 */
static void ask_comm(const char *way, size_t n)
{
    MPI_Info hints = (check_rank == 0) ? to_info(&requests[n]) : MPI_INFO_NULL;
    MPI_Info answer;
    MPI_Request request;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Comm comm;

    if (strcmp(way, "dup") == 0) {
        MPI_Comm_dup_with_info(MPI_COMM_WORLD, hints, &comm);
    } else if (strcmp(way, "idup") == 0) {
        MPI_Comm_idup_with_info(MPI_COMM_WORLD, hints, &comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    }
    snprintf(name, sizeof(name), "ask-%zu", n);
    MPI_Comm_set_name(comm, name);
    if (check_rank == 0 && strcmp(way, "attribute") == 0) {
        by_attribute(comm, &requests[n]);
    } else if (check_rank == 0 && strcmp(way, "hints") == 0) {
        MPI_Comm_set_info(comm, hints);
    }
    MPI_Comm_get_info(comm, &answer);
    if (check_rank == 0) {
        check_struct(comm, answer);
    }
    print(n, answer);
    MPI_Info_free(&answer);
    if (hints != MPI_INFO_NULL) {
        MPI_Info_free(&hints);
    }
    MPI_Comm_free(&comm);
}

static void ask_window(const char *way, size_t n)
{
    int at_once = (strcmp(way, "window") == 0);
    MPI_Info hints = to_info(&requests[n]);
    MPI_Info empty;
    MPI_Info answer;
    MPI_Win win;
    int word;

    MPI_Info_create(&empty);
    MPI_Win_create(&word, sizeof(word), 1,
                   (at_once && check_rank == 0) ? hints : empty, MPI_COMM_WORLD,
                   &win);
    if (!at_once) {
        MPI_Win_set_info(win, (check_rank == 0) ? hints : empty);
    }
    MPI_Win_get_info(win, &answer);
    print(n, answer);
    MPI_Info_free(&answer);
    MPI_Info_free(&hints);
    MPI_Info_free(&empty);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    const char *way = (argc > 1) ? argv[1] : "attribute";
    MPI_Comm base;

    check_start(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &base);
    if (check_rank == 0) {
        CHECK(ask(base, 1, 40 * MB)->state == MPIQOS_GRANTED, "base");
    }
    for (size_t n = 0; n < sizeof(requests) / sizeof(requests[0]); ++n) {
        if (strncmp(way, "window", 6) == 0) {
            ask_window(way, n);
        } else {
            ask_comm(way, n);
        }
    }
    MPI_Comm_free(&base);
    return check_end();
}
