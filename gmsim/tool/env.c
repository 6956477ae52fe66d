/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gmsim env: prints shell commands that add this installation to the
 * environment.
 */
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/directory.h"
#include "tool/tool.h"

typedef struct gms_env_row {
    const char *variable;
    const char *directory; /* path relative to the directory that contains the
                              programs */
    /* 1: append the old value even if it is empty, because an empty last entry
     * means the default directories */
    int keeps_default;
} gms_env_row_t;

/* Rows in the order in which they are printed. */
static const gms_env_row_t gms_env_rows[] = {
    {"PATH", ".", 0},
    {"LD_LIBRARY_PATH", GMQOS_LIBDIR_FROM_BINDIR, 0},
    {"LIBRARY_PATH", GMQOS_LIBDIR_FROM_BINDIR, 0},
    {"CPATH", GMQOS_INCLUDEDIR_FROM_BINDIR, 0},
    {"PKG_CONFIG_PATH", GMQOS_PKGCONFIGDIR_FROM_BINDIR, 0},
    {"MANPATH", GMQOS_MANDIR_FROM_BINDIR, 1},
};

/* Directories that every tool searches by default. Adding these directories
 * would change the search order. [source: ld.so(8), gcc's and pkgconf's
 * defaults on Debian, manpath(5)] */
static const char *const gms_env_system[] = {
    "/bin",
    "/lib",
    "/lib64",
    "/usr/bin",
    "/usr/include",
    "/usr/lib",
    "/usr/lib64",
    "/usr/lib/pkgconfig",
    "/usr/lib64/pkgconfig",
    "/usr/share/man",
    "/usr/share/pkgconfig",
};

/** Return whether a directory is one of gms_env_system. The corresponding
 *  directories for an architecture, such as /usr/lib/x86_64-linux-gnu, also
 *  count. */
static int gms_env_is_system(const char *directory)
{
    static const char lib[] = "/usr/lib/";
    const char *machine, *rest;
    size_t i;

    for (i = 0; i < sizeof(gms_env_system) / sizeof(gms_env_system[0]); ++i) {
        if (strcmp(directory, gms_env_system[i]) == 0) {
            return 1;
        }
    }
    if (strncmp(directory, lib, sizeof(lib) - 1) != 0) {
        return 0;
    }
    machine = directory + sizeof(lib) - 1;
    rest = strstr(machine, "-linux-gnu");
    return rest != NULL &&
           memchr(machine, '/', (size_t)(rest - machine)) == NULL &&
           (strcmp(rest, "-linux-gnu") == 0 ||
            strcmp(rest, "-linux-gnu/pkgconfig") == 0);
}

/** Print a word, quoted for the shell. */
static void gms_env_quote(const char *word)
{
    putchar('\'');
    for (; *word != '\0'; ++word) {
        if (*word == '\'') {
            fputs("'\\''", stdout);
        } else {
            putchar(*word);
        }
    }
    putchar('\'');
}

/** Print the command that prepends a directory to the variable, unless the
 *  tools search this directory by default.
 *  @return 1 if a command was printed */
static int gms_env_print(const gms_env_row_t *row, const char *programs)
{
    char path[2 * PATH_MAX], directory[PATH_MAX];

    (void)snprintf(path, sizeof(path), "%s/%s", programs, row->directory);
    if (realpath(path, directory) == NULL || gms_env_is_system(directory)) {
        return 0;
    }
    printf("export %s=", row->variable);
    gms_env_quote(directory);
    if (row->keeps_default) {
        printf(":\"${%s:-}\"\n", row->variable);
    } else {
        printf("\"${%s:+:$%s}\"\n", row->variable, row->variable);
    }
    return 1;
}

static error_t gms_env_parse(int key, char *arg, struct argp_state *state)
{
    if (key == ARGP_KEY_ARG) {
        argp_error(state, "unexpected argument '%s' (this command takes none)",
                   arg);
        return EINVAL;
    }
    return ARGP_ERR_UNKNOWN;
}

int gms_tool_env(int argc, char **argv)
{
    const struct argp argp = {
        .parser = gms_env_parse,
        .doc = "Print the shell commands that put this installation first in "
               "the environment.\v"
               "If gmsim is not in PATH yet, run it by its full path. System "
               "directories are omitted because they are searched anyway. Exit "
               "status: 0 success; 1 the installation was not found; 2 invalid "
               "usage.\n"
               "Example: eval \"$(gmsim env)\""};
    char programs[PATH_MAX];
    int printed = 0;
    size_t i;

    if (argp_parse(&argp, argc, argv, 0, NULL, NULL) != 0) {
        return GMS_TOOL_USAGE;
    }
    if (gms_directory_of_program(programs) != 0) {
        fprintf(stderr, "gmsim env: the directory of gmsim cannot be "
                        "determined (/proc/self/exe)\n");
        return GMS_TOOL_REFUSED;
    }
    /* In these variables, ':' separates entries and cannot be quoted. */
    if (strchr(programs, ':') != NULL) {
        fprintf(stderr,
                "gmsim env: %s: an entry of PATH cannot contain ':'; move the "
                "installation to a directory whose path has no ':'\n",
                programs);
        return GMS_TOOL_REFUSED;
    }
    for (i = 0; i < sizeof(gms_env_rows) / sizeof(gms_env_rows[0]); ++i) {
        printed += gms_env_print(&gms_env_rows[i], programs);
    }
    if (printed == 0) {
        printf("# nothing to set: this installation is in the system's "
               "directories\n");
    }
    return GMS_TOOL_OK;
}
