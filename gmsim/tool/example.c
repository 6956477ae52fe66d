/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gmsim example: copies the files that a page of the documentation shows into the
 * current directory, or lists the pages with such files.
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/directory.h"
#include "tool/example.h"
#include "tool/tool.h"

/** Pages of the documentation, as patterns relative to its directory. */
static const char *const gms_example_patterns[] = {
    "doc/*.md", "doc/tutorial/*.md", "doc/howto/*.md", "doc/reference/*.md"};

#define GMS_EXAMPLE_PATTERNS                                                   \
    (sizeof(gms_example_patterns) / sizeof(gms_example_patterns[0]))

/** Directory of the installed documentation. */
typedef struct gms_example_pages {
    char root[PATH_MAX];
    glob_t found; /* paths of all pages that match these patterns */
} gms_example_pages_t;

static error_t gms_example_parse(int key, char *arg, struct argp_state *state)
{
    const char **name_p = state->input;

    if (key != ARGP_KEY_ARG) {
        return ARGP_ERR_UNKNOWN;
    }
    if (*name_p != NULL) {
        argp_error(state,
                   "unexpected argument '%s' (only one example is allowed)",
                   arg);
        return EINVAL;
    }
    *name_p = arg;
    return 0;
}

/* ---- pages ---- */

/** Find the pages.
 *  @return 0, or -1 after a message */
static int gms_example_find(gms_example_pages_t *pages)
{
    char programs[PATH_MAX], path[2 * PATH_MAX];
    size_t i;

    memset(&pages->found, 0, sizeof(pages->found));
    if (gms_directory_of_program(programs) != 0) {
        fputs("gmsim example: cannot find the directory of gmsim "
              "(/proc/self/exe)\n",
              stderr);
        return -1;
    }
    (void)snprintf(path, sizeof(path), "%s/%s", programs,
                   GMQOS_DOCDIR_FROM_BINDIR);
    for (i = 0; realpath(path, pages->root) != NULL && i < GMS_EXAMPLE_PATTERNS;
         ++i) {
        char pattern[PATH_MAX + 32];

        (void)snprintf(pattern, sizeof(pattern), "%s/%s", pages->root,
                       gms_example_patterns[i]);
        (void)glob(pattern, i > 0 ? GLOB_APPEND : 0, NULL, &pages->found);
    }
    if (pages->found.gl_pathc == 0) {
        fprintf(stderr,
                "gmsim example: there is no documentation in %s; install gmqos "
                "with its documentation\n",
                path);
        return -1;
    }
    return 0;
}

/*
 * The name of an example is its page's file name without extension: tutorial
 * for doc/tutorial.md.
 */
static int gms_example_is(const char *path, const char *name)
{
    const char *file = strrchr(path, '/') + 1;
    size_t length = strlen(file) - strlen(".md");

    return strlen(name) == length && strncmp(file, name, length) == 0;
}

/** Read a page, or print the reason why it cannot be read. The caller frees the
 *  page.
 *  @return 0, or -1 (the caller need not free anything) */
static int gms_example_open(const gms_example_pages_t *pages, const char *path,
                            gms_example_page_t *page)
{
    if (gms_example_read(pages->root, path, page) == 0) {
        return 0;
    }
    fprintf(stderr, "gmsim example: cannot read %s: %s\n", path,
            strerror(errno));
    gms_example_free(page);
    return -1;
}

static int gms_example_list(const gms_example_pages_t *pages)
{
    gms_example_page_t page;
    size_t i;

    for (i = 0; i < pages->found.gl_pathc; ++i) {
        const char *path = pages->found.gl_pathv[i];
        const char *file = strrchr(path, '/') + 1;

        if (gms_example_open(pages, path, &page) != 0) {
            return GMS_TOOL_REFUSED;
        }
        if (page.count > 0) {
            printf("%-24.*s %s\n", (int)(strlen(file) - strlen(".md")), file,
                   page.title != NULL ? page.title : "");
        }
        gms_example_free(&page);
    }
    return GMS_TOOL_OK;
}

/* ---- files ---- */

/** Create a file, but never replace an existing file. @return 0, or -1 with
 *  errno */
static int gms_example_write(const gms_example_file_t *from)
{
    int opened =
        open(from->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *file = opened >= 0 ? fdopen(opened, "w") : NULL;
    size_t written;
    int error;

    if (file == NULL) {
        return -1;
    }
    written = fwrite(from->text, 1, from->length, file);
    error = written < from->length ? errno : 0;
    if (fclose(file) != 0 && error == 0) {
        error = errno;
    }
    if (error != 0) {
        (void)unlink(from->name);
        errno = error;
        return -1;
    }
    return 0;
}

/** Copy either all files or none. */
static int gms_example_write_all(const gms_example_page_t *page)
{
    size_t i, j;

    for (i = 0; i < page->count; ++i) {
        if (gms_example_write(&page->files[i]) == 0) {
            continue;
        }
        fprintf(stderr, "gmsim example: cannot create '%s': %s%s\n",
                page->files[i].name, strerror(errno),
                errno == EEXIST ? "; remove it, or change to an empty directory"
                                : "");
        for (j = 0; j < i; ++j) {
            (void)unlink(page->files[j].name);
        }
        return GMS_TOOL_REFUSED;
    }
    for (i = 0; i < page->count; ++i) {
        puts(page->files[i].name);
    }
    return GMS_TOOL_OK;
}

static int gms_example_get(const gms_example_pages_t *pages, const char *name)
{
    gms_example_page_t page;
    int status = GMS_TOOL_USAGE;
    size_t i;

    for (i = 0; i < pages->found.gl_pathc && status == GMS_TOOL_USAGE; ++i) {
        const char *path = pages->found.gl_pathv[i];

        if (!gms_example_is(path, name)) {
            continue;
        }
        if (gms_example_open(pages, path, &page) != 0) {
            return GMS_TOOL_REFUSED;
        }
        if (page.count > 0) {
            status = gms_example_write_all(&page);
        }
        gms_example_free(&page);
    }
    if (status == GMS_TOOL_USAGE) {
        fprintf(stderr,
                "gmsim example: there is no example '%s'; `gmsim example' "
                "without a name lists all examples\n",
                name);
    }
    return status;
}

int gms_tool_example(int argc, char **argv)
{
    const struct argp argp = {
        .parser = gms_example_parse,
        .args_doc = "[NAME]",
        .doc =
            "Copy the files of an example into the current directory, or list "
            "the examples."
            "\v"
            "An example is a page of the documentation, such as tutorial, that "
            "shows complete files. The command prints the name of each file. "
            "Existing files are never replaced. If one of the files exists, "
            "nothing is copied. Exit status: 0 the files were copied; 1 a file "
            "could not be created; 2 invalid usage or an unknown example.\n"
            "Example: gmsim example tutorial"};
    gms_example_pages_t pages;
    const char *name = NULL;
    int status;

    if (argp_parse(&argp, argc, argv, 0, NULL, &name) != 0) {
        return GMS_TOOL_USAGE;
    }
    if (gms_example_find(&pages) != 0) {
        return GMS_TOOL_REFUSED;
    }
    status =
        name != NULL ? gms_example_get(&pages, name) : gms_example_list(&pages);
    globfree(&pages.found);
    return status;
}
