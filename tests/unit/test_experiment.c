/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests experiments: reading reference files, judging rows, treating rows that
 * are known not to be reproduced, and writing results of an experiment's
 * process to the CSV file.
 */
#include "unit.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "experiments/pool.h"
#include "experiments/reference.h"
#include "experiments/result.h"

/* The list may be empty, because these tests run no experiment from the
 * list. */
const gms_experiment_t *const gms_experiments[] = {NULL};

static char directory[] = "/tmp/gmqos-test-experiment-XXXXXX";
static char path[64];
static gms_references_t references;
static char error[GMS_REFERENCE_ERROR_LEN];

#define HEAD                                                                   \
    "experiment,series,setting,quantity,value,unit,kind,tolerance_percent,"    \
    "source\n"

static int setup(void)
{
    if (mkdtemp(directory) == NULL) {
        return 1;
    }
    snprintf(path, sizeof(path), "%s/test.csv", directory);
    return 0;
}

static int teardown(void)
{
    (void)unlink(path);
    return rmdir(directory);
}

static gms_status_t read_text(const char *text)
{
    FILE *file = fopen(path, "w");

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    fputs(text, file);
    CU_ASSERT_EQUAL_FATAL(fclose(file), 0);
    return gms_references_read(directory, &references, error);
}

/* ---- references ---- */

static void test_reference_found(void)
{
    const gms_reference_t *row;

    CU_ASSERT_EQUAL_FATAL(
        read_text("# a comment\n" HEAD
                  "e-1,flow 1,IDT=2,bandwidth,40.91,MB/s,within,2,figure 1\n"
                  "\n"
                  "e-1,flow 2,IDT=2,loss,1,percent,at_most,,a, with a comma\n"),
        GMS_OK);
    CU_ASSERT_EQUAL_FATAL(references.count, 2);
    row =
        gms_references_find(&references, "e-1", "flow 1", "IDT=2", "bandwidth");
    CU_ASSERT_PTR_NOT_NULL_FATAL(row);
    CU_ASSERT_EQUAL(row->value, 40.91);
    CU_ASSERT_EQUAL(row->kind, GMS_ROW_WITHIN);
    CU_ASSERT_EQUAL(row->tolerance_percent, 2.0);
    row = gms_references_find(&references, "e-1", "flow 2", "IDT=2", "loss");
    CU_ASSERT_PTR_NOT_NULL_FATAL(row);
    CU_ASSERT_EQUAL(row->kind, GMS_ROW_AT_MOST);
    CU_ASSERT_STRING_EQUAL(row->source, "a, with a comma");
    /* all four columns must match */
    CU_ASSERT_PTR_NULL(gms_references_find(&references, "e-2", "flow 1",
                                           "IDT=2", "bandwidth"));
    CU_ASSERT_PTR_NULL(gms_references_find(&references, "e-1", "flow 3",
                                           "IDT=2", "bandwidth"));
    CU_ASSERT_PTR_NULL(gms_references_find(&references, "e-1", "flow 1",
                                           "IDT=3", "bandwidth"));
    CU_ASSERT_PTR_NULL(
        gms_references_find(&references, "e-1", "flow 1", "IDT=2", "loss"));
    gms_references_clear(&references);
}

static void test_reference_other_table(void)
{
    CU_ASSERT_EQUAL(read_text("component,energy\nbuffer,31\n"), GMS_OK);
    CU_ASSERT_EQUAL(references.count, 0);
    gms_references_clear(&references);
}

