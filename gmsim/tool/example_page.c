/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the files whose contents a page of the documentation shows.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/example.h"

#define GMS_EXAMPLE_FENCE "```"

/** State of the reader between lines. */
typedef struct gms_example_reader {
    const char *root;
    gms_example_page_t *page;
    int in_block; /* 1: the line is between two code fences */
    FILE *text;   /* the file in the current block, or NULL */
} gms_example_reader_t;

static gms_example_file_t *gms_example_add(gms_example_page_t *page,
                                           const char *name, size_t length)
{
    gms_example_file_t *files =
        reallocarray(page->files, page->count + 1, sizeof(*files));

    if (files == NULL) {
        return NULL;
    }
    page->files = files;
    files[page->count] = (gms_example_file_t){.name = strndup(name, length)};
    return files[page->count].name != NULL ? &files[page->count++] : NULL;
}

/*
 * Find the file name at the beginning of a block's first line, after the
 * comment sign. @return length of the name; 0 if the block is not a file
 */
static size_t gms_example_name(const char *line, const char **name_p)
{
    static const char *const signs[] = {"/* ", "# ", "! ", "// "};
    size_t i, length;

    for (i = 0; i < sizeof(signs) / sizeof(signs[0]); ++i) {
        const char *name = line + strlen(signs[i]);

        if (strncmp(line, signs[i], strlen(signs[i])) != 0) {
            continue;
        }
        for (length = 0; isalnum((unsigned char)name[length]) ||
                         (name[length] != '\0' && strchr("._-", name[length]));
             ++length) {
        }
        *name_p = name;
        /* a file name has an extension and does not begin with a period */
        return length > 0 && name[0] != '.' && name[length - 1] != '.' &&
                       memchr(name, '.', length) != NULL &&
                       strchr(" :\n", name[length]) != NULL
                   ? length
                   : 0;
    }
    return 0;
}

static int gms_example_begin_block(gms_example_reader_t *reader,
                                   const char *line)
{
    const char *name;
    size_t length = gms_example_name(line, &name);
    gms_example_file_t *file;

    if (length == 0) {
        return 0;
    }
    file = gms_example_add(reader->page, name, length);
    if (file == NULL) {
        return -1;
    }
    reader->text = open_memstream(&file->text, &file->length);
    return reader->text != NULL ? 0 : -1;
}

static int gms_example_end_block(gms_example_reader_t *reader)
{
    FILE *text = reader->text;

    reader->in_block = 0;
    reader->text = NULL;
    return text != NULL ? fclose(text) : 0;
}

static int gms_example_copy(gms_example_page_t *page, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    gms_example_file_t *file = gms_example_add(page, name, strlen(name));
    FILE *from, *text;
    int byte;

    if (file == NULL) {
        return -1;
    }
    from = fopen(path, "re");
    if (from == NULL) {
        return -1;
    }
    text = open_memstream(&file->text, &file->length);
    while (text != NULL && (byte = getc(from)) != EOF) {
        (void)putc(byte, text);
    }
    (void)fclose(from);
    return text != NULL ? fclose(text) : -1;
}

/* Read the files in a line `<!-- with: FILE.. -->`. */
static int gms_example_with(gms_example_reader_t *reader, char *line)
{
    char *rest = NULL, *word = strtok_r(line, " \n", &rest), path[PATH_MAX];

    for (; word != NULL; word = strtok_r(NULL, " \n", &rest)) {
        if (strchr(word, '/') == NULL) {
            continue; /* skip the delimiters of the comment */
        }
        (void)snprintf(path, sizeof(path), "%s/%s", reader->root, word);
        if (gms_example_copy(reader->page, path) != 0) {
            return -1;
        }
    }
    return 0;
}

static int gms_example_line(gms_example_reader_t *reader, char *line)
{
    const size_t fence = strlen(GMS_EXAMPLE_FENCE);

    if (strncmp(line, GMS_EXAMPLE_FENCE, fence) == 0) {
        if (reader->in_block > 0) {
            return gms_example_end_block(reader);
        }
        reader->in_block = 1;
        return 0;
    }
    if (reader->in_block > 0) {
        if (reader->in_block++ == 1 &&
            gms_example_begin_block(reader, line) != 0) {
            return -1;
        }
        return reader->text == NULL || fputs(line, reader->text) >= 0 ? 0 : -1;
    }
    if (strncmp(line, "# ", 2) == 0 && reader->page->title == NULL) {
        line[strcspn(line, "\n")] = '\0';
        reader->page->title = strdup(line + 2);
        return reader->page->title != NULL ? 0 : -1;
    }
    return strncmp(line, "<!-- with: ", 11) == 0
               ? gms_example_with(reader, line)
               : 0;
}

int gms_example_read(const char *root, const char *path,
                     gms_example_page_t *page)
{
    gms_example_reader_t reader = {.root = root, .page = page};
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    int status = 0, error;

    memset(page, 0, sizeof(*page));
    if (file == NULL) {
        return -1;
    }
    errno = 0;
    while (status == 0 && getline(&line, &room, file) >= 0) {
        status = gms_example_line(&reader, line);
    }
    error = status != 0 || ferror(file) ? errno : 0;
    (void)gms_example_end_block(&reader);
    (void)fclose(file);
    free(line);
    errno = error;
    return error != 0 || status != 0 ? -1 : 0;
}

void gms_example_free(gms_example_page_t *page)
{
    size_t i;

    for (i = 0; i < page->count; ++i) {
        free(page->files[i].name);
        free(page->files[i].text);
    }
    free(page->files);
    free(page->title);
    memset(page, 0, sizeof(*page));
}
