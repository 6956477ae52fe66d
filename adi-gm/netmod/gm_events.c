/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reports events of communicators (creation, names and hints) to a QoS layer.
 *
 * The layer is a separate library above MPI. A program that never requests bandwidth is not linked
 * with this library. The code below loads the library if the program requests bandwidth with hints,
 * or if the user has set a policy.
 */
#include "gm_impl.h"

#include <dlfcn.h>
#include <unistd.h>

/* MPICH hides all symbols without an export attribute. */
#pragma GCC visibility push(default)
#include "mpix_gm.h"
#pragma GCC visibility pop

#define ADIGM_HINT_PREFIX "mpiqos_"
#define ADIGM_ERROR_LEN 4096

typedef int adigm_client_open_fn(int rank, int size, char *error, size_t error_len);
typedef int adigm_client_start_fn(void);

static const MPIX_GM_Comm_events *watcher;

/* The client library, if this file has loaded it. */
static struct {
    void *handle;
    adigm_client_start_fn *start;
    int is_wanted;              /* 1: the environment requires the library, even if the program sets
                                   no hints */
    char error[ADIGM_ERROR_LEN];
} client;

/* ---- the library ---- */

static int adigm_is_set(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0';
}

/* Load the client library. If the program is linked with the library, dlopen() returns the
 * program's copy. In a program for the standard ABI, MPI's function names refer to libmpi_abi. The
 * library must call the functions of libmpi, with which it is linked (RTLD_DEEPBIND). */
static int adigm_client_load(adigm_client_open_fn ** open_p)
{
    int mode = RTLD_NOW | RTLD_LOCAL;
    if (dlsym(RTLD_DEFAULT, "MPI_Abi_get_version") != NULL)
        mode |= RTLD_DEEPBIND;
    if (client.handle == NULL)
        client.handle = dlopen(ADIGM_CLIENT, mode);
    if (client.handle == NULL)
        return -1;
    /* POSIX permits this conversion of a data pointer to a function pointer */
    *(void **) &client.start = dlsym(client.handle, "mpiqos_flow_keyval");
    *(void **) open_p = dlsym(client.handle, "mpiqos_device_open");
    return (client.start != NULL && *open_p != NULL) ? 0 : -1;
}

static int adigm_client_open(int rank, int size)
{
    adigm_client_open_fn *open_fn = NULL;
    if (adigm_client_load(&open_fn) != 0) {
        const char *why = dlerror();
        snprintf(client.error, sizeof(client.error), "%s", why ? why : ADIGM_CLIENT
                 " and this libmpi have different versions; install matching versions of both");
        return -1;
    }
    return open_fn(rank, size, client.error, sizeof(client.error));
}

/* Load the client if the environment requires it. An invalid policy is usually invalid for all
 * ranks. After rank 0 has reported the invalid policy, the other ranks sleep to give mpiexec time
 * to end the job. These ranks do not join the simulated cluster in the meantime. A rank that is
 * killed while it waits for other ranks would leave the cluster's file behind. */
void adigm_events_open(int rank, int size)
{
    MPIR_Comm_event_hook = adigm_comm_event;
    client.error[0] = '\0';
    client.is_wanted = adigm_is_set("MPIQOS_POLICY") || adigm_is_set("MPIQOS_REPORT");
    if (!client.is_wanted || adigm_client_open(rank, size) == 0)
        return;
    if (rank > 0)
        sleep(1);
    gmsim_fatal("%s", client.error);
}

void adigm_events_close(void)
{
    MPIR_Comm_event_hook = NULL;
    watcher = NULL;
}

/* Print a message once, on rank 0, if a program requests bandwidth but uses only MPI Sessions. The
 * layer requires MPI_Init and MPI_Finalize. */
static void adigm_check_watcher(void)
{
    static int is_reported;
    int is_initialized = 0;
    (void) PMPI_Initialized(&is_initialized);
    if (watcher != NULL || is_initialized || is_reported || MPIR_Process.rank != 0)
        return;
    is_reported = 1;
    fprintf(stderr, "mpiqos: hints, MPIQOS_POLICY and MPIQOS_REPORT have no effect, because they "
            "require MPI_Init; this program uses only MPI Sessions\n");
}

