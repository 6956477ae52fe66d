/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the GM library with random calls. Bytes are interpreted as a sequence
 * of calls with valid and invalid arguments; see README.md. This file contains
 * the entry point of libFuzzer and AFL++. fuzz_main.c contains main() for
 * builds without these fuzzers.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>

#include "fuzz.h"
#include "job/sim.h"

#define FUZZ_STEPS       400u
#define FUZZ_REST_PS     (60000 * FUZZ_MS)
#define FUZZ_DROP_PS     (30 * FUZZ_MS) /* more than the send timeout */
#define FUZZ_REPETITIONS 4u

extern size_t __sanitizer_get_current_allocated_bytes(void)
    __attribute__((weak));

/* Parameters with small values, so that tokens and memory are soon exhausted
 * and timeouts expire soon. */
static const char *const fuzz_cluster[] = {
    "units_per_host: 2",
    "switch_ports: 4",
    "arena_bytes: 134217728",
    "binding: none",
    "gm_send_tokens: 7",
    "gm_receive_tokens: 12",
    "gm_registered_bytes: 1048576",
    "nic_mtu_bytes: 512",
    "qos_idt_product: 1024",
    "nic_window_packets: 6",
    "nic_send_timeout_us: 20000",
    "nic_resend_timeout_us: 1000",
    "nic_nack_delay_us: 500",
};

char fuzz_settings[256];
static int fuzz_is_ending; /* 1: callbacks must not make more calls */
static unsigned fuzz_step;

void fuzz_fail(const char *file, int line, const char *condition,
               const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    dprintf(STDERR_FILENO, "%s:%d: step %u: violated: %s: %s\n", file, line,
            fuzz_step, condition, text);
    abort();
}

/*
 * The library reports mistakes of a program on standard error. These messages
 * would hide all other output.
 */
static ssize_t fuzz_write_error(void *cookie, const char *text, size_t bytes)
{
    static const char expected[] = "gm: ";

    (void)cookie;
    return bytes >= strlen(expected) &&
                   memcmp(text, expected, strlen(expected)) == 0
               ? (ssize_t)bytes
               : write(STDERR_FILENO, text, bytes);
}

/* Write the cluster description. Leave out the parameters that fuzz_settings
 * sets. */
static void fuzz_write_cluster(int file)
{
    unsigned i;

    dprintf(file, "hosts: 2\nparameters:\n%s", fuzz_settings);
    for (i = 0; i < GM_NUM_ELEM(fuzz_cluster); ++i) {
        const char *line = fuzz_cluster[i];
        char key[64];

        snprintf(key, sizeof(key), "  %.*s", (int)strcspn(line, " "), line);
        if (strstr(fuzz_settings, key) == NULL) {
            dprintf(file, "  %s\n", line);
        }
    }
}

static void fuzz_start(void)
{
    static int is_started;
    cookie_io_functions_t error = {.write = fuzz_write_error};
    char path[64];
    int file;

    if (is_started) {
        return;
    }
    is_started = 1;
    file = memfd_create("cluster", MFD_CLOEXEC);
    FUZZ_CHECK(file >= 0, "no file for the cluster description");
    fuzz_write_cluster(file);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    setenv("GMSIM_CLUSTER", path, 1);
    unsetenv("GMSIM_JOB");
    unsetenv("PMI_RANK");
    stderr = fopencookie(NULL, "w", error);
    FUZZ_CHECK(stderr != NULL, "no standard error");
    setvbuf(stderr, NULL, _IONBF, 0);
    fuzz_memory_start();
    FUZZ_CHECK(gm_init() == GM_SUCCESS, "no cluster");
    close(file);
}

/* ---- Steps ------------------------------------------------------------- */

typedef void fuzz_op_t(void);

/*
 * The probability of each step is proportional to the number of its entries. A
 * new step must replace one of the last entries, so that the stored sequences
 * keep their meaning.
 */
