/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests MPI_T variables after 10 messages of 64 KB with a reservation of 40
 * MB/s. The values of the variables must equal values that were computed by
 * hand. With an argument, the program tests only reading and resetting.
 */
#include "tool.h"

enum {
    MESSAGES = 10,
    LENGTH = 65536,
    PACKETS = MESSAGES * (16 + 2), /* packets of a message: data, ready to send,
                                    * finished */
    PROTOCOL = 64 + 32,            /* payload of the last two packets */
    BYTES = MESSAGES * (LENGTH + PROTOCOL)
};

static MPI_T_pvar_session session;
static tool_var_t packets, bytes, arrived, resent, idt, bandwidth, stalls;
static tool_var_t stall_time, active, messages, nic_packets, nic_bytes;
static tool_var_t nic_stalls, nic_acks, sdma_time, sdma_share;

static void watch(MPI_Comm comm)
{
    MPI_T_pvar_session_create(&session);
    packets = tool_var(session, "gm_flow_packets_sent", comm);
    bytes = tool_var(session, "gm_flow_bytes_sent", comm);
    arrived = tool_var(session, "gm_flow_bytes_arrived", comm);
    resent = tool_var(session, "gm_flow_packets_resent", comm);
    idt = tool_var(session, "gm_flow_idt", comm);
    bandwidth = tool_var(session, "gm_flow_bandwidth", comm);
    stalls = tool_var(session, "gm_flow_idt_stalls", comm);
    stall_time = tool_var(session, "gm_flow_idt_stall_time", comm);
    active = tool_var(session, "gm_flow_active_time", comm);
    messages = tool_var(session, "gm_flow_messages_sent", comm);
    nic_packets = tool_var(session, "gm_nic_packets_sent", comm);
    nic_bytes = tool_var(session, "gm_nic_bytes_sent", comm);
    nic_stalls = tool_var(session, "gm_nic_idt_stalls", comm);
    nic_acks = tool_var(session, "gm_nic_acks_received", comm);
    sdma_time = tool_var(session, "gm_nic_send_dma_time", comm);
    sdma_share = tool_var(session, "gm_nic_send_dma_utilization", comm);
}

static void check_counts(void)
{
    CHECK(packets.elements == check_size, "%d", packets.elements);
    CHECK(tool_count(session, &packets, 0) == 0,
          "packets to the rank itself were counted");
    CHECK(tool_count(session, &packets, 1) == PACKETS, "%llu",
          packets.is.count[1]);
    CHECK(tool_count(session, &bytes, 1) == BYTES, "%llu", bytes.is.count[1]);
    CHECK(tool_count(session, &arrived, 1) == BYTES, "%llu",
          arrived.is.count[1]);
    CHECK(tool_count(session, &resent, 1) == 0, "%llu", resent.is.count[1]);
    CHECK(tool_count(session, &messages, 1) == 3 * MESSAGES, "%llu",
          messages.is.count[1]);
    CHECK(tool_count(session, &nic_packets, 0) == PACKETS, "%llu",
          nic_packets.is.count[0]);
    CHECK(tool_count(session, &nic_bytes, 0) == BYTES, "%llu",
          nic_bytes.is.count[0]);
    CHECK(tool_count(session, &nic_acks, 0) == PACKETS, "%llu",
          nic_acks.is.count[0]);
}

/*
 * Every packet except the first waits for one IDT, minus the time that the NIC
 * needs to dispatch a packet.
 */
