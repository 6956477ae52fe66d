/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests that flows receive their reserved bandwidth in any network. The test
 * requests random flows. The number of flows is ten times the number of hosts.
 * All granted flows always have packets waiting, and the test compares every
 * window of every flow with the grant.
 *
 *   test_kept                                      the tests of make check
 *   test_kept FAMILY MODEL PROFILE UNDECLARED FIRST SEEDS [PARAMETER=VALUE ..]
 *                                                  SEEDS seeds of a family
 *   test_kept price FAMILY MODEL PROFILE SEED [PARAMETER=VALUE ..]
 *                                                  possible and admitted load
 *   test_kept hardware FAMILY PROFILE SEED [PARAMETER=VALUE ..]
 *                                                  possible load, hardware with
 *                                                  these parameters
 *
 * FAMILY may be `all`. The length of a window is 100 ms or the time of 400
 * packets at the granted rate, whichever is longer. Windows begin every 10 ms.
 * A flow counts as missed if more than 0.5 % of the granted bandwidth is
 * missing in any window. A flow counts as broken if any window has less than
 * the flow's guaranteed service. This service is rate x (window - L), minus one
 * packet that is only partly in the window (doc/guarantees.md). If the grant
 * contains no latency L, the flow can only count as missed. The bandwidth is
 * computed as 4096 bytes times the number of arrived packets, because the
 * inter-packet dispatch time limits the number of packets, not the number of
 * bytes.
 *
 * `price` prints by how much the guarantees reduce the possible load.
 * `possible` is the largest load at which the plain hardware (worm, undeclared:
 * free, IDTs set without a request) gives every flow in a set of demands its
 * bandwidth. The program determines this load by bisection over a common factor
 * for all demands. `free` and `best-effort` are the largest loads at which the
 * account grants every flow, with the respective value of the parameter
 * `undeclared`. After each of these loads, the program prints the ratio of this
 * load to `possible`.
 */
#include <string.h>
#include <time.h>

#include "params/profile.h"
#include "base/random.h"
#include "nic/nic_int.h"
#include "manager/admission.h"
#include "scenario_rig.h"

enum {
    MOST_FLOWS = 4096,
    SAMPLES = 512
};

#define SAMPLE_PS      (10 * GMS_MS)
#define WINDOW_PS      (100 * GMS_MS)
#define WINDOW_PACKETS 400.0
#define PACKET_BYTES   4096.0
#define ALLOWED        0.005
/* The managers share the network with the granted flows. */
#define ANSWERS_PS (5 * GMS_SECOND)
#define SETTLE_PS  (30 * GMS_MS)

typedef struct family {
    const char *name;
    enum gms_topology_kind topology;
    unsigned hosts, rows, columns, hosts_per_switch, tree_up;
} family_t;

static const family_t families[] = {
    {"crossbar-16", GMS_TOPOLOGY_CROSSBAR, 16, 0, 0, 0, 0},
    {"clos-64", GMS_TOPOLOGY_CLOS, 64, 0, 0, 0, 0},
    {"fat-tree", GMS_TOPOLOGY_FAT_TREE, 32, 0, 0, 8, 4},
    {"mesh-4x4", GMS_TOPOLOGY_MESH, 16, 4, 4, 1, 0},
    {"mesh-4x4x4", GMS_TOPOLOGY_MESH, 64, 4, 4, 4, 0},
    {"torus-4x4x4", GMS_TOPOLOGY_TORUS, 64, 4, 4, 4, 0},
    {"ring-8", GMS_TOPOLOGY_TORUS, 16, 1, 8, 2, 0},
    {"cascade-2", GMS_TOPOLOGY_CASCADE, 28, 0, 0, 14, 0},
    {"cascade-4", GMS_TOPOLOGY_CASCADE, 32, 0, 0, 8, 0},
};
enum {
    FAMILIES = sizeof(families) / sizeof(families[0])
};

static unsigned flows;
static gms_traffic_t traffic[MOST_FLOWS];
static double granted[MOST_FLOWS]; /* granted bandwidth in bytes/s; 0: denied */
/* number of packets that have arrived */
static uint32_t samples[SAMPLES][MOST_FLOWS];

typedef struct result {
    unsigned granted, refused, missed, broken, unanswered;
    double worst; /* largest fraction of a grant that is missing in a window */
    double load;  /* sum of all grants, bytes/s */
} result_t;

/* ---- arguments ----------------------------------------------------------- */

static char **changes; /* strings of the form PARAMETER=VALUE, followed by
                        * NULL */

