/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes calls that concern ports: opening and closing, registration of memory,
 * DMA memory, receive buffers, settings and tokens. Keeps a model of the state
 * of every port.
 */
#include <string.h>

#include "fuzz.h"
#include "gm/port.h"

#define FUZZ_STALE   16u
#define FUZZ_CLUSTER 16384u /* size of the arena without DMA memory (bytes) */

fuzz_port_t fuzz_ports[FUZZ_PORTS];

static unsigned fuzz_generation;
static struct gm_port *fuzz_stale[FUZZ_STALE]; /* handles of closed ports */
static unsigned fuzz_stale_count;

fuzz_port_t *fuzz_any_port(void)
{
    return &fuzz_ports[fuzz_below(FUZZ_PORTS)];
}

fuzz_port_t *fuzz_port_at(unsigned node, unsigned number)
{
    unsigned i;

    for (i = 0; i < FUZZ_PORTS; ++i) {
        if (fuzz_ports[i].gm != NULL && fuzz_ports[i].node == node &&
            fuzz_ports[i].number == number) {
            return &fuzz_ports[i];
        }
    }
    return NULL;
}

static int fuzz_is_open(const struct gm_port *gm)
{
    unsigned i;

    for (i = 0; i < FUZZ_PORTS; ++i) {
        if (fuzz_ports[i].gm == gm) {
            return 1;
        }
    }
    return 0;
}

struct gm_port *fuzz_odd_handle(void)
{
    unsigned how = fuzz_byte();
    struct gm_port *gm = NULL;

    if (how % 4 == 0 && fuzz_stale_count > 0) {
        gm = fuzz_stale[(how >> 2) % fuzz_stale_count];
    } else if (how % 4 == 1) {
        gm = fuzz_odd_address(FUZZ_SOURCE);
    } else if (how % 4 == 2) {
        gm = (struct gm_port *)((uintptr_t)fuzz_ports[how % 3].gm + 8);
    }
    /* A new port may use the memory of a closed port, so the handle of a closed
     * port may be valid again. */
    return gm == NULL || fuzz_is_open(gm) ? NULL : gm;
}

struct gm_port *fuzz_handle(const fuzz_port_t *port)
{
    return fuzz_byte() % 32 == 31 ? fuzz_odd_handle() : port->gm;
}

unsigned fuzz_size(void)
{
    static const uint8_t sizes[] = {5, 7, 10, 12};
    unsigned how = fuzz_byte();

    return how < 240 ? sizes[how % 4] : 3 + how % 10;
}

/* ---- Opening and closing ----------------------------------------------- */

/* Return whether gm_open() must succeed if there is enough memory. */
static gm_status_t fuzz_expect_open(unsigned unit, unsigned number,
                                    unsigned version)
{
    if (unit >= FUZZ_UNITS) {
        return GM_NO_SUCH_DEVICE;
    }
    if (version < GM_API_VERSION_1_0 || version > GM_API_VERSION_2_0_16) {
        return GM_INCOMPATIBLE_LIB_AND_DRIVER;
    }
    if (number >= FUZZ_NUM_PORTS) {
        return GM_INVALID_PARAMETER;
    }
    if (number < 2 || number == 3) {
        return GM_PERMISSION_DENIED;
    }
    return fuzz_port_at(1 + unit * FUZZ_NODES / FUZZ_UNITS, number) != NULL
               ? GM_BUSY
               : GM_SUCCESS;
}

static void fuzz_port_set_up(fuzz_port_t *port, struct gm_port *gm,
                             unsigned unit, unsigned number)
{
    memset(port, 0, sizeof(*port));
    port->gm = gm;
    port->unit = unit;
    port->number = number;
    port->node = 1 + unit * FUZZ_NODES / FUZZ_UNITS;
    port->generation = ++fuzz_generation;
    FUZZ_CHECK(gm_num_send_tokens(gm) == FUZZ_SEND_TOKENS,
               "number of send tokens");
    FUZZ_CHECK(gm_num_receive_tokens(gm) == FUZZ_RECV_TOKENS,
               "number of receive tokens");
    FUZZ_CHECK(gm_get_port_id(gm) == number, "port number");
    port->slots = gm_dma_malloc(gm, 2 * FUZZ_SLOTS * FUZZ_SLOT_BYTES);
    if (port->slots == NULL) { /* other calls may have used up the memory */
        memset(port->is_sending, 1, sizeof(port->is_sending));
        memset(port->is_receiving, 1, sizeof(port->is_receiving));
    }
}

