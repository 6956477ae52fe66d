/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests messages whose sender and receiver use different random nested
 * datatypes. The received data must be byte for byte equal to the result of
 * MPI_Pack() and MPI_Unpack(). The test uses all kinds of send and receive
 * calls, with short and long messages, one at a time and several at a time.
 * Usage: pack_random [ROUNDS [SEED]]
 */
#include "check.h"

#include <stdint.h>
#include <string.h>

enum {
    MOST_BYTES = 600000,
    MOST_ELEMENTS = 30000,
    DEPTH = 4,
    AT_ONCE = 4
};

static uint64_t state;

/* Return the next random number of the generator xorshift64*, whose state is
 * the same on both ranks. */
static unsigned below(unsigned limit)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (unsigned)((state * UINT64_C(2685821657736338717)) >> 33) % limit;
}

/* ---- datatypes ---- */

/*
 * Create the datatype for one period of the type signature. Because of gaps,
 * the elements are not contiguous.
 */
static MPI_Datatype base_type(unsigned kind)
{
    static const MPI_Datatype plain[] = {
        MPI_CHAR,   MPI_SHORT,       MPI_INT,
        MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_C_LONG_DOUBLE_COMPLEX};
    MPI_Datatype type, wide;
    MPI_Aint gap = (MPI_Aint)below(3) * 16;

    if (kind < 6) {
        MPI_Type_dup(plain[kind], &type);
    } else {
        /* the elements have different lengths, none of which divides the next
         * length */
        int lengths[3] = {1, 3, 1};
        MPI_Datatype types[3] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT};
        MPI_Aint at[3] = {0, 8, 32 + gap};

        MPI_Type_create_struct(3, lengths, at, types, &type);
    }
    MPI_Type_create_resized(type, 0, 64 + gap, &wide);
    MPI_Type_free(&type);
    return below(2) ? wide
                    : (MPI_Type_dup(wide, &type), MPI_Type_free(&wide), type);
}

static MPI_Datatype nest(MPI_Datatype old, int *elements)
{
    int n = 1 + (int)below(4);
    int blocks[4], at[4], next = (int)below(3), total = 0;
    MPI_Aint lb, extent, places[4];
    MPI_Datatype new;

    MPI_Type_get_extent(old, &lb, &extent);
    for (int i = 0; i < n; ++i) {
        blocks[i] = (int)below(4);
        at[i] = next;
        places[i] = (MPI_Aint)next * extent;
        next += blocks[i] + (int)below(3);
        total += blocks[i];
    }
    switch (total == 0 ? 0 : below(6)) {
    case 1:
        MPI_Type_indexed(n, blocks, at, old, &new);
        break;
    case 2:
        MPI_Type_create_hindexed(n, blocks, places, old, &new);
        break;
    case 3: {
        MPI_Datatype olds[4] = {old, old, old, old};

        MPI_Type_create_struct(n, blocks, places, olds, &new);
        break;
    }
    case 4: {
        int sizes[2] = {n + 2, 5}, part[2] = {n, 3}, start[2] = {1, 2};

        total = n * 3;
        MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_C, old, &new);
        break;
    }
    case 5:
        total = n;
        MPI_Type_contiguous(n, old, &new);
        break;
    default:
        total = n * 2;
        MPI_Type_vector(n, 2, 3, old, &new);
        break;
    }
    MPI_Type_free(&old);
    *elements *= total;
    return new;
}

static MPI_Datatype random_type(unsigned kind, int is_contig, int *elements)
{
    MPI_Datatype type;
    unsigned depth = below(DEPTH);

    *elements = 1;
    if (is_contig) {
        static const MPI_Datatype plain[] = {
            MPI_CHAR,   MPI_SHORT,       MPI_INT,
            MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_C_LONG_DOUBLE_COMPLEX};
        MPI_Type_dup(plain[kind], &type);
    } else {
        type = base_type(kind);
        while (depth-- > 0) {
            type = nest(type, elements);
        }
    }
    MPI_Type_commit(&type);
    return type;
}

/* ---- one side of a message ---- */

typedef struct side {
    MPI_Datatype type;
    int count;
    char *memory, *buffer;
    size_t span;
} side_t;

static void side_fill(side_t *side, int seed)
{
    MPI_Aint lb, extent, true_lb, true_extent;

    MPI_Type_get_extent(side->type, &lb, &extent);
    MPI_Type_get_true_extent(side->type, &true_lb, &true_extent);
    side->span =
        (size_t)(true_lb + true_extent + (MPI_Aint)side->count * extent + 64);
    side->memory = malloc(side->span);
    side->buffer = side->memory;
    for (size_t i = 0; i < side->span; ++i) {
        side->memory[i] = (char)(i * 7 + i / 253 + (size_t)seed * 31);
    }
}

