/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a solver and a viewer at the same time. Ranks 0, 1 and 2 solve Laplace's
 * equation. They use Jacobi's method: each rank has a band of rows, and
 * neighbours exchange edges in each step. Rank 3 is the viewer. Every 25 ms,
 * rank 1 sends its band as a frame to the viewer. The program runs the
 * computation twice: without a reservation, and with bandwidth reserved for the
 * frames.
 *
 *     mpirun -n 4 ./viewer
 *
 * In this example, computing takes no virtual time. The solver therefore uses
 * as much of the network as possible. The output shows that, without a
 * reservation, some frames are late (they arrive after the next frame is due)
 * or skipped. With a reservation, no frame is late or skipped, and the frames
 * arrive at regular intervals. The solver, however, then computes fewer steps
 * per second. In both runs, the result equals the result of a serial solver. */
#include <mpi.h>
#include <mpi_qos.h>
#include <stdio.h>
#include <string.h>

enum {
    COLUMNS = 4096,
    ROWS = 24,
    BANDS = 3,
    STEPS = 200
};
enum {
    SENDER = 1,
    VIEWER = 3,
    END = 1000 /* tag that follows the last frame */
};

typedef double row_t[COLUMNS];

#define PERIOD      25e-3 /* interval between two frames, seconds */
#define FRAME_BYTES (1.0 * ROWS * sizeof(row_t))
/* reserve 30 % more than the mean bandwidth, because a frame must arrive before
 * the next frame is due */
#define HEADROOM 1.3

static row_t band[2][ROWS + 2]; /* the rank's own rows, and the edges above and
                                   below */
static row_t whole[2][BANDS * ROWS + 2], result[BANDS * ROWS];
static row_t frame[ROWS];
static MPI_Request sending[ROWS]; /* requests for the last frame of rank 1 */

/* Initialize the state: the edge above the first row is hot, and all other
 * points are cold. */
static void begin(row_t *field, int rows, int is_hot)
{
    memset(field, 0, sizeof(row_t) * (size_t)(rows + 2));
    for (int x = 0; x < COLUMNS && is_hot; ++x)
        field[0][x] = 100.0;
}

static void step(row_t *now, row_t *next, int rows)
{
    for (int y = 1; y <= rows; ++y)
        for (int x = 1; x < COLUMNS - 1; ++x)
            next[y][x] = 0.25 * (now[y - 1][x] + now[y + 1][x] + now[y][x - 1] +
                                 now[y][x + 1]);
}

/* Exchange edge rows with the neighbours. */
static void exchange(row_t *now, int rank)
{
    int above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int below = rank < BANDS - 1 ? rank + 1 : MPI_PROC_NULL;
    MPI_Request request[4];

    MPI_Irecv(now[0], COLUMNS, MPI_DOUBLE, above, 0, MPI_COMM_WORLD,
              &request[0]);
    MPI_Irecv(now[ROWS + 1], COLUMNS, MPI_DOUBLE, below, 0, MPI_COMM_WORLD,
              &request[1]);
    MPI_Isend(now[1], COLUMNS, MPI_DOUBLE, above, 0, MPI_COMM_WORLD,
              &request[2]);
    MPI_Isend(now[ROWS], COLUMNS, MPI_DOUBLE, below, 0, MPI_COMM_WORLD,
              &request[3]);
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
}

/* Rank 1, after each step: if a frame is due, send it as one message per row.
 * Skip the frame if the previous frame has not been sent completely. The tag is
 * the number of the frame. */
static void show(row_t *now, double start, int *due, MPI_Comm stream)
{
    int is_sent;

    if (MPI_Wtime() < start + *due * PERIOD)
        return;
    MPI_Testall(ROWS, sending, &is_sent, MPI_STATUSES_IGNORE);
    if (is_sent) {
        memcpy(frame, now[1], sizeof(frame));
        for (int y = 0; y < ROWS; ++y)
            MPI_Isend(frame[y], COLUMNS, MPI_DOUBLE, VIEWER, *due, stream,
                      &sending[y]);
    }
    ++*due;
}

/* Solve the equation and send the frames. Return the number of steps per
 * second. */
