/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gmsim params: lists the parameters with their values in a cluster or a
 * profile, as a table or CSV. params_markdown.c prints the page in Markdown.
 */
#include <argp.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/cluster.h"
#include "yaml/loader.h"
#include "cluster/time_mode.h"
#include "tool/argument.h"
#include "tool/params_markdown.h"
#include "tool/tool.h"

#define GMS_TOOL_WIDTH 78

enum {
    GMS_TOOL_KEY_CLUSTER = 'c',
    GMS_TOOL_KEY_LONG = 'l',
    GMS_TOOL_KEY_PROFILE = 'p',
    GMS_TOOL_KEY_CSV = 0x100,
    GMS_TOOL_KEY_MARKDOWN
};

typedef struct gms_tool_params_args {
    const char *cluster;
    /* name of the profile to list instead of a cluster, or NULL */
    const gms_profile_t *profile;
    int is_csv, is_long, is_markdown;
    char **names; /* selected parameters: names or patterns, which are the last
                     arguments in argv */
    int name_count;
} gms_tool_params_args_t;

static const struct argp_option gms_tool_params_options[] = {
    {.name = "cluster",
     .key = GMS_TOOL_KEY_CLUSTER,
     .arg = "FILE",
     .doc = "Cluster description (default: the one that GMSIM_CLUSTER names, "
            "otherwise the default cluster)"},
    {.name = "profile",
     .key = GMS_TOOL_KEY_PROFILE,
     .arg = "NAME",
     .doc = "List a hardware profile (for example edr) instead of a "
            "cluster"},
    {.name = "csv",
     .key = GMS_TOOL_KEY_CSV,
     .arg = "FILE",
     .flags = OPTION_ARG_OPTIONAL,
     .doc = GMS_TOOL_CSV_DOC ", with range and meaning"},
    {.name = "markdown",
     .key = GMS_TOOL_KEY_MARKDOWN,
     .doc = "Print the reference page of all parameters, with the values of "
            "all profiles"},
    {.name = "long",
     .key = GMS_TOOL_KEY_LONG,
     .doc = "Also print the meaning and the source of each parameter"},
    {.name = NULL},
};

/** Reject an unknown name. The message suggests a similar name, because a
 *  complete list would be too long. */
static error_t gms_tool_params_refuse(struct argp_state *state,
                                      const char *name)
{
    size_t limit = gms_yaml_typo_limit(name);
    char guess[GMS_YAML_ERROR_LEN] = "";
    const char *best = NULL;
    const gms_param_t *row;

    for (row = gms_param_table; row->name != NULL; ++row) {
        gms_yaml_nearer(name, row->name, &best, &limit);
    }
    gms_yaml_append_guess(guess, best);
    argp_error(state,
               "there is no parameter '%s'%s; `gmsim params' lists all names",
               name, guess);
    return EINVAL;
}

/** Return whether a name or pattern matches at least one parameter. */
static int gms_tool_params_is_known(const char *pattern)
{
    const gms_param_t *row = gms_param_table;

    while (row->name != NULL && fnmatch(pattern, row->name, 0) != 0) {
        ++row;
    }
    return row->name != NULL;
}

static error_t gms_tool_params_parse(int key, char *arg,
                                     struct argp_state *state)
{
    gms_tool_params_args_t *args = state->input;
    int i;

