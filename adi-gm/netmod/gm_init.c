/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Starts and ends the netmod. From the end of init_local to post_init, and again after finalize,
 * the process communicates with the process manager. During these periods, the process is absent
 * from the simulation.
 */
#include "gm_impl.h"
#include "gm_work.h"
#include "gm_mpit.h"
#include "gm_register.h"

/* Minimum length of a slice of deferred work. Slices would be shorter on clusters where receiving
 * costs little time per byte. */
#define ADIGM_LEAST_SLICE_PS UINT64_C(10000000)

adigm_state_t adigm;

uint64_t adigm_param(const char *name)
{
    uint64_t value = 0;
    if (gmsim_get_param(name, &value) != GM_SUCCESS)
        gmsim_fatal("MPI cannot start: the cluster has no parameter %s", name);
    return value;
}

static void adigm_read_params(void)
{
    adigm.overhead_ps = adigm_param("mpi_overhead_ps");
    adigm.receive_overhead_ps = adigm.overhead_ps + adigm_param("mpi_receive_overhead_ps");
    adigm.copy_ps_per_byte = adigm_param("mpi_copy_ps_per_byte");
    adigm.receive_copy_ps_per_byte =
        adigm.copy_ps_per_byte + adigm_param("mpi_receive_copy_ps_per_byte");
    adigm.part_bytes = (MPI_Aint) adigm_param("mpi_eager_part_bytes");
    adigm.direct_bytes = (MPI_Aint) adigm_param("mpi_eager_direct_bytes");
    adigm.lookup_ps = adigm_param("mpi_register_lookup_ps");
    adigm.rndv_overhead_ps = adigm_param("mpi_rndv_overhead_ps");
    /* the device has no enum for the library's choices, which are write (0) and read (1) */
    adigm.rndv_reads = adigm_param("mpi_rndv_protocol") != 0 && gmsim_reads_memory();
    adigm.rndv_read_bytes = (MPI_Aint) adigm_param("mpi_rndv_read_bytes");
    adigm.pipeline_bytes = (MPI_Aint) adigm_param("mpi_pipeline_bytes");
    adigm.pipeline_depth = (int) adigm_param("mpi_pipeline_depth");
    adigm.block_ps = adigm_param("mpi_pack_block_ps");
    adigm.rndv_recv_ps_per_byte = adigm_param("mpi_rndv_recv_ps_per_byte");
    adigm.slice_ps = MPL_MAX(gm_mtu(adigm_net_port()) * adigm.rndv_recv_ps_per_byte,
                             ADIGM_LEAST_SLICE_PS);
    adigm.eager_bytes = (MPI_Aint) adigm_param("mpi_eager_bytes");
}

/* Return the virtual time in seconds. The library allows only one thread at a time. This function
 * acquires the lock recursively, because a user's reduction function runs while the lock is held
 * and can call MPI_Wtime. */
