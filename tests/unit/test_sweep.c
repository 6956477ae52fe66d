/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests sweeps: files, ranges, the order of points, and values in commands. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep/base.h"
#include "sweep/submit.h"
#include "sweep/sweep.h"
#include "sweep/text.h"
#include "text_file.h"

static char dir[] = "/tmp/test_sweep.XXXXXX";
static char path[64], base[64];

static int suite_init(void)
{
    if (mkdtemp(dir) == NULL) {
        return 1;
    }
    (void)snprintf(path, sizeof(path), "%s/s.yaml", dir);
    (void)snprintf(base, sizeof(base), "%s/base.yaml", dir);
    return 0;
}

static int suite_cleanup(void)
{
    (void)unlink(path);
    (void)unlink(base);
    return rmdir(dir);
}

static void load(const char *text, gms_sweep_t *sweep)
{
    char error[GMS_YAML_ERROR_LEN] = "";

    write_text(path, text);
    if (gms_sweep_load(path, NULL, sweep, error) != GMS_OK) {
        printf("\n    %s\n", error);
        CU_FAIL_FATAL("not loaded");
    }
}

static void expect_text(const char *actual, const char *expected)
{
    if (strcmp(actual, expected) != 0) {
        printf("\n    is       %s\n    expected %s\n", actual, expected);
    }
    CU_ASSERT_STRING_EQUAL(actual, expected);
}

/* ---- ranges ---- */

static void expect_range(const char *from, const char *to, const char *step,
                         const char *factor, const char *expected)
{
    char **values, all[512] = "";
    const char *wrong;
    size_t count = 0, i;

    wrong = gms_sweep_range(from, to, step, factor, &values, &count);
    if (wrong != NULL) {
        (void)snprintf(all, sizeof(all), "%.*s", (int)strcspn(wrong, ";"),
                       wrong);
    } else {
        for (i = 0; i < count; ++i) {
            strcat(strcat(all, (i > 0) ? " " : ""), values[i]);
            free(values[i]);
        }
        free(values);
    }
    expect_text(all, expected);
}

static void test_steps(void)
{
    expect_range("1", "4", "1", NULL, "1 2 3 4");
    expect_range("1", "4", "2", NULL, "1 3");
    expect_range("4", "1", "-1.5", NULL, "4 2.5 1");
    expect_range("3", "3", "1", NULL, "3");
    /* In binary floating-point arithmetic, this range would contain
     * 0.30000000000000004, and a value would be missing. */
    expect_range("0.1", "0.5", "0.1", NULL, "0.1 0.2 0.3 0.4 0.5");
    expect_range("-0.3", "0.3", "0.1", NULL, "-0.3 -0.2 -0.1 0 0.1 0.2 0.3");
    expect_range("1e6", "3e6", "1e6", NULL, "1000000 2000000 3000000");
    expect_range("0", "2.5e-1", "1.25e-1", NULL, "0 0.125 0.25");
    expect_range("0.05", "0.06", "0.005", NULL, "0.05 0.055 0.06");
}

static void test_factors(void)
{
    expect_range("1", "16", NULL, "2", "1 2 4 8 16");
    expect_range("64", "5000", NULL, "4", "64 256 1024 4096");
    expect_range("100", "1", NULL, "0.1", "100 10 1");
    expect_range("1", "3.375", NULL, "1.5", "1 1.5 2.25 3.375");
    expect_range("0.001", "0.1", NULL, "10", "0.001 0.01 0.1");
    /* In binary floating-point arithmetic, 0.1 * 3 * 3 is slightly more than
     * 0.9. */
    expect_range("0.1", "0.9", NULL, "3", "0.1 0.3 0.9");
    expect_range("0.7", "0.007", NULL, "0.1", "0.7 0.07 0.007");
}

