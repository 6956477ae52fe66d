/* SPDX-License-Identifier: BSD-3-Clause */
/** How far a command is, on a terminal, if it takes more than two seconds. */
#ifndef TOOL_BAR_H
#define TOOL_BAR_H

#include <time.h>

typedef struct gms_tool_bar {
    time_t begin;
    int is_drawn; /* there is one to wipe out */
} gms_tool_bar_t;

void gms_tool_bar_init(gms_tool_bar_t *bar);
/** Whether one would be drawn now. */
int gms_tool_bar_is_due(const gms_tool_bar_t *bar);
/** @param [in] fraction  0..1
 *  @param [in] text      behind it: what is under way */
void gms_tool_bar_draw(gms_tool_bar_t *bar, double fraction, const char *text);
void gms_tool_bar_wipe(gms_tool_bar_t *bar);

#endif
