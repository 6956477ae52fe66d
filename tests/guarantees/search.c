/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Searches for broken bounds in random networks with random reservations.
 * Adversaries change the traffic step by step to reduce the margin to the
 * bounds; they use the code of gmsim verify.
 *
 *   guarantee_search [--variations N] [--seed N] [--jobs N] [--keep DIR]
 *                    [--fabric worm|flit] [--profile edr|hdr|..]
 *                    [--fast-processes]
 *
 * Prints the number of variations, the number of broken bounds, and the CPU
 * time. If a variation breaks a bound, the program writes it into DIR (default: the
 * working directory) as a plan with its cluster description. The exit status is 1 if
 * any bound is broken.
 *
 * Without --fabric, one network in eight has the fabric model flit, and all other
 * networks have the model worm.
 *
 * With --fast-processes, each call of a process takes 1 ns. An hca NIC is
 * faster than a process, so a process can provide a receive buffer too late.
 * The guarantee does not cover this case, which does not occur with this
 * option.
 *
 * On Ethernet (--profile roce-100 or roce-25), the managers guarantee only the
 * bandwidth in windows of 100 ms. There, all reservations are large enough for
 * such windows, their senders always have messages waiting, and every trial is
 * longer than a window.
 *
 * A trial consists of a network, a plan, and a chain of variations. It depends only on
 * the seed and on the trial's number.
 */
#define _GNU_SOURCE
#include <argp.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tool/verify.h"

#define PATH_LEN        512
#define FLOWS_MAX       24u
#define SMALL_FLOWS_MAX 5u
#define PORT            2u

typedef struct options {
    uint64_t variations, seed;
    unsigned jobs;
    const char *keep;
    const char *fabric;  /* fabric model of every network, or NULL */
    const char *profile; /* profile of every network, or NULL */
    int is_fast;         /* 1 if each call of a process takes 1 ns */
} options_t;

/* Counters that all processes share; they are updated atomically. */
typedef struct sums {
    uint64_t next, done, broken_trials, broken, granted, denied, unmeasured;
    double
        least; /* smallest margin of all measured trials; protected by `lock` */
    int lock, failed;
} sums_t;

static uint64_t draw(gms_random_t *random, uint64_t bound)
{
    return gms_random_below(random, bound);
}

/* ---- networks ---------------------------------------------------------------- */

/*
 * Describe a small network in which a few flows share all resources. In such a network,
 * a chain of variations takes little time. Every second trial uses such a small
 * network.
 */
static void write_small(FILE *file, gms_random_t *random)
{
    unsigned hosts = 2 + (unsigned)draw(random, 4);

    switch (draw(random, 3)) {
    case 0:
        fprintf(file, "topology: crossbar\nhosts: %u\n", hosts);
        break;
    case 1: /* two or three switches */
        fprintf(file, "topology: cascade\nhosts: %u\nhosts_per_switch: %u\n",
                hosts, (hosts + 1) / 2);
        break;
    default:
        fprintf(file, "topology: cascade\nhosts: %u\nhosts_per_switch: %u\n",
                hosts, (hosts + 2) / 3);
        break;
    }
}

static void write_large(FILE *file, gms_random_t *random)
{
    unsigned rows = 1 + (unsigned)draw(random, 4);
    unsigned columns = 2 + (unsigned)draw(random, 4);
    unsigned each = 1 + (unsigned)draw(random, 3), hosts;

    switch (draw(random, 6)) {
    case 0:
        fprintf(file, "topology: crossbar\nhosts: %u\n",
                6 + (unsigned)draw(random, 11));
        break;
    case 1:
        fprintf(file, "topology: cascade\nhosts: %u\nhosts_per_switch: %u\n",
                (columns + 1) * each, each);
        break;
    case 2:
        hosts = 4 + 4 * (unsigned)draw(random, 8);
        fprintf(file, "topology: clos\nhosts: %u\nswitch_ports: 8\n", hosts);
        break;
    case 3:
    case 4:
        fprintf(file,
                "topology: %s\nrows: %u\ncolumns: %u\nhosts: %u\n"
                "hosts_per_switch: %u\n",
                draw(random, 2) == 0 ? "mesh" : "torus", rows, columns,
                rows * columns * each, each);
        break;
    default:
        fprintf(file,
                "topology: fat-tree\nhosts: %u\nhosts_per_switch: 4\n"
                "tree_up: %u\n",
                8 + 4 * (unsigned)draw(random, 3),
                1 + (unsigned)draw(random, 3));
        break;
    }
}

