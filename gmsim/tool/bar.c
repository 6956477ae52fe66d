/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Draws and erases the progress bar within the width of the terminal. The
 * remaining time is extrapolated from the elapsed time after the first 2 % of
 * the work.
 */
#include "tool/bar.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/tidy.h"

#define GMS_TOOL_BAR_LEN     30 /* characters */
#define GMS_TOOL_BAR_LINE    256
#define GMS_TOOL_BAR_AFTER_S 2.0 /* the bar is not drawn before this time */
#define GMS_TOOL_BAR_EACH_S  0.1 /* minimum interval between two updates */
/* Below this fraction of completed work, the remaining time is not
 * estimated. */
#define GMS_TOOL_BAR_GUESS 0.02

static double gms_tool_bar_now(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/** Return the number of columns that the bar can use. The terminal wraps a
 *  longer line, and a wrapped line cannot be erased. */
static int gms_tool_bar_width(void)
{
    struct winsize size;

    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) {
        return 79;
    }
    return size.ws_col - 1;
}

void gms_tool_bar_init(gms_tool_bar_t *bar, int is_quiet)
{
    const char *term = getenv("TERM");

    bar->begin_s = gms_tool_bar_now();
    bar->drawn_s = 0;
    bar->is_drawn = 0;
    bar->is_off = is_quiet || term == NULL || strcmp(term, "dumb") == 0 ||
                  !isatty(STDERR_FILENO);
}

int gms_tool_bar_is_due(const gms_tool_bar_t *bar)
{
    double now_s;

    if (bar->is_off) {
        return 0;
    }
    now_s = gms_tool_bar_now();
    return now_s - bar->begin_s >= GMS_TOOL_BAR_AFTER_S &&
           now_s - bar->drawn_s >= GMS_TOOL_BAR_EACH_S;
}

void gms_tool_bar_left(double fraction, double past_s,
                       char text[GMS_TOOL_BAR_TEXT_LEN])
{
    double left_s = past_s * (1 - fraction) / fraction;
    unsigned seconds;

    text[0] = '\0';
    if (!(fraction >= GMS_TOOL_BAR_GUESS) || fraction > 1 || left_s > 360000) {
        return;
    }
    seconds = (unsigned)ceil(left_s);
    if (seconds < 60) {
        (void)snprintf(text, GMS_TOOL_BAR_TEXT_LEN, "about %u s left", seconds);
    } else if (seconds < 3600) {
        (void)snprintf(text, GMS_TOOL_BAR_TEXT_LEN, "about %u:%02u min left",
                       seconds / 60, seconds % 60);
    } else {
        (void)snprintf(text, GMS_TOOL_BAR_TEXT_LEN, "about %u:%02u h left",
                       seconds / 3600, seconds / 60 % 60);
    }
}

void gms_tool_bar_draw(gms_tool_bar_t *bar, double fraction, const char *text)
{
    static const char full[] = "##############################";
    static const char rest[] = "..............................";
    char line[GMS_TOOL_BAR_LINE], left[GMS_TOOL_BAR_TEXT_LEN];
    int done;

    if (!gms_tool_bar_is_due(bar)) {
        return;
    }
    fraction = fmin(fmax(fraction, 0), 1);
    done = (int)(fraction * GMS_TOOL_BAR_LEN);
    bar->drawn_s = gms_tool_bar_now();
    gms_tool_bar_left(fraction, bar->drawn_s - bar->begin_s, left);
    (void)snprintf(line, sizeof(line), "[%.*s%.*s] %3.0f %%%s%s%s%s", done,
                   full, GMS_TOOL_BAR_LEN - done, rest, 100.0 * fraction,
                   (left[0] != '\0') ? ", " : "", left,
                   (text[0] != '\0') ? ", " : "", text);
    bar->is_drawn = 1;
    gms_tidy_bar(1);
    fprintf(stderr, "\r%.*s\033[K", gms_tool_bar_width(), line);
}

void gms_tool_bar_wipe(gms_tool_bar_t *bar)
{
    if (bar->is_drawn) {
        fprintf(stderr, "\r\033[K");
        bar->is_drawn = 0;
        gms_tidy_bar(0);
    }
}
