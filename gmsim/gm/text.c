/* SPDX-License-Identifier: BSD-3-Clause */
/* Contains the texts of GM's status codes, for gm_strerror() and
 * gm_perror(). */
#include <stdint.h>
#include <stdio.h>

#include "gm.h"

static const char *const gms_text_of_status[GM_NUM_STATUS_CODES] = {
    [GM_SUCCESS] = "success",
    [GM_FAILURE] = "failure",
    [GM_INPUT_BUFFER_TOO_SMALL] = "input buffer too small",
    [GM_OUTPUT_BUFFER_TOO_SMALL] = "output buffer too small",
    [GM_TRY_AGAIN] = "try again",
    [GM_BUSY] = "busy",
    [GM_MEMORY_FAULT] = "memory fault: the memory is not registered",
    [GM_INTERRUPTED] = "interrupted",
    [GM_INVALID_PARAMETER] = "invalid parameter",
    [GM_OUT_OF_MEMORY] = "out of memory",
    [GM_INVALID_COMMAND] = "invalid command",
    [GM_PERMISSION_DENIED] = "permission denied",
    [GM_INTERNAL_ERROR] = "internal error",
    [GM_UNATTACHED] = "unattached",
    [GM_UNSUPPORTED_DEVICE] = "unsupported device",
    [GM_SEND_TIMED_OUT] = "send timed out: the target provided no buffer",
    [GM_SEND_REJECTED] = "send rejected: the target does not accept the size",
    [GM_SEND_TARGET_PORT_CLOSED] = "send failed: the target port is closed",
    [GM_SEND_TARGET_NODE_UNREACHABLE] =
        "send failed: the target node cannot be reached",
    [GM_SEND_DROPPED] = "send dropped at the program's request",
    [GM_SEND_PORT_CLOSED] = "send failed: the sending port is closed",
    [GM_NODE_ID_NOT_YET_SET] = "node id not yet set",
    [GM_STILL_SHUTTING_DOWN] = "port still shutting down",
    [GM_CLONE_BUSY] = "clone device busy",
    [GM_NO_SUCH_DEVICE] = "no such device",
    [GM_ABORTED] = "aborted",
    [GM_INCOMPATIBLE_LIB_AND_DRIVER] = "library and driver do not match",
    [GM_UNTRANSLATED_SYSTEM_ERROR] = "system error",
    [GM_ACCESS_DENIED] = "access denied",
    [GM_NO_DRIVER_SUPPORT] = "not supported by the driver",
    [GM_PTE_REF_CNT_OVERFLOW] = "page registered too often",
    [GM_NOT_SUPPORTED_IN_KERNEL] = "not supported in the kernel",
    [GM_NOT_SUPPORTED_ON_ARCH] = "not supported on this architecture",
    [GM_NO_MATCH] = "no match",
    [GM_USER_ERROR] = "user error",
    [GM_TIMED_OUT] = "timed out",
    [GM_DATA_CORRUPTED] = "data corrupted",
    [GM_HARDWARE_FAULT] = "hardware fault",
    [GM_SEND_ORPHANED] = "send orphaned",
    [GM_MINOR_OVERFLOW] = "minor device number overflow",
    [GM_PAGE_TABLE_FULL] = "page table full",
    [GM_UC_ERROR] = "invalid parameter in microcode",
    [GM_INVALID_PORT_NUMBER] = "invalid port number",
    [GM_DEV_NOT_FOUND] = "device not found",
    [GM_FIRMWARE_NOT_RUNNING] = "firmware not running",
    [GM_YP_NO_MATCH] = "no match in the node directory",
    [GM_SRAM_PARITY_ERROR] = "parity error in the NIC's memory",
    [GM_FIRMWARE_ABORT] = "firmware aborted",
};

char *gm_strerror(gm_status_t status)
{
    const char *text = "unknown status";

    if ((unsigned)status < GM_NUM_STATUS_CODES) {
        text = gms_text_of_status[status];
    }
    /* GM defines the return type without const. The caller must nevertheless
     * not change the text. */
    return (char *)(uintptr_t)text;
}

void gm_perror(const char *prefix, gm_status_t status)
{
    fprintf(stderr, "%s: %s\n", prefix != NULL ? prefix : "gm",
            gm_strerror(status));
}
