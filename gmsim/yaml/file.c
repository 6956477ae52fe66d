/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the lowest layer of the loader: reads a file as a YAML document,
 * and reports the position of invalid YAML.
 */
#include "yaml/loader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/printable.h"
#include "yaml/depth.h"

/* Maximum length of a file. A typical description is a page of text. */
#define GMS_FILE_MAX_BYTES GMS_LIMIT_YAML_BYTES
/* Initial size of the buffer, which is sufficient for most files. */
#define GMS_FILE_FIRST_BYTES ((size_t)8 << 10)

/** Read a stream to its end, or to one byte beyond the limit.
 *  @return the text, which the caller frees, or NULL with the reason in
 *    errno */
static unsigned char *gms_file_read(FILE *file, size_t *bytes_p)
{
    size_t room = GMS_FILE_FIRST_BYTES, bytes = 0;
    unsigned char *text = malloc(room), *more;

    while (text != NULL) {
        errno = 0;
        bytes += fread(text + bytes, 1, room - bytes, file);
        if (ferror(file)) {
            free(text);
            return NULL;
        }
        if (bytes < room || room > GMS_FILE_MAX_BYTES) {
            break;
        }
        room =
            (room > GMS_FILE_MAX_BYTES / 2) ? GMS_FILE_MAX_BYTES + 1 : room * 2;
        more = realloc(text, room);
        if (more == NULL) {
            free(text);
        }
        text = more;
    }
    *bytes_p = bytes;
    return text;
}

/** Read a whole file.
 *  @return the text, which the caller frees; NULL if an error occurred, which
 *    the function has already reported */
static unsigned char *gms_loader_read(gms_loader_t *loader, const char *path,
                                      size_t *bytes_p)
{
    unsigned char *text = NULL;
    FILE *file = fopen(path, "r");

    if (file != NULL) {
        text = gms_file_read(file, bytes_p);
    }
    if (text == NULL) {
        (void)gms_loader_fail(loader, 0, "cannot be read: %s", strerror(errno));
    } else if (*bytes_p > GMS_FILE_MAX_BYTES) {
        (void)gms_loader_fail(loader, 0,
                              "is not a %s: the file is longer than 1 MiB",
                              loader->what);
        free(text);
        text = NULL;
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return text;
}

/** Return 1 if a line begins with a tab, or with blanks and a tab. */
static int gms_file_has_tab(const unsigned char *text, size_t bytes,
                            size_t line)
{
    size_t i = 0;

    for (; i < bytes && line > 1; ++i) {
        line -= (text[i] == '\n');
    }
    while (i < bytes && text[i] == ' ') {
        ++i;
    }
    return i < bytes && text[i] == '\t';
}

/** Return a hint about the most frequent causes of an error, because libyaml's
 *  message names only the element that libyaml expected. */
static const char *gms_file_hint(const char *problem, int has_tab)
{
    if (has_tab) {
        return " (the line begins with a tab; allowed: spaces)";
    }
    if (strstr(problem, "did not find expected key") != NULL ||
        strstr(problem, "did not find expected '-'") != NULL ||
        strstr(problem, "mapping values are not allowed") != NULL ||
        strstr(problem, "could not find expected ':'") != NULL) {
        return " (check that the line begins in the same column as the other "
               "lines of its block; put quotes around a text that contains ': "
               "' or a quote)";
    }
    return "";
}

/** Report an error of libyaml. For bytes that cannot be decoded, libyaml
 *  provides an offset instead of a line. */
static gms_status_t gms_loader_syntax(gms_loader_t *loader,
                                      const yaml_parser_t *parser,
                                      const unsigned char *text, size_t bytes)
{
    const char *problem =
        (parser->problem != NULL) ? parser->problem : "out of memory";
    size_t line = parser->problem_mark.line + 1, i;

    if (parser->error == YAML_READER_ERROR) {
        line = 1;
        for (i = 0; i < parser->problem_offset && i < bytes; ++i) {
            line += (text[i] == '\n');
        }
    }
    return gms_loader_fail(
        loader, line, "not valid YAML: %s%s%s%s", problem,
        (parser->context != NULL) ? " " : "",
        (parser->context != NULL) ? parser->context : "",
        gms_file_hint(problem, gms_file_has_tab(text, bytes, line)));
}

/** Reject a second document in the file, because it would otherwise be ignored
 *  silently. */
static gms_status_t gms_loader_end(gms_loader_t *loader, yaml_parser_t *parser,
                                   const unsigned char *text, size_t bytes)
{
    gms_status_t status = GMS_OK;
    yaml_document_t next;

    if (!yaml_parser_load(parser, &next)) {
        return gms_loader_syntax(loader, parser, text, bytes);
    }
    if (yaml_document_get_root_node(&next) != NULL) {
        status = gms_loader_fail(
            loader, yaml_document_get_root_node(&next)->start_mark.line + 1,
            "a second document; allowed: %s per file", loader->each);
    }
    yaml_document_delete(&next);
    return status;
}

static gms_status_t gms_loader_parse(gms_loader_t *loader,
                                     const unsigned char *text, size_t bytes)
{
    yaml_document_t document;
    yaml_parser_t parser;
    gms_status_t status;
    size_t line = 0;

    if (!gms_yaml_is_flat(text, bytes, &line)) {
        return gms_loader_fail(
            loader, line,
            "lists and mappings are nested too deeply; allowed: %u levels",
            GMS_LIMIT_DEPTH);
    }
    if (!yaml_parser_initialize(&parser)) {
        return gms_loader_fail(loader, 0, "cannot be read: out of memory");
    }
    yaml_parser_set_input_string(&parser, text, bytes);
    if (!yaml_parser_load(&parser, &document)) {
        status = gms_loader_syntax(loader, &parser, text, bytes);
    } else {
        loader->document = &document;
        status =
            loader->on_root(loader, yaml_document_get_root_node(&document));
        if (status == GMS_OK) {
            status = gms_loader_end(loader, &parser, text, bytes);
        }
        yaml_document_delete(&document);
    }
    yaml_parser_delete(&parser);
    return status;
}

gms_status_t gms_loader_file(gms_loader_t *loader, const char *path)
{
    unsigned char *text;
    gms_status_t status;
    size_t bytes = 0;

    loader->file = path;
    loader->what = loader->what != NULL ? loader->what : "description";
    loader->each = loader->each != NULL ? loader->each : "one description";
    /* the end of a long path is more useful than its beginning */
    if (strlen(path) < sizeof(loader->path)) {
        strcpy(loader->path, path);
    } else {
        (void)snprintf(loader->path, sizeof(loader->path), "...%s",
                       path + strlen(path) - sizeof(loader->path) + 4);
    }
    (void)gms_printable_here(loader->path);
    text = gms_loader_read(loader, path, &bytes);
    if (text == NULL) {
        return GMS_ERR_CONFIG;
    }
    status = gms_loader_parse(loader, text, bytes);
    free(text);
    gms_loader_close(loader);
    return status;
}