static void write_cluster(const options_t *options, const char *path,
                          int is_small, gms_random_t *random)
{
    FILE *file = fopen(path, "w");
    int is_flit, is_myrinet2000;

    if (file == NULL) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    if (is_small) {
        write_small(file, random);
    } else {
        write_large(file, random);
    }
    is_myrinet2000 = draw(random, 3) == 0;
    if (options->profile != NULL) {
        fprintf(file, "profile: %s\n", options->profile);
    } else if (is_myrinet2000) {
        fprintf(file, "profile: myrinet2000\n");
    }
    is_flit = draw(random, 8) == 0 && options->profile == NULL;
    if (options->fabric != NULL) {
        is_flit = strcmp(options->fabric, "flit") == 0;
    }
    if (is_flit) {
        fprintf(file, "fabric:\n  model: flit\n");
    }
    if (options->is_fast) {
        fprintf(file, "parameters:\n  host_send_ps: 1000\n"
                      "  host_receive_ps: 1000\n  host_callback_ps: 1000\n"
                      "  host_provide_ps: 1000\n");
    }
    fclose(file);
}

/* ---- plans ----------------------------------------------------------------------- */

/* Return 1 if the managers compute bounds. Otherwise, they guarantee only the
 * bandwidth in windows. */
static int has_bounds(const gms_params_t *params)
{
    return params->fabric_model != GMS_FABRIC_ETHERNET;
}

static gms_plan_flow_t draw_flow(unsigned nodes, double least, double most,
                                 gms_random_t *random)
{
    static const uint32_t messages[] = {64, 4096, 16000, 65536, 65536};
    gms_plan_flow_t flow = {.traffic = {.window = 8}};
    gms_flow_request_t *request = &flow.request;

    request->source_node = (unsigned)draw(random, nodes);
    request->key.target_node = (uint16_t)draw(random, nodes);
    request->key.source_port = request->key.target_port = PORT;
    request->qos_class = GMS_QOS_PREMIUM;
    /* all orders of magnitude are equally likely */
    request->bytes_s = least * pow(most / least, gms_random_unit(random));
    request->shape.message_bytes = messages[draw(random, 5)];
    if (draw(random, 3) == 0) {
        request->shape.burst_bytes =
            request->shape.message_bytes * (1 + (uint32_t)draw(random, 4));
    }
    if (draw(random, 4) == 0) {
        request->shape.delay_ps = GMS_MS * (1 + draw(random, 30));
    }
    if (draw(random, 6) == 0) {
        request->shape.jitter_ps = GMS_US * 100 * (1 + draw(random, 20));
    }
    if (draw(random, 4) == 0) {
        request->key.priority = 1;
    }
    return flow;
}

/*
 * Bounds of delay, jitter and service are checked in every interval. A few periods of
 * all packets are therefore sufficient. Checks of windows require longer trials, so one
 * trial in 32 is longer. Without bounds, all trials are longer.
 */
static void draw_time(gms_random_t *random, gms_verify_case_t *verify)
{
    verify->time_ps = draw(random, 32) == 0 || !has_bounds(verify->params)
                          ? 130 * GMS_MS
                          : GMS_MS * (2 + draw(random, 3) * draw(random, 5));
}

/* Change a flow for a network without bounds. Only windows are checked, and only
 * while the sender has messages waiting. */
static void remove_bounds(gms_plan_flow_t *flow)
{
    flow->request.shape.delay_ps = 0;
    flow->request.shape.jitter_ps = 0;
    flow->traffic.send = GMS_PLAN_SEND_BACKLOGGED;
    flow->traffic.window = 64; /* the largest window of the adversaries */
}

