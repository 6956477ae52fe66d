/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/import.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "config/params.h"
#include "tool/tool.h"

#define GMS_IMPORT_MAX_BYTES ((size_t)64 << 20)

static void gms_import_where(const gms_import_t *import, unsigned line,
                             char *text, size_t text_len)
{
    if (line == 0) {
        (void)snprintf(text, text_len, "%.200s: ", import->path);
    } else {
        (void)snprintf(text, text_len, "%.200s:%u: ", import->path, line);
    }
}

gms_status_t gms_import_fail(gms_import_t *import, unsigned line,
                             const char *format, ...)
{
    va_list args;
    size_t used;

    gms_import_where(import, line, import->error, sizeof(import->error));
    used = strlen(import->error);
    va_start(args, format);
    (void)vsnprintf(import->error + used, sizeof(import->error) - used, format,
                    args);
    va_end(args);
    return GMS_ERR_CONFIG;
}

void gms_import_note(gms_import_t *import, unsigned line, const char *format,
                     ...)
{
    char where[240];
    va_list args;

    gms_import_where(import, line, where, sizeof(where));
    fputs(where, import->notes);
    va_start(args, format);
    (void)vfprintf(import->notes, format, args);
    va_end(args);
    fputc('\n', import->notes);
}

/** A value inside its row's range. */
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
        gms_import_note(import, 0, "%s: %.0f is out of range, %.0f is taken",
                        name, value, fit);
    }
    return (uint64_t)fit;
}

void gms_import_links(gms_import_t *import, double bytes_s,
                      double propagation_ps)
{
    uint64_t rate;

    if ((bytes_s <= 0) && (propagation_ps < 0)) {
        return;
    }
    fprintf(import->out, "parameters:\n");
    if (bytes_s > 0) {
        rate = gms_import_fit(import, "link_bytes_s", bytes_s);
        fprintf(import->out, "  link_bytes_s: %llu\n",
                (unsigned long long)rate);
        /* what packets of 4096 bytes leave of it, as in the profiles */
        fprintf(import->out, "  qos_link_bytes_s: %llu\n",
                (unsigned long long)(rate / 4126 * 4096));
    }
    if (propagation_ps >= 0) {
        fprintf(import->out, "  link_propagation_ps: %llu\n",
                (unsigned long long)gms_import_fit(
                    import, "link_propagation_ps", propagation_ps));
    }
}

/** The whole file and a 0. @return malloc'ed, NULL with errno set */
static char *gms_import_read(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t bytes = 0;

    if (file == NULL) {
        return NULL;
    }
    text = malloc(GMS_IMPORT_MAX_BYTES + 1);
    if (text != NULL) {
        errno = 0;
        bytes = fread(text, 1, GMS_IMPORT_MAX_BYTES + 1, file);
        if (ferror(file) || (bytes > GMS_IMPORT_MAX_BYTES)) {
            errno = ferror(file) ? errno : EFBIG;
            free(text);
            text = NULL;
        } else {
            text[bytes] = '\0';
        }
    }
    (void)fclose(file);
    return text;
}

int gms_tool_import(const char *path)
{
    gms_import_t import = {.path = path, .notes = stderr};
    char *text = gms_import_read(path), *made = NULL;
    gms_status_t status = GMS_ERR_NO_MEMORY;
    size_t made_len = 0;

    if (text == NULL) {
        fprintf(stderr, "%s: cannot be read: %s\n", path, strerror(errno));
        return GMS_TOOL_WRONG;
    }
    /* Nothing is printed of a file that turns out to be wrong. */
    import.out = open_memstream(&made, &made_len);
    if (import.out != NULL) {
        status = (text[strspn(text, " \t\r\n\xef\xbb\xbf")] == '<')
                     ? gms_import_simgrid(&import, text)
                     : gms_import_ib(&import, text);
        (void)fclose(import.out);
    }
    if (status == GMS_OK) {
        fwrite(made, 1, made_len, stdout);
    } else {
        fprintf(stderr, "%s\n",
                (status == GMS_ERR_CONFIG) ? import.error : "out of memory");
    }
    free(made);
    free(text);
    return (status == GMS_OK)           ? GMS_TOOL_OK
           : (status == GMS_ERR_CONFIG) ? GMS_TOOL_WRONG
                                        : GMS_TOOL_REFUSED;
}
