/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes to a process that may have ended. */
#include "hydra.h"

HYD_status gml_sock_write(int fd, const void *buf, int maxlen, int *sent,
                          int *closed, enum HYDU_sock_comm_flag flag)
{
    void (*handler)(int) = signal(SIGPIPE, SIG_IGN);

    *sent = 0;
    *closed = 0;
    while (*sent < maxlen) {
        ssize_t n =
            write(fd, (const char *)buf + *sent, (size_t)(maxlen - *sent));

        if (n > 0) {
            *sent += (int)n;
        } else if (n < 0 && errno != EAGAIN && errno != EINTR) {
            *closed = 1;
            break;
        }
        if (flag == HYDU_SOCK_COMM_NONE && (n > 0 || errno == EAGAIN)) {
            break;
        }
    }
    signal(SIGPIPE, handler);
    return HYD_SUCCESS;
}
