/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Values of command-line options, with the same messages in all commands. An
 * invalid value ends the program with the allowed values (argp_error()).
 */
#ifndef TOOL_ARGUMENT_H
#define TOOL_ARGUMENT_H

#include <argp.h>
#include <stddef.h>
#include <stdint.h>

#include "params/profile.h"

/** A whole number in min..max. @return 0, EINVAL */
error_t gms_tool_number(struct argp_state *state, const char *option,
                        const char *text, uint64_t min, uint64_t max,
                        uint64_t *number_p);
error_t gms_tool_unsigned(struct argp_state *state, const char *option,
                          const char *text, unsigned min, unsigned max,
                          unsigned *number_p);
/** --jobs N: how many things at a time. @return 0, EINVAL */
error_t gms_tool_jobs(struct argp_state *state, const char *text,
                      unsigned *jobs_p);
/** As many as there are processors, the default of --jobs. */
unsigned gms_tool_processors(void);
/** A number in min..max. @return 0, EINVAL */
error_t gms_tool_real(struct argp_state *state, const char *option,
                      const char *text, double min, double max, double *real_p);
/** One of names, which end with NULL: its place there. An error names them all,
 *  and the one that was probably meant. @return 0, EINVAL */
error_t gms_tool_choice(struct argp_state *state, const char *option,
                        const char *text, const char *const *names,
                        unsigned *choice_p);

/** A hardware profile, by its name. @return 0, EINVAL */
error_t gms_tool_profile(struct argp_state *state, const char *text,
                         const gms_profile_t **profile_p);
/** The one file that a command is about. @return 0, EINVAL */
error_t gms_tool_file(struct argp_state *state, const char *path,
                      const char **path_p);
/** --csv[=FILE]: CSV on the standard output, or what is written there into a
 *  file. A file that cannot be written ends the program with status 1.
 *  @param [in] file  NULL: none */
error_t gms_tool_csv(struct argp_state *state, const char *file, int *is_csv_p);

/** An option that does no more than set a field of a command's arguments: an int
 *  to 1, or a const char * to the option's value. */
typedef struct gms_tool_field {
    int key;
    enum {
        GMS_TOOL_FLAG = 1,
        GMS_TOOL_TEXT
    } kind; /* 0 ends a list */
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

/** Set the field of a key. @return 1 if the list has the key, else 0 */
int gms_tool_set_field(const gms_tool_field_t *fields, int key, const char *arg,
                       void *args);

#define GMS_TOOL_JOBS_DOC "Threads (as many as there are processors)"
#define GMS_TOOL_CSV_DOC  "Comma-separated values, into FILE if there is one"

#endif
