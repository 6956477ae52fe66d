/* SPDX-License-Identifier: BSD-3-Clause */
/* gmsim topo: prints the network of a cluster and the routes in it. */
#include "tool/topo.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tool/argument.h"
#include "base/output.h"
#include "tool/tool.h"

/* Largest number of nodes for which the bisection is computed. With more nodes,
 * the computation would take too long. */
#define GMS_TOPO_CUT_NODES 4096u

extern char **environ;

enum {
    GMS_TOPO_KEY_HIGHLIGHT = 'H',
    GMS_TOPO_KEY_LINKS = 'l',
    GMS_TOPO_KEY_ROUTE = 'r',
    GMS_TOPO_KEY_CSV = 0x100,
    GMS_TOPO_KEY_DOT,
    GMS_TOPO_KEY_ROUTES,
    GMS_TOPO_KEY_SVG
};

typedef struct gms_topo_args {
    const char *path, *dot, *svg;
    gms_tool_pairs_t routes, highlight;
    int all_routes, links, csv;
} gms_topo_args_t;

static const struct argp_option gms_topo_options[] = {
    {.name = "route",
     .key = GMS_TOPO_KEY_ROUTE,
     .arg = "FROM:TO",
     .doc = "Print the route between two nodes, link by link; may be repeated"},
    {.name = "routes",
     .key = GMS_TOPO_KEY_ROUTES,
     .doc = "Print the routes between all nodes"},
    {.name = "links",
     .key = GMS_TOPO_KEY_LINKS,
     .doc = "List the number and the name of every link"},
    {.name = "csv",
     .key = GMS_TOPO_KEY_CSV,
     .arg = "FILE",
     .flags = OPTION_ARG_OPTIONAL,
     .doc = GMS_TOOL_CSV_DOC "; one table at a time"},
    {.name = "svg",
     .key = GMS_TOPO_KEY_SVG,
     .arg = "FILE",
     .doc = "Draw the cluster with Graphviz (`-': standard output)"},
    {.name = "dot",
     .key = GMS_TOPO_KEY_DOT,
     .arg = "FILE",
     .doc = "Write the input of Graphviz (`-': standard output)"},
    {.name = "highlight",
     .key = GMS_TOPO_KEY_HIGHLIGHT,
     .arg = "FROM:TO",
     .doc = "Colour a route in the drawing; may be repeated"},
    {.name = NULL},
};

/* ---- arguments ---------------------------------------------------------- */

/* Convert a number like strtoul(), but reject signs and blanks. */
static unsigned long gms_topo_number(char *text, char **end_p)
{
    if (*text < '0' || *text > '9') {
        *end_p = text;
        return 0;
    }
    errno = 0;
    return strtoul(text, end_p, 10);
}

static error_t gms_topo_pair(struct argp_state *state, const char *option,
                             char *text, gms_tool_pairs_t *pairs)
{
    gms_tool_pair_t *list;
    char *colon, *end;
    unsigned long from = gms_topo_number(text, &colon), to = 0;

    if (*colon == ':') {
        to = gms_topo_number(colon + 1, &end);
    }
    if (from < 1 || to < 1 || from > 1000000 || to > 1000000 || *end != '\0') {
        argp_error(state,
                   "%s: value '%s' is invalid; allowed: FROM:TO, two node "
                   "numbers, counted from 1, for example 1:5",
                   option, text);
        return EINVAL;
    }
    list = realloc(pairs->list, (pairs->count + 1) * sizeof(*list));
    if (list == NULL) {
        return ENOMEM;
    }
    list[pairs->count] = (gms_tool_pair_t){(unsigned)from, (unsigned)to};
    pairs->list = list;
    ++pairs->count;
    return 0;
}

static error_t gms_topo_end(const gms_topo_args_t *args,
                            struct argp_state *state)
{
    int tables = (args->routes.count > 0) + args->all_routes + args->links;

    if (args->csv && tables > 1) {
        argp_error(state, "--csv prints only one table; use one of --links, "
                          "--route and --routes");
        return EINVAL;
    }
    if (args->highlight.count > 0 && args->svg == NULL && args->dot == NULL) {
        argp_error(state, "--highlight requires --svg or --dot");
        return EINVAL;
    }
    return 0;
}

