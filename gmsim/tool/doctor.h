/* SPDX-License-Identifier: BSD-3-Clause */
/* Declares the checks of gmsim doctor. Only doctor*.c include this file. */
#ifndef TOOL_DOCTOR_H
#define TOOL_DOCTOR_H

#define GMS_DOCTOR_TEXT_LEN 512

enum gms_doctor_level {
    GMS_DOCTOR_GOOD = 0,
    GMS_DOCTOR_NOTE, /* jobs run, but more slowly or with reduced
                        functionality */
    GMS_DOCTOR_BAD   /* jobs cannot run */
};

typedef struct gms_doctor_finding {
    enum gms_doctor_level level;
    char text[GMS_DOCTOR_TEXT_LEN];   /* result of the check */
    char advice[GMS_DOCTOR_TEXT_LEN]; /* remedy; "" if no remedy is necessary */
} gms_doctor_finding_t;

/** Run a check and write its finding. The caller sets the finding to zero
 *  first. */
typedef void gms_doctor_check_fn(gms_doctor_finding_t *finding);

/* doctor_machine.c */
gms_doctor_check_fn gms_doctor_shared_memory, gms_doctor_addresses,
    gms_doctor_copies, gms_doctor_limits, gms_doctor_cores;
/* doctor_parts.c */
gms_doctor_check_fn gms_doctor_launcher, gms_doctor_compiler,
    gms_doctor_environment, gms_doctor_drawing, gms_doctor_gm_job,
    gms_doctor_mpi_job;

/** Write a finding. The format is as for printf(); advice may be NULL. */
void gms_doctor_find(gms_doctor_finding_t *finding, enum gms_doctor_level level,
                     const char *advice, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
