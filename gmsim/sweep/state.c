/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creates, checks and locks the directory of a sweep, prepares the directory of
 * a run, and removes the directories of runs that must be repeated.
 */
#define _GNU_SOURCE
#include "sweep/state.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "yaml/loader.h"
#include "sweep/base.h"
#include "sweep/text.h"

/* Time to wait for the processes of a sweep that has just been killed. They end
 * as soon as their commands have ended. */
#define GMS_SWEEP_LOCK_MS 15000
#define GMS_SWEEP_LOOK_MS 50

static gms_status_t gms_sweep_complain(const char *path,
                                       char error[GMS_YAML_ERROR_LEN])
{
    (void)snprintf(error, GMS_YAML_ERROR_LEN, "%s: %s", path, strerror(errno));
    return GMS_ERR_SYSTEM;
}

/* ---- files ---- */

gms_status_t gms_sweep_write_file(const char *path, const char *text)
{
    char *fresh = NULL;
    FILE *file = NULL;
    int is_bad = 1, why, fd;
    mode_t mask;

    if (asprintf(&fresh, "%s.XXXXXX", path) < 0) {
        return GMS_ERR_NO_MEMORY;
    }
    /* the random name prevents other users from creating this file in
     * advance */
    fd = mkostemp(fresh, O_CLOEXEC);
    if (fd >= 0) {
        mask = umask(0);
        (void)umask(mask);
        (void)fchmod(fd, 0666 & ~mask);
        file = fdopen(fd, "w");
    }
    if (file != NULL) {
        is_bad = fputs(text, file) == EOF || fflush(file) != 0 ||
                 fsync(fileno(file)) != 0;
        is_bad = fclose(file) != 0 || is_bad;
        is_bad = is_bad || rename(fresh, path) != 0;
        if (is_bad) {
            why = errno;
            (void)unlink(fresh);
            errno = why;
        }
    }
    free(fresh);
    return is_bad ? GMS_ERR_SYSTEM : GMS_OK;
}

static int gms_sweep_remove_one(const char *path, const struct stat *stat,
                                int flag, struct FTW *place)
{
    (void)stat;
    (void)flag;
    (void)place;
    return remove(path);
}

