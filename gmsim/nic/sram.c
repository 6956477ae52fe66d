/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tracks how much NIC memory is in use, but does not allocate memory. When the
 * memory is used up, new send descriptors wait in the ring of their port. The
 * NIC then answers new messages with a NACK, as if there were no buffer.
 * Connections and tokens that answer gets are charged but never refused. The
 * first token and the first message in reassembly are not refused either.
 * Otherwise a NIC whose memory is full of connections could never send or
 * receive again.
 *
 * The sends of a stalled stream are not charged to this memory. These sends are
 * treated as if they were back in their port's ring, which has its own memory.
 * If the sends were charged, they could block the command that drops them.
 */
#include "nic/sram.h"

static uint64_t gms_sram_total(const gms_nic_t *nic)
{
    return nic->params->nic_sram_bytes - GMS_SRAM_PROGRAM_BYTES;
}

int gms_sram_has_token(const gms_nic_t *nic)
{
    uint64_t total = gms_sram_total(nic);

    return nic->sram_tokens == nic->sram_reserved_tokens ||
           nic->counters.sram_used_bytes + GMS_SRAM_TOKEN_BYTES +
                   GMS_SRAM_FLOW_BYTES <=
               total - total / 4;
}

/* Return 1 if reserved flows may use this many additional bytes. The bytes must
 * fit into the unused memory or into the quarter for reserved flows. */
static int gms_sram_has_reserved(const gms_nic_t *nic, uint64_t bytes)
{
    uint64_t used_bytes = nic->sram_reserved_tokens * GMS_SRAM_TOKEN_BYTES +
                          nic->sram_reserved_streams * GMS_SRAM_STREAM_BYTES;

    return nic->counters.sram_used_bytes + bytes <= gms_sram_total(nic) ||
           used_bytes + bytes <= gms_sram_total(nic) / 4;
}

int gms_sram_has_reserved_token(const gms_nic_t *nic)
{
    return nic->sram_tokens == 0 ||
           gms_sram_has_reserved(nic,
                                 GMS_SRAM_TOKEN_BYTES + GMS_SRAM_FLOW_BYTES);
}

int gms_sram_has_stream(const gms_nic_t *nic, int is_reserved)
{
    if (is_reserved) {
        return gms_sram_has_reserved(nic, GMS_SRAM_STREAM_BYTES);
    }
    return nic->sram_streams == nic->sram_reserved_streams ||
           nic->counters.sram_used_bytes + GMS_SRAM_STREAM_BYTES <=
               gms_sram_total(nic);
}

void gms_sram_charge_token(gms_nic_t *nic, gms_token_t *token)
{
    token->in_sram = 1;
    token->is_sram_reserved = token->flow != NULL && token->flow->promises > 0;
    ++nic->sram_tokens;
    gms_sram_charge(nic, GMS_SRAM_TOKEN_BYTES);
    nic->sram_reserved_tokens += token->is_sram_reserved;
}

void gms_sram_release_token(gms_nic_t *nic, gms_token_t *token)
{
    if (token->in_sram) {
        token->in_sram = 0;
        --nic->sram_tokens;
        gms_sram_release(nic, GMS_SRAM_TOKEN_BYTES);
        nic->sram_reserved_tokens -= token->is_sram_reserved;
    }
}

void gms_sram_charge_stream(gms_nic_t *nic, const gms_message_t *message)
{
    ++nic->sram_streams;
    gms_sram_charge(nic, GMS_SRAM_STREAM_BYTES);
    nic->sram_reserved_streams +=
        (uint32_t)gms_nic_is_real_time(nic, message->traffic_class);
}

void gms_sram_release_stream(gms_nic_t *nic, const gms_message_t *message)
{
    --nic->sram_streams;
    gms_sram_release(nic, GMS_SRAM_STREAM_BYTES);
    nic->sram_reserved_streams -=
        (uint32_t)gms_nic_is_real_time(nic, message->traffic_class);
}