static fuzz_op_t *const fuzz_ops[64] = {
    fuzz_op_send,         fuzz_op_send,         fuzz_op_send,
    fuzz_op_send,         fuzz_op_send,         fuzz_op_send,
    fuzz_op_provide,      fuzz_op_provide,      fuzz_op_provide,
    fuzz_op_provide,      fuzz_op_provide,      fuzz_op_provide,
    fuzz_op_receive,      fuzz_op_receive,      fuzz_op_receive,
    fuzz_op_receive,      fuzz_op_receive,      fuzz_op_receive,
    fuzz_op_directed,     fuzz_op_directed,     fuzz_op_port_settings,
    fuzz_op_look,         fuzz_op_block,        fuzz_op_alarm,
    fuzz_op_alarm,        fuzz_op_stream,       fuzz_op_stream,
    fuzz_op_qos,          fuzz_op_qos,          fuzz_op_open,
    fuzz_op_open,         fuzz_op_close,        fuzz_op_cluster,
    fuzz_op_cluster,      fuzz_op_cluster,      fuzz_op_register,
    fuzz_op_register,     fuzz_op_register,     fuzz_op_dma,
    fuzz_op_send_odd,     fuzz_op_send_odd,     fuzz_op_provide_odd,
    fuzz_op_directed_odd, fuzz_op_directed_odd, fuzz_op_tokens,
    fuzz_op_names,        fuzz_op_unknown,      fuzz_op_faults,
    fuzz_op_scene,        fuzz_op_scene,        fuzz_op_scene,
    fuzz_op_helper,       fuzz_op_helper,       fuzz_op_send,
    fuzz_op_provide,      fuzz_op_receive,      fuzz_op_send,
    fuzz_op_provide,      fuzz_op_receive,      fuzz_op_send,
    fuzz_op_provide,      fuzz_op_receive,      fuzz_op_directed,
    fuzz_op_cluster,
};

void fuzz_act(unsigned action, fuzz_port_t *port)
{
    if (fuzz_is_ending) {
        return;
    }
    switch (action % 16) {
    case 1:
    case 2:
        fuzz_op_send();
        break;
    case 3:
    case 4:
        fuzz_op_provide();
        break;
    case 5:
        fuzz_op_stream();
        break;
    case 6:
        fuzz_op_alarm();
        break;
    case 7:
        fuzz_op_unknown();
        break;
    case 8:
        fuzz_op_qos();
        break;
    case 9:
        fuzz_port_close(port);
        break;
    case 10:
        fuzz_port_close(fuzz_any_port());
        fuzz_op_open();
        break;
    default:
        break;
    }
}

/* ---- The end of a sequence --------------------------------------------- */

static int fuzz_receive_all(void)
{
    int found = 0;
    unsigned i;

    for (i = 0; i < FUZZ_PORTS; ++i) {
        fuzz_port_t *port = &fuzz_ports[i];

        while (port->gm != NULL && fuzz_receive(port, 1)) {
            found = 1;
        }
    }
    return found;
}

/*
 * Wait until every send has ended. Sends end, with success or failure, if the
 * programs receive messages and provide buffers.
 */
static void fuzz_await_ends(void)
{
    uint64_t start_ps = gmsim_time_ps();
    uint64_t drop_ps = start_ps + FUZZ_DROP_PS;
    uint64_t pause_ps = 20 * FUZZ_US;
    unsigned due = 0;

    while (fuzz_receive_all() || (due = fuzz_sends_due()) > 0) {
        uint64_t now_ps = gmsim_time_ps();

        FUZZ_CHECK(now_ps < start_ps + FUZZ_REST_PS, "%u sends have not ended",
                   due);
        if (now_ps > drop_ps) {
            drop_ps = now_ps + FUZZ_DROP_PS;
            if (!fuzz_sends_drop()) {
                /* all tokens belong to streams that cannot be dropped */
                return;
            }
        }
        gmsim_compute(pause_ps);
        pause_ps = pause_ps < 5 * FUZZ_MS ? 2 * pause_ps : pause_ps;
    }
    fuzz_sends_check();
}

/* Wait until the cluster is idle. The cluster is soon idle if all ports are
 * closed. */
static void fuzz_rest(void)
{
    const gms_engine_t *engine = gms_sim()->ctx.engine;
    uint64_t start_ps = gmsim_time_ps();

    while (!gms_engine_is_idle(engine)) {
        FUZZ_CHECK(gmsim_time_ps() < start_ps + FUZZ_REST_PS,
                   "the cluster does not become idle: %llu pending events",
                   (unsigned long long)gms_engine_events_pending(engine));
        gmsim_compute(2 * FUZZ_MS);
    }
}

static void fuzz_on_fresh(struct gm_port *gm, void *context, gm_status_t status)
{
    (void)gm;
    *(gm_status_t *)context = status;
}

