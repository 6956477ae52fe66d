/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists the libraries of a program with the dynamic linker's own search, and
 * decides which of them are private. The file copies.c loads the copies.
 */
#define _GNU_SOURCE
#include "clock/own_libraries.h"
#include "inprocess/program_int.h"
#include "inprocess/rank.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define GMI_PATH_LEN 4096
#define GMI_LINKER   "/lib64/ld-linux-x86-64.so.2"

/* ---- which libraries are private ----------------------------------------- */

/* Libraries with global state that belongs to one program. */
static int gmi_has_state(const char *name)
{
    static const char *const runtimes[] = {"libgfortran.so", "libquadmath.so",
                                           "libstdc++.so", "libgomp.so"};

    return gms_clock_is_own_library(name) ||
           gms_clock_begins_with(name, runtimes,
                                 sizeof(runtimes) / sizeof(runtimes[0]));
}

static gmi_image_t *gmi_find(gmi_program_t *program, const char *name)
{
    unsigned i;

    for (i = 0; i < program->count; ++i) {
        const gmi_image_t *object = &program->objects[i];

        if (strcmp(object->name, name) == 0 ||
            (object->own_name != NULL && strcmp(object->own_name, name) == 0)) {
            return &program->objects[i];
        }
    }
    return NULL;
}

/* Return 1 if the object needs a private object. */
static int gmi_needs_private(gmi_program_t *program, const gmi_image_t *object)
{
    const char *needed;
    unsigned i;

    for (i = 0; (needed = gmi_image_needs(object, i)) != NULL; ++i) {
        const gmi_image_t *other = gmi_find(program, needed);

        if (other != NULL && other->is_private) {
            return 1;
        }
    }
    return 0;
}

/* Mark every object that needs a private object, until no further object is
 * marked. */
static void gmi_mark_private(gmi_program_t *program)
{
    unsigned i;
    int is_changed = 1;

    for (i = 0; i < program->count; ++i) {
        /* the dynamic linker does not recognise a loaded library without a
         * name */
        program->objects[i].is_private =
            i == 0 || program->objects[i].own_name == NULL ||
            gmi_has_state(program->objects[i].own_name);
    }
    while (is_changed) {
        is_changed = 0;
        for (i = 0; i < program->count; ++i) {
            gmi_image_t *object = &program->objects[i];

            if (!object->is_private && gmi_needs_private(program, object)) {
                object->is_private = is_changed = 1;
            }
        }
    }
}

/* ---- in which order the libraries are constructed ------------------------ */

/* Append an object and all objects that it needs to the order, the needed
 * objects first. */
static void gmi_visit(gmi_program_t *program, unsigned index,
                      unsigned char *is_visited, unsigned *count)
{
    const char *needed;
    unsigned i;

    if (is_visited[index]) {
        return;
    }
    is_visited[index] = 1;
    for (i = 0; (needed = gmi_image_needs(&program->objects[index], i)) != NULL;
         ++i) {
        const gmi_image_t *other = gmi_find(program, needed);

        if (other != NULL) {
            gmi_visit(program, (unsigned)(other - program->objects), is_visited,
                      count);
        }
    }
    program->order[--*count] = index;
}

static void gmi_sort(gmi_program_t *program)
{
    unsigned char is_visited[GMI_MOST_OBJECTS] = {0};
    unsigned count = program->count;
    unsigned i;

    for (i = program->count; i-- > 0;) {
        gmi_visit(program, i, is_visited, &count);
    }
}

/* ---- which libraries are needed ------------------------------------------ */

static int gmi_add(gmi_program_t *program, const char *name, const char *path,
                   char error[GMI_ERROR_LEN])
{
    gmi_image_t *object = &program->objects[program->count];
    char *real;
    int result;

    if (program->count == GMI_MOST_OBJECTS) {
        snprintf(error, GMI_ERROR_LEN,
                 "the program needs more than %u libraries",
                 GMI_MOST_OBJECTS - 1);
        return -1;
    }
    real = realpath(path, NULL);
    if (real == NULL) {
        snprintf(error, GMI_ERROR_LEN, "%s: %s", path, strerror(errno));
        return -1;
    }
    result = gmi_image_open(real, name, object, error);
    free(real);
    program->count += result == 0;
    return result;
}

/* Read a line of the dynamic linker: NAME => PATH (ADDRESS). */
static int gmi_add_line(gmi_program_t *program, char *line,
                        char error[GMI_ERROR_LEN])
{
    char *name = line + strspn(line, " \t");
    char *arrow = strstr(name, " => ");
    char *path, *end;

    if (arrow == NULL) {
        return 0; /* the kernel's object, or the dynamic linker itself */
    }
    *arrow = '\0';
    path = arrow + strlen(" => ");
    if (strncmp(path, "not found", strlen("not found")) == 0) {
        snprintf(error, GMI_ERROR_LEN, "the library %s was not found", name);
        return -1;
    }
    end = strrchr(path, '(');
    if (end == NULL || end == path || end[-1] != ' ') {
        return 0;
    }
    end[-1] = '\0';
    return gmi_add(program, name, path, error);
}

/* Start the dynamic linker as a program that lists libraries, and return
 * its output. */
