/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests definitions in gm.h, and functions that need no cluster. */
#include "gm.h"

#include <string.h>

#include "gm_qos.h"
#include "unit.h"

static void test_integers(void)
{
    CHECK_U64(sizeof(gm_u8_t), 1);
    CHECK_U64(sizeof(gm_s16_t), 2);
    CHECK_U64(sizeof(gm_u32_t), 4);
    CHECK_U64(sizeof(gm_s64_t), 8);
    CHECK_U64(sizeof(gm_up_t), sizeof(void *));
    CHECK_U64(sizeof(gm_u16_n_t), 2);
    CHECK_U64(sizeof(gm_up_n_t), sizeof(void *));
    CHECK_U64(sizeof(gm_remote_ptr_n_t), 8);
}

static void test_byte_order(void)
{
    static const unsigned char bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    gm_u16_n_t n16;
    gm_u32_n_t n32;
    gm_u64_n_t n64;
    gm_s16_n_t s16 = gm_hton_s16(-2);

    memcpy(&n16, bytes, sizeof(n16));
    memcpy(&n32, bytes, sizeof(n32));
    memcpy(&n64, bytes, sizeof(n64));
    CHECK_U64(gm_ntoh_u16(n16), 0x0102);
    CHECK_U64(gm_ntohl(n32), 0x01020304);
    CHECK_U64(gm_ntohll(n64), 0x0102030405060708);
    CHECK_U64(gm_ntohc(gm_htonc(200)), 200);
    CU_ASSERT_EQUAL(gm_ntoh_s16(s16), -2);
    CU_ASSERT_EQUAL(gm_ntoh_s64(gm_hton_s64(-3)), -3);
    n32 = gm_hton_u32(0x01020304);
    CU_ASSERT_EQUAL(memcmp(&n32, bytes, sizeof(n32)), 0);
    GM_N(n16) = 7;
    CHECK_U64(GM_N(n16), 7);
}

static void test_pointers(void)
{
    int object;
    gm_up_n_t n;

    GM_N(n) = (gm_up_t)GM_N(gm_hton_u64((gm_u64_t)(uintptr_t)&object));
    CU_ASSERT_PTR_EQUAL(gm_ntohp(n), &object);
}

static void test_event_layout(void)
{
    union gm_recv_event event;

    CHECK_U64(sizeof(event), 64);
    CHECK_U64(offsetof(gm_recv_t, message), 32);
    CHECK_U64(offsetof(gm_recv_t, buffer), 40);
    CHECK_U64(offsetof(gm_recv_t, length), 52);
    CHECK_U64(offsetof(gm_recv_t, sender_node_id), 56);
    CHECK_U64(offsetof(gm_recv_t, tag), 60);
    CHECK_U64(offsetof(gm_recv_t, size), 61);
    CHECK_U64(offsetof(gm_recv_t, sender_port_id), 62);
    CHECK_U64(offsetof(gm_recv_t, type), 63);
    CHECK_U64(offsetof(gm_failed_send_event_t, message), 48);
    CHECK_U64(offsetof(gm_failed_send_event_t, target_node_id), 60);
    CHECK_U64(offsetof(gm_failed_send_event_t, type), 63);
    CHECK_U64(offsetof(gm_sent_event_t, type), 63);
    CHECK_U64(offsetof(gm_tokens_sent_event_t, type), 63);
    CHECK_U64(offsetof(gm_flushed_alarm_event_t, type), 63);
    CHECK_U64(offsetof(gm_fatal_firmware_error_event_t, type), 63);
    CHECK_U64(offsetof(gm_ethernet_recv_t, type), 63);
    event.recv.type = gm_hton_u8(GM_FAST_HIGH_PEER_RECV_EVENT);
    CHECK_U64(GM_RECV_EVENT_TYPE(&event), 18);
}

/* These numbers must never change, because old programs have been compiled with
 * them. */
static void test_numbers(void)
{
    CHECK_U64(GM_ABORTED, 25);
    CHECK_U64(GM_ACCESS_DENIED, 28);
    CHECK_U64(GM_FIRMWARE_ABORT, 47);
    CHECK_U64(GM_NUM_ERROR_CODES, 48);
    CHECK_U64(GM_SEND_TIMED_OUT, 15);
    CHECK_U64(GM_NEW_FATAL_FIRMWARE_ERROR_EVENT, 160);
    CHECK_U64(GM_NEW_RECV_EVENT, 128 + GM_RECV_EVENT);
    CHECK_U64(GM_NEW_SENT_TOKENS_EVENT, 128 + GM_SENT_TOKENS_EVENT);
    CHECK_U64(GM_API_VERSION, 0x20010);
    CHECK_U64(GM_API_MAJOR, 2);
    CHECK_U64(GM_API_MINOR, 0);
    CHECK_U64(GM_API_SUBMINOR, 16);
}

