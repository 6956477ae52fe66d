/* SPDX-License-Identifier: BSD-3-Clause */
/** Declares the fixed parts of the report page, which the script
 *  gmsim/report/assets/pack packs. */
#ifndef REPORT_PAGE_ASSETS_H
#define REPORT_PAGE_ASSETS_H

#include <stddef.h>

/** A piece of UTF-8 text, without a terminating 0. */
typedef struct gms_page_part {
    const unsigned char *bytes;
    size_t length;
} gms_page_part_t;

/** The parts of the page before the title, between the title and the data, and
 *  after the data. */
#define GMS_PAGE_PARTS 3
extern const gms_page_part_t gms_page_parts[GMS_PAGE_PARTS];

#endif