/* Return the client's event functions, or NULL if there is no client. The caller must not hold
 * MPICH's global lock. */
static const MPIX_GM_Comm_events *adigm_watcher(void)
{
    adigm_client_open_fn *open_fn = NULL;
    if (watcher == NULL && adigm_client_load(&open_fn) == 0) {
        (void) client.start();
        adigm_check_watcher();
    }
    return watcher;
}

void MPIX_GM_Watch_comms(const MPIX_GM_Comm_events * events)
{
    watcher = events;
}

int adigm_events_want(MPI_Info info)
{
    return (client.is_wanted || watcher != NULL || adigm_info_has_hints(info)) &&
        adigm_watcher() != NULL;
}

/* ---- events ---- */

static int adigm_is_ready(const MPIR_Comm * comm)
{
    return MPIDI_COMM(comm, netmod).gm.is_committed && MPIDI_COMM(comm, netmod).gm.is_published;
}

static int adigm_has_hints(const MPIR_Info * info)
{
    for (; info != NULL; info = info->next) {
        if (info->key && strncmp(info->key, ADIGM_HINT_PREFIX, strlen(ADIGM_HINT_PREFIX)) == 0)
            return 1;
    }
    return 0;
}

int adigm_info_has_hints(MPI_Info info)
{
    MPIR_Info *info_ptr = NULL;
    if (info != MPI_INFO_NULL)
        MPIR_Info_get_ptr(info, info_ptr);
    return adigm_has_hints(info_ptr);
}

