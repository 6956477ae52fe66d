/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connects processes of different MPI_COMM_WORLDs in a job: converts addresses, and exchanges the
 * first messages of MPI_Comm_connect and MPI_Comm_accept. These messages do not belong to any
 * communicator. An address consists of the rank in the job and the id of the job.
 *
 * The connecting process sends a request with the tag of the port name and waits for the reply.
 * The accepting process keeps the request until MPI_Comm_accept receives it. If the time limit of
 * MPI_Comm_connect expires first, the connecting process withdraws its request.
 */
#include "gm_impl.h"

typedef enum adigm_dynamic_kind {
    ADIGM_DYNAMIC_REQUEST = 1,
    ADIGM_DYNAMIC_REPLY,
    ADIGM_DYNAMIC_WITHDRAW
} adigm_dynamic_kind_t;

/* Header of a message, which precedes the data. */
typedef struct adigm_dynamic {
    int32_t tag;
    uint32_t serial;            /* number that the sender has assigned to the request */
    uint32_t bytes;
    uint32_t unused;
} adigm_dynamic_t;

/* A message that has been received. */
typedef struct adigm_arrived {
    struct adigm_arrived *next;
    int source;                 /* rank in the job */
    int kind;
    adigm_dynamic_t head;
    char data[];
} adigm_arrived_t;

/* The request that the thread's next call answers, or whose reply the thread is waiting for. */
typedef struct adigm_exchange {
    int is_set;
    int peer;
    int tag;
    uint32_t serial;
} adigm_exchange_t;

static adigm_arrived_t *arrived;
static uint32_t last_serial;
static __thread adigm_exchange_t asked, answering;

/* ---- addresses ---- */

/* The first byte of the rank is the most significant byte, so memcmp() orders addresses by
 * rank. */
typedef struct adigm_address {
    uint64_t job_id;
    uint8_t rank[4];
} adigm_address_t;

static uint64_t adigm_job_id(void)
{
    gmsim_world_t world;
    (void) gmsim_get_world(&world);
    return world.job_id;
}

int MPIDI_GM_get_local_upids(MPIR_Comm * comm, int **local_upid_size, char **local_upids)
{
    int mpi_errno = MPI_SUCCESS;
    int n = comm->local_size;
    adigm_address_t *addresses = MPL_calloc(n, sizeof(*addresses), MPL_MEM_ADDRESS);
    int *sizes = MPL_malloc((size_t) n * sizeof(*sizes), MPL_MEM_ADDRESS);
    MPIR_ERR_CHKANDJUMP(addresses == NULL || sizes == NULL, mpi_errno, MPI_ERR_OTHER, "**nomem");
    for (int i = 0; i < n; i++) {
        unsigned rank;
        if (comm->comm_kind == MPIR_COMM_KIND__INTRACOMM) {
            rank = (unsigned) adigm_world_rank(comm, i);
        } else {
            int lpid = 0, avtid = 0;
            MPIDIU_comm_rank_to_pid_local(comm, i, &lpid, &avtid);
            rank = (unsigned) MPIDIU_get_av(avtid, lpid).netmod.gm.world_rank;
        }
        addresses[i].job_id = adigm_job_id();
        for (int k = 0; k < 4; k++)
            addresses[i].rank[k] = (uint8_t) (rank >> (24 - 8 * k));
        sizes[i] = (int) sizeof(*addresses);
    }
    *local_upid_size = sizes;
    *local_upids = (char *) addresses;

  fn_exit:
    return mpi_errno;
  fn_fail:
    MPL_free(addresses);
    MPL_free(sizes);
    goto fn_exit;
}

/* Find a rank in MPICH's address tables. Returns 0 if no table contains the rank. */
static int adigm_find_gpid(int rank, uint64_t * gpid_p)
{
    for (int table = 0; table < MPIDIU_get_n_avts(); table++) {
        if (MPIDIU_get_av_table(table) == NULL)
            continue;
        for (int i = 0; i < MPIDIU_get_av_table(table)->size; i++) {
            if (MPIDIU_get_av(table, i).netmod.gm.world_rank == rank) {
                *gpid_p = MPIDIU_GPID_CREATE(table, i);
                return 1;
            }
        }
    }
    return 0;
}

static int adigm_rank_of(const adigm_address_t * address)
{
    unsigned rank = 0;
    for (int k = 0; k < 4; k++)
        rank = rank << 8 | address->rank[k];
    return (int) rank;
}

static int adigm_port_error(const char *why)
{
    return MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, __func__, __LINE__,
                                MPI_ERR_PORT, "**portexist", "Invalid port name: %s", why);
}