/* Accepts only parameters with numeric values. */
static void set_changes(void)
{
    char **change, name[64];

    for (change = changes; change != NULL && *change != NULL; ++change) {
        const char *value = strchr(*change, '=');
        const gms_param_t *row = NULL;
        uint64_t number;

        if (value != NULL && (size_t)(value - *change) < sizeof(name)) {
            memcpy(name, *change, (size_t)(value - *change));
            name[value - *change] = '\0';
            row = gms_param_find(name);
        }
        number = row != NULL ? strtoull(value + 1, NULL, 10) : 0;
        if (row == NULL || number < row->min || number > row->max) {
            printf("'%s' is not PARAMETER=VALUE, or VALUE is out of range\n",
                   *change);
            exit(2);
        }
        gms_param_set(&params, row, number);
    }
}

/* ---- networks ------------------------------------------------------------ */

static const family_t *find_family(const char *name)
{
    unsigned i;

    for (i = 0; i < FAMILIES; ++i) {
        if (strcmp(families[i].name, name) == 0) {
            return &families[i];
        }
    }
    return NULL;
}

static void set_params(const family_t *family, const char *model,
                       const char *profile, const char *undeclared)
{
    gms_profile_init(gms_profile_find(profile), &params);
    params.topology = family->topology;
    params.hosts = family->hosts;
    params.rows = family->rows;
    params.columns = family->columns;
    params.hosts_per_switch = family->hosts_per_switch;
    params.tree_up = family->tree_up;
    params.arena_bytes = UINT64_C(1) << 30;
    params.fabric_model =
        strcmp(model, "flit") == 0 ? GMS_FABRIC_FLIT : GMS_FABRIC_WORM;
    params.undeclared = strcmp(undeclared, "free") == 0
                            ? GMS_UNDECLARED_FREE
                            : GMS_UNDECLARED_BEST_EFFORT;
    set_changes();
}

static void create(void)
{
    char error[GMS_SCENARIO_ERROR_LEN];
    unsigned i;

    if (gms_scenario_create(&params, NULL, &scenario, error) != GMS_OK) {
        printf("%s\n", error);
        exit(EXIT_FAILURE);
    }
    for (i = 0; i < flows; ++i) {
        if (gms_scenario_add(scenario, &traffic[i]) != i) {
            printf("the scenario has no room for flow %u\n", i);
            exit(EXIT_FAILURE);
        }
    }
}

/* ---- bandwidth of flows ---- */

/* Returns the number of samples in a flow's window. */
static unsigned window_samples(unsigned i)
{
    double window_ps =
        fmax((double)WINDOW_PS,
             WINDOW_PACKETS * PACKET_BYTES / granted[i] * (double)GMS_SECOND);

    return (unsigned)ceil(window_ps / (double)SAMPLE_PS - 1e-9);
}

/* Returns the largest fraction of the granted bandwidth that is missing in any
 * window. */
static double shortfall(unsigned i, unsigned count)
{
    unsigned span = window_samples(i), at;
    double worst = -1, asked = granted[i] * (double)span *
                               ((double)SAMPLE_PS / (double)GMS_SECOND) /
                               PACKET_BYTES;

    for (at = 0; at + span <= count; ++at) {
        double lacks = 1 - (samples[at + span][i] - samples[at][i]) / asked;

        worst = lacks > worst ? lacks : worst;
    }
    return worst;
}

/* Returns 1 if a window contains fewer packets than the flow's guaranteed
 * service requires. */
static unsigned is_broken(unsigned i, double lacks)
{
    const gms_grant_t *grant = gms_scenario_grant(scenario, i);
    double allowed_s;

    if (grant == NULL || grant->bounds.latency_ps == 0) {
        return lacks > ALLOWED;
    }
    allowed_s = (double)grant->bounds.latency_ps / (double)GMS_SECOND +
                PACKET_BYTES / granted[i];
    return lacks * (double)window_samples(i) * (double)SAMPLE_PS /
               (double)GMS_SECOND >
           allowed_s;
}

