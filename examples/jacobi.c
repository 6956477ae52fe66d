/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs Jacobi's method on a square grid of points. Each rank computes one block
 * of the square. In each step, a rank sends the four edges of its block to its
 * neighbours and computes the mean of the neighbours of each point. All ranks
 * then determine the largest change together. The program itself makes no
 * reservation. Users can measure this program, disturb it with noise.c, and
 * protect it with a policy file.
 *
 *     mpirun -n 4 ./jacobi
 *
 * "./jacobi STEPS" computes STEPS steps instead of 100. A block has 500 x 500
 * points, so an edge is a message of 4000 bytes; compile with -DPOINTS=N for
 * another size. The messages between neighbours use a separate communicator
 * with the name "grid". If the job contains other programs, this program uses
 * only its own ranks.
 *
 * The output shows that a step takes longer with more ranks, although each rank
 * sends the same amount of data. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef POINTS
#define POINTS 500
#endif
enum {
    UP,
    DOWN,
    LEFT,
    RIGHT,
    SIDES
}; /* tags of messages: the side from which the message arrives */

/* the block's own points and the edges of the neighbours */
typedef double block_t[POINTS + 2][POINTS + 2];

static block_t even, odd; /* state before even steps, and state before odd
                             steps */
static MPI_Comm grid;
static MPI_Datatype column;
static int neighbour[SIDES];

/* Arrange the ranks of this program in a grid, and return the grid's shape in
 * dims. */
static void make_grid(int dims[2], int coords[2])
{
    int *program, found, size, rank, color, periods[2] = {0, 0};
    MPI_Comm mine;

    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &program, &found);
    color = found ? *program : 0;
    MPI_Comm_split(MPI_COMM_WORLD, color, 0, &mine);
    MPI_Comm_size(mine, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(mine, 2, dims, periods, 0, &grid);
    MPI_Comm_free(&mine);
    MPI_Comm_set_name(grid, "grid");
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 2, coords);
    MPI_Cart_shift(grid, 0, 1, &neighbour[UP], &neighbour[DOWN]);
    MPI_Cart_shift(grid, 1, 1, &neighbour[LEFT], &neighbour[RIGHT]);
}

/* Exchange the edges of u with the neighbours. */
static void exchange(block_t u)
{
    enum {
        N = POINTS
    };
    MPI_Request request[2 * SIDES], *next = request;

    MPI_Irecv(&u[0][1], N, MPI_DOUBLE, neighbour[UP], UP, grid, next++);
    MPI_Irecv(&u[N + 1][1], N, MPI_DOUBLE, neighbour[DOWN], DOWN, grid, next++);
    MPI_Irecv(&u[1][0], 1, column, neighbour[LEFT], LEFT, grid, next++);
    MPI_Irecv(&u[1][N + 1], 1, column, neighbour[RIGHT], RIGHT, grid, next++);
    MPI_Isend(&u[1][1], N, MPI_DOUBLE, neighbour[UP], DOWN, grid, next++);
    MPI_Isend(&u[N][1], N, MPI_DOUBLE, neighbour[DOWN], UP, grid, next++);
    MPI_Isend(&u[1][1], 1, column, neighbour[LEFT], RIGHT, grid, next++);
    MPI_Isend(&u[1][N], 1, column, neighbour[RIGHT], LEFT, grid, next++);
    MPI_Waitall(2 * SIDES, request, MPI_STATUSES_IGNORE);
}

/* Compute v from u. Return the largest change of a point on this rank. */
static double compute(block_t u, block_t v)
{
    double change, most = 0;

    for (int i = 1; i <= POINTS; ++i)
        for (int j = 1; j <= POINTS; ++j) {
            v[i][j] = u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1];
            v[i][j] /= 4;
            change = v[i][j] - u[i][j];
            most = (change > most) ? change : (-change > most) ? -change : most;
        }
    return most;
}

/* Compute one step from u to v. Return the largest change on all ranks. */
static double step(block_t u, block_t v)
{
    double mine, all;

    exchange(u);
    mine = compute(u, v);
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, grid);
    return all;
}

int main(int argc, char **argv)
{
    int steps, rank, dims[2] = {0, 0}, coords[2];
    double start, change = 0;

    MPI_Init(&argc, &argv);
    steps = (argc > 1) ? atoi(argv[1]) : 100;
    make_grid(dims, coords);
    MPI_Comm_rank(grid, &rank);
    MPI_Type_vector(POINTS, 1, POINTS + 2, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    for (int j = 0; coords[0] == 0 && j < POINTS + 2; ++j)
        even[0][j] = odd[0][j] = 1; /* initialize the upper border of the
                                       square */

    MPI_Barrier(grid);
    start = MPI_Wtime();
    for (int i = 0; i < steps; ++i)
        change = i % 2 ? step(odd, even) : step(even, odd);
    if (rank == 0)
        printf("%d x %d ranks: %.3f ms a step, largest change %.5f\n", dims[0],
               dims[1], (MPI_Wtime() - start) * 1e3 / steps, change);

    MPI_Type_free(&column);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