    switch (key) {
    case GMS_TOOL_KEY_CLUSTER:
        args->cluster = arg;
        return 0;
    case GMS_TOOL_KEY_PROFILE:
        return gms_tool_profile(state, arg, &args->profile);
    case GMS_TOOL_KEY_CSV:
        return gms_tool_csv(state, arg, &args->is_csv);
    case GMS_TOOL_KEY_MARKDOWN:
        args->is_markdown = 1;
        return 0;
    case GMS_TOOL_KEY_LONG:
        args->is_long = 1;
        return 0;
    case ARGP_KEY_END:
        if (args->profile != NULL && args->cluster != NULL) {
            argp_error(state,
                       "--profile and --cluster cannot be used together");
            return EINVAL;
        }
        if (args->is_markdown &&
            (args->profile != NULL || args->cluster != NULL ||
             args->name_count > 0 || args->is_csv || args->is_long)) {
            argp_error(state, "--markdown prints all parameters; other options "
                              "and names are not allowed");
            return EINVAL;
        }
        return 0;
    case ARGP_KEY_ARGS:
        args->names = state->argv + state->next;
        args->name_count = state->argc - state->next;
        for (i = 0; i < args->name_count; ++i) {
            if (!gms_tool_params_is_known(args->names[i])) {
                return gms_tool_params_refuse(state, args->names[i]);
            }
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int gms_tool_wants(const gms_tool_params_args_t *args, const char *name)
{
    int i;

    for (i = 0; i < args->name_count; ++i) {
        if (fnmatch(args->names[i], name, 0) == 0) {
            return 1;
        }
    }
    return args->name_count == 0;
}

/** Format a value as in a description: as the name of a choice or as a
 *  number. */
static const char *gms_tool_value(const gms_param_t *row, uint64_t value,
                                  char text[32])
{
    if (row->names != NULL) {
        return row->names[value];
    }
    (void)snprintf(text, 32, "%llu", (unsigned long long)value);
    return text;
}

static void gms_tool_print_names(const gms_param_t *row, const char *between)
{
    const char *const *name;

    for (name = row->names; *name != NULL; ++name) {
        printf("%s%s", (name == row->names) ? "" : between, *name);
    }
}

/* ---- CSV ---- */

static void gms_tool_print_quoted(const char *text)
{
    putchar('"');
    for (; *text != '\0'; ++text) {
        if (*text == '"') {
            putchar('"');
        }
        putchar(*text);
    }
    putchar('"');
}

static void gms_tool_print_csv(const gms_cluster_t *cluster,
                               const gms_param_t *row)
{
    const gms_profile_value_t *own = gms_profile_value(cluster->profile, row);
    char now[32], normal[32];

    printf(
        "%s,%s,%s,%s,", row->name,
        gms_tool_value(row, gms_param_get(&cluster->params, row), now),
        row->unit,
        gms_tool_value(row, (own != NULL) ? own->value : row->value, normal));
    if (row->names != NULL) {
        printf(",,");
        gms_tool_print_names(row, "|");
    } else {
        printf("%llu,%llu,", (unsigned long long)row->min,
               (unsigned long long)row->max);
    }
    putchar(',');
    gms_tool_print_quoted(row->doc);
    putchar(',');
    gms_tool_print_quoted((own != NULL) ? own->doc : "");
    putchar('\n');
}

/* ---- table ---- */

/** Print indented text in lines of at most GMS_TOOL_WIDTH columns. */
static void gms_tool_print_wrapped(const char *text)
{
    const char *word = text;
    size_t column = 0;

    while (*word != '\0') {
        size_t len = strcspn(word, " ");

        if (column > 0 && column + 1 + len > GMS_TOOL_WIDTH) {
            putchar('\n');
            column = 0;
        }
        printf("%s%.*s", (column == 0) ? "      " : " ", (int)len, word);
        column += len + ((column == 0) ? 6 : 1);
        word += len + strspn(word + len, " ");
    }
    putchar('\n');
}

static void gms_tool_print_human(const gms_cluster_t *cluster,
                                 const gms_param_t *row, int is_long)
{
    const gms_profile_value_t *own = gms_profile_value(cluster->profile, row);
    uint64_t value = gms_param_get(&cluster->params, row);
    char now[32];

    printf("%c %-26s %12s %-8s ",
           (value == ((own != NULL) ? own->value : row->value)) ? ' ' : '*',
           row->name, gms_tool_value(row, value, now), row->unit);
    if (row->names != NULL) {
        gms_tool_print_names(row, ", ");
    } else {
        printf("%llu..%llu", (unsigned long long)row->min,
               (unsigned long long)row->max);
    }
    putchar('\n');
    if (is_long) {
        gms_tool_print_wrapped(row->doc);
    }
    if (is_long && own != NULL) {
        printf("      In %s:\n", cluster->profile->name);
        gms_tool_print_wrapped(own->doc);
    }
}

static void gms_tool_params_print(const gms_tool_params_args_t *args,
                                  const gms_cluster_t *cluster)
{
    const gms_param_t *row;

    if (args->is_csv) {
        printf("name,value,unit,default,min,max,choices,doc,profile_doc\n");
    } else {
        printf("  %-26s %12s %-8s %s\n", "parameter", "value", "unit",
               "allowed      (* differs from the profile)");
    }
    for (row = gms_param_table; row->name != NULL; ++row) {
        if (!gms_tool_wants(args, row->name)) {
            continue;
        }
        if (args->is_csv) {
            gms_tool_print_csv(cluster, row);
        } else {
            gms_tool_print_human(cluster, row, args->is_long);
        }
    }
}

int gms_tool_params(int argc, char **argv)
{
    const struct argp argp = {
        .options = gms_tool_params_options,
        .parser = gms_tool_params_parse,
        .args_doc = "[NAME...]",
        .doc = "List the parameters of a cluster with their current values."
               "\v"
               "NAME is the name of a parameter or a pattern such as 'qos_*'. "
               "Exit status: 0 success; 2 an invalid description or invalid "
               "usage.\n"
               "Example: gmsim params --long hosts"};
    gms_tool_params_args_t args = {.cluster = NULL};
    char error[GMS_YAML_ERROR_LEN];
    char time_error[GMS_TIME_ERROR_LEN];
    gms_cluster_t cluster;

    if (argp_parse(&argp, argc, argv, 0, NULL, &args) != 0) {
        return GMS_TOOL_USAGE;
    }
    if (args.is_markdown) {
        gms_tool_params_markdown();
        return GMS_TOOL_OK;
    }
    if (args.cluster == NULL && args.profile == NULL) {
        args.cluster = gms_tool_cluster(NULL);
    }
    if (gms_cluster_load(args.cluster, &cluster, error) != GMS_OK) {
        fprintf(stderr, "%s\n", error);
        return GMS_TOOL_WRONG;
    }
    if (gms_time_replace(args.profile == NULL ? getenv("GMSIM_TIME") : NULL,
                         &cluster.params, time_error) != GMS_OK) {
        fprintf(stderr, "%s\n", time_error);
        gms_cluster_clear(&cluster);
        return GMS_TOOL_WRONG;
    }
    if (args.profile != NULL) {
        cluster.profile = args.profile;
        gms_profile_init(args.profile, &cluster.params);
    }
    gms_tool_params_print(&args, &cluster);
    gms_cluster_clear(&cluster);
    return GMS_TOOL_OK;
}