static FILE *gmi_start_linker(const char *path, pid_t *pid_p)
{
    int ends[2];

    if (pipe(ends) != 0) {
        return NULL;
    }
    *pid_p = fork();
    if (*pid_p == 0) {
        unsetenv("LD_PRELOAD");
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        execl(GMI_LINKER, GMI_LINKER, "--list", path, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    if (*pid_p < 0) {
        close(ends[0]);
        return NULL;
    }
    return fdopen(ends[0], "r");
}

static int gmi_list_libraries(gmi_program_t *program, char error[GMI_ERROR_LEN])
{
    char *line = NULL;
    size_t room = 0;
    int result = 0;
    pid_t pid;
    int status = 0;
    FILE *list = gmi_start_linker(program->objects[0].path, &pid);

    if (list == NULL) {
        snprintf(error, GMI_ERROR_LEN,
                 "cannot list the program's libraries: %s", strerror(errno));
        return -1;
    }
    while (result == 0 && getline(&line, &room, list) > 0) {
        result = gmi_add_line(program, line, error);
    }
    free(line);
    fclose(list);
    (void)waitpid(pid, &status, 0);
    if (result == 0 && status != 0) {
        snprintf(error, GMI_ERROR_LEN,
                 "the dynamic linker cannot load the program's libraries");
        result = -1;
    }
    return result;
}

/* Return the path of a program as execvp() finds it; the caller frees the
 * path. */
static char *gmi_search(const char *name)
{
    const char *directories = getenv("PATH");
    char path[GMI_PATH_LEN];
    struct stat file;

    if (strchr(name, '/') != NULL) {
        return access(name, X_OK) == 0 ? realpath(name, NULL) : NULL;
    }
    while (directories != NULL && *directories != '\0') {
        size_t length = strcspn(directories, ":");

        snprintf(path, sizeof(path), "%.*s%s%s", (int)length, directories,
                 length > 0 ? "/" : "", name);
        if (stat(path, &file) == 0 && S_ISREG(file.st_mode) &&
            access(path, X_OK) == 0) {
            return realpath(path, NULL);
        }
        directories += length + (directories[length] == ':');
    }
    errno = ENOENT;
    return NULL;
}

/* Return the object with this file, or NULL. */
static gmi_image_t *gmi_find_file(gmi_program_t *program, const char *path)
{
    char *real = realpath(path, NULL);
    gmi_image_t *found = NULL;
    unsigned i;

    for (i = 0; real != NULL && i < program->count && found == NULL; ++i) {
        if (strcmp(program->objects[i].path, real) == 0) {
            found = &program->objects[i];
        }
    }
    free(real);
    return found;
}

/* Add a library that a program loads, unless it is in the list. */
static gmi_image_t *gmi_add_file(gmi_program_t *program, const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    gmi_image_t *object = gmi_find_file(program, path);
    char error[GMI_ERROR_LEN];

    if (object != NULL || access(path, R_OK) != 0 ||
        gmi_add(program, name, path, error) != 0) {
        return object;
    }
    object = &program->objects[program->count - 1];
    object->is_private =
        gmi_has_state(object->own_name != NULL ? object->own_name : name) ||
        gmi_needs_private(program, object);
    program->order[program->count - 1] = program->count - 1;
    return object;
}

gmi_image_t *gmi_program_find(gmi_program_t *program, const char *name)
{
    char path[GMI_PATH_LEN];
    gmi_image_t *object;
    unsigned i;

    if (strchr(name, '/') != NULL) {
        return gmi_add_file(program, name);
    }
    object = gmi_find(program, name);
    for (i = 0; object == NULL && i < program->count; ++i) {
        const char *other = program->objects[i].path;

        if (program->objects[i].is_private) {
            snprintf(path, sizeof(path), "%.*s/%s",
                     (int)(strrchr(other, '/') - other), other, name);
            object = gmi_add_file(program, path);
        }
    }
    return object;
}

/* Load the libraries that all ranks share. Later, the dynamic linker finds them
 * by their names. The dynamic linker could not find these libraries from the
 * copies, because the copies and the program are in different directories. */
static int gmi_load_shared(gmi_program_t *program, char error[GMI_ERROR_LEN])
{
    unsigned i;

    for (i = program->count; i-- > 0;) {
        const gmi_image_t *object = &program->objects[program->order[i]];

        if (!object->is_private &&
            gmi_dlopen(object->path, RTLD_LAZY | RTLD_LOCAL) == NULL) {
            snprintf(error, GMI_ERROR_LEN, "%s", dlerror());
            return -1;
        }
    }
    return 0;
}

gmi_program_t *gmi_program_open(const char *name, char error[GMI_ERROR_LEN])
{
    gmi_program_t *program = calloc(1, sizeof(*program));
    char *path = gmi_search(name);

    if (program == NULL || path == NULL) {
        snprintf(error, GMI_ERROR_LEN, "%s", strerror(errno));
    } else if (gmi_add(program, "", path, error) == 0 &&
               gmi_list_libraries(program, error) == 0) {
        program->start_count = program->count;
        gmi_mark_private(program);
        gmi_sort(program);
        free(path);
        return gmi_load_shared(program, error) == 0 ? program : NULL;
    }
    free(path);
    free(program);
    return NULL;
}

const gmi_image_t *gmi_program_image(const gmi_program_t *program)
{
    return &program->objects[0];
}

size_t gmi_program_static_bytes(const gmi_program_t *program)
{
    size_t bytes = 0;
    unsigned i;

    for (i = 1; i < program->count; ++i) {
        if (program->objects[i].is_private) {
            bytes += gmi_image_static_bytes(&program->objects[i]);
        }
    }
    return bytes;
}

int gmi_program_executes_stack(const gmi_program_t *program)
{
    unsigned i;

    for (i = 0; i < program->count; ++i) {
        if (program->objects[i].is_private &&
            program->objects[i].executes_stack) {
            return 1;
        }
    }
    return 0;
}