static void test_wrong_ranges(void)
{
    expect_range("1", "4", "-1", NULL, "never reaches 'to'");
    expect_range("4", "1", "1", NULL, "never reaches 'to'");
    expect_range("1", "4", "0", NULL, "never reaches 'to'");
    expect_range("0", "4", NULL, "2", "never reaches 'to'");
    expect_range("1", "4", NULL, "1", "never reaches 'to'");
    expect_range("1", "1", NULL, "1", "never reaches 'to'");
    expect_range("1", "4", NULL, "0.5", "never reaches 'to'");
    expect_range("1", "100001", "1", NULL, "is too long");
    expect_range("1", "a", "1", NULL, "has values that are not numbers");
    expect_range("0x1", "4", "1", NULL, "has values that are not numbers");
    expect_range("1", "inf", "1", NULL, "has values that are not numbers");
    expect_range("1e-16", "4", "1", NULL, "has too many digits");
    expect_range("1", "1e17", "1", NULL, "has too many digits");
}

/* ---- order ---- */

/* Checks the values and the seed of a run, for example "a=1 b=x seed=2". */
static void expect_run(const gms_sweep_t *sweep, uint64_t run,
                       const char *expected)
{
    char all[256] = "", seed[32];
    size_t i;

    for (i = 0; i < sweep->variable_count; ++i) {
        strcat(strcat(all, sweep->variables[i].name), "=");
        strcat(strcat(all, gms_sweep_value(sweep, &sweep->variables[i], run)),
               " ");
    }
    (void)snprintf(seed, sizeof(seed), "seed=%u",
                   (unsigned)gms_sweep_seed(sweep, run));
    expect_text(strcat(all, seed), expected);
}

static void test_order(void)
{
    gms_sweep_t sweep;

    load("command: x {a} {b}\ngrid: {a: [1, 2], b: [x, y, z]}\n"
         "repetitions: 2\n",
         &sweep);
    CHECK_U64(sweep.points, 6);
    CHECK_U64(sweep.runs, 12);
    expect_run(&sweep, 0, "a=1 b=x seed=1");
    expect_run(&sweep, 1, "a=1 b=x seed=2");
    expect_run(&sweep, 2, "a=1 b=y seed=1");
    expect_run(&sweep, 5, "a=1 b=z seed=2");
    expect_run(&sweep, 6, "a=2 b=x seed=1");
    expect_run(&sweep, 11, "a=2 b=z seed=2");
    gms_sweep_clear(&sweep);
}

static void test_together(void)
{
    gms_sweep_t sweep;

    load("command: x {a} {r} {c} {p} {q} {z}\n"
         "grid: {a: [1, 2]}\n"
         "together:\n"
         "  - {r: [2, 4, 8], c: [u, v, w]}\n"
         "  - {p: {from: 1, to: 2, step: 1}, q: [s, t], z: [5, 6]}\n",
         &sweep);
    CHECK_U64(sweep.points, 12);
    expect_run(&sweep, 0, "a=1 r=2 c=u p=1 q=s z=5 seed=1");
    expect_run(&sweep, 1, "a=1 r=2 c=u p=2 q=t z=6 seed=1");
    expect_run(&sweep, 2, "a=1 r=4 c=v p=1 q=s z=5 seed=1");
    expect_run(&sweep, 7, "a=2 r=2 c=u p=2 q=t z=6 seed=1");
    expect_run(&sweep, 11, "a=2 r=8 c=w p=2 q=t z=6 seed=1");
    gms_sweep_clear(&sweep);
}

/* ---- invalid files ---- */

static void refuse(const char *text, const char *expected)
{
    char error[GMS_YAML_ERROR_LEN] = "", full[GMS_YAML_ERROR_LEN];
    gms_sweep_t sweep;

    write_text(path, text);
    CHECK_U64(gms_sweep_load(path, NULL, &sweep, error), GMS_ERR_CONFIG);
    (void)snprintf(full, sizeof(full), "%s:%s", path, expected);
    expect_text(error, full);
}

#define HEAD "command: x {a}\n"
#define GRID HEAD "grid: {a: [1]}\n"

