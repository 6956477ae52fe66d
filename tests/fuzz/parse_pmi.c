/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the check of PMI commands with arbitrary bytes that a rank sends to its
 * launcher. A command that pmi_check_command() accepts is parsed as in the
 * launcher, without checks (strtok). The parser must find all arguments that
 * the launcher requires. The result must not depend on the division of the
 * bytes into pieces.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adi-gm/launcher/pmi_check.h"
#include "parse.h"

#define PMI_ROOM  1024u
#define PMI_WORDS (PMI_ROOM / 2)

/*
 * Parse a command under the same assumptions as HYD_pmcd_pmi_parse_pmi_cmd()
 * and the handlers. [source: MPICH 4.0.2, src/pm/hydra/pm/pmiserv/common.c,
 * pmip_pmi_v1.c]
 */
static void parse_as_launcher(const char *command, size_t length)
{
    char text[PMI_ROOM + 1];
    char *arguments[PMI_WORDS];
    unsigned count = 0;
    char *first;

    memcpy(text, command, length);
    text[length] = '\0';
    PARSE_CHECK(strlen(text) == length,
                "a zero byte follows the first %zu of %zu bytes", strlen(text),
                length);
    first = strtok(text, " ");
    PARSE_CHECK(first != NULL && strncmp(first, "cmd=", 4) == 0 &&
                    first[4] != '\0' && first[4] != '=',
                "the command has no name");
    while ((arguments[count] = strtok(NULL, " ")) != NULL) {
        PARSE_CHECK(++count < PMI_WORDS, "words");
    }
    PARSE_CHECK(strcmp(first, "cmd=spawn") != 0 &&
                    strcmp(first, "cmd=keyval_cache") != 0 &&
                    strcmp(first, "cmd=barrier_out") != 0,
                "%s is only for mpiexec", first);
    if (strcmp(first, "cmd=init") == 0) {
        PARSE_CHECK(count >= 2, "init has only %u arguments", count);
        for (unsigned i = 0; i < 2; ++i) {
            char *value;

            strtok(arguments[i], "=");
            value = strtok(NULL, "=");
            PARSE_CHECK(value != NULL && value[0] >= '0' && value[0] <= '9',
                        "argument %u of init is not a number", i);
        }
    }
    if (strcmp(first, "cmd=get") == 0 || strcmp(first, "cmd=put") == 0) {
        unsigned i = 0;

        while (i < count && strcmp(arguments[i], "key") != 0 &&
               strncmp(arguments[i], "key=", 4) != 0) {
            ++i;
        }
        PARSE_CHECK(i < count && arguments[i][3] == '=' &&
                        arguments[i][4] != '\0',
                    "no key");
    }
}

/* Return 1 for the command that adds processes, which has several lines. The
 * launcher looks up its keys by name. */
static int parse_is_spawn(const char *text, size_t length)
{
    return length > 5 && strncmp(text, "mcmd=", 5) == 0;
}

/* Check bytes first alone, and then together with the following bytes. */
static pmi_check_t parse_growing(const char *text, size_t bytes, size_t *length,
                                 const char **why)
{
    pmi_check_t found = PMI_CHECK_PART;

    for (size_t known = 0; known <= bytes; ++known) {
        pmi_check_t now = pmi_check_command(text, known, PMI_ROOM, length, why);

        PARSE_CHECK(
            found == PMI_CHECK_PART || now == found,
            "with %zu bytes the result is %d, but with fewer bytes it is %d",
            known, now, found);
        PARSE_CHECK(now != PMI_CHECK_MALFORMED ||
                        (*why != NULL && (*why)[0] != '\0'),
                    "the parser gives no reason for a malformed command");
        PARSE_CHECK(now != PMI_CHECK_PART || known < PMI_ROOM,
                    "a full buffer would wait forever for more bytes");
        if (now == PMI_CHECK_WHOLE) {
            PARSE_CHECK(*length <= known && text[*length - 1] == '\n' &&
                            (parse_is_spawn(text, *length) ||
                             memchr(text, '\n', *length) == text + *length - 1),
                        "a command has invalid length %zu in %zu bytes",
                        *length, known);
        }
        found = now;
    }
    return found;
}

const char *const *parse_words(void)
{
    static const char *const words[] = {
        "cmd=",           "init",        "pmi_version=1", "pmi_subversion=1",
        "initack",        "pmiid=0",     "get_maxes",     "get_appnum",
        "get_my_kvsname", "get",         "put",           "kvsname=kvs_1",
        "key=a",          "value=b",     "barrier_in",    "finalize",
        "abort",          "exitcode=1",  "publish_name",  "service=s",
        "port=p",         "mcmd=spawn",  "nprocs=1",      "endcmd\n",
        "keyval_cache",   "barrier_out", "cmd=init;",     NULL,
    };

    return words;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t rest = size < PMI_ROOM ? size : PMI_ROOM;
    char *copy = malloc(rest > 0 ? rest : 1);
    char *text = copy;

    PARSE_CHECK(copy != NULL, "out of memory");
    memcpy(copy, data, rest);
    for (;;) {
        const char *why = NULL;
        size_t length = 0;

        if (parse_growing(text, rest, &length, &why) != PMI_CHECK_WHOLE) {
            break;
        }
        if (!parse_is_spawn(text, length)) {
            parse_as_launcher(text, length - 1);
        }
        text += length;
        rest -= length;
    }
    free(copy);
    return 0;
}
