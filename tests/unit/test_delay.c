/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the measured delays of messages beyond the burst, with due times
 * computed by hand. A packet of 4096 bytes takes 100 us at the bandwidth of
 * these flows.
 */
#include "nic/delay.h"
#include "nic/packet.h"

#include <string.h>

#include "unit.h"

#define PACKET  (100 * GMS_US)
#define SEGMENT 4096u

static gms_flow_t flow;
static gms_delay_t delay;

static void begin(uint32_t burst)
{
    memset(&flow, 0, sizeof(flow));
    memset(&delay, 0, sizeof(delay));
    delay.terms.packet_ps = PACKET;
    delay.terms.burst = burst;
    flow.delay = &delay;
}

static gms_time_t post(gms_time_t call_ps, uint32_t length, uint8_t type)
{
    gms_token_t token = {.type = type,
                         .length = length,
                         .segment_bytes = SEGMENT,
                         .desc.call_ps = call_ps};

    gms_delay_post(&flow, &token);
    return token.due_ps;
}

static void test_within_the_burst(void)
{
    begin(4);
    /* four packets at once, and then one packet every 100 us */
    CHECK_U64(post(GMS_MS, 2 * SEGMENT, 0), GMS_MS);
    CHECK_U64(post(GMS_MS, 2 * SEGMENT, 0), GMS_MS);
    CHECK_U64(post(GMS_MS + PACKET, 1, 0), GMS_MS + PACKET);
    CHECK_U64(post(GMS_MS + 2 * PACKET, 0, 0), GMS_MS + 2 * PACKET);
    gms_delay_arrive(&flow, GMS_MS, 0, GMS_MS + 70 * GMS_US);
    gms_delay_arrive(&flow, GMS_MS, 0, GMS_MS + 60 * GMS_US);
    CHECK_U64(delay.sends.worst_ps, 70 * GMS_US);
    CHECK_U64(delay.sends.messages, 2);
    CHECK_U64(delay.sends.beyond, 0);
}

/* The fifth packet is 100 us too early, and the sixth packet is 200 us too
 * early. */
static void test_beyond_the_burst(void)
{
    gms_time_t fifth, sixth;

    begin(4);
    CHECK_U64(post(GMS_MS, 4 * SEGMENT, 0), GMS_MS);
    fifth = post(GMS_MS, 1, 0);
    sixth = post(GMS_MS, 1, 0);
    gms_delay_arrive(&flow, fifth, 0, GMS_MS + PACKET + 30 * GMS_US);
    CHECK_U64(delay.sends.worst_ps, 30 * GMS_US);
    gms_delay_arrive(&flow, sixth, 0, GMS_MS + 2 * PACKET + 40 * GMS_US);
    CHECK_U64(delay.sends.worst_ps, 40 * GMS_US);
    /* If a message arrives before its due time, its delay counts as 0. */
    gms_delay_arrive(&flow, sixth, 0, GMS_MS + PACKET);
    CHECK_U64(delay.sends.worst_ps, 40 * GMS_US);
    CHECK_U64(delay.sends.messages, 3);
    CHECK_U64(delay.sends.beyond, 3);
}

/* After a pause, the bucket is empty again. A longer pause does not permit a
 * larger burst. */
static void test_pause(void)
{
    begin(2);
    CHECK_U64(post(GMS_MS, 2 * SEGMENT, 0), GMS_MS);
    CHECK_U64(post(9 * GMS_MS, 2 * SEGMENT, 0), 9 * GMS_MS);
    CU_ASSERT_TRUE(post(9 * GMS_MS, 1, 0) > 9 * GMS_MS);
}

/* If a message is longer than the burst, it is due when the part beyond the
 * burst would have been sent. */
static void test_long_message(void)
{
    gms_time_t due_ps;

    begin(2);
    due_ps = post(GMS_MS, 5 * SEGMENT, 0);
    gms_delay_arrive(&flow, due_ps, 0, GMS_MS + 3 * PACKET + 5);
    CHECK_U64(delay.sends.worst_ps, 5);
    CHECK_U64(delay.sends.beyond, 1);
}

/* Puts fill the bucket, but their delays are not measured. Gets and the answers
 * to gets do not fill the bucket, and their delays are not measured. */
static void test_puts(void)
{
    begin(4);
    CHECK_U64(post(GMS_MS, 4 * SEGMENT, GMS_PACKET_PUT), 0);
    CHECK_U64(post(GMS_MS, 4 * SEGMENT, GMS_PACKET_GET), 0);
    CU_ASSERT_TRUE(post(GMS_MS, 1, 0) > GMS_MS);
}

static void test_before_the_grant(void)
{
    begin(4);
    delay.from_ps = 2 * GMS_MS;
    CHECK_U64(post(GMS_MS, 1, 0), 0);
    CHECK_U64(post(2 * GMS_MS, 1, 0), 2 * GMS_MS);
    gms_delay_arrive(&flow, GMS_MS, 0, 3 * GMS_MS);
    CHECK_U64(delay.sends.messages, 0);
    delay.terms.packet_ps = 0;
    CHECK_U64(post(4 * GMS_MS, 1, 0), 0);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"packets within the allowed burst", test_within_the_burst},
        {"packets beyond the allowed burst", test_beyond_the_burst},
        {"pause", test_pause},
        {"long message", test_long_message},
        {"puts", test_puts},
        {"packets before the reservation was granted", test_before_the_grant},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"delay", NULL, NULL, NULL, NULL, tests});
}
