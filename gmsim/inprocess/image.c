/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parses ELF files. A copy contains only the parts that the dynamic linker
 * maps. In a copy, this file overwrites names in the table of strings, and
 * removes the mark of a program (DF_1_PIE), because the dynamic linker does not
 * load programs as libraries.
 */
#define _GNU_SOURCE
#include "inprocess/image.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef DF_1_PIE
#define DF_1_PIE 0x08000000
#endif

static const Elf64_Ehdr *gmi_header(const gmi_image_t *image)
{
    return (const Elf64_Ehdr *)(const void *)image->file;
}

static const Elf64_Phdr *gmi_parts(const gmi_image_t *image)
{
    return (const Elf64_Phdr *)(const void *)(image->file +
                                              gmi_header(image)->e_phoff);
}

static const Elf64_Dyn *gmi_dynamic(const gmi_image_t *image)
{
    return (const Elf64_Dyn *)(const void *)(image->file + image->dynamic);
}

/* Return the file offset that corresponds to a memory address, or 0. */
static size_t gmi_offset(const gmi_image_t *image, uint64_t address)
{
    const Elf64_Phdr *parts = gmi_parts(image);
    unsigned i;

    for (i = 0; i < gmi_header(image)->e_phnum; ++i) {
        if (parts[i].p_type == PT_LOAD && address >= parts[i].p_vaddr &&
            address < parts[i].p_vaddr + parts[i].p_filesz) {
            return (size_t)(parts[i].p_offset + (address - parts[i].p_vaddr));
        }
    }
    return 0;
}

/* Return the first entry of a kind in the dynamic section, or NULL. */
static const Elf64_Dyn *gmi_dynamic_entry(const gmi_image_t *image, int64_t tag)
{
    const Elf64_Dyn *entries = gmi_dynamic(image);
    size_t i;

    for (i = 0; i < image->dynamic_count; ++i) {
        if (entries[i].d_tag == tag) {
            return &entries[i];
        }
    }
    return NULL;
}

/* Return the value of the first entry of a kind, or 0. */
static uint64_t gmi_dynamic_value(const gmi_image_t *image, int64_t tag)
{
    const Elf64_Dyn *entry = gmi_dynamic_entry(image, tag);

    return entry != NULL ? entry->d_un.d_val : 0;
}

static int gmi_has_entry(const gmi_image_t *image, int64_t tag)
{
    return gmi_dynamic_entry(image, tag) != NULL;
}

static const char *gmi_string(const gmi_image_t *image, uint64_t offset)
{
    return (const char *)image->file + image->strings + offset;
}

static int gmi_is_elf(const gmi_image_t *image)
{
    const Elf64_Ehdr *header = gmi_header(image);

    return image->mapped_bytes >= sizeof(*header) &&
           memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
           header->e_ident[EI_CLASS] == ELFCLASS64 &&
           header->e_machine == EM_X86_64 &&
           header->e_phoff + header->e_phnum * sizeof(Elf64_Phdr) <=
               image->mapped_bytes;
}

/* Find the parts of the file that are loaded, and the dynamic section. */
static int gmi_find_parts(gmi_image_t *image)
{
    const Elf64_Phdr *parts = gmi_parts(image);
    int is_program = image->name[0] == '\0';
    int has_linker = 0;
    unsigned i;

    image->bytes = gmi_header(image)->e_phoff +
                   gmi_header(image)->e_phnum * sizeof(*parts);
    for (i = 0; i < gmi_header(image)->e_phnum; ++i) {
        size_t end = (size_t)(parts[i].p_offset + parts[i].p_filesz);

        if (end > image->mapped_bytes) {
            return -1;
        }
        if (parts[i].p_type == PT_LOAD && end > image->bytes) {
            image->bytes = end;
        }
        if (parts[i].p_type == PT_GNU_STACK) {
            image->executes_stack = (parts[i].p_flags & PF_X) != 0;
        }
        has_linker |= parts[i].p_type == PT_INTERP;
        if (parts[i].p_type == PT_DYNAMIC) {
            image->dynamic = (size_t)parts[i].p_offset;
            image->dynamic_count =
                (size_t)(parts[i].p_filesz / sizeof(Elf64_Dyn));
        }
    }
    if (image->dynamic == 0 || (is_program && !has_linker)) {
        return -1;
    }
    image->strings = gmi_offset(image, gmi_dynamic_value(image, DT_STRTAB));
    if (gmi_has_entry(image, DT_SONAME)) {
        image->own_name =
            gmi_string(image, gmi_dynamic_value(image, DT_SONAME));
    }
    return image->strings != 0 ? 0 : -1;
}

