/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Shows the progress of a command that takes more than two seconds: a bar, the
 * completed percentage, and the estimated remaining time. The bar is shown only
 * if the standard error is a terminal on which the cursor can return to the
 * start of the line (not TERM=dumb).
 */
#ifndef TOOL_BAR_H
#define TOOL_BAR_H

#define GMS_TOOL_BAR_TEXT_LEN 32

typedef struct gms_tool_bar {
    double begin_s, drawn_s; /* drawn_s: time of the last update; 0: no update
                              * so far */
    int is_off, is_drawn;    /* is_drawn: 1: the terminal shows a bar, which
                              * must be erased */
} gms_tool_bar_t;

/** Start measuring the time of the command.
 *  @param [in] is_quiet  1: never draw the bar (--quiet) */
void gms_tool_bar_init(gms_tool_bar_t *bar, int is_quiet);
/** Return whether gms_tool_bar_draw() would draw now; there is a minimum
 *  interval between updates. */
int gms_tool_bar_is_due(const gms_tool_bar_t *bar);
/** Draw the bar if an update is due.
 *  @param [in] fraction  completed fraction of the work, 0..1
 *  @param [in] text      text after the bar, such as the current item; may be
 *    empty */
void gms_tool_bar_draw(gms_tool_bar_t *bar, double fraction, const char *text);
void gms_tool_bar_wipe(gms_tool_bar_t *bar);

/** Write the remaining time as text, such as "about 1:05 min left". If it is
 *  too early for an estimate, the text is empty.
 *  @param [in] past_s  time since the beginning, seconds */
void gms_tool_bar_left(double fraction, double past_s,
                       char text[GMS_TOOL_BAR_TEXT_LEN]);

#endif