static void side_end(side_t *side)
{
    free(side->memory);
    MPI_Type_free(&side->type);
}

/* Return the data that the receiver must have at the end. Both ranks know the
 * datatypes on both sides. */
static char *expected(const side_t *sent, const side_t *received, int *bytes_p)
{
    int bytes, position = 0;
    char *packed, *memory = malloc(received->span);

    MPI_Pack_size(sent->count, sent->type, MPI_COMM_WORLD, &bytes);
    packed = malloc((size_t)bytes + 1);
    MPI_Pack(sent->buffer, sent->count, sent->type, packed, bytes, &position,
             MPI_COMM_WORLD);
    bytes = position;
    position = 0;
    memcpy(memory, received->memory, received->span);
    MPI_Unpack(packed, bytes, &position, memory, received->count,
               received->type, MPI_COMM_WORLD);
    free(packed);
    *bytes_p = bytes;
    return memory;
}

/* ---- messages ---- */

typedef struct transfer {
    side_t sent, received;
    unsigned way_out, way_in;
    char *memory; /* the expected contents of the memory */
    int bytes;
    MPI_Request request;
} transfer_t;

static void transfer_make(transfer_t *transfer, int round, int tag)
{
    unsigned kind = below(7);
    int sent_elements, received_elements, bytes, size;
    unsigned how = below(4);
    unsigned most, elements;

    transfer->sent.type =
        random_type(kind, kind < 6 && how == 1, &sent_elements);
    transfer->received.type =
        random_type(kind, kind < 6 && how == 2, &received_elements);
    MPI_Type_size(transfer->sent.type, &size);
    bytes = size * received_elements;
    /*
     * a multiple of both types' numbers of elements; the gaps are a few hundred
     * bytes per element
     */
    elements = (unsigned)(sent_elements * received_elements);
    most = (below(3) ? MOST_BYTES : 30000u) / (unsigned)bytes + 1;
    if (most > MOST_ELEMENTS / elements + 1) {
        most = MOST_ELEMENTS / elements + 1;
    }
    size = 1 + (int)below(most);
    transfer->sent.count = size * received_elements;
    transfer->received.count = size * sent_elements;
    side_fill(&transfer->sent, round + tag);
    side_fill(&transfer->received, round + tag + 1000);
    transfer->way_out = below(6);
    transfer->way_in = below(3);
    transfer->memory =
        expected(&transfer->sent, &transfer->received, &transfer->bytes);
}

static void transfer_send(transfer_t *transfer, int peer, int tag)
{
    side_t *side = &transfer->sent;

    switch (transfer->way_out) {
    case 0:
        MPI_Issend(side->buffer, side->count, side->type, peer, tag,
                   MPI_COMM_WORLD, &transfer->request);
        break;
    case 1:
        MPI_Send_init(side->buffer, side->count, side->type, peer, tag,
                      MPI_COMM_WORLD, &transfer->request);
        MPI_Start(&transfer->request);
        break;
    default:
        MPI_Isend(side->buffer, side->count, side->type, peer, tag,
                  MPI_COMM_WORLD, &transfer->request);
        break;
    }
}

static void transfer_receive(transfer_t *transfer, int peer, int tag)
{
    side_t *side = &transfer->received;
    MPI_Message message;
    MPI_Status status;
    int bytes;

    switch (transfer->way_in) {
    case 0:
        MPI_Mprobe(peer, tag, MPI_COMM_WORLD, &message, &status);
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        CHECK(bytes == transfer->bytes, "the probe returned %d of %d bytes",
              bytes, transfer->bytes);
        MPI_Imrecv(side->buffer, side->count, side->type, &message,
                   &transfer->request);
        break;
    case 1:
        MPI_Recv_init(side->buffer, side->count, side->type, peer, tag,
                      MPI_COMM_WORLD, &transfer->request);
        MPI_Start(&transfer->request);
        break;
    default:
        MPI_Irecv(side->buffer, side->count, side->type, peer, tag,
                  MPI_COMM_WORLD, &transfer->request);
        break;
    }
}