static void test_wrong_keys(void)
{
    refuse(HEAD "gird: {a: [1]}\n",
           "2: unknown key 'gird' (did you mean 'grid'?); allowed: command, "
           "cluster, set, grid, together, repetitions, timeout, cores, record, "
           "results, slurm");
    refuse(GRID "command: y\n", "3: key 'command' is given twice");
    refuse("- 1\n",
           "1: the file is not a sweep; required keys: 'command' and 'grid'");
    refuse("",
           "1: the file is not a sweep; required keys: 'command' and 'grid'");
    refuse("grid: {a: [1]}\n", " the required key 'command' is missing");
    refuse("command: x\n", " the required key 'grid' is missing");
    refuse("command: ''\ngrid: {a: [1]}\n",
           "1: key 'command': value '' is empty; allowed: a command line");
    refuse(GRID "repetitions: 0\n",
           "3: key 'repetitions': value '0' is out of range; allowed: "
           "1..1000000");
    refuse(GRID "timeout: soon\n",
           "3: key 'timeout': value 'soon' is not a whole number; allowed: "
           "1..31536000 seconds");
    refuse(GRID "record: maybe\n",
           "3: key 'record': value 'maybe' is unknown; allowed: false, true");
    refuse(GRID "set: {scheduller: rate}\n",
           "3: unknown key 'scheduller' (did you mean 'scheduler'?); allowed: "
           "profile, host_topology and the names that `gmsim params` lists");
}

static void test_wrong_grids(void)
{
    refuse(HEAD "grid: [1]\n",
           "2: key 'grid': value is a list; allowed: lines 'NAME: [A, B, ..]' "
           "or 'NAME: {from: A, to: B, step: C}'");
    refuse(HEAD "grid: {a: []}\n",
           "2: key 'a': the list has 0 values; allowed: 1 to 100000");
    refuse(HEAD "grid: {a: [[1]]}\n",
           "2: key 'a': value is a list; allowed: words and numbers");
    refuse(HEAD "grid: {a: {from: 1, to: 2}}\n",
           "2: key 'a': value is a mapping; allowed: 'from', 'to', and one of "
           "'step' and 'factor'");
    refuse(HEAD "grid: {a: {from: 1, to: 2, step: 1, factor: 2}}\n",
           "2: key 'a': value is a mapping; allowed: 'from', 'to', and one of "
           "'step' and 'factor'");
    refuse(HEAD "grid: {a: {from: 1, to: 2, stop: 1}}\n",
           "2: unknown key 'stop' (did you mean 'step'?); allowed: from, to, "
           "step, factor");
    refuse(
        HEAD "grid: {a: {from: 1, to: 2, step: -1}}\n",
        "2: key 'a': the range never reaches 'to'; allowed: a step that leads "
        "from 'from' to 'to'");
    refuse(HEAD "grid: {a: [1], seed: [2]}\n",
           "2: the name 'seed' is reserved; allowed: any name except 'seed' "
           "(set by 'repetitions'), 'point', 'folder' and 'status'");
    refuse(HEAD "grid: {a: [1], 2b: [2]}\n",
           "2: '2b' is not a valid name; allowed: a letter, then letters, "
           "digits, _ - "
           "or .");
    refuse(GRID "together: {a: [1]}\n",
           "3: name 'a' is given twice, first on line 2");
    refuse("command: x {a} {b} {c}\ngrid: {a: [1]}\ntogether:\n"
           "  b: [1, 2]\n  c: [1]\n",
           "5: key 'together': 'c' has 1 value, but 'b' has 2; allowed: equal "
           "numbers of values");
    refuse("command: x {a}\ngrid:\n  a: [1]\n  b: [1]\n",
           "4: no key uses the name 'b'; allowed: {b} in 'command', or 'set: "
           "{PARAMETER: \"{b}\"}'");
    refuse(HEAD "grid: {a: {from: 1, to: 1000, step: 1}}\n"
                "repetitions: 1001\n",
           "2: too many points and repetitions; allowed: 1000000 runs");
}

static void test_wrong_names(void)
{
    refuse("command: x {sise} {size}\ngrid: {size: [1]}\n",
           "1: key 'command': unknown name {sise} (did you mean 'size'?); "
           "allowed: size, seed, point, folder; write {{sise}} for the text "
           "{sise} itself");
    refuse("command: x {a}\ngrid: {a: [1]}\nset: {hosts: \"{b}\"}\n",
           "3: key 'hosts': unknown name {b} (did you mean 'a'?); allowed: a, "
           "seed, point, folder; write {{b}} for the text {b} itself");
    refuse("command: x `y {a}`\ngrid: {a: [1]}\n",
           "1: key 'command': the value of {a} cannot be quoted within "
           "backquotes; allowed: "
           "$(..)");
    refuse("command: x 'y {a}\ngrid: {a: [1]}\n",
           "1: key 'command': a quote or bracket is not closed");
}