/* Check that a new port works, whatever calls have been made before. */
static void fuzz_check_fresh(void)
{
    gm_qos_flow_t flow = {.target_node = 1, .target_port = 2};
    gm_qos_flow_state_t state;
    gm_status_t status = GM_FAILURE;
    struct gm_port *gm;
    char *memory;
    int has_come = 0;

    FUZZ_CHECK(gm_open(&gm, 0, 2, "fresh", GM_API_VERSION) == GM_SUCCESS,
               "cannot open a new port");
    memory = gm_dma_malloc(gm, 128);
    FUZZ_CHECK(memory != NULL, "no memory for a new port");
    FUZZ_CHECK(gm_qos_get_flow(gm, &flow, &state) == GM_SUCCESS &&
                   state.qos_class == GM_QOS_UNMANAGED && state.idt_ticks == 0,
               "a new port has a flow of class %u with IDT %u", state.qos_class,
               state.idt_ticks);
    memcpy(memory, "fresh", 6);
    gm_provide_receive_buffer(gm, memory + 64, 5, GM_LOW_PRIORITY);
    gm_send_with_callback(gm, memory, 5, 6, GM_LOW_PRIORITY, 1, 2,
                          fuzz_on_fresh, &status);
    while (status == GM_FAILURE || !has_come) {
        union gm_recv_event *event = gm_blocking_receive(gm);

        has_come |= GM_RECV_EVENT_TYPE(event) == GM_PEER_RECV_EVENT ||
                    GM_RECV_EVENT_TYPE(event) == GM_FAST_PEER_RECV_EVENT;
        if (GM_RECV_EVENT_TYPE(event) == GM_FAST_PEER_RECV_EVENT) {
            FUZZ_CHECK(strcmp(gm_ntohp(event->recv.message), "fresh") == 0,
                       "a new port received incorrect data");
        } else {
            gm_unknown(gm, event);
        }
    }
    FUZZ_CHECK(status == GM_SUCCESS, "status %u", status);
    gm_close(gm);
}

/* ---- Sequences --------------------------------------------------------- */

static void fuzz_open_first(unsigned how)
{
    static const uint8_t numbers[FUZZ_PORTS] = {2, 4, 5};
    unsigned i;

    for (i = 0; i < FUZZ_PORTS && i <= how % 4; ++i) {
        fuzz_port_open(&fuzz_ports[i], i == 2 ? how >> 2 & 1 : 0, numbers[i]);
    }
}

static void fuzz_run(const uint8_t *data, size_t size)
{
    unsigned how;

    fuzz_input_set(data, size);
    fuzz_is_ending = 0;
    fuzz_memory_reset();
    fuzz_sends_reset();
    fuzz_alarms_reset();
    how = fuzz_byte();
    fuzz_open_first(how);
    for (fuzz_step = 0; fuzz_step < FUZZ_STEPS && !fuzz_input_is_over();
         ++fuzz_step) {
        fuzz_ops[fuzz_below(GM_NUM_ELEM(fuzz_ops))]();
    }
    fuzz_is_ending = 1;
    fuzz_faults_end();
    fuzz_idt_end();
    if (how < 192) {
        fuzz_await_ends();
    }
    fuzz_helpers_reset();
    fuzz_ports_reset();
    fuzz_rest();
    fuzz_check_fresh();
    fuzz_rest();
}

static uint64_t fuzz_heap_used(void)
{
    return __sanitizer_get_current_allocated_bytes != NULL
               ? __sanitizer_get_current_allocated_bytes()
               : 0;
}

/*
 * Memory that remains in use after a sequence may belong to a table that has
 * grown, or to connections and flows, which remain, too. Memory is lost only if
 * the used memory increases with every repetition of the sequence.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned repetition;

    fuzz_start();
    for (repetition = 0;; ++repetition) {
        uint64_t arena = fuzz_arena_used();
        uint64_t heap = fuzz_heap_used();

        fuzz_run(data, size);
        if (fuzz_arena_used() <= arena && fuzz_heap_used() <= heap) {
            return 0;
        }
        FUZZ_CHECK(
            repetition < FUZZ_REPETITIONS,
            "every repetition loses memory: %lld bytes of the arena, %lld of "
            "the heap",
            (long long)(fuzz_arena_used() - arena),
            (long long)(fuzz_heap_used() - heap));
    }
}
