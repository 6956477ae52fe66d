/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes calls that concern bandwidth, faults, virtual time and names, with
 * valid and invalid arguments, and checks their results.
 */
#include <math.h>
#include <string.h>

#include "fuzz.h"

#define FUZZ_FLOWS 32u /* number of flows whose pace a sequence can set */

/* ---- Bandwidth --------------------------------------------------------- */

static struct {
    fuzz_port_t *port;
    unsigned generation;
    gm_qos_flow_t flow;
} fuzz_paced[FUZZ_FLOWS];
static unsigned fuzz_paced_count;

static gm_qos_flow_t fuzz_flow(void)
{
    unsigned how = fuzz_byte();
    const fuzz_port_t *to = &fuzz_ports[how % FUZZ_PORTS];
    gm_qos_flow_t flow = {.target_node = 1 + how % FUZZ_NODES,
                          .target_port = 2 + (how >> 3) % 4,
                          .priority = (enum gm_priority)(how >> 2 & 1),
                          .label = how >> 5 & 1};

    if (to->gm != NULL) {
        flow.target_node = to->node;
        flow.target_port = to->number;
    }
    if (how >= 224) {
        flow.target_node = (unsigned)fuzz_odd_number();
        flow.target_port = (unsigned)fuzz_odd_number();
        flow.priority = (enum gm_priority)fuzz_odd_number();
        flow.label = (unsigned)fuzz_odd_number();
    }
    return flow;
}

static int fuzz_is_flow(const gm_qos_flow_t *flow)
{
    return flow->target_node >= 1 && flow->target_node <= FUZZ_NODES &&
           flow->target_port < FUZZ_NUM_PORTS &&
           (unsigned)flow->priority < GM_NUM_PRIORITIES &&
           flow->label <= GM_QOS_MAX_LABEL;
}

static int fuzz_keeps_pace(void)
{
    return gmsim_scheduler_keeps_pace();
}

static void fuzz_request(struct gm_port *gm, const gm_qos_flow_t *flow,
                         int is_good)
{
    unsigned how = fuzz_byte();
    gm_qos_answer_t answer = {.granted = -1};
    enum gm_qos_class qos_class = how < 160 ? GM_QOS_PREMIUM
                                  : how < 224
                                      ? GM_QOS_BEST_EFFORT
                                      : (enum gm_qos_class)fuzz_odd_number();
    double bandwidth = how & 1 ? fuzz_odd_double() : how * 400000.0;
    double reverse = how & 2 ? fuzz_odd_double() : 0;
    gm_status_t status = gm_qos_request(gm, flow, bandwidth, qos_class, reverse,
                                        how & 4 && how & 8 ? NULL : &answer);

    is_good =
        is_good && !(how & 4 && how & 8) && reverse >= 0 && isfinite(reverse) &&
        (qos_class == GM_QOS_BEST_EFFORT ||
         (qos_class == GM_QOS_PREMIUM && bandwidth > 0 && isfinite(bandwidth)));
    FUZZ_CHECK(status == (!is_good            ? GM_INVALID_PARAMETER
                          : fuzz_keeps_pace() ? GM_SUCCESS
                                              : GM_UNSUPPORTED_DEVICE),
               "status %u for a request for %g and %g bytes/s, class %u",
               status, bandwidth, reverse, qos_class);
    if (status == GM_SUCCESS) {
        FUZZ_CHECK(
            answer.granted == (answer.criterion == GM_QOS_OK) &&
                answer.idt_ticks <= GM_QOS_MAX_IDT_TICKS &&
                memchr(answer.place, '\0', sizeof(answer.place)) != NULL &&
                (answer.granted || answer.place[0] != '\0') &&
                isfinite(answer.bandwidth_bytes_s) &&
                isfinite(answer.left_bytes_s),
            "invalid answer: granted %d, criterion %u, IDT %u, %g bytes/s "
            "granted, %g bytes/s remain",
            answer.granted, answer.criterion, answer.idt_ticks,
            answer.bandwidth_bytes_s, answer.left_bytes_s);
    }
}

