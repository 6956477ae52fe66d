/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Simulates the time of file accesses: ROMIO reports each access. The access then takes the
 * time that the network and the I/O hosts need to transfer its data. Also reports open files
 * to the QoS layer, and requests bandwidth for them.
 *
 * ROMIO calls the hook while it holds its own lock, but not MPICH's global lock.
 */
#include "gm_impl.h"
#include "mpir_ext.h"

/* MPICH hides all symbols without an export attribute. */
#pragma GCC visibility push(default)
#include "mpix_gm.h"
#pragma GCC visibility pop

/* Interval between two attempts to lock a part of a file. */
#define ADIGM_LOCK_PS UINT64_C(100000000)

/* The streams of the files for which bandwidth has been requested. All other files use stream
 * 0, which never has a reservation. MPICH's global lock protects the array. */
static struct {
    const void **files;         /* file of stream i + 1; NULL: the stream is free */
    unsigned count;
} streams;

/* Return the stream of a file, or 0. */
static unsigned adigm_file_stream(const void *file)
{
    for (unsigned i = 0; i < streams.count; i++) {
        if (streams.files[i] == file)
            return i + 1;
    }
    return 0;
}

/* Assign a stream to a file. Return the stream, or 0 if no stream is free or memory is
 * insufficient. */
static unsigned adigm_file_take_stream(const void *file)
{
    unsigned i = 0;
    while (i < streams.count && streams.files[i] != NULL)
        i++;
    if (i == GMSIM_IO_MAX_STREAM)
        return 0;
    if (i == streams.count) {
        const void **files = MPL_realloc(streams.files, (i + 1) * sizeof(*files), MPL_MEM_OTHER);
        if (files == NULL)
            return 0;
        streams.files = files;
        streams.count++;
    }
    streams.files[i] = file;
    return i + 1;
}

/* Wait for the turn of this process, because all processes access files in the order of their
 * virtual clocks. */
static void adigm_file_begin(void)
{
    MPID_THREAD_CS_ENTER(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    gmsim_io_begin();
    MPID_THREAD_CS_EXIT(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
}

static void adigm_file_transfer(gmsim_io_kind_t kind, const MPIR_File_access * access)
{
    MPID_THREAD_CS_ENTER(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    gm_status_t status = gmsim_io_access(kind, adigm_file_stream(access->file),
                                         (uint64_t) access->offset, (uint64_t) access->bytes);
    MPID_THREAD_CS_EXIT(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    if (status == GM_OUT_OF_MEMORY)
        gmsim_fatal("the arena has no memory left for file access; set a larger arena_bytes in the "
                    "cluster description");
}

/* Wait before another attempt to lock a part of a file. */
static void adigm_file_wait(void)
{
    MPID_THREAD_CS_ENTER(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    gmsim_work(ADIGM_LOCK_PS);
    MPID_THREAD_CS_EXIT(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
}

static void adigm_file_access(const MPIR_File_access * access)
{
    switch (access->event) {
        case MPIR_FILE_READ:
            adigm_file_transfer(GMSIM_IO_READ, access);
            break;
        case MPIR_FILE_WRITTEN:
            adigm_file_transfer(GMSIM_IO_WRITE, access);
            break;
        case MPIR_FILE_SYNCED:
            adigm_file_transfer(GMSIM_IO_SYNC, access);
            break;
        case MPIR_FILE_RESIZED:
            adigm_file_transfer(GMSIM_IO_RESIZE, access);
            break;
        case MPIR_FILE_LOCK_AGAIN:
            adigm_file_wait();
            adigm_file_begin();
            break;
        default:
            adigm_file_begin();
            break;
    }
}

/* ---- the QoS layer ---- */

static const MPIX_GM_File_events *watcher;

void MPIX_GM_Watch_files(const MPIX_GM_File_events * events)
{
    watcher = events;
}

/* Release the reservation of a file that is being closed. */
static void adigm_file_close_stream(const void *file)
{
    MPIX_GM_File_answer answer;
    unsigned stream = adigm_file_stream(file);
    if (stream == 0)
        return;
    (void) MPIX_GM_File_request(file, 0, 0, &answer);
    streams.files[stream - 1] = NULL;
}

static void adigm_file_tell(const MPIR_File_access * access)
{
    switch (access->event) {
        case MPIR_FILE_OPENED:
            if (adigm_events_want(access->info) && watcher != NULL)
                watcher->opened(access->file, access->name, access->info);
            break;
        case MPIR_FILE_HINTS:
            if (adigm_info_has_hints(access->info) && adigm_events_want(access->info) &&
                watcher != NULL)
                watcher->hints(access->file, access->name, access->info);
            break;
        case MPIR_FILE_ANSWERS:
            if (watcher != NULL)
                watcher->answers(access->file, access->info);
            break;
        default:
            if (watcher != NULL)
                watcher->closing(access->file);
            adigm_file_close_stream(access->file);
            break;
    }
}

static int adigm_file_event(const MPIR_File_access * access)
{
    if (!adigm.is_open)
        return 0;
    switch (access->event) {
        case MPIR_FILE_OPENED:
        case MPIR_FILE_HINTS:
        case MPIR_FILE_ANSWERS:
        case MPIR_FILE_CLOSING:
            adigm_file_tell(access);
            return 0;
        default:
            if (gmsim_io_hosts() == 0)
                return 0;
            adigm_file_access(access);
            return access->event == MPIR_FILE_LOCK || access->event == MPIR_FILE_LOCK_AGAIN;
    }
}

int MPIX_GM_File_hosts(void)
{
    return adigm.is_open ? (int) gmsim_io_hosts() : 0;
}

static int adigm_file_request(const void *file, double write_bytes_s, double read_bytes_s,
                              MPIX_GM_File_answer * answer)
{
    gmsim_io_answer_t io_answer;
    unsigned stream = adigm_file_stream(file);
    memset(answer, 0, sizeof(*answer));
    if (gmsim_io_hosts() == 0)
        return MPI_ERR_OTHER;
    if (stream == 0)
        stream = adigm_file_take_stream(file);
    if (stream == 0)
        return MPI_ERR_NO_MEM;
    switch (gmsim_io_request(stream, write_bytes_s, read_bytes_s, &io_answer)) {
        case GM_SUCCESS:
            break;
        case GM_OUT_OF_MEMORY:
            return MPI_ERR_NO_MEM;
        case GM_INVALID_PARAMETER:
            return MPI_ERR_ARG;
        default:
            return MPI_ERR_OTHER;
    }
    answer->granted = io_answer.granted;
    answer->denied_read = io_answer.denied_read;
    answer->criterion = io_answer.criterion;
    MPL_strncpy(answer->place, io_answer.place, sizeof(answer->place));
    answer->left = io_answer.left_bytes_s;
    return MPI_SUCCESS;
}

int MPIX_GM_File_request(const void *file, double write_bytes_s, double read_bytes_s,
                         MPIX_GM_File_answer * answer)
{
    int result;
    if (file == NULL || answer == NULL || !adigm.is_open)
        return MPI_ERR_ARG;
    MPID_THREAD_CS_ENTER(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    result = adigm_file_request(file, write_bytes_s, read_bytes_s, answer);
    MPID_THREAD_CS_EXIT(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    return result;
}

void adigm_file_open(void)
{
    MPIR_File_hook = adigm_file_event;
}

void adigm_file_close(void)
{
    MPIR_File_hook = NULL;
    watcher = NULL;
    MPL_free(streams.files);
    streams.files = NULL;
    streams.count = 0;
}
