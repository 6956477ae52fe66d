/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parses the hints of a request into an MPIQOS_Flow, names the first invalid
 * hint in the answer, and writes the answer of a communicator as hints.
 */
#include "hints.h"
#include "errors.h"
#include "flow.h"
#include "yaml/quantity.h"
#include "request.h"

#include <stdio.h>
#include <string.h>

#define MPIQOS_PREFIX "mpiqos_"
#define MPIQOS_REQUEST_KEYS                                                    \
    "mpiqos_bandwidth, mpiqos_peer, mpiqos_class, mpiqos_message_size, "       \
    "mpiqos_burst, mpiqos_delay, mpiqos_jitter"

/* A request that is being built from a program's hints. */
typedef struct mpiqos_draft {
    MPIQOS_Flow flow;
    int has_old; /* 1: flow is initially a copy of the previous request */
    int has_bandwidth;
    int releases;
    char wrong[MPIQOS_REASON_LEN]; /* "" until an invalid hint is found */
} mpiqos_draft_t;

typedef void mpiqos_key_fn(mpiqos_draft_t *draft, const char *value);

/* Long values are truncated to keep the message readable. */
#define MPIQOS_QUOTED "%.60s"

static void mpiqos_hint_bandwidth(mpiqos_draft_t *draft, const char *value)
{
    char why[MPIQOS_NO_BANDWIDTH_LEN];

    draft->has_bandwidth = 1;
    if (mpiqos_quantity_bandwidth(value, &draft->flow.bandwidth) != 0) {
        mpiqos_quantity_no_bandwidth(value, why);
        snprintf(draft->wrong, sizeof(draft->wrong),
                 "hint mpiqos_bandwidth: '" MPIQOS_QUOTED
                 "' %s; allowed: " MPIQOS_BANDWIDTH_WORDS,
                 value, why);
    }
}

static void mpiqos_hint_peer(mpiqos_draft_t *draft, const char *value)
{
    long peer;

    if (strcmp(value, "all") == 0) {
        draft->flow.peer = MPIQOS_ALL_PEERS;
    } else if (mpiqos_quantity_whole(value, &peer) != 0 || peer < 0 ||
               peer != (int)peer) {
        snprintf(draft->wrong, sizeof(draft->wrong),
                 "hint mpiqos_peer: '" MPIQOS_QUOTED
                 "' is not a rank; allowed: a rank of the communicator or "
                 "'all'",
                 value);
    } else {
        draft->flow.peer = (int)peer;
    }
}

static void mpiqos_hint_class(mpiqos_draft_t *draft, const char *value)
{
    if (strcmp(value, "none") == 0) {
        draft->releases = 1;
    } else if (strcmp(value, "premium") == 0) {
        draft->flow.qos_class = MPIQOS_PREMIUM;
    } else if (strcmp(value, "best-effort") == 0) {
        draft->flow.qos_class = MPIQOS_BEST_EFFORT;
    } else {
        snprintf(draft->wrong, sizeof(draft->wrong),
                 "hint mpiqos_class: '" MPIQOS_QUOTED
                 "' is unknown; allowed: premium, best-effort, none",
                 value);
    }
}

static void mpiqos_hint_message_size(mpiqos_draft_t *draft, const char *value)
{
    if (mpiqos_quantity_whole(value, &draft->flow.message_size) != 0) {
        snprintf(draft->wrong, sizeof(draft->wrong),
                 "hint mpiqos_message_size: '" MPIQOS_QUOTED
                 "' is not a whole number; allowed: 1 to 2147483647 bytes",
                 value);
    }
}

static void mpiqos_hint_burst(mpiqos_draft_t *draft, const char *value)
{
    double bytes;

    if (mpiqos_quantity_bytes(value, &bytes) != 0 || bytes < 0.0 ||
        bytes > (double)MPIQOS_MAX_BURST) {
        snprintf(draft->wrong, sizeof(draft->wrong),
                 "hint mpiqos_burst: '" MPIQOS_QUOTED
                 "' is not a valid burst; allowed: " MPIQOS_BYTES_WORDS,
                 value);
        return;
    }
    draft->flow.burst = (long)bytes;
}

