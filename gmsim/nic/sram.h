/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Account of the NIC memory that connections, flows with tokens, tokens and
 * messages in reassembly occupy. Tokens of programs leave a quarter of the
 * memory to the other uses, so two NICs that are full of tokens can still
 * receive. Another quarter is for tokens and messages of reserved flows.
 * Connections of other traffic cannot use up this quarter, although connections
 * are never refused. [assumed: sizes of these structs on the NIC, and the
 * quarters]
 */
#ifndef NIC_SRAM_H
#define NIC_SRAM_H

#include "nic/nic_int.h"

/** Memory that the account does not contain: the program, staging buffers,
 *  rings, and the cache of the page table. */
#define GMS_SRAM_PROGRAM_BYTES    (UINT64_C(256) << 10)
#define GMS_SRAM_TOKEN_BYTES      64u
#define GMS_SRAM_FLOW_BYTES       64u
#define GMS_SRAM_STREAM_BYTES     32u
#define GMS_SRAM_CONNECTION_BYTES 64u
#define GMS_SRAM_RECORD_BYTES     8u

/** Return 1 if there is room for one more token. */
int gms_sram_has_token(const gms_nic_t *nic);
/** Return 1 if there is room for a token of a flow with a reservation, which
 *  may use the whole memory. */
int gms_sram_has_reserved_token(const gms_nic_t *nic);
/** Return 1 if there is room for one more message in reassembly. */
int gms_sram_has_stream(const gms_nic_t *nic, int is_reserved);

void gms_sram_charge_token(gms_nic_t *nic, gms_token_t *token);
void gms_sram_charge_stream(gms_nic_t *nic, const gms_message_t *message);
void gms_sram_release_stream(gms_nic_t *nic, const gms_message_t *message);
/** Release the memory of a token; no effect if the token is not charged. */
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