static void fuzz_pace(fuzz_port_t *port, struct gm_port *gm,
                      const gm_qos_flow_t *flow, int is_good)
{
    unsigned how = fuzz_byte();
    /* The longest IDTs are half a second per packet. */
    unsigned ticks = how < 192   ? how * 4
                     : how < 224 ? (unsigned)fuzz_odd_number() % 20000
                                 : GM_QOS_MAX_IDT_TICKS + how - 223;
    gm_status_t status;

    if (fuzz_paced_count == FUZZ_FLOWS) {
        return;
    }
    status = gm_qos_set_idt(gm, flow, ticks);
    FUZZ_CHECK(status == GM_SUCCESS || status == GM_INVALID_PARAMETER ||
                   (status == GM_BUSY && is_good) ||
                   (status == GM_UNSUPPORTED_DEVICE && ticks > 0 &&
                    !fuzz_keeps_pace()),
               "status %u", status);
    FUZZ_CHECK((status == GM_INVALID_PARAMETER) ==
                   (!is_good || ticks > GM_QOS_MAX_IDT_TICKS),
               "status %u for an IDT of %u", status, ticks);
    if (status == GM_SUCCESS) {
        fuzz_paced[fuzz_paced_count].port = port;
        fuzz_paced[fuzz_paced_count].generation = port->generation;
        fuzz_paced[fuzz_paced_count++].flow = *flow;
    }
}

void fuzz_op_qos(void)
{
    fuzz_port_t *port = fuzz_any_port();
    struct gm_port *gm = fuzz_handle(port);
    gm_qos_flow_t flow = fuzz_flow();
    int is_good = gm != NULL && gm == port->gm && fuzz_is_flow(&flow);
    gm_qos_flow_state_t state;
    gm_status_t status;
    unsigned how = fuzz_byte();

    switch (how % 8) {
    default:
        fuzz_request(gm, &flow, is_good);
        break;
    case 4:
        status = gm_qos_release(gm, &flow);
        FUZZ_CHECK((status == GM_SUCCESS) == is_good, "status %u", status);
        break;
    case 5:
        fuzz_pace(port, gm, &flow, is_good);
        break;
    case 6:
        status = gm_qos_get_flow(gm, &flow, &state);
        FUZZ_CHECK((status == GM_SUCCESS) == is_good, "status %u", status);
        FUZZ_CHECK(gm_qos_get_flow(gm, &flow, NULL) == GM_INVALID_PARAMETER,
                   "gm_qos_get_flow() accepts NULL for the state");
        break;
    case 7:
        FUZZ_CHECK(gm_qos_set_idt(gm, NULL, 0) == GM_INVALID_PARAMETER &&
                       gm_qos_release(gm, NULL) == GM_INVALID_PARAMETER &&
                       gm_qos_get_flow(gm, NULL, &state) ==
                           GM_INVALID_PARAMETER,
                   "NULL is accepted as a flow");
        FUZZ_CHECK(gm_qos_class_name((enum gm_qos_class)how) != NULL &&
                       gm_qos_criterion_name((enum gm_qos_criterion)how) !=
                           NULL,
                   "class or criterion %u has no name", how);
        break;
    }
}

void fuzz_idt_end(void)
{
    while (fuzz_paced_count > 0) {
        fuzz_port_t *port = fuzz_paced[--fuzz_paced_count].port;
        const gm_qos_flow_t *flow = &fuzz_paced[fuzz_paced_count].flow;

        if (port->gm != NULL &&
            port->generation == fuzz_paced[fuzz_paced_count].generation) {
            gm_qos_release(port->gm, flow);
            gm_qos_set_idt(port->gm, flow, 0);
        }
    }
}

/* ---- Faults ------------------------------------------------------------ */

static uint64_t fuzz_down_until_ps;
static int fuzz_has_faults;

static unsigned fuzz_chance(void)
{
    unsigned how = fuzz_byte();

    /*
     * Set fault rates of up to a third of all packets, and invalid rates, which
     * must be refused.
     */
    return how < 248 ? (how % 16) * 20000 : (unsigned)fuzz_odd_number();
}

