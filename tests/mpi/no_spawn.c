/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests that dynamic processes are refused on all ranks, with an error class
 * and a text that states the reason, and that the program continues.
 */
#include "check.h"

#include <string.h>

static void check_refused(int code, const char *what)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int error_class = MPI_SUCCESS, length;

    MPI_Error_class(code, &error_class);
    MPI_Error_string(code, text, &length);
    CHECK(error_class == MPI_ERR_SPAWN, "%s: class %d", what, error_class);
    CHECK(strstr(text, "fixed at start") != NULL, "%s: %s", what, text);
}

int main(int argc, char **argv)
{
    MPI_Comm children;
    char port[MPI_MAX_PORT_NAME];
    int sum = 0;

    check_start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    check_refused(MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0,
                                 MPI_COMM_WORLD, &children,
                                 MPI_ERRCODES_IGNORE),
                  "MPI_Comm_spawn");
    check_refused(MPI_Open_port(MPI_INFO_NULL, port), "MPI_Open_port");
    MPI_Allreduce(&check_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == check_size * (check_size - 1) / 2, "sum of ranks %d", sum);
    return check_end();
}
