/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stores the requests for open files, sends them to the device, and composes
 * the answers. The device calls the events while it holds ROMIO's lock, which
 * therefore protects the list.
 */
#include "files.h"
#include "answer.h"
#include "policy.h"
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An open file for which bandwidth is requested. */
typedef struct mpiqos_file {
    const void *file;
    mpiqos_file_request_t request;
    MPIQOS_Flow answer; /* only the answer fields are used */
    mpiqos_file_note_t note;
    struct mpiqos_file *next;
} mpiqos_file_t;

static mpiqos_file_t *mpiqos_files;

static mpiqos_file_t *mpiqos_file_find(const void *file)
{
    mpiqos_file_t *one = mpiqos_files;

    while (one != NULL && one->file != file) {
        one = one->next;
    }
    return one;
}

/* Insert a file without a request. Return NULL if there is not enough memory. */
static mpiqos_file_t *mpiqos_file_insert(const void *file, const char *name)
{
    mpiqos_file_t *one = calloc(1, sizeof(*one));
    const char *slash = strrchr(name, '/');

    if (one != NULL) {
        one->file = file;
        (void)snprintf(one->note.name, sizeof(one->note.name), "file %s",
                       (slash != NULL) ? slash + 1 : name);
        mpiqos_flow_answer(&one->answer, MPIQOS_RELEASED,
                           "nothing is reserved for this file");
        one->next = mpiqos_files;
        mpiqos_files = one;
    }
    return one;
}

/* --- answers --------------------------------------------------------------*/

static void mpiqos_file_granted(mpiqos_file_t *one)
{
    char reason[MPIQOS_REASON_LEN], number[GMS_BANDWIDTH_LEN];
    int length = 0;

    if (one->request.write > 0.0) {
        gms_bandwidth_print(one->request.write / 1e6, number);
        length = snprintf(reason, sizeof(reason), "%s MB/s for writing%s",
                          number, (one->request.read > 0.0) ? ", " : "");
    }
    if (one->request.read > 0.0) {
        gms_bandwidth_print(one->request.read / 1e6, number);
        (void)snprintf(reason + length, sizeof(reason) - (size_t)length,
                       "%s MB/s for reading", number);
    }
    mpiqos_flow_answer(&one->answer, MPIQOS_GRANTED, reason);
}

static void mpiqos_file_denied(mpiqos_file_t *one,
                               const MPIX_GM_File_answer *answer)
{
    const char *criterion = MPIQOS_Criterion_name(answer->criterion);
    const char *way = answer->denied_read ? "reading" : "writing";
    double asked = answer->denied_read ? one->request.read : one->request.write;
    char bandwidth[GMS_BANDWIDTH_LEN], left[GMS_BANDWIDTH_LEN];
    char reason[MPIQOS_REASON_LEN];

    gms_bandwidth_print(asked / 1e6, bandwidth);
    gms_bandwidth_print(gms_bandwidth_left_mb(answer->left), left);
    if (answer->criterion == MPIQOS_CRITERION_SOURCE_NODE ||
        answer->criterion == MPIQOS_CRITERION_LINK ||
        answer->criterion == MPIQOS_CRITERION_DESTINATION_NODE) {
        (void)snprintf(reason, sizeof(reason),
                       "requested %s MB/s for %s, but the %s (%s) has only "
                       "%s MB/s left",
                       bandwidth, way, criterion, answer->place, left);
    } else {
        (void)snprintf(reason, sizeof(reason),
                       "requested %s MB/s for %s, but at most %s MB/s would be "
                       "granted (%s: %s)",
                       bandwidth, way, left, criterion, answer->place);
    }
    mpiqos_flow_answer(&one->answer, MPIQOS_DENIED, reason);
    one->answer.criterion = answer->criterion;
    one->answer.left = answer->left;
    (void)snprintf(one->answer.place, sizeof(one->answer.place), "%s",
                   answer->place);
}

/* Answer a request that can never be granted. @return 0 if the request may be
 * granted */
static int mpiqos_file_unsupported(mpiqos_file_t *one)
{
    const char *why = NULL;

    if (MPIX_GM_File_hosts() == 0) {
        why = "the cluster has no I/O hosts, so file access does not use the "
              "network (section io: of the cluster description)";
    } else if (!MPIX_GM_Keeps_pace()) {
        why = "the cluster's packet scheduler does not pace packets; "
              "reservations need scheduler: rate";
    } else {
        return 0;
    }
    mpiqos_flow_answer(&one->answer, MPIQOS_UNSUPPORTED, why);
    return 1;
}

