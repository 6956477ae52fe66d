/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Progress of a command on a terminal, if it takes more than two seconds: a
 * bar, the completed percentage, and an estimate of the remaining time. There
 * is no bar if the standard error is no terminal, or one that cannot return to
 * the start of a line (TERM=dumb).
 */
#ifndef TOOL_BAR_H
#define TOOL_BAR_H

#define GMS_TOOL_BAR_TEXT_LEN 32

typedef struct gms_tool_bar {
    double begin_s, drawn_s; /* drawn_s: last; 0: never */
    int is_off, is_drawn;    /* is_drawn: there is one to wipe out */
} gms_tool_bar_t;

/** @param [in] is_quiet  never draw it (--quiet) */
void gms_tool_bar_init(gms_tool_bar_t *bar, int is_quiet);
/** Whether one would be drawn now: not more often than is of use. */
int gms_tool_bar_is_due(const gms_tool_bar_t *bar);
/** @param [in] fraction  0..1
 *  @param [in] text      behind it: what is under way; may be empty */
void gms_tool_bar_draw(gms_tool_bar_t *bar, double fraction, const char *text);
void gms_tool_bar_wipe(gms_tool_bar_t *bar);

/** "about 1:05 min left"; nothing if it is too early to say.
 *  @param [in] past_s  since the beginning */
void gms_tool_bar_left(double fraction, double past_s,
                       char text[GMS_TOOL_BAR_TEXT_LEN]);

#endif