void fuzz_port_open(fuzz_port_t *port, unsigned unit, unsigned number)
{
    struct gm_port *gm;

    FUZZ_CHECK(gm_open(&gm, unit, number, "fuzz", GM_API_VERSION) == GM_SUCCESS,
               "cannot open port %u of NIC %u", number, unit);
    fuzz_port_set_up(port, gm, unit, number);
}

void fuzz_op_open(void)
{
    static const uint8_t numbers[] = {2, 4, 5, 2, 4, 5, 6, 3};
    static const uint32_t versions[] = {
        GM_API_VERSION_2_0_16,
        GM_API_VERSION_1_0,
        GM_API_VERSION_2_0,
        0xff,
        0x20011,
    };
    unsigned how = fuzz_byte();
    unsigned unit = how % 8 == 7 ? 1 : 0;
    unsigned number = numbers[(how >> 3) % 8];
    unsigned version = GM_API_VERSION;
    fuzz_port_t *port = fuzz_any_port();
    struct gm_port *gm = NULL;
    gm_status_t expected, status;

    if (how >= 240) {
        unit = (unsigned)fuzz_odd_number();
        number = (unsigned)fuzz_odd_number();
        version = versions[how % GM_NUM_ELEM(versions)];
    }
    if (port->gm != NULL) {
        return;
    }
    expected = fuzz_expect_open(unit, number, version);
    status = gm_open(&gm, unit, number, how % 2 != 0 ? "a name" : NULL,
                     (enum gm_api_version)version);
    if (status == GM_OUT_OF_MEMORY) {
        expected = status;
    }
    FUZZ_CHECK(status == expected, "gm_open(%u, %u, %#x) returned %u, not %u",
               unit, number, version, status, expected);
    FUZZ_CHECK((gm != NULL) == (status == GM_SUCCESS),
               "the port's handle does not match status %u", status);
    if (status == GM_SUCCESS) {
        fuzz_port_set_up(port, gm, unit, number);
    }
}

void fuzz_port_close(fuzz_port_t *port)
{
    struct gm_port *gm = port->gm;

    if (gm == NULL) {
        return;
    }
    fuzz_stale[fuzz_stale_count % FUZZ_STALE] = gm;
    fuzz_stale_count += fuzz_stale_count < FUZZ_STALE;
    /*
     * From here on, no callback of this port may run, not even during the call.
     */
    port->gm = NULL;
    fuzz_sends_forget(port);
    fuzz_alarms_forget(port);
    gm_close(gm);
}

void fuzz_op_close(void)
{
    if (fuzz_byte() % 4 != 0) {
        fuzz_port_close(fuzz_any_port());
    } else {
        gm_close(fuzz_odd_handle());
    }
}

void fuzz_ports_reset(void)
{
    unsigned i;

    for (i = 0; i < FUZZ_PORTS; ++i) {
        fuzz_port_close(&fuzz_ports[i]);
        memset(&fuzz_ports[i], 0, sizeof(fuzz_ports[i]));
    }
    fuzz_stale_count = 0;
}

/* ---- Memory ------------------------------------------------------------ */

/*
 * Add `more` to the registration counts of all pool pages in a range. The test
 * counts only the registrations of these pages.
 */
static void fuzz_count_pages(fuzz_port_t *port, const char *address,
                             gm_size_t length, int more)
{
    uintptr_t at = (uintptr_t)address / 4096;
    uintptr_t last = ((uintptr_t)address + length - 1) / 4096;

    for (; at <= last; ++at) {
        int page = fuzz_pool_page((void *)(at * 4096));

        if (page >= 0) {
            port->registered[page] = (uint16_t)(port->registered[page] + more);
        }
    }
}

/* Return 1 if a whole range is registered, 0 if it is not, and -1 if the test
 * cannot know this. */
static int fuzz_is_registered(const fuzz_port_t *port, const char *address,
                              gm_size_t length)
{
    int page = fuzz_pool_page(address);
    int last = fuzz_pool_page((void *)((uintptr_t)address + length - 1));

    if (length == 0 || length > FUZZ_POOL_PAGES * 4096 || page < 0 ||
        last < page ||
        last / (int)FUZZ_POOL_PAGES != page / (int)FUZZ_POOL_PAGES) {
        return -1;
    }
    while (page <= last && port->registered[page] > 0) {
        ++page;
    }
    return page > last;
}