static void test_reference_wrong(void)
{
    static const struct {
        const char *line, *says;
    } wrong[] = {
        {"a,b,c,d,1,u,within,2\n", "test.csv:2: fewer than 9 columns"},
        {"a,b,c,d,,u,within,2,s\n", "test.csv:2: the value is not a number"},
        {"a,b,c,d,1 2,u,within,2,s\n", "test.csv:2: the value is not a number"},
        {"a,b,c,d,1,u,about,2,s\n", "test.csv:2: the kind is unknown"},
        {"a,b,c,d,1,u,within,,s\n", "test.csv:2: the tolerance is not a"},
        {"a,b,c,d,1,u,at_most,x,s\n", "test.csv:2: the tolerance is not"},
        {"a,b,c,d,1,u,within,-2,s\n", "test.csv:2: the tolerance is not"},
        {"a,b,c,d,1,u,within,nan,s\n", "test.csv:2: the tolerance is not"},
        {"a,b,c,d,inf,u,within,2,s\n", "test.csv:2: the value is not a number"},
        {"a,b,c,d,1,u,within,2,s\na,b,c,d,2,u,within,2,s\n",
         "test.csv:3: a row for this experiment, series, setting and "},
    };
    size_t i;

    for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
        char text[256];

        snprintf(text, sizeof(text), HEAD "%s", wrong[i].line);
        CU_ASSERT_EQUAL(read_text(text), GMS_ERR_CONFIG);
        CU_ASSERT_PTR_NOT_NULL(strstr(error, wrong[i].says));
        CU_ASSERT_EQUAL(references.count, 0);
    }
    /* A table with a damaged header line is an error. The reader must not skip
     * this table as a table of another kind. */
    CU_ASSERT_EQUAL(read_text("\n# x\nexperiment,series\na,b,c,d\n"),
                    GMS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(error, "test.csv:3: this line is not the head"));
    CU_ASSERT_EQUAL(gms_references_read("/nowhere", &references, error),
                    GMS_ERR_NOT_FOUND);
    CU_ASSERT_PTR_NOT_NULL(strstr(error, "/nowhere"));
}