static void measure(gms_time_t from_ps, result_t *result)
{
    unsigned i, at, span = 1;

    for (i = 0; i < flows; ++i) {
        if (granted[i] > 0 && window_samples(i) > span) {
            span = window_samples(i);
        }
    }
    span = 2 * span < SAMPLES ? 2 * span : SAMPLES - 1;
    for (at = 0; at <= span; ++at) {
        gms_scenario_run(scenario, from_ps + at * SAMPLE_PS);
        for (i = 0; i < flows; ++i) {
            samples[at][i] =
                granted[i] > 0 ? (uint32_t)packets_arrived(&traffic[i]) : 0;
        }
    }
    for (i = 0; i < flows; ++i) {
        double lacks;

        if (granted[i] <= 0) {
            continue;
        }
        lacks = shortfall(i, span);
        result->missed += lacks > ALLOWED;
        result->broken += is_broken(i, lacks);
        result->worst = lacks > result->worst ? lacks : result->worst;
        result->load += granted[i];
        ++result->granted;
    }
}

/* ---- random requests ---------------------------------------------------- */

static void random_flow(gms_random_t *random, unsigned i)
{
    static const uint32_t sizes[] = {4096, 16000, 16384, 32768, 65536};
    gms_traffic_t *flow = &traffic[i];
    unsigned hosts = (unsigned)params.hosts;

    memset(flow, 0, sizeof(*flow));
    flow->source = (unsigned)gms_random_below(random, hosts);
    flow->target =
        (flow->source + 1 + (unsigned)gms_random_below(random, hosts - 1)) %
        hosts;
    flow->label = i;
    flow->message_bytes = sizes[gms_random_below(random, 5)];
    flow->in_flight = 16;
    flow->start_ps = gms_random_below(random, 50000) * (GMS_MS / 1000);
    flow->control = GMS_TRAFFIC_PREMIUM;
}

/* Depending on the seed, requests small reservations, large reservations, or
 * (for most seeds) both. */
static void random_plan(unsigned seed)
{
    double least = 1.5e6 * (double)params.qos_node_bytes_s / 78e6;
    gms_random_t random;
    unsigned i, shape = seed % 4;

    gms_random_init(&random, seed, 14);
    flows = 10 * (unsigned)params.hosts;
    for (i = 0; i < flows; ++i) {
        double unit = gms_random_unit(&random);

        random_flow(&random, i);
        unit = shape == 0 ? unit / 3 : shape == 1 ? (2 + unit) / 3 : unit;
        traffic[i].bytes_s = least * pow(28, unit);
    }
}

static int answers_are_missing(void)
{
    unsigned i, missing = 0;

    for (i = 0; i < flows; ++i) {
        missing += gms_scenario_answer(scenario, i) == NULL;
    }
    return missing != 0;
}

static void one_seed(unsigned seed, result_t *result)
{
    gms_time_t now_ps = 50 * GMS_MS;
    unsigned i;

    random_plan(seed);
    create();
    do {
        now_ps += SAMPLE_PS;
        gms_scenario_run(scenario, now_ps);
    } while (answers_are_missing() && now_ps < ANSWERS_PS);
    for (i = 0; i < flows; ++i) {
        const gms_qos_call_t *answer = gms_scenario_answer(scenario, i);

        granted[i] = 0;
        if (answer == NULL) {
            ++result->unanswered;
        } else if (answer->flow[0].after.qos_class == GMS_QOS_UNMANAGED) {
            ++result->refused;
        } else {
            granted[i] = traffic[i].bytes_s;
        }
    }
    measure(now_ps + SETTLE_PS, result);
    gms_scenario_destroy(scenario);
    scenario = NULL;
}

static void print_head(void)
{
    printf("%-12s %-5s %-12s %-12s %6s %8s %8s %7s %7s %8s %10s %7s\n",
           "family", "model", "profile", "undeclared", "seeds", "granted",
           "refused", "missed", "broken", "worst %", "MB/s/seed", "CPU s");
}

static result_t many_seeds(const family_t *family, const char *model,
                           const char *profile, const char *undeclared,
                           unsigned first, unsigned count)
{
    clock_t start = clock();
    result_t sum = {.worst = -1};
    unsigned seed;

    set_params(family, model, profile, undeclared);
    for (seed = first; seed < first + count; ++seed) {
        unsigned before = sum.missed;

        one_seed(seed, &sum);
        if (sum.missed != before) {
            printf("  %s %s %s: seed %u: %u missed\n", family->name, model,
                   profile, seed, sum.missed - before);
        }
    }
    printf("%-12s %-5s %-12s %-12s %6u %8u %8u %7u %7u %8.2f %10.1f %7.1f\n",
           family->name, model, profile, undeclared, count, sum.granted,
           sum.refused, sum.missed, sum.broken, -100 * sum.worst,
           sum.load / 1e6 / count, (double)(clock() - start) / CLOCKS_PER_SEC);
    if (sum.unanswered != 0) {
        printf("  %u requests had no answer\n", sum.unanswered);
    }
    fflush(stdout);
    return sum;
}