static void fuzz_register(fuzz_port_t *port, struct gm_port *gm, char *address,
                          gm_size_t length)
{
    gm_status_t status = gm_register_memory(gm, address, length);

    FUZZ_CHECK(status == GM_SUCCESS || status == GM_INVALID_PARAMETER ||
                   status == GM_MEMORY_FAULT || status == GM_OUT_OF_MEMORY,
               "status %u", status);
    if (status == GM_SUCCESS) {
        FUZZ_CHECK(gm != NULL && gm == port->gm,
                   "memory was registered for an invalid port");
        FUZZ_CHECK((uintptr_t)address + length <= GMS_ARENA_ADDRESS ||
                       (uintptr_t)address >= GMS_ARENA_ADDRESS + FUZZ_CLUSTER,
                   "memory of the cluster itself was registered");
        fuzz_count_pages(port, address, length, 1);
    }
}

static void fuzz_deregister(fuzz_port_t *port, struct gm_port *gm,
                            char *address, gm_size_t length)
{
    int is_registered = gm != NULL && gm == port->gm
                            ? fuzz_is_registered(port, address, length)
                            : 0;
    gm_status_t status = gm_deregister_memory(gm, address, length);

    FUZZ_CHECK(
        is_registered < 0 || (status == GM_SUCCESS) == is_registered,
        "gm_deregister_memory() returned %u for memory with is_registered %d",
        status, is_registered);
    FUZZ_CHECK(status == GM_SUCCESS || status == GM_INVALID_PARAMETER,
               "status %u", status);
    if (status == GM_SUCCESS) {
        fuzz_count_pages(port, address, length, -1);
    }
}

void fuzz_op_register(void)
{
    fuzz_port_t *port = fuzz_any_port();
    struct gm_port *gm = fuzz_handle(port);
    unsigned how = fuzz_byte();
    enum fuzz_pool pool = how & 1 ? FUZZ_SOURCE : FUZZ_SINK;
    gm_size_t length = how & 2 ? (gm_size_t)fuzz_odd_number()
                               : (gm_size_t)(how >> 4) * 2048 + 1;
    char *address =
        how & 4 ? fuzz_odd_address(pool) : fuzz_pool_address(pool, length);
    int page;

    switch (how >> 3 & 7) {
    default:
        fuzz_register(port, gm, address, length);
        break;
    case 5:
    case 6:
        fuzz_deregister(port, gm, address, length);
        break;
    case 7:
        page = fuzz_pool_page(address);
        if (page >= 0) { /* unmap memory while the NIC may use it */
            fuzz_memory_toggle(pool, (unsigned)page % FUZZ_POOL_PAGES);
        }
        FUZZ_CHECK(gm_register_memory_ex(gm, address, 1, &page) != GM_SUCCESS,
                   "memory was registered at another address");
        break;
    }
}

void fuzz_op_dma(void)
{
    static char *blocks[8];
    static unsigned owners[8], sizes[8]; /* generations of the ports that own
                                          * the blocks */
    fuzz_port_t *port = fuzz_any_port();
    unsigned how = fuzz_byte();
    unsigned index = how % 8;
    unsigned i;

    if (port->gm == NULL) {
        FUZZ_CHECK(gm_dma_malloc(fuzz_odd_handle(), 64) == NULL,
                   "memory was allocated for an invalid port");
        return;
    }
    if (how & 8) { /* memory of this port, of another port, or of no port */
        if (owners[index] == port->generation) {
            gm_dma_free(port->gm, blocks[index]);
            owners[index] = 0;
        }
        gm_dma_free(fuzz_handle(port), fuzz_odd_address(FUZZ_SINK));
        return;
    }
    if (owners[index] == port->generation) {
        return;
    }
    sizes[index] = (how >> 4) * 600;
    blocks[index] = how & 16 ? gm_dma_malloc(port->gm, sizes[index])
                             : gm_dma_calloc(port->gm, sizes[index], 1);
    owners[index] = blocks[index] != NULL ? port->generation : 0;
    for (i = 0; blocks[index] != NULL && i < sizes[index]; ++i) {
        FUZZ_CHECK(blocks[index][i] == 0, "DMA memory is not zero");
        blocks[index][i] = (char)0xaa;
    }
    /*
     * Register a range once more, and deregister it up to three times. The
     * third call must fail, because the range was registered only twice. The
     * test uses these pages for no other purpose.
     */
    if (blocks[index] != NULL && sizes[index] >= 4096) {
        gm_status_t status =
            gm_register_memory(port->gm, blocks[index], sizes[index]);

        FUZZ_CHECK(status == GM_SUCCESS, "status %u", status);
        for (i = 0; i < 1 + how % 3; ++i) {
            status =
                gm_deregister_memory(port->gm, blocks[index], sizes[index]);
            FUZZ_CHECK(status == (i < 2 ? GM_SUCCESS : GM_INVALID_PARAMETER),
                       "status %u after %u deregistrations", status, i);
        }
    }
    if (how % 16 == 0) {
        char *huge = gm_dma_calloc(port->gm, (gm_size_t)fuzz_odd_number(),
                                   (gm_size_t)fuzz_odd_number());

        gm_dma_free(port->gm, huge);
    }
}

