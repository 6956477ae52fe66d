/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads and validates the environment variables of traces (GMSIM_TRACE,
 * GMSIM_TRACE_FORMAT, GMSIM_TRACE_ONLY, GMSIM_TRACE_WINDOW), and checks that
 * every output can be written.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config.h"
#include "observe/trace_int.h"

const gms_trace_ops_t *const gms_trace_formats[] = {
    &gms_trace_json_ops,
    &gms_trace_csv_ops,
#ifdef HAVE_OTF2
    &gms_trace_otf2_ops,
#endif
    NULL,
};

#ifdef HAVE_OTF2
#define GMS_TRACE_ALLOWED   "json, csv, otf2"
#define GMS_TRACE_NOT_BUILT ""
#else
#define GMS_TRACE_ALLOWED "json, csv"
#define GMS_TRACE_NOT_BUILT                                                    \
    " (otf2: this library was built without libopen-trace-format2-dev)"
#endif

static const struct {
    const char *name;
    unsigned category;
} gms_trace_names[] = {
    {"mpi", GMS_TRACE_MPI},       {"gm", GMS_TRACE_GM},
    {"packet", GMS_TRACE_PACKET}, {"nic", GMS_TRACE_NIC},
    {"idt", GMS_TRACE_IDT},       {"fault", GMS_TRACE_FAULT},
};

static const struct {
    const char *name;
    gms_time_t ps;
} gms_trace_units[] = {
    {"ps", 1},      {"ns", GMS_NS},    {"us", GMS_US},
    {"ms", GMS_MS}, {"s", GMS_SECOND},
};

#define GMS_TRACE_COUNT(array_) (sizeof(array_) / sizeof((array_)[0]))

/* ---- formats ---- */

static const gms_trace_ops_t *gms_trace_format_named(const char *name)
{
    unsigned i;

    for (i = 0; gms_trace_formats[i] != NULL; ++i) {
        if (strcmp(gms_trace_formats[i]->name, name) == 0) {
            return gms_trace_formats[i];
        }
    }
    return NULL;
}

static const gms_trace_ops_t *gms_trace_format_of(const char *path)
{
    size_t len = strlen(path);
    unsigned i;

    for (i = 0; gms_trace_formats[i] != NULL; ++i) {
        const char *ending = gms_trace_formats[i]->ending;
        size_t end = strlen(ending);

        if (len > end && strcmp(path + len - end, ending) == 0) {
            return gms_trace_formats[i];
        }
    }
    return NULL;
}

static gms_status_t gms_trace_add_output(gms_trace_config_t *config,
                                         const char *path, size_t len,
                                         const gms_trace_ops_t *ops,
                                         char error[GMS_TRACE_ERROR_LEN])
{
    unsigned i = config->outputs;

    if (i == GMS_TRACE_OUTPUTS) {
        (void)snprintf(error, GMS_TRACE_ERROR_LEN,
                       "environment variable GMSIM_TRACE: too many files; "
                       "allowed: at most %u",
                       GMS_TRACE_OUTPUTS);
        return GMS_ERR_CONFIG;
    }
    if (len == 0 || len >= GMS_TRACE_PATH_LEN) {
        (void)snprintf(error, GMS_TRACE_ERROR_LEN,
                       "environment variable GMSIM_TRACE: a file name is empty "
                       "or too long; allowed: 1 to %u characters, several "
                       "names separated by commas",
                       GMS_TRACE_PATH_LEN - 1);
        return GMS_ERR_CONFIG;
    }
    memcpy(config->path[i], path, len);
    config->path[i][len] = '\0';
    while (len > 1 && config->path[i][len - 1] == '/') {
        config->path[i][--len] = '\0';
    }
    config->ops[i] = ops != NULL ? ops : gms_trace_format_of(config->path[i]);
    if (config->ops[i] == NULL) {
        (void)snprintf(error, GMS_TRACE_ERROR_LEN,
                       "environment variable GMSIM_TRACE: '%.300s' does not "
                       "end with the name of a format%s; allowed: .json, .csv, "
                       ".otf2, or set GMSIM_TRACE_FORMAT",
                       config->path[i], GMS_TRACE_NOT_BUILT);
        return GMS_ERR_CONFIG;
    }
    for (i = 0; i < config->outputs; ++i) {
        if (strcmp(config->path[i], config->path[config->outputs]) == 0) {
            (void)snprintf(error, GMS_TRACE_ERROR_LEN,
                           "environment variable GMSIM_TRACE: the file "
                           "'%.300s' is named twice",
                           config->path[i]);
            return GMS_ERR_CONFIG;
        }
    }
    ++config->outputs;
    return GMS_OK;
}

