/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Parses values of command-line options. All commands print the same messages
 * for invalid values. After an invalid value, the program prints the allowed
 * values and exits (argp_error()).
 */
#ifndef TOOL_ARGUMENT_H
#define TOOL_ARGUMENT_H

#include <argp.h>
#include <stddef.h>
#include <stdint.h>

#include "params/profile.h"

/** Parse an integer in min..max. @return 0, EINVAL */
error_t gms_tool_number(struct argp_state *state, const char *option,
                        const char *text, uint64_t min, uint64_t max,
                        uint64_t *number_p);
error_t gms_tool_unsigned(struct argp_state *state, const char *option,
                          const char *text, unsigned min, unsigned max,
                          unsigned *number_p);
/** Parse --jobs N, the number of parallel threads or processes.
 *  @return 0, EINVAL */
error_t gms_tool_jobs(struct argp_state *state, const char *text,
                      unsigned *jobs_p);
/** Return the number of processors, which is the default of --jobs. */
unsigned gms_tool_processors(void);
/** Parse a real number in min..max. @return 0, EINVAL */
error_t gms_tool_real(struct argp_state *state, const char *option,
                      const char *text, double min, double max, double *real_p);
/** Parse one of the names in a list (terminated by NULL), and return the index
 *  of the name. The error message contains all names and suggests the most
 *  similar name. @return 0, EINVAL */
error_t gms_tool_choice(struct argp_state *state, const char *option,
                        const char *text, const char *const *names,
                        unsigned *choice_p);

/** Parse the name of a hardware profile. @return 0, EINVAL */
error_t gms_tool_profile(struct argp_state *state, const char *text,
                         const gms_profile_t **profile_p);
/** Accept the single file argument of a command. @return 0, EINVAL */
error_t gms_tool_file(struct argp_state *state, const char *path,
                      const char **path_p);
/** Parse --csv[=FILE]: print CSV on the standard output. With FILE, redirect
 *  the standard output to this file. If the file cannot be opened, the program
 *  exits with status 1.
 *  @param [in] file  path; NULL: standard output */
error_t gms_tool_csv(struct argp_state *state, const char *file, int *is_csv_p);

/** A command-line option that only sets a field of a command's arguments. A
 *  field of type int becomes 1, and a field of type const char * becomes the
 *  option's value. */
typedef struct gms_tool_field {
    int key;
    enum {
        GMS_TOOL_FLAG = 1,
        GMS_TOOL_TEXT
    } kind; /* 0 marks the end of a list */
    size_t offset;
} gms_tool_field_t;

#define GMS_TOOL_FLAG_FIELD(_key, _type, _field)                               \
    {                                                                          \
        (_key), GMS_TOOL_FLAG, offsetof(_type, _field)                         \
    }
#define GMS_TOOL_TEXT_FIELD(_key, _type, _field)                               \
    {                                                                          \
        (_key), GMS_TOOL_TEXT, offsetof(_type, _field)                         \
    }

/** Set the field of this key. @return 1 if the list contains the key, else 0 */
int gms_tool_set_field(const gms_tool_field_t *fields, int key, const char *arg,
                       void *args);

#define GMS_TOOL_JOBS_DOC "Number of threads (default: number of processors)"
#define GMS_TOOL_CSV_DOC  "Print CSV, or write it to FILE"

#endif