static double solve(int rank, double start, MPI_Comm stream)
{
    row_t *now = band[0], *next = band[1], *swap;
    int due = 0;
    double rate;

    begin(now, ROWS, rank == 0);
    begin(next, ROWS, rank == 0);
    for (int y = 0; y < ROWS; ++y)
        sending[y] = MPI_REQUEST_NULL;
    for (int i = 0; i < STEPS; ++i) {
        exchange(now, rank);
        step(now, next, ROWS);
        swap = now, now = next, next = swap;
        if (rank == SENDER)
            show(now, start, &due, stream);
    }
    rate = STEPS / (MPI_Wtime() - start);
    if (rank == SENDER) {
        MPI_Waitall(ROWS, sending, MPI_STATUSES_IGNORE);
        MPI_Send(NULL, 0, MPI_DOUBLE, VIEWER, END, stream);
    }
    memcpy(result, now[1], sizeof(row_t) * ROWS); /* rank 0 gathers the data in
                                                     place */
    return rate;
}

typedef struct view {
    int due, shown, late;
    double least, most, sum; /* time in seconds since the frame was due */
} view_t;

static void look(double start, MPI_Comm stream, view_t *view)
{
    MPI_Request request[ROWS];
    MPI_Status first;
    double delay;

    *view = (view_t){.least = 1e9};
    MPI_Probe(SENDER, MPI_ANY_TAG, stream, &first);
    while (first.MPI_TAG != END) {
        for (int y = 0; y < ROWS; ++y)
            MPI_Irecv(frame[y], COLUMNS, MPI_DOUBLE, SENDER, first.MPI_TAG,
                      stream, &request[y]);
        MPI_Waitall(ROWS, request, MPI_STATUSES_IGNORE);
        delay = MPI_Wtime() - start - first.MPI_TAG * PERIOD;
        view->due = first.MPI_TAG + 1;
        view->shown += 1;
        view->late += delay > PERIOD;
        view->sum += delay;
        view->least = delay < view->least ? delay : view->least;
        view->most = delay > view->most ? delay : view->most;
        MPI_Probe(SENDER, MPI_ANY_TAG, stream, &first);
    }
    MPI_Recv(NULL, 0, MPI_DOUBLE, SENDER, END, stream, MPI_STATUS_IGNORE);
}

/* Rank 0: compare the result with that of a serial solver. */
static const char *compare(void)
{
    begin(whole[0], BANDS * ROWS, 1);
    begin(whole[1], BANDS * ROWS, 1);
    for (int i = 0; i < STEPS; ++i)
        step(whole[i % 2], whole[(i + 1) % 2], BANDS * ROWS);
    return memcmp(result, whole[STEPS % 2][1], sizeof(result)) == 0
               ? "correct"
               : "incorrect";
}

static void run(const char *name, int rank, MPI_Comm stream, MPI_Comm solvers)
{
    double start, rate = 0;
    view_t view;

    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime(); /* this time is valid on all ranks; the first frame is
                            due now */
    MPI_Bcast(&start, 1, MPI_DOUBLE, SENDER, MPI_COMM_WORLD);
    if (rank == VIEWER) {
        look(start, stream, &view);
    } else {
        rate = solve(rank, start, stream);
        MPI_Gather(rank == 0 ? MPI_IN_PLACE : result, ROWS * COLUMNS,
                   MPI_DOUBLE, result, ROWS * COLUMNS, MPI_DOUBLE, 0, solvers);
    }
    MPI_Bcast(&view, sizeof(view), MPI_BYTE, VIEWER, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%-14s%5d%10d%6d%10.2f%8.2f%8.2f%9.0f  %s\n", name, view.due,
               view.due - view.shown, view.late, view.sum / view.shown * 1e3,
               view.most * 1e3, (view.most - view.least) * 1e3, rate,
               compare());
}

static void reserve(MPI_Comm stream)
{
    MPIQOS_Flow flow = MPIQOS_FLOW_INIT;

    flow.peer = VIEWER;
    flow.bandwidth = FRAME_BYTES / PERIOD * HEADROOM;
    flow.message_size = sizeof(row_t);
    MPI_Comm_set_attr(stream, MPIQOS_FLOW, &flow);
    MPIQOS_Flow_state(stream, &flow);
    if (flow.state != MPIQOS_GRANTED)
        fprintf(stderr, "viewer: %s\n", flow.reason);
}

int main(int argc, char **argv)
{
    MPI_Comm stream, solvers;
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != BANDS + 1) {
        fprintf(stderr, "viewer: requires 4 processes (mpirun -n 4)\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &stream);
    MPI_Comm_split(MPI_COMM_WORLD, rank == VIEWER, rank, &solvers);
    if (rank == 0)
        puts("frames are      due   skipped  late   mean ms     max  jitter"
             "  steps/s  result");
    run("not reserved", rank, stream, solvers);
    if (rank == SENDER)
        reserve(stream);
    run("reserved", rank, stream, solvers);
    MPI_Comm_free(&solvers);
    MPI_Comm_free(&stream);
    MPI_Finalize();
    return 0;
}