/* ---- the cost of the guarantees ------------------------------------------ */

enum demand {
    DEMAND_RANDOM,
    DEMAND_ALL,
    DEMAND_NEIGHBOURS,
    DEMANDS
};

static const char *const demand_names[] = {"random pairs", "all-to-all",
                                           "neighbours"};
static double
    weights[MOST_FLOWS]; /* demand of each flow at a factor of 1, bytes/s */
static gms_qos_verdict_t refusal; /* the last denial in granted_factor() */
/* the flow that granted_factor() most recently denied */
static unsigned refused;
static double ratio_sum, ratio_least = 1e9;
static unsigned ratio_count;

static void add_demand(unsigned source, unsigned target, double weight,
                       gms_random_t *random)
{
    gms_traffic_t *flow = &traffic[flows];

    memset(flow, 0, sizeof(*flow));
    flow->source = source;
    flow->target = target % (unsigned)params.hosts;
    flow->label = flows;
    flow->message_bytes = 65536;
    flow->in_flight = 8;
    flow->start_ps = gms_random_below(random, 20000) * (GMS_MS / 1000);
    flow->control = GMS_TRAFFIC_IDT;
    weights[flows++] = weight * 1e6;
}

/* Computes the demands. In large networks, the demand all-to-all has 15 targets
 * per host. */
static void build_demand(enum demand demand, unsigned seed)
{
    unsigned hosts = (unsigned)params.hosts, i, j;
    unsigned others = hosts < 16 ? hosts - 1 : 15;
    gms_random_t random;

    gms_random_init(&random, seed, 15);
    flows = 0;
    for (i = 0; i < hosts; ++i) {
        if (demand == DEMAND_ALL) {
            for (j = 1; j <= others; ++j) {
                add_demand(i, i + j * (hosts / (others + 1)), 1, &random);
            }
        } else if (demand == DEMAND_NEIGHBOURS) {
            add_demand(i, i + 1, 4, &random);
            add_demand(i, i + hosts - 1, 4, &random);
        } else {
            for (j = 0; j < 4; ++j) {
                add_demand(
                    i, i + 1 + (unsigned)gms_random_below(&random, hosts - 1),
                    1 + 3 * gms_random_unit(&random), &random);
            }
        }
    }
}

static int hardware_keeps(double factor)
{
    result_t result = {.worst = -1};
    unsigned i;

    for (i = 0; i < flows; ++i) {
        traffic[i].control = GMS_TRAFFIC_IDT;
        traffic[i].idt_ticks = gms_account_idt(&params, weights[i] * factor);
        granted[i] = weights[i] * factor;
    }
    create();
    measure(50 * GMS_MS, &result);
    gms_scenario_destroy(scenario);
    scenario = NULL;
    return result.missed == 0;
}

static void ignore_idt(void *context, const gms_grant_t *grant,
                       uint32_t idt_before)
{
    (void)context;
    (void)grant;
    (void)idt_before;
}

/* Returns 1 if an account grants all demands one after the other. */
static int account_grants(double factor)
{
    gms_account_t *account;
    unsigned i, is_granted = 1;

    if (gms_account_create(gms_scenario_ctx(scenario)->arena,
                           (gms_topology_t *)(uintptr_t)gms_fabric_topology(
                               gms_scenario_fabric(scenario)),
                           &params, &account) != GMS_OK) {
        exit(EXIT_FAILURE);
    }
    for (i = 0; i < flows && is_granted; ++i) {
        gms_flow_request_t request = {
            .source_node = traffic[i].source,
            .key = {.source_port = 2,
                    .target_node = (uint16_t)traffic[i].target,
                    .target_port = 2,
                    .label = i},
            .qos_class = GMS_QOS_PREMIUM,
            .bytes_s = weights[i] * factor};
        gms_qos_verdict_t verdict;

        is_granted = gms_account_request(account, &request, 1, ignore_idt, NULL,
                                         &verdict) == GMS_OK &&
                     verdict.criterion == GMS_QOS_OK;
        if (!is_granted) {
            refusal = verdict;
            refused = i;
        }
    }
    gms_account_destroy(account);
    return (int)is_granted;
}

/* Returns the largest factor from 0 to high at which the hardware satisfies all
 * demands. */