/* Parse a delay or a jitter. Negative and out-of-range times are invalid. */
static void mpiqos_hint_time(mpiqos_draft_t *draft, const char *key,
                             const char *value, double *seconds_p)
{
    double seconds = -1.0;

    if (mpiqos_quantity_seconds(value, &seconds) != 0 ||
        !(seconds >= 0.0 && seconds <= MPIQOS_MAX_DELAY)) {
        snprintf(draft->wrong, sizeof(draft->wrong),
                 "hint %s: '" MPIQOS_QUOTED
                 "' is not a valid time; allowed: " MPIQOS_TIME_WORDS,
                 key, value);
        return;
    }
    *seconds_p = seconds;
}

static void mpiqos_hint_delay(mpiqos_draft_t *draft, const char *value)
{
    mpiqos_hint_time(draft, "mpiqos_delay", value, &draft->flow.delay);
}

static void mpiqos_hint_jitter(mpiqos_draft_t *draft, const char *value)
{
    mpiqos_hint_time(draft, "mpiqos_jitter", value, &draft->flow.jitter);
}

/* A key without a function belongs to an answer. */
static const struct {
    const char *key;
    mpiqos_key_fn *read;
} mpiqos_keys[] = {
    {"mpiqos_bandwidth", mpiqos_hint_bandwidth},
    {"mpiqos_peer", mpiqos_hint_peer},
    {"mpiqos_class", mpiqos_hint_class},
    {"mpiqos_message_size", mpiqos_hint_message_size},
    {"mpiqos_burst", mpiqos_hint_burst},
    {"mpiqos_delay", mpiqos_hint_delay},
    {"mpiqos_jitter", mpiqos_hint_jitter},
    {"mpiqos_state", NULL},
    {"mpiqos_granted_bandwidth", NULL},
    {"mpiqos_gm_bandwidth", NULL},
    {"mpiqos_idt_ticks", NULL},
    {"mpiqos_criterion", NULL},
    {"mpiqos_place", NULL},
    {"mpiqos_left", NULL},
    {"mpiqos_reason", NULL},
    {"mpiqos_rules", NULL},
    {"mpiqos_latency", NULL},
    {"mpiqos_delay_bound", NULL},
    {"mpiqos_jitter_bound", NULL},
    {"mpiqos_worst_delay", NULL},
};
/* Prefix of the answer keys that end with a number. */
#define MPIQOS_RULE_KEY "mpiqos_rule_"

/* Read the hint if its key belongs to a request or is unknown. Return 0 if the
 * key belongs to an answer. */
static int mpiqos_hint_take(mpiqos_draft_t *draft, const char *key,
                            const char *value)
{
    for (size_t i = 0; i < sizeof(mpiqos_keys) / sizeof(mpiqos_keys[0]); ++i) {
        if (strcmp(key, mpiqos_keys[i].key) == 0) {
            if (mpiqos_keys[i].read == NULL) {
                return 0;
            }
            mpiqos_keys[i].read(draft, value);
            return 1;
        }
    }
    if (strncmp(key, MPIQOS_RULE_KEY, strlen(MPIQOS_RULE_KEY)) == 0) {
        return 0;
    }
    snprintf(draft->wrong, sizeof(draft->wrong),
             "hint " MPIQOS_QUOTED " is unknown; allowed: " MPIQOS_REQUEST_KEYS,
             key);
    return 1;
}

/* Parse the hints in the order of the info object, up to the first invalid
 * hint. */
static int mpiqos_hints_take(mpiqos_draft_t *draft, MPI_Info info)
{
    char value[MPI_MAX_INFO_VAL + 1];
    char key[MPI_MAX_INFO_KEY + 1];
    int asked = 0;
    int count = 0;

    (void)PMPI_Info_get_nkeys(info, &count);
    for (int i = 0; i < count && draft->wrong[0] == '\0'; ++i) {
        int found = 0;

        (void)PMPI_Info_get_nthkey(info, i, key);
        if (strncmp(key, MPIQOS_PREFIX, strlen(MPIQOS_PREFIX)) == 0) {
            (void)PMPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
        }
        if (found) {
            asked |= mpiqos_hint_take(draft, key, value);
        }
    }
    return asked;
}