static void test_reference_long_line(void)
{
    char text[2048] = HEAD "a,b,c,d,1,u,within,2,";
    size_t head = strlen(text);

    memset(text + head, 's', 1500 - head);
    CU_ASSERT_EQUAL(read_text(text), GMS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(strstr(error, "test.csv:2: the line has more than"));
    text[strlen(HEAD) + 1022] = '\0';
    CU_ASSERT_EQUAL(read_text(text), GMS_OK);
    CU_ASSERT_EQUAL(references.count, 1);
    gms_references_clear(&references);
}

/* ---- rows ---- */

static const gms_experiment_t judged = {
    .name = "e-1", .title = "t", .source = "s", .text = "x"};

static gms_row_t judge(enum gms_row_kind kind, double value, double expected,
                       double tolerance)
{
    gms_result_t result = {.experiment = &judged};
    gms_references_t none = {.count = 0};
    gms_record_t record = {.kind = GMS_RECORD_CHECK,
                           .row_kind = kind,
                           .value = value,
                           .expected = expected,
                           .tolerance_percent = tolerance};
    gms_row_t row;

    CU_ASSERT_EQUAL_FATAL(gms_result_take(&result, &none, &record), GMS_OK);
    CU_ASSERT_EQUAL_FATAL(result.row_count, 1);
    row = result.rows[0];
    CU_ASSERT_EQUAL(gms_result_bad_rows(&result), row.is_ok ? 0 : 1);
    gms_result_clear(&result);
    return row;
}

static void test_row_judged(void)
{
    double nan = strtod("nan", NULL);

    CU_ASSERT_TRUE(judge(GMS_ROW_WITHIN, 102.0, 100.0, 2.0).is_ok);
    CU_ASSERT_FALSE(judge(GMS_ROW_WITHIN, 102.01, 100.0, 2.0).is_ok);
    CU_ASSERT_TRUE(judge(GMS_ROW_WITHIN, 98.0, 100.0, 2.0).is_ok);
    CU_ASSERT_FALSE(judge(GMS_ROW_WITHIN, 97.99, 100.0, 2.0).is_ok);
    CU_ASSERT_TRUE(judge(GMS_ROW_WITHIN, 0.0, 0.0, 0.0).is_ok);
    CU_ASSERT_FALSE(judge(GMS_ROW_WITHIN, 1.0, 0.0, 50.0).is_ok);
    CU_ASSERT_FALSE(judge(GMS_ROW_WITHIN, nan, 100.0, 2.0).is_ok);
    CU_ASSERT_TRUE(judge(GMS_ROW_AT_MOST, 1.0, 1.0, 0.0).is_ok);
    CU_ASSERT_FALSE(judge(GMS_ROW_AT_MOST, 1.01, 1.0, 0.0).is_ok);
    CU_ASSERT_TRUE(judge(GMS_ROW_AT_LEAST, 1.0, 1.0, 0.0).is_ok);
    CU_ASSERT_FALSE(judge(GMS_ROW_AT_LEAST, 0.99, 1.0, 0.0).is_ok);
    CU_ASSERT_TRUE(judge(GMS_ROW_REPORTED, 5.0, 1.0, 0.0).is_ok);
    CU_ASSERT_FALSE(judge(GMS_ROW_REPORTED, nan, 1.0, 0.0).is_ok);
    CU_ASSERT_EQUAL(judge(GMS_ROW_WITHIN, 30.0, 40.0, 2.0).deviation_percent,
                    -25.0);
    CU_ASSERT_EQUAL(judge(GMS_ROW_WITHIN, 1.0, 0.0, 2.0).deviation_percent,
                    0.0);
}

/* Return the verdict on a value whose printed reference value has a
 * tolerance. */
static enum gms_row_verdict verdict_on(double value, const char *reference)
{
    gms_result_t result = {.experiment = &judged};
    gms_record_t record = {.kind = GMS_RECORD_ROW,
                           .series = "a",
                           .setting = "s",
                           .quantity = "q",
                           .value = value};
    char text[256];
    enum gms_row_verdict verdict;

    (void)snprintf(text, sizeof(text), HEAD "e-1,a,s,q,%s,here\n", reference);
    CU_ASSERT_EQUAL_FATAL(read_text(text), GMS_OK);
    CU_ASSERT_EQUAL_FATAL(gms_result_take(&result, &references, &record),
                          GMS_OK);
    verdict = gms_row_verdict(&result.rows[0]);
    gms_result_clear(&result);
    gms_references_clear(&references);
    return verdict;
}

/* One unit in the last digit of 8.0 is 0.1, that is, 1.25 %, which is more than
 * the tolerance of 1 %. One unit in the last digit of 400 is 0.25 %, which is
 * less than 1 %. */
static void test_digit(void)
{
    CU_ASSERT_EQUAL(verdict_on(8.09, "8.0,u,within,1 or digit"),
                    GMS_VERDICT_OK);
    CU_ASSERT_EQUAL(verdict_on(8.11, "8.0,u,within,1 or digit"),
                    GMS_VERDICT_NOT_OK);
    CU_ASSERT_EQUAL(verdict_on(8.09, "8.0,u,within,1"), GMS_VERDICT_NOT_OK);
    CU_ASSERT_EQUAL(verdict_on(404.0, "400,u,within,1 or digit"),
                    GMS_VERDICT_OK);
    CU_ASSERT_EQUAL(verdict_on(404.1, "400,u,within,1 or digit"),
                    GMS_VERDICT_NOT_OK);
}

#define KNOWN "page,experiment,series,setting,quantity\n"

/* Return the verdict on a value that is compared with 100 +- 2 %. */
static enum gms_row_verdict verdict_of(double value, enum gms_row_kind kind,
                                       const char *known)
{
    gms_result_t result = {.experiment = &judged};
    gms_record_t record = {.kind = GMS_RECORD_CHECK,
                           .row_kind = kind,
                           .series = "a, b",
                           .setting = "s",
                           .quantity = "q, r",
                           .value = value,
                           .expected = 100.0,
                           .tolerance_percent = 2.0};
    enum gms_row_verdict verdict;

    CU_ASSERT_EQUAL_FATAL(read_text(known), GMS_OK);
    CU_ASSERT_EQUAL_FATAL(gms_result_take(&result, &references, &record),
                          GMS_OK);
    CU_ASSERT_EQUAL_FATAL(gms_result_complete(&result, &references), GMS_OK);
    verdict = gms_row_verdict(&result.rows[0]);
    CU_ASSERT_EQUAL(
        gms_result_bad_rows(&result),
        (verdict == GMS_VERDICT_NOT_OK || verdict == GMS_VERDICT_CHANGED) +
            result.row_count - 1);
    gms_result_clear(&result);
    gms_references_clear(&references);
    return verdict;
}

static void test_known(void)
{
    static const char known[] = KNOWN "doc/x.md,e-1,\"a, b\",s,q, r\n";
    static const char other[] = KNOWN "doc/x.md,e-1,\"a, c\",s,q, r\n";

    CU_ASSERT_EQUAL(verdict_of(110.0, GMS_ROW_WITHIN, KNOWN),
                    GMS_VERDICT_NOT_OK);
    CU_ASSERT_EQUAL(verdict_of(101.0, GMS_ROW_WITHIN, KNOWN), GMS_VERDICT_OK);
    CU_ASSERT_EQUAL(verdict_of(110.0, GMS_ROW_REPORTED, KNOWN),
                    GMS_VERDICT_NONE);
    CU_ASSERT_EQUAL(verdict_of(110.0, GMS_ROW_WITHIN, known),
                    GMS_VERDICT_KNOWN);
    CU_ASSERT_EQUAL(verdict_of(101.0, GMS_ROW_WITHIN, known),
                    GMS_VERDICT_CHANGED);
    /* If the experiment does not contain a row from the list of known rows,
     * this row counts as not ok. */
    CU_ASSERT_EQUAL(verdict_of(101.0, GMS_ROW_WITHIN, other), GMS_VERDICT_OK);
}

static void test_known_wrong(void)
{
    CU_ASSERT_EQUAL(read_text(KNOWN "p,e,s,t\n"), GMS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(strstr(error, "test.csv:2: fewer than 5 columns"));
    CU_ASSERT_EQUAL(read_text(KNOWN "p,e,\"s,t,u,v,w\n"), GMS_ERR_CONFIG);
    CU_ASSERT_EQUAL(read_text(KNOWN "p,e,s,t,q\nx,e,s,t,q\n"), GMS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(error, "test.csv:3: a row for this experiment"));
}

/* ---- several seeds ---- */

/* Three seeds have the results 10, 20 and 30. The mean is 20, the standard
 * deviation is 10, and the half width is 4.303 x 10 / sqrt(3). */
static gms_status_t seeds(gms_lab_t *lab)
{
    unsigned seed;

    for (seed = 1; seed <= 3; ++seed) {
        gms_lab_set_seed(lab, seed, 3);
        CU_ASSERT_EQUAL(gms_lab_seed(lab), seed);
        gms_lab_note(lab, "once");
        gms_lab_row(lab, "a", "s", "q", 10.0 * seed, "us");
        gms_lab_set_basis(lab, GMS_BASIS_FITTED);
        gms_lab_check(lab, "b", "s", "q", 10.0 * seed, "us", GMS_ROW_AT_MOST,
                      seed == 1 ? 19.0 : 100.0, 0.0);
        gms_lab_check(lab, "c", "s", "q", seed == 2 ? strtod("nan", NULL) : 1.0,
                      "us", GMS_ROW_AT_MOST, 2.0, 0.0);
        gms_lab_set_basis(lab, GMS_BASIS_CALIBRATED);
        gms_lab_point(lab, "c", 1.0, 2.0 * seed, NULL);
        gms_lab_point(lab, "c", 2.0, 7.0, NULL);
        gms_lab_set_basis(lab, GMS_BASIS_PREDICTED);
    }
    return GMS_OK;
}

static const gms_experiment_t several = {.name = "e-4",
                                         .title = "t",
                                         .source = "s",
                                         .text = "x",
                                         .run = seeds,
                                         .basis = GMS_BASIS_PREDICTED};

static void ignore(void *context, const gms_result_t *result)
{
    (void)context;
    (void)result;
}

static void test_seeds(void)
{
    gms_result_t results[] = {{.experiment = &several}};
    char *text = NULL;
    size_t len;
    FILE *file;

    CU_ASSERT_EQUAL_FATAL(read_text(HEAD "e-4,a,s,q,8,us,reported,,here\n"),
                          GMS_OK);
    CU_ASSERT_EQUAL(
        gms_pool_run(results, 1, 1, &references, NULL, ignore, NULL), GMS_OK);
    CU_ASSERT_EQUAL_FATAL(results[0].row_count, 3);
    CU_ASSERT_EQUAL(results[0].note_count, 1);
    CU_ASSERT_EQUAL(results[0].rows[0].value, 20.0);
    CU_ASSERT_DOUBLE_EQUAL(gms_row_half_width(&results[0].rows[0]), 24.8434,
                           1e-3);
    CU_ASSERT_EQUAL(gms_row_verdict(&results[0].rows[0]), GMS_VERDICT_NONE);
    /* the limit for the first seed is used to judge the mean */
    CU_ASSERT_EQUAL(gms_row_verdict(&results[0].rows[1]), GMS_VERDICT_NOT_OK);
    CU_ASSERT_EQUAL(gms_row_verdict(&results[0].rows[2]), GMS_VERDICT_NOT_OK);
    CU_ASSERT_EQUAL_FATAL(results[0].curve_count, 1);
    CU_ASSERT_EQUAL_FATAL(results[0].curves[0].count, 2);
    CU_ASSERT_EQUAL(results[0].curves[0].points[0].y, 4.0);
    CU_ASSERT_EQUAL(results[0].curves[0].points[1].y, 7.0);
    file = open_memstream(&text, &len);
    gms_result_write_csv(results, 1, file);
    fclose(file);
    CU_ASSERT_PTR_NOT_NULL(strstr(
        text, "e-4,a,s,q,20,us,8,150.000,reported,,-,24.843382,predicted\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(
        text, "e-4,b,s,q,20,us,19,5.263,at_most,,no,24.843382,fitted\n"));
    free(text);
    file = open_memstream(&text, &len);
    gms_result_print(&results[0], file);
    fclose(file);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "+-25"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "fitted      NOT OK"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "predicted   -"));
    free(text);
    gms_result_clear(&results[0]);
    gms_references_clear(&references);
}