static void fuzz_rates(void)
{
    gmsim_fault_rates_t rates = {
        .drop_ppm = fuzz_chance(),
        .damage_header_ppm = fuzz_chance(),
        .damage_payload_ppm = fuzz_chance(),
        .duplicate_ppm = fuzz_chance(),
        .delay_ppm = fuzz_chance(),
        .delay_max_us = fuzz_byte() * 8,
    };
    int is_good =
        rates.drop_ppm <= 1000000 && rates.damage_header_ppm <= 1000000 &&
        rates.damage_payload_ppm <= 1000000 && rates.duplicate_ppm <= 1000000 &&
        rates.delay_ppm <= 1000000 &&
        (rates.delay_ppm == 0 || rates.delay_max_us != 0);
    gm_status_t status = gmsim_set_fault_rates(&rates);

    FUZZ_CHECK(status == (is_good ? GM_SUCCESS : GM_INVALID_PARAMETER),
               "status %u", status);
    FUZZ_CHECK(gmsim_set_fault_rates(NULL) == GM_INVALID_PARAMETER,
               "NULL is accepted as fault rates");
    fuzz_has_faults = 1;
}

static void fuzz_down(unsigned how)
{
    unsigned node =
        how >= 240 ? (unsigned)fuzz_odd_number() : 1 + (how >> 2) % FUZZ_NODES;
    uint64_t for_ps = (1 + fuzz_byte()) * 100 * FUZZ_US;
    int is_good = node >= 1 && node <= FUZZ_NODES;
    gm_status_t status = how & 2 ? gmsim_node_down(node, for_ps)
                                 : gmsim_link_down(node, how & 1, for_ps);
    uint64_t until_ps = gmsim_time_ps() + for_ps;

    FUZZ_CHECK(status == (is_good ? GM_SUCCESS : GM_INVALID_PARAMETER),
               "status %u for node %u", status, node);
    if (until_ps > fuzz_down_until_ps) {
        fuzz_down_until_ps = until_ps;
    }
}

/* Take a node's links down for a time that is shorter or longer than the send
 * timeout. */
void fuzz_node_down(unsigned node)
{
    uint64_t for_ps = (1 + fuzz_byte()) * 200 * FUZZ_US;

    FUZZ_CHECK(gmsim_node_down(node, for_ps) == GM_SUCCESS, "node %u", node);
    if (gmsim_time_ps() + for_ps > fuzz_down_until_ps) {
        fuzz_down_until_ps = gmsim_time_ps() + for_ps;
    }
}

void fuzz_op_faults(void)
{
    unsigned how = fuzz_byte();
    gmsim_fault_counts_t counts;
    unsigned node;

    switch (how % 4) {
    case 0:
        fuzz_rates();
        break;
    case 1:
        fuzz_down(fuzz_byte());
        break;
    case 2:
        node = how & 128 ? (unsigned)fuzz_odd_number() : 1 + (how >> 2) % 4;
        FUZZ_CHECK(gmsim_reset_nic(node) == (node >= 1 && node <= FUZZ_NODES
                                                 ? GM_SUCCESS
                                                 : GM_INVALID_PARAMETER),
                   "node %u", node);
        break;
    default:
        FUZZ_CHECK(gmsim_get_fault_counts(&counts) == GM_SUCCESS &&
                       gmsim_get_fault_counts(NULL) == GM_INVALID_PARAMETER,
                   "status of gmsim_get_fault_counts()");
        FUZZ_CHECK(gmsim_kill_rank_at(1 + how, fuzz_odd_number()) ==
                       GM_INVALID_PARAMETER,
                   "an invalid rank or time is accepted");
        break;
    }
}

void fuzz_faults_end(void)
{
    static const gmsim_fault_rates_t none;
    uint64_t now_ps;

    if (fuzz_has_faults) {
        FUZZ_CHECK(gmsim_set_fault_rates(&none) == GM_SUCCESS,
                   "fault rates of 0 are refused");
        fuzz_has_faults = 0;
    }
    now_ps = gmsim_time_ps();
    if (fuzz_down_until_ps > now_ps) {
        gmsim_compute(fuzz_down_until_ps - now_ps);
    }
    fuzz_down_until_ps = 0;
}

/* ---- The cluster ------------------------------------------------------- */

