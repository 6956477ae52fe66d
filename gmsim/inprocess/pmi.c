/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the commands of PMI that a job without spawned processes needs.
 * Every other command is answered with an error.
 */
#define _GNU_SOURCE
#include "inprocess/pmi.h"

#include <errno.h>
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "inprocess/coroutine.h"

#define GMI_KEY_MAX   64
#define GMI_VALUE_MAX 1024
#define GMI_TABLE     "gmqos"

/* Stored values, each of which is one string KEY=VALUE. */
static void *gmi_values; /* tree of char * */

static int gmi_compare_values(const void *left, const void *right)
{
    const char *first = left, *second = right;
    size_t length = strcspn(first, "=");
    size_t other = strcspn(second, "=");
    int order = strncmp(first, second, length < other ? length : other);

    return order != 0 ? order : (length > other) - (length < other);
}

/* ---- commands ------------------------------------------------------------ */

static void __attribute__((format(printf, 2, 3)))
gmi_pmi_answer(gmi_rank_t *rank, const char *format, ...)
{
    char text[GMI_LINE_LEN];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (length > 0 && write(rank->server, text, (size_t)length) != length) {
        fprintf(stderr, "mpirun: cannot answer rank %u: %s\n", rank->rank,
                strerror(errno));
    }
    ++rank->answers;
    gmi_coroutine_wake(&rank->answers);
}

/* Copy the value of a word KEY=VALUE of a command. In commands of MPICH, the
 * key "value" is the last key of the line, and its value contains no blank. */
static int gmi_pmi_word(const char *line, const char *key, char *value,
                        size_t room)
{
    size_t length = strlen(key);
    const char *at = line;

    while ((at = strstr(at, key)) != NULL) {
        if ((at == line || at[-1] == ' ') && at[length] == '=') {
            size_t count = strcspn(at + length + 1, " \n");

            if (count >= room) {
                return -1;
            }
            memcpy(value, at + length + 1, count);
            value[count] = '\0';
            return 0;
        }
        at += length;
    }
    return -1;
}

static void gmi_pmi_put(gmi_rank_t *rank, const char *line)
{
    char key[GMI_KEY_MAX], value[GMI_VALUE_MAX];
    char *stored = NULL;
    char **found;

    if (gmi_pmi_word(line, "key", key, sizeof(key)) != 0 ||
        gmi_pmi_word(line, "value", value, sizeof(value)) != 0 ||
        asprintf(&stored, "%s=%s", key, value) < 0 ||
        (found = tsearch(stored, &gmi_values, gmi_compare_values)) == NULL) {
        free(stored);
        gmi_pmi_answer(rank, "cmd=put_result rc=-1 msg=invalid_or_no_memory\n");
        return;
    }
    if (*found != stored) {
        free(stored);
        gmi_pmi_answer(rank, "cmd=put_result rc=-1 msg=duplicate_key\n");
        return;
    }
    gmi_pmi_answer(rank, "cmd=put_result rc=0 msg=success\n");
}

static void gmi_pmi_get(gmi_rank_t *rank, const char *line)
{
    char key[GMI_KEY_MAX];
    char **found = NULL;

    if (gmi_pmi_word(line, "key", key, sizeof(key)) == 0) {
        if (strcmp(key, "PMI_process_mapping") == 0) {
            gmi_pmi_answer(
                rank,
                "cmd=get_result rc=0 msg=success value=(vector,(0,1,%u))\n",
                gmi_size);
            return;
        }
        found = tfind(key, &gmi_values, gmi_compare_values);
    }
    if (found == NULL) {
        gmi_pmi_answer(
            rank, "cmd=get_result rc=-1 msg=key_not_found value=unknown\n");
    } else {
        gmi_pmi_answer(rank, "cmd=get_result rc=0 msg=success value=%s\n",
                       strchr(*found, '=') + 1);
    }
}