/* ---- transferring results to the CSV file ---- */

static gms_status_t findings(gms_lab_t *lab)
{
    gms_lab_note(lab, "note %d", 1);
    gms_lab_row(lab, "a, b", "s", "q", 101.0, "MB/s");
    gms_lab_estimate(lab, "alone", "s", "q", 7.0, "MB/s", 0.25);
    gms_lab_check(lab, "own", "s", "q", 2.0, "x", GMS_ROW_AT_MOST, 4.0, 0.0);
    gms_lab_point(lab, "c1", 1.0, 2.0, NULL);
    gms_lab_point(lab, "c2", 1.0, 3.0, "label");
    gms_lab_point(lab, "c1", 2.0, 4.0, NULL);
    gms_lab_log(lab, "flow", 42);
    return GMS_OK;
}

static gms_status_t breaks(gms_lab_t *lab)
{
    gms_lab_row(lab, "alone", "s", "q", 7.0, "MB/s");
    return gms_lab_fail(lab, GMS_ERR_SYSTEM, "no %s", "luck");
}

static gms_status_t dies(gms_lab_t *lab)
{
    (void)lab;
    raise(SIGKILL);
    return GMS_OK;
}

/* Report a note with `length` characters. */
static gms_status_t notes_of(gms_lab_t *lab, int length)
{
    gms_lab_note(lab, "%*s", length, "x");
    return GMS_OK;
}