static const char *mpiqos_hints_fault(mpiqos_fault_t fault)
{
    static const char *const texts[MPIQOS_FAULT_COUNT] = {
        [MPIQOS_FAULT_PEER_RANGE] =
            "hint mpiqos_peer is not a rank of the communicator; allowed: a "
            "rank (of the remote group, if there is one) or 'all'",
        [MPIQOS_FAULT_PEER_SELF] =
            "hint mpiqos_peer is the calling process itself; allowed: another "
            "rank or 'all'",
        [MPIQOS_FAULT_BANDWIDTH_NEGATIVE] =
            "hint mpiqos_bandwidth is negative; "
            "allowed: " MPIQOS_BANDWIDTH_WORDS,
        [MPIQOS_FAULT_BANDWIDTH_LARGE] = "hint mpiqos_bandwidth is too large; "
                                         "allowed: " MPIQOS_BANDWIDTH_WORDS,
        [MPIQOS_FAULT_MESSAGE_SIZE_SMALL] =
            "hint mpiqos_message_size is below 1; allowed: 1 to 2147483647 "
            "bytes",
        [MPIQOS_FAULT_MESSAGE_SIZE_LARGE] =
            "hint mpiqos_message_size is too large; allowed: 1 to 2147483647 "
            "bytes",
        [MPIQOS_FAULT_BURST] =
            "hint mpiqos_burst is out of range; allowed: " MPIQOS_BYTES_WORDS,
        [MPIQOS_FAULT_DELAY] =
            "hint mpiqos_delay is out of range; allowed: " MPIQOS_TIME_WORDS,
        [MPIQOS_FAULT_JITTER] =
            "hint mpiqos_jitter is out of range; allowed: " MPIQOS_TIME_WORDS,
        [MPIQOS_FAULT_CLASS_BOUND] =
            "hints mpiqos_delay and mpiqos_jitter require class premium; best "
            "effort has no bounds",
    };

    return (texts[fault] != NULL) ? texts[fault] : "";
}

static void mpiqos_hints_check(mpiqos_draft_t *draft, MPI_Comm comm)
{
    int peers;
    int self;

    if (draft->releases) {
        draft->flow.qos_class = MPIQOS_PREMIUM;
        draft->flow.bandwidth = 0.0;
    } else if (!draft->has_old && !draft->has_bandwidth &&
               draft->flow.qos_class == MPIQOS_PREMIUM) {
        snprintf(draft->wrong, sizeof(draft->wrong),
                 "hint mpiqos_bandwidth is missing; "
                 "allowed: " MPIQOS_BANDWIDTH_WORDS);
        return;
    }
    if (mpiqos_peers(comm, &peers, &self) == MPI_SUCCESS) {
        snprintf(
            draft->wrong, sizeof(draft->wrong), "%s",
            mpiqos_hints_fault(mpiqos_flow_check(&draft->flow, peers, self)));
    }
}

void mpiqos_hints_given(MPI_Comm comm, MPI_Info info)
{
    const MPIQOS_Flow start = MPIQOS_FLOW_INIT;
    mpiqos_draft_t draft = {.flow = start};
    mpiqos_request_t request = {.flow = &draft.flow,
                                .origin = MPIQOS_ORIGIN_HINTS};

    draft.has_old =
        mpiqos_request_by_program(comm) && mpiqos_flow_copy(comm, &draft.flow);
    if (!mpiqos_hints_take(&draft, info)) {
        return;
    }
    if (draft.wrong[0] == '\0') {
        mpiqos_hints_check(&draft, comm);
    }
    if (draft.wrong[0] != '\0') {
        request.malformed = draft.wrong;
    }
    (void)mpiqos_request(comm, &request);
}

/* --- answers --------------------------------------------------------------*/

static void mpiqos_answer_number(MPI_Info info, const char *key, double number)
{
    char text[MPIQOS_QUANTITY_LEN];

    mpiqos_quantity_print(number, text);
    (void)PMPI_Info_set(info, key, text);
}

/* A program can pass answers as hints to another communicator, so the string
 * must be a valid hint. */
static void mpiqos_answer_bandwidth(MPI_Info info, const char *key,
                                    double bytes_s)
{
    char text[MPIQOS_QUANTITY_LEN];
    char with_unit[MPIQOS_QUANTITY_LEN + 4];

    mpiqos_quantity_print(bytes_s, text);
    (void)snprintf(with_unit, sizeof(with_unit), "%s B/s", text);
    (void)PMPI_Info_set(info, key, with_unit);
}

