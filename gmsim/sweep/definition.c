/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes the definition of a sweep as lines of text, and compares it with the
 * definition of a started sweep. The definition omits settings that may change
 * between two starts: the time limit, the results, and the number of
 * simultaneous runs.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "yaml/loader.h"
#include "sweep/state.h"
#include "sweep/text.h"

/** Writes a string as one line. */
static void gms_sweep_put_line(FILE *out, const char *text)
{
    for (; *text != '\0'; ++text) {
        if (*text == '\n') {
            fputs("\\n", out);
        } else {
            fputc(*text, out);
        }
    }
}

static void gms_sweep_define_values(FILE *out, const gms_sweep_t *sweep,
                                    size_t at)
{
    const gms_sweep_variable_t *variable = &sweep->variables[at];
    size_t i;

    fprintf(out, "%s: ", variable->name);
    for (i = 0; i < variable->count; ++i) {
        char *quoted = gms_sweep_quote(variable->values[i]);

        fputs((i > 0) ? " " : "", out);
        gms_sweep_put_line(out, (quoted != NULL) ? quoted : "");
        free(quoted);
    }
    /* names of the variables that advance together */
    for (i = 0; i < at; ++i) {
        if (sweep->variables[i].axis == variable->axis) {
            fprintf(out, " (together with %s)", sweep->variables[i].name);
            break;
        }
    }
    fputc('\n', out);
}

char *gms_sweep_definition(const gms_sweep_t *sweep)
{
    char *text = NULL;
    size_t len = 0, i;
    FILE *out = open_memstream(&text, &len);

    if (out == NULL) {
        return NULL;
    }
    fprintf(out, "gmqos: %s\ncommand: ", GMQOS_VERSION);
    gms_sweep_put_line(out, sweep->command);
    fputc('\n', out);
    for (i = 0; i < sweep->setting_count; ++i) {
        fprintf(out, "set %s: ", sweep->settings[i].name);
        gms_sweep_put_line(out, sweep->settings[i].value);
        fputc('\n', out);
    }
    fputs("order:", out);
    for (i = 0; i < sweep->variable_count; ++i) {
        fprintf(out, " %s", sweep->variables[i].name);
    }
    fputc('\n', out);
    for (i = 0; i < sweep->variable_count; ++i) {
        gms_sweep_define_values(out, sweep, i);
    }
    fprintf(out, "repetitions: %" PRIu64 "\nrecord: %s\n", sweep->repetitions,
            sweep->is_recorded ? "true" : "false");
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* ---- comparison ---- */

/** Finds the line of `text` whose key (the part before the colon) equals the
 *  key of the given line.
 *  @return length of the line, or 0 if there is no such line */
static size_t gms_sweep_find_line(const char *text, const char *line,
                                  const char **found_p)
{
    size_t key = strcspn(line, ":\n");

    while (*text != '\0') {
        size_t len = strcspn(text, "\n");

        if (strncmp(text, line, key) == 0 && text[key] == ':') {
            *found_p = text;
            return len;
        }
        text += len + (text[len] == '\n');
    }
    return 0;
}

/** Reports the lines of `text` whose keys do not occur in `other`. If is_was is
 *  set, the function also reports the lines whose values differ in `other`. */
static void gms_sweep_compare(const char *text, const char *other, int is_was,
                              char error[GMS_YAML_ERROR_LEN])
{
    while (*text != '\0') {
        size_t len = strcspn(text, "\n"), key = strcspn(text, ":\n");
        size_t skip = key + ((text[key] == ':') ? 2 : 0);
        const char *found = "";
        size_t found_len = gms_sweep_find_line(other, text, &found);

        if (found_len == 0) {
            gms_yaml_append(error,
                            is_was
                                ? "  %.*s: removed; the former value was %.*s\n"
                                : "  %.*s: added with the value %.*s\n",
                            (int)key, text, (int)(len - skip), text + skip);
        } else if (is_was &&
                   (found_len != len || memcmp(text, found, len) != 0)) {
            gms_yaml_append(error, "  %.*s: changed from %.*s to %.*s\n",
                            (int)key, text, (int)(len - skip), text + skip,
                            (int)(found_len - skip), found + skip);
        }
        text += len + (text[len] == '\n');
    }
}

void gms_sweep_differ(const char *was, const char *is,
                      char error[GMS_YAML_ERROR_LEN])
{
    gms_sweep_compare(was, is, 1, error);
    gms_sweep_compare(is, was, 0, error);
}