/* ---- Buffers ----------------------------------------------------------- */

/*
 * Provide a buffer, and update the model accordingly. The test reads the number
 * of buffers from the library, but uses no other internal data. The library
 * reports an invalid buffer later, with an event that does not identify the
 * buffer.
 */
static void fuzz_provide(fuzz_port_t *port, struct gm_port *gm,
                         const fuzz_buffer_t *buffer)
{
    unsigned before = port->gm->buffers;
    fuzz_buffer_t *entry = port->buffers;

    if (buffer->tag == 0) {
        gm_provide_receive_buffer(gm, buffer->address, buffer->size,
                                  buffer->priority);
    } else {
        gm_provide_receive_buffer_with_tag(gm, buffer->address, buffer->size,
                                           buffer->priority, buffer->tag);
    }
    FUZZ_CHECK(port->gm->buffers <= FUZZ_RECV_TOKENS, "too many buffers");
    if (gm != port->gm) {
        FUZZ_CHECK(port->gm->buffers == before,
                   "an invalid handle added a buffer to the port");
        return;
    }
    if (port->gm->buffers == before) {
        FUZZ_CHECK(buffer->slot < 0 || before == FUZZ_RECV_TOKENS,
                   "a valid buffer was refused");
        ++port->violations;
        if (buffer->slot >= 0) {
            port->is_receiving[buffer->slot] = 0;
        }
        return;
    }
    FUZZ_CHECK(buffer->slot >= 0 ||
                   fuzz_is_registered(port, buffer->address, 1) != 0,
               "a buffer that is not registered was accepted");
    FUZZ_CHECK(buffer->size < 32 && buffer->priority < GM_NUM_PRIORITIES,
               "buffer of size %u, priority %u was accepted", buffer->size,
               buffer->priority);
    while (entry->address != NULL) {
        ++entry;
    }
    *entry = *buffer;
    entry->tag &= 0xff;
    ++port->buffer_count;
    FUZZ_CHECK(port->buffer_count == port->gm->buffers, "number of buffers");
}

void fuzz_port_provide(fuzz_port_t *port, unsigned size, unsigned priority,
                       unsigned tag)
{
    fuzz_buffer_t buffer = {.size = size, .priority = priority, .tag = tag};

    while (buffer.slot < (int)FUZZ_SLOTS && port->is_receiving[buffer.slot]) {
        ++buffer.slot;
    }
    if (port->gm == NULL || buffer.slot == FUZZ_SLOTS) {
        return;
    }
    port->is_receiving[buffer.slot] = 1;
    buffer.address =
        port->slots + (FUZZ_SLOTS + (unsigned)buffer.slot) * FUZZ_SLOT_BYTES;
    fuzz_provide(port, port->gm, &buffer);
}

void fuzz_op_provide(void)
{
    fuzz_port_t *port = fuzz_any_port();
    unsigned size = fuzz_size();
    unsigned how = fuzz_byte();

    fuzz_port_provide(port, size, how & 1, how & 2 ? fuzz_byte() : 0);
}

