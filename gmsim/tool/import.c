/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the common part of the imports of gmsim config: reads the file,
 * collects messages and notes with line numbers, and checks the result.
 * The sources cluster/import_ib.c and cluster/import_simgrid.c read the
 * individual formats.
 */
#include "cluster/import.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/cluster.h"
#include "params/params.h"
#include "tool/tool.h"

#define GMS_IMPORT_MAX_BYTES ((size_t)64 << 20)

void gms_import_clean(char *text)
{
    size_t len = strlen(text);
    char *p;

    while (len > 0 && strchr(" \t\r", text[len - 1]) != NULL) {
        text[--len] = '\0';
    }
    for (p = text; *p != '\0'; ++p) {
        if (*p == '\t') {
            *p = ' ';
        } else if (*p < ' ' || *p > '~') {
            *p = '?';
        }
    }
}

const char *gms_import_name(const gms_import_t *import,
                            char name[GMS_IMPORT_PATH_LEN])
{
    (void)snprintf(name, GMS_IMPORT_PATH_LEN, "%s", import->path);
    gms_import_clean(name);
    return name;
}

/** Write "FILE:LINE: " and the formatted message; remove control characters. */
static void gms_import_word(const gms_import_t *import, unsigned line,
                            char text[GMS_IMPORT_ERROR_LEN], const char *format,
                            va_list args) __attribute__((format(printf, 4, 0)));

static void gms_import_word(const gms_import_t *import, unsigned line,
                            char text[GMS_IMPORT_ERROR_LEN], const char *format,
                            va_list args)
{
    size_t used;

    if (line == 0) {
        (void)snprintf(text, GMS_IMPORT_ERROR_LEN, "%.200s: ", import->path);
    } else {
        (void)snprintf(text, GMS_IMPORT_ERROR_LEN, "%.200s:%u: ", import->path,
                       line);
    }
    used = strlen(text);
    (void)vsnprintf(text + used, GMS_IMPORT_ERROR_LEN - used, format, args);
    gms_import_clean(text + used);
}

gms_status_t gms_import_fail(gms_import_t *import, unsigned line,
                             const char *format, ...)
{
    va_list args;

    va_start(args, format);
    gms_import_word(import, line, import->error, format, args);
    va_end(args);
    return GMS_ERR_CONFIG;
}

void gms_import_note(gms_import_t *import, unsigned line, const char *format,
                     ...)
{
    char text[GMS_IMPORT_ERROR_LEN];
    va_list args;

    va_start(args, format);
    gms_import_word(import, line, text, format, args);
    va_end(args);
    fprintf(import->notes, "%s\n", text);
}

/** Limit a value to the range of its parameter, and print a note if the value
 *  was outside this range. */
static uint64_t gms_import_fit(gms_import_t *import, const char *name,
                               double value)
{
    const gms_param_t *row = gms_param_find(name);
    double fit = value;

    if (fit > (double)row->max) {
        fit = (double)row->max;
    }
    if (fit < (double)row->min) {
        fit = (double)row->min;
    }
    if (fit != value) {
        gms_import_note(import, 0,
                        "%s: %.0f is out of range; the import uses %.0f", name,
                        value, fit);
    }
    return (uint64_t)fit;
}

void gms_import_links(gms_import_t *import, double bytes_s,
                      double propagation_ps)
{
    uint64_t rate;

    if (bytes_s <= 0 && propagation_ps < 0) {
        return;
    }
    fprintf(import->out, "parameters:\n");
    if (bytes_s > 0) {
        rate = gms_import_fit(import, "link_bytes_s", bytes_s);
        fprintf(import->out, "  link_bytes_s: %llu\n",
                (unsigned long long)rate);
        /* payload rate of packets of 4096 bytes, as in the profiles */
        fprintf(import->out, "  qos_link_bytes_s: %llu\n",
                (unsigned long long)gms_import_fit(
                    import, "qos_link_bytes_s", (double)(rate / 4126 * 4096)));
    }
    if (propagation_ps >= 0) {
        fprintf(import->out, "  link_propagation_ps: %llu\n",
                (unsigned long long)gms_import_fit(
                    import, "link_propagation_ps", propagation_ps));
    }
}

