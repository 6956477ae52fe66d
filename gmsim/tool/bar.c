/* SPDX-License-Identifier: BSD-3-Clause */
/* A bar on a terminal. */
#include "tool/bar.h"

#include <stdio.h>
#include <unistd.h>

#define GMS_TOOL_BAR_LEN     30 /* characters */
#define GMS_TOOL_BAR_AFTER_S 2  /* no bar for what is over by then */

void gms_tool_bar_init(gms_tool_bar_t *bar)
{
    bar->begin = time(NULL);
    bar->is_drawn = 0;
}

int gms_tool_bar_is_due(const gms_tool_bar_t *bar)
{
    return isatty(STDERR_FILENO) &&
           (time(NULL) - bar->begin >= GMS_TOOL_BAR_AFTER_S);
}

void gms_tool_bar_draw(gms_tool_bar_t *bar, double fraction, const char *text)
{
    int full = (int)(fraction * GMS_TOOL_BAR_LEN), i;

    if (!gms_tool_bar_is_due(bar)) {
        return;
    }
    fprintf(stderr, "\r[");
    for (i = 0; i < GMS_TOOL_BAR_LEN; i++) {
        fputc((i < full) ? '#' : '.', stderr);
    }
    fprintf(stderr, "] %3.0f %% %s\033[K", 100.0 * fraction, text);
    bar->is_drawn = 1;
}

void gms_tool_bar_wipe(gms_tool_bar_t *bar)
{
    if (bar->is_drawn) {
        fprintf(stderr, "\r\033[K");
        bar->is_drawn = 0;
    }
}
