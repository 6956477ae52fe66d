/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Shows the progress of a command that takes more than two seconds: a bar, the
 * completed percentage, and an estimate of the remaining time. The bar is shown
 * only if the standard error is a terminal that can return to the start of a
 * line (not TERM=dumb).
 */
#ifndef TOOL_BAR_H
#define TOOL_BAR_H

#define GMS_TOOL_BAR_TEXT_LEN 32

typedef struct gms_tool_bar {
    double begin_s, drawn_s; /* drawn_s: time of the last update; 0: no update
                              * yet */
    int is_off, is_drawn;    /* is_drawn: 1: the terminal shows a bar, which
                              * must be wiped */
} gms_tool_bar_t;

/** Begin to measure the time of the command.
 *  @param [in] is_quiet  never draw the bar (--quiet) */
void gms_tool_bar_init(gms_tool_bar_t *bar, int is_quiet);
/** Return whether gms_tool_bar_draw() would draw now; updates have a minimum
 *  interval. */
int gms_tool_bar_is_due(const gms_tool_bar_t *bar);
/** Draw the bar if an update is due.
 *  @param [in] fraction  completed fraction, 0..1
 *  @param [in] text      appended to the bar, such as the current item; may
 *    be empty */
void gms_tool_bar_draw(gms_tool_bar_t *bar, double fraction, const char *text);
void gms_tool_bar_wipe(gms_tool_bar_t *bar);

/** Write the remaining time, such as "about 1:05 min left". The text is empty if
 *  it is too early for an estimate.
 *  @param [in] past_s  elapsed time since the beginning, seconds */
void gms_tool_bar_left(double fraction, double past_s,
                       char text[GMS_TOOL_BAR_TEXT_LEN]);

#endif