void fuzz_op_cluster(void)
{
    unsigned how = fuzz_byte();
    uint64_t before_ps, value = 0;
    gmsim_totals_t totals;
    gmsim_place_t place;
    gmsim_path_t path;
    fuzz_port_t *port;
    gm_status_t status;
    char name[16];

    switch (how % 8) {
    case 0:
    case 1:
    case 2:
        before_ps = gmsim_time_ps();
        value = how & 8 ? fuzz_byte() * FUZZ_US : fuzz_number(2) * FUZZ_US / 8;
        gmsim_compute(value);
        FUZZ_CHECK(gmsim_time_ps() > before_ps + value,
                   "virtual time has not advanced");
        break;
    /*
     * leave the cluster and join it again; the calls between these two steps
     * have no cluster
     */
    case 3:
        gmsim_leave();
        gmsim_leave();
        port = fuzz_any_port();
        FUZZ_CHECK(gm_num_send_tokens(port->gm) == 0,
                   "an absent rank has send tokens");
        gm_receive(port->gm);
        gm_dma_malloc(port->gm, 64);
        gm_close(port->gm);
        FUZZ_CHECK(gmsim_get_totals(&totals) == GM_FAILURE,
                   "an absent rank reads the totals");
        gmsim_rejoin();
        gmsim_rejoin();
        break;
    case 4:
        port = fuzz_any_port();
        status = gmsim_get_path(port->gm, &path);
        FUZZ_CHECK(status == (port->gm == NULL    ? GM_INVALID_PARAMETER
                              : port->has_message ? GM_SUCCESS
                                                  : GM_FAILURE),
                   "status %u", status);
        FUZZ_CHECK(gmsim_get_path(port->gm, NULL) == GM_INVALID_PARAMETER,
                   "gmsim_get_path() accepts NULL for the path");
        break;
    case 5:
        FUZZ_CHECK(gmsim_get_totals(&totals) == GM_SUCCESS &&
                       totals.data_packets <= totals.packets &&
                       gmsim_get_totals(NULL) == GM_INVALID_PARAMETER,
                   "totals");
        FUZZ_CHECK(gmsim_get_my_place(&place) == GM_SUCCESS &&
                       place.node_id == 1 && place.port == 2 &&
                       place.size == 1 &&
                       gmsim_get_place(how, &place) ==
                           (how == 0 ? GM_SUCCESS : GM_INVALID_PARAMETER) &&
                       gmsim_get_place(0, NULL) == GM_INVALID_PARAMETER,
                   "place");
        break;
    case 6:
        snprintf(name, sizeof(name), "%x", (unsigned)fuzz_number(4));
        FUZZ_CHECK(gmsim_get_param(name, &value) == GM_NO_MATCH &&
                       gmsim_get_param(NULL, &value) == GM_INVALID_PARAMETER &&
                       gmsim_get_param("hosts", NULL) == GM_INVALID_PARAMETER &&
                       gmsim_get_param("hosts", &value) == GM_SUCCESS &&
                       value == FUZZ_NODES / FUZZ_UNITS &&
                       gmsim_scheduler_name() != NULL,
                   "parameters");
        break;
    default: /* call gm_init() and gm_finalize() once more */
        FUZZ_CHECK(gm_init() == GM_SUCCESS, "gm_init()");
        gm_finalize();
        FUZZ_CHECK(gm_sleep(how & 8 ? 0 : UINT32_MAX - how) ==
                       (how & 8 ? 0 : INT32_MAX),
                   "gm_sleep()");
        break;
    }
}

/* ---- Names ------------------------------------------------------------- */

