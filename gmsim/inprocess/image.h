/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Reads a program or a shared library (ELF, x86-64), and makes copies of it
 * that the dynamic linker treats as different objects. Every copy therefore has
 * global variables of its own. The names of the libraries inside a copy are
 * replaced by paths of the copies of these libraries.
 */
#ifndef GMI_IMAGE_H
#define GMI_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#define GMI_ERROR_LEN 512

typedef struct gmi_image {
    char *path;          /* path of the file */
    char *name;          /* name by which other objects refer to this object; ""
                          * for a program */
    unsigned char *file; /* mapped contents, which must not be changed */
    unsigned char *edited; /* contents of copies; NULL before the first copy */
    size_t mapped_bytes;
    size_t bytes; /* bytes that the dynamic linker loads */
    size_t
        dynamic; /* offset of the dynamic section, and its number of entries */
    size_t dynamic_count;
    size_t strings; /* offset of the string table */
    uint64_t
        shared_parts; /* bit i: all copies use part i of the original file */
    const char *own_name; /* the name in the object (DT_SONAME), or NULL; the
                           * name of a link to the file may differ */
    int executes_stack;   /* 1: the object executes code on the stack */
    int is_private;       /* 1: every rank has a copy */
} gmi_image_t;

/**
 * Read the file's headers.
 * @param [in]  name   the field of the same name
 * @param [out] image  released by gmi_image_close()
 * @param [out] error  the reason, if the file cannot be copied
 * @return 0 or -1
 */
int gmi_image_open(const char *path, const char *name, gmi_image_t *image,
                   char error[GMI_ERROR_LEN]);
void gmi_image_close(gmi_image_t *image);

/** Return the name of the index-th library that the object needs, or NULL. */
const char *gmi_image_needs(const gmi_image_t *image, unsigned index);

/** Return the offset of the first instruction from the address at which the
 *  program is loaded. */
uintptr_t gmi_image_entry(const gmi_image_t *image);
/** Return the number of bytes of memory that the loaded object occupies. */
size_t gmi_image_span(const gmi_image_t *image);

/** A library's variable of which the program contains a copy
 *  (R_X86_64_COPY). */
typedef struct gmi_variable {
    const char *name;
    uintptr_t address; /* of the copy, relative to the program's load address */
    size_t bytes;
} gmi_variable_t;

/**
 * Find the next copied variable.
 * @param [in,out] at  0 for the first variable; the function sets it for the
 *   next call
 * @return 0, or -1 if there are no more variables
 */
int gmi_image_next_variable(const gmi_image_t *image, size_t *at,
                            gmi_variable_t *variable);

/** Initial values of the thread-local variables of a program. */
typedef struct gmi_thread_block {
    const void *values; /* the first `given` bytes; the others are 0 */
    size_t given, bytes;
    size_t offset; /* distance of the block from the thread pointer */
    size_t align;
} gmi_thread_block_t;

gmi_thread_block_t gmi_image_thread_block(const gmi_image_t *image);

/** Return the number of bytes of thread-local memory that the dynamic linker must
 *  have reserved for the object at the start of the process (DF_STATIC_TLS). */
size_t gmi_image_static_bytes(const gmi_image_t *image);

/** Constructors and destructors. Addresses are relative to the load address of
 *  the object; 0: none. */
typedef struct gmi_tables {
    uintptr_t init;                   /* a function */
    uintptr_t init_array, fini_array; /* tables of functions */
    size_t init_count, fini_count;
} gmi_tables_t;

gmi_tables_t gmi_image_tables(const gmi_image_t *image);

/** Replacement of a name. The new name must not be longer than the old name. */
typedef struct gmi_rename {
    const char *from, *to;
} gmi_rename_t;

/**
 * Write a copy. The dynamic linker runs none of its constructors and copies
 * none of its variables, because the dynamic linker would look up the variables
 * in the copy itself.
 * @param [in] fd       empty file
 * @param [in] renames  names of libraries to replace; ends with from == NULL
 * @return 0, or -1 with errno
 */
int gmi_image_copy(gmi_image_t *image, int fd, const gmi_rename_t *renames);

/**
 * Map the read-only parts of the original file over those of a loaded copy,
 * which does not contain them. All copies then share these parts in memory and
 * in the processor's caches.
 * @param [in] base  address at which the copy is loaded
 * @return 0, or -1 with errno
 */
int gmi_image_share(const gmi_image_t *image, uintptr_t base);

#endif