static void test_wrong_results(void)
{
    refuse(GRID "results: all\n",
           "3: key 'results': value 'all'; allowed: last line, [COLUMN, ..], "
           "or lines 'NAME: {column: NAME}' and similar lines");
    refuse(
        GRID "results: {r: {regex: '(', column: c}}\n",
        "3: key 'regex': value '(' is not a valid extended regular expression: "
        "Unmatched ( or \\(");
    refuse(GRID "results: {r: {regex: x, column: c}}\n",
           "3: result 'r' requires one source; allowed: column, regex, record, "
           "line");
    refuse(GRID "results: {r: {word: 2}}\n",
           "3: result 'r' requires one source; allowed: column, regex, record, "
           "line");
    refuse(GRID "results: {r: {regex: x, word: 2}}\n",
           "3: result 'r': 'word' is allowed only with 'line'");
    refuse(GRID "results: {r: {colum: x}}\n",
           "3: unknown key 'colum' (did you mean 'column'?); allowed: column, "
           "regex, record, line, word, where, in");
    refuse(GRID "results: [x, x]\n", "3: result 'x' is given twice");
    refuse(GRID "results: [a]\n",
           "3: name 'a' is given twice, first on line 2");
    refuse("results: [a]\n" GRID,
           "3: 'a' is the name of both a value and a result");
}