static void fuzz_names_of(struct gm_port *gm, unsigned node, gm_status_t good)
{
    char host[GM_MAX_HOST_NAME_LEN + 1], unique[6];
    unsigned back = 0;
    char *name;
    int is_node = node >= 1 && node <= FUZZ_NODES;

    if (gm_node_id_to_unique_id(gm, node, unique) == GM_SUCCESS) {
        FUZZ_CHECK(good == GM_SUCCESS && is_node &&
                       gm_unique_id_to_node_id(gm, unique, &back) ==
                           GM_SUCCESS &&
                       back == node,
                   "the unique id of node %u belongs to node %u", node, back);
    }
    name = gm_node_id_to_host_name(gm, node);
    FUZZ_CHECK((name != NULL) == (good == GM_SUCCESS && is_node),
               "host name of node %u", node);
    if (name != NULL) {
        FUZZ_CHECK(gm_host_name_to_node_id(gm, name) == node, "node \"%s\"",
                   name);
        FUZZ_CHECK(gm_node_id_to_host_name_ex(gm, node, node, &host) ==
                           GM_SUCCESS &&
                       strcmp(host, name) == 0,
                   "\"%s\" and \"%s\"", host, name);
    }
}

static void fuzz_ids_of(struct gm_port *gm, gm_status_t good)
{
    char text[GM_MAX_HOST_NAME_LEN];
    unsigned id;
    int type;

    FUZZ_CHECK(gm_get_node_id(gm, &id) == good &&
                   gm_max_node_id(gm, &id) == good &&
                   gm_max_node_id_in_use(gm, &id) == good &&
                   gm_max_node_id_inuse(gm, &id) == good &&
                   gm_num_ports(gm) == FUZZ_NUM_PORTS &&
                   gm_get_host_name(gm, text) == good &&
                   gm_get_node_type(gm, &type) == good &&
                   gm_get_unique_board_id(gm, text) == good &&
                   gm_get_mapper_unique_id(gm, text) == good,
               "properties of the port");
    FUZZ_CHECK(gm_get_node_id(gm, NULL) == GM_INVALID_PARAMETER &&
                   gm_max_node_id(gm, NULL) == GM_INVALID_PARAMETER &&
                   gm_get_host_name(gm, NULL) == GM_INVALID_PARAMETER &&
                   gm_get_node_type(gm, NULL) == GM_INVALID_PARAMETER &&
                   gm_unique_id(gm, NULL) == GM_INVALID_PARAMETER,
               "NULL is accepted as the address of a result");
}

void fuzz_op_names(void)
{
    fuzz_port_t *port = fuzz_any_port();
    struct gm_port *gm = fuzz_handle(port);
    gm_status_t good =
        gm != NULL && gm == port->gm ? GM_SUCCESS : GM_INVALID_PARAMETER;
    unsigned how = fuzz_byte();
    unsigned node = how & 1 ? (unsigned)fuzz_odd_number() : how % 6;
    char text[GM_MAX_YP_STRING_LEN];
    char route[24];
    unsigned i;

    switch (how >> 1 & 3) {
    case 0:
        fuzz_names_of(gm, node, good);
        break;
    case 1:
        fuzz_ids_of(gm, good);
        break;
    case 2:
        for (i = 0; i < sizeof(text) - 1; ++i) { /* an arbitrary name */
            text[i] = (char)(i < how >> 3 ? fuzz_byte() : 'x');
        }
        text[sizeof(text) - 1] = '\0';
        gm_host_name_to_node_id(gm, text);
        gm_host_name_to_node_id(gm, NULL);
        gm_host_name_to_node_id_ex(gm, node, text, &i);
        gm_yp(gm, node, &node, how & 64 ? "hostname" : text,
              how & 128 ? text : NULL, how & 32 ? &text : NULL);
        gm_yp(gm, node, NULL, NULL, NULL, NULL);
        break;
    default:
        FUZZ_CHECK((_gm_get_route(gm, node, route, &i) == GM_SUCCESS) ==
                       (good == GM_SUCCESS && node >= 1 && node <= FUZZ_NODES),
                   "route to %u", node);
        gm_global_id_to_node_id(gm, node, &i);
        gm_node_id_to_global_id(gm, node, &i);
        FUZZ_CHECK(gm_strerror((gm_status_t)node) != NULL,
                   "status %u has no text", node);
        gm_perror("gm: fuzz", (gm_status_t)node);
        gm_ticks(gm);
        gm_directcopy_get(gm, fuzz_odd_address(FUZZ_SOURCE),
                          fuzz_odd_address(FUZZ_SINK), fuzz_byte() * 64,
                          how >> 5, node);
        break;
    }
}