/* Provide a buffer whose memory is unmapped before a message arrives. */
void fuzz_port_pull_away(fuzz_port_t *port, unsigned size, unsigned priority)
{
    fuzz_buffer_t buffer = {.size = size, .priority = priority, .slot = -1};
    unsigned how = fuzz_byte();
    char *address = fuzz_pool_address(FUZZ_SINK, 2 * FUZZ_SLOT_BYTES);
    int page = fuzz_pool_page(address);

    if (port->gm == NULL) {
        return;
    }
    port->is_loose = 1;
    fuzz_register(port, port->gm, address, FUZZ_SLOT_BYTES);
    buffer.address = address;
    fuzz_provide(port, port->gm, &buffer);
    if (how & 1) {
        fuzz_deregister(port, port->gm, address, FUZZ_SLOT_BYTES);
    }
    if (how & 2) {
        fuzz_memory_toggle(FUZZ_SINK, (unsigned)page % FUZZ_POOL_PAGES);
    }
}

void fuzz_op_provide_odd(void)
{
    fuzz_port_t *port = fuzz_any_port();
    fuzz_buffer_t buffer = {.slot = -1};
    unsigned how = fuzz_byte();

    buffer.address = fuzz_odd_address(FUZZ_SINK);
    buffer.size = how & 1 ? (unsigned)fuzz_odd_number() : fuzz_size();
    buffer.priority = how & 2 ? (unsigned)fuzz_odd_number() : how >> 2 & 1;
    buffer.tag = (unsigned)fuzz_odd_number();
    if (port->gm != NULL) {
        port->is_loose = 1;
        fuzz_provide(port, fuzz_handle(port), &buffer);
    }
}

/* ---- Settings ---------------------------------------------------------- */

void fuzz_op_port_settings(void)
{
    fuzz_port_t *port = fuzz_any_port();
    struct gm_port *gm = fuzz_handle(port);
    int is_open = gm != NULL && gm == port->gm;
    unsigned how = fuzz_byte();
    gm_status_t status, good = is_open ? GM_SUCCESS : GM_INVALID_PARAMETER;

    switch (how % 4) {
    case 0:
    case 1:
        if (is_open && fuzz_sends_may_write(port)) {
            break;
        }
        status = gm_allow_remote_memory_access(gm);
        FUZZ_CHECK(status == good, "status %u", status);
        port->allows_access |= is_open;
        break;
    case 2:
        status = gm_set_enable_nack_down(gm, (int)(how >> 2) - 32);
        FUZZ_CHECK(status == good, "status %u", status);
        break;
    default:
        how = how >> 2;
        if (how > 1) {
            how = how < 32 ? how % 2 : (unsigned)fuzz_odd_number();
        }
        status = gm_set_acceptable_sizes(gm, (enum gm_priority)how,
                                         (gm_size_t)fuzz_odd_number());
        FUZZ_CHECK(status == (how > 1 ? GM_INVALID_PARAMETER : good),
                   "status %u", status);
        break;
    }
}

void fuzz_op_tokens(void)
{
    struct gm_port *gm = fuzz_handle(fuzz_any_port());
    unsigned how = fuzz_byte();
    unsigned priority = how % 8 == 7 ? (unsigned)fuzz_odd_number() : how & 1;
    int available = gm_send_token_available(gm, priority);

    switch (how >> 3 & 3) {
    case 0:
        FUZZ_CHECK(gm_alloc_send_token(gm, priority) == available,
                   "unexpected result of gm_alloc_send_token() for priority %u",
                   priority);
        break;
    case 1:
        gm_free_send_token(gm, priority);
        FUZZ_CHECK(gm_send_token_available(gm, priority) ==
                       (fuzz_is_open(gm) && gm != NULL && priority < 2),
                   "unexpected number of tokens after a token of priority %u "
                   "was freed",
                   priority);
        break;
    case 2:
        gm_free_send_tokens(gm, priority, (unsigned)fuzz_odd_number());
        FUZZ_CHECK(gm_send_token_available(gm, priority) >= available,
                   "unexpected number of tokens after tokens of priority %u "
                   "were freed",
                   priority);
        break;
    default:
        FUZZ_CHECK(gm_num_send_tokens(fuzz_odd_handle()) == 0 &&
                       gm_num_receive_tokens(fuzz_odd_handle()) == 0,
                   "an invalid port has tokens");
        gm_mtu(gm);
        gm_min_message_size(gm);
        gm_min_size_for_length((gm_size_t)fuzz_odd_number());
        gm_max_length_for_size((unsigned)fuzz_odd_number());
        break;
    }
}