static void test_several_mistakes(void)
{
    char error[GMS_YAML_ERROR_LEN] = "";
    gms_sweep_t sweep;

    write_text(path, GRID "tiemout: 3\nset: [1]\n");
    CHECK_U64(gms_sweep_load(path, NULL, &sweep, error), GMS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(strstr(error, ":3: unknown key 'tiemout'"));
    CU_ASSERT_PTR_NOT_NULL(strstr(error, ":4: key 'set': value is a list"));
}

/* ---- substituting values in texts ---- */

/* Returns the value of a name in a text. Only the name {v} has a value, which
 * is the argument `context`. */
static const char *lookup(void *context, const char *name)
{
    return (strcmp(name, "v") == 0) ? context : NULL;
}

static void expect_filled(const char *template, const char *value,
                          const char *expected)
{
    char wrong[GMS_YAML_ERROR_LEN] = "", *text = NULL, own[64];

    (void)snprintf(own, sizeof(own), "%s", value);
    if (gms_sweep_fill_command(template, lookup, own, &text, wrong) != GMS_OK) {
        expect_text(wrong, expected);
        return;
    }
    expect_text(text, expected);
    free(text);
}

static void test_quoting(void)
{
    expect_filled("a {v} b", "1.5e-3", "a 1.5e-3 b");
    expect_filled("a {v}", "", "a ''");
    expect_filled("a {v}", "x y", "a 'x y'");
    expect_filled("a {v}", "x'y", "a 'x'\\''y'");
    expect_filled("a '{v}'", "x'y", "a 'x'\\''y'");
    expect_filled("a \"{v}\"", "x\"y $z `u` \\",
                  "a \"x\\\"y \\$z \\`u\\` \\\\\"");
    expect_filled("a \"b $(c {v} \"{v}\") {v}\"", "x y",
                  "a \"b $(c 'x y' \"x y\") x y\"");
    expect_filled("a \\' {v}", "x y", "a \\' 'x y'");
    expect_filled("a \"\\\" {v}\"", "x y", "a \"\\\" x y\"");
    expect_filled("a # it's {v}\nb {v}", "x y", "a # it's {v}\nb 'x y'");
    expect_filled("a#'{v}'", "x y", "a#'x y'");
}

/* These values need no quotes elsewhere, but at these positions the shell would
 * interpret them if they were not quoted. */
static void test_taken(void)
{
    expect_filled("echo {v}>out", "1", "echo '1'>out");
    expect_filled("echo {v}2>out", "1", "echo '1'2>out");
    expect_filled("echo {v}<in", "2", "echo '2'<in");
    expect_filled("echo {v} >out", "1", "echo 1 >out");
    expect_filled("echo \"{v}\">out", "1", "echo \"1\">out");
    expect_filled("{v} a", "PATH=x", "'PATH=x' a");
    expect_filled("{v} a", "if", "'if' a");
}

static void test_braces(void)
{
    expect_filled("a {{v}} {v}", "1", "a {v} 1");
    expect_filled("a ${v} {v}", "1", "a ${v} 1");
    expect_filled("{ a; }; b{}", "1", "{ a; }; b{}");
    expect_filled("awk '{{print}}' {v}", "1", "awk '{print}' 1");
    expect_filled("awk '{print $1}' {v}", "1", "awk '{print $1}' 1");
    expect_filled("a {w}", "1", "w");
    expect_filled("a {v}$", "1", "a 1$");
}

#define ROUGH                                                                  \
    "the value of {v} contains special characters. These characters cannot "   \
    "be quoted reliably in or after <<, $'..', ${..}, $((..)), $[..], case, "  \
    "backquotes, )# or a word that spans two lines. Allowed: letters, digits " \
    "and "                                                                     \
    "@%+=:,./-_, or {v} before the first of these constructs"

static void test_what_cannot_be_quoted(void)
{
    static const char *const rough[] = {"a \"$(case x in x) echo {v};; esac)\"",
                                        "a \"${X:-\"{v}\"}\"",
                                        "a $(({v} + 1))",
                                        "a \"$(({v}))\"",
                                        "a $[{v}]",
                                        "a ${#x} {v}",
                                        "(a)#'\n{v}'",
                                        "`b` {v}",
                                        "ca\\\nse x in x) {v};; esac",
                                        "x;case x in x) {v};; esac"};
    size_t i;

    for (i = 0; i < sizeof(rough) / sizeof(rough[0]); ++i) {
        expect_filled(rough[i], "$(id)", ROUGH);
    }
    expect_filled("a $(({v} + 1))", "2", "a $((2 + 1))");
    expect_filled("a \"${X}\" {v}", "x y", "a \"${X}\" 'x y'");
    expect_filled("a --case {v}", "x y", "a --case 'x y'");
    expect_filled("a \\\n  {v}", "x y", "a \\\n  'x y'");
    expect_filled("a <<E\n{v}\nE", "1", "a <<E\n1\nE");
    expect_filled("a <<E\n{v}\nE", "x y", ROUGH);
    expect_filled("a $'{v}'", "x\\'y", ROUGH);
    expect_filled(
        "a `b {v}`", "1",
        "the value of {v} cannot be quoted within backquotes; allowed: $(..)");
}

/* Regardless of the value and of any quotes around its name, the shell must
 * pass exactly this value to the command. */
static void test_hostile_values(void)
{
    static const char *const values[] = {
        "a b",      "'",     "\"",   "\\",      "$HOME", "`id`", "$(id)",
        "; exit 9", "a\nb",  "*",    "~",       "-n",    "#",    "!",
        "a\\",      "\\'\"", "'\"'", "&& ls |", "\t",    "{v}",  "${HOME}"};
    char command[256], got[256], wrong[GMS_YAML_ERROR_LEN], own[64], *text;
    char expected[512];
    FILE *output;
    size_t i, len;

    for (i = 0; i < sizeof(values) / sizeof(values[0]); ++i) {
        (void)snprintf(own, sizeof(own), "%s", values[i]);
        (void)snprintf(command, sizeof(command),
                       "printf '%%s|' {v} '{v}' \"{v}\" \"$(printf '%%s' "
                       "{v})\" x{v}");
        CHECK_U64(gms_sweep_fill_command(command, lookup, own, &text, wrong),
                  GMS_OK);
        output = popen(text, "r");
        CU_ASSERT_PTR_NOT_NULL_FATAL(output);
        len = fread(got, 1, sizeof(got) - 1, output);
        got[len] = '\0';
        CHECK_U64(pclose(output), 0);
        (void)snprintf(expected, sizeof(expected), "%s|%s|%s|%s|x%s|",
                       values[i], values[i], values[i], values[i], values[i]);
        expect_text(got, expected);
        free(text);
    }
}

/* ---- descriptions ---- */

static void expect_edit(const char *before, const char *name, const char *value,
                        const char *expected)
{
    char *text = NULL;

    CHECK_U64(gms_sweep_edit(before, &name, &value, 1, &text), GMS_OK);
    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    expect_text(text, expected);
    free(text);
}

static void test_edit(void)
{
    expect_edit("", "hosts", "8", "hosts: 8\n");
    expect_edit("", "link_bytes_s", "8", "parameters:\n  link_bytes_s: 8\n");
    expect_edit("hosts: 4\nseed: 2\n", "hosts", "8", "hosts: 8\nseed: 2\n");
    expect_edit("parameters: {hosts: 4}\n", "hosts", "8",
                "parameters: {hosts: 8}\n");
    expect_edit("fabric: {model: flit, lanes: 2}\n", "flit_lanes", "4",
                "fabric: {model: flit, lanes: 4}\n");
    expect_edit("fabric: {model: flit}\n", "fabric_model", "worm",
                "fabric: {model: worm}\n");
    expect_edit("fabric: {model: flit}\n", "flit_lanes", "4",
                "fabric: {model: flit}\nparameters:\n  flit_lanes: 4\n");
    expect_edit("hosts: 4 # four\n", "profile", "myrinet2000",
                "hosts: 4\nprofile: myrinet2000\n");
}

static void test_descriptions(void)
{
    char wrong[GMS_YAML_ERROR_LEN], *text = NULL;
    gms_sweep_t sweep;

    write_text(base, "hosts: 4\nseed: 77\n");
    load("command: x {h} {n}\ncluster: base.yaml\n"
         "set: {hosts: {h}, scheduler: rate}\ngrid: {h: [4, 0], n: [1]}\n"
         "repetitions: 3\n",
         &sweep);
    CHECK_U64(gms_sweep_description(&sweep, 2, &text, wrong), GMS_OK);
    expect_text(text, "hosts: 4\nseed: 3\nscheduler: rate\n");
    free(text);
    CHECK_U64(gms_sweep_check_run(&sweep, 0, wrong), GMS_OK);
    CHECK_U64(gms_sweep_check_run(&sweep, 3, wrong), GMS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(strstr(
        wrong, "s.yaml:3: point 4: key 'hosts': value '0' is out of range"));
    gms_sweep_clear(&sweep);
    /* The sweep does not change a seed that the file sets. */
    load("command: x {h}\nset: {seed: '5'}\ngrid: {h: [4]}\nrepetitions: 2\n",
         &sweep);
    CHECK_U64(gms_sweep_description(&sweep, 1, &text, wrong), GMS_OK);
    expect_text(text, "seed: 5\n");
    free(text);
    gms_sweep_clear(&sweep);
}

/* ---- lists of points ---- */

static void expect_points(const char *text, const char *expected)
{
    uint64_t *runs = NULL, count = 0;
    char *back;

    if (gms_sweep_points_parse(text, 12, &runs, &count) != GMS_OK) {
        expect_text("wrong", expected);
        return;
    }
    back = gms_sweep_points_text(runs, count);
    expect_text(back, expected);
    free(back);
    free(runs);
}

static void test_points(void)
{
    expect_points("3", "3");
    expect_points("1,2,3,5", "1-3,5");
    expect_points("3,7-9,12", "3,7-9,12");
    expect_points("1-12", "1-12");
    expect_points("0", "wrong");
    expect_points("13", "wrong");
    expect_points("3-2", "wrong");
    expect_points("3,", "wrong");
    expect_points("", "wrong");
    expect_points("-3", "wrong");
    expect_points("3 4", "wrong");
    expect_points("1-12,1", "wrong");
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"steps", test_steps},
        {"factors", test_factors},
        {"invalid ranges", test_wrong_ranges},
        {"order of points", test_order},
        {"parallel lists", test_together},
        {"invalid keys", test_wrong_keys},
        {"invalid grids", test_wrong_grids},
        {"invalid names", test_wrong_names},
        {"invalid results", test_wrong_results},
        {"several mistakes", test_several_mistakes},
        {"quoting", test_quoting},
        {"braces", test_braces},
        {"values that cannot be quoted", test_what_cannot_be_quoted},
        {"values that a shell would interpret", test_taken},
        {"hostile values", test_hostile_values},
        {"edited descriptions", test_edit},
        {"descriptions of points", test_descriptions},
        {"lists of points", test_points},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"sweep", suite_init, suite_cleanup, NULL, NULL, tests});
}