static double possible_factor(double high)
{
    double low = 0;
    unsigned step;

    for (step = 0; step < 7; ++step) {
        double middle = (low + high) / 2;

        if (hardware_keeps(middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Returns the largest factor at which the account grants all demands. Stores
 * the denial just above this factor in `refusal`. */
static double granted_factor(double high)
{
    double low = 0;
    unsigned step, i;

    for (i = 0; i < flows; ++i) {
        traffic[i].idt_ticks = 1000000;
    }
    create();
    for (step = 0; step < 10; ++step) {
        double middle = (low + high) / 2;

        if (account_grants(middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    gms_scenario_destroy(scenario);
    scenario = NULL;
    return low;
}

/* Returns the sum of all demands at a factor of 1, in MB/s. At the factor
 * *high_p, the demands exceed the total rate at which the nodes can send. */
static double demand_load(double *high_p)
{
    double load = 0;
    unsigned i;

    for (i = 0; i < flows; ++i) {
        load += weights[i];
    }
    *high_p =
        1.2 * (double)params.qos_node_bytes_s * (double)params.hosts / load;
    return load / 1e6;
}

static const char *const criterion_names[] = {
    "none",           "source node",    "link",           "target node",
    "source process", "target process", "packet buffers", "delay",
    "jitter",         "latency"};

static void price_of(const family_t *family, char **argv, enum demand demand)
{
    char **own_changes = changes;
    double possible, plain, reserved, high, load;

    changes = NULL; /* use the default hardware */
    set_params(family, "worm", argv[4], "free");
    changes = own_changes;
    build_demand(demand, (unsigned)strtoul(argv[5], NULL, 10));
    load = demand_load(&high);
    possible = possible_factor(high);
    set_params(family, argv[3], argv[4], "free");
    plain = granted_factor(high);
    set_params(family, argv[3], argv[4], "best-effort");
    reserved = granted_factor(high);
    printf("%-12s %-5s %-11s %-13s %8.1f %8.1f %5.2f %11.1f %5.2f  %s %u "
           "(flow %u)\n",
           family->name, argv[3], argv[4], demand_names[demand],
           possible * load, plain * load, possible > 0 ? plain / possible : 0,
           reserved * load, possible > 0 ? reserved / possible : 0,
           criterion_names[refusal.criterion], refusal.resource, refused);
    fflush(stdout);
    if (possible > 0) {
        ratio_sum += reserved / possible;
        ratio_least = fmin(ratio_least, reserved / possible);
        ++ratio_count;
    }
}

/* Prints the heading of a table whose values are in MB/s. Column `limit` names
 * the resource that causes the manager to deny a larger load if undeclared
 * traffic is best effort. */
static void print_price_head(void)
{
    printf("%-12s %-5s %-11s %-13s %8s %8s %5s %11s %5s  %s\n", "family",
           "model", "profile", "demands", "possible", "free", "ratio",
           "best-effort", "ratio", "limit");
}

static void hardware_of(const family_t *family, char **argv, enum demand demand)
{
    double high, load;

    set_params(family, "worm", argv[3], "free");
    build_demand(demand, (unsigned)strtoul(argv[4], NULL, 10));
    load = demand_load(&high);
    printf("%-12s %-11s %-13s possible %8.1f MB/s\n", family->name, argv[3],
           demand_names[demand], possible_factor(high) * load);
    fflush(stdout);
}

/* ---- tests --------------------------------------------------------------- */

static void check_families(const char *model, const char *undeclared)
{
    static const unsigned small[] = {0, 3, 6, 7};
    unsigned i;

    printf("\n");
    print_head();
    for (i = 0; i < sizeof(small) / sizeof(small[0]); ++i) {
        const family_t *family = &families[small[i]];
        result_t result =
            many_seeds(family, model, "lanai4.3", undeclared, 1, 1);

        CHECK_U64(result.missed, 0);
        CHECK_U64(result.broken, 0);
        CHECK_U64(result.unanswered, 0);
        /* The test is meaningful only if some requests are granted and some are
         * denied. */
        CU_ASSERT(result.granted >= family->hosts / 2 && result.refused > 0);
    }
}

static void plain_hardware_keeps(void)
{
    check_families("worm", "free");
}

static void reserved_lanes_keep(void)
{
    check_families("worm", "best-effort");
}

static void lanes_keep(void)
{
    check_families("flit", "free");
}

static void reserved_lanes_of_flit_keep(void)
{
    check_families("flit", "best-effort");
}

/* Fills two cables between switches with reservations. In an earlier version,
 * reservations could use all of a cable's time, and then the managers' messages
 * no longer arrived. */
static void managers_are_heard_on_full_cables(void)
{
    const family_t *family = &families[FAMILIES - 1];
    result_t result;

    print_head();
    CU_ASSERT_STRING_EQUAL(family->name, "cascade-4");
    result = many_seeds(family, "flit", "lanai4.3", "best-effort", 110, 1);
    CHECK_U64(result.missed, 0);
    CHECK_U64(result.broken, 0);
    CHECK_U64(result.unanswered, 0);
    CU_ASSERT_TRUE(result.load > 900e6);
}

static int search(char **argv)
{
    unsigned i, granted_flows = 0, missed = 0, broken = 0, unanswered = 0;
    unsigned first = (unsigned)strtoul(argv[5], NULL, 10);
    unsigned count = (unsigned)strtoul(argv[6], NULL, 10);

    print_head();
    for (i = 0; i < FAMILIES; ++i) {
        if (strcmp(argv[1], "all") == 0 ||
            strcmp(argv[1], families[i].name) == 0) {
            result_t result = many_seeds(&families[i], argv[2], argv[3],
                                         argv[4], first, count);

            granted_flows += result.granted;
            missed += result.missed;
            broken += result.broken;
            unanswered += result.unanswered;
        }
    }
    printf("%s %s %s: %u granted, %u missed, %u broken, %u unanswered\n",
           argv[2], argv[3], argv[4], granted_flows, missed, broken,
           unanswered);
    return missed + broken + unanswered == 0 && granted_flows > 0
               ? EXIT_SUCCESS
               : EXIT_FAILURE;
}

/* Runs `price` and `hardware` for all demands of the given families. */
static int prices(char **argv)
{
    int is_price = strcmp(argv[1], "price") == 0;
    enum demand demand;
    unsigned i;

    if (is_price) {
        print_price_head();
    }
    for (i = 0; i < FAMILIES; ++i) {
        if (strcmp(argv[2], "all") != 0 &&
            strcmp(argv[2], families[i].name) != 0) {
            continue;
        }
        for (demand = DEMAND_RANDOM; demand < DEMANDS; ++demand) {
            if (is_price) {
                price_of(&families[i], argv, demand);
            } else {
                hardware_of(&families[i], argv, demand);
            }
        }
    }
    if (ratio_count > 0) {
        printf("best-effort / possible: mean %.3f, smallest %.3f (%u cases)\n",
               ratio_sum / ratio_count, ratio_least, ratio_count);
    }
    return EXIT_SUCCESS;
}

static int usage(void)
{
    unsigned i;

    fprintf(stderr,
            "test_kept FAMILY worm|flit PROFILE free|best-effort FIRST SEEDS "
            "[PARAMETER=VALUE ..]\n"
            "test_kept price FAMILY worm|flit PROFILE SEED "
            "[PARAMETER=VALUE ..]\n"
            "test_kept hardware FAMILY PROFILE SEED [PARAMETER=VALUE ..]\n"
            "families: all");
    for (i = 0; i < FAMILIES; ++i) {
        fprintf(stderr, " %s", families[i].name);
    }
    fprintf(stderr, "\n");
    return 2;
}

int main(int argc, char **argv)
{
    CU_TestInfo tests[] = {
        {"grants are kept without reserved lanes", plain_hardware_keeps},
        {"grants are kept with reserved lanes", reserved_lanes_keep},
        {"flows keep their bandwidth with the fabric model flit and lanes",
         lanes_keep},
        {"flows keep their bandwidth with the fabric model flit and reserved "
         "lanes",
         reserved_lanes_of_flit_keep},
        {"managers' messages arrive over fully reserved cables",
         managers_are_heard_on_full_cables},
        CU_TEST_INFO_NULL,
    };
    int is_price = argc > 1 && strcmp(argv[1], "price") == 0;
    int is_load = is_price || (argc > 1 && strcmp(argv[1], "hardware") == 0);
    int least = is_price ? 6 : is_load ? 5 : 7; /* number of arguments */

    if (argc == 1) {
        return UNIT_RUN({"kept", NULL, NULL, NULL, NULL, tests});
    }
    if (argc < least || gms_profile_find(argv[is_price ? 4 : 3]) == NULL ||
        (find_family(argv[1 + is_load]) == NULL &&
         strcmp(argv[1 + is_load], "all") != 0)) {
        return usage();
    }
    changes = argv + least;
    return is_load ? prices(argv) : search(argv);
}
