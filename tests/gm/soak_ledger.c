/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes the contents of the messages of `soak`, records what happened to
 * every message, and checks the records of all ranks at the end.
 */
#include "soak_ledger.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <gm.h>
#include <gmsim.h>

enum {
    PACKET_BYTES = 4096
};

ledger_t *ledger;
uint32_t ledger_per_stream;
static soak_plan_t ledger_plan;
static uint64_t planned_packets;

/* ---- contents of messages ----------------------------------------------- */

uint64_t soak_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t soak_key(unsigned source, unsigned target, unsigned priority,
                  uint32_t number)
{
    uint64_t stream = ((uint64_t)source << 16) | (target << 1) | priority;

    return soak_mix(ledger_plan.seed * UINT64_C(0x9e3779b97f4a7c15) +
                    soak_mix((stream << 32) | number));
}

uint32_t soak_length(uint64_t key)
{
    uint64_t draw = soak_mix(key + 1);
    unsigned exponent = (unsigned)(draw % 20);
    uint64_t length = (UINT64_C(1) << exponent) +
                      ((draw >> 20) & ((UINT64_C(1) << exponent) - 1));

    if ((draw >> 50) % 32 == 0) {
        return 0;
    }
    if ((draw >> 55) % 64 == 0 || length > MAX_BYTES) {
        return MAX_BYTES;
    }
    return (uint32_t)length;
}

