/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests that invalid hints raise no error and change nothing. The state must
 * become "malformed", with the reason.
 */
#include "hints.h"

static void check_malformed(MPI_Comm comm, const char *key, const char *value,
                            const char *wrong)
{
    MPIQOS_Flow now = MPIQOS_FLOW_INIT;
    char reason[MPI_MAX_INFO_VAL + 1];

    hint(comm, key, value, NULL);
    CHECK_HINT(comm, "mpiqos_state", "malformed");
    strcpy(reason, hint_of(comm, "mpiqos_reason"));
    CHECK(strstr(reason, key) != NULL, "'%s' does not name %s", reason, key);
    CHECK(strstr(reason, wrong) != NULL, "'%s' lacks '%s'", reason, wrong);
    CHECK(strstr(reason, "allowed: ") != NULL,
          "'%s' does not list the allowed values", reason);

    /* the previous grant remains in force */
    MPIQOS_Flow_state(comm, &now);
    CHECK(now.state == MPIQOS_MALFORMED, "%s", MPIQOS_State_name(now.state));
    CHECK(strcmp(now.reason, reason) == 0, "'%s'", now.reason);
    CHECK(now.granted_bandwidth >= 10 * MB, "%g", now.granted_bandwidth);
    CHECK(now.bandwidth == 10 * MB, "%g", now.bandwidth);
}

static void check_all(MPI_Comm comm)
{
    check_malformed(comm, "mpiqos_bandwidth", "fast", "'fast'");
    check_malformed(comm, "mpiqos_bandwidth", "", "''");
    check_malformed(comm, "mpiqos_bandwidth", "40 Mb/s", "'40 Mb/s'");
    check_malformed(comm, "mpiqos_bandwidth", "40 KB/s", "kB/s");
    check_malformed(comm, "mpiqos_bandwidth", "40", "'40 MB/s' or '40 B/s'");
    check_malformed(comm, "mpiqos_bandwidth", "0x10", "'0x10'");
    check_malformed(comm, "mpiqos_bandwidth", "nan", "'nan'");
    check_malformed(comm, "mpiqos_bandwidth", "inf", "'inf'");
    check_malformed(comm, "mpiqos_bandwidth", "1,5 MB/s", "'1,5 MB/s'");
    check_malformed(comm, "mpiqos_bandwidth", "-1 B/s", "negative");
    check_malformed(comm, "mpiqos_bandwidth", "2e12 B/s", "too large");
    check_malformed(comm, "mpiqos_peer", "7", "not a rank");
    check_malformed(comm, "mpiqos_peer", "-1", "not a rank");
    check_malformed(comm, "mpiqos_peer", "0", "itself");
    check_malformed(comm, "mpiqos_peer", "1.0", "not a rank");
    check_malformed(comm, "mpiqos_peer", "99999999999999999999", "not a rank");
    check_malformed(comm, "mpiqos_class", "gold", "'gold'");
    check_malformed(comm, "mpiqos_message_size", "0", "below 1");
    check_malformed(comm, "mpiqos_message_size", "2147483648", "too large");
    check_malformed(comm, "mpiqos_message_size", "64K", "'64K'");
    check_malformed(comm, "mpiqos_bandwith", "1", "unknown");
}

int main(int argc, char **argv)
{
    MPI_Comm comm, fresh;

    check_start_comms(&argc, &argv, &comm, &fresh);
    if (check_rank == 0) {
        CHECK_HINT(comm, "mpiqos_state", "");
        hint(comm, "mpiqos_bandwidth", "10 MB/s", "mpiqos_peer", "1", NULL);
        CHECK_HINT(comm, "mpiqos_state", "granted");
        check_all(comm);

        /* the next valid hint is accepted */
        hint(comm, "mpiqos_bandwidth", "20e6 B/s", NULL);
        CHECK_HINT(comm, "mpiqos_state", "granted");
        CHECK_HINT(comm, "mpiqos_peer", "1");

        /* a communicator with only one rank makes no request */
        hint(fresh, "mpiqos_peer", "1", NULL);
        CHECK_HINT(fresh, "mpiqos_state", "malformed");
        CHECK(strstr(hint_of(fresh, "mpiqos_reason"), "mpiqos_bandwidth is "
                                                      "missing") != NULL,
              "%s", hint_of(fresh, "mpiqos_reason"));
        CHECK_HINT(fresh, "mpiqos_granted_bandwidth", "0");

        /* the library ignores hints for other libraries */
        hint(fresh, "mpi_assert_no_any_tag", "true", NULL);
        CHECK_HINT(fresh, "mpiqos_state", "malformed");
    }
    MPI_Comm_free(&fresh);
    MPI_Comm_free(&comm);
    return check_end();
}
