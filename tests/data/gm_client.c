/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A typical client program for GM. tests/system/gm-api.sh compiles it for each
 * version of the interface, with both kinds of network types, as C and as C++.
 * The program runs without a cluster. Its function use() is compiled and
 * linked, but not called.
 */
#include "gm.h"

#include <stdio.h>
#include <string.h>

/* Old programs define macros like this one themselves. */
#if GM_API_VERSION < GM_API_VERSION_1_6
#define GM_NUM_ELEM(array)                    (sizeof(array) / sizeof(*(array)))
#define GM_POWER_OF_TWO(n)                    (!((n) & ((n)-1)))
#define GM_STRUCT_CONTAINING(type, field, at) our_own
#endif

static int failures;

#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            printf("%s:%d: violated: %s\n", __FILE__, __LINE__, #condition);   \
            ++failures;                                                        \
        }                                                                      \
    } while (0)

static void sent(struct gm_port *port, void *context, gm_status_t status)
{
    if (status != GM_SUCCESS) {
        gm_perror("send", status);
    }
    gm_free_send_token(port, GM_LOW_PRIORITY);
    ++*(int *)context;
}

static void rang(void *context)
{
    ++*(int *)context;
}

/* Evaluates an event. @return length of a message */
static unsigned look(struct gm_port *port, gm_recv_event_t *event)
{
    switch (GM_RECV_EVENT_TYPE(event)) {
    case GM_FAST_PEER_RECV_EVENT:
    case GM_FAST_RECV_EVENT:
        gm_memorize_message(gm_ntohp(event->recv.message),
                            gm_ntohp(event->recv.buffer),
                            gm_ntohl(event->recv.length));
        return gm_ntohl(event->recv.length);
    case GM_RECV_EVENT:
    case GM_HIGH_RECV_EVENT:
        gm_provide_receive_buffer_with_tag(
            port, gm_ntohp(event->recv.buffer), gm_ntohc(event->recv.size),
            GM_LOW_PRIORITY, gm_ntoh_u8(event->recv.tag));
        return gm_ntoh_u32(event->recv.length);
    case GM_NO_RECV_EVENT:
        return 0;
    default:
        gm_unknown(port, event);
        return 0;
    }
}

int use(void);
int use(void)
{
    struct gm_port *port = NULL;
    struct gm_hash *pages =
        gm_create_hash(gm_hash_compare_ptrs, gm_hash_hash_ptr, 0, 0, 4096, 0);
    char host[GM_MAX_HOST_NAME_LEN];
    gm_alarm_t alarm;
    unsigned node = GM_NO_SUCH_NODE_ID;
    int count = 0;
    void *buffer;

    gm_init();
    if (gm_open(&port, 0, 2, "client", (enum gm_api_version)GM_API_VERSION) !=
        GM_SUCCESS) {
        return 1;
    }
    buffer = gm_dma_malloc(port, GM_PAGE_LEN);
    gm_hash_insert(pages, buffer, buffer);
    gm_get_node_id(port, &node);
    gm_get_host_name(port, host);
    gm_initialize_alarm(&alarm);
    gm_set_alarm(port, &alarm, (gm_u64_t)1000, rang, &count);
    gm_provide_receive_buffer(port, buffer, gm_min_size_for_length(100),
                              GM_LOW_PRIORITY);
    gm_send_with_callback(port, buffer, gm_min_size_for_length(100), 100,
                          GM_LOW_PRIORITY, node, 2, sent, &count);
    gm_directed_send_with_callback(port, buffer,
                                   (gm_remote_ptr_t)(gm_up_t)buffer, 8,
                                   GM_LOW_PRIORITY, node, 2, sent, &count);
#if GM_API_VERSION >= GM_API_VERSION_1_4
    gm_max_node_id_in_use(port, &node);
    gm_printf("%s\n", gm_strerror(GM_TRY_AGAIN));
#endif
#if GM_API_VERSION >= GM_API_VERSION_1_6
    gm_free(gm_strdup(host));
    gm_memset(host, 0, sizeof(host));
    gm_eprintf("%u\n", node);
#endif
#if GM_API_VERSION >= GM_API_VERSION_2_0
    gm_node_id_to_global_id(port, node, &node);
    gm_put(port, buffer, (gm_remote_ptr_t)(gm_up_t)buffer, 8, GM_LOW_PRIORITY,
           node, 2, sent, &count);
#endif
    while (count < 3) {
        look(port, gm_blocking_receive_no_spin(port));
    }
    gm_destroy_hash(pages);
    gm_dma_free(port, buffer);
    gm_close(port);
    gm_finalize();
    return 0;
}

