/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Reads a YAML file that is a list of flat mappings. The file contains settings
 * that this library passes on without interpreting them (gmsim_read_records()
 * in gmsim.h). The library reads and checks the file like a cluster
 * description.
 */
#ifndef YAML_RECORDS_H
#define YAML_RECORDS_H

#include "gmsim.h"
#include "yaml/loader.h"

/** Maximum number of keys in a record, and maximum total number of strings in
 *  all lists of a record. */
#define GMS_RECORD_KEYS  16
#define GMS_RECORD_TEXTS 4096

/** The arguments are the same as for gmsim_read_records().
 *  @return GMS_OK; GMS_ERR_INVALID_PARAM: too many keys; GMS_ERR_CONFIG with a
 *          message in error */
gms_status_t gms_records_read(const char *path, const char *what,
                              const char *const *keys,
                              gmsim_record_fn *record_fn, void *context,
                              char error[GMS_YAML_ERROR_LEN]);

#endif
