/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads the copies of a rank. The dynamic linker recognises a library by its
 * file and by its name. Each copy is therefore a file of its own in a temporary
 * directory. The other copies of the rank contain the path of this file instead
 * of the library's name. The paths are relative, because they must not be
 * longer than the names.
 */
#define _GNU_SOURCE
#include "clock/own_libraries.h"
#include "inprocess/program_int.h"
#include "inprocess/rank.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The shortest name of a library, libm.so, is longer than the path of a
 * copy: "./" and at most four digits. */
#define GMI_NAME_LEN 16
#define GMI_DIGITS                                                             \
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define GMI_DIGIT_COUNT 62u

/* The objects with the indices `first` to `end` - 1, which are loaded for a
 * rank at the same time. */
typedef struct gmi_set {
    gmi_program_t *program;
    unsigned rank;
    unsigned first, end;
} gmi_set_t;

/* The working directory of the program, and the directory of the copies. While
 * the directory of the copies exists, all signals are blocked, because a signal
 * may end the process. */
typedef struct gmi_place {
    int working;
    char directory[32];
    sigset_t signals; /* signals that were blocked before gmi_enter() */
} gmi_place_t;

static void gmi_copy_name(unsigned rank, unsigned object,
                          char name[GMI_NAME_LEN])
{
    unsigned number = rank * GMI_MOST_OBJECTS + object;
    char *at = name;

    *at++ = '.';
    *at++ = '/';
    do {
        *at++ = GMI_DIGITS[number % GMI_DIGIT_COUNT];
        number /= GMI_DIGIT_COUNT;
    } while (number > 0);
    *at = '\0';
}

static void gmi_leave(gmi_place_t *place)
{
    if (place->working >= 0) {
        if (fchdir(place->working) != 0) {
            perror("mpirun: cannot return to the working directory");
        }
        close(place->working);
    }
    (void)rmdir(place->directory);
    sigprocmask(SIG_SETMASK, &place->signals, NULL);
}

static int gmi_enter(gmi_place_t *place, char error[GMI_ERROR_LEN])
{
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &place->signals);
    snprintf(place->directory, sizeof(place->directory),
             "/dev/shm/gmsim-copies-XXXXXX");
    place->working = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (place->working < 0 || mkdtemp(place->directory) == NULL ||
        chdir(place->directory) != 0) {
        snprintf(error, GMI_ERROR_LEN, "cannot create %s: %s", place->directory,
                 strerror(errno));
        gmi_leave(place);
        return -1;
    }
    return 0;
}

/* Add the replacement of a name, unless the object has no such name.
 * @return 0, or -1 with errno */