/** Removes a directory and its content. A missing directory is not an error. */
static gms_status_t gms_sweep_remove(const char *path)
{
    if (nftw(path, gms_sweep_remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0 &&
        errno != ENOENT) {
        return GMS_ERR_SYSTEM;
    }
    return GMS_OK;
}

/* ---- locks ---- */

static int gms_sweep_lock_byte(int fd, short type, off_t byte)
{
    struct flock lock = {
        .l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};

    return fcntl(fd, F_OFD_SETLK, &lock);
}

static gms_status_t gms_sweep_lock(gms_sweep_state_t *state,
                                   gms_sweep_access_t access,
                                   char error[GMS_YAML_ERROR_LEN])
{
    const struct timespec pause = {0, GMS_SWEEP_LOOK_MS * 1000000L};
    short type = (access == GMS_SWEEP_ALONE) ? F_WRLCK : F_RDLCK;
    char *path = gms_sweep_join(state->directory, "lock");
    int waited_ms = 0;

    state->lock =
        (path != NULL) ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
    free(path);
    if (state->lock < 0) {
        return gms_sweep_complain(state->directory, error);
    }
    while (gms_sweep_lock_byte(state->lock, type, 0) != 0) {
        if (errno != EAGAIN && errno != EACCES) {
            return gms_sweep_complain(state->directory, error);
        }
        if (waited_ms >= GMS_SWEEP_LOCK_MS) {
            (void)snprintf(error, GMS_YAML_ERROR_LEN,
                           "%s: another gmsim sweep is using this directory",
                           state->directory);
            return GMS_ERR_BUSY;
        }
        (void)nanosleep(&pause, NULL);
        waited_ms += GMS_SWEEP_LOOK_MS;
    }
    return GMS_OK;
}

gms_status_t gms_sweep_claim_run(const gms_sweep_state_t *state, uint64_t run)
{
    if (gms_sweep_lock_byte(state->lock, F_WRLCK, (off_t)run + 1) == 0) {
        return GMS_OK;
    }
    return (errno == EAGAIN || errno == EACCES) ? GMS_ERR_BUSY : GMS_ERR_SYSTEM;
}

void gms_sweep_release_run(const gms_sweep_state_t *state, uint64_t run)
{
    (void)gms_sweep_lock_byte(state->lock, F_UNLCK, (off_t)run + 1);
}

/* ---- runs ---- */

char *gms_sweep_path(const gms_sweep_t *sweep, const gms_sweep_state_t *state,
                     uint64_t run, const char *file)
{
    char *path = NULL;
    int width = snprintf(NULL, 0, "%" PRIu64, sweep->runs);
    int len = asprintf(&path, "%s/points/%0*" PRIu64 "%s%s", state->directory,
                       (width > 4) ? width : 4, run + 1,
                       (file != NULL) ? "/" : "", (file != NULL) ? file : "");

    return (len >= 0) ? path : NULL;
}

void gms_sweep_look(const gms_sweep_t *sweep, const gms_sweep_state_t *state,
                    uint64_t run, gms_sweep_status_t *status)
{
    static const char failed[] = "failed: ";
    char *path = gms_sweep_path(sweep, state, run, "status");
    char line[GMS_SWEEP_STATUS_LEN + sizeof(failed)] = "";
    FILE *file = (path != NULL) ? fopen(path, "r") : NULL;

    memset(status, 0, sizeof(*status));
    free(path);
    if (file == NULL) {
        return;
    }
    if (fgets(line, sizeof(line), file) == NULL) {
        line[0] = '\0';
    }
    (void)fclose(file);
    line[strcspn(line, "\n")] = '\0';
    if (strcmp(line, "done") == 0) {
        status->stage = GMS_SWEEP_DONE;
    } else if (strncmp(line, failed, strlen(failed)) == 0) {
        status->stage = GMS_SWEEP_FAILED;
        (void)snprintf(status->text, sizeof(status->text), "%.*s",
                       (int)sizeof(status->text) - 1, line + strlen(failed));
    }
}

gms_status_t gms_sweep_finish(const char *directory, const char *text)
{
    char *path = gms_sweep_join(directory, "status");
    char *line = NULL;
    gms_status_t status = GMS_ERR_NO_MEMORY;

    if (path != NULL && asprintf(&line, "%s\n", text) >= 0) {
        status = gms_sweep_write_file(path, line);
        free(line);
    }
    free(path);
    return status;
}

gms_status_t gms_sweep_reopen(const gms_sweep_t *sweep,
                              const gms_sweep_state_t *state, uint64_t run)
{
    char *path = gms_sweep_path(sweep, state, run, "status");
    int is_gone = path != NULL && (unlink(path) == 0 || errno == ENOENT);

    free(path);
    return is_gone ? GMS_OK : GMS_ERR_SYSTEM;
}

/** Writes the command of a run to an executable shell script. */
static gms_status_t gms_sweep_prepare_command(const gms_sweep_t *sweep,
                                              const char *directory,
                                              uint64_t run,
                                              char error[GMS_YAML_ERROR_LEN])
{
    char *command = NULL, *text = NULL, *path,
         *quoted = gms_sweep_quote(directory);
    gms_status_t status = GMS_ERR_NO_MEMORY;

    path = gms_sweep_join(directory, "command");
    if (quoted != NULL && path != NULL) {
        status = gms_sweep_command(sweep, run, directory, &command, error);
    }
    if (status == GMS_OK) {
        status = (asprintf(&text,
                           "export GMSIM_CLUSTER=%s/cluster.yaml\n"
                           "%s\n",
                           quoted, command) >= 0)
                     ? gms_sweep_write_file(path, text)
                     : GMS_ERR_NO_MEMORY;
        if (status == GMS_ERR_SYSTEM) {
            (void)gms_sweep_complain(path, error);
        }
        free(text);
    }
    free(command);
    free(path);
    free(quoted);
    return status;
}

gms_status_t gms_sweep_prepare(const gms_sweep_t *sweep,
                               const gms_sweep_state_t *state, uint64_t run,
                               char error[GMS_YAML_ERROR_LEN])
{
    char *directory = gms_sweep_path(sweep, state, run, NULL);
    char *path = gms_sweep_path(sweep, state, run, "cluster.yaml");
    char *description = NULL;
    gms_status_t status = GMS_ERR_NO_MEMORY;

    (void)snprintf(error, GMS_YAML_ERROR_LEN, "out of memory");
    if (directory != NULL && path != NULL) {
        status = gms_sweep_description(sweep, run, &description, error);
    }
    if (status == GMS_OK) {
        if (gms_sweep_remove(directory) != GMS_OK ||
            mkdir(directory, 0777) != 0 ||
            gms_sweep_write_file(path, description) != GMS_OK) {
            status = gms_sweep_complain(directory, error);
        } else {
            status = gms_sweep_prepare_command(sweep, directory, run, error);
        }
    }
    free(description);
    free(path);
    free(directory);
    return status;
}

/* ---- directory of a sweep ---- */

/** Reads a file in the directory.
 *  @return the text, which the caller frees, or NULL if the file does not
 *    exist */
static char *gms_sweep_read_in(const char *directory, const char *name)
{
    char *path = gms_sweep_join(directory, name);
    size_t len;
    char *text = (path != NULL) ? gms_sweep_read(path, &len) : NULL;

    free(path);
    return text;
}

/** Checks whether a directory contains only files of a sweep whose start was
 *  incomplete. */
static int gms_sweep_is_ours(const char *directory)
{
    static const char *const own[] = {".", "..", "lock", "points", "jobs"};
    DIR *dir = opendir(directory);
    const struct dirent *entry;
    int is_ours = (dir != NULL);
    size_t i;

    while (is_ours && (entry = readdir(dir)) != NULL) {
        is_ours =
            strncmp(entry->d_name, "base.yaml", strlen("base.yaml")) == 0 ||
            strncmp(entry->d_name, "definition", strlen("definition")) == 0;
        for (i = 0; i < sizeof(own) / sizeof(own[0]); ++i) {
            is_ours = is_ours || strcmp(entry->d_name, own[i]) == 0;
        }
    }
    if (dir != NULL) {
        (void)closedir(dir);
    }
    return is_ours;
}

/** Checks whether the existing runs belong to this sweep. */
static gms_status_t gms_sweep_match(const gms_sweep_t *sweep,
                                    const gms_sweep_state_t *state,
                                    const char *was, const char *is,
                                    char error[GMS_YAML_ERROR_LEN])
{
    char *base = gms_sweep_read_in(state->directory, "base.yaml");
    int is_same_base = base != NULL && strcmp(base, sweep->base) == 0;

    free(base);
    if (strcmp(was, is) == 0 && is_same_base) {
        return GMS_OK;
    }
    (void)snprintf(error, GMS_YAML_ERROR_LEN,
                   "%s: the sweep differs from the one that created %s:\n",
                   sweep->path, state->directory);
    gms_sweep_differ(was, is, error);
    if (!is_same_base) {
        gms_yaml_append(
            error, "  cluster: %s differs from its earlier copy %s/base.yaml\n",
            (sweep->cluster != NULL) ? sweep->cluster : "the default",
            state->directory);
    }
    return GMS_ERR_CONFIG;
}

/** Writes the files that describe the sweep. The function writes `definition`
 *  last, because this file marks the directory as a sweep's directory. */
static gms_status_t gms_sweep_begin(const gms_sweep_t *sweep,
                                    const gms_sweep_state_t *state,
                                    const char *definition,
                                    char error[GMS_YAML_ERROR_LEN])
{
    char *points = gms_sweep_join(state->directory, "points");
    char *base = gms_sweep_join(state->directory, "base.yaml");
    char *path = gms_sweep_join(state->directory, "definition");
    gms_status_t status = GMS_OK;

    if (points == NULL || base == NULL || path == NULL ||
        (mkdir(points, 0777) != 0 && errno != EEXIST) ||
        gms_sweep_write_file(base, sweep->base) != GMS_OK ||
        gms_sweep_write_file(path, definition) != GMS_OK) {
        status = gms_sweep_complain(state->directory, error);
    }
    free(points);
    free(base);
    free(path);
    return status;
}

static gms_status_t gms_sweep_forget(const gms_sweep_state_t *state,
                                     char error[GMS_YAML_ERROR_LEN])
{
    char *points = gms_sweep_join(state->directory, "points");
    char *path = gms_sweep_join(state->directory, "definition");
    gms_status_t status = GMS_OK;

    /* first remove the files that mark the directory as a sweep's directory,
     * because an incomplete removal must not look like results */
    if (points == NULL || path == NULL ||
        (unlink(path) != 0 && errno != ENOENT) ||
        gms_sweep_remove(points) != GMS_OK) {
        status = gms_sweep_complain(state->directory, error);
    }
    free(points);
    free(path);
    return status;
}

/** Creates the directory if necessary and locks it, unless the access is
 *  read-only. */
static gms_status_t gms_sweep_enter_directory(const gms_sweep_t *sweep,
                                              gms_sweep_access_t access,
                                              int restart,
                                              gms_sweep_state_t *state,
                                              char error[GMS_YAML_ERROR_LEN])
{
    char *is = gms_sweep_definition(sweep);
    char *was = gms_sweep_read_in(state->directory, "definition");
    gms_status_t status = GMS_OK;

    if (is == NULL) {
        status = gms_sweep_complain(state->directory, error);
    } else if (was == NULL && !gms_sweep_is_ours(state->directory)) {
        (void)snprintf(
            error, GMS_YAML_ERROR_LEN,
            "%s: already exists, but is not the directory of a sweep",
            state->directory);
        status = GMS_ERR_SYSTEM;
    } else if (was != NULL && !restart) {
        status = gms_sweep_match(sweep, state, was, is, error);
    } else if (access != GMS_SWEEP_LOOK) {
        status = (was != NULL) ? gms_sweep_forget(state, error) : GMS_OK;
        if (status == GMS_OK) {
            status = gms_sweep_begin(sweep, state, is, error);
        }
    }
    free(was);
    free(is);
    return status;
}

gms_status_t gms_sweep_open(const gms_sweep_t *sweep, const char *directory,
                            gms_sweep_access_t access, int restart,
                            gms_sweep_state_t *state,
                            char error[GMS_YAML_ERROR_LEN])
{
    gms_status_t status = GMS_OK;

    state->lock = -1;
    state->directory = NULL;
    if (access != GMS_SWEEP_LOOK && mkdir(directory, 0777) != 0 &&
        errno != EEXIST) {
        return gms_sweep_complain(directory, error);
    }
    state->directory = realpath(directory, NULL);
    if (state->directory == NULL && access == GMS_SWEEP_LOOK &&
        errno == ENOENT) {
        state->directory = strdup(directory);
        return (state->directory != NULL) ? GMS_OK : GMS_ERR_NO_MEMORY;
    }
    if (state->directory == NULL) {
        return gms_sweep_complain(directory, error);
    }
    /* do not create even a lock file in a directory that does not belong to a
     * sweep */
    if (access != GMS_SWEEP_LOOK) {
        char *was = gms_sweep_read_in(state->directory, "definition");

        if (was != NULL || gms_sweep_is_ours(state->directory)) {
            status = gms_sweep_lock(state, access, error);
        }
        free(was);
    }
    if (status == GMS_OK) {
        status =
            gms_sweep_enter_directory(sweep, access, restart, state, error);
    }
    if (status != GMS_OK) {
        gms_sweep_close(state);
    }
    return status;
}

void gms_sweep_close(gms_sweep_state_t *state)
{
    if (state->lock >= 0) {
        (void)close(state->lock);
    }
    free(state->directory);
    state->directory = NULL;
    state->lock = -1;
}
