/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stores names of labels and payload fractions that libraries report
 * (gmsim_name_label(), gm_qos_note_payload()). There are few entries, which are
 * rarely read, so a list is sufficient.
 */
#include <stdio.h>
#include <string.h>

#include "observe/record_int.h"

/* Return the position of a label in the sorted list, or the insertion point for
 * the label. */
static gms_record_label_t **gms_record_label_place(gms_record_label_t **place,
                                                   uint32_t label)
{
    while (*place != NULL && (*place)->label < label) {
        place = &(*place)->next;
    }
    return place;
}

void gms_record_name_label(gms_arena_t *arena, gms_record_t *record,
                           uint32_t label, uint32_t rank, const char *name)
{
    gms_record_label_t **place = gms_record_label_place(&record->labels, label);
    gms_record_label_t *found = *place;

    if (found == NULL || found->label != label) {
        found = gms_arena_alloc(arena, sizeof(*found));
        if (found == NULL) {
            return;
        }
        *found =
            (gms_record_label_t){.next = *place, .label = label, .rank = rank};
        *place = found;
    }
    if (rank <= found->rank) {
        found->rank = rank;
        (void)snprintf(found->name, sizeof(found->name), "%s", name);
    }
}

const char *gms_record_label_name(const gms_record_t *record, uint32_t label)
{
    const gms_record_label_t *found = record->labels;

    while (found != NULL && found->label < label) {
        found = found->next;
    }
    return found != NULL && found->label == label ? found->name : "";
}

json_t *gms_record_labels(const gms_record_t *record)
{
    json_t *array = json_array();
    const gms_record_label_t *label;

    for (label = record->labels; label != NULL; label = label->next) {
        /* json_pack() fails for a name that is not UTF-8; the list then omits
         * this name */
        (void)json_array_append_new(array, json_pack("{s:i,s:s}", "label",
                                                     (int)label->label, "name",
                                                     label->name));
    }
    return array;
}

/* ---- payload fractions ---- */

static gms_record_payload_t *gms_record_find_payload(const gms_record_t *record,
                                                     uint32_t node,
                                                     const gms_flow_key_t *key)
{
    gms_record_payload_t *found = record->payloads;

    while (found != NULL && (found->node != node ||
                             memcmp(&found->key, key, sizeof(*key)) != 0)) {
        found = found->next;
    }
    return found;
}

void gms_record_note_payload(gms_arena_t *arena, gms_record_t *record,
                             uint32_t node, const gms_flow_key_t *key,
                             double part)
{
    gms_record_payload_t *found = gms_record_find_payload(record, node, key);

    if (found == NULL) {
        found = gms_arena_alloc(arena, sizeof(*found));
        if (found == NULL) {
            return;
        }
        found->node = node;
        found->key = *key;
        found->next = record->payloads;
        record->payloads = found;
    }
    found->part = part;
}

double gms_record_payload_part(const gms_record_t *record, uint32_t node,
                               const gms_flow_key_t *key)
{
    const gms_record_payload_t *found =
        gms_record_find_payload(record, node, key);

    return found != NULL ? found->part : 0;
}