static double adigm_wtime(void)
{
    MPIDUI_THREAD_CS_ENTER_REC(MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    uint64_t now_ps = gmsim_time_ps();
    MPID_THREAD_CS_EXIT(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    return (double) now_ps * 1e-12;
}

/* Exclude other threads while the program reads the clock through a function of the C library. */
static void adigm_begin_thread(void)
{
    MPIDUI_THREAD_CS_ENTER_REC(MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
}

static void adigm_end_thread(void)
{
    MPID_THREAD_CS_EXIT(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
}

static double adigm_wtick(void)
{
    return 1e-12;
}

/* MPICH's name of the MPI function that this thread has called; NULL: the thread has called none.
 * MPI functions can be nested, because MPICH calls functions of the program. The name is that of the
 * outermost function. */
static __thread const char *adigm_called;
static __thread unsigned adigm_depth;

/* Write the name of an MPI function. MPICH names the implementation of MPI_Send internal_Send, or
 * internalX_Send if MPI_Send has a variant for large counts. */
static void adigm_write_name(const char *name, char *text, size_t room)
{
    static const char prefix[] = "MPI";
    const char *rest = strchr(name, '_');
    size_t used = sizeof(prefix) - 1;
    /* faster than snprintf(), because this function runs before every wait */
    memcpy(text, prefix, used);
    MPL_strncpy(text + used, rest ? rest : name, room - used);
}

/* Name the function in which this thread waits. */
static void adigm_name_wait(char *text, size_t room)
{
    if (adigm_called)
        adigm_write_name(adigm_called, text, room);
    else
        text[0] = '\0';
}

static void adigm_note_call(int is_entry, const char *name)
{
    if (is_entry && adigm_depth++ == 0)
        adigm_called = name;
    /* the entry to MPI_Init was not observed */
    else if (!is_entry && adigm_depth > 0 && --adigm_depth == 0)
        adigm_called = NULL;
}

/* Report a call by the name of its MPI function. */
static void adigm_call(int is_entry, const char *name)
{
    char text[64];
    adigm_note_call(is_entry, name);
    adigm_write_name(name, text, sizeof(text));
    if (is_entry)
        gmsim_enter_call(text);
    if (gmsim_is_traced())
        gmsim_trace_call(text, is_entry);
    if (!is_entry)
        gmsim_exit();
}

/* Observe the program's calls of MPI functions, for three reasons. In the time modes `measured' and
 * `wall', time within MPICH must not count as the program's computing time. A user can trace the
 * calls. The message about a deadlock names them. This function runs inside MPI_Init or
 * MPI_Session_init, whose start was not observed. The hook remains installed, because finalizing and
 * restarting MPI are calls, too. */
static void adigm_observe_calls(void)
{
    gmsim_name_waits(adigm_name_wait);
    if (MPIR_Call_hook)
        return;
    if (adigm_param("time") == 0 && !gmsim_is_traced()) {
        MPIR_Call_hook = adigm_note_call;
        return;
    }
    gmsim_enter();
    MPIR_Call_hook = adigm_call;
}

/* Do not let MPI_Win_allocate search for an address that is free in all ranks. MPICH proposes random
 * addresses until one is free, and each proposal needs messages. The virtual time of the call would
 * therefore depend on the memory layout of the ranks. If all ranks are in one process, no address
 * is free in all ranks, so MPICH would make all 100 attempts. */
static void adigm_avoid_random_addresses(void)
{
    MPIR_CVAR_SHM_SYMHEAP_RETRY = 0;
}

static void adigm_set_name(void)
{
    MPL_strncpy(MPIDI_global.pname, adigm_net_place()->host_name, MPI_MAX_PROCESSOR_NAME);
    MPIDI_global.pname_len = (int) strlen(MPIDI_global.pname);
    MPIDI_global.pname_set = 1;
}

/* 1: MPI_Abort has already reported why the process ends. */
extern int MPIDI_GM_is_aborting;
int MPIDI_GM_is_aborting;

/* If a rank exits with status 0 before MPI_Finalize, end the job, because the other ranks would
 * wait for this rank. If a rank exits with any other status, print this status and keep it, because
 * the other ranks cannot know the cause. */
static void adigm_on_exit(int status, void *unused)
{
    (void) unused;
    /* a child process that the program has forked is not a rank, so its exit does not end the
     * job */
    if (!adigm.is_open || MPIDI_GM_is_aborting || getpid() != adigm.pid)
        return;
    if (status == 0)
        gmsim_fatal("the process ended without calling MPI_Finalize");
    fprintf(stderr, "gmsim: rank %d: the process ended with status %d without calling "
                    "MPI_Finalize\n",
            adigm_job_rank(), status);
}

/* Prepare the process for the simulation. This function runs before MPICH or the program calls
 * hwloc, with or without a launcher. */
__attribute__ ((constructor)) static void adigm_at_start(void)
{
    gmsim_show_host();
}

/* Bind this rank to a core of its simulated host. The ranks of a host are assigned to its cores in
 * turn. */
static void adigm_bind(void)
{
    int index = 0;
    for (int rank = 0; rank < adigm_job_rank(); rank++)
        index += adigm_net_host_of(rank) == adigm_net_host_of(adigm_job_rank());
    MPIR_hwtopo_bind(index);
}

/* Join the cluster and determine the hosts of all ranks. MPICH's process-manager code calls this
 * function before any other function that needs the cluster. Hosts are numbered in the order of
 * their first ranks. */
int MPIDI_GM_node_map(int *nodemap, int sz, int *p_max_node_id)
{
    int mpi_errno = MPI_SUCCESS;
    int n_nodes = 0;
    int *nodes = NULL;          /* for each host: number of its node, counted from 1; 0: none */
    /* an invalid policy is reported before the job starts; the job of a spawned process is already
     * running and has read the policy */
    if (!MPIR_Process.has_parent)
        adigm_events_open(MPIR_Process.rank, sz);
    adigm_net_join(MPIR_Process.rank, sz);
    int first_rank = adigm_net_first_rank();
    if (MPIR_Process.has_parent)
        adigm_events_open(first_rank + MPIR_Process.rank, adigm_net_launched());
    adigm_observe_calls();
    adigm_cvar_joined();
    nodes = MPL_calloc((size_t) adigm_param("hosts") + 1, sizeof(*nodes), MPL_MEM_OTHER);
    MPIR_ERR_CHKANDJUMP(nodes == NULL, mpi_errno, MPI_ERR_OTHER, "**nomem");
    for (int rank = 0; rank < sz; rank++) {
        int *node_p = &nodes[adigm_net_host_of(first_rank + rank)];
        if (*node_p == 0)
            *node_p = ++n_nodes;
        nodemap[rank] = *node_p - 1;
    }
    *p_max_node_id = n_nodes - 1;

  fn_exit:
    MPL_free(nodes);
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

int MPIDI_GM_init_local(int *tag_bits)
{
    static int watches_exit;
    memset(&adigm, 0, sizeof(adigm));
    adigm_net_open();
    adigm.first_rank = adigm_net_first_rank();
    adigm_read_params();
    adigm_am_open();
    adigm_register_open();
    adigm_rndv_open();
    adigm_file_open();
    adigm_set_name();
    adigm_avoid_random_addresses();
    adigm_bind();
    for (int i = 0; i < MPIR_Process.size; i++)
        MPIDIU_get_av(0, i).netmod.gm.world_rank = adigm.first_rank + i;
    *tag_bits = MPIR_TAG_BITS_DEFAULT;
    MPIR_Process.attrs.wtime_is_global = 1;
    MPIR_Wtime_hook = adigm_wtime;
    MPIR_Wtick_hook = adigm_wtick;
    gmsim_set_thread_lock(adigm_begin_thread, adigm_end_thread);
    adigm.is_open = 1;
    adigm.pid = getpid();
    adigm.is_absent = 1;
    if (!watches_exit)
        watches_exit = on_exit(adigm_on_exit, NULL) == 0;
    gmsim_leave_to_start();
    return MPI_SUCCESS;
}

int MPIDI_GM_init_world(void)
{
    /* an exchange of addresses is not necessary, because the rank of a process determines its
     * address */
    return MPI_SUCCESS;
}

static void adigm_rejoin(void)
{
    if (adigm.is_absent)
        gmsim_rejoin();
    adigm.is_absent = 0;
}

int MPIDI_GM_post_init(void)
{
    adigm_rejoin();
    return MPI_SUCCESS;
}

static void adigm_flush(void)
{
    adigm.is_flushing = 1;
    while (!adigm_net_is_quiet() || adigm_work_is_owed())
        adigm_progress(1);
    adigm.is_flushing = 0;
}

/* Perform a dissemination barrier: in round r, send to the rank 2^r above and wait for the rank 2^r
 * below this rank. MPI's own barrier cannot be used, because the world communicator no longer
 * exists. */
static void adigm_barrier(void)
{
    int rank = MPIR_Process.rank, size = MPIR_Process.size;
    for (int round = 0; (1 << round) < size; round++) {
        MPIR_Assert(round < ADIGM_BARRIER_ROUNDS);
        adigm_am_send_barrier(adigm.first_rank + (rank + (1 << round)) % size, round);
        while (adigm.barrier_arrived[round] == 0)
            adigm_progress(1);
    }
}

int MPIDI_GM_mpi_finalize_hook(void)
{
    if (!adigm.is_open)
        return MPI_SUCCESS;
    /* if the sessions of a process have never created a communicator, the process is still
     * absent */
    adigm_rejoin();
    /* complete all sends before the barrier, and receive all messages before closing the port */
    adigm_flush();
    adigm_barrier();
    adigm_flush();
    adigm_mpit_close();
    MPIR_Wtime_hook = NULL;
    gmsim_set_thread_lock(NULL, NULL);
    MPIR_Wtick_hook = NULL;
    MPIR_Comm_set_attr_hook = NULL;
    adigm_events_close();
    adigm_file_close();
    adigm_rndv_close();
    adigm_register_close();
    adigm_am_close();
    adigm_connect_close();
    adigm_net_close();
    adigm.is_open = 0;
    gmsim_leave();
    return MPI_SUCCESS;
}
