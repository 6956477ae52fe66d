/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaces functions of the C library that access the environment. The variables
 * of the process manager differ between ranks, and all other variables belong to
 * the process. A program has its own pointer to the environment, which must be
 * updated after every change.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "inprocess/libc.h"

/* Return the value of a variable that differs between ranks, or NULL. */
static char *gmi_find_variable(const char *name)
{
    size_t length = strlen(name);
    unsigned i;

    for (i = 0; gmi_current != NULL && i < GMI_RANK_VARIABLES; ++i) {
        if (strncmp(gmi_current->variables[i], name, length) == 0 &&
            gmi_current->variables[i][length] == '=') {
            return gmi_current->variables[i] + length + 1;
        }
    }
    return NULL;
}

GMI_API char *getenv(const char *name)
{
    GMI_REAL(getenv)
    char *own = gmi_find_variable(name);

    return own != NULL ? own : real(name);
}

GMI_API char *secure_getenv(const char *name)
{
    GMI_REAL(secure_getenv)
    char *own = gmi_find_variable(name);

    return own != NULL ? own : real(name);
}

void gmi_environment_find(void)
{
    gmi_current->environment = gmi_own_variable("environ");
}

void gmi_environment_refresh(void)
{
    if (gmi_current->environment != NULL) {
        *gmi_current->environment = environ;
    }
}

static int gmi_after_change(int result)
{
    if (gmi_current != NULL) {
        gmi_environment_refresh();
    }
    return result;
}

GMI_API int setenv(const char *name, const char *value, int replace)
{
    GMI_REAL(setenv)

    return gmi_after_change(real(name, value, replace));
}

GMI_API int unsetenv(const char *name)
{
    GMI_REAL(unsetenv)

    return gmi_after_change(real(name));
}

GMI_API int putenv(char *text)
{
    GMI_REAL(putenv)

    return gmi_after_change(real(text));
}

GMI_API int clearenv(void)
{
    GMI_REAL(clearenv)

    return gmi_after_change(real());
}

/* Copy the variables that tzset() sets to the program. */
GMI_API void tzset(void)
{
    GMI_REAL(tzset)
    long *zone;
    int *light;
    char **names;

    real();
    if (!gmi_is_rank()) {
        return;
    }
    zone = gmi_own_variable("timezone");
    light = gmi_own_variable("daylight");
    names = gmi_own_variable("tzname");
    if (zone != NULL) {
        *zone = timezone;
    }
    if (light != NULL) {
        *light = daylight;
    }
    if (names != NULL) {
        names[0] = tzname[0];
        names[1] = tzname[1];
    }
}
