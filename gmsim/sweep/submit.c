/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes the scripts and lists of points, quotes every word for the shell or
 * for Slurm, and rejects directory names that Slurm cannot handle. This file
 * submits nothing. `gmsim sweep` (tool/sweep.c) submits the scripts.
 */
#define _GNU_SOURCE
#include "sweep/submit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/printable.h"
#include "sweep/text.h"

/* ---- lists of points ---- */

char *gms_sweep_points_text(const uint64_t *runs, uint64_t count)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    uint64_t i, last;

    if (out == NULL) {
        return NULL;
    }
    for (i = 0; i < count; i = last + 1) {
        last = i;
        while (last + 1 < count && runs[last + 1] == runs[last] + 1) {
            ++last;
        }
        fprintf(out, "%s%" PRIu64, (i > 0) ? "," : "", runs[i] + 1);
        if (last > i) {
            fprintf(out, "-%" PRIu64, runs[last] + 1);
        }
    }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/** Parses a number in the range 1..all.
 *  @return the text after the number, or NULL if there is no valid number */
static const char *gms_sweep_point(const char *text, uint64_t all,
                                   uint64_t *point_p)
{
    char *end;

    if (text[0] < '0' || text[0] > '9') {
        return NULL;
    }
    *point_p = strtoull(text, &end, 10);
    return (*point_p >= 1 && *point_p <= all) ? end : NULL;
}

