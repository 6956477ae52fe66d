/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the search for the variables that mpirun sets for a rank. In the
 * commands of this test, a comma marks the end of a word.
 */
#include <string.h>

#include "job/launch_words.h"
#include "unit.h"

/* Replace the commas in a string with the terminating 0 of each word. */
static gms_words_t words_of(const char *text, char *out)
{
    size_t i, length = strlen(text);

    for (i = 0; i < length; ++i) {
        out[i] = text[i] == ',' ? '\0' : text[i];
    }
    out[length] = '\0';
    return (gms_words_t){out, length > 0 ? length + 1 : 0};
}

/* Check the variables of a rank, which are also separated by commas. */
static void check(const char *launcher, const char *command, unsigned rank,
                  const char *wanted)
{
    char one[256], two[256], out[256], list[256];
    size_t bytes = gms_launch_variables(words_of(launcher, one),
                                        words_of(command, two), rank, out,
                                        sizeof(out)),
           i;

    for (i = 0; i < bytes; ++i) {
        list[i] = out[i] == '\0' ? ',' : out[i];
    }
    list[bytes > 0 ? bytes - 1 : 0] = '\0';
    CU_ASSERT_STRING_EQUAL(list, wanted);
    if (strcmp(list, wanted) != 0) {
        printf("'%s': '%s', expected '%s'\n", launcher, list, wanted);
    }
}

static void test_one_program(void)
{
    check("mpirun,-n,2,./a,b", "./a,b", 0, "");
    check("mpirun,-n,2,-env,X,1,./a,b", "./a,b", 1, "-env,X,1");
    check("mpirun,-env,X,1,-n,2,--env,Y=2=3,./a", "./a", 0,
          "-env,X,1,-env,Y,2=3");
    check("mpirun,-genv,X,,-env,X,1,./a", "./a", 0, "-env,X,,-env,X,1");
    check("mpirun,-genv,X=,./a", "./a", 0, "-env,X,");
    /* arguments of the program are not options */
    check("mpirun,-n,1,./a,-env,X,1", "./a,-env,X,1", 0, "");
    check("mpirun,-env,X,./a", "./a", 0, "");
}

static void test_several_programs(void)
{
    const char *launcher =
        "/usr/bin/mpiexec,-genv,G,0,-n,2,-env,X,1,./a,:,-n,1,./a,:,-np,2,-env,"
        "Y,2,./b,c";

    check(launcher, "./a", 0, "-env,G,0,-env,X,1");
    check(launcher, "./a", 1, "-env,G,0,-env,X,1");
    check(launcher, "./a", 2, "-env,G,0");
    check(launcher, "./b,c", 3, "-env,G,0,-env,Y,2");
    check(launcher, "./b,c", 4, "-env,G,0,-env,Y,2");
    check(launcher, "./b,c", 5, "");
}

/* If the program of a rank is unknown, no variable is reported. */
static void test_unknown_commands(void)
{
    check("", "./a", 0, "");
    check("mpirun,-env,X,1,./a", "", 0, "");
    check("mpirun,-env,X,1,./a", "./b", 0, "");
    check("mpirun,-env,X,1,./a", "1,./a", 0, "");
    check("mpirun,-env,X,11,./a", "1,./a", 0, "");
    check("mpirun,-env,X,1,./a,:,-n,1,./a", "./a", 0, "");
    check("mpirun", "mpirun", 0, "");
    check("mpirun,-env", "-env", 0, "");
    check(":,:,:", ":", 0, "");
}

static void test_room(void)
{
    char launcher[64], command[64], out[16];
    gms_words_t a = words_of("mpirun,-env,LONG,12345,./a", launcher);
    gms_words_t b = words_of("./a", command);

    CHECK_U64(gms_launch_variables(a, b, 0, out, 16), 16);
    CHECK_U64(gms_launch_variables(a, b, 0, out, 15), 0);
    CHECK_U64(gms_launch_variables(a, b, 0, out, 0), 0);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"one program", test_one_program},
        {"several programs", test_several_programs},
        {"unknown commands", test_unknown_commands},
        {"room", test_room},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"launch_words", NULL, NULL, NULL, NULL, tests});
}