static void check_types(void)
{
    static const unsigned char bytes[4] = {1, 2, 3, 4};
    static const char *const strings[] = {"a", "b", "c"};
    gm_recv_event_t event;
    gm_u32_n_t number;

    memcpy(&number, bytes, sizeof(number));
    CHECK(gm_ntoh_u32(number) == 0x01020304);
    CHECK(GM_N(number) == GM_N(gm_hton_u32(0x01020304)));
    CHECK(memcmp(&number, bytes, sizeof(number)) == 0);
#if !GM_STRONG_TYPES
    /* with weak network types, programs use the number directly */
    CHECK(number == GM_N(number));
#endif
    memset(&event, 0, sizeof(event));
    event.recv.type = gm_hton_u8(GM_RECV_EVENT);
    CHECK(GM_RECV_EVENT_TYPE(&event) == GM_RECV_EVENT);
    CHECK(GM_RECV_EVENT_TYPE(&event) == ((unsigned char *)&event)[63]);
    CHECK(sizeof(event) == 64);
    CHECK(GM_NUM_ELEM(strings) == 3);
    CHECK(GM_POWER_OF_TWO(32));
    CHECK(GM_ALIGNED(4096, 8) && !GM_DMA_ALIGNED(4097));
    gm_always_assert(GM_API_MAJOR >= 1 && GM_API_MINOR <= 6);
}

/* Names that Chromium, MPICH-GM and programs with their own versions of gm.h
 * expect. */
#ifndef _GM_NTOH
#error "without _GM_NTOH, programs would define gm_ntoh_u32()"
#endif
#if GM_KERNEL || GM_BUILDING_GM || GM_BUILDING_FIRMWARE || GM_BUILDING_INTERNALS
#error "a macro that is reserved for GM's own sources is set"
#endif
#if !GM_CPU_DEFINED || GM_CPU_lanai
#error "the processor is unknown"
#endif
#if defined(GM_HAVE_YP) != (GM_API_VERSION >= GM_API_VERSION_2_0_16)
#error "GM_HAVE_YP must be defined for GM 2.0.16 and later, and only then"
#endif

/* Return the name of an event that reports an error or is internal to GM. */
static const char *name_of(unsigned type)
{
    switch (type) {
    case _GM_DIRECTED_SEND_NOTIFICATION_EVENT:
        return "put";
    case GM_FREE_SEND_TOKEN_EVENT:
    case GM_FREE_HIGH_SEND_TOKEN_EVENT:
        return "token";
    case GM_BAD_RESEND_DETECTED_EVENT:
        return "resend";
    case _GM_NEW_PUT_NOTIFICATION_EVENT:
    case GM_NEW_FREE_SEND_TOKEN_EVENT:
    case GM_NEW_FREE_HIGH_SEND_TOKEN_EVENT:
    case GM_NEW_BAD_RESEND_DETECTED_EVENT:
        return "new";
    default:
        return "other";
    }
}

static void end(gm_status_t status, void *context)
{
    (void)status;
    (void)context;
}