static uint64_t word_of(uint64_t key, uint64_t index)
{
    uint64_t word = key + index * UINT64_C(0x9e3779b97f4a7c15);

    word = (word ^ (word >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
    return word ^ (word >> 32);
}

void soak_make(unsigned char *memory, const head_t *head, uint64_t key)
{
    uint64_t words = head->length / 8, index, word;

    for (index = 0; index < words; ++index) {
        word = word_of(key, index);
        memcpy(memory + 8 * index, &word, 8);
    }
    word = word_of(key, words);
    memcpy(memory + 8 * words, &word, head->length % 8);
    if (head->length >= sizeof(*head)) {
        memcpy(memory, head, sizeof(*head));
    }
}

uint64_t soak_compare(const unsigned char *memory, uint32_t length,
                      uint64_t key)
{
    uint64_t index = length >= sizeof(head_t) ? sizeof(head_t) / 8 : 0;
    uint64_t words = length / 8, word;

    for (; index < words; ++index) {
        word = word_of(key, index);
        if (memcmp(memory + 8 * index, &word, 8) != 0) {
            return 8 * index;
        }
    }
    word = word_of(key, words);
    return memcmp(memory + 8 * words, &word, length % 8) == 0 ? length
                                                              : 8 * words;
}

static uint64_t packets_of(uint32_t length)
{
    return length == 0 ? 1 : (length + PACKET_BYTES - 1) / PACKET_BYTES;
}

/* ---- ledger ------------------------------------------------------------- */

static uint64_t ledger_messages(void)
{
    return (uint64_t)ledger_plan.ranks * ledger_plan.ranks * PRIORITIES *
           ledger_per_stream;
}

uint8_t *ledger_sent(unsigned source, unsigned target, unsigned priority,
                     uint32_t number)
{
    uint64_t stream =
        ((uint64_t)source * ledger_plan.ranks + target) * PRIORITIES + priority;

    return &ledger->bytes[stream * ledger_per_stream + number];
}

uint8_t *ledger_got(unsigned source, unsigned target, unsigned priority,
                    uint32_t number)
{
    return ledger_sent(source, target, priority, number) + ledger_messages();
}

static void ledger_open(void)
{
    uint64_t bytes = sizeof(ledger_t) + 2 * ledger_messages();
    int file = open(ledger_plan.path, O_RDWR | O_CREAT, 0600);

    if (file < 0 || ftruncate(file, (off_t)bytes) != 0) {
        gmsim_fatal("soak: cannot create the ledger %s", ledger_plan.path);
    }
    ledger = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (ledger == MAP_FAILED) {
        gmsim_fatal("soak: cannot map the ledger %s", ledger_plan.path);
    }
}

/*
 * Compute the number of messages per stream that results in the requested
 * number of packets.
 */
static void ledger_count(void)
{
    uint64_t packets = 0;
    unsigned s, t, p;

    for (ledger_per_stream = 0; packets < ledger_plan.packets;
         ++ledger_per_stream) {
        for (s = 0; s < ledger_plan.ranks; ++s) {
            for (t = 0; t < ledger_plan.ranks; ++t) {
                for (p = 0; s != t && p < PRIORITIES; ++p) {
                    packets += packets_of(
                        soak_length(soak_key(s, t, p, ledger_per_stream)));
                }
            }
        }
    }
    planned_packets = packets;
}

void ledger_create(const soak_plan_t *plan)
{
    ledger_plan = *plan;
    ledger_count();
    ledger_open();
}

/* ---- the report --------------------------------------------------------- */

/*
 * Handle a short message that has arrived but was taken for an earlier message.
 * The earlier message has the same content and was reported as failed. @return
 * 1 if this happened
 */
static int ledger_settle(unsigned s, unsigned t, unsigned p, uint32_t number)
{
    uint64_t key = soak_key(s, t, p, number);
    uint32_t length = soak_length(key), k;
    unsigned char bytes[sizeof(head_t)];
    head_t head = {.length = length};

    if (length >= sizeof(head)) {
        return 0;
    }
    soak_make(bytes, &head, key);
    for (k = number; k-- > 0;) {
        uint64_t other = soak_key(s, t, p, k);

        if (*ledger_got(s, t, p, k) && *ledger_sent(s, t, p, k) > SENT_STATUS &&
            soak_length(other) == length &&
            soak_compare(bytes, length, other) == length) {
            *ledger_got(s, t, p, k) = 0;
            *ledger_got(s, t, p, number) = 1;
            return 1;
        }
    }
    return 0;
}

static void ledger_settle_all(void)
{
    unsigned s, t, p;
    uint32_t k;

    for (s = 0; s < ledger_plan.ranks; ++s) {
        for (t = 0; t < ledger_plan.ranks; ++t) {
            for (p = 0; s != t && p < PRIORITIES; ++p) {
                for (k = 0; k < ledger_per_stream; ++k) {
                    if (*ledger_sent(s, t, p, k) == SENT_STATUS &&
                        !*ledger_got(s, t, p, k)) {
                        ledger_settle(s, t, p, k);
                    }
                }
            }
        }
    }
}

void ledger_report(int is_mortal)
{
    uint64_t offered = 0, delivered = 0, unknown = 0, both = 0, bytes = 0;
    uint64_t by_status[256] = {0};
    gmsim_fault_counts_t faults;
    gmsim_totals_t totals;
    unsigned s, t, p, i, alive = 0;
    uint32_t k;

    ledger_settle_all();
    for (s = 0; s < ledger_plan.ranks; ++s) {
        alive += ledger->finished[s];
    }
    for (s = 0; s < ledger_plan.ranks; ++s) {
        for (t = 0; t < ledger_plan.ranks; ++t) {
            for (p = 0; s != t && p < PRIORITIES; ++p) {
                for (k = 0; k < ledger_per_stream; ++k) {
                    uint8_t sent = *ledger_sent(s, t, p, k);
                    uint8_t got = *ledger_got(s, t, p, k);

                    offered += sent != SENT_NOT;
                    delivered += got;
                    if (got) {
                        bytes += soak_length(soak_key(s, t, p, k));
                    }
                    if (sent >= SENT_STATUS) {
                        ++by_status[sent - SENT_STATUS];
                    }
                    unknown += sent == SENT_OFFERED;
                    both += got && sent > SENT_STATUS;
                    if (got > 1 || (got && sent == SENT_NOT) ||
                        (sent == SENT_STATUS && !got && ledger->finished[t]) ||
                        (sent == SENT_OFFERED && ledger->finished[s])) {
                        gmsim_fatal(
                            "soak: stream %u->%u priority %u: message "
                            "%u: sender's record %u, delivered %u times",
                            s, t, p, k, sent, got);
                    }
                }
            }
        }
    }
    gmsim_get_totals(&totals);
    gmsim_get_fault_counts(&faults);
    printf("soak: %u ranks, seed %" PRIu64 ", %" PRIu64
           " data packets planned\n",
           ledger_plan.ranks, ledger_plan.seed, planned_packets);
    printf("ranks that finished          %u\n", alive);
    printf("messages offered             %" PRIu64 "\n", offered);
    printf("messages delivered           %" PRIu64 "\n", delivered);
    printf("bytes delivered              %" PRIu64 "\n", bytes);
    for (i = 0; i < 254; ++i) {
        if (by_status[i] != 0) {
            printf("sends with this result       %" PRIu64 " %s\n",
                   by_status[i], gm_strerror((gm_status_t)i));
        }
    }
    printf("failed, but delivered        %" PRIu64 "\n", both);
    printf("unknown (sender died)        %" PRIu64 "\n", unknown);
    printf("virtual time, s              %.6f\n",
           (double)totals.now_ps * 1e-12);
    printf("events                       %" PRIu64 "\n", totals.events);
#define ROW(_text, _value) printf("%-28s %" PRIu64 "\n", _text, _value)
    ROW("packets", totals.packets);
    ROW("data packets", totals.data_packets);
    ROW("data packets sent again", faults.resent);
    ROW("acknowledgements", faults.acks);
    ROW("negative acknowledgements", faults.nacks);
    ROW("probes", faults.probes);
    ROW("dropped", faults.dropped);
    ROW("damaged in the header", faults.damaged_header);
    ROW("cut short by a link", faults.cut_short);
    ROW("  found by CRC-8", faults.bad_crc_header);
    ROW("damaged in the payload", faults.damaged_payload);
    ROW("  found by CRC-32", faults.bad_crc_payload);
    ROW("duplicated", faults.duplicated);
    ROW("delayed", faults.delayed);
    ROW("links taken down", faults.links_down);
    ROW("lost on a link that is down", faults.lost_on_link);
    ROW("out of sequence, early", faults.out_of_sequence_early);
    ROW("out of sequence, late", faults.out_of_sequence_late);
    ROW("dropped without a buffer", faults.no_buffer);
    ROW("dropped at a closed port", faults.closed_port);
    ROW("NIC resets", faults.nic_resets);
#undef ROW
    if (offered == 0 || (!is_mortal && delivered == 0) ||
        faults.bad_crc_header > faults.damaged_header + faults.cut_short ||
        faults.bad_crc_payload > faults.damaged_payload) {
        gmsim_fatal("soak: the counts of messages or packets are inconsistent");
    }
    fflush(stdout);
    unlink(ledger_plan.path);
}