static gms_status_t gms_trace_read_outputs(const char *outputs,
                                           const char *format,
                                           gms_trace_config_t *config,
                                           char error[GMS_TRACE_ERROR_LEN])
{
    const gms_trace_ops_t *ops = NULL;
    gms_status_t status = GMS_OK;

    if (format != NULL) {
        ops = gms_trace_format_named(format);
        if (ops == NULL) {
            (void)snprintf(
                error, GMS_TRACE_ERROR_LEN,
                "environment variable GMSIM_TRACE_FORMAT: value "
                "'%.100s' is not a format%s; allowed: " GMS_TRACE_ALLOWED,
                format, GMS_TRACE_NOT_BUILT);
            return GMS_ERR_CONFIG;
        }
    }
    while (status == GMS_OK) {
        size_t len = strcspn(outputs, ",");

        status = gms_trace_add_output(config, outputs, len, ops, error);
        outputs += len;
        if (*outputs++ == '\0') {
            break;
        }
    }
    return status;
}

/* ---- categories ---- */

static unsigned gms_trace_category_named(const char *name, size_t len)
{
    unsigned i;

    for (i = 0; i < GMS_TRACE_COUNT(gms_trace_names); ++i) {
        if (strlen(gms_trace_names[i].name) == len &&
            memcmp(gms_trace_names[i].name, name, len) == 0) {
            return gms_trace_names[i].category;
        }
    }
    return 0;
}

unsigned gms_trace_categories(const gms_trace_config_t *config)
{
    unsigned all = 0, i;

    for (i = 0; i < config->outputs; ++i) {
        all |= config->wanted[i];
    }
    return all;
}

/* Assign to every output the categories that it can show. */
static gms_status_t gms_trace_share(unsigned categories, const char *only,
                                    gms_trace_config_t *config,
                                    char error[GMS_TRACE_ERROR_LEN])
{
    unsigned i;

    for (i = 0; i < config->outputs; ++i) {
        config->wanted[i] = config->ops[i]->shows & categories;
        if (config->wanted[i] == 0) {
            (void)snprintf(error, GMS_TRACE_ERROR_LEN,
                           "environment variable GMSIM_TRACE_ONLY: value "
                           "'%.100s' selects nothing that '%.300s' can show: a "
                           "packet log requires the category packet",
                           only, config->path[i]);
            return GMS_ERR_CONFIG;
        }
    }
    return GMS_OK;
}

static gms_status_t gms_trace_read_only(const char *only,
                                        gms_trace_config_t *config,
                                        char error[GMS_TRACE_ERROR_LEN])
{
    const char *rest = only;
    unsigned categories = 0, i;

    for (i = 0; only == NULL && i < config->outputs; ++i) {
        config->wanted[i] = config->ops[i]->shows & GMS_TRACE_DEFAULT;
        if (config->wanted[i] == 0) {
            config->wanted[i] = config->ops[i]->shows;
        }
    }
    while (only != NULL) {
        size_t len = strcspn(rest, ",");
        unsigned category = gms_trace_category_named(rest, len);

        if (category == 0) {
            (void)snprintf(
                error, GMS_TRACE_ERROR_LEN,
                "environment variable GMSIM_TRACE_ONLY: value "
                "'%.100s': '%.*s' is not a category; allowed: mpi, gm, "
                "packet, nic, idt, fault, separated by commas",
                only, len < 40 ? (int)len : 40, rest);
            return GMS_ERR_CONFIG;
        }
        categories |= category;
        rest += len;
        if (*rest++ == '\0') {
            return gms_trace_share(categories, only, config, error);
        }
    }
    return GMS_OK;
}

/* ---- the window ---- */

/* Parse a time such as "1.5ms" that ends at `end', with a resolution of 1 ps.
 * @return 0 if the time is invalid */
static int gms_trace_read_time(const char *text, const char *end,
                               gms_time_t *time_p)
{
    size_t digits = strspn(text, "0123456789"), places = 0, len;
    const char *fraction = text + digits, *unit = fraction;
    unsigned __int128 value = 0;
    gms_time_t place;
    unsigned i;

    if (digits == 0 || digits > 19) {
        return 0;
    }
    /* the dots of "10.." belong to the window, not to a decimal fraction */
    if (*fraction == '.' && fraction[1] != '.') {
        places = strspn(++fraction, "0123456789");
        unit = fraction + places;
        if (places == 0) {
            return 0;
        }
    }
    len = (size_t)(end - unit);
    for (i = 0; i < GMS_TRACE_COUNT(gms_trace_units); ++i) {
        if (strlen(gms_trace_units[i].name) == len &&
            memcmp(gms_trace_units[i].name, unit, len) == 0) {
            break;
        }
    }
    if (i == GMS_TRACE_COUNT(gms_trace_units)) {
        return 0;
    }
    value = (unsigned __int128)strtoull(text, NULL, 10) * gms_trace_units[i].ps;
    for (place = gms_trace_units[i].ps / 10; places > 0; --places) {
        value += (gms_time_t)(*fraction++ - '0') * place;
        place /= 10;
    }
    if (value >= GMS_NEVER / 2) {
        return 0;
    }
    *time_p = (gms_time_t)value;
    return 1;
}

