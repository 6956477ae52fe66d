/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * keeps: checks that flows with a reservation receive the granted bandwidth in
 * spite of other traffic. For the given time, each flow of a list keeps several
 * messages in flight. The receiver records the time at which each message is
 * complete. A reservation is kept if
 *   - its mean bandwidth is at most 0.5 % below the grant, and
 *   - the bandwidth in every window is at most 0.5 % below the grant; the
 *     message that is in flight at the end of the window is counted. The length
 *     of a window is 100 ms or the time of 400 packets at the flow's rate,
 *     whichever is longer.
 *
 * usage: keeps [-v] [-s SECONDS] [-w MESSAGES] [-m BYTES] FLOW..
 *   -v  print a line for every flow, and the worst flow
 *   -s  duration of the flows in simulated time; 0.3 by default
 *   -w  messages of a flow in flight, 8 by default
 *   -m  bytes of a message, 65536 by default
 *
 * FLOW is FROM-TO:KIND[@BYTES]: messages between two ranks, with a separate
 * communicator for each flow. KIND is
 *   40           a reservation of 40 MB/s, which must be granted
 *   be           declared best effort
 *   flood        undeclared traffic without a request
 *   get, get=20  TO gets data from a window of FROM, without a reservation or
 *                with a reservation of 20 MB/s
 * FLOW can also be
 *   all          messages between all ranks on MPI_COMM_WORLD, requested by a
 *                policy; denied flows run without a reservation
 *   coll=N       all ranks call MPI_Ialltoall N times, one call after the other,
 *                with 16 KB for every rank
 */
#include "check.h"

#include <string.h>

enum {
    MAX_FLOWS = 1024,
    MAX_WINDOW = 64,
    WINDOW_PACKETS = 400,
    PACKET = 4096,
    BLOCK = 16384
};

#define WARM_UP        0.02
#define WINDOW_SECONDS 0.1
#define PART           0.995

enum kind {
    RESERVED,
    BEST_EFFORT,
    FLOOD,
    GET
};

struct flow {
    int from, to;
    enum kind kind;
    double asked;   /* requested bandwidth in bytes/s; 0: no request */
    double granted; /* bandwidth granted to the source in bytes/s */
    int bytes;
    MPI_Comm comm;
    MPI_Win win;
    char *buffer;
    int is_over;     /* 1: the flow has ended on this rank */
    int active;      /* requests */
    double *arrival; /* times at which the messages arrived at the receiver */
    int arrivals, room;
};

static struct flow flows[MAX_FLOWS];
static int count, window = 8, message = 65536, verbose;
static int collectives; /* number of collective calls that have not been started
                         * yet */
static char *exchanged;
static MPI_Comm exchange;
static double seconds = 0.3, start;
static MPI_Request *requests;
static int *indices;
static MPI_Status *statuses;