static void transfer_end(transfer_t *transfer, int sends, int receives,
                         int round)
{
    MPI_Status status;
    int bytes;

    (void)sends;
    MPI_Wait(&transfer->request, &status);
    if (transfer->request != MPI_REQUEST_NULL) {
        MPI_Request_free(&transfer->request);
    }
    if (receives) {
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        CHECK(bytes == transfer->bytes, "round %d: received %d of %d bytes",
              round, bytes, transfer->bytes);
        CHECK(memcmp(transfer->received.memory, transfer->memory,
                     transfer->received.span) == 0,
              "round %d: incorrect data in a message of %d bytes", round,
              transfer->bytes);
    }
}

/* Transfer messages between ranks 0 and 1, or from rank 0 to itself. */
static void play_round(int round)
{
    transfer_t out[AT_ONCE], in[AT_ONCE];
    int n = 1 + (int)below(AT_ONCE);
    int both = (int)below(2), late = (int)below(2), self = below(8) == 0;

    for (int i = 0; i < n; ++i) {
        transfer_make(&out[i], round, i);
        if (self) {
            /*
             * if a rank sends to itself, it receives with MPI_Irecv
             */
            out[i].way_in = 2;
        }
    }
    /* the messages in the opposite direction are the same, but use different
     * memory */
    for (int i = 0; i < n; ++i) {
        in[i] = out[i];
        in[i].received.memory = malloc(in[i].received.span);
        memcpy(in[i].received.memory, out[i].received.memory,
               in[i].received.span);
        in[i].received.buffer = in[i].received.memory;
    }
    int sends = check_rank == 0 || (both && !self);
    int receives = self ? check_rank == 0 : check_rank == 1 || both;
    int peer = self ? check_rank : !check_rank;

    if (check_rank > 1) {
        sends = receives = 0;
    }
    if (sends) {
        for (int i = 0; i < n; ++i) {
            transfer_send(&out[i], peer, i);
        }
    }
    if (late) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (receives) {
        for (int i = 0; i < n; ++i) {
            transfer_receive(&in[i], peer, i);
        }
    }
    for (int i = 0; i < n; ++i) {
        if (receives) {
            transfer_end(&in[i], 0, 1, round);
        }
    }
    for (int i = 0; i < n; ++i) {
        if (sends) {
            transfer_end(&out[i], 1, 0, round);
        }
        free(in[i].received.memory);
        free(out[i].memory);
        free(out[i].received.memory);
        MPI_Type_free(&out[i].received.type);
        side_end(&out[i].sent);
    }
}

/* ---- receives with too short buffers ---- */

static void play_truncation(void)
{
    MPI_Datatype columns;
    MPI_Status status;
    static char wide[2 * 200000], flat[200000];
    int error, class, bytes;

    MPI_Type_vector(50000, 1, 2, MPI_SHORT, &columns);
    MPI_Type_commit(&columns);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 4; ++i) {
        if (check_rank == 0) {
            memset(wide, 'a' + i, sizeof(wide));
            MPI_Send(wide, i & 1 ? 1 : 200000, i & 1 ? columns : MPI_BYTE, 1, i,
                     MPI_COMM_WORLD);
        } else if (check_rank == 1) {
            memset(flat, 0, sizeof(flat));
            memset(wide, 0, sizeof(wide));
            if (i & 2) {
                MPI_Datatype few;

                MPI_Type_vector(20001, 1, 2, MPI_SHORT, &few);
                MPI_Type_commit(&few);
                error = MPI_Recv(wide, 1, few, 0, i, MPI_COMM_WORLD, &status);
                MPI_Type_free(&few);
                CHECK(wide[80001] == 'a' + i && wide[80002] == 0 &&
                          wide[80004] == 0,
                      "message %d: incorrect data", i);
            } else {
                error = MPI_Recv(flat, 40002, MPI_BYTE, 0, i, MPI_COMM_WORLD,
                                 &status);
                CHECK(flat[40001] == 'a' + i && flat[40002] == 0,
                      "message %d: incorrect data", i);
            }
            MPI_Error_class(error, &class);
            MPI_Get_count(&status, MPI_BYTE, &bytes);
            CHECK(class == MPI_ERR_TRUNCATE, "%d: class %d", i, class);
            CHECK(bytes == 40002, "%d: %d bytes", i, bytes);
        }
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Type_free(&columns);
}

int main(int argc, char **argv)
{
    int rounds = 40;

    check_start(&argc, &argv);
    if (argc > 1) {
        rounds = atoi(argv[1]);
    }
    state = UINT64_C(88172645463325252) +
            (argc > 2 ? strtoull(argv[2], NULL, 10) : 0);
    for (int round = 0; round < rounds; ++round) {
        play_round(round);
    }
    play_truncation();
    return check_end();
}
