/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gives file access its virtual time: ROMIO reports each access. The access
 * then takes the time that the network and the I/O hosts need for its data.
 *
 * ROMIO calls the hook with its own lock, but without MPICH's global lock.
 */
#include "gm_impl.h"
#include "mpir_ext.h"

/* Time between two attempts to lock a part of a file. */
#define ADIGM_LOCK_PS UINT64_C(100000000)

/* Wait until it is the turn of this process, so that all processes access files in the order of
 * their virtual clocks. */
static void adigm_file_begin(void)
{
    MPID_THREAD_CS_ENTER(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    gmsim_io_begin();
    MPID_THREAD_CS_EXIT(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
}

static void adigm_file_transfer(gmsim_io_kind_t kind, const MPIR_File_access * access)
{
    MPID_THREAD_CS_ENTER(GLOBAL, MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX);
    gm_status_t status = gmsim_io_access(kind, 0, (uint64_t) access->offset,
                                         (uint64_t) access->bytes);
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

static int adigm_file_event(const MPIR_File_access * access)
{
    if (!adigm.is_open || gmsim_io_hosts() == 0)
        return 0;
    switch (access->event) {
        case MPIR_FILE_BEGIN:
        case MPIR_FILE_UNLOCK:
            adigm_file_begin();
            break;
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
            return 1;
        case MPIR_FILE_LOCK:
            adigm_file_begin();
            return 1;
        case MPIR_FILE_OPENED:
        case MPIR_FILE_HINTS:
        case MPIR_FILE_ANSWERS:
        case MPIR_FILE_CLOSING:
            break;
    }
    return 0;
}

void adigm_file_open(void)
{
    MPIR_File_hook = adigm_file_event;
}

void adigm_file_close(void)
{
    MPIR_File_hook = NULL;
}
