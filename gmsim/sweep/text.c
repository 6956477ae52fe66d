/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaces names in braces with values. In command lines, the code tracks the
 * shell's quotes and brackets, and it quotes every value. If the context is
 * unknown, the code accepts only values without special characters.
 */
#include "sweep/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Maximum depth of nested $(, ( and "$( in a command line. */
#define GMS_SWEEP_DEPTH 32

static const char gms_sweep_letters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
/* Characters that no shell treats specially, quoted or not. */
static const char gms_sweep_plain[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789@%+=:,./-";

/* Characters that the name of a shell variable may contain. */
static const char gms_sweep_name_chars[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

typedef enum gms_sweep_place {
    GMS_SWEEP_BARE = 0,
    GMS_SWEEP_SINGLE, /* in '..' */
    GMS_SWEEP_DOUBLE  /* in ".." */
} gms_sweep_place_t;

typedef struct gms_sweep_filler {
    FILE *out;
    const char *at; /* the remaining part of the template */
    gms_sweep_lookup_fn *lookup;
    void *context;
    char *wrong;
    gms_sweep_place_t places[GMS_SWEEP_DEPTH]; /* stack of the open quotes and
                                                * brackets, beginning with the
                                                * outermost */
    unsigned depth;                            /* index of the innermost open
                                                * quote or bracket */
    /* 1 if a # at this position begins a comment */
    int is_word_begin;
    int is_backquoted;
    int is_rough; /* 1 if the position is inside or after a construct that this
                   * reader does not understand */
} gms_sweep_filler_t;

int gms_sweep_is_name(const char *text)
{
    return text[0] != '\0' && strchr(gms_sweep_letters, text[0]) != NULL &&
           strlen(text) < GMS_SWEEP_NAME_LEN &&
           text[strspn(text, gms_sweep_plain)] == '\0' &&
           strpbrk(text, "@%+=:,/") == NULL;
}

/** Finds a name in braces at the beginning of a text.
 *  @return length of the name including the braces, or 0 if there is no name */
static size_t gms_sweep_braced(const char *text, char name[GMS_SWEEP_NAME_LEN])
{
    const char *end = (text[0] == '{') ? strchr(text, '}') : NULL;

    if (end == NULL || end - text > GMS_SWEEP_NAME_LEN) {
        return 0;
    }
    memcpy(name, text + 1, (size_t)(end - text - 1));
    name[end - text - 1] = '\0';
    return gms_sweep_is_name(name) ? (size_t)(end - text) + 1 : 0;
}

/** Writes a value in a form that the shell reads as the same text. */
static void gms_sweep_put_quoted(FILE *out, gms_sweep_place_t place,
                                 const char *value)
{
    const char *p;

    if (place == GMS_SWEEP_BARE &&
        (value[0] == '\0' || value[strspn(value, gms_sweep_plain)] != '\0')) {
        fputc('\'', out);
        gms_sweep_put_quoted(out, GMS_SWEEP_SINGLE, value);
        fputc('\'', out);
        return;
    }
    for (p = value; *p != '\0'; ++p) {
        if (place == GMS_SWEEP_SINGLE && *p == '\'') {
            fputs("'\\''", out);
            continue;
        }
        if (place == GMS_SWEEP_DOUBLE && strchr("\\\"$`", *p) != NULL) {
            fputc('\\', out);
        }
        fputc(*p, out);
    }
}

/** Checks whether the shell would treat an unquoted plain value as a descriptor
 *  (digits before < or >), an assignment or a reserved word. */
static int gms_sweep_is_taken(const gms_sweep_filler_t *filler,
                              const char *value)
{
    static const char *const reserved[] = {
        "if",    "then",  "elif",   "else",     "fi",    "for",
        "while", "until", "do",     "done",     "case",  "esac",
        "in",    "time",  "coproc", "function", "select"};
    const char *next = filler->at + strcspn(filler->at, "}");
    size_t i;

    if (filler->places[filler->depth] != GMS_SWEEP_BARE || value[0] == '\0' ||
        value[strspn(value, gms_sweep_plain)] != '\0') {
        return 0;
    }
    next += (*next == '}');
    next += strspn(next, "0123456789");
    for (i = 0; i < sizeof(reserved) / sizeof(reserved[0]); ++i) {
        if (strcmp(value, reserved[i]) == 0) {
            return 1;
        }
    }
    return *next == '<' || *next == '>' || strchr(value, '=') != NULL;
}

static gms_status_t gms_sweep_put_value(gms_sweep_filler_t *filler,
                                        const char *name, int is_command)
{
    const char *value = filler->lookup(filler->context, name);

    if (value == NULL) {
        (void)snprintf(filler->wrong, GMS_YAML_ERROR_LEN, "%s", name);
        return GMS_ERR_NOT_FOUND;
    }
    if (!is_command) {
        fputs(value, filler->out);
        return GMS_OK;
    }
    if (filler->is_backquoted) {
        (void)snprintf(filler->wrong, GMS_YAML_ERROR_LEN,
                       "the value of {%s} cannot be quoted within backquotes; "
                       "allowed: $(..)",
                       name);
        return GMS_ERR_CONFIG;
    }
    if (filler->is_rough && value[strspn(value, gms_sweep_plain)] != '\0') {
        (void)snprintf(
            filler->wrong, GMS_YAML_ERROR_LEN,
            "the value of {%s} contains special characters. These characters "
            "cannot be quoted reliably in or after <<, $'..', ${..}, $((..)), "
            "$[..], case, backquotes, )# or a word that spans two lines. "
            "Allowed: letters, digits and @%%+=:,./-_, or {%s} before the "
            "first of these constructs",
            name, name);
        return GMS_ERR_CONFIG;
    }
    if (!filler->is_rough && gms_sweep_is_taken(filler, value)) {
        /* the value has no special characters */
        fprintf(filler->out, "'%s'", value);
        return GMS_OK;
    }
    gms_sweep_put_quoted(filler->out, filler->places[filler->depth], value);
    return GMS_OK;
}

/** If the template continues with a name in braces, handles this name.
 *  @param [out] taken_p number of characters to skip, or 0 if the text does not
 *    continue with a name */
static gms_status_t gms_sweep_name_here(gms_sweep_filler_t *filler,
                                        int is_command, size_t *taken_p)
{
    char name[GMS_SWEEP_NAME_LEN];
    size_t len;

    *taken_p = 0;
    if (filler->at[0] == '{') {
        len = gms_sweep_braced(filler->at + 1, name);
        if (len > 0 && filler->at[1 + len] == '}') {
            fprintf(filler->out, "{%s}", name);
            *taken_p = len + 2;
            return GMS_OK;
        }
    }
    len = gms_sweep_braced(filler->at, name);
    *taken_p = len;
    return (len > 0) ? gms_sweep_put_value(filler, name, is_command) : GMS_OK;
}

/* ---- plain texts ---- */

/* Finishes the processing of a template. The caller owns the resulting text,
 * unless an error occurred. */
static gms_status_t gms_sweep_close(gms_sweep_filler_t *filler,
                                    gms_status_t status, char **text,
                                    char **text_p)
{
    if (fclose(filler->out) != 0 && status == GMS_OK) {
        status = GMS_ERR_NO_MEMORY;
    }
    if (status != GMS_OK) {
        free(*text);
        return status;
    }
    *text_p = *text;
    return GMS_OK;
}

gms_status_t gms_sweep_fill(const char *template, gms_sweep_lookup_fn *lookup,
                            void *context, char **text_p,
                            char wrong[GMS_YAML_ERROR_LEN])
{
    gms_sweep_filler_t filler = {
        .at = template, .lookup = lookup, .context = context, .wrong = wrong};
    gms_status_t status = GMS_OK;
    char *text = NULL;
    size_t len = 0, taken;

    filler.out = open_memstream(&text, &len);
    if (filler.out == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    while (*filler.at != '\0' && status == GMS_OK) {
        status = gms_sweep_name_here(&filler, 0, &taken);
        if (taken == 0) {
            fputc(*filler.at, filler.out);
            taken = 1;
        }
        filler.at += taken;
    }
    return gms_sweep_close(&filler, status, &text, text_p);
}

/* ---- command lines ---- */

static size_t gms_sweep_copy(gms_sweep_filler_t *filler, size_t len)
{
    fwrite(filler->at, 1, len, filler->out);
    return len;
}

static gms_status_t gms_sweep_enter(gms_sweep_filler_t *filler,
                                    gms_sweep_place_t place)
{
    if (filler->depth + 1 == GMS_SWEEP_DEPTH) {
        (void)snprintf(
            filler->wrong, GMS_YAML_ERROR_LEN,
            "quotes and brackets are nested too deeply; allowed: %d levels",
            GMS_SWEEP_DEPTH - 1);
        return GMS_ERR_CONFIG;
    }
    filler->places[++filler->depth] = place;
    return GMS_OK;
}

/** Checks whether the text after ${ consists only of a name and a closing
 *  bracket. */
static int gms_sweep_is_variable(const char *text)
{
    size_t first = strspn(text, gms_sweep_letters);

    return first > 0 &&
           text[first + strspn(text + first, gms_sweep_name_chars)] == '}';
}

/** Returns 1 if this reader cannot interpret the next construct, or if the
 *  shell applies other rules to values in this construct. If the function
 *  returns 1 unnecessarily, the only effect is that values that need quotes are
 *  rejected. */
static int gms_sweep_is_rough(const gms_sweep_filler_t *filler)
{
    const char *at = filler->at;

    if (filler->places[filler->depth] == GMS_SWEEP_SINGLE) {
        return 0;
    }
    if (at[0] == '$') {
        return at[1] == '[' || (at[1] == '(' && at[2] == '(') ||
               (at[1] == '{' && !gms_sweep_is_variable(at + 2)) ||
               (at[1] == '\'' &&
                filler->places[filler->depth] == GMS_SWEEP_BARE);
    }
    if (at[0] == '`') {
        return 1;
    }
    if (filler->places[filler->depth] != GMS_SWEEP_BARE) {
        return 0;
    }
    return strncmp(at, "<<", 2) == 0 || strncmp(at, "((", 2) == 0 ||
           strncmp(at, ")#", 2) == 0 ||
           (strncmp(at, "\\\n", 2) == 0 && !filler->is_word_begin) ||
           (strncmp(at, "case", 4) == 0 && filler->is_word_begin &&
            strchr(gms_sweep_name_chars, at[4]) == NULL);
}

/** Handles the next characters outside quotes. @param [out] len_p number of
 *  characters that the function has understood */
static gms_status_t gms_sweep_follow_bare(gms_sweep_filler_t *filler,
                                          size_t *len_p)
{
    const char *at = filler->at;

    switch (at[0]) {
    case '\\':
        *len_p = (at[1] != '\0') ? 2 : 1;
        return GMS_OK;
    case '#':
        /* skip the rest of the line, because names in a comment are not
         * replaced */
        *len_p = filler->is_word_begin ? strcspn(at, "\n") : 1;
        return GMS_OK;
    case '\'':
        return gms_sweep_enter(filler, GMS_SWEEP_SINGLE);
    case '"':
        return gms_sweep_enter(filler, GMS_SWEEP_DOUBLE);
    case '(':
        return gms_sweep_enter(filler, GMS_SWEEP_BARE);
    case ')':
        /* a closing bracket without an opening bracket belongs to a `case`
         * statement */
        filler->depth -= (filler->depth > 0);
        return GMS_OK;
    default:
        return GMS_OK;
    }
}

static gms_status_t gms_sweep_follow_double(gms_sweep_filler_t *filler,
                                            size_t *len_p)
{
    const char *at = filler->at;

    if (at[0] == '\\' && at[1] != '\0') {
        *len_p = 2;
    } else if (at[0] == '"') {
        --filler->depth;
    } else if (at[0] == '$' && at[1] == '(') {
        *len_p = 2;
        return gms_sweep_enter(filler, GMS_SWEEP_BARE);
    }
    return GMS_OK;
}

/** Copies the next part of the template, and tracks its quotes and brackets. */
static gms_status_t gms_sweep_follow(gms_sweep_filler_t *filler)
{
    gms_sweep_place_t place = filler->places[filler->depth];
    gms_status_t status = GMS_OK;
    const char *at = filler->at;
    size_t len = 1;

    filler->is_rough = filler->is_rough || gms_sweep_is_rough(filler);
    if (place == GMS_SWEEP_SINGLE) {
        filler->depth -= (at[0] == '\'');
    } else if (at[0] == '`') {
        filler->is_backquoted = !filler->is_backquoted;
    } else if (at[0] == '$' && at[1] == '{') {
        len = 2; /* a shell variable */
    } else if (place == GMS_SWEEP_DOUBLE) {
        status = gms_sweep_follow_double(filler, &len);
    } else {
        status = gms_sweep_follow_bare(filler, &len);
    }
    filler->at += gms_sweep_copy(filler, len);
    if (len != 2 || strncmp(at, "\\\n", 2) != 0) {
        filler->is_word_begin = (len == 1 || strncmp(at, "$(", 2) == 0) &&
                                strchr(" \t\n;&|(<>", at[len - 1]) != NULL;
    }
    return status;
}

static gms_status_t gms_sweep_follow_all(gms_sweep_filler_t *filler)
{
    gms_status_t status = GMS_OK;
    size_t taken;

    while (*filler->at != '\0' && status == GMS_OK) {
        status = gms_sweep_name_here(filler, 1, &taken);
        if (taken > 0) {
            filler->at += taken;
            filler->is_word_begin = 0;
        } else {
            status = gms_sweep_follow(filler);
        }
    }
    if (status == GMS_OK && (filler->depth > 0 || filler->is_backquoted)) {
        (void)snprintf(filler->wrong, GMS_YAML_ERROR_LEN,
                       "a quote or bracket is not closed");
        status = GMS_ERR_CONFIG;
    }
    return status;
}

gms_status_t gms_sweep_fill_command(const char *template,
                                    gms_sweep_lookup_fn *lookup, void *context,
                                    char **text_p,
                                    char wrong[GMS_YAML_ERROR_LEN])
{
    gms_sweep_filler_t filler = {.at = template,
                                 .lookup = lookup,
                                 .context = context,
                                 .wrong = wrong,
                                 .is_word_begin = 1};
    gms_status_t status;
    char *text = NULL;
    size_t len = 0;

    filler.out = open_memstream(&text, &len);
    if (filler.out == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    status = gms_sweep_follow_all(&filler);
    return gms_sweep_close(&filler, status, &text, text_p);
}

/* ---- values of a run ---- */

typedef struct gms_sweep_values {
    const gms_sweep_t *sweep;
    uint64_t run;
    const char *directory;
    char number[24];
} gms_sweep_values_t;

static const char *gms_sweep_lookup(void *context, const char *name)
{
    gms_sweep_values_t *values = context;
    const gms_sweep_t *sweep = values->sweep;
    size_t i;

    if (strcmp(name, "seed") == 0) {
        (void)snprintf(values->number, sizeof(values->number), "%" PRIu64,
                       gms_sweep_seed(sweep, values->run));
        return values->number;
    }
    if (strcmp(name, "point") == 0) {
        (void)snprintf(values->number, sizeof(values->number), "%" PRIu64,
                       values->run + 1);
        return values->number;
    }
    if (strcmp(name, "folder") == 0) {
        return values->directory;
    }
    for (i = 0; i < sweep->variable_count; ++i) {
        if (strcmp(name, sweep->variables[i].name) == 0) {
            return gms_sweep_value(sweep, &sweep->variables[i], values->run);
        }
    }
    return NULL;
}

gms_status_t gms_sweep_command(const gms_sweep_t *sweep, uint64_t run,
                               const char *directory, char **text_p,
                               char wrong[GMS_YAML_ERROR_LEN])
{
    gms_sweep_values_t values = {
        .sweep = sweep, .run = run, .directory = directory};

    return gms_sweep_fill_command(sweep->command, gms_sweep_lookup, &values,
                                  text_p, wrong);
}

gms_status_t gms_sweep_setting(const gms_sweep_t *sweep,
                               const gms_sweep_setting_t *setting, uint64_t run,
                               char **text_p, char wrong[GMS_YAML_ERROR_LEN])
{
    gms_sweep_values_t values = {.sweep = sweep, .run = run, .directory = ""};

    return gms_sweep_fill(setting->value, gms_sweep_lookup, &values, text_p,
                          wrong);
}

char *gms_sweep_quote(const char *text)
{
    char *quoted = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&quoted, &len);

    if (out == NULL) {
        return NULL;
    }
    gms_sweep_put_quoted(out, GMS_SWEEP_BARE, text);
    if (fclose(out) != 0) {
        free(quoted);
        return NULL;
    }
    return quoted;
}