/* The client calls MPI functions, and the lock is not recursive. */
static void adigm_tell_hints(MPIR_Comm * comm, MPIR_Info * info)
{
    MPID_THREAD_CS_EXIT(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    if (adigm_watcher() != NULL)
        watcher->hints(comm->handle, info->handle);
    MPID_THREAD_CS_ENTER(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
}

static void adigm_forget_hints(MPIR_Comm * comm)
{
    if (MPIDI_COMM(comm, netmod).gm.hints != NULL)
        MPIR_Info_free_impl(MPIDI_COMM(comm, netmod).gm.hints);
    MPIDI_COMM(comm, netmod).gm.hints = NULL;
}

/* Report to the client that one of the program's communicators is complete. Hints have precedence
 * over a policy. */
static void adigm_tell_created(MPIR_Comm * comm)
{
    if (MPIDI_COMM(comm, netmod).gm.hints != NULL)
        adigm_tell_hints(comm, MPIDI_COMM(comm, netmod).gm.hints);
    adigm_forget_hints(comm);
    if (client.is_wanted || watcher != NULL) {
        MPID_THREAD_CS_EXIT(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
        if (adigm_watcher() != NULL)
            watcher->created(comm->handle);
        MPID_THREAD_CS_ENTER(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    }
}

/* Write the name of a communicator to the record of the run, where it labels the communicator's
 * flows. */
static void adigm_tell_name(const MPIR_Comm * comm)
{
    if (comm->name[0] != '\0' && adigm.is_open && !adigm.is_absent)
        (void) gmsim_name_label(adigm_net_port(), adigm_comm_label(comm), comm->name);
}

/* Record that the program has received a communicator's handle. A communicator is complete when it
 * is committed. The communicator belongs to the program as soon as the program has its handle.
 * MPI_Comm_idup returns the handle before the communicator is committed. */
static void adigm_comm_published(MPIR_Comm * comm)
{
    int was_ready = adigm_is_ready(comm);
    MPIDI_COMM(comm, netmod).gm.is_published = 1;
    adigm_tell_name(comm);
    if (adigm_is_ready(comm) && !was_ready)
        adigm_tell_created(comm);
}

static void adigm_comm_named(MPIR_Comm * comm)
{
    adigm_tell_name(comm);
    if (watcher == NULL || !adigm_is_ready(comm))
        return;
    MPID_THREAD_CS_EXIT(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    watcher->named(comm->handle);
    MPID_THREAD_CS_ENTER(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
}

static void adigm_comm_answers(MPIR_Comm * comm, MPIR_Info * info)
{
    if (watcher == NULL)
        return;
    MPID_THREAD_CS_EXIT(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    watcher->answers(comm->handle, info->handle);
    MPID_THREAD_CS_ENTER(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
}

void adigm_comm_event(int handle, MPIR_Comm_event_t event, MPIR_Info * info)
{
    MPIR_Comm *comm = NULL;
    MPIR_Comm_get_ptr(handle, comm);
    if (comm == NULL)
        return;
    switch (event) {
        case MPIR_COMM_EVENT_PUBLISHED:
            if (comm == MPIR_Process.comm_world)
                adigm_comm_published(MPIR_Process.comm_self);
            adigm_comm_published(comm);
            /* in a spawned process, the communicator to the parent exists as soon as MPI_Init has
             * finished */
            if (comm == MPIR_Process.comm_world && MPIR_Process.comm_parent)
                adigm_comm_published(MPIR_Process.comm_parent);
            break;
        case MPIR_COMM_EVENT_NAMED:
            adigm_comm_named(comm);
            break;
        case MPIR_COMM_EVENT_GET_HINTS:
            adigm_comm_answers(comm, info);
            break;
    }
}

/* ---- the netmod interface ---- */

int MPIDI_GM_mpi_comm_commit_post_hook(MPIR_Comm * comm)
{
    int was_ready = adigm_is_ready(comm);
    MPIDI_COMM(comm, netmod).gm.is_committed = 1;
    if (adigm_is_ready(comm) && !was_ready)
        adigm_tell_created(comm);
    return MPI_SUCCESS;
}

int MPIDI_GM_mpi_comm_free_hook(MPIR_Comm * comm)
{
    adigm_forget_hints(comm);
    memset(&MPIDI_COMM(comm, netmod).gm, 0, sizeof(MPIDI_GM_comm_t));
    return MPI_SUCCESS;
}

/* comm and info may be NULL. Newer hints replace hints that are still waiting. */
int MPIDI_GM_comm_set_hints(MPIR_Comm * comm_ptr, MPIR_Info * info)
{
    if (comm_ptr == NULL || !adigm_has_hints(info))
        return MPI_SUCCESS;
    if (adigm_is_ready(comm_ptr)) {
        adigm_tell_hints(comm_ptr, info);
        return MPI_SUCCESS;
    }
    adigm_forget_hints(comm_ptr);
    return MPIR_Info_dup_impl(info, &MPIDI_COMM(comm_ptr, netmod).gm.hints);
}

/* Report the communicator of a window; a program never receives its handle. A program cannot name
 * this communicator. The name is therefore derived from the name of the parent, which is the
 * communicator on which the program creates the window. */
void adigm_win_created(MPIR_Win * win, const MPIR_Comm * parent, MPIR_Info * info)
{
    char *name = win->comm_ptr->name;
    int has_name = parent->name[0] != '\0';
    MPL_strncpy(name, has_name ? "window of " : "window", MPI_MAX_OBJECT_NAME);
    MPL_strncpy(name + strlen(name), parent->name, MPI_MAX_OBJECT_NAME - strlen(name));
    (void) MPIDI_GM_comm_set_hints(win->comm_ptr, info);
    adigm_comm_published(win->comm_ptr);
}

/* ---- files ---- */

_Static_assert(MPIX_GM_WHY_LEN >= GMSIM_WHY_LEN, "the record_fn must have room for a reason");

int MPIX_GM_Read_records(const char *path, const char *what, const char *const *keys,
                         MPIX_GM_Record_fn * record_fn, void *context, char *error,
                         size_t error_len)
{
    return gmsim_read_records(path, what, keys, record_fn, context, error,
                              error_len) == GM_SUCCESS ? 0 : -1;
}
