/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * device.h - declares the functions of the MPICH device `ch4:gm`, which can be
 * absent.
 *
 * Only the libmpi of this device defines these symbols. The symbols are weak,
 * and therefore NULL with any other MPI library. The same source of libmpiqos
 * therefore works with every MPI library.
 */
#ifndef MPI_QOS_DEVICE_H
#define MPI_QOS_DEVICE_H

#include "mpix_gm.h"

/* This macro uses an attribute instead of #pragma weak, because the
 * preprocessor does not expand macros in the pragma's names. A test renames the
 * hook with a macro when it compiles the library. */
#define MPIQOS_WEAK(_function)                                                 \
    extern __typeof__(_function) _function __attribute__((weak))

MPIQOS_WEAK(MPIX_GM_Watch_keyval);
MPIQOS_WEAK(MPIX_GM_Flow_request);
MPIQOS_WEAK(MPIX_GM_Flow_release);
MPIQOS_WEAK(MPIX_GM_Flow_state);
MPIQOS_WEAK(MPIX_GM_Message);
MPIQOS_WEAK(MPIX_GM_Keeps_pace);
MPIQOS_WEAK(MPIX_GM_Is_remote);
MPIQOS_WEAK(MPIX_GM_Watch_comms);
MPIQOS_WEAK(MPIX_GM_Read_records);
MPIQOS_WEAK(MPIX_GM_World_rank);
MPIQOS_WEAK(MPIX_GM_Watch_files);
MPIQOS_WEAK(MPIX_GM_File_hosts);
MPIQOS_WEAK(MPIX_GM_File_request);

#endif