static void check_pace(unsigned idt_ticks, double asked)
{
    double tick = (double)tool_cvar_value("GM_rtc_tick_ps") * 1e-12;
    double wait = (PACKETS - 1) * idt_ticks * tick;
    double got =
        tool_real(session, &bandwidth, 1) * LENGTH / (LENGTH + PROTOCOL);

    CHECK(tool_count(session, &idt, 1) == idt_ticks, "%llu", idt.is.count[1]);
    CHECK(tool_count(session, &idt, 0) == 0, "%llu", idt.is.count[0]);
    CHECK(tool_count(session, &stalls, 1) == PACKETS - 1, "%llu",
          stalls.is.count[1]);
    CHECK(tool_count(session, &nic_stalls, 0) == PACKETS - 1, "%llu",
          nic_stalls.is.count[0]);
    CHECK(tool_real(session, &stall_time, 1) <= wait &&
              stall_time.is.real[1] > 0.99 * wait,
          "%g of %g", stall_time.is.real[1], wait);
    CHECK(tool_real(session, &active, 1) > wait &&
              active.is.real[1] < 1.01 * wait,
          "%g of %g", active.is.real[1], wait);
    CHECK(got > 0.99 * asked && got < 1.01 * asked, "%g of %g", got, asked);
}

/*
 * Check a share, that is, a time divided by the length of the interval. The
 * bandwidth determines this length.
 */
static void check_share(void)
{
    double window = BYTES / bandwidth.is.real[1];
    double share = tool_real(session, &sdma_time, 0) / window;

    tool_read(session, &sdma_share);
    CHECK(sdma_share.is.real[0] > 0.98 * share &&
              sdma_share.is.real[0] < 1.02 * share,
          "%g, expected %g", sdma_share.is.real[0], share);
    CHECK(share > 0.1 && share < 0.5, "%g", share);
}

/*
 * Read and reset the counter while packets are sent. Each packet must be
 * counted in exactly one reading.
 */
static void check_readreset(MPI_Comm comm)
{
    static char buffer[4][LENGTH];
    MPI_Request request[4];
    tool_count_t sum = 0, parts = 0;
    int done = 0;

    if (check_rank == 0) {
        MPI_T_pvar_session_create(&session);
        packets = tool_var(session, "gm_flow_packets_sent", comm);
        MPI_T_pvar_start(session, packets.handle);
    }
    for (int i = 0; i < 4; ++i) {
        if (check_rank == 0) {
            MPI_Isend(buffer[i], LENGTH, MPI_BYTE, 1, 0, comm, &request[i]);
        } else {
            MPI_Irecv(buffer[i], LENGTH, MPI_BYTE, 0, 0, comm, &request[i]);
        }
    }
    while (!done) {
        MPI_Testall(4, request, &done, MPI_STATUSES_IGNORE);
        if (check_rank == 0) {
            MPI_T_pvar_readreset(session, packets.handle, &packets.is);
            sum += packets.is.count[1];
            parts += packets.is.count[1] > 0;
        }
    }
    tool_settle(MPI_COMM_WORLD);
    if (check_rank == 0) {
        sum += tool_count(session, &packets, 1);
        CHECK(sum == 4 * 18, "counted %llu packets in %llu parts", sum, parts);
        CHECK(parts > 10, "%llu", parts);
        MPI_T_pvar_session_free(&session);
    }
}

int main(int argc, char **argv)
{
    const double asked = 40 * MB;
    unsigned idt_ticks = 0;
    MPI_Comm comm;

    check_start(&argc, &argv);
    tool_init();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (argc > 1) {
        tool_settle(comm);
        check_readreset(comm);
        MPI_Comm_free(&comm);
        MPI_T_finalize();
        return check_end();
    }
    if (check_rank == 0) {
        idt_ticks = ask(comm, 1, asked)->idt_ticks;
        CHECK(idt_ticks > 150 && idt_ticks < 205, "%u", idt_ticks);
        watch(comm);
        CHECK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS,
              "start");
    }
    tool_send(comm, MESSAGES, LENGTH);
    /*
     * The data have arrived, but the last protocol packets to rank 1 may still
     * be in flight.
     */
    if (check_rank == 0) {
        MPI_T_pvar_stop(session, bandwidth.handle);
        MPI_T_pvar_stop(session, sdma_share.handle);
        MPI_Recv(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
    if (check_rank == 0) {
        CHECK(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS,
              "stop");
        check_counts();
        check_pace(idt_ticks, asked);
        check_share();
        MPI_T_pvar_session_free(&session);
    }
    MPI_Comm_free(&comm);
    MPI_T_finalize();
    return check_end();
}