static void mpiqos_answer_time(MPI_Info info, const char *key, double seconds)
{
    char text[MPIQOS_QUANTITY_LEN];
    char timed[MPIQOS_QUANTITY_LEN + 2];

    mpiqos_quantity_print(seconds, text);
    (void)snprintf(timed, sizeof(timed), "%s s", text);
    (void)PMPI_Info_set(info, key, timed);
}

/* Write a requested value only if the program has requested it, and a bound
 * only if it is known. */
static void mpiqos_answer_bounds(MPI_Info info, const MPIQOS_Flow *flow)
{
    const struct {
        const char *key;
        double seconds;
    } times[] = {
        {"mpiqos_delay", flow->delay},
        {"mpiqos_jitter", flow->jitter},
        {"mpiqos_latency", flow->latency},
        {"mpiqos_delay_bound", flow->delay_bound},
        {"mpiqos_jitter_bound", flow->jitter_bound},
        {"mpiqos_worst_delay", flow->worst_delay},
    };

    if (flow->burst > 0) {
        mpiqos_answer_number(info, "mpiqos_burst", (double)flow->burst);
    }
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); ++i) {
        if (times[i].seconds > 0.0) {
            mpiqos_answer_time(info, times[i].key, times[i].seconds);
        }
    }
}

static const char *mpiqos_answer_class(const MPIQOS_Flow *flow)
{
    if (flow->qos_class == MPIQOS_BEST_EFFORT) {
        return "best-effort";
    }
    return (flow->bandwidth > 0.0) ? "premium" : "none";
}

static void mpiqos_answer_rules(MPI_Comm comm, MPI_Info info)
{
    const MPIQOS_Flow *rules = NULL;
    unsigned count = mpiqos_flow_rules(comm, &rules);
    char key[MPI_MAX_INFO_KEY];
    char text[MPIQOS_REASON_LEN + 32];

    if (count > 0) {
        mpiqos_answer_number(info, "mpiqos_rules", count);
    }
    for (unsigned i = 0; i < count; ++i) {
        (void)snprintf(key, sizeof(key), MPIQOS_RULE_KEY "%u", i + 1);
        (void)snprintf(text, sizeof(text), "%s: %s",
                       MPIQOS_State_name(rules[i].state), rules[i].reason);
        (void)PMPI_Info_set(info, key, text);
    }
}

void mpiqos_hints_read(MPI_Comm comm, MPI_Info info)
{
    MPIQOS_Flow flow;

    if (!mpiqos_flow_read(comm, &flow)) {
        return;
    }
    mpiqos_answer_bandwidth(info, "mpiqos_bandwidth", flow.bandwidth);
    if (flow.peer == MPIQOS_ALL_PEERS) {
        (void)PMPI_Info_set(info, "mpiqos_peer", "all");
    } else {
        mpiqos_answer_number(info, "mpiqos_peer", flow.peer);
    }
    (void)PMPI_Info_set(info, "mpiqos_class", mpiqos_answer_class(&flow));
    mpiqos_answer_number(info, "mpiqos_message_size",
                         (double)flow.message_size);
    (void)PMPI_Info_set(info, "mpiqos_state", MPIQOS_State_name(flow.state));
    mpiqos_answer_number(info, "mpiqos_granted_bandwidth",
                         flow.granted_bandwidth);
    mpiqos_answer_number(info, "mpiqos_gm_bandwidth", flow.gm_bandwidth);
    mpiqos_answer_number(info, "mpiqos_idt_ticks", flow.idt_ticks);
    (void)PMPI_Info_set(info, "mpiqos_criterion",
                        MPIQOS_Criterion_name(flow.criterion));
    /* an info object cannot contain an empty value */
    if (flow.place[0] != '\0') {
        (void)PMPI_Info_set(info, "mpiqos_place", flow.place);
    }
    mpiqos_answer_number(info, "mpiqos_left", flow.left);
    (void)PMPI_Info_set(info, "mpiqos_reason", flow.reason);
    mpiqos_answer_bounds(info, &flow);
    mpiqos_answer_rules(comm, info);
}