gms_status_t gms_sweep_points_parse(const char *text, uint64_t all,
                                    uint64_t **runs_p, uint64_t *count_p)
{
    uint64_t *runs = calloc(all + 1, sizeof(*runs));
    uint64_t count = 0, first = 0, last;

    if (runs == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    do {
        text = gms_sweep_point(text, all, &first);
        last = first;
        if (text != NULL && *text == '-') {
            text = gms_sweep_point(text + 1, all, &last);
        }
        /* The function rejects a list with more points than the sweep, because
         * such a list contains a point twice. */
        if (text == NULL || last < first || last - first >= all - count ||
            (*text != '\0' && *text != ',')) {
            free(runs);
            return GMS_ERR_INVALID_PARAM;
        }
        for (; first <= last; ++first) {
            runs[count++] = first - 1;
        }
    } while (*text++ == ',');
    *runs_p = runs;
    *count_p = count;
    return GMS_OK;
}

/* ---- scripts ---- */

/** Writes the assignment NAME='VALUE' for an environment variable that the
 *  commands need on every machine. */
static void gms_sweep_put_variable(FILE *out, const char *name)
{
    const char *value = getenv(name);
    char *quoted = (value != NULL) ? gms_sweep_quote(value) : NULL;

    if (quoted != NULL) {
        fprintf(out, "export %s=%s\n", name, quoted);
    }
    free(quoted);
}

static void gms_sweep_put_word(FILE *out, const char *text)
{
    char *quoted = gms_sweep_quote(text);

    fputs((quoted != NULL) ? quoted : "", out);
    free(quoted);
}

/** Writes a string in Slurm's quotes. Only Slurm reads these lines. Characters
 *  that are special for Slurm or that end the line are replaced by '_'. */
static void gms_sweep_put_slurm_name(FILE *out, const char *text)
{
    for (; *text != '\0'; ++text) {
        fputc((unsigned char)*text < ' ' || *text == 0x7f ||
                      strchr("\"\\%'", *text) != NULL
                  ? '_'
                  : *text,
              out);
    }
}

/** Checks whether Slurm can handle a path. Unlike characters of a name,
 *  characters of a path cannot be replaced. */
static int gms_sweep_is_slurm_path(const char *path)
{
    for (; *path != '\0'; ++path) {
        if ((unsigned char)*path < ' ' || *path == 0x7f ||
            strchr("\"\\%", *path) != NULL) {
            return 0;
        }
    }
    return 1;
}

/** Writes the directives that Slurm reads at the beginning of a script. */
static void gms_sweep_put_slurm(FILE *out, const gms_sweep_t *sweep,
                                const gms_sweep_scripts_t *scripts,
                                const gms_sweep_submission_t *submission)
{
    const char *name = strrchr(sweep->path, '/');

    name = (name != NULL) ? name + 1 : sweep->path;
    fprintf(out, "#SBATCH --array=0-%" PRIu64, scripts->tasks - 1);
    if (submission->most > 0) {
        fprintf(out, "%%%" PRIu64, submission->most);
    }
    fputs("\n#SBATCH --job-name=\"", out);
    gms_sweep_put_slurm_name(out, name);
    fputs("\"\n", out);
    fprintf(out, "#SBATCH --ntasks=1 --cpus-per-task=%" PRIu64 "\n",
            sweep->cores);
    fprintf(out, "#SBATCH --open-mode=append --output=\"%.*s.out\"\n",
            (int)(strlen(scripts->task) - strlen(".sh")), scripts->task);
    if (sweep->slurm[0] != '\0') {
        fprintf(out, "#SBATCH %s\n", sweep->slurm);
    }
    if (submission->options[0] != '\0') {
        fprintf(out, "#SBATCH %s\n", submission->options);
    }
}

static void gms_sweep_put_task(FILE *out, const gms_sweep_t *sweep,
                               const gms_sweep_state_t *state,
                               const gms_sweep_scripts_t *scripts,
                               const gms_sweep_submission_t *submission)
{
    fputs("#!/bin/sh\n", out);
    if (!submission->is_parallel) {
        gms_sweep_put_slurm(out, sweep, scripts, submission);
    }
    fprintf(out, "# One task of a sweep: %ssh THIS POINTS\n",
            submission->is_parallel ? "" : "sbatch THIS, or ");
    gms_sweep_put_variable(out, "PATH");
    gms_sweep_put_variable(out, "LD_LIBRARY_PATH");
    fputs("cd ", out);
    gms_sweep_put_word(out, submission->directory);
    fputs(" || exit 1\n", out);
    /* if the variable that names the base description is set now, the script
     * sets it, too */
    gms_sweep_put_variable(out, "GMSIM_CLUSTER");
    fputs("points=${1:-$(sed -n \"$((SLURM_ARRAY_TASK_ID + 1))p\" ", out);
    gms_sweep_put_word(out, scripts->points);
    fputs(")}\nexec ", out);
    gms_sweep_put_word(out, submission->gmsim);
    fputs(" sweep --quiet --output ", out);
    gms_sweep_put_word(out, state->directory);
    fputs(" --point \"$points\" -- ", out);
    gms_sweep_put_word(out, sweep->path);
    fputc('\n', out);
}

static void gms_sweep_put_parallel(FILE *out,
                                   const gms_sweep_scripts_t *scripts,
                                   const gms_sweep_submission_t *submission)
{
    fputs("#!/bin/sh\n# Run all tasks of a sweep with GNU parallel.\n"
          "exec parallel",
          out);
    if (submission->most > 0) {
        fprintf(out, " --jobs %" PRIu64, submission->most);
    }
    if (submission->sshlogin != NULL) {
        fputs(" --sshlogin ", out);
        gms_sweep_put_word(out, submission->sshlogin);
    }
    fprintf(out, " %s -a ", submission->options);
    gms_sweep_put_word(out, scripts->points);
    /* quote the words, because GNU parallel passes them to a shell once more */
    fputs(" --quote sh ", out);
    gms_sweep_put_word(out, scripts->task);
    fputs(" {}\n", out);
}

static void gms_sweep_put_points(FILE *out, const uint64_t *runs,
                                 uint64_t count, uint64_t chunk)
{
    uint64_t i;

    for (i = 0; i < count; i += chunk) {
        uint64_t len = (count - i < chunk) ? count - i : chunk;
        char *text = gms_sweep_points_text(runs + i, len);

        fprintf(out, "%s\n", (text != NULL) ? text : "");
        free(text);
    }
}

/** Chooses paths that no earlier submission used. */
static gms_status_t gms_sweep_name_scripts(const gms_sweep_state_t *state,
                                           gms_sweep_scripts_t *scripts,
                                           char error[GMS_YAML_ERROR_LEN])
{
    char *directory = NULL;
    unsigned number;

    if (asprintf(&directory, "%s/jobs", state->directory) < 0) {
        return GMS_ERR_NO_MEMORY;
    }
    if (mkdir(directory, 0777) != 0 && errno != EEXIST) {
        (void)snprintf(error, GMS_YAML_ERROR_LEN, "%s: %s", directory,
                       strerror(errno));
        free(directory);
        return GMS_ERR_SYSTEM;
    }
    for (number = 1; scripts->task == NULL; ++number) {
        if (asprintf(&scripts->task, "%s/%u.sh", directory, number) < 0) {
            scripts->task = NULL;
            break;
        }
        if (access(scripts->task, F_OK) == 0) {
            free(scripts->task);
            scripts->task = NULL;
            continue;
        }
        if (asprintf(&scripts->points, "%s/%u.points", directory, number) < 0 ||
            asprintf(&scripts->parallel, "%s/%u.parallel", directory, number) <
                0) {
            break;
        }
    }
    free(directory);
    return (scripts->parallel != NULL) ? GMS_OK : GMS_ERR_NO_MEMORY;
}

void gms_sweep_scripts_clear(gms_sweep_scripts_t *scripts)
{
    free(scripts->task);
    free(scripts->points);
    free(scripts->parallel);
    memset(scripts, 0, sizeof(*scripts));
}

/** Rejects strings that the directives of Slurm cannot quote. */
static gms_status_t
gms_sweep_check_slurm(const gms_sweep_state_t *state,
                      const gms_sweep_submission_t *submission,
                      char error[GMS_YAML_ERROR_LEN])
{
    char shown[256];

    if (submission->is_parallel) {
        return GMS_OK;
    }
    if (strpbrk(submission->options, "\n\r") != NULL) {
        (void)snprintf(error, GMS_YAML_ERROR_LEN,
                       "options of sbatch must be on one line");
        return GMS_ERR_CONFIG;
    }
    if (!gms_sweep_is_slurm_path(state->directory)) {
        (void)snprintf(error, GMS_YAML_ERROR_LEN,
                       "'%s': Slurm cannot write to this directory because its "
                       "name contains a quote, a backslash, '%%' or a control "
                       "character; choose another directory with --output",
                       gms_printable(state->directory, shown, sizeof(shown)));
        return GMS_ERR_CONFIG;
    }
    return GMS_OK;
}

gms_status_t gms_sweep_submit(const gms_sweep_t *sweep,
                              const gms_sweep_state_t *state,
                              const uint64_t *runs, uint64_t count,
                              const gms_sweep_submission_t *submission,
                              gms_sweep_scripts_t *scripts,
                              char error[GMS_YAML_ERROR_LEN])
{
    char *texts[3] = {NULL, NULL, NULL};
    gms_status_t status;
    size_t len, i;

    memset(scripts, 0, sizeof(*scripts));
    (void)snprintf(error, GMS_YAML_ERROR_LEN, "out of memory");
    scripts->tasks = (count + submission->chunk - 1) / submission->chunk;
    status = gms_sweep_check_slurm(state, submission, error);
    if (status == GMS_OK) {
        status = gms_sweep_name_scripts(state, scripts, error);
    }
    for (i = 0; i < 2u + (submission->is_parallel != 0) && status == GMS_OK;
         ++i) {
        const char *paths[] = {scripts->points, scripts->task,
                               scripts->parallel};
        FILE *out = open_memstream(&texts[i], &len);

        if (out == NULL) {
            status = GMS_ERR_NO_MEMORY;
            break;
        }
        if (i == 0) {
            gms_sweep_put_points(out, runs, count, submission->chunk);
        } else if (i == 1) {
            gms_sweep_put_task(out, sweep, state, scripts, submission);
        } else {
            gms_sweep_put_parallel(out, scripts, submission);
        }
        status = (fclose(out) == 0) ? gms_sweep_write_file(paths[i], texts[i])
                                    : GMS_ERR_NO_MEMORY;
        if (status == GMS_ERR_SYSTEM) {
            (void)snprintf(error, GMS_YAML_ERROR_LEN, "%s: %s", paths[i],
                           strerror(errno));
        }
    }
    for (i = 0; i < 3; ++i) {
        free(texts[i]);
    }
    if (status != GMS_OK) {
        gms_sweep_scripts_clear(scripts);
    }
    return status;
}