static void gmi_pmi_barrier(gmi_rank_t *rank)
{
    unsigned i;

    rank->is_in_barrier = 1;
    for (i = 0; i < gmi_size; ++i) {
        if (!gmi_ranks[i].is_in_barrier) {
            return;
        }
    }
    for (i = 0; i < gmi_size; ++i) {
        gmi_ranks[i].is_in_barrier = 0;
        gmi_pmi_answer(&gmi_ranks[i], "cmd=barrier_out\n");
    }
}

static void gmi_pmi_abort(const char *line)
{
    char code[32] = "1";

    (void)gmi_pmi_word(line, "exitcode", code, sizeof(code));
    gmi_end_all(atoi(code) & 255);
}

static void gmi_pmi_command(gmi_rank_t *rank, const char *line)
{
    char name[GMI_KEY_MAX] = "";

    if (strncmp(line, "mcmd=", 5) == 0) {
        return; /* the first line of a spawn command; the last line is endcmd */
    }
    (void)gmi_pmi_word(line, "cmd", name, sizeof(name));
    if (strcmp(name, "init") == 0) {
        rank->uses_mpi = 1;
        gmi_pmi_answer(
            rank, "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n");
    } else if (strcmp(name, "get_maxes") == 0) {
        gmi_pmi_answer(rank,
                       "cmd=maxes kvsname_max=64 keylen_max=%d vallen_max=%d\n",
                       GMI_KEY_MAX, GMI_VALUE_MAX);
    } else if (strcmp(name, "get_appnum") == 0) {
        gmi_pmi_answer(rank, "cmd=appnum appnum=0\n");
    } else if (strcmp(name, "get_my_kvsname") == 0) {
        gmi_pmi_answer(rank, "cmd=my_kvsname kvsname=" GMI_TABLE "\n");
    } else if (strcmp(name, "get_universe_size") == 0) {
        gmi_pmi_answer(rank, "cmd=universe_size size=%u\n", gmi_size);
    } else if (strcmp(name, "put") == 0) {
        gmi_pmi_put(rank, line);
    } else if (strcmp(name, "get") == 0) {
        gmi_pmi_get(rank, line);
    } else if (strcmp(name, "barrier_in") == 0) {
        gmi_pmi_barrier(rank);
    } else if (strcmp(name, "finalize") == 0) {
        rank->uses_mpi = 0;
        rank->is_finalized = 1;
        gmi_pmi_answer(rank, "cmd=finalize_ack\n");
    } else if (strcmp(name, "abort") == 0) {
        gmi_pmi_abort(line);
    } else if (strcmp(line, "endcmd") == 0) {
        gmi_pmi_answer(
            rank, "cmd=spawn_result rc=-1 msg=not_possible_in_one_process\n");
    } else if (name[0] != '\0') {
        gmi_pmi_answer(rank,
                       "cmd=%s_result rc=-1 msg=not_possible_in_one_process\n",
                       name);
    }
}

/* ---- the connection ------------------------------------------------------ */

int gmi_pmi_connect(gmi_rank_t *rank)
{
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return -1;
    }
    rank->client = ends[0];
    rank->server = ends[1];
    return 0;
}

void gmi_pmi_serve(gmi_rank_t *rank)
{
    ssize_t count;

    while ((count = recv(rank->server, rank->line + rank->line_bytes,
                         sizeof(rank->line) - rank->line_bytes - 1,
                         MSG_DONTWAIT)) > 0) {
        char *end;

        rank->line_bytes += (unsigned)count;
        rank->line[rank->line_bytes] = '\0';
        while ((end = strchr(rank->line, '\n')) != NULL) {
            *end = '\0';
            gmi_pmi_command(rank, rank->line);
            rank->line_bytes -= (unsigned)(end + 1 - rank->line);
            memmove(rank->line, end + 1, rank->line_bytes + 1);
        }
        if (rank->line_bytes + 1 == sizeof(rank->line)) {
            rank->line_bytes = 0; /* longer than any command of MPICH */
        }
    }
}