static void mpiqos_file_ask(mpiqos_file_t *one)
{
    MPIX_GM_File_answer answer;
    int result;

    if (one->request.wrong[0] != '\0') {
        mpiqos_flow_answer(&one->answer, MPIQOS_MALFORMED, one->request.wrong);
    } else if (!mpiqos_file_unsupported(one)) {
        result = MPIX_GM_File_request(one->file, one->request.write,
                                      one->request.read, &answer);
        if (result != MPI_SUCCESS) {
            mpiqos_flow_answer(&one->answer, MPIQOS_UNSUPPORTED,
                               (result == MPI_ERR_NO_MEM)
                                   ? "too many files with reservations are open"
                                   : "no bandwidth manager answers");
        } else if (answer.granted) {
            mpiqos_file_granted(one);
        } else if (one->request.write > 0.0 || one->request.read > 0.0) {
            mpiqos_file_denied(one, &answer);
        } else {
            mpiqos_flow_answer(&one->answer, MPIQOS_RELEASED,
                               "nothing is reserved for this file");
        }
    }
    one->note.write = one->request.write;
    one->note.read = one->request.read;
    mpiqos_report_note_file(&one->note, &one->answer);
}

/* --- events ---------------------------------------------------------------*/

/* Apply the policy's rules for this file, if there are any. */
static void mpiqos_file_apply(const void *file, const char *name)
{
    mpiqos_file_note_t note = {.origin = MPIQOS_ORIGIN_POLICY};
    int any = mpiqos_policy_file(name, 1, &note.write, &note.write_line) +
              mpiqos_policy_file(name, 0, &note.read, &note.read_line);
    mpiqos_file_t *one;

    if (any == 0 || (note.write <= 0.0 && note.read <= 0.0)) {
        return;
    }
    one = mpiqos_file_insert(file, name);
    if (one != NULL) {
        one->note.origin = note.origin;
        one->note.write_line = note.write_line;
        one->note.read_line = note.read_line;
        one->request.write = note.write;
        one->request.read = note.read;
        mpiqos_file_ask(one);
    }
}

static void mpiqos_file_opened(const void *file, const char *name,
                               MPI_Info info)
{
    mpiqos_file_request_t request = {0};
    mpiqos_file_t *one;

    if (!mpiqos_file_hints_read(info, &request)) {
        mpiqos_file_apply(file, name);
        return;
    }
    one = mpiqos_file_insert(file, name);
    if (one != NULL) {
        one->note.origin = MPIQOS_ORIGIN_HINTS;
        one->request = request;
        mpiqos_file_ask(one);
    }
}

static void mpiqos_file_hinted(const void *file, const char *name,
                               MPI_Info info)
{
    mpiqos_file_request_t request = {0};
    mpiqos_file_t *one = mpiqos_file_find(file);

    /* hints replace a request of the policy, but only modify an earlier request
     * that was made with hints */
    if (one != NULL && one->note.origin == MPIQOS_ORIGIN_HINTS) {
        request = one->request;
    }
    if (!mpiqos_file_hints_read(info, &request)) {
        return;
    }
    if (one == NULL) {
        one = mpiqos_file_insert(file, name);
    }
    if (one != NULL) {
        one->note.origin = MPIQOS_ORIGIN_HINTS;
        one->request = request;
        mpiqos_file_ask(one);
    }
}

static void mpiqos_file_answers(const void *file, MPI_Info info)
{
    const mpiqos_file_t *one = mpiqos_file_find(file);

    if (one != NULL) {
        mpiqos_file_hints_write(info, &one->request, &one->answer);
    }
}

static void mpiqos_file_closing(const void *file)
{
    mpiqos_file_t **link = &mpiqos_files;

    while (*link != NULL && (*link)->file != file) {
        link = &(*link)->next;
    }
    if (*link != NULL) {
        mpiqos_file_t *one = *link;

        *link = one->next;
        free(one);
    }
}

const MPIX_GM_File_events mpiqos_file_events = {
    .opened = mpiqos_file_opened,
    .hints = mpiqos_file_hinted,
    .answers = mpiqos_file_answers,
    .closing = mpiqos_file_closing,
};