/* Check the addresses, and count the unknown ones. */
static int adigm_check_addresses(int size, const int *sizes, const char *upids, int *n_new_p)
{
    gmsim_world_t world;
    uint64_t gpid;
    (void) gmsim_get_world(&world);
    *n_new_p = 0;
    for (int i = 0; i < size; i++) {
        adigm_address_t address;
        if (sizes[i] != (int) sizeof(address))
            return adigm_port_error("the name does not contain an address of this device");
        memcpy(&address, upids + (size_t) i * sizeof(address), sizeof(address));
        if (address.job_id != world.job_id)
            return adigm_port_error("the port belongs to another mpirun, which runs its own "
                                    "simulation; allowed: ports of the same mpirun");
        if (adigm_rank_of(&address) < 0 || (unsigned) adigm_rank_of(&address) >= world.job_size)
            return adigm_port_error("the name contains a rank that does not exist in this job");
        *n_new_p += !adigm_find_gpid(adigm_rank_of(&address), &gpid);
    }
    return MPI_SUCCESS;
}

int MPIDI_GM_upids_to_gpids(int size, int *remote_upid_size, char *remote_upids,
                            uint64_t * remote_gpids)
{
    int n_new, table = -1, n_added = 0;
    int mpi_errno = adigm_check_addresses(size, remote_upid_size, remote_upids, &n_new);
    MPIR_ERR_CHECK(mpi_errno);
    if (n_new > 0) {
        mpi_errno = MPIDIU_new_avt(n_new, &table);
        MPIR_ERR_CHECK(mpi_errno);
        for (int i = 0; i < n_new; i++)
            MPIDIU_get_av(table, i).netmod.gm.world_rank = -1;
    }
    for (int i = 0; i < size; i++) {
        adigm_address_t address;
        memcpy(&address, remote_upids + (size_t) i * sizeof(address), sizeof(address));
        if (!adigm_find_gpid(adigm_rank_of(&address), &remote_gpids[i])) {
            MPIDIU_get_av(table, n_added).netmod.gm.world_rank = adigm_rank_of(&address);
            remote_gpids[i] = MPIDIU_GPID_CREATE(table, n_added);
            n_added++;
        }
    }

  fn_exit:
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* ---- messages ---- */

static int adigm_rank_of_gpid(uint64_t gpid)
{
    return MPIDIU_get_av(MPIDIU_GPID_GET_AVTID(gpid),
                         MPIDIU_GPID_GET_LPID(gpid)).netmod.gm.world_rank;
}

static void adigm_send_dynamic(adigm_dynamic_kind_t kind, const adigm_exchange_t * exchange,
                               const void *data, size_t bytes)
{
    char message[ADIGM_DYNAMIC_BYTES];
    adigm_dynamic_t head = {
        .tag = exchange->tag,
        .serial = exchange->serial,
        .bytes = (uint32_t) bytes
    };
    MPIR_Assert(sizeof(head) + bytes <= sizeof(message));
    memcpy(message, &head, sizeof(head));
    if (bytes > 0)
        memcpy(message + sizeof(head), data, bytes);
    adigm_am_send_dynamic(exchange->peer, (int) kind, message, sizeof(head) + bytes);
}

/* Increase MPICH's count of completed requests, because MPICH's loops check their condition again
 * only after a change. */
static void adigm_count_progress(void)
{
    int count = MPL_atomic_relaxed_load_int(&MPIDI_VCI(0).progress_count);
    MPL_atomic_relaxed_store_int(&MPIDI_VCI(0).progress_count, count + 1);
}

static void adigm_withdraw(int source, uint32_t serial)
{
    for (adigm_arrived_t ** at = &arrived; *at; at = &(*at)->next) {
        adigm_arrived_t *message = *at;
        if (message->kind == ADIGM_DYNAMIC_REQUEST && message->source == source &&
            message->head.serial == serial) {
            *at = message->next;
            MPL_free(message);
            return;
        }
    }
}

void adigm_connect_take(int source, int kind, const void *hdr, size_t hdr_bytes)
{
    const adigm_dynamic_t *head = hdr;
    adigm_arrived_t **at = &arrived;
    MPIR_Assert(hdr_bytes >= sizeof(*head) && head->bytes <= hdr_bytes - sizeof(*head));
    if (kind == ADIGM_DYNAMIC_WITHDRAW) {
        adigm_withdraw(source, head->serial);
        return;
    }
    adigm_arrived_t *message = MPL_malloc(sizeof(*message) + head->bytes, MPL_MEM_OTHER);
    MPIR_Assert(message);
    message->next = NULL;
    message->source = source;
    message->kind = kind;
    message->head = *head;
    memcpy(message->data, head + 1, head->bytes);
    while (*at)
        at = &(*at)->next;
    *at = message;
    adigm_count_progress();
}

void adigm_connect_close(void)
{
    while (arrived) {
        adigm_arrived_t *next = arrived->next;
        MPL_free(arrived);
        arrived = next;
    }
}

int MPIDI_GM_dynamic_send(uint64_t remote_gpid, int tag, const void *buf, int size, int timeout)
{
    int peer = adigm_rank_of_gpid(remote_gpid);
    if (answering.is_set && answering.peer == peer && answering.tag == tag) {
        answering.is_set = 0;
        adigm_send_dynamic(ADIGM_DYNAMIC_REPLY, &answering, buf, (size_t) size);
        return MPI_SUCCESS;
    }
    asked.is_set = 0;
    if (!gmsim_has_open_port((unsigned) peer))
        return adigm_port_error("the process that opened this port has called MPI_Finalize");
    asked = (adigm_exchange_t) {
    1, peer, tag, ++last_serial};
    adigm_send_dynamic(ADIGM_DYNAMIC_REQUEST, &asked, buf, (size_t) size);
    return MPI_SUCCESS;
}

/* Remove the first message that the thread is waiting for: the reply to its request, or any request
 * for the tag. Returns NULL if no such message has arrived. All events are handled first, because
 * the sender may already have withdrawn a request. */
static adigm_arrived_t *adigm_take_arrived(int tag)
{
    while (gmsim_has_event(adigm_net_port()))
        (void) adigm_progress(0);
    for (adigm_arrived_t ** at = &arrived; *at; at = &(*at)->next) {
        adigm_arrived_t *message = *at;
        int is_wanted = asked.is_set ?
            message->kind == ADIGM_DYNAMIC_REPLY && message->source == asked.peer &&
            message->head.serial == asked.serial :
            message->kind == ADIGM_DYNAMIC_REQUEST && message->head.tag == tag;
        if (is_wanted) {
            *at = message->next;
            return message;
        }
    }
    return NULL;
}

/* ---- the time limit ---- */

/* Length of the first interval after which a waiting process checks its time limit. */
#define ADIGM_LEAST_CHECK_US UINT64_C(1000)

/* Each subsequent interval is as long as all previous intervals combined. An alarm on the NIC
 * cannot be cancelled. An alarm that outlasts the wait therefore extends the run by at most the
 * duration of the wait. */
typedef struct adigm_limit {
    gm_alarm_t alarm;
    uint64_t passed_us, limit_us;
    int is_over;
} adigm_limit_t;

static void adigm_limit_cb(void *context);

static void adigm_limit_next(adigm_limit_t * limit)
{
    uint64_t next_us = MPL_MAX(limit->passed_us, ADIGM_LEAST_CHECK_US);
    next_us = MPL_MIN(next_us, limit->limit_us - limit->passed_us);
    limit->passed_us += next_us;
    gm_set_alarm(adigm_net_port(), &limit->alarm, next_us, adigm_limit_cb, limit);
}

static void adigm_limit_cb(void *context)
{
    adigm_limit_t *limit = context;
    if (limit->passed_us >= limit->limit_us) {
        limit->is_over = 1;
        adigm_count_progress();
    } else {
        adigm_limit_next(limit);
    }
}

/* The processes of a new MPI_COMM_WORLD connect to their parent in MPI_Init. The parent always
 * accepts this connection. */
static int adigm_is_limited(int timeout)
{
    return timeout > 0 && !(MPIR_Process.has_parent && MPIR_Process.comm_parent == NULL);
}

static int adigm_await(int tag, int timeout, adigm_arrived_t ** message_p)
{
    int mpi_errno = MPI_SUCCESS, is_limited = adigm_is_limited(timeout);
    adigm_limit_t limit = {.limit_us = (uint64_t) timeout * 1000000 };
    MPID_Progress_state state;
    if (is_limited) {
        gm_initialize_alarm(&limit.alarm);
        adigm_limit_next(&limit);
    }
    MPID_Progress_start(&state);
    while (mpi_errno == MPI_SUCCESS && !(*message_p = adigm_take_arrived(tag)) && !limit.is_over)
        mpi_errno = MPID_Progress_wait(&state);
    MPID_Progress_end(&state);
    if (is_limited)
        gm_cancel_alarm(&limit.alarm);
    return mpi_errno;
}

int MPIDI_GM_dynamic_recv(int tag, void *buf, int size, int timeout)
{
    int mpi_errno;
    adigm_arrived_t *message = NULL;
    answering.is_set = 0;
    mpi_errno = adigm_await(tag, timeout, &message);
    MPIR_ERR_CHECK(mpi_errno);
    if (message == NULL) {
        if (asked.is_set)
            adigm_send_dynamic(ADIGM_DYNAMIC_WITHDRAW, &asked, NULL, 0);
        MPIR_ERR_SETANDJUMP1(mpi_errno, MPI_ERR_PORT, "**comm_connect_fail",
                             "No process accepted the connection within %d s of virtual time",
                             timeout);
    }
    if (!asked.is_set)
        answering = (adigm_exchange_t) {
        1, message->source, tag, message->head.serial};
    memcpy(buf, message->data, MPL_MIN((size_t) size, (size_t) message->head.bytes));

  fn_exit:
    MPL_free(message);
    asked.is_set = 0;
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}