static int gmi_check(gmi_image_t *image, char error[GMI_ERROR_LEN])
{
    if (!gmi_is_elf(image)) {
        snprintf(error, GMI_ERROR_LEN,
                 "the file is not an x86-64 program; run scripts without "
                 "-in-process");
        return -1;
    }
    if (gmi_header(image)->e_type == ET_EXEC) {
        snprintf(error, GMI_ERROR_LEN,
                 "the program is not position-independent; compile and link it "
                 "with -fPIE -pie");
        return -1;
    }
    if (gmi_header(image)->e_type != ET_DYN || gmi_find_parts(image) != 0) {
        snprintf(error, GMI_ERROR_LEN, "the program is not linked dynamically");
        return -1;
    }
    return 0;
}

int gmi_image_open(const char *path, const char *name, gmi_image_t *image,
                   char error[GMI_ERROR_LEN])
{
    struct stat file;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    void *mapped = MAP_FAILED;

    memset(image, 0, sizeof(*image));
    if (fd >= 0 && fstat(fd, &file) == 0 && file.st_size > 0) {
        mapped =
            mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    if (mapped == MAP_FAILED) {
        snprintf(error, GMI_ERROR_LEN, "%s", strerror(errno));
        if (fd >= 0) {
            close(fd);
        }
        return -1;
    }
    close(fd);
    image->file = mapped;
    image->mapped_bytes = (size_t)file.st_size;
    image->path = strdup(path);
    image->name = strdup(name);
    if (image->path == NULL || image->name == NULL) {
        snprintf(error, GMI_ERROR_LEN, "out of memory");
    } else if (gmi_check(image, error) == 0) {
        return 0;
    }
    gmi_image_close(image);
    return -1;
}

void gmi_image_close(gmi_image_t *image)
{
    munmap(image->file, image->mapped_bytes);
    if (image->edited != NULL) {
        munmap(image->edited, image->mapped_bytes);
    }
    free(image->path);
    free(image->name);
    memset(image, 0, sizeof(*image));
}

const char *gmi_image_needs(const gmi_image_t *image, unsigned index)
{
    const Elf64_Dyn *entries = gmi_dynamic(image);
    size_t i;

    for (i = 0; i < image->dynamic_count; ++i) {
        if (entries[i].d_tag == DT_NEEDED && index-- == 0) {
            return gmi_string(image, entries[i].d_un.d_val);
        }
    }
    return NULL;
}

uintptr_t gmi_image_entry(const gmi_image_t *image)
{
    return (uintptr_t)gmi_header(image)->e_entry;
}

size_t gmi_image_span(const gmi_image_t *image)
{
    const Elf64_Phdr *parts = gmi_parts(image);
    size_t span = 0;
    unsigned i;

    for (i = 0; i < gmi_header(image)->e_phnum; ++i) {
        if (parts[i].p_type == PT_LOAD &&
            parts[i].p_vaddr + parts[i].p_memsz > span) {
            span = (size_t)(parts[i].p_vaddr + parts[i].p_memsz);
        }
    }
    return span;
}

/* ---- variables and constructors ------------------------------------------ */

/* Return the index-th relocation of the table that contains copied
 * variables, or NULL. */
static const Elf64_Rela *gmi_relocation(const gmi_image_t *image, size_t index)
{
    size_t at = gmi_offset(image, gmi_dynamic_value(image, DT_RELA));

    if (at == 0 ||
        index >= gmi_dynamic_value(image, DT_RELASZ) / sizeof(Elf64_Rela)) {
        return NULL;
    }
    return (const Elf64_Rela *)(const void *)(image->file + at) + index;
}

static int gmi_is_copied(const Elf64_Rela *relocation)
{
    return ELF64_R_TYPE(relocation->r_info) == R_X86_64_COPY;
}

int gmi_image_next_variable(const gmi_image_t *image, size_t *at,
                            gmi_variable_t *variable)
{
    size_t symbols = gmi_offset(image, gmi_dynamic_value(image, DT_SYMTAB));
    const Elf64_Rela *relocation;

    while ((relocation = gmi_relocation(image, *at)) != NULL) {
        ++*at;
        if (gmi_is_copied(relocation)) {
            const Elf64_Sym *symbol =
                (const Elf64_Sym *)(const void *)(image->file + symbols) +
                ELF64_R_SYM(relocation->r_info);

            variable->name = gmi_string(image, symbol->st_name);
            variable->address = (uintptr_t)relocation->r_offset;
            variable->bytes = (size_t)symbol->st_size;
            return 0;
        }
    }
    return -1;
}

gmi_thread_block_t gmi_image_thread_block(const gmi_image_t *image)
{
    const Elf64_Phdr *parts = gmi_parts(image);
    gmi_thread_block_t block = {NULL, 0, 0, 0, 0};
    unsigned i;

    for (i = 0; i < gmi_header(image)->e_phnum; ++i) {
        if (parts[i].p_type == PT_TLS && parts[i].p_memsz > 0) {
            size_t align = parts[i].p_align > 0 ? (size_t)parts[i].p_align : 1;

            block.values = image->file + parts[i].p_offset;
            block.given = (size_t)parts[i].p_filesz;
            block.bytes = (size_t)parts[i].p_memsz;
            block.align = align;
            block.offset = (block.bytes + align - 1) / align * align;
        }
    }
    return block;
}

size_t gmi_image_static_bytes(const gmi_image_t *image)
{
    gmi_thread_block_t block = gmi_image_thread_block(image);

    /* the dynamic linker rounds to the alignment, which is at most a cache
     * line */
    return (gmi_dynamic_value(image, DT_FLAGS) & DF_STATIC_TLS) != 0
               ? block.offset + 64
               : 0;
}

gmi_tables_t gmi_image_tables(const gmi_image_t *image)
{
    return (gmi_tables_t){
        .init = (uintptr_t)gmi_dynamic_value(image, DT_INIT),
        .init_array = (uintptr_t)gmi_dynamic_value(image, DT_INIT_ARRAY),
        .init_count =
            (size_t)gmi_dynamic_value(image, DT_INIT_ARRAYSZ) / sizeof(void *),
        .fini_array = (uintptr_t)gmi_dynamic_value(image, DT_FINI_ARRAY),
        .fini_count =
            (size_t)gmi_dynamic_value(image, DT_FINI_ARRAYSZ) / sizeof(void *),
    };
}

/* ---- copies -------------------------------------------------------------- */

static int gmi_edit_entry(Elf64_Dyn *entry)
{
    switch (entry->d_tag) {
    case DT_NULL:
        return 0;
    case DT_SONAME: /* if the copies kept this name, the dynamic linker would
                     * load only one of them */
    case DT_INIT:
    case DT_INIT_ARRAY:
    case DT_INIT_ARRAYSZ:
    case DT_FINI:
    case DT_FINI_ARRAY:
    case DT_FINI_ARRAYSZ:
        entry->d_tag =
            DT_DEBUG; /* the dynamic linker ignores this entry in a library */
        return 1;
    case DT_FLAGS_1:
        entry->d_un.d_val &= ~(uint64_t)DF_1_PIE;
        return 1;
    default:
        return 1;
    }
}

/* Replace the relocations of copied variables by relocations without an
 * effect. */
static void gmi_drop_variables(const gmi_image_t *image)
{
    const Elf64_Rela *relocation;
    size_t i;

    for (i = 0; (relocation = gmi_relocation(image, i)) != NULL; ++i) {
        if (gmi_is_copied(relocation)) {
            size_t at =
                (size_t)((const unsigned char *)relocation - image->file);

            ((Elf64_Rela *)(void *)(image->edited + at))->r_info =
                ELF64_R_INFO(0, R_X86_64_NONE);
        }
    }
}

/* Return the number of symbols of the object. The hash table (DT_GNU_HASH)
 * consists of four words, a filter of 64-bit words, buckets, and chains. A
 * bucket contains the first symbol of its chain, and the last entry of a
 * chain is odd. Only symbols from `first` on are in chains. */
static size_t gmi_symbol_count(const gmi_image_t *image)
{
    size_t at = gmi_offset(image, gmi_dynamic_value(image, DT_GNU_HASH));
    const uint32_t *words = (const uint32_t *)(const void *)(image->file + at);
    const uint32_t *buckets, *chains;
    uint32_t last = 0;
    uint32_t i;

    if (at == 0) {
        return 0;
    }
    buckets = words + 4 + 2 * (size_t)words[2];
    chains = buckets + words[0];
    for (i = 0; i < words[0]; ++i) {
        last = buckets[i] > last ? buckets[i] : last;
    }
    if (last < words[1]) {
        return words[1]; /* no symbol is in a chain */
    }
    while ((chains[last - words[1]] & 1) == 0) {
        ++last;
    }
    return (size_t)last + 1;
}

/* Return 1 if a table of relocations contains an address that a function
 * selects at load time (IFUNC). */
static int gmi_selects(const gmi_image_t *image, int64_t table, int64_t bytes)
{
    size_t at = gmi_offset(image, gmi_dynamic_value(image, table));
    const Elf64_Rela *rows =
        (const Elf64_Rela *)(const void *)(image->file + at);
    size_t count =
        at != 0 ? (size_t)gmi_dynamic_value(image, bytes) / sizeof(Elf64_Rela)
                : 0;
    size_t i;

    for (i = 0; i < count; ++i) {
        if (ELF64_R_TYPE(rows[i].r_info) == R_X86_64_IRELATIVE) {
            return 1;
        }
    }
    return 0;
}

/* Return 1 if the dynamic linker executes or changes the code of an object
 * while it loads the object, for example to select an implementation (IFUNC).
 * The code of such an object must therefore be in the copy. */
static int gmi_has_resolvers(const gmi_image_t *image)
{
    size_t at = gmi_offset(image, gmi_dynamic_value(image, DT_SYMTAB));
    const Elf64_Sym *symbols =
        (const Elf64_Sym *)(const void *)(image->file + at);
    size_t count = gmi_symbol_count(image);
    size_t i;

    for (i = 0; i < count; ++i) {
        if (ELF64_ST_TYPE(symbols[i].st_info) == STT_GNU_IFUNC) {
            return 1;
        }
    }
    return count == 0 || gmi_selects(image, DT_RELA, DT_RELASZ) ||
           gmi_selects(image, DT_JMPREL, DT_PLTRELSZ) ||
           gmi_has_entry(image, DT_TEXTREL) ||
           (gmi_dynamic_value(image, DT_FLAGS) & DF_TEXTREL) != 0;
}

/* Let every copy have its own instance of variables that C++ marks as
 * unique in a process, such as static variables of templates and inline
 * functions. */
static void gmi_drop_unique(const gmi_image_t *image)
{
    size_t at = gmi_offset(image, gmi_dynamic_value(image, DT_SYMTAB));
    Elf64_Sym *symbols = (Elf64_Sym *)(void *)(image->edited + at);
    size_t count = gmi_symbol_count(image);
    size_t i;

    for (i = 0; i < count; ++i) {
        if (ELF64_ST_BIND(symbols[i].st_info) == STB_GNU_UNIQUE) {
            symbols[i].st_info =
                ELF64_ST_INFO(STB_WEAK, ELF64_ST_TYPE(symbols[i].st_info));
        }
    }
}

/* Let the copied variables remain writable. The dynamic linker would
 * protect constants among them (PT_GNU_RELRO) before their values are
 * copied. */
static void gmi_drop_protection(const gmi_image_t *image)
{
    Elf64_Phdr *parts =
        (Elf64_Phdr *)(void *)(image->edited + gmi_header(image)->e_phoff);
    unsigned i;

    for (i = 0; i < gmi_header(image)->e_phnum; ++i) {
        if (parts[i].p_type == PT_GNU_RELRO) {
            parts[i].p_type = PT_NULL;
        }
    }
}

/* Make all changes that are the same for all ranks. */
static int gmi_edit(gmi_image_t *image)
{
    int fd = open(image->path, O_RDONLY | O_CLOEXEC);
    void *mapped = MAP_FAILED;
    Elf64_Ehdr *header;
    Elf64_Dyn *entry;

    if (fd >= 0) {
        mapped = mmap(NULL, image->mapped_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE, fd, 0);
        close(fd);
    }
    if (mapped == MAP_FAILED) {
        return -1;
    }
    image->edited = mapped;
    header = mapped; /* a copy ends before the section headers */
    header->e_shoff = 0;
    header->e_shnum = header->e_shstrndx = 0;
    for (entry = (Elf64_Dyn *)(void *)(image->edited + image->dynamic);
         gmi_edit_entry(entry); ++entry) {
    }
    gmi_drop_variables(image);
    gmi_drop_unique(image);
    gmi_drop_protection(image);
    return 0;
}

/* Replace a name in the table of strings. The new name may be shorter.
 * Entries that share a string are replaced together. */
static void gmi_rename(const gmi_image_t *image, uint64_t offset,
                       const gmi_rename_t *renames)
{
    const char *name = gmi_string(image, offset);

    for (; renames->from != NULL; ++renames) {
        if (strcmp(renames->from, name) == 0) {
            strcpy((char *)image->edited + image->strings + offset,
                   renames->to);
            return;
        }
    }
}

/* Replace the names of libraries, in the list of needed libraries and in
 * the table of versions. */
static void gmi_rename_all(const gmi_image_t *image,
                           const gmi_rename_t *renames)
{
    size_t at = gmi_offset(image, gmi_dynamic_value(image, DT_VERNEED));
    uint64_t count = gmi_dynamic_value(image, DT_VERNEEDNUM);
    size_t i;

    for (i = 0; i < image->dynamic_count; ++i) {
        if (gmi_dynamic(image)[i].d_tag == DT_NEEDED) {
            gmi_rename(image, gmi_dynamic(image)[i].d_un.d_val, renames);
        }
    }
    while (at != 0 && count-- > 0) {
        const Elf64_Verneed *need =
            (const Elf64_Verneed *)(const void *)(image->file + at);

        gmi_rename(image, need->vn_file, renames);
        at = need->vn_next != 0 ? at + need->vn_next : 0;
    }
}

/* Find the parts of the original file that all copies can share, because no
 * name in these parts was replaced. */
static void gmi_find_shared(gmi_image_t *image)
{
    const Elf64_Phdr *parts = gmi_parts(image);
    unsigned i;

    for (i = 0; i < gmi_header(image)->e_phnum && i < 64; ++i) {
        if (parts[i].p_type == PT_LOAD && (parts[i].p_flags & PF_W) == 0 &&
            !gmi_has_resolvers(image) &&
            memcmp(image->file + parts[i].p_offset,
                   image->edited + parts[i].p_offset,
                   (size_t)parts[i].p_filesz) == 0) {
            image->shared_parts |= UINT64_C(1) << i;
        }
    }
}

static int gmi_is_shared(const gmi_image_t *image, unsigned part)
{
    return part < 64 && (image->shared_parts >> part & 1) != 0;
}

static int gmi_write(const gmi_image_t *image, int fd, size_t from, size_t to)
{
    while (from < to) {
        ssize_t written =
            pwrite(fd, image->edited + from, to - from, (off_t)from);

        if (written <= 0) {
            return -1;
        }
        from += (size_t)written;
    }
    return 0;
}

/* Write the copy without the parts that gmi_image_share() maps. Pages that
 * also belong to another part are written. */
int gmi_image_copy(gmi_image_t *image, int fd, const gmi_rename_t *renames)
{
    const Elf64_Phdr *parts = gmi_parts(image);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t written = 0;
    int is_first = image->edited == NULL;
    unsigned i;

    if ((is_first && gmi_edit(image) != 0) ||
        ftruncate(fd, (off_t)image->bytes) != 0) {
        return -1;
    }
    gmi_rename_all(image, renames);
    if (is_first) {
        gmi_find_shared(image);
    }
    for (i = 0; i < gmi_header(image)->e_phnum; ++i) {
        size_t first = ((size_t)parts[i].p_offset + page - 1) / page * page;
        size_t end = ((size_t)parts[i].p_offset + (size_t)parts[i].p_filesz) /
                     page * page;

        if (gmi_is_shared(image, i) && first >= written && end > first) {
            if (gmi_write(image, fd, written, first) != 0) {
                return -1;
            }
            written = end;
        }
    }
    return gmi_write(image, fd, written, image->bytes);
}

int gmi_image_share(const gmi_image_t *image, uintptr_t base)
{
    const Elf64_Phdr *parts = gmi_parts(image);
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    int fd = open(image->path, O_RDONLY | O_CLOEXEC);
    int result = fd >= 0 ? 0 : -1;
    unsigned i;

    for (i = 0; result == 0 && i < gmi_header(image)->e_phnum; ++i) {
        uint64_t first = parts[i].p_vaddr / page * page;
        uint64_t bytes = parts[i].p_vaddr - first + parts[i].p_filesz;
        int protection =
            PROT_READ | ((parts[i].p_flags & PF_X) != 0 ? PROT_EXEC : 0);

        if (gmi_is_shared(image, i)) {
            void *at = (void *)(base + first);

            result = mmap(at, bytes, protection, MAP_PRIVATE | MAP_FIXED, fd,
                          (off_t)(parts[i].p_offset / page * page)) == at
                         ? 0
                         : -1;
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    return result;
}