static gms_status_t longest_note(gms_lab_t *lab)
{
    return notes_of(lab, GMS_LAB_TEXT_LEN - 1);
}

static gms_status_t note_is_too_long(gms_lab_t *lab)
{
    return notes_of(lab, GMS_LAB_TEXT_LEN);
}

static const gms_experiment_t found = {
    .name = "e-1", .title = "t", .source = "s", .text = "x", .run = findings};
static const gms_experiment_t broken = {.name = "e-2", .run = breaks};
static const gms_experiment_t dead = {.name = "e-3", .run = dies};

static void done(void *context, const gms_result_t *result)
{
    strcat(context, result->experiment->name);
}

static void test_pool(void)
{
    static const char expected[] =
        "experiment,series,setting,quantity,value,unit,reference,"
        "deviation_percent,kind,tolerance_percent,ok,half_width,basis\n"
        "e-1,\"a, b\",s,q,101,MB/s,,,,,-,,\n"
        "e-1,alone,s,q,7,MB/s,8,-12.500,within,5,no,,\n"
        "e-1,own,s,q,2,x,4,-50.000,at_most,,yes,,\n"
        "e-1,absent,s,q,nan,MB/s,1,,within,5,no,,\n"
        "e-2,alone,s,q,7,MB/s,,,,,-,,\n";
    gms_result_t results[] = {
        {.experiment = &found},
        {.experiment = &broken},
        {.experiment = &dead},
        {.experiment = &found, .state = GMS_RESULT_SKIPPED}};
    unsigned jobs, i;

    CU_ASSERT_EQUAL_FATAL(read_text(HEAD
                                    "e-1,alone,s,q,8,MB/s,within,5,here\n"
                                    "e-1,absent,s,q,1,MB/s,within,5,here\n"),
                          GMS_OK);
    for (jobs = 1; jobs <= 3; ++jobs) {
        char order[64] = "";
        char *text = NULL;
        size_t len;
        FILE *file;

        CU_ASSERT_EQUAL(
            gms_pool_run(results, 4, jobs, &references, NULL, done, order),
            GMS_OK);
        CU_ASSERT_STRING_EQUAL(order, "e-1e-2e-3e-1");
        CU_ASSERT_EQUAL(results[0].state, GMS_RESULT_DONE);
        CU_ASSERT_EQUAL(results[1].state, GMS_RESULT_FAILED);
        CU_ASSERT_STRING_EQUAL(results[1].text, "no luck");
        CU_ASSERT_EQUAL(results[2].state, GMS_RESULT_FAILED);
        CU_ASSERT_STRING_EQUAL(
            results[2].text, "the experiment's process was killed by signal 9");
        CU_ASSERT_EQUAL(results[3].row_count, 0);
        CU_ASSERT_STRING_EQUAL(results[0].notes[0], "note 1");
        CU_ASSERT_EQUAL_FATAL(results[0].curve_count, 2);
        CU_ASSERT_EQUAL_FATAL(results[0].curves[0].count, 2);
        CU_ASSERT_EQUAL(results[0].curves[0].points[1].y, 4.0);
        CU_ASSERT_STRING_EQUAL(results[0].curves[1].points[0].label, "label");
        CU_ASSERT_EQUAL_FATAL(results[0].log_count, 1);
        CU_ASSERT_EQUAL(results[0].log[0].number, 42);
        file = open_memstream(&text, &len);
        gms_result_write_csv(results, 4, file);
        fclose(file);
        CU_ASSERT_STRING_EQUAL(text, expected);
        free(text);
        for (i = 0; i < 3; ++i) {
            const gms_experiment_t *experiment = results[i].experiment;

            gms_result_clear(&results[i]);
            results[i].experiment = experiment;
        }
    }
    gms_references_clear(&references);
}

