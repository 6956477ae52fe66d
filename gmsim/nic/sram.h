/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Account of the NIC memory that connections, flows with tokens, tokens, and
 * messages in reassembly occupy. A flow without a reservation receives a new
 * token only while at most three quarters of the memory are in use. Therefore a
 * NIC whose programs post many sends still has memory to receive messages.
 * Tokens and messages of reserved flows may always use up to a quarter of the
 * memory, even if connections, which are never refused, occupy the whole
 * memory. [assumed: the sizes of these structs on the NIC, and the two
 * quarters]
 */
#ifndef NIC_SRAM_H
#define NIC_SRAM_H

#include "nic/nic_int.h"

/** Memory that is excluded from the account: the program, the staging buffers,
 *  the rings, and the cache of the page table. */
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
/** Release the memory that was charged for a token. The call has no effect if
 *  the token is not charged. */
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