static void test_macros(void)
{
    gm_recv_t recv;
    int numbers[7];

    CHECK_U64(GM_NUM_ELEM(numbers), 7);
    CU_ASSERT_TRUE(GM_POWER_OF_TWO(64));
    CU_ASSERT_FALSE(GM_POWER_OF_TWO(65));
    CU_ASSERT_TRUE(GM_ALIGNED(4096, 4096));
    CU_ASSERT_FALSE(GM_ALIGNED(4100, 4096));
    CU_ASSERT_TRUE(GM_DMA_ALIGNED(16));
    CU_ASSERT_FALSE(GM_DMA_ALIGNED(12));
    CU_ASSERT_PTR_EQUAL(GM_STRUCT_CONTAINING(gm_recv_t, tag, &recv.tag), &recv);
    gm_always_assert(1 + 1 == 2);
}

/* [source: GM 2.0: a buffer of size s holds 2^s - 8 bytes] */
static void test_sizes(void)
{
    CHECK_U64(gm_max_length_for_size(0), 0);
    CHECK_U64(gm_max_length_for_size(2), 0);
    CHECK_U64(gm_max_length_for_size(3), 0);
    CHECK_U64(gm_max_length_for_size(4), 8);
    CHECK_U64(gm_max_length_for_size(12), 4088);
    CHECK_U64(gm_max_length_for_size(16), 65528);
    CHECK_U64(gm_max_length_for_size(31), 2147483640);
    CHECK_U64(gm_max_length_for_size(1000), gm_max_length_for_size(63));
    CHECK_U64(gm_min_size_for_length(0), 3);
    CHECK_U64(gm_min_size_for_length(1), 4);
    CHECK_U64(gm_min_size_for_length(8), 4);
    CHECK_U64(gm_min_size_for_length(9), 5);
    CHECK_U64(gm_min_size_for_length(4088), 12);
    CHECK_U64(gm_min_size_for_length(4089), 13);
    CHECK_U64(gm_min_size_for_length(2147483640), 31);
    CHECK_U64(gm_min_size_for_length(2147483641), 32);
    CHECK_U64(gm_min_size_for_length(~0ul), 32);
    CHECK_U64(gm_min_message_size(NULL), 3);
}

static void test_texts(void)
{
    unsigned status;

    for (status = 0; status < GM_NUM_STATUS_CODES; ++status) {
        CU_ASSERT_PTR_NOT_NULL(gm_strerror((gm_status_t)status));
        CU_ASSERT_STRING_NOT_EQUAL(gm_strerror((gm_status_t)status), "");
    }
    CU_ASSERT_STRING_EQUAL(gm_strerror(GM_SUCCESS), "success");
    CU_ASSERT_STRING_EQUAL(gm_strerror((gm_status_t)12345), "unknown status");
    CU_ASSERT_STRING_EQUAL(gm_qos_class_name(GM_QOS_PREMIUM), "premium");
    CU_ASSERT_STRING_EQUAL(gm_qos_class_name(GM_QOS_BEST_EFFORT),
                           "best effort");
    CU_ASSERT_STRING_EQUAL(gm_qos_criterion_name(GM_QOS_LINK), "link");
    CU_ASSERT_STRING_EQUAL(gm_qos_criterion_name(GM_QOS_OK), "none");
}

static void test_plain_memory(void)
{
    unsigned char *memory = gm_calloc(10, 10);
    void *page = gm_page_alloc();
    void *pages = gm_alloc_pages(GM_PAGE_LEN + 1);

    CU_ASSERT_PTR_NOT_NULL_FATAL(memory);
    CHECK_U64(memory[99], 0);
    CU_ASSERT_TRUE(GM_ALIGNED((uintptr_t)page, GM_PAGE_LEN));
    CU_ASSERT_TRUE(GM_ALIGNED((uintptr_t)pages, GM_PAGE_LEN));
    gm_free(memory);
    gm_page_free(page);
    gm_free_pages(pages, GM_PAGE_LEN + 1);
    gm_free(NULL);
    CU_ASSERT_PTR_NULL(gm_alloc_pages(~0ul));
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"integer types", test_integers},
        {"network byte order", test_byte_order},
        {"pointers in network byte order", test_pointers},
        {"layout of events", test_event_layout},
        {"numbers of constants", test_numbers},
        {"macros", test_macros},
        {"size classes", test_sizes},
        {"texts", test_texts},
        {"plain memory", test_plain_memory},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"gm types", NULL, NULL, NULL, NULL, tests});
}