static int draw_plan(unsigned nodes, int is_small, gms_random_t *random,
                     gms_verify_case_t *verify)
{
    unsigned flows_max = is_small ? SMALL_FLOWS_MAX : FLOWS_MAX;
    unsigned count = 1 + (unsigned)draw(random, flows_max), i;
    const gms_params_t *params = verify->params;
    double least = 1e6, most = 0.8 * (double)params->qos_node_bytes_s;

    if (!has_bounds(params)) {
        /* the windows of a smaller reservation are longer than a trial */
        least = GMS_VERIFY_WINDOW_PACKETS * (double)params->nic_mtu_bytes *
                (double)GMS_SECOND / (double)GMS_VERIFY_WINDOW_PS;
        most = fmin(most, 0.8 * (double)params->qos_link_bytes_s);
    }
    for (i = 0; i < count; ++i) {
        gms_plan_flow_t flow = draw_flow(nodes, least, most, random);

        if (!has_bounds(params)) {
            remove_bounds(&flow);
        }
        if (!gms_verify_case_add(verify, &flow)) {
            return 0;
        }
    }
    draw_time(random, verify);
    return 1;
}

/*
 * ---- trial
 * ---------------------------------------------------------------------------
 */

static void save(const options_t *options, uint64_t trial,
                 const gms_verify_case_t *worst, const char *cluster)
{
    char path[PATH_LEN], note[128];
    FILE *file;

    (void)snprintf(path, sizeof(path), "%s/guarantee-%" PRIu64 ".yaml",
                   options->keep, trial);
    (void)snprintf(note, sizeof(note),
                   "This plan breaks a bound: trial %" PRIu64
                   " of seed %" PRIu64,
                   trial, options->seed);
    file = fopen(path, "w");
    if (file != NULL) {
        gms_verify_write(file, worst, cluster, note);
        fclose(file);
        printf("broken bound; to reproduce it: gmsim verify %s\n", path);
        (void)fflush(stdout);
    }
}

/* Count the answers and the verdicts for the worst variation. */
static void count_answers(sums_t *sums, const gms_verify_case_t *worst)
{
    gms_verify_result_t *results =
        malloc((worst->flow_count + 1) * sizeof(*results));
    char error[GMS_VERIFY_ERROR_LEN];
    size_t at;

    if (results != NULL && gms_verify_run(worst, results, error) == GMS_OK) {
        for (at = 0; at < worst->flow_count; ++at) {
            uint64_t *count =
                results[at].verdict == GMS_VERIFY_UNMEASURED ? &sums->unmeasured
                : results[at].verdict == GMS_VERIFY_DENIED   ? &sums->denied
                : results[at].verdict < GMS_VERIFY_BEST_EFFORT ? &sums->granted
                                                               : NULL;

            if (count != NULL) {
                (void)__atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
            }
        }
    }
    free(results);
}

static void run_trial(const options_t *options, sums_t *sums, uint64_t trial,
                      uint32_t steps)
{
    char path[PATH_LEN], error[GMS_VERIFY_ERROR_LEN] = "";
    gms_verify_climb_t climb = {.done_p = &sums->done};
    gms_verify_case_t verify = {0}, worst = {0};
    gms_verify_chain_t found;
    int is_small = trial % 2 == 0;
    gms_cluster_t cluster;
    gms_random_t random;
    gms_status_t status;

    gms_random_init(&random, options->seed, trial);
    (void)snprintf(path, sizeof(path), "%s/guarantee-%" PRIu64 ".cluster.yaml",
                   options->keep, trial);
    write_cluster(options, path, is_small, &random);
    if (gms_cluster_load(path, &cluster, error) != GMS_OK) {
        printf("%s\n", error);
        sums->failed = 1;
        return;
    }
    verify.params = &cluster.params;
    verify.graph = &cluster.graph;
    climb.base = &verify;
    climb.seed = options->seed;
    climb.nodes = (unsigned)cluster.params.hosts;
    status = draw_plan(climb.nodes, is_small, &random, &verify)
                 ? GMS_OK
                 : GMS_ERR_NO_MEMORY;
    if (status == GMS_OK) {
        status = gms_verify_climb(&climb, 1 + trial, steps - 1, &worst, &found,
                                  error);
    }
    if (status != GMS_OK) {
        printf("trial %" PRIu64 ": %s\n", trial, error);
        sums->failed = 1;
    } else {
        (void)__atomic_add_fetch(&sums->broken, found.broken, __ATOMIC_RELAXED);
        count_answers(sums, &worst);
        while (__atomic_exchange_n(&sums->lock, 1, __ATOMIC_ACQUIRE)) {
        }
        sums->least = fmin(sums->least, found.margin);
        __atomic_store_n(&sums->lock, 0, __ATOMIC_RELEASE);
    }
    if (status == GMS_OK && found.broken > 0) {
        (void)__atomic_add_fetch(&sums->broken_trials, 1, __ATOMIC_RELAXED);
        save(options, trial, &worst, path);
    } else {
        (void)unlink(path);
    }
    gms_verify_case_clear(&worst);
    gms_verify_case_clear(&verify);
    gms_cluster_clear(&cluster);
}

