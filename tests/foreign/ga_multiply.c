/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Multiplies two matrices with Global Arrays: C += A x B. Every rank owns some
 * rows of each array. For each panel of its rows of B, a rank gets the panel of
 * columns of A from all ranks, and adds the product to C on all ranks.
 *
 * The program initializes Global Arrays with the ranks of its own program in
 * the job, so that a job can contain other traffic (examples/noise.c). Each
 * array belongs to its own group of all these ranks, and the communicator of
 * the group has the name of the array. Rules of a policy can use these names.
 *
 * The program prints the bandwidth at which a rank gets data of A and adds data
 * to C, and checks the product. The bandwidth excludes the rank's own memory.
 */
#include <mpi.h>

#include <ga-mpi.h>
#include <ga.h>
#include <macdecls.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    SIZE = 768,
    PANEL = 64,
    MOST = 64 /* ranks */
};

static double a[SIZE][PANEL], b[PANEL][SIZE], c[SIZE][PANEL];
static double get_seconds, add_seconds;

static int create(char *name, int ranks)
{
    int dims[2] = {SIZE, SIZE}, chunk[2] = {-1, SIZE}, list[MOST];
    int array = NGA_Create_handle();
    int group;

    for (int i = 0; i < ranks; ++i) {
        list[i] = i;
    }
    group = GA_Pgroup_create(list, ranks);
    MPI_Comm_set_name(GA_MPI_Comm_pgroup(group), name);
    NGA_Set_data(array, 2, dims, C_DBL);
    GA_Set_chunk(array, chunk); /* each chunk consists of whole rows */
    GA_Set_pgroup(array, group);
    GA_Set_array_name(array, name);
    if (!NGA_Allocate(array)) {
        GA_Error("no memory for an array", SIZE);
    }
    return array;
}

/* Every rank sets the part that it owns to value(row, column). */
static void fill(int array, double (*value)(int row, int column))
{
    int lo[2], hi[2], ld;
    double *own;

    NGA_Distribution(array, GA_Nodeid(), lo, hi);
    NGA_Access(array, lo, hi, &own, &ld);
    for (int i = lo[0]; i <= hi[0]; ++i) {
        for (int j = lo[1]; j <= hi[1]; ++j) {
            own[(size_t)(i - lo[0]) * (size_t)ld + (size_t)(j - lo[1])] =
                value(i, j);
        }
    }
    NGA_Release_update(array, lo, hi);
}

static double value_a(int row, int column)
{
    return row + column % 3;
}

static double value_b(int row, int column)
{
    return row % 5 - column;
}

static double value_c(int row, int column)
{
    (void)row;
    (void)column;
    return 0;
}

static void get_columns(int array, int first)
{
    int lo[2] = {0, first}, hi[2] = {SIZE - 1, first + PANEL - 1}, ld = PANEL;
    double start = MPI_Wtime();

    NGA_Get(array, lo, hi, a, &ld);
    get_seconds += MPI_Wtime() - start;
}

static void add_columns(int array, int first)
{
    int lo[2] = {0, first}, hi[2] = {SIZE - 1, first + PANEL - 1}, ld = PANEL;
    double start = MPI_Wtime(), one = 1;

    NGA_Acc(array, lo, hi, c, &ld, &one);
    add_seconds += MPI_Wtime() - start;
}

/* Multiply a panel of columns of A with the same rows of B. */
static void multiply_panel(int array_a, int array_b, int array_c, int first)
{
    int lo[2] = {first, 0}, hi[2] = {first + PANEL - 1, SIZE - 1}, ld = SIZE;

    NGA_Get(array_b, lo, hi, b, &ld); /* the rank's own memory */
    get_columns(array_a, first);
    for (int column = 0; column < SIZE; column += PANEL) {
        for (int i = 0; i < SIZE; ++i) {
            for (int j = 0; j < PANEL; ++j) {
                c[i][j] = 0;
            }
            for (int k = 0; k < PANEL; ++k) {
                for (int j = 0; j < PANEL; ++j) {
                    c[i][j] += a[i][k] * b[k][column + j];
                }
            }
        }
        add_columns(array_c, column);
    }
}

/* Compare row 5 of the product with a direct computation. */
static int is_correct(int array_c)
{
    static double row[SIZE];
    int lo[2] = {5, 0}, hi[2] = {5, SIZE - 1}, ld = SIZE;

    NGA_Get(array_c, lo, hi, row, &ld);
    for (int j = 0; j < SIZE; ++j) {
        double sum = 0;

        for (int k = 0; k < SIZE; ++k) {
            sum += value_a(5, k) * value_b(k, j);
        }
        if (sum != row[j]) {
            printf("column %d: %g, expected %g\n", j, row[j], sum);
            return 0;
        }
    }
    return 1;
}

static int multiply(MPI_Comm mine, int ranks)
{
    int array_a = create("A", ranks), array_b = create("B", ranks);
    int array_c = create("C", ranks);
    int lo[2], hi[2], panels = 0, ok;
    double remote = sizeof(a) * (1.0 - 1.0 / ranks) / 1e6, rates[3], least[3];
    double start;

    fill(array_a, value_a);
    fill(array_b, value_b);
    fill(array_c, value_c);
    GA_Sync();
    start = MPI_Wtime();
    NGA_Distribution(array_b, GA_Nodeid(), lo, hi);
    for (int first = lo[0]; first <= hi[0]; first += PANEL) {
        multiply_panel(array_a, array_b, array_c, first);
        ++panels;
    }
    rates[0] = panels * remote / get_seconds;
    rates[1] = panels * remote * (SIZE / PANEL) / add_seconds;
    GA_Sync();
    rates[2] = start - MPI_Wtime();
    MPI_Reduce(rates, least, 3, MPI_DOUBLE, MPI_MIN, 0, mine);
    ok = is_correct(array_c);
    if (GA_Nodeid() == 0) {
        printf("get A %.1f MB/s, add C %.1f MB/s (slowest rank), %.3f s, "
               "product %s\n",
               least[0], least[1], -least[2], ok ? "correct" : "WRONG");
    }
    GA_Sync();
    GA_Destroy(array_c);
    GA_Destroy(array_b);
    GA_Destroy(array_a);
    return ok;
}

int main(int argc, char **argv)
{
    int *program, found, ranks, ok = 0;
    MPI_Comm mine;

    MPI_Init(&argc, &argv);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &program, &found);
    MPI_Comm_split(MPI_COMM_WORLD, found ? *program : 0, 0, &mine);
    MPI_Comm_size(mine, &ranks);
    GA_Initialize_comm(mine);
    MA_init(C_DBL, 1 << 20, 1 << 20);
    if (ranks > 1 && ranks <= MOST && SIZE % (ranks * PANEL) == 0) {
        ok = multiply(mine, ranks);
    } else {
        fprintf(stderr, "ga_multiply: run with 2, 3, 4, 6 or 12 ranks\n");
    }
    GA_Terminate();
    MPI_Comm_free(&mine);
    MPI_Finalize();
    return ok ? 0 : 1;
}
