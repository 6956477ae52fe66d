/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests connections between existing processes of a job: MPI_Open_port,
 * MPI_Comm_accept, MPI_Comm_connect, the name service, and MPI_Comm_join. The
 * even ranks are the server, and the odd ranks are the client.
 */
#define _GNU_SOURCE
#include "check.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define SERVICE "gmqos-test"

static MPI_Comm side; /* number of processes on this side */
static int is_server;

static void exchange(MPI_Comm inter)
{
    int rank, mine, theirs = -1, remote, sum = 0;

    MPI_Comm_rank(inter, &rank);
    MPI_Comm_remote_size(inter, &remote);
    mine = 10 * rank + is_server;
    MPI_Sendrecv(&mine, 1, MPI_INT, rank % remote, 3, &theirs, 1, MPI_INT,
                 rank % remote, 3, inter, MPI_STATUS_IGNORE);
    CHECK(theirs == 10 * (rank % remote) + !is_server, "received %d", theirs);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter);
    CHECK(sum == remote * (remote - 1) / 2, "sum %d", sum);
}

/* Connect all processes, several times over one port. */
static void test_port(void)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm inter;

    if (check_rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
    }
    MPI_Bcast(port, sizeof(port), MPI_CHAR, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 3; ++i) {
        if (is_server) {
            MPI_Comm_accept(port, MPI_INFO_NULL, 0, side, &inter);
        } else {
            MPI_Comm_connect(port, MPI_INFO_NULL, 0, side, &inter);
        }
        exchange(inter);
        MPI_Comm_disconnect(&inter);
        CHECK(inter == MPI_COMM_NULL,
              "the communicator exists after MPI_Comm_disconnect");
    }
    if (check_rank == 0) {
        MPI_Close_port(port);
    }
}

/* As soon as a name is published, in virtual time, another process can look it
 * up. */
static void test_names(void)
{
    char port[MPI_MAX_PORT_NAME] = "", found[MPI_MAX_PORT_NAME] = "";
    int code, class, tries = 0;
    MPI_Comm inter;

    if (check_rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
        usleep(5000); /* this sleep takes virtual time */
        MPI_Publish_name(SERVICE, MPI_INFO_NULL, port);
    } else if (check_rank == 1) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        while ((code = MPI_Lookup_name(SERVICE, MPI_INFO_NULL, found)) !=
               MPI_SUCCESS) {
            MPI_Error_class(code, &class);
            CHECK(class == MPI_ERR_NAME, "class %d", class);
            ++tries;
        }
        printf("found after %d tries\n", tries);
    }
    if (is_server) {
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, side, &inter);
    } else {
        MPI_Comm_connect(found, MPI_INFO_NULL, 0, side, &inter);
    }
    exchange(inter);
    MPI_Comm_disconnect(&inter);
    if (check_rank == 0) {
        MPI_Unpublish_name(SERVICE, MPI_INFO_NULL, port);
        MPI_Close_port(port);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 1) {
        code = MPI_Lookup_name(SERVICE, MPI_INFO_NULL, found);
        MPI_Error_class(code, &class);
        CHECK(class == MPI_ERR_NAME,
              "lookup of an unpublished name: error class %d", class);
    }
}

/* No process accepts, so the time limit expires in virtual time. Later, the
 * port does not accept the withdrawn request either. */
static void test_limit(void)
{
    char port[MPI_MAX_PORT_NAME] = "", text[MPI_MAX_ERROR_STRING];
    int code, class, length;
    double start = MPI_Wtime();
    MPI_Comm inter;
    MPI_Info info;

    if (check_rank == 0) {
        MPI_Open_port(MPI_INFO_NULL, port);
    }
    MPI_Bcast(port, sizeof(port), MPI_CHAR, 0, MPI_COMM_WORLD);
    if (!is_server) {
        MPI_Comm_set_errhandler(side, MPI_ERRORS_RETURN);
        MPI_Info_create(&info);
        MPI_Info_set(info, "timeout", "7");
        code = MPI_Comm_connect(port, info, 0, side, &inter);
        MPI_Info_free(&info);
        MPI_Error_class(code, &class);
        MPI_Error_string(code, text, &length);
        CHECK(class == MPI_ERR_PORT, "class %d: %s", class, text);
        CHECK(MPI_Wtime() - start >= 7 && MPI_Wtime() - start < 7.1,
              "the call took %g s of virtual time", MPI_Wtime() - start);
        usleep(1000000);
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, side, &inter);
    } else {
        usleep(9000000);
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, side, &inter);
    }
    exchange(inter);
    MPI_Comm_disconnect(&inter);
    if (check_rank == 0) {
        MPI_Close_port(port);
    }
}

/* A port of another mpirun belongs to another simulation. */
static void test_foreign(void)
{
    char port[MPI_MAX_PORT_NAME] = "", text[MPI_MAX_ERROR_STRING];
    int code, class, length;
    MPI_Comm inter;
    char *digit;

    MPI_Open_port(MPI_INFO_NULL, port);
    digit = strstr(port, "connentry");
    CHECK(digit != NULL, "'%s'", port);
    digit = strpbrk(digit, "#") + 1;
    *digit = *digit == '0' ? '1' : '0';
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    code = MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
    MPI_Error_class(code, &class);
    MPI_Error_string(code, text, &length);
    CHECK(class == MPI_ERR_PORT, "class %d", class);
    CHECK(strstr(text, "another mpirun") != NULL, "%s", text);
}

/* Connect two processes with MPI_Comm_join over a socket. The process `late`
 * arrives late. */
static void test_join(const char *path, int late)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int listening, connected, value = check_rank, other = -1;
    MPI_Comm inter;

    if (check_rank > 1) {
        return;
    }
    listening = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
    if (check_rank == 0) {
        (void)unlink(path);
        CHECK(bind(listening, (struct sockaddr *)&address, sizeof(address)) ==
                      0 &&
                  listen(listening, 1) == 0,
              "cannot listen");
    }
    MPI_Sendrecv(&value, 1, MPI_INT, !check_rank, 1, &other, 1, MPI_INT,
                 !check_rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (check_rank == 0) {
        struct pollfd client = {.fd = listening, .events = POLLIN};

        /* accept() would stop the virtual time of all other ranks */
        while (poll(&client, 1, 1) == 0) {
        }
        connected = accept(listening, NULL, NULL);
        close(listening);
        (void)unlink(path);
    } else {
        connected = listening;
        CHECK(connect(connected, (struct sockaddr *)&address,
                      sizeof(address)) == 0,
              "cannot connect");
    }
    MPI_Sendrecv(&value, 1, MPI_INT, !check_rank, 1, &other, 1, MPI_INT,
                 !check_rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (check_rank == late) {
        usleep(50000); /* this sleep takes virtual time */
    }
    MPI_Comm_join(connected, &inter);
    close(connected);
    MPI_Sendrecv(&value, 1, MPI_INT, 0, 2, &other, 1, MPI_INT, 0, 2, inter,
                 MPI_STATUS_IGNORE);
    CHECK(other == !check_rank, "received %d", other);
    MPI_Comm_disconnect(&inter);
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    is_server = check_rank % 2 == 0;
    MPI_Comm_split(MPI_COMM_WORLD, is_server, check_rank, &side);
    test_port();
    test_names();
    test_limit();
    test_foreign();
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1) {
        test_join(argv[1], 0);
        test_join(argv[1], 1);
    }
    MPI_Comm_free(&side);
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0) {
        printf("ends at %.9f s\n", MPI_Wtime());
    }
    return check_end();
}
