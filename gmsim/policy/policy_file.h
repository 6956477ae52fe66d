/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * policy_file.h - reads the content of a policy file. The header policy.h lists
 * the keys.
 *
 * The functions do not depend on MPI. Both `gmsim config check --policy` and
 * libmpiqos call these functions. The caller provides the YAML reader:
 * gmsim_read_records() or the device's hook for this function.
 */
#ifndef MPI_QOS_POLICY_FILE_H
#define MPI_QOS_POLICY_FILE_H

#include <stddef.h>

/** Size of the buffer for a communicator's name, including the terminating 0;
 *  equal to MPI_MAX_OBJECT_NAME of MPICH. */
#define MPIQOS_POLICY_NAME_LEN 128
/** Size of the buffer for the reason why a value is invalid; equal to
 *  GMSIM_WHY_LEN. */
#define MPIQOS_POLICY_WHY_LEN 160
/** Limits in bytes/s, bytes and seconds; equal to the limits of mpi_qos.h. */
#define MPIQOS_POLICY_MAX_BANDWIDTH    1e12
#define MPIQOS_POLICY_MAX_MESSAGE_SIZE 2147483647L
#define MPIQOS_POLICY_MAX_BURST        2147483647L
#define MPIQOS_POLICY_MAX_DELAY        40.0

/** Traffic class of a rule. The values are equal to the values in mpi_qos.h,
 * which has no MPIQOS_NONE. */
typedef enum mpiqos_rule_class {
    MPIQOS_RULE_NONE = 0,
    MPIQOS_RULE_PREMIUM = 1,
    MPIQOS_RULE_BEST_EFFORT = 2
} mpiqos_rule_class_t;

/** The traffic to which a rule applies. */
typedef enum mpiqos_where {
    MPIQOS_WHERE_WORLD,
    MPIQOS_WHERE_ANY,
    MPIQOS_WHERE_NAMED,
    MPIQOS_WHERE_FILES /**< file traffic: one side of the rule is `io` */
} mpiqos_where_t;

typedef struct mpiqos_rule {
    unsigned line;            /* line in the file, counting from 1 */
    unsigned char *from, *to; /* one element per world rank; 1: the rule
                               * includes the rank */
    int from_all, to_all;
    int from_io, to_io; /* 1 if this side of the rule denotes the I/O hosts; at
                         * most one side has this value */
    mpiqos_rule_class_t qos_class;
    double bandwidth;     /* bytes/s; 0 unless the class is premium */
    double back;          /* bandwidth in the opposite direction, in bytes/s,
                           * for which there is a separate rule; 0 if it is not
                           * set */
    long message_size;    /* bytes; 0: not set */
    long burst;           /* bytes; 0: not set */
    double delay, jitter; /* seconds; 0: not set */
    mpiqos_where_t where;
    /* WHERE_NAMED: the communicator's name. WHERE_FILES: the pattern for file
     * names, or "" for all files. Otherwise "" */
    char name[MPIQOS_POLICY_NAME_LEN];
    int is_used;              /* 1 if the rule has been applied to a pair of
                               * ranks on a communicator */
    struct mpiqos_rule *next; /* rules in the order of the file */
} mpiqos_rule_t;

typedef struct mpiqos_rules {
    int size; /* number of ranks of the job */
    mpiqos_rule_t *first, **last;
} mpiqos_rules_t;

/** Handle a record of the file; see gmsim_record_fn. */
typedef int mpiqos_record_fn(unsigned line, const char *const *const *values,
                             int *key_p, unsigned *item_p,
                             char why[MPIQOS_POLICY_WHY_LEN], void *context);
/** Reads a file of records; see gmsim_read_records(). @return 0 or -1 */
typedef int mpiqos_reader_fn(const char *path, const char *what,
                             const char *const *keys,
                             mpiqos_record_fn *record_fn, void *context,
                             char *error, size_t error_len);

/**
 * Read the rules for a job.
 *
 * @param [out] rules  free them with mpiqos_rules_clear(); empty after an error
 * @param [in] size number of ranks of the job, at least 1
 * @param [out] error  "FILE:LINE: key 'K': value 'V' ...; allowed: ...", one
 *                     line per invalid rule, cut off after error_len bytes
 * @return 0, or -1 with the message in error
 */
int mpiqos_rules_read(mpiqos_rules_t *rules, const char *path, int size,
                      mpiqos_reader_fn *reader_fn, char *error,
                      size_t error_len);
/** Return 1 if a rule for files (MPIQOS_WHERE_FILES) applies to a file that a
 *  program opens with the given name. */
int mpiqos_rule_has_file(const mpiqos_rule_t *rule, const char *name);
/** Return the reason why a valid rule is probably a mistake, or NULL. The
 *  reason follows the file name and the line number in a warning.
 *  @param [in] rule one of `rules`
 *  @param [out] why buffer for the reason */
const char *mpiqos_rule_doubt(const mpiqos_rules_t *rules,
                              const mpiqos_rule_t *rule,
                              char why[MPIQOS_POLICY_WHY_LEN]);
/** Free the memory of the rules. The function also accepts a struct that
 *  contains only zeros. */
void mpiqos_rules_clear(mpiqos_rules_t *rules);

#endif
