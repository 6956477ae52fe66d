/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the hints of a file as a request, and writes the answer as hints. */
#include "files.h"
#include "yaml/quantity.h"

#include <stdio.h>
#include <string.h>

#define MPIQOS_PREFIX "mpiqos_"
#define MPIQOS_FILE_KEYS                                                       \
    "mpiqos_write_bandwidth, mpiqos_read_bandwidth, mpiqos_class"
/* Long values are truncated to keep the message readable. */
#define MPIQOS_QUOTED "%.60s"

static void mpiqos_file_bandwidth(mpiqos_file_request_t *request,
                                  const char *key, const char *value,
                                  double *bytes_s_p)
{
    char why[MPIQOS_NO_BANDWIDTH_LEN];
    double bytes_s = -1.0;

    if (mpiqos_quantity_bandwidth(value, &bytes_s) != 0 || bytes_s < 0.0 ||
        bytes_s > MPIQOS_MAX_BANDWIDTH) {
        mpiqos_quantity_no_bandwidth(value, why);
        (void)snprintf(request->wrong, sizeof(request->wrong),
                       "hint %s: '" MPIQOS_QUOTED
                       "' %s; allowed: " MPIQOS_BANDWIDTH_WORDS,
                       key, value, why);
        return;
    }
    *bytes_s_p = bytes_s;
}

/* Return 1 if the key belongs to an answer. The library ignores the keys of
 * answers among a program's hints, because a program may pass the hints of one
 * file to another file. */
static int mpiqos_file_is_answer(const char *key)
{
    static const char *const keys[] = {"mpiqos_state", "mpiqos_criterion",
                                       "mpiqos_place", "mpiqos_left",
                                       "mpiqos_reason"};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); ++i) {
        if (strcmp(key, keys[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

static void mpiqos_file_take(mpiqos_file_request_t *request, const char *key,
                             const char *value, int *releases_p)
{
    if (strcmp(key, "mpiqos_write_bandwidth") == 0) {
        mpiqos_file_bandwidth(request, key, value, &request->write);
    } else if (strcmp(key, "mpiqos_read_bandwidth") == 0) {
        mpiqos_file_bandwidth(request, key, value, &request->read);
    } else if (strcmp(key, "mpiqos_class") != 0) {
        (void)snprintf(request->wrong, sizeof(request->wrong),
                       "hint " MPIQOS_QUOTED
                       " is unknown for a file; allowed: " MPIQOS_FILE_KEYS,
                       key);
    } else if (strcmp(value, "none") == 0) {
        *releases_p = 1;
    } else if (strcmp(value, "premium") != 0) {
        (void)snprintf(request->wrong, sizeof(request->wrong),
                       "hint mpiqos_class: '" MPIQOS_QUOTED
                       "' is unknown for a file; allowed: premium, none",
                       value);
    }
}

int mpiqos_file_hints_read(MPI_Info info, mpiqos_file_request_t *request)
{
    mpiqos_file_request_t draft = *request;
    char value[MPI_MAX_INFO_VAL + 1];
    char key[MPI_MAX_INFO_KEY + 1];
    int releases = 0;
    int asked = 0;
    int count = 0;

    if (info == MPI_INFO_NULL) {
        return 0;
    }
    draft.wrong[0] = '\0';
    (void)PMPI_Info_get_nkeys(info, &count);
    for (int i = 0; i < count && draft.wrong[0] == '\0'; ++i) {
        int found = 0;

        (void)PMPI_Info_get_nthkey(info, i, key);
        if (strncmp(key, MPIQOS_PREFIX, strlen(MPIQOS_PREFIX)) == 0 &&
            !mpiqos_file_is_answer(key)) {
            (void)PMPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
        }
        if (found) {
            mpiqos_file_take(&draft, key, value, &releases);
            asked = 1;
        }
    }
    if (draft.wrong[0] != '\0') {
        /* the earlier request stays in force */
        strcpy(request->wrong, draft.wrong);
        return 1;
    }
    if (releases) {
        draft.write = draft.read = 0.0;
    }
    if (asked) {
        *request = draft;
    }
    return asked;
}

/* The text must be a valid hint, because a program can pass answers as hints to
 * another file. */
static void mpiqos_file_answer(MPI_Info info, const char *key, double bytes_s)
{
    char text[MPIQOS_QUANTITY_LEN];
    char with_unit[MPIQOS_QUANTITY_LEN + 4];

    mpiqos_quantity_print(bytes_s, text);
    (void)snprintf(with_unit, sizeof(with_unit), "%s B/s", text);
    (void)PMPI_Info_set(info, key, with_unit);
}

void mpiqos_file_hints_write(MPI_Info info,
                             const mpiqos_file_request_t *request,
                             const MPIQOS_Flow *answer)
{
    char left[MPIQOS_QUANTITY_LEN];

    mpiqos_file_answer(info, "mpiqos_write_bandwidth", request->write);
    mpiqos_file_answer(info, "mpiqos_read_bandwidth", request->read);
    (void)PMPI_Info_set(
        info, "mpiqos_class",
        (request->write > 0.0 || request->read > 0.0) ? "premium" : "none");
    (void)PMPI_Info_set(info, "mpiqos_state", MPIQOS_State_name(answer->state));
    (void)PMPI_Info_set(info, "mpiqos_criterion",
                        MPIQOS_Criterion_name(answer->criterion));
    /* an info object cannot contain an empty value */
    if (answer->place[0] != '\0') {
        (void)PMPI_Info_set(info, "mpiqos_place", answer->place);
    }
    mpiqos_quantity_print(answer->left, left);
    (void)PMPI_Info_set(info, "mpiqos_left", left);
    (void)PMPI_Info_set(info, "mpiqos_reason", answer->reason);
}