static void usage(const char *what)
{
    fprintf(stderr, "keeps: invalid argument '%s'\n", what);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

/* ---- flows ---- */

static struct flow *add(int from, int to)
{
    struct flow *flow = &flows[count++];

    if (count > MAX_FLOWS || from == to || from < 0 || to < 0 ||
        from >= check_size || to >= check_size) {
        usage("FROM-TO");
    }
    flow->from = from;
    flow->to = to;
    flow->kind = FLOOD;
    flow->bytes = message;
    flow->comm = MPI_COMM_WORLD;
    flow->win = MPI_WIN_NULL;
    return flow;
}

static void parse(const char *text)
{
    struct flow *flow;
    char kind[16] = "";
    int from, to, bytes = message;

    if (sscanf(text, "%d-%d:%15[a-z0-9.=]@%d", &from, &to, kind, &bytes) < 3 ||
        bytes < 1) {
        usage(text);
    }
    flow = add(from, to);
    flow->bytes = bytes;
    MPI_Comm_dup(MPI_COMM_WORLD, &flow->comm);
    if (strcmp(kind, "be") == 0) {
        flow->kind = BEST_EFFORT;
    } else if (strncmp(kind, "get", 3) == 0) {
        flow->kind = GET;
        flow->asked = kind[3] == '=' ? atof(kind + 4) * MB : 0;
    } else if (strcmp(kind, "flood") != 0) {
        flow->kind = RESERVED;
        flow->asked = atof(kind) * MB;
        if (flow->asked <= 0) {
            usage(text);
        }
    }
}

static void all_pairs(void)
{
    int from, to;

    for (from = 0; from < check_size; ++from) {
        for (to = 0; to < check_size; ++to) {
            if (from != to) {
                add(from, to)->kind = RESERVED;
            }
        }
    }
}

/* The request uses hints, because the window duplicates its communicator. */
static void open_window(struct flow *flow)
{
    int is_owner = check_rank == flow->from;
    char text[32];
    MPI_Info info;

    MPI_Info_create(&info);
    if (is_owner && flow->asked > 0) {
        snprintf(text, sizeof(text), "%d", flow->to);
        MPI_Info_set(info, "mpiqos_peer", text);
        snprintf(text, sizeof(text), "%.0f B/s", flow->asked);
        MPI_Info_set(info, "mpiqos_bandwidth", text);
        snprintf(text, sizeof(text), "%d", flow->bytes);
        MPI_Info_set(info, "mpiqos_message_size", text);
    }
    MPI_Win_create(flow->buffer, is_owner ? flow->bytes : 0, 1, info,
                   flow->comm, &flow->win);
    MPI_Info_free(&info);
    MPI_Win_lock_all(0, flow->win);
    flow->granted = flow->asked;
}

static void open_flow(struct flow *flow)
{
    MPIQOS_Flow answer = MPIQOS_FLOW_INIT;

    if (check_rank == flow->from || check_rank == flow->to) {
        flow->buffer = calloc((size_t)window, (size_t)flow->bytes);
        CHECK(flow->buffer != NULL, "out of memory");
    }
    if (flow->kind == GET) {
        open_window(flow);
    } else if (check_rank == flow->from && flow->comm != MPI_COMM_WORLD &&
               flow->kind != FLOOD) {
        answer = *ask_sized(flow->comm, flow->to,
                            flow->kind == RESERVED ? MPIQOS_PREMIUM
                                                   : MPIQOS_BEST_EFFORT,
                            flow->asked, flow->bytes);
        CHECK(answer.state == MPIQOS_GRANTED, "%s", answer.reason);
    } else if (check_rank == flow->from && flow->kind == RESERVED) {
        MPIQOS_Peer_state(MPI_COMM_WORLD, flow->to, &answer);
    }
    if (flow->kind == RESERVED) {
        if (check_rank == flow->from && answer.state == MPIQOS_GRANTED) {
            flow->granted = answer.granted_bandwidth;
        }
        MPI_Bcast(&flow->granted, 1, MPI_DOUBLE, flow->from, MPI_COMM_WORLD);
    }
}

/* ---- traffic ---- */

static int is_sender(const struct flow *flow)
{
    return check_rank == flow->from && flow->kind != GET;
}

static int is_mine(const struct flow *flow)
{
    return check_rank == flow->to || is_sender(flow);
}

static MPI_Request *request_of(int flow, int slot)
{
    return &requests[flow * window + slot];
}

/* Start the next message of a slot, unless the duration of the flows has
 * passed. */
static void begin(int number, int slot)
{
    struct flow *flow = &flows[number];
    MPI_Request *request = request_of(number, slot);
    char *buffer = flow->buffer + (size_t)slot * (size_t)flow->bytes;
    int is_over = MPI_Wtime() - start >= seconds;

    if (is_sender(flow) && !is_over) {
        MPI_Isend(buffer, flow->bytes, MPI_BYTE, flow->to, 0, flow->comm,
                  request);
    } else if (is_sender(flow) && !flow->is_over) {
        /* an empty message marks the end */
        flow->is_over = 1;
        MPI_Isend(buffer, 0, MPI_BYTE, flow->to, 0, flow->comm, request);
    } else if (flow->kind == GET && !is_over) {
        MPI_Rget(buffer, flow->bytes, MPI_BYTE, flow->from, 0, flow->bytes,
                 MPI_BYTE, flow->win, request);
    } else if (flow->kind != GET && !is_sender(flow) && !flow->is_over) {
        MPI_Irecv(buffer, flow->bytes, MPI_BYTE, flow->from, 0, flow->comm,
                  request);
    } else {
        return;
    }
    ++flow->active;
}

static void arrive(struct flow *flow)
{
    if (flow->arrivals == flow->room) {
        flow->room = 2 * flow->room + 1024;
        flow->arrival =
            realloc(flow->arrival, (size_t)flow->room * sizeof(double));
    }
    flow->arrival[flow->arrivals++] = MPI_Wtime();
}

/* Complete the receives that are still posted after the last message. */
static void cancel(int number)
{
    int slot;

    flows[number].is_over = 1;
    for (slot = 0; slot < window; ++slot) {
        MPI_Request *request = request_of(number, slot);

        if (*request != MPI_REQUEST_NULL) {
            MPI_Cancel(request);
            MPI_Wait(request, MPI_STATUS_IGNORE);
            --flows[number].active;
        }
    }
}

static void finish(int index, const MPI_Status *status)
{
    int number = index / window, bytes;
    struct flow *flow = &flows[number];

    --flow->active;
    if (!is_sender(flow) && flow->kind != GET) {
        MPI_Get_count(status, MPI_BYTE, &bytes);
        if (bytes == 0) {
            cancel(number);
            return;
        }
    }
    if (!is_sender(flow)) {
        arrive(flow);
    }
    begin(number, index % window);
}

static void begin_collective(MPI_Request *request)
{
    if (collectives-- > 0) {
        MPI_Ialltoall(exchanged, BLOCK, MPI_BYTE,
                      exchanged + BLOCK * check_size, BLOCK, MPI_BYTE, exchange,
                      request);
    }
}

/* Run all flows of this rank until they end. The last request is for the
 * collective calls. */
static void stream(void)
{
    int total = count * window + 1, i, n, slot;

    for (i = 0; i < total; ++i) {
        requests[i] = MPI_REQUEST_NULL;
    }
    for (i = 0; i < count; ++i) {
        for (slot = 0; is_mine(&flows[i]) && slot < window; ++slot) {
            begin(i, slot);
        }
    }
    begin_collective(&requests[total - 1]);
    for (;;) {
        MPI_Waitsome(total, requests, &n, indices, statuses);
        if (n == MPI_UNDEFINED) {
            return;
        }
        for (i = 0; i < n; ++i) {
            if (indices[i] == total - 1) {
                begin_collective(&requests[total - 1]);
            } else {
                finish(indices[i], &statuses[i]);
            }
        }
    }
}

/* ---- results ---- */

struct result {
    double granted, mean, least; /* mean and least are fractions of the granted
                                    bandwidth */
    double rate;
    int from, to;
};

/*
 * Return the smallest number of bytes in any window that begins with an
 * arrival, as a fraction of the granted bandwidth.
 */
static double least(const struct flow *flow, int first, int last)
{
    double length = WINDOW_PACKETS * PACKET / flow->granted, found = -1;
    int i, j = first;

    if (length < WINDOW_SECONDS) {
        length = WINDOW_SECONDS;
    }
    for (i = first; flow->arrival[i] + length <= flow->arrival[last]; ++i) {
        double part;

        while (flow->arrival[j + 1] <= flow->arrival[i] + length) {
            ++j;
        }
        part = (j - i + 1) * (double)flow->bytes / (flow->granted * length);
        if (found < 0 || part < found) {
            found = part;
        }
    }
    return found;
}

/*
 * Evaluate a flow on its receiver. Messages that arrive after the duration of
 * the flows are not counted, because some flows have ended by that time.
 */
static struct result judge(const struct flow *flow)
{
    struct result result = {flow->granted, 0, 0, 0, flow->from, flow->to};
    int first = 0, last = flow->arrivals - 1;

    while (last > 0 && flow->arrival[last] > start + seconds) {
        --last;
    }
    while (first < last && flow->arrival[first] < start + WARM_UP) {
        ++first;
    }
    if (last <= first) {
        CHECK(flow->granted == 0, "%d -> %d: %d messages", flow->from, flow->to,
              flow->arrivals);
        return result;
    }
    result.rate = (last - first) * (double)flow->bytes /
                  (flow->arrival[last] - flow->arrival[first]);
    if (flow->granted > 0) {
        result.mean =
            result.rate / flow->granted * (last - first + 1) / (last - first);
        result.least = least(flow, first, last);
        CHECK(result.least >= 0, "%d -> %d: the run is shorter than a window",
              flow->from, flow->to);
    }
    return result;
}

static void report(int number)
{
    const struct flow *flow = &flows[number];
    struct result result;

    if (check_rank == flow->to) {
        result = judge(flow);
        if (flow->granted > 0 && flow->kind == RESERVED) {
            CHECK(
                result.mean >= PART && result.least >= PART,
                "%d -> %d: granted %.3f MB/s, received %.4f of it on average, "
                "and at least %.4f of it in each window",
                flow->from, flow->to, flow->granted / MB, result.mean,
                result.least);
        }
        /*
         * The reservation of a window also limits the window's rate. The
         * granted bandwidth is computed for messages of 64 KB. Such a message
         * consists of 16 data packets, an announcement packet and an end
         * packet.
         */
        if (flow->granted > 0 && flow->kind == GET) {
            CHECK(result.mean >= PART && result.mean <= 1.15,
                  "gets %d -> %d: reserved %.3f MB/s, received %.4f of it on "
                  "average",
                  flow->from, flow->to, flow->granted / MB, result.mean);
        }
        MPI_Send(&result, sizeof(result), MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    }
    if (check_rank == 0) {
        MPI_Recv(&result, sizeof(result), MPI_BYTE, flow->to, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        if (verbose) {
            printf(
                "%d -> %d: granted %.3f MB/s, received %.3f, mean %.4f, least "
                "%.4f\n",
                result.from, result.to, result.granted / MB, result.rate / MB,
                result.mean, result.least);
        }
    }
}

static void read_options(int argc, char **argv)
{
    int i;

    for (i = 1; i < argc; ++i) {
        const char *value = i + 1 < argc ? argv[i + 1] : "0";

        if (strcmp(argv[i], "-v") == 0) {
            verbose = 1;
        } else if (strcmp(argv[i], "-s") == 0) {
            seconds = atof(value);
            ++i;
        } else if (strcmp(argv[i], "-w") == 0) {
            window = atoi(value);
            ++i;
        } else if (strcmp(argv[i], "-m") == 0) {
            message = atoi(value);
            ++i;
        } else if (strcmp(argv[i], "all") == 0) {
            all_pairs();
        } else if (sscanf(argv[i], "coll=%d", &collectives) == 1) {
            continue;
        } else {
            parse(argv[i]);
        }
    }
    if (seconds <= 0 || window < 1 || window > MAX_WINDOW || message < 1) {
        usage("a number");
    }
}

int main(int argc, char **argv)
{
    int i;

    /*
     * MPI_Waitsome processes events after every 8 requests that it examines.
     * With hundreds of requests, the program would therefore detect completed
     * messages much later.
     */
    setenv("MPIR_CVAR_REQUEST_POLL_FREQ", "1000000", 0);
    check_start(&argc, &argv);
    read_options(argc, argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &exchange);
    exchanged = calloc(2 * (size_t)check_size, BLOCK);
    requests = malloc((size_t)(count * window + 1) * sizeof(*requests));
    indices = malloc((size_t)(count * window + 1) * sizeof(*indices));
    statuses = malloc((size_t)(count * window + 1) * sizeof(*statuses));
    for (i = 0; i < count; ++i) {
        open_flow(&flows[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    stream();
    MPI_Barrier(MPI_COMM_WORLD);
    for (i = 0; i < count; ++i) {
        report(i);
    }
    for (i = 0; i < count; ++i) {
        if (flows[i].kind == GET) {
            MPI_Win_unlock_all(flows[i].win);
            MPI_Win_free(&flows[i].win);
        }
        if (flows[i].comm != MPI_COMM_WORLD) {
            MPI_Comm_free(&flows[i].comm);
        }
        free(flows[i].buffer);
        free(flows[i].arrival);
    }
    MPI_Comm_free(&exchange);
    free(exchanged);
    free(requests);
    free(indices);
    free(statuses);
    return check_end();
}