static void work(const options_t *options, sums_t *sums, uint64_t trials)
{
    uint64_t trial;

    while (!sums->failed && (trial = __atomic_fetch_add(
                                 &sums->next, 1, __ATOMIC_RELAXED)) < trials) {
        uint64_t rest = options->variations - trial * GMS_VERIFY_CHAIN;

        run_trial(options, sums, trial,
                  rest < GMS_VERIFY_CHAIN ? (uint32_t)rest : GMS_VERIFY_CHAIN);
    }
}

/*
 * ---- all trials
 * --------------------------------------------------------------------
 */

static error_t parse(int key, char *arg, struct argp_state *state)
{
    options_t *options = state->input;

    switch (key) {
    case 'n':
        options->variations = strtoull(arg, NULL, 10);
        return 0;
    case 's':
        options->seed = strtoull(arg, NULL, 10);
        return 0;
    case 'j':
        options->jobs = (unsigned)strtoul(arg, NULL, 10);
        return 0;
    case 'k':
        options->keep = arg;
        return 0;
    case 'f':
        if (strcmp(arg, "worm") != 0 && strcmp(arg, "flit") != 0) {
            argp_error(state,
                       "--fabric: value '%s' is unknown; allowed: worm, flit",
                       arg);
        }
        options->fabric = arg;
        return 0;
    case 'p':
        options->profile = arg;
        return 0;
    case 'q':
        options->is_fast = 1;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static double cpu_s(void)
{
    struct rusage children;

    (void)getrusage(RUSAGE_CHILDREN, &children);
    return (double)(children.ru_utime.tv_sec + children.ru_stime.tv_sec) +
           1e-6 *
               (double)(children.ru_utime.tv_usec + children.ru_stime.tv_usec);
}

int main(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {.name = "variations",
         .key = 'n',
         .arg = "N",
         .doc = "Variations (1000)"},
        {.name = "seed", .key = 's', .arg = "N", .doc = "Seed (1)"},
        {.name = "jobs", .key = 'j', .arg = "N", .doc = "Processes (2)"},
        {.name = "keep",
         .key = 'k',
         .arg = "DIR",
         .doc = "Directory for plans that break a bound (.)"},
        {.name = "fabric",
         .key = 'f',
         .arg = "MODEL",
         .doc = "Fabric model of all networks: worm or flit"},
        {.name = "profile",
         .key = 'p',
         .arg = "NAME",
         .doc = "Profile of all networks, with its own fabric model"},
        {.name = "fast-processes",
         .key = 'q',
         .doc = "Each call of a process takes 1 ns"},
        {.name = NULL}};
    const struct argp argp = {.options = table, .parser = parse};
    options_t options = {.variations = 1000, .seed = 1, .jobs = 2, .keep = "."};
    uint64_t trials;
    unsigned job;
    int status;
    sums_t *sums = mmap(NULL, sizeof(*sums), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (sums == MAP_FAILED ||
        argp_parse(&argp, argc, argv, 0, NULL, &options) != 0) {
        return EXIT_FAILURE;
    }
    sums->least = INFINITY;
    trials = (options.variations + GMS_VERIFY_CHAIN - 1) / GMS_VERIFY_CHAIN;
    for (job = 0; job < options.jobs; ++job) {
        if (fork() == 0) {
            (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
            work(&options, sums, trials);
            (void)fflush(stdout);
            _exit(0);
        }
    }
    while (wait(&status) > 0) {
        sums->failed |= !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    }
    printf("%" PRIu64 " variations of %" PRIu64 " plans: %" PRIu64
           " variations (of %" PRIu64
           " plans) broke a bound; smallest margin %.4f; %.1f CPU s\n",
           sums->done, trials, sums->broken, sums->broken_trials, sums->least,
           cpu_s());
    printf("worst variations: %" PRIu64 " reservations measured, %" PRIu64
           " not measured, %" PRIu64 " denied\n",
           sums->granted, sums->unmeasured, sums->denied);
    return sums->failed || sums->broken > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
