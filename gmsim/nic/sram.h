/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Memory of the NIC that connections, flows with tokens, tokens and messages in
 * reassembly occupy. Tokens of programs leave a quarter of it to the rest: two
 * NICs full of them can still receive. Another quarter is for tokens and
 * messages of reserved flows, however much memory the connections of other
 * traffic take, because connections are never refused.
 * [assumed: sizes of these structs on the NIC, and the quarters]
 */
#ifndef NIC_SRAM_H
#define NIC_SRAM_H

#include "nic/nic_int.h"

/** Not in the account: program, staging buffers, rings, page table cache. */
#define GMS_SRAM_PROGRAM_BYTES    (UINT64_C(256) << 10)
#define GMS_SRAM_TOKEN_BYTES      64u
#define GMS_SRAM_FLOW_BYTES       64u
#define GMS_SRAM_STREAM_BYTES     32u
#define GMS_SRAM_CONNECTION_BYTES 64u
#define GMS_SRAM_RECORD_BYTES     8u

/** Is there room for one more? */
int gms_sram_has_token(const gms_nic_t *nic);
/** .. for a send on a flow with a reservation, which may use all of it? */
int gms_sram_has_reserved_token(const gms_nic_t *nic);
/** Is there room for one more message in reassembly? */
int gms_sram_has_stream(const gms_nic_t *nic, int is_reserved);

void gms_sram_charge_token(gms_nic_t *nic, gms_token_t *token);
void gms_sram_charge_stream(gms_nic_t *nic, const gms_message_t *message);
void gms_sram_release_stream(gms_nic_t *nic, const gms_message_t *message);
/** Does nothing to a token that is not charged. */
void gms_sram_release_token(gms_nic_t *nic, gms_token_t *token);

static inline void gms_sram_charge(gms_nic_t *nic, uint64_t bytes)
{
    nic->counters.sram_used_bytes += bytes;
}

static inline void gms_sram_release(gms_nic_t *nic, uint64_t bytes)
{
    nic->counters.sram_used_bytes -= bytes;
}

#endif