static gms_status_t gms_trace_read_window(const char *window,
                                          gms_trace_config_t *config,
                                          char error[GMS_TRACE_ERROR_LEN])
{
    const char *dots;

    config->from_ps = 0;
    config->to_ps = GMS_NEVER;
    if (window == NULL) {
        return GMS_OK;
    }
    dots = strstr(window, "..");
    if (dots == NULL ||
        (dots != window &&
         !gms_trace_read_time(window, dots, &config->from_ps)) ||
        (dots[2] != '\0' &&
         !gms_trace_read_time(dots + 2, dots + strlen(dots), &config->to_ps)) ||
        config->from_ps >= config->to_ps) {
        (void)snprintf(error, GMS_TRACE_ERROR_LEN,
                       "environment variable GMSIM_TRACE_WINDOW: value "
                       "'%.100s' is not a window of virtual time. Allowed: "
                       "FROM..TO with FROM before TO (either may be omitted) "
                       "and units ps, ns, us, ms, s, for example 10ms..20ms",
                       window);
        return GMS_ERR_CONFIG;
    }
    return GMS_OK;
}

/* Reject the other variables if GMSIM_TRACE is not set, because they have no
 * effect without it. */
static gms_status_t gms_trace_check_alone(const char *const others[3],
                                          char error[GMS_TRACE_ERROR_LEN])
{
    static const char *const names[] = {
        "GMSIM_TRACE_FORMAT", "GMSIM_TRACE_ONLY", "GMSIM_TRACE_WINDOW"};
    unsigned i;

    for (i = 0; i < GMS_TRACE_COUNT(names); ++i) {
        if (others[i] != NULL) {
            (void)snprintf(error, GMS_TRACE_ERROR_LEN,
                           "environment variable %s is set, but GMSIM_TRACE, "
                           "which names the output, is not set",
                           names[i]);
            return GMS_ERR_CONFIG;
        }
    }
    return GMS_OK;
}

gms_status_t gms_trace_configure(const char *outputs, const char *format,
                                 const char *only, const char *window,
                                 gms_trace_config_t *config,
                                 char error[GMS_TRACE_ERROR_LEN])
{
    const char *const others[] = {format, only, window};
    gms_status_t status;

    memset(config, 0, sizeof(*config));
    if (outputs == NULL) {
        return gms_trace_check_alone(others, error);
    }
    status = gms_trace_read_outputs(outputs, format, config, error);
    if (status == GMS_OK) {
        status = gms_trace_read_only(only, config, error);
    }
    if (status == GMS_OK) {
        status = gms_trace_read_window(window, config, error);
    }
    return status;
}

/* ---- the files ---- */

static gms_status_t gms_trace_cannot(const char *path,
                                     char error[GMS_TRACE_ERROR_LEN])
{
    (void)snprintf(error, GMS_TRACE_ERROR_LEN,
                   "environment variable GMSIM_TRACE: cannot write '%.300s': "
                   "%s",
                   path, strerror(errno));
    return GMS_ERR_CONFIG;
}

/* Check the directory of a file that does not exist yet. */
static int gms_trace_check_parent(const char *path)
{
    char parent[GMS_TRACE_PATH_LEN];
    char *slash;

    memcpy(parent, path, strlen(path) + 1);
    slash = strrchr(parent, '/');
    if (slash == NULL) {
        (void)strcpy(parent, ".");
    } else {
        slash[slash == parent] = '\0';
    }
    return eaccess(parent, W_OK | X_OK);
}

/* This check creates no file: another process of the job may have begun
 * already, and a job that does not start must not leave files behind. */
static gms_status_t gms_trace_check_one(const char *path, int is_directory,
                                        char error[GMS_TRACE_ERROR_LEN])
{
    char anchor[GMS_TRACE_PATH_LEN + sizeof(GMS_TRACE_ANCHOR) + 1];
    struct stat found;

    if (stat(path, &found) != 0) {
        return errno != ENOENT || gms_trace_check_parent(path) != 0
                   ? gms_trace_cannot(path, error)
                   : GMS_OK;
    }
    if (S_ISDIR(found.st_mode) != is_directory) {
        errno = is_directory ? ENOTDIR : EISDIR;
        return gms_trace_cannot(path, error);
    }
    if (eaccess(path, is_directory ? W_OK | X_OK : W_OK) != 0) {
        return gms_trace_cannot(path, error);
    }
    (void)snprintf(anchor, sizeof(anchor), "%s/" GMS_TRACE_ANCHOR, path);
    if (is_directory && access(anchor, F_OK) == 0) {
        (void)snprintf(
            error, GMS_TRACE_ERROR_LEN,
            "environment variable GMSIM_TRACE: '%.300s' already contains the "
            "trace of a run; remove it or name another directory",
            path);
        return GMS_ERR_CONFIG;
    }
    return GMS_OK;
}

gms_status_t gms_trace_check(const gms_trace_config_t *config,
                             char error[GMS_TRACE_ERROR_LEN])
{
    gms_status_t status = GMS_OK;
    unsigned i;

    for (i = 0; status == GMS_OK && i < config->outputs; ++i) {
        status = gms_trace_check_one(config->path[i],
                                     config->ops[i]->is_directory, error);
    }
    return status;
}