/** Read the whole file and append a terminating 0.
 *  @return the contents, which the caller frees; NULL after an error, with
 *  errno set */
static char *gms_import_read(const char *path, size_t *bytes_p)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;

    if (file == NULL) {
        return NULL;
    }
    text = malloc(GMS_IMPORT_MAX_BYTES + 1);
    if (text != NULL) {
        errno = 0;
        *bytes_p = fread(text, 1, GMS_IMPORT_MAX_BYTES + 1, file);
        if (ferror(file) || *bytes_p > GMS_IMPORT_MAX_BYTES) {
            errno = ferror(file) ? errno : EFBIG;
            free(text);
            text = NULL;
        } else {
            text[*bytes_p] = '\0';
        }
    }
    (void)fclose(file);
    return text;
}

gms_status_t gms_import_text(gms_import_t *import, const char *text,
                             size_t bytes)
{
    const char *zero = memchr(text, '\0', bytes);
    unsigned line = 1;

    if (zero != NULL) {
        for (; text < zero; ++text) {
            line += (*text == '\n');
        }
        return gms_import_fail(import, line,
                               "not a text file: it contains a zero byte; "
                               "allowed: ASCII or UTF-8");
    }
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3; /* skip the byte order mark */
    }
    if (text[strspn(text, " \t\r\n")] != '<') {
        return gms_import_ib(import, text);
    }
    return (import->routes == NULL)
               ? gms_import_simgrid(import, text)
               : gms_import_fail(import, 1,
                                 "forwarding tables require the output of "
                                 "ibnetdiscover; omit --routes");
}

/** Check whether the result is a valid cluster. The result can be invalid, for
 *  example because the network consists of two separate parts. Nevertheless,
 *  gmsim prints an invalid description, because the user can correct it by
 *  hand. */
static int gms_import_check(gms_import_t *import, const char *made,
                            size_t made_len)
{
    char path[64], error[GMS_YAML_ERROR_LEN];
    FILE *file = tmpfile();
    gms_cluster_t cluster;
    gms_status_t status = GMS_OK;
    const char *what;

    if (file == NULL) {
        return GMS_TOOL_OK; /* `gmsim config check' reports the errors */
    }
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(file));
    if (fwrite(made, 1, made_len, file) == made_len && fflush(file) == 0) {
        status = gms_cluster_load(path, &cluster, error);
    }
    (void)fclose(file);
    if (status == GMS_OK) {
        gms_cluster_clear(&cluster);
        return GMS_TOOL_OK;
    }
    what = (strncmp(error, path, strlen(path)) == 0) ? error + strlen(path)
                                                     : error;
    gms_import_note(import, 0,
                    "the imported description cannot be simulated until you "
                    "correct line %s",
                    what + (*what == ':'));
    return GMS_TOOL_REFUSED;
}

int gms_tool_import(const char *path, const char *routes)
{
    gms_import_t import = {
        .path = path, .routes_path = routes, .notes = stderr};
    size_t made_len = 0, bytes = 0, routes_bytes = 0;
    char *text = gms_import_read(path, &bytes), *made = NULL, *tables = NULL;
    gms_status_t status = GMS_ERR_NO_MEMORY;
    int result;

    if (text != NULL && routes != NULL) {
        tables = gms_import_read(routes, &routes_bytes);
    }
    if (text == NULL || (routes != NULL && tables == NULL)) {
        fprintf(stderr, "%s: cannot be read: %s\n",
                (text == NULL) ? path : routes, strerror(errno));
        free(text);
        return GMS_TOOL_WRONG;
    }
    import.routes = tables;
    /* Collect the output first, because nothing must be printed if the file is
     * invalid. */
    import.out = open_memstream(&made, &made_len);
    if (import.out != NULL) {
        status = gms_import_text(&import, text, bytes);
        (void)fclose(import.out);
    }
    free(text);
    free(tables);
    if (status == GMS_OK) {
        fwrite(made, 1, made_len, stdout);
        result = gms_import_check(&import, made, made_len);
    } else {
        fprintf(stderr, "%s\n",
                (status == GMS_ERR_CONFIG) ? import.error : "out of memory");
        result = (status == GMS_ERR_CONFIG) ? GMS_TOOL_WRONG : GMS_TOOL_REFUSED;
    }
    free(made);
    return result;
}