/* One of four seeds is complete, and the second seed is half complete: 1.5 /
 * 4. */
static gms_status_t half_of_second_seed(gms_lab_t *lab)
{
    gms_lab_set_seed(lab, 2, 4);
    gms_lab_progress(lab, 0.5);
    return GMS_OK;
}

static gms_status_t quarter_without_seeds(gms_lab_t *lab)
{
    gms_lab_progress(lab, 0.25);
    return GMS_OK;
}

static void test_progress(void)
{
    static const gms_experiment_t second = {.name = "e-1",
                                            .run = half_of_second_seed};
    static const gms_experiment_t alone = {.name = "e-2",
                                           .run = quarter_without_seeds};
    gms_result_t results[] = {{.experiment = &second}, {.experiment = &alone}};
    unsigned i;

    CU_ASSERT_EQUAL_FATAL(read_text(HEAD), GMS_OK);
    CU_ASSERT_EQUAL(
        gms_pool_run(results, 2, 1, &references, NULL, ignore, NULL), GMS_OK);
    CU_ASSERT_EQUAL(results[0].fraction, 0.375);
    CU_ASSERT_EQUAL(results[1].fraction, 0.25);
    for (i = 0; i < 2; ++i) {
        gms_result_clear(&results[i]);
    }
    gms_references_clear(&references);
}

/* A note that is too long must cause an error, and must not be shortened
 * silently. */
static void test_note_length(void)
{
    static const gms_experiment_t longest = {.name = "e-1",
                                             .run = longest_note};
    static const gms_experiment_t too_long = {.name = "e-2",
                                              .run = note_is_too_long};
    gms_result_t results[] = {{.experiment = &longest},
                              {.experiment = &too_long}};
    char order[64] = "";

    CU_ASSERT_EQUAL_FATAL(read_text(HEAD), GMS_OK);
    CU_ASSERT_EQUAL(gms_pool_run(results, 2, 1, &references, NULL, done, order),
                    GMS_OK);
    CU_ASSERT_EQUAL(results[0].state, GMS_RESULT_DONE);
    CU_ASSERT_EQUAL_FATAL(results[0].note_count, 1);
    CU_ASSERT_EQUAL(strlen(results[0].notes[0]), GMS_LAB_TEXT_LEN - 1);
    CU_ASSERT_EQUAL(results[1].state, GMS_RESULT_FAILED);
    CU_ASSERT_EQUAL(results[1].note_count, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(
        results[1].text, "A note has 240 characters, but at most 239 are"));
    gms_result_clear(&results[0]);
    gms_result_clear(&results[1]);
    gms_references_clear(&references);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"references are found", test_reference_found},
        {"other tables are ignored", test_reference_other_table},
        {"invalid references are reported", test_reference_wrong},
        {"lines that are too long are reported", test_reference_long_line},
        {"rows are compared", test_row_judged},
        {"tolerances of one digit", test_digit},
        {"rows that are known not to reproduce", test_known},
        {"invalid lists of known rows are reported", test_known_wrong},
        {"rows of several seeds", test_seeds},
        {"progress of several seeds", test_progress},
        {"results of processes reach the CSV", test_pool},
        {"a note that is too long fails the experiment", test_note_length},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"experiment", setup, teardown, NULL, NULL, tests});
}
