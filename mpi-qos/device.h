/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * device.h - the hook of the MPICH device, which may not be there.
 *
 * The symbols are in the device's libmpi and in no other. Declared weak, they
 * are 0 elsewhere, and one libmpiqos source serves every MPI.
 */
#ifndef MPI_QOS_DEVICE_H
#define MPI_QOS_DEVICE_H

#include "mpix_gm.h"

#pragma weak MPIX_GM_Watch_keyval
#pragma weak MPIX_GM_Flow_request
#pragma weak MPIX_GM_Flow_release
#pragma weak MPIX_GM_Flow_state
#pragma weak MPIX_GM_Message

#endif