static error_t gms_topo_parse(int key, char *arg, struct argp_state *state)
{
    gms_topo_args_t *args = state->input;

    switch (key) {
    case GMS_TOPO_KEY_ROUTE:
        return gms_topo_pair(state, "--route", arg, &args->routes);
    case GMS_TOPO_KEY_HIGHLIGHT:
        return gms_topo_pair(state, "--highlight", arg, &args->highlight);
    case GMS_TOPO_KEY_ROUTES:
        args->all_routes = 1;
        return 0;
    case GMS_TOPO_KEY_LINKS:
        args->links = 1;
        return 0;
    case GMS_TOPO_KEY_CSV:
        return gms_tool_csv(state, arg, &args->csv);
    case GMS_TOPO_KEY_SVG:
        args->svg = arg;
        return 0;
    case GMS_TOPO_KEY_DOT:
        args->dot = arg;
        return 0;
    case ARGP_KEY_ARG:
        return gms_tool_file(state, arg, &args->path);
    case ARGP_KEY_END:
        return gms_topo_end(args, state);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- the summary -------------------------------------------------------- */

/** Return the largest number of switches on any route. The function examines
 *  only one node per switch. */
static unsigned gms_topo_longest(const gms_topology_t *topology,
                                 unsigned *first)
{
    unsigned switches = gms_topology_switches(topology);
    unsigned nodes = gms_topology_nodes(topology), node, a, b, longest = 0;
    gms_route_t route;

    for (a = 0; a < switches; ++a) {
        first[a] = nodes;
    }
    for (node = nodes; node-- > 0;) {
        first[gms_topology_to(topology,
                              gms_topology_node_link(topology, node, 0))
                  ->index] = node;
    }
    for (a = 0; a < switches; ++a) {
        for (b = 0; first[a] < nodes && b < switches; ++b) {
            if (first[b] < nodes) {
                gms_topology_route(topology, first[a], first[b], &route);
                longest = (route.hops > longest) ? route.hops : longest;
            }
        }
    }
    return longest;
}

static const char *gms_topo_routing(const gms_params_t *params)
{
    uint64_t routing = params->routing;

    if (routing == GMS_ROUTING_AUTO) {
        routing = (params->topology == GMS_TOPOLOGY_MESH)
                      ? GMS_ROUTING_DIMENSION_ORDER
                      : GMS_ROUTING_UPDOWN;
    }
    return gms_param_find("routing")->names[routing];
}

static void gms_topo_print_number(int csv, const char *name, unsigned value,
                                  const char *what)
{
    if (csv) {
        printf("%s,%u\n", name, value);
    } else {
        printf("%-14s %u%s%s\n", name, value, (*what != '\0') ? " " : "", what);
    }
}

static void gms_topo_print_text(int csv, const char *name, const char *value,
                                const char *what)
{
    if (csv) {
        printf("%s,%s\n", name, value);
    } else {
        printf("%-14s %s%s\n", name, value, what);
    }
}

/** Print the rate of a link. Also print the rate of the bisection, unless links
 *  is 0 (not computed). */
static void gms_topo_print_rates(const gms_params_t *params, unsigned links,
                                 int csv)
{
    char rate[32], all[32], what[96];

    (void)snprintf(rate, sizeof(rate), "%" PRIu64, params->link_bytes_s);
    gms_topo_print_text(csv, "link_bytes_s", rate,
                        csv ? "" : " (of each link, in each direction)");
    if (links == 0) {
        return;
    }
    (void)snprintf(what, sizeof(what),
                   "links, %.6g MB/s from the first half of the nodes to the "
                   "second",
                   (double)links * (double)params->link_bytes_s / 1e6);
    gms_topo_print_number(csv, "bisection", links, what);
    if (csv) {
        (void)snprintf(all, sizeof(all), "%" PRIu64,
                       links * params->link_bytes_s);
        gms_topo_print_text(csv, "bisection_bytes_s", all, "");
    }
}

/* Return the number of levels of switches in a graph. The level of a switch is
 * its distance from the nearest switch with a host, because the description of a
 * graph does not state levels.
 * @param [out] levels scratch memory, one element per switch */
static unsigned gms_topo_levels(const gms_topology_t *topology,
                                unsigned *levels)
{
    unsigned switches = gms_topology_switches(topology), most = 0, i;
    uint32_t count = gms_topology_link_count(topology), link;
    int is_changed = 1;

    for (i = 0; i < switches; ++i) {
        levels[i] = switches;
    }
    while (is_changed) {
        is_changed = 0;
        for (link = 0; link < count; ++link) {
            const gms_link_end_t *from = gms_topology_from(topology, link);
            const gms_link_end_t *to = gms_topology_to(topology, link);
            unsigned level =
                from->kind == GMS_END_NODE ? 0 : levels[from->index] + 1;

            if (to->kind != GMS_END_NODE && level < levels[to->index]) {
                levels[to->index] = level;
                is_changed = 1;
            }
        }
    }
    for (i = 0; i < switches; ++i) {
        most = levels[i] < switches && levels[i] > most ? levels[i] : most;
    }
    return most + 1;
}

/* Return the number of levels of any topology; see gms_topo_levels(). */
static unsigned gms_topo_known_levels(const gms_tool_topo_t *topo,
                                      unsigned *levels)
{
    const gms_topology_t *topology = topo->topology;
    unsigned most = 0, i;

    if (topo->cluster.params.topology == GMS_TOPOLOGY_GRAPH) {
        return gms_topo_levels(topology, levels);
    }
    for (i = 0; i < gms_topology_switches(topology); ++i) {
        unsigned level = gms_topology_level(topology, i);

        most = level > most ? level : most;
    }
    return most + 1;
}

static gms_status_t gms_topo_print_summary(const gms_tool_topo_t *topo, int csv)
{
    const gms_topology_t *topology = topo->topology;
    const gms_params_t *params = &topo->cluster.params;
    unsigned nodes = gms_topology_nodes(topology), cut = 0;
    unsigned switches = gms_topology_switches(topology);
    unsigned *first = calloc(switches, sizeof(unsigned));
    gms_status_t status = GMS_OK;

    if (first == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    if (nodes <= GMS_TOPO_CUT_NODES) {
        status = gms_tool_topo_bisection(topology, &cut);
    }
    if (status == GMS_OK) {
        if (csv) {
            printf("quantity,value\n");
        }
        gms_topo_print_text(csv, "topology",
                            gms_param_find("topology")->names[params->topology],
                            "");
        gms_topo_print_number(csv, "hosts", (unsigned)params->hosts, "");
        gms_topo_print_number(csv, "nodes", nodes, "(NICs of all hosts)");
        gms_topo_print_number(csv, "switches", switches, "");
        gms_topo_print_number(csv, "levels", gms_topo_known_levels(topo, first),
                              "(of switches)");
        gms_topo_print_number(csv, "cables",
                              gms_topology_link_count(topology) / 2,
                              "(two links each)");
        gms_topo_print_number(csv, "longest_route",
                              gms_topo_longest(topology, first), "(switches)");
        gms_topo_print_rates(params, cut, csv);
        gms_topo_print_text(csv, "routing", gms_topo_routing(params), "");
        gms_topo_print_text(csv, "deadlock_free", "yes",
                            csv ? ""
                                : " (networks that can deadlock are rejected)");
    }
    free(first);
    return status;
}

/* ---- links and routes --------------------------------------------------- */

static void gms_topo_print_links(const gms_topology_t *topology, int csv)
{
    unsigned count = gms_topology_link_count(topology), link;
    char name[64];

    if (csv) {
        printf("link,name\n");
    }
    for (link = 0; link < count; ++link) {
        gms_topology_link_name(topology, link, name, sizeof(name));
        printf(csv ? "%u,%s\n" : "%6u  %s\n", link, name);
    }
}

static void gms_topo_print_route(const gms_topology_t *topology,
                                 gms_tool_pair_t pair, int csv)
{
    uint32_t links[GMS_ROUTE_LINKS_MAX];
    unsigned count =
        gms_topology_links(topology, pair.from - 1, pair.to - 1, links);
    unsigned i;
    char name[64];

    if (!csv) {
        printf("node %u to node %u: %u switch%s\n", pair.from, pair.to,
               count - 1, (count == 2) ? "" : "es");
    }
    for (i = 0; i < count; ++i) {
        gms_topology_link_name(topology, links[i], name, sizeof(name));
        if (csv) {
            printf("%u,%u,%u,%u,%s\n", pair.from, pair.to, i, links[i], name);
        } else {
            printf("  %s\n", name);
        }
    }
}

static void gms_topo_print_routes(const gms_tool_topo_t *topo,
                                  const gms_topo_args_t *args)
{
    unsigned nodes = gms_topology_nodes(topo->topology), i;
    gms_tool_pair_t pair;

    if (args->csv) {
        printf("from,to,hop,link,name\n");
    }
    for (i = 0; i < args->routes.count; ++i) {
        gms_topo_print_route(topo->topology, args->routes.list[i], args->csv);
    }
    if (!args->all_routes) {
        return;
    }
    for (pair.from = 1; pair.from <= nodes; ++pair.from) {
        for (pair.to = 1; pair.to <= nodes; ++pair.to) {
            if (pair.from != pair.to) {
                gms_topo_print_route(topo->topology, pair, args->csv);
            }
        }
    }
}

/* ---- drawings ----------------------------------------------------------- */

static int gms_topo_complain(const char *path, const char *what)
{
    fprintf(stderr, "gmsim topo: %s: %s\n", path, what);
    return GMS_TOOL_REFUSED;
}

/** Draw to the output, and then close the output. */
static int gms_topo_draw_to(const gms_tool_topo_t *topo,
                            const gms_topo_args_t *args, gms_output_t *output,
                            const char *path)
{
    if (gms_tool_topo_draw(topo, &args->highlight, output->file) != GMS_OK) {
        (void)gms_output_close(output, 0);
        return gms_topo_complain(path, "out of memory");
    }
    if (gms_output_close(output, 1) != 0) {
        return gms_topo_complain(path, strerror(errno));
    }
    return GMS_TOOL_OK;
}

static int gms_topo_dot(const gms_tool_topo_t *topo,
                        const gms_topo_args_t *args)
{
    gms_output_t output;

    if (gms_output_open(&output, args->dot) != 0) {
        return gms_topo_complain(args->dot, strerror(errno));
    }
    return gms_topo_draw_to(topo, args, &output, args->dot);
}

/** Start Graphviz. @return 0 or an error number */
static int gms_topo_spawn(int pipe_read, int pipe_write, int output,
                          pid_t *pid_p)
{
    char name[] = "dot", format[] = "-Tsvg";
    char *argv[] = {name, format, NULL};
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);

    if (error != 0) {
        return error;
    }
    error = posix_spawn_file_actions_adddup2(&actions, pipe_read, 0);
    if (error == 0) {
        error = posix_spawn_file_actions_addclose(&actions, pipe_write);
    }
    if (error == 0 && output != STDOUT_FILENO) {
        error =
            posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    }
    if (error == 0) {
        error = posix_spawnp(pid_p, name, &actions, NULL, argv, environ);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/** Draw into an open file with Graphviz. */
static int gms_topo_graphviz(const gms_tool_topo_t *topo,
                             const gms_topo_args_t *args, int output)
{
    gms_output_t graph = {.file = NULL};
    int ends[2], error, status = 0, result;
    pid_t pid;

    if (pipe(ends) != 0) {
        return gms_topo_complain(args->svg, strerror(errno));
    }
    error = gms_topo_spawn(ends[0], ends[1], output, &pid);
    (void)close(ends[0]);
    graph.file = (error == 0) ? fdopen(ends[1], "w") : NULL;
    if (graph.file == NULL) {
        (void)close(ends[1]);
    }
    if (error != 0) {
        fprintf(stderr,
                "gmsim topo: cannot start 'dot': %s; install Graphviz, or "
                "write its input with --dot\n",
                strerror(error));
        return GMS_TOOL_REFUSED;
    }
    /* ignore the signal, because the exit status of dot reports that dot ended
     * early */
    (void)signal(SIGPIPE, SIG_IGN);
    result = (graph.file != NULL) ? gms_topo_draw_to(topo, args, &graph, "dot")
                                  : gms_topo_complain("dot", "out of memory");
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (status != 0) {
        return gms_topo_complain(args->svg,
                                 "Graphviz (dot) could not draw the network");
    }
    return result;
}

static int gms_topo_svg(const gms_tool_topo_t *topo,
                        const gms_topo_args_t *args)
{
    gms_output_t output;
    int result;

    if (gms_output_open(&output, args->svg) != 0) {
        return gms_topo_complain(args->svg, strerror(errno));
    }
    (void)fflush(stdout); /* dot can write to the standard output, too */
    result = gms_topo_graphviz(topo, args, fileno(output.file));
    if (gms_output_close(&output, result == GMS_TOOL_OK) != 0 &&
        result == GMS_TOOL_OK) {
        return gms_topo_complain(args->svg, strerror(errno));
    }
    return result;
}

/* ---- the command -------------------------------------------------------- */

static int gms_topo_check_pairs(const gms_tool_topo_t *topo, const char *option,
                                const gms_tool_pairs_t *pairs)
{
    unsigned nodes = gms_topology_nodes(topo->topology), i;

    for (i = 0; i < pairs->count; ++i) {
        gms_tool_pair_t pair = pairs->list[i];

        if (pair.from > nodes || pair.to > nodes) {
            fprintf(stderr,
                    "gmsim topo: %s %u:%u: there is no node %u; allowed: "
                    "1..%u\n",
                    option, pair.from, pair.to,
                    (pair.from > nodes) ? pair.from : pair.to, nodes);
            return GMS_TOOL_USAGE;
        }
    }
    return GMS_TOOL_OK;
}

static int gms_topo_run(const gms_tool_topo_t *topo,
                        const gms_topo_args_t *args)
{
    int result = gms_topo_check_pairs(topo, "--route", &args->routes);

    if (result == GMS_TOOL_OK) {
        result = gms_topo_check_pairs(topo, "--highlight", &args->highlight);
    }
    if (result == GMS_TOOL_OK && args->routes.count == 0 && !args->all_routes &&
        !args->links && args->svg == NULL && args->dot == NULL &&
        gms_topo_print_summary(topo, args->csv) != GMS_OK) {
        return gms_topo_complain("summary", "out of memory");
    }
    if (result != GMS_TOOL_OK) {
        return result;
    }
    if (args->links) {
        gms_topo_print_links(topo->topology, args->csv);
    }
    if (args->routes.count > 0 || args->all_routes) {
        gms_topo_print_routes(topo, args);
    }
    if (args->dot != NULL) {
        result = gms_topo_dot(topo, args);
    }
    if (result == GMS_TOOL_OK && args->svg != NULL) {
        result = gms_topo_svg(topo, args);
    }
    return result;
}

int gms_tool_topo(int argc, char **argv)
{
    const struct argp argp = {
        .options = gms_topo_options,
        .parser = gms_topo_parse,
        .args_doc = "[FILE]",
        .doc = "Show the network of a cluster: its shape, routes and links.\v"
               "FILE is a cluster description (default: the one that "
               "GMSIM_CLUSTER names, otherwise the default cluster). Nodes are "
               "numbered from 1, switches and ports from 0. Exit status: 0 "
               "success; 1 the drawing failed; 2 an invalid description or "
               "invalid usage.\n"
               "Example: gmsim topo --route 1:16 --svg cluster.svg"};
    char error[GMS_YAML_ERROR_LEN];
    gms_topo_args_t args = {.path = NULL};
    gms_tool_topo_t topo;
    int result = GMS_TOOL_USAGE;

    if (argp_parse(&argp, argc, argv, 0, NULL, &args) == 0) {
        result = GMS_TOOL_REFUSED;
        if (gms_cluster_load(gms_tool_cluster(args.path), &topo.cluster,
                             error) != GMS_OK) {
            fprintf(stderr, "%s\n", error);
            result = GMS_TOOL_WRONG;
        } else if (gms_cluster_build(&topo.cluster, &topo.arena, &topo.topology,
                                     error) != GMS_OK) {
            fprintf(stderr, "gmsim topo: %s\n", error);
            gms_cluster_clear(&topo.cluster);
        } else {
            result = gms_topo_run(&topo, &args);
            gms_arena_destroy_private(topo.arena);
            gms_cluster_clear(&topo.cluster);
        }
    }
    free(args.routes.list);
    free(args.highlight.list);
    return result;
}
