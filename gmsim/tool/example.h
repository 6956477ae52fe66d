/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Reads the files that a page of the documentation shows. A page is a Markdown
 * file. A code block is a file if its first line is a comment that begins with
 * a file name, for example `# plan.yaml` in YAML or `! ask.f90` in Fortran. A
 * line `<!-- with: FILE.. -->` names other files that the page needs, relative
 * to the directory of the documentation.
 */
#ifndef TOOL_EXAMPLE_H
#define TOOL_EXAMPLE_H

#include <stddef.h>

typedef struct gms_example_file {
    char *name; /* file name without directory */
    char *text;
    size_t length; /* bytes */
} gms_example_file_t;

typedef struct gms_example_page {
    char *title; /* the first heading on the page */
    gms_example_file_t *files;
    size_t count;
} gms_example_page_t;

/**
 * Read a page and the files that the page needs.
 * @param [in] root  directory to which the file names after `with:` are
 *   relative
 * @param [in] path  path of the page
 * @param [out] page  to be released with gms_example_free(), even after an
 *   error
 * @return 0, or -1 with errno
 */
int gms_example_read(const char *root, const char *path,
                     gms_example_page_t *page);
void gms_example_free(gms_example_page_t *page);

#endif
