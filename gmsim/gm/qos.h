/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Converts the managers' answers to the public form, for requests of ports and
 * of files.
 */
#ifndef GM_QOS_ANSWERS_H
#define GM_QOS_ANSWERS_H

#include "gm/port.h"

/** Write the name of the exhausted resource in the form of
 *  gm_qos_answer_t.place; "" if the request was granted. */
void gms_qos_name_resource(const gms_root_t *root,
                           const gms_qos_verdict_t *verdict,
                           char place[GM_QOS_PLACE_LEN]);
enum gm_qos_criterion
gms_qos_public_criterion(enum gms_qos_criterion criterion);

#endif