static void check_other_names(void)
{
    struct gm_buf_handle handle = {NULL, 100, gm_in_send, NULL};
    struct gm_hash *hash = gm_create_hash(
        gm_hash_compare_ptrs, gm_hash_hash_ptr, 0, 0, 10, GM_HASH_SMOOTH);
    gm_on_exit_callback_t callback = end;
    struct _gm_sent_token_report report;
    gm_recv_event_t event;
    gm_up_n_up_n_t list;
    unsigned turns = 0;

    for (;;) {
        GM_LOOPS_FOREVER();
        if (++turns == 3) {
            break;
        }
    }
    CHECK(turns == 3);
    CHECK(strcmp(name_of(21), "put") == 0);
    CHECK(_GM_PUT_NOTIFICATION_EVENT == 21);
    CHECK(strcmp(name_of(22), "token") == 0 && name_of(23) == name_of(22));
    CHECK(strcmp(name_of(24), "resend") == 0);
    CHECK(GM_BAD_RESEND_EVENT == GM_BAD_RESEND_DETECTED_EVENT);
    CHECK(strcmp(name_of(149), "new") == 0 && name_of(150) == name_of(149) &&
          name_of(151) == name_of(149) && name_of(152) == name_of(149));
    CHECK(hash != NULL);
    gm_destroy_hash(hash);
    CHECK(handle.status == 0 && gm_invalid_status == 3 && gm_in_app == 2);
    CHECK(gm_on_exit(callback, NULL) == GM_SUCCESS);
    memset(&event, 0, sizeof(event));
    memset(&report, 0, sizeof(report));
    CHECK(sizeof(event.tokens_sent.report) ==
          GM_MAX_SENT_TOKEN_REPORTS_PER_EVENT * sizeof(report));
    CHECK(GM_MAX_SENT_TOKEN_REPORTS_PER_EVENT == 31);
    list = event.sent.message_list;
    CHECK(gm_ntohp(list) == NULL && sizeof(list) == GM_SIZEOF_UP_T);
    CHECK(sizeof(gm_sent_t) == 64 && sizeof(gm_tokens_sent_t) == 64);
    CHECK(sizeof(gm_flushed_alarm_t) == 64);
    CHECK(sizeof(gm_fatal_firmware_error_t) == 64);
    CHECK(sizeof(gm_ethernet_recv_t) == 64);
    event.ethernet_recv.flags = gm_hton_u8(GM_IPV4_PARTIAL_CHECKSUM);
    CHECK((gm_ntoh_u8(event.ethernet_recv.flags) & GM_TCP_UDP_HEADER_SPLIT) ==
          0);
    CHECK(sizeof(void *) == GM_SIZEOF_VOID_P);
    CHECK(gm_ntoh_u16(gm_hton_u16(1)) == 1);
    CHECK(((unsigned char *)&turns)[0] == (GM_CPU_BIGENDIAN ? 0 : 3));
#if GM_API_VERSION >= GM_API_VERSION_1_6
    CHECK(GM_MISALIGNMENT(4099, 8) == 3);
#endif
    gm_assert_p(&turns != NULL);
    if (turns != 3) {
        GM_ABORT();
    }
}

static void check_helpers(void)
{
    struct gm_hash *hash =
        gm_create_hash(gm_hash_compare_longs, gm_hash_hash_long, sizeof(long),
                       sizeof(long), 10, 0);
    struct gm_lookaside *entries = gm_create_lookaside(100, 4);
    struct gm_mutex *mutex = gm_create_mutex();
    char memory[1024];
    struct gm_zone *zone = gm_zone_create_zone(memory, sizeof(memory));
    struct gm_mark_set *set;
    gm_mark_t mark;
    long key = 5, datum = 6;

    CHECK(gm_hash_insert(hash, &key, &datum) == GM_SUCCESS);
    CHECK(*(long *)gm_hash_find(hash, &key) == 6);
    CHECK(gm_zone_addr_in_zone(zone, gm_zone_malloc(zone, 100)));
    CHECK(gm_create_mark_set(&set, 1) == GM_SUCCESS);
    CHECK(gm_mark(set, &mark) == GM_SUCCESS && gm_mark_is_valid(set, &mark));
    gm_mutex_enter(mutex);
    gm_mutex_exit(mutex);
    gm_lookaside_free(gm_lookaside_alloc(entries));
    CHECK(gm_log2_roundup(1000) == 10 && gm_log2_roundup_table[256] == 8);
    CHECK(gm_max_length_for_size(gm_min_size_for_length(4096)) >= 4096);
    gm_destroy_mutex(mutex);
    gm_destroy_lookaside(entries);
    gm_destroy_mark_set(set);
    gm_zone_destroy_zone(zone);
    gm_destroy_hash(hash);
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        return use();
    }
    check_types();
    check_helpers();
    check_other_names();
    return failures != 0;
}