static int gmi_add_rename(gmi_rename_t *renames, unsigned *count,
                          const char *from, const char *to)
{
    if (from == NULL) {
        return 0;
    }
    if (strlen(to) > strlen(from)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    renames[*count].from = from;
    renames[(*count)++].to = to;
    return 0;
}

/* Write the copies of a set of objects. */
static int gmi_write_copies(const gmi_set_t *set)
{
    gmi_program_t *program = set->program;
    gmi_rename_t renames[2 * GMI_MOST_OBJECTS + 1];
    char names[GMI_MOST_OBJECTS][GMI_NAME_LEN];
    unsigned count = 0;
    unsigned i;

    for (i = 0; i < program->count; ++i) {
        gmi_copy_name(set->rank, i, names[i]);
        if (i > 0 && program->objects[i].is_private) {
            if (gmi_add_rename(renames, &count, program->objects[i].name,
                               names[i]) != 0 ||
                gmi_add_rename(renames, &count, program->objects[i].own_name,
                               names[i]) != 0) {
                return -1;
            }
        }
    }
    renames[count].from = NULL;
    for (i = set->first; i < set->end; ++i) {
        int fd, result;

        if (!program->objects[i].is_private) {
            continue;
        }
        fd = open(names[i], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
        if (fd < 0) {
            return -1;
        }
        result = gmi_image_copy(&program->objects[i], fd, renames);
        if (close(fd) != 0 || result != 0) {
            return -1;
        }
    }
    return 0;
}

static void gmi_remove_copies(const gmi_set_t *set)
{
    char name[GMI_NAME_LEN];
    unsigned i;

    for (i = set->first; i < set->end; ++i) {
        if (set->program->objects[i].is_private) {
            gmi_copy_name(set->rank, i, name);
            (void)unlink(name);
        }
    }
}

/* Return the loaded copy of a private object, or NULL. The list contains
 * the file names. */
static const struct link_map *gmi_find_loaded(const void *handle, unsigned rank,
                                              unsigned object)
{
    const struct link_map *map;
    char name[GMI_NAME_LEN];

    gmi_copy_name(rank, object, name);
    for (map = handle; map != NULL; map = map->l_next) {
        if (strcmp(map->l_name, name) == 0) {
            return map;
        }
    }
    return NULL;
}

static int gmi_share(const gmi_set_t *set, const void *handle)
{
    const gmi_program_t *program = set->program;
    unsigned i;

    for (i = set->first; i < set->end; ++i) {
        const struct link_map *map = gmi_find_loaded(handle, set->rank, i);

        if (map != NULL &&
            gmi_image_share(&program->objects[i], map->l_addr) != 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- what the dynamic linker does not do for a copy ---------------------- */

/* Return the address of a library's variable, or NULL. All ranks use the
 * instance of the variable that the C library uses, which may be in this
 * program. The other libraries are searched in the order of the dynamic
 * linker. */
static const void *gmi_find_variable(const gmi_program_t *program,
                                     unsigned rank, const char *variable)
{
    const void *found = dlsym(RTLD_DEFAULT, variable);
    char name[GMI_NAME_LEN];
    unsigned i;

    for (i = 1; i < program->count && found == NULL; ++i) {
        const gmi_image_t *object = &program->objects[i];
        void *handle;

        gmi_copy_name(rank, i, name);
        handle = gmi_dlopen(object->is_private ? name : object->name,
                            RTLD_LAZY | RTLD_NOLOAD);
        if (handle != NULL) {
            found = dlsym(handle, variable);
            dlclose(handle);
        }
    }
    return found;
}

/* Copy the initial values of the libraries' variables to the program. */
static int gmi_copy_variables(const gmi_program_t *program, unsigned rank,
                              uintptr_t base, char error[GMI_ERROR_LEN])
{
    gmi_variable_t variable;
    size_t at = 0;

    while (gmi_image_next_variable(&program->objects[0], &at, &variable) == 0) {
        const void *found = gmi_find_variable(program, rank, variable.name);

        if (found == NULL) {
            snprintf(error, GMI_ERROR_LEN, "no library has the variable %s",
                     variable.name);
            return -1;
        }
        memcpy((void *)(base + variable.address), found, variable.bytes);
    }
    return 0;
}

/* Call the function at an address. */
static void gmi_call(uintptr_t address)
{
    void (*function)(int, char **, char **);

    memcpy(&function, &address, sizeof(function));
    function(gmi_argc, gmi_argv, environ);
}

static void gmi_run_init(const gmi_image_t *image, uintptr_t base)
{
    gmi_tables_t tables = gmi_image_tables(image);
    const uintptr_t *functions = (const uintptr_t *)(base + tables.init_array);
    size_t i;

    if (tables.init != 0) {
        gmi_call(base + tables.init);
    }
    for (i = 0; i < tables.init_count; ++i) {
        gmi_call(functions[i]);
    }
}

static void gmi_run_fini(const gmi_image_t *image, uintptr_t base)
{
    gmi_tables_t tables = gmi_image_tables(image);
    const uintptr_t *functions = (const uintptr_t *)(base + tables.fini_array);

    while (tables.fini_count-- > 0) {
        gmi_call(functions[tables.fini_count]);
    }
}

/* Run the constructors of a set of objects. A library is
 * constructed before the objects that need it; program.c sorts the list in
 * this order. */
static void gmi_construct(const gmi_set_t *set, const void *handle)
{
    const gmi_program_t *program = set->program;
    unsigned i;

    for (i = set->end; i-- > set->first;) {
        unsigned object = program->order[i];
        const struct link_map *map = gmi_find_loaded(handle, set->rank, object);

        if (map != NULL) {
            gmi_run_init(&program->objects[object], map->l_addr);
        }
    }
}

/* Load the first object of a set. The other objects of the set are needed by
 * the first one. */
static void *gmi_load(const gmi_set_t *set, int flags,
                      char error[GMI_ERROR_LEN])
{
    gmi_place_t place;
    char name[GMI_NAME_LEN];
    void *handle = NULL;

    if (gmi_enter(&place, error) != 0) {
        return NULL;
    }
    if (gmi_write_copies(set) != 0) {
        snprintf(error, GMI_ERROR_LEN, "cannot write a copy to %s: %s",
                 place.directory, strerror(errno));
    } else {
        gmi_copy_name(set->rank, set->first, name);
        handle = gmi_dlopen(name, flags);
        if (handle == NULL) {
            snprintf(error, GMI_ERROR_LEN, "%s", dlerror());
        } else if (gmi_share(set, handle) != 0) {
            snprintf(error, GMI_ERROR_LEN, "cannot map the code: %s",
                     strerror(errno));
            handle = NULL;
        }
    }
    gmi_remove_copies(set);
    gmi_leave(&place);
    if (handle != NULL && set->first == 0) {
        gmi_current->copy.handle = handle; /* constructors use this handle */
        gmi_environment_find();
        if (gmi_copy_variables(set->program, set->rank,
                               ((const struct link_map *)handle)->l_addr,
                               error) != 0) {
            return NULL;
        }
    }
    if (handle != NULL) {
        gmi_rank_add_ranges(gmi_current, handle); /* constructors read clocks */
        gmi_construct(set, handle);
    }
    return handle;
}

int gmi_program_load(gmi_program_t *program, unsigned rank, gmi_copy_t *copy,
                     char error[GMI_ERROR_LEN])
{
    gmi_set_t set = {program, rank, 0, program->start_count};
    const struct link_map *map;
    uintptr_t entry;

    copy->handle = gmi_load(&set, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE, error);
    if (copy->handle == NULL) {
        return -1;
    }
    map = copy->handle;
    entry = map->l_addr + gmi_image_entry(&program->objects[0]);
    memcpy(&copy->entry, &entry, sizeof(entry));
    return 0;
}

void *gmi_program_load_library(gmi_program_t *program, unsigned rank,
                               const gmi_copy_t *copy, const char *name,
                               int flags, int *is_private_p)
{
    const gmi_image_t *object = gmi_program_find(program, name);
    char error[GMI_ERROR_LEN];
    char loaded[GMI_NAME_LEN];
    gmi_set_t set = {.program = program, .rank = rank};
    void *handle;

    *is_private_p = object != NULL && object->is_private;
    if (!*is_private_p) {
        return NULL;
    }
    set.first = (unsigned)(object - program->objects);
    set.end = set.first + 1;
    if (gmi_find_loaded(copy->handle, rank, set.first) != NULL) {
        gmi_copy_name(rank, set.first, loaded);
        return gmi_dlopen(loaded, flags);
    }
    handle = gmi_load(&set, flags, error);
    if (handle == NULL) {
        fprintf(stderr, "mpirun: rank %u: cannot load %s: %s\n", rank, name,
                error);
    }
    return handle;
}

/* ---- ranges and the end -------------------------------------------------- */

unsigned gmi_program_ranges(const gmi_program_t *program, unsigned rank,
                            const void *handle, gmi_range_t *ranges,
                            unsigned most)
{
    unsigned count = 0;
    unsigned i;

    for (i = 0; i < program->count; ++i) {
        const struct link_map *map = gmi_find_loaded(handle, rank, i);
        const char *name = program->objects[i].own_name;

        if (map != NULL && count < most && name != NULL &&
            gms_clock_is_own_library(name)) {
            ranges[count].begin = map->l_addr;
            ranges[count++].end =
                map->l_addr + gmi_image_span(&program->objects[i]);
        }
    }
    return count;
}

void gmi_program_finish(const gmi_program_t *program, unsigned rank,
                        const gmi_copy_t *copy)
{
    unsigned i;

    for (i = 0; i < program->count; ++i) {
        unsigned object = program->order[i];
        const struct link_map *map =
            gmi_find_loaded(copy->handle, rank, object);

        if (map != NULL) {
            gmi_run_fini(&program->objects[object], map->l_addr);
        }
    }
}

/* ---- addresses ------------------------------------------------------------ */

int gmi_program_contains(const gmi_program_t *program, unsigned rank,
                         const void *handle, const void *address)
{
    unsigned i;

    for (i = 0; i < program->count; ++i) {
        const struct link_map *map = gmi_find_loaded(handle, rank, i);

        if (map != NULL && (uintptr_t)address - map->l_addr <
                               gmi_image_span(&program->objects[i])) {
            return 1;
        }
    }
    return 0;
}

void *gmi_program_variable(const gmi_program_t *program, const gmi_copy_t *copy,
                           const char *name)
{
    const struct link_map *map = copy->handle;
    gmi_variable_t variable;
    size_t at = 0;

    while (map != NULL &&
           gmi_image_next_variable(&program->objects[0], &at, &variable) == 0) {
        if (strcmp(variable.name, name) == 0) {
            return (void *)(map->l_addr + variable.address);
        }
    }
    return NULL;
}
