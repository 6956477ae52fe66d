/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * gm.h - the GM programming interface for simulated Myrinet NICs.
 *
 * Names, argument orders, types and constants are the same as in GM 2.0.16.
 * Programs written for GM compile and link (-lgm) without a change. A program
 * may set GM_API_VERSION to an older version before it includes this file.
 * gm_qos.h and gmsim.h declare extensions of GM.
 *
 * The main rules of the interface are:
 * - A process opens a port on its node's NIC with gm_open(). The process then
 *   holds gm_num_send_tokens() send tokens and gm_num_receive_tokens() receive
 *   tokens. A send uses a send token until its callback runs. A receive buffer
 *   uses a receive token until a message is returned in it.
 * - A message has a size class, which the sender chooses, and a priority. The
 *   NIC stores a message only in a buffer that was provided for exactly this
 *   size class and priority.
 * - Messages from one sending port to one target port at one priority arrive in
 *   order, exactly once, and undamaged. The order of messages from different
 *   ports, or with different priorities, is undefined.
 * - Callbacks run only inside gm_unknown(). The program must pass every event
 *   that it does not handle to gm_unknown().
 * - Sends and receives work only with memory from gm_dma_malloc() or
 *   gm_register_memory().
 * - A call with a port that is NULL, closed or invalid does nothing and returns
 *   GM_INVALID_PARAMETER, 0, NULL or GM_NO_RECV_EVENT.
 * - A port belongs to one thread at a time. No function declared here may be
 *   called from a signal handler.
 *
 * Time is virtual: every call advances the caller's clock by the cost of the
 * call on the simulated host. Calls that receive messages or check for them,
 * open or close ports, or register memory depend on the network. These calls
 * first wait until the whole cluster has simulated all earlier events. All
 * other calls return at once.
 *
 * [source: GM 2.0.16 programming interface; gulati 2001 thesis, chapter 2]
 */
#ifndef GMSIM_GM_H
#define GMSIM_GM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Versions ---------------------------------------------------------- */

#define GM_API_VERSION_1_0    0x100
#define GM_API_VERSION_1_1    0x101
#define GM_API_VERSION_1_2    0x102
#define GM_API_VERSION_1_3    0x103
#define GM_API_VERSION_1_4    0x104
#define GM_API_VERSION_1_5    0x105
#define GM_API_VERSION_1_6    0x106
#define GM_API_VERSION_2_0    0x200
#define GM_API_VERSION_2_0_6  0x20006
#define GM_API_VERSION_2_0_12 0x2000c
#define GM_API_VERSION_2_0_16 0x20010

/** Version of the interface that the program uses. The program may define the
 *  version before it includes this file. Functions of later versions are not
 *  declared. */
#ifndef GM_API_VERSION
#define GM_API_VERSION GM_API_VERSION_2_0_16
#endif
#if GM_API_VERSION < GM_API_VERSION_1_0 ||                                     \
    GM_API_VERSION > GM_API_VERSION_2_0_16
#error "GM_API_VERSION must be between GM_API_VERSION_1_0 and _2_0_16"
#endif

/* A version of two bytes contains the major and the minor number. A version of
 * three bytes also contains the subminor number. */
#define GM_API_MAJOR                                                           \
    (GM_API_VERSION > 0xffff ? GM_API_VERSION >> 16 : GM_API_VERSION >> 8)
#define GM_API_MINOR                                                           \
    (GM_API_VERSION > 0xffff ? (GM_API_VERSION >> 8) & 0xff                    \
                             : GM_API_VERSION & 0xff)
#define GM_API_SUBMINOR (GM_API_VERSION > 0xffff ? GM_API_VERSION & 0xff : 0)

/** Enumeration of the version numbers, used as the type of an argument of
 *  gm_open(). */
enum gm_api_version {
    _GM_API_VERSION_1_0 = GM_API_VERSION_1_0,
    _GM_API_VERSION_1_1 = GM_API_VERSION_1_1,
    _GM_API_VERSION_1_2 = GM_API_VERSION_1_2,
    _GM_API_VERSION_1_3 = GM_API_VERSION_1_3,
    _GM_API_VERSION_1_4 = GM_API_VERSION_1_4,
    _GM_API_VERSION_1_5 = GM_API_VERSION_1_5,
    _GM_API_VERSION_1_6 = GM_API_VERSION_1_6,
    _GM_API_VERSION_2_0 = GM_API_VERSION_2_0,
    _GM_API_VERSION_2_0_6 = GM_API_VERSION_2_0_6,
    _GM_API_VERSION_2_0_12 = GM_API_VERSION_2_0_12,
    _GM_API_VERSION_2_0_16 = GM_API_VERSION_2_0_16
};

/* ---- Compiler and processor -------------------------------------------- */

/** Marks a symbol that the library exports. */
#ifndef GM_ENTRY_POINT
#define GM_ENTRY_POINT __attribute__((visibility("default")))
#endif
#ifndef gm_inline
#define gm_inline __inline__
#endif

/** GM defines these macros as 1 in its own sources, its kernel module or its
 *  firmware. Programs may test the macros. In this header, the macros are 0
 *  unless a program defines them. */
#ifndef GM_BUILDING_GM
#define GM_BUILDING_GM 0
#endif
#ifndef GM_BUILDING_FIRMWARE
#define GM_BUILDING_FIRMWARE 0
#endif
#ifndef GM_BUILDING_INTERNALS
#define GM_BUILDING_INTERNALS 0
#endif
#ifndef GM_KERNEL
#define GM_KERNEL 0
#endif

/** The macro of the processor for which the program is compiled is 1; the
 *  macros of all other processors are 0. */
#if defined(__x86_64__)
#define GM_CPU_x86_64 1
#else
#define GM_CPU_x86_64 0
#endif
#if defined(__i386__)
#define GM_CPU_x86 1
#else
#define GM_CPU_x86 0
#endif
#if defined(__ia64__)
#define GM_CPU_ia64 1
#else
#define GM_CPU_ia64 0
#endif
#if defined(__alpha__)
#define GM_CPU_alpha 1
#else
#define GM_CPU_alpha 0
#endif
#if defined(__mips__)
#define GM_CPU_mips 1
#else
#define GM_CPU_mips 0
#endif
#if defined(__powerpc64__)
#define GM_CPU_powerpc64 1
#else
#define GM_CPU_powerpc64 0
#endif
#if defined(__powerpc__) && !defined(__powerpc64__)
#define GM_CPU_powerpc 1
#else
#define GM_CPU_powerpc 0
#endif
#if defined(__sparc__) && defined(__arch64__)
#define GM_CPU_sparc64 1
#else
#define GM_CPU_sparc64 0
#endif
#if defined(__sparc__) && !defined(__arch64__)
#define GM_CPU_sparc 1
#else
#define GM_CPU_sparc 0
#endif
#if defined(__hppa__)
#define GM_CPU_hppa 1
#else
#define GM_CPU_hppa 0
#endif
#if defined(__aarch64__)
#define GM_CPU_aarch64 1
#else
#define GM_CPU_aarch64 0
#endif
#define GM_CPU_lanai   0 /**< the processor of the NIC */
#define GM_CPU_DEFINED 1
/** 1 if the processor is big-endian, 0 if it is little-endian. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define GM_CPU_BIGENDIAN 1
#else
#define GM_CPU_BIGENDIAN 0
#endif
/** Size of a pointer and of gm_up_t in bytes, for use in #if directives. */
#if defined(__SIZEOF_POINTER__) && __SIZEOF_POINTER__ == 4
#define GM_SIZEOF_VOID_P 4
#else
#define GM_SIZEOF_VOID_P 8
#endif
#define GM_SIZEOF_UP_T GM_SIZEOF_VOID_P

/** If GM_DEBUG is 1, gm_assert() checks its condition. A program may define
 *  GM_DEBUG. */
#ifndef GM_DEBUG
#define GM_DEBUG 0
#endif

/* ---- Integer types ----------------------------------------------------- */

typedef signed char gm_s8_t;
typedef unsigned char gm_u8_t;
typedef signed short gm_s16_t;
typedef unsigned short gm_u16_t;
typedef signed int gm_s32_t;
typedef unsigned int gm_u32_t;
__extension__ typedef signed long long gm_s64_t;
__extension__ typedef unsigned long long gm_u64_t;

typedef unsigned long gm_size_t;  /**< length of an object in memory, bytes */
typedef signed long gm_offset_t;  /**< difference between two addresses,
                                   *   bytes */
typedef unsigned long gm_up_t;    /**< integer as wide as a pointer */
typedef gm_u64_t gm_remote_ptr_t; /**< address in another process's memory */
typedef gm_u32_t gm_pid_t;
typedef gm_size_t gm_mark_t;

/* ---- Network byte order ------------------------------------------------ */

/** If GM_STRONG_TYPES is 1 (the default), a number in network byte order is a
 *  struct, so code that omits a conversion does not compile. A program may
 *  define GM_STRONG_TYPES as 0 to use plain integers. The memory layout is the
 *  same in both cases. */
#ifndef GM_STRONG_TYPES
#define GM_STRONG_TYPES 1
#endif

#if GM_STRONG_TYPES
#define _GM_NETWORK_TYPE(type)                                                 \
    typedef struct gm_##type##_n {                                             \
        gm_##type##_t n;                                                       \
    } gm_##type##_n_t
/** Raw value of a number in network byte order, which can be read or
 *  assigned. */
#define GM_N(x) ((x).n)
#else
#define _GM_NETWORK_TYPE(type) typedef gm_##type##_t gm_##type##_n_t
#define GM_N(x)                (x)
#endif

_GM_NETWORK_TYPE(s8);
_GM_NETWORK_TYPE(u8);
_GM_NETWORK_TYPE(s16);
_GM_NETWORK_TYPE(u16);
_GM_NETWORK_TYPE(s32);
_GM_NETWORK_TYPE(u32);
_GM_NETWORK_TYPE(s64);
_GM_NETWORK_TYPE(u64);
_GM_NETWORK_TYPE(up);
_GM_NETWORK_TYPE(remote_ptr);
typedef gm_up_n_t gm_up_n_up_n_t; /**< pointer to an array of gm_up_n_t */

#if GM_CPU_BIGENDIAN
#define _GM_SWAP_8(x)      (x)
#define _GM_SWAP_16(x)     (x)
#define _GM_SWAP_32(x)     (x)
#define _GM_SWAP_64(x)     (x)
#define _GM_SWAP_PCI_32(x) __builtin_bswap32(x)
#else
#define _GM_SWAP_8(x)      (x)
#define _GM_SWAP_16(x)     __builtin_bswap16(x)
#define _GM_SWAP_32(x)     __builtin_bswap32(x)
#define _GM_SWAP_64(x)     __builtin_bswap64(x)
#define _GM_SWAP_PCI_32(x) (x)
#endif

/** Programs that also compile with early versions of GM test whether this name
 *  is defined before they use gm_ntoh_u32() and similar functions. */
#define _GM_NTOH 1

/* gm_ntoh_u16(gm_u16_n_t) -> gm_u16_t, gm_hton_u16(gm_u16_t) -> gm_u16_n_t */
#define _GM_CONVERSIONS(type, unsigned_type, swap)                             \
    static gm_inline gm_##type##_t gm_ntoh_##type(gm_##type##_n_t n)           \
    {                                                                          \
        return (gm_##type##_t)swap((gm_##unsigned_type##_t)GM_N(n));           \
    }                                                                          \
    static gm_inline gm_##type##_n_t gm_hton_##type(gm_##type##_t h)           \
    {                                                                          \
        gm_##type##_n_t n;                                                     \
        GM_N(n) = (gm_##type##_t)swap((gm_##unsigned_type##_t)h);              \
        return n;                                                              \
    }                                                                          \
    struct _gm_semicolon

_GM_CONVERSIONS(s8, u8, _GM_SWAP_8);
_GM_CONVERSIONS(u8, u8, _GM_SWAP_8);
_GM_CONVERSIONS(s16, u16, _GM_SWAP_16);
_GM_CONVERSIONS(u16, u16, _GM_SWAP_16);
_GM_CONVERSIONS(s32, u32, _GM_SWAP_32);
_GM_CONVERSIONS(u32, u32, _GM_SWAP_32);
_GM_CONVERSIONS(s64, u64, _GM_SWAP_64);
_GM_CONVERSIONS(u64, u64, _GM_SWAP_64);

/* The last letters of the short names (c, s, l, ll) stand for char, short, long
 * and long long. */
#define gm_ntohc(x)  gm_ntoh_u8(x)
#define gm_ntohs(x)  gm_ntoh_u16(x)
#define gm_ntohl(x)  gm_ntoh_u32(x)
#define gm_ntohll(x) gm_ntoh_u64(x)
#define gm_htonc(x)  gm_hton_u8(x)
#define gm_htons(x)  gm_hton_u16(x)
#define gm_htonl(x)  gm_hton_u32(x)
#define gm_htonll(x) gm_hton_u64(x)

/** Convert a pointer from network byte order to host byte order. */
static gm_inline void *gm_ntohp(gm_up_n_t n)
{
#if GM_SIZEOF_UP_T == 4
    return (void *)(gm_up_t)_GM_SWAP_32((gm_u32_t)GM_N(n));
#else
    return (void *)(gm_up_t)_GM_SWAP_64((gm_u64_t)GM_N(n));
#endif
}

/** Convert a number to the byte order of the PCI bus, low byte first. */
static gm_inline gm_u32_t gm_htopci_u32(gm_u32_t h)
{
    return _GM_SWAP_PCI_32(h);
}

/* ---- Constants --------------------------------------------------------- */

#define GM_MAX_HOST_NAME_LEN 128 /**< bytes, including the final 0 */
#define GM_MAX_PORT_NAME_LEN 32  /**< bytes, including the final 0 */
#if GM_API_VERSION >= GM_API_VERSION_2_0_16
#define GM_HAVE_YP 1 /**< gm_yp() is available */
#endif
#define GM_MAX_YP_STRING_LEN   128
#define GM_NO_SUCH_NODE_ID     0  /**< no node has this id */
#define GM_RDMA_GRANULARITY    64 /**< bytes */
#define GM_MAX_DMA_GRANULARITY 8  /**< bytes */
#define GM_DMA_GRANULARITY     8  /**< bytes */

/** Length of a memory page, bytes. Memory is registered in whole pages. */
GM_ENTRY_POINT extern unsigned long GM_PAGE_LEN;

enum gm_priority {
    GM_LOW_PRIORITY = 0,
    GM_HIGH_PRIORITY = 1,
    GM_NUM_PRIORITIES = 2
};

/* ---- Small macros ------------------------------------------------------ */

#define GM_OFFSETOF(type, field) offsetof(type, field)
#if GM_API_VERSION >= GM_API_VERSION_1_6
/** Convert a pointer to a field into a pointer to the struct that contains the
 *  field. */
#define GM_STRUCT_CONTAINING(type, field, field_pointer)                       \
    ((type *)(void *)((char *)(field_pointer)-offsetof(type, field)))
#define GM_NUM_ELEM(array) (sizeof(array) / sizeof((array)[0]))
#define GM_POWER_OF_TWO(n) (((n) & ((n)-1)) == 0)
/** Remainder of n divided by m; m must be a power of two. */
#define GM_MISALIGNMENT(n, m) (((gm_size_t)(n)) & ((gm_size_t)(m)-1))
#endif
/** 1 if n is a multiple of m, else 0; m must be a power of two. */
#define GM_ALIGNED(n, m)              ((((gm_size_t)(n)) & ((gm_size_t)(m)-1)) == 0)
#define GM_DMA_ALIGNED(p)             GM_ALIGNED(p, GM_DMA_GRANULARITY)
#define GM_PARAMETER_MAY_BE_UNUSED(p) ((void)(p))
#define GM_VAR_MAY_BE_UNUSED(v)       ((void)(v))
/** Prevents a compiler warning about an endless loop that contains this
 *  macro. */
#define GM_LOOPS_FOREVER()                                                     \
    {                                                                          \
        if (0) {                                                               \
            break;                                                             \
        }                                                                      \
    }

#define gm_always_assert(condition)                                            \
    do {                                                                       \
        if (!(condition)) {                                                    \
            _gm_assertion_failed(#condition, __FILE__, __LINE__);              \
        }                                                                      \
    } while (0)
#if GM_DEBUG
#define gm_assert(condition) gm_always_assert(condition)
#else
#define gm_assert(condition) ((void)0)
#endif
#define gm_assert_p(pointer) gm_assert(pointer)
/** End the process in the same way as a failed assertion. */
#define GM_ABORT() _gm_assertion_failed("0", __FILE__, __LINE__)

/* ---- Status codes ------------------------------------------------------ */

typedef enum gm_status {
    GM_SUCCESS = 0,
    GM_FAILURE = 1,
    GM_INPUT_BUFFER_TOO_SMALL = 2,
    GM_OUTPUT_BUFFER_TOO_SMALL = 3,
    GM_TRY_AGAIN = 4,
    GM_BUSY = 5,
    GM_MEMORY_FAULT = 6,
    GM_INTERRUPTED = 7,
    GM_INVALID_PARAMETER = 8,
    GM_OUT_OF_MEMORY = 9,
    GM_INVALID_COMMAND = 10,
    GM_PERMISSION_DENIED = 11,
    GM_INTERNAL_ERROR = 12,
    GM_UNATTACHED = 13,
    GM_UNSUPPORTED_DEVICE = 14,
    GM_SEND_TIMED_OUT = 15,
    GM_SEND_REJECTED = 16,
    GM_SEND_TARGET_PORT_CLOSED = 17,
    GM_SEND_TARGET_NODE_UNREACHABLE = 18,
    GM_SEND_DROPPED = 19,
    GM_SEND_PORT_CLOSED = 20,
    GM_NODE_ID_NOT_YET_SET = 21,
    GM_STILL_SHUTTING_DOWN = 22,
    GM_CLONE_BUSY = 23,
    GM_NO_SUCH_DEVICE = 24,
    GM_ABORTED = 25,
    /* defined since GM 1.5 */
    GM_INCOMPATIBLE_LIB_AND_DRIVER = 26,
    GM_UNTRANSLATED_SYSTEM_ERROR = 27,
    GM_ACCESS_DENIED = 28,
    /* defined since GM 2.0 */
    GM_NO_DRIVER_SUPPORT = 29,
    GM_PTE_REF_CNT_OVERFLOW = 30,
    GM_NOT_SUPPORTED_IN_KERNEL = 31,
    GM_NOT_SUPPORTED_ON_ARCH = 32,
    GM_NO_MATCH = 33,
    GM_USER_ERROR = 34,
    GM_TIMED_OUT = 35,
    GM_DATA_CORRUPTED = 36,
    GM_HARDWARE_FAULT = 37,
    GM_SEND_ORPHANED = 38,
    GM_MINOR_OVERFLOW = 39,
    GM_PAGE_TABLE_FULL = 40,
    GM_UC_ERROR = 41,
    GM_INVALID_PORT_NUMBER = 42,
    GM_DEV_NOT_FOUND = 43,
    GM_FIRMWARE_NOT_RUNNING = 44,
    GM_YP_NO_MATCH = 45,
    GM_SRAM_PARITY_ERROR = 46,
    GM_FIRMWARE_ABORT = 47,
    GM_NUM_STATUS_CODES
} gm_status_t;

#define GM_NUM_ERROR_CODES GM_NUM_STATUS_CODES

/* ---- Events ------------------------------------------------------------ */

/** Type of an event that gm_receive() returned. The type is the last byte of
 *  the event. The types with NEW in their names are internal to the NIC and
 *  never reach a program. */
enum gm_recv_event_type {
    GM_NO_RECV_EVENT = 0, /**< no event */
    GM_SENDS_FAILED_EVENT = 1,
    GM_ALARM_EVENT = 2,  /**< an alarm is due */
    GM_SENT_EVENT = 3,   /**< one or more sends have ended */
    _GM_SLEEP_EVENT = 4, /**< makes gm_unknown() sleep */
    GM_RAW_RECV_EVENT = 5,
    GM_BAD_SEND_DETECTED_EVENT = 6,
    GM_SEND_TOKEN_VIOLATION_EVENT = 7, /**< the program started a send without a
                                        *   send token */
    GM_RECV_TOKEN_VIOLATION_EVENT = 8, /**< the program provided too many
                                        *   buffers */
    GM_BAD_RECV_TOKEN_EVENT = 9,       /**< a provided buffer is invalid */
    GM_ALARM_VIOLATION_EVENT = 10,
    GM_RECV_EVENT = 11,      /**< low-priority message, stored in the buffer */
    GM_HIGH_RECV_EVENT = 12, /**< high-priority message */
    GM_PEER_RECV_EVENT = 13, /**< message whose sender has the same port
                              *   number */
    GM_HIGH_PEER_RECV_EVENT = 14,
    GM_FAST_RECV_EVENT = 15, /**< small message, stored in the event itself;
                              *   valid until the next receive call */
    GM_FAST_HIGH_RECV_EVENT = 16,
    GM_FAST_PEER_RECV_EVENT = 17,
    GM_FAST_HIGH_PEER_RECV_EVENT = 18,
    GM_REJECTED_SEND_EVENT = 19,
    GM_ORPHANED_SEND_EVENT = 20,
    _GM_PUT_NOTIFICATION_EVENT = 21,
    _GM_DIRECTED_SEND_NOTIFICATION_EVENT = 21, /**< name of this event in GM
                                                *   1 */
    GM_FREE_SEND_TOKEN_EVENT = 22,
    GM_FREE_HIGH_SEND_TOKEN_EVENT = 23,
    GM_BAD_RESEND_DETECTED_EVENT = 24,
    GM_BAD_RESEND_EVENT = GM_BAD_RESEND_DETECTED_EVENT,
    GM_DROPPED_SEND_EVENT = 25,
    GM_BAD_SEND_VMA_EVENT = 26, /**< source memory is not registered */
    GM_BAD_RECV_VMA_EVENT = 27, /**< target memory is not registered */
    _GM_FLUSHED_ALARM_EVENT = 28,
    GM_SENT_TOKENS_EVENT = 29,
    GM_IGNORE_RECV_EVENT = 30,
    GM_ETHERNET_RECV_EVENT = 31,
    GM_FATAL_FIRMWARE_ERROR_EVENT = 32,

    GM_NEW_NO_RECV_EVENT = 128,
    GM_NEW_SENDS_FAILED_EVENT = 129,
    GM_NEW_ALARM_EVENT = 130,
    GM_NEW_SENT_EVENT = 131,
    _GM_NEW_SLEEP_EVENT = 132,
    GM_NEW_RAW_RECV_EVENT = 133,
    GM_NEW_BAD_SEND_DETECTED_EVENT = 134,
    GM_NEW_SEND_TOKEN_VIOLATION_EVENT = 135,
    GM_NEW_RECV_TOKEN_VIOLATION_EVENT = 136,
    GM_NEW_BAD_RECV_TOKEN_EVENT = 137,
    GM_NEW_ALARM_VIOLATION_EVENT = 138,
    GM_NEW_RECV_EVENT = 139,
    GM_NEW_HIGH_RECV_EVENT = 140,
    GM_NEW_PEER_RECV_EVENT = 141,
    GM_NEW_HIGH_PEER_RECV_EVENT = 142,
    GM_NEW_FAST_RECV_EVENT = 143,
    GM_NEW_FAST_HIGH_RECV_EVENT = 144,
    GM_NEW_FAST_PEER_RECV_EVENT = 145,
    GM_NEW_FAST_HIGH_PEER_RECV_EVENT = 146,
    GM_NEW_REJECTED_SEND_EVENT = 147,
    GM_NEW_ORPHANED_SEND_EVENT = 148,
    _GM_NEW_PUT_NOTIFICATION_EVENT = 149,
    GM_NEW_FREE_SEND_TOKEN_EVENT = 150,
    GM_NEW_FREE_HIGH_SEND_TOKEN_EVENT = 151,
    GM_NEW_BAD_RESEND_DETECTED_EVENT = 152,
    GM_NEW_BAD_RESEND_EVENT = GM_NEW_BAD_RESEND_DETECTED_EVENT,
    GM_NEW_DROPPED_SEND_EVENT = 153,
    GM_NEW_BAD_SEND_VMA_EVENT = 154,
    GM_NEW_BAD_RECV_VMA_EVENT = 155,
    _GM_NEW_FLUSHED_ALARM_EVENT = 156,
    GM_NEW_SENT_TOKENS_EVENT = 157,
    GM_NEW_IGNORE_RECV_EVENT = 158,
    GM_NEW_ETHERNET_RECV_EVENT = 159,
    GM_NEW_FATAL_FIRMWARE_ERROR_EVENT = 160,
    GM_NUM_RECV_EVENT_TYPES
};

/* The fields of an event are at the end of a block of 64 bytes. The type of the
 * event is therefore always the last byte of the block. */
#define _GM_EVENT_LEN            64
#define _GM_EVENT_PAD(own_bytes) gm_u8_n_t _pad[_GM_EVENT_LEN - (own_bytes)]

/** A message has arrived. All fields are in network byte order. */
typedef struct gm_recv {
    _GM_EVENT_PAD(2 * sizeof(gm_up_n_t) + 16);
    gm_up_n_t message; /**< the data; the pointer refers to the buffer or, for
                        *   the FAST types, to the event itself */
    gm_up_n_t buffer;  /**< the buffer, which belongs to the program again */
    gm_u32_n_t reserved_after_buffer;
    gm_u32_n_t length; /**< bytes */
    gm_u16_n_t sender_node_id;
    gm_u16_n_t reserved_after_node;
    gm_u8_n_t tag; /**< tag given when the buffer was provided */
    gm_u8_n_t size;
    gm_u8_n_t sender_port_id;
    gm_u8_n_t type;
} gm_recv_t;

/** A send has failed. The callback of the send also reports the failure. */
typedef struct gm_failed_send_event {
    _GM_EVENT_PAD(sizeof(gm_up_n_t) + 8);
    gm_up_n_t message;
    gm_u16_n_t reserved_after_message;
    gm_u16_n_t target_subport; /**< port * 2 + priority, correct for every port;
                                *   an extension of gmqos */
    gm_u16_n_t target_node_id;
    gm_u8_n_t target_subport_id; /**< port * 2 + priority, modulo 256 */
    gm_u8_n_t type;
} gm_failed_send_event_t;

/** One or more sends have ended. */
typedef struct gm_sent {
    _GM_EVENT_PAD(sizeof(gm_up_n_t) + 8);
    gm_up_n_up_n_t message_list;
    gm_u8_n_t reserved[7];
    gm_u8_n_t type;
} gm_sent_t;

/* The simulation never produces the events declared below. */

struct _gm_sent_token_report {
    gm_u8_n_t token;
    gm_u8_n_t status;
};

#define GM_MAX_SENT_TOKEN_REPORTS_PER_EVENT (_GM_EVENT_LEN / 2 - 1)

typedef struct gm_tokens_sent {
    struct _gm_sent_token_report report[GM_MAX_SENT_TOKEN_REPORTS_PER_EVENT];
    gm_u8_n_t reserved_before_type;
    gm_u8_n_t type;
} gm_tokens_sent_t;

typedef struct gm_flushed_alarm {
    _GM_EVENT_PAD(8);
    gm_u32_n_t usecs_remaining;
    gm_u8_n_t reserved[3];
    gm_u8_n_t type;
} gm_flushed_alarm_t;

typedef struct gm_fatal_firmware_error {
    _GM_EVENT_PAD(8);
    gm_u32_n_t status;
    gm_u8_n_t reserved[3];
    gm_u8_n_t type;
} gm_fatal_firmware_error_t;

/** Flags of an Ethernet packet. */
#define GM_IPV4_PARTIAL_CHECKSUM 0x1
#define GM_TCP_UDP_HEADER_SPLIT  0x2

typedef struct gm_ethernet_recv {
    _GM_EVENT_PAD(2 * sizeof(gm_up_n_t) + 16);
    gm_up_n_t message;
    gm_up_n_t buffer;
    gm_u16_n_t ip_checksum;
    gm_u16_n_t ip_header_len;
    gm_u32_n_t length;
    gm_u16_n_t sender_node_id;
    gm_u8_n_t flags;
    gm_u8_n_t reserved_after_flags;
    gm_u8_n_t tag;
    gm_u8_n_t size;
    gm_u8_n_t sender_port_id;
    gm_u8_n_t type;
} gm_ethernet_recv_t;

/* Names that earlier releases of this header used. */
typedef gm_sent_t gm_sent_event_t;
typedef gm_tokens_sent_t gm_tokens_sent_event_t;
typedef gm_flushed_alarm_t gm_flushed_alarm_event_t;
typedef gm_fatal_firmware_error_t gm_fatal_firmware_error_event_t;

/** The receive calls return a pointer to this union. The event type selects the
 *  valid member, and is at the same offset in every member. */
typedef union gm_recv_event {
    gm_tokens_sent_t tokens_sent;
    gm_recv_t recv;
    gm_sent_t sent;
    gm_failed_send_event_t failed_send;
    gm_fatal_firmware_error_t fatal_firmware_error;
    gm_flushed_alarm_t flushed_alarm;
    gm_ethernet_recv_t ethernet_recv;
} gm_recv_event_t;

/** Return the type of an event, an enum gm_recv_event_type. */
#define GM_RECV_EVENT_TYPE(event) gm_ntoh_u8((event)->recv.type)

/* ---- Objects ----------------------------------------------------------- */

struct gm_port;
struct gm_lookaside;
struct gm_hash;
struct gm_mutex;
struct gm_zone;
struct gm_mark_set;

enum gm_alarm_state {
    GM_ALARM_FREE = 0,
    GM_ALARM_SET
};

/** An alarm. The program allocates the memory, but only the library may access
 *  the fields. After gm_set_alarm(), the program must not move or free the
 *  alarm until the alarm has expired or has been cancelled. */
typedef struct gm_alarm {
    struct gm_alarm *next;
    enum gm_alarm_state state;
    struct gm_port *port;
    void (*callback)(void *context);
    void *context;
    gm_u64_t deadline; /**< value of gm_ticks() at which the alarm is due */
} gm_alarm_t;

/** gm_unknown() calls this function when a send has ended. The buffer and the
 *  send token then belong to the program again, whatever the status is. */
typedef void (*gm_send_completion_callback_t)(struct gm_port *port,
                                              void *context,
                                              gm_status_t status);

/* ---- Life -------------------------------------------------------------- */

/**
 * Join the job's simulated cluster. A program may call gm_init() several times.
 * A program may omit the call, because gm_open() also calls gm_init(). The
 * first call waits until all processes of the job have joined. Virtual time
 * then starts in all processes.
 *
 * @return GM_SUCCESS
 * @return GM_FAILURE  the process cannot join the cluster; GM prints the reason
 *                     on standard error
 */
GM_ENTRY_POINT gm_status_t gm_init(void);

/** Undo one call of gm_init(). The last gm_finalize() closes all ports, and the
 *  process leaves the cluster permanently. The process cannot join again. */
GM_ENTRY_POINT void gm_finalize(void);

/**
 * Open a port.
 *
 * @param [out] port_p   the port; NULL if the port could not be opened
 * @param [in]  unit     NIC of this host, 0 .. units_per_host - 1; a host has
 *                       one NIC by default
 * @param [in]  port     1 .. gm_num_ports() - 1; ports 0, 1 and 3 belong to the
 *                       system
 * @param [in]  name     for debugging; at most 31 characters, may be NULL
 * @param [in]  version  GM_API_VERSION
 *
 * @return GM_SUCCESS
 * @return GM_BUSY                         the port is already open
 * @return GM_NO_SUCH_DEVICE               the host has no such unit
 * @return GM_INVALID_PARAMETER            there is no such port, or port_p is
 *                                         NULL
 * @return GM_PERMISSION_DENIED            the port belongs to the system
 * @return GM_INCOMPATIBLE_LIB_AND_DRIVER  unknown version
 * @return GM_OUT_OF_MEMORY
 * @return GM_FAILURE                      gm_init() failed
 *
 * After success, the caller holds all send and receive tokens of the port. The
 * caller closes the port with gm_close().
 */
GM_ENTRY_POINT gm_status_t gm_open(struct gm_port **port_p, unsigned unit,
                                   unsigned port, const char *name,
                                   enum gm_api_version version);

/** Close a port. Messages that have not yet been sent are lost, the buffers belong
 *  to the program again, and no more callbacks run. Later sends to this port fail
 *  with GM_SEND_TARGET_PORT_CLOSED. NULL is allowed. */
GM_ENTRY_POINT void gm_close(struct gm_port *port);

/** End the process at once, as abort() does. */
GM_ENTRY_POINT void gm_abort(void) __attribute__((noreturn));
/** Call the functions registered with gm_on_exit(), in reverse order of their
 *  registration, and end the process. The exit status is 0 for GM_SUCCESS, else
 *  1. */
GM_ENTRY_POINT void gm_exit(gm_status_t status) __attribute__((noreturn));
typedef void (*gm_on_exit_callback_t)(gm_status_t status, void *context);
/** Register a function that gm_exit() will call. @return GM_SUCCESS,
 *  GM_INVALID_PARAMETER, GM_OUT_OF_MEMORY */
GM_ENTRY_POINT gm_status_t gm_on_exit(gm_on_exit_callback_t callback,
                                      void *context);

/** A failed gm_always_assert() calls this function. The function prints the
 *  condition and its location, and calls gm_abort(). */
GM_ENTRY_POINT void _gm_assertion_failed(const char *condition,
                                         const char *file, int line)
    __attribute__((noreturn));

/* ---- Tokens ------------------------------------------------------------ */

/** Return the number of sends that a port can have in progress, at both
 *  priorities together. */
GM_ENTRY_POINT unsigned gm_num_send_tokens(struct gm_port *port);
/** Return the number of receive buffers that a port can hold. */
GM_ENTRY_POINT unsigned gm_num_receive_tokens(struct gm_port *port);

/* These functions count send tokens for programs that do not count their own
 * tokens. The count of each priority starts at zero. A program that uses these
 * functions first adds tokens with gm_free_send_tokens(). The program takes one
 * token before each send, and returns this token in the send's callback. The
 * counts do not affect the real send tokens. */

/** Take a token. @return 1, or 0 if no token is available */
GM_ENTRY_POINT int gm_alloc_send_token(struct gm_port *port, unsigned priority);
/** @return 1 if gm_alloc_send_token() would succeed, else 0 */
GM_ENTRY_POINT int gm_send_token_available(struct gm_port *port,
                                           unsigned priority);
/** Return one token. */
GM_ENTRY_POINT void gm_free_send_token(struct gm_port *port, unsigned priority);
/** Add several tokens. */
GM_ENTRY_POINT void gm_free_send_tokens(struct gm_port *port, unsigned priority,
                                        unsigned count);

/* ---- Sizes ------------------------------------------------------------- */

/** Return the smallest size class whose buffers can hold a message of this
 *  length: 0 .. 31, or 32 if the length exceeds the longest possible message.
 *  The result is at least gm_min_message_size(). [source: GM 2.0: 2^size
 *  - 8 bytes] */
GM_ENTRY_POINT unsigned gm_min_size_for_length(gm_size_t length);
/** Return the length of the longest message of a size class: 2^size - 8 bytes;
 *  0 for sizes below 3. */
GM_ENTRY_POINT gm_size_t gm_max_length_for_size(unsigned size);
/** Return the smallest size class of a message, which is 3. */
GM_ENTRY_POINT unsigned gm_min_message_size(struct gm_port *port);
/** Return the largest number of payload bytes in one packet: 4096 on the real
 *  NIC. */
GM_ENTRY_POINT unsigned gm_mtu(struct gm_port *port);

/* ---- Sending ----------------------------------------------------------- */

/**
 * Send a message to a buffer of the same size and priority.
 *
 * @param [in] message      registered memory; the program must not change this
 *                          memory until the callback runs
 * @param [in] size         size class, 0 .. 31; sizes below
 *                          gm_min_message_size() are only for messages of
 *                          length 0
 * @param [in] length       0 .. gm_max_length_for_size(size) bytes
 * @param [in] priority     GM_LOW_PRIORITY or GM_HIGH_PRIORITY
 * @param [in] target_node  node id
 * @param [in] target_port  port on that node
 * @param [in] callback     called in gm_unknown() when the data are in the
 *                          target's buffer, or when the send has failed; may be
 *                          NULL
 *
 * The callback receives one of these statuses:
 * - GM_SUCCESS: the data are in the target's buffer
 * - GM_SEND_TIMED_OUT: the target provided no buffer in time
 * - GM_SEND_REJECTED: the target does not accept this size
 * - GM_SEND_TARGET_PORT_CLOSED, GM_SEND_TARGET_NODE_UNREACHABLE
 * - GM_INVALID_PARAMETER: an argument is out of its range
 * - GM_MEMORY_FAULT: the memory is not registered; the program also receives
 *   GM_BAD_SEND_VMA_EVENT
 * - GM_SEND_DROPPED: gm_drop_sends() cancelled the send
 *
 * If the program has no send token, the message is not sent and the callback
 * never runs. The program receives GM_SEND_TOKEN_VIOLATION_EVENT instead.
 * Several violations of the same type before the next receive call cause only
 * one event.
 *
 * After a failure other than GM_INVALID_PARAMETER and GM_SEND_DROPPED, the
 * stream from this port to the target port at this priority is stalled. Later
 * sends of the stream wait until gm_drop_sends() or gm_resume_sending() is
 * called. Other streams continue.
 */
GM_ENTRY_POINT void
gm_send_with_callback(struct gm_port *port, void *message, unsigned size,
                      gm_size_t length, unsigned priority, unsigned target_node,
                      unsigned target_port,
                      gm_send_completion_callback_t callback, void *context);

/** Call gm_send_with_callback() with this port's number as the target port. */
GM_ENTRY_POINT void gm_send_to_peer_with_callback(
    struct gm_port *port, void *message, unsigned size, gm_size_t length,
    unsigned priority, unsigned target_node,
    gm_send_completion_callback_t callback, void *context);

/**
 * Send without a callback. This function is deprecated. Events report the
 * result:
 *
 * - GM_SENT_EVENT: event->sent.message_list is an array of gm_up_n_t that ends
 *   with 0 and lists the messages that have arrived. The list is empty for
 *   sends with a callback; the program passes these events to gm_unknown().
 * - GM_REJECTED_SEND_EVENT, GM_DROPPED_SEND_EVENT, GM_SENDS_FAILED_EVENT (all
 *   other reasons): event->failed_send holds the message and its target.
 *
 * When the event arrives, the send token belongs to the program again.
 */
GM_ENTRY_POINT void gm_send(struct gm_port *port, void *message, unsigned size,
                            gm_size_t length, unsigned priority,
                            unsigned target_node, unsigned target_port);
/** Call gm_send() with this port's number as the target port. Deprecated. */
GM_ENTRY_POINT void gm_send_to_peer(struct gm_port *port, void *message,
                                    unsigned size, gm_size_t length,
                                    unsigned priority, unsigned target_node);

/**
 * Send a message of one packet, which the target does not acknowledge. The
 * message is lost without notice if the target has no buffer for it, or if the
 * network loses it. GM_SUCCESS in the callback means that the packet has left
 * the NIC.
 *
 * @param [in] length  0 .. gm_mtu() bytes, and not more than the size class can
 *                     hold
 *
 * All other arguments are the same as for gm_send_with_callback().
 */
GM_ENTRY_POINT void gm_datagram_send(struct gm_port *port, void *message,
                                     unsigned size, gm_size_t length,
                                     unsigned priority, unsigned target_node,
                                     unsigned target_port,
                                     gm_send_completion_callback_t callback,
                                     void *context);
/** Send a datagram whose data are the first length bytes (0 .. 4) of the
 *  argument `message` itself, in memory order. No registered memory is
 *  needed. */
GM_ENTRY_POINT void gm_datagram_send_4(struct gm_port *port, gm_u32_t message,
                                       unsigned size, gm_size_t length,
                                       unsigned priority, unsigned target_node,
                                       unsigned target_port,
                                       gm_send_completion_callback_t callback,
                                       void *context);

/**
 * Write into the memory of the process that owns the target port. The process
 * must have called gm_allow_remote_memory_access() and registered the memory.
 * The process receives no event for the write. The write is ordered with the
 * other sends to the same port at the same priority.
 *
 * @param [in] source  registered memory, as for gm_send_with_callback()
 * @param [in] target  address in the target's memory
 * @param [in] length  bytes, 0 .. 2^31 - 1
 *
 * The callback status is the same as for gm_send_with_callback(). A write that
 * the target does not allow has no effect.
 */
GM_ENTRY_POINT void gm_directed_send_with_callback(
    struct gm_port *port, void *source, gm_remote_ptr_t target,
    gm_size_t length, enum gm_priority priority, unsigned target_node,
    unsigned target_port, gm_send_completion_callback_t callback,
    void *context);

/** Write without a callback; the result is reported as for gm_send().
 *  Deprecated. */
GM_ENTRY_POINT void gm_directed_send(struct gm_port *port, void *source,
                                     gm_remote_ptr_t target, gm_size_t length,
                                     enum gm_priority priority,
                                     unsigned target_node,
                                     unsigned target_port);

#if GM_API_VERSION >= GM_API_VERSION_2_0
/** Do the same as gm_directed_send_with_callback(). GM 2 uses the name gm_put()
 *  for gm_directed_send_with_callback(). */
GM_ENTRY_POINT void gm_put(struct gm_port *port, void *local,
                           gm_remote_ptr_t remote, gm_size_t length,
                           enum gm_priority priority, unsigned target_node,
                           unsigned target_port,
                           gm_send_completion_callback_t callback,
                           void *context);
/**
 * Read from the memory of the process that owns the target port, under the
 * conditions of gm_directed_send_with_callback().
 *
 * @param [in]  remote  address in the target's memory
 * @param [out] local   registered memory; the data have arrived when the
 *                      callback reports GM_SUCCESS
 *
 * The callback status is the same as for gm_directed_send_with_callback(). If
 * the operating system of the real machine does not let a process read another
 * process's memory, only memory from gm_dma_malloc() can be read. In this case,
 * an attempt to read other memory fails with GM_SEND_REJECTED.
 */
GM_ENTRY_POINT void gm_get(struct gm_port *port, gm_remote_ptr_t remote,
                           void *local, gm_size_t length,
                           enum gm_priority priority, unsigned target_node,
                           unsigned target_port,
                           gm_send_completion_callback_t callback,
                           void *context);
#endif

/** Allow other processes to write and read this port's registered memory until
 *  the port is closed. @return GM_SUCCESS, GM_INVALID_PARAMETER (port is not
 *  open) */
GM_ENTRY_POINT gm_status_t gm_allow_remote_memory_access(struct gm_port *port);

/**
 * Copy data from the memory of another process on the same host. The processor
 * copies the data. The owner of the port must have called
 * gm_allow_remote_memory_access() and registered the memory with this port.
 *
 * @param [in]  source    address in the other process's memory
 * @param [out] target    memory of the caller, length bytes
 * @param [in]  instance  unit of the port
 * @param [in]  number    number of the port
 *
 * @return GM_SUCCESS
 * @return GM_INVALID_PARAMETER        an argument is out of its range
 * @return GM_MEMORY_FAULT             the target is not memory of the program
 * @return GM_SEND_TARGET_PORT_CLOSED  no process has opened the port
 * @return GM_PERMISSION_DENIED the owner of the port does not allow the access
 * @return GM_NOT_SUPPORTED_ON_ARCH    the operating system of this machine does
 *                                     not let a process read another process's
 *                                     memory
 */
GM_ENTRY_POINT gm_status_t gm_directcopy_get(struct gm_port *port, void *source,
                                             void *target, gm_size_t length,
                                             unsigned instance,
                                             unsigned number);

/* ---- Stalled streams --------------------------------------------------- */

/* After a failure, the stream from one port to a target port at one priority is
 * stalled. The two functions below end the stall. Each function uses a send
 * token, which is returned when the callback runs with GM_SUCCESS. The callback
 * may be NULL. The functions have no effect on a stream that is not stalled.
 * [source: GM: error handling] */

/** Cancel all queued sends of the stream. First, the callback of this call runs
 *  with GM_SUCCESS. Then the callbacks of the queued sends run with
 *  GM_SEND_DROPPED, in the order of the sends; this status is not a failure of
 *  the send. To keep the order of messages, the first callback sends the failed
 *  message again. Every other callback sends its own message again. [assumed:
 *  MPICH-GM recovers in this way and has no sequence numbers] */
GM_ENTRY_POINT void gm_drop_sends(struct gm_port *port, unsigned priority,
                                  unsigned target_node, unsigned target_port,
                                  gm_send_completion_callback_t callback,
                                  void *context);
/** Send the queued messages, in order. Messages that have failed are not sent
 *  again. */
GM_ENTRY_POINT void gm_resume_sending(struct gm_port *port, unsigned priority,
                                      unsigned target_node,
                                      unsigned target_port,
                                      gm_send_completion_callback_t callback,
                                      void *context);

#if GM_API_VERSION >= GM_API_VERSION_1_4
/**
 * Choose how sends to a closed port fail. If enable is 1 (the default in
 * gmqos), these sends fail at once with GM_SEND_TARGET_PORT_CLOSED. If enable
 * is 0, the NIC retries the sends until the send timeout.
 * @return GM_SUCCESS, GM_INVALID_PARAMETER (port is not open)
 */
GM_ENTRY_POINT gm_status_t gm_set_enable_nack_down(struct gm_port *port,
                                                   int enable);
#endif

/* ---- Receiving --------------------------------------------------------- */

/**
 * Provide a buffer to the NIC for one message of a size and priority. The NIC
 * fills buffers of the same size and priority in the order in which they were
 * provided.
 *
 * @param [in] buffer    registered memory, at least as long as the messages
 *                       that will arrive
 * @param [in] size      size class, 0 .. 31
 * @param [in] priority  GM_LOW_PRIORITY or GM_HIGH_PRIORITY
 *
 * On an error the NIC does not accept the buffer, and the program receives an
 * event:
 * - GM_RECV_TOKEN_VIOLATION_EVENT: the program has no receive token
 * - GM_BAD_RECV_VMA_EVENT: the memory is not registered
 * - GM_BAD_RECV_TOKEN_EVENT: another argument is invalid
 */
GM_ENTRY_POINT void gm_provide_receive_buffer(struct gm_port *port,
                                              void *buffer, unsigned size,
                                              unsigned priority);
/** Provide a buffer with a tag. The event returns the low 8 bits of the tag. */
GM_ENTRY_POINT void gm_provide_receive_buffer_with_tag(struct gm_port *port,
                                                       void *buffer,
                                                       unsigned size,
                                                       unsigned priority,
                                                       unsigned tag);

/** Return the next event, or GM_NO_RECV_EVENT if there is none. The pointer is
 *  never NULL, and is valid until the next receive call of this port. Do not
 *  call this function from a callback. */
GM_ENTRY_POINT union gm_recv_event *gm_receive(struct gm_port *port);
/** Return the next event; sleep until there is one. */
GM_ENTRY_POINT union gm_recv_event *gm_blocking_receive(struct gm_port *port);
/** This function is the same as gm_blocking_receive(). (On real hardware, this
 *  function sleeps without polling first.) */
GM_ENTRY_POINT union gm_recv_event *
gm_blocking_receive_no_spin(struct gm_port *port);
/** @return 1 if gm_receive() would return an event, else 0 */
GM_ENTRY_POINT int gm_receive_pending(struct gm_port *port);
/**
 * Return the type of the event that gm_receive() would return, or
 * GM_NO_RECV_EVENT.
 * @param [out] sender  node id of a message's sender; not written for other
 *                      events; may be NULL
 */
GM_ENTRY_POINT int gm_next_event_peek(struct gm_port *port, gm_u16_t *sender);

/** Process an event that the program does not handle: run callbacks and alarms.
 *  The next receive call returns a FAST or PEER message again, as GM_RECV_EVENT
 *  or GM_HIGH_RECV_EVENT; the data of a FAST message are first copied to its
 *  buffer. A program therefore needs to handle only these two types. For an
 *  event of these two types, this function does nothing: the message is
 *  ignored, and its buffer and receive token belong to the program again. */
GM_ENTRY_POINT void gm_unknown(struct gm_port *port,
                               union gm_recv_event *event);

/** Run the callbacks of the sends that a GM_SENT_EVENT reports, as gm_unknown()
 *  does. Deprecated. */
GM_ENTRY_POINT void gm_handle_sent_tokens(struct gm_port *port,
                                          union gm_recv_event *event);
/** Pass the event to gm_unknown(), because this implementation has no special
 *  event for a put. Deprecated. */
GM_ENTRY_POINT void gm_handle_put_notification(struct gm_port *port,
                                               union gm_recv_event *event);

/** Copy a FAST message to the buffer unless the message is already there.
 *  @return buffer */
GM_ENTRY_POINT void *gm_memorize_message(void *message, void *buffer,
                                         unsigned length);

/**
 * Set the sizes of messages that a port accepts at a priority. A message of
 * another size is rejected at once and does not wait for a buffer. Initially,
 * all sizes are acceptable.
 *
 * @param [in] mask  if bit s is set, the port accepts size s
 * @return GM_SUCCESS, GM_INVALID_PARAMETER
 */
GM_ENTRY_POINT gm_status_t gm_set_acceptable_sizes(struct gm_port *port,
                                                   enum gm_priority priority,
                                                   gm_size_t mask);

/* ---- Memory ------------------------------------------------------------ */

/* All ports of a host together can register a limited amount of memory, in
 * whole pages. The parameter gm_registered_bytes sets the limit; the default is
 * 70 % of 128 MB. If a call would exceed the limit, gm_dma_malloc() returns
 * NULL, gm_register_memory() returns GM_OUT_OF_MEMORY, and the program can
 * continue. */

/** Allocate registered memory, zeroed and aligned to GM_RDMA_GRANULARITY.
 *  Returns NULL if the call would exceed the limit. gm_dma_free() releases the
 *  memory; if the program does not call it, gm_close() releases the memory. */
GM_ENTRY_POINT void *gm_dma_malloc(struct gm_port *port, gm_size_t length);
/** Allocate an array of registered memory, zeroed. */
GM_ENTRY_POINT void *gm_dma_calloc(struct gm_port *port, gm_size_t count,
                                   gm_size_t length);
/** Release memory from gm_dma_malloc() or gm_dma_calloc(). NULL is allowed. */
GM_ENTRY_POINT void gm_dma_free(struct gm_port *port, void *address);

/**
 * Register the pages of a memory range; the port can then send from it and
 * receive into it. A page that was registered twice must be deregistered twice.
 *
 * @return GM_SUCCESS
 * @return GM_INVALID_PARAMETER  the port is not open, the address is NULL or
 *                               the length is 0
 * @return GM_MEMORY_FAULT       the range is not memory of the program
 * @return GM_OUT_OF_MEMORY      the host's limit of registered memory is
 *                               reached
 */
GM_ENTRY_POINT gm_status_t gm_register_memory(struct gm_port *port,
                                              void *address, gm_size_t length);
/** Undo one call of gm_register_memory() with the same arguments.
 *  @return GM_SUCCESS, GM_INVALID_PARAMETER (not registered) */
GM_ENTRY_POINT gm_status_t gm_deregister_memory(struct gm_port *port,
                                                void *address,
                                                gm_size_t length);

#if GM_API_VERSION >= GM_API_VERSION_2_0_6
/** Register memory whose address for the NIC may differ from its address in the
 *  program. In this implementation, both addresses must be the same.
 *  @return the same values as gm_register_memory(); GM_NO_DRIVER_SUPPORT if
 *    pvma differs from address */
GM_ENTRY_POINT gm_status_t gm_register_memory_ex(struct gm_port *port,
                                                 void *address,
                                                 gm_size_t length, void *pvma);
#endif

/** Allocate plain memory, like malloc(). */
GM_ENTRY_POINT void *gm_malloc(gm_size_t length);
/** Allocate zeroed memory, like calloc(). */
GM_ENTRY_POINT void *gm_calloc(gm_size_t length, gm_size_t count);
/** Release memory from gm_malloc() or gm_calloc(). NULL is allowed. */
GM_ENTRY_POINT void gm_free(void *address);
/** Allocate one page: GM_PAGE_LEN bytes, aligned to GM_PAGE_LEN. Returns NULL
 *  if there is no memory. */
GM_ENTRY_POINT void *gm_page_alloc(void);
GM_ENTRY_POINT void gm_page_free(void *page);
/** Allocate whole pages for at least length bytes. */
GM_ENTRY_POINT void *gm_alloc_pages(gm_size_t length);
GM_ENTRY_POINT void gm_free_pages(void *pages, gm_size_t length);

/* ---- Names and ids ----------------------------------------------------- */

/* Node ids are 1 .. gm_max_node_id(), and are the same on every node. Each NIC
 * is a separate node. The first ids belong to the first NICs of all hosts, with
 * the names "node1", "node2", and so on. The ids of the second NICs ("node1:1",
 * ..) follow, then the ids of the third NICs. Unless stated otherwise, these
 * functions return GM_SUCCESS; GM_INVALID_PARAMETER for a NULL argument or a
 * port that is not open; GM_NO_MATCH for an unknown node. */

GM_ENTRY_POINT gm_status_t gm_get_node_id(struct gm_port *port,
                                          unsigned *node_id_p);
GM_ENTRY_POINT gm_status_t gm_get_host_name(struct gm_port *port,
                                            char name[GM_MAX_HOST_NAME_LEN]);
/** Return the type of the simulated NIC: 43 for a LANai 4.3. */
GM_ENTRY_POINT gm_status_t gm_get_node_type(struct gm_port *port, int *type_p);
/** Return the NIC's own 6-byte address, 00:60:dd:7f:.. */
GM_ENTRY_POINT gm_status_t gm_get_unique_board_id(struct gm_port *port,
                                                  char unique[6]);
/** Return the address of the node that mapped the network, which is node 1. */
GM_ENTRY_POINT gm_status_t gm_get_mapper_unique_id(struct gm_port *port,
                                                   char unique[6]);
/** This function is equivalent to gm_get_unique_board_id(), but has a shorter
 *  name. */
GM_ENTRY_POINT gm_status_t gm_unique_id(struct gm_port *port, char unique[6]);
GM_ENTRY_POINT gm_status_t gm_node_id_to_unique_id(struct gm_port *port,
                                                   unsigned node_id,
                                                   char unique[6]);
GM_ENTRY_POINT gm_status_t gm_unique_id_to_node_id(struct gm_port *port,
                                                   char unique[6],
                                                   unsigned *node_id_p);
GM_ENTRY_POINT gm_status_t gm_max_node_id(struct gm_port *port,
                                          unsigned *node_id_p);
#if GM_API_VERSION >= GM_API_VERSION_1_4
/** Return the same id as gm_max_node_id(), because every node of the cluster is
 *  in use. */
GM_ENTRY_POINT gm_status_t gm_max_node_id_in_use(struct gm_port *port,
                                                 unsigned *node_id_p);
#endif
GM_ENTRY_POINT gm_status_t gm_max_node_id_inuse(struct gm_port *port,
                                                unsigned *node_id_p);

#if GM_API_VERSION >= GM_API_VERSION_2_0
/* Global ids are equal to node ids. */
GM_ENTRY_POINT gm_status_t gm_global_id_to_node_id(struct gm_port *port,
                                                   unsigned global_id,
                                                   unsigned *node_id_p);
GM_ENTRY_POINT gm_status_t gm_node_id_to_global_id(struct gm_port *port,
                                                   unsigned node_id,
                                                   unsigned *global_id_p);
/** Find the host name of a node. timeout_usecs is not used, because the answer
 *  is available at once. */
GM_ENTRY_POINT gm_status_t gm_node_id_to_host_name_ex(
    struct gm_port *port, unsigned timeout_usecs, unsigned node_id,
    char (*name_p)[GM_MAX_HOST_NAME_LEN + 1]);
GM_ENTRY_POINT gm_status_t gm_host_name_to_node_id_ex(struct gm_port *port,
                                                      unsigned timeout_usecs,
                                                      const char *name,
                                                      unsigned *node_id_p);
#endif

#if GM_API_VERSION >= GM_API_VERSION_2_0_16
/**
 * Query the directory of nodes. The only key is "hostname".
 *
 * @param [in,out] node_id_p  node to query, or GM_NO_SUCH_NODE_ID for any node
 *                            that has the value; on return, the node that
 *                            answered
 * @param [in]     value      value that the node must have; NULL: any value
 * @param [out]    answer     the node's value; may be NULL
 * @return GM_SUCCESS, GM_INVALID_PARAMETER, GM_YP_NO_MATCH
 */
GM_ENTRY_POINT gm_status_t gm_yp(struct gm_port *port, unsigned timeout_usecs,
                                 unsigned *node_id_p, const char *key,
                                 const char *value,
                                 char (*answer)[GM_MAX_YP_STRING_LEN]);
#endif

/**
 * Return the route from the port's NIC to a node: one byte per switch.
 * @param [out] route     buffer for 24 bytes
 * @param [out] length_p  number of bytes in the route
 */
GM_ENTRY_POINT gm_status_t _gm_get_route(struct gm_port *port, unsigned node_id,
                                         char *route, unsigned *length_p);

/** @return node id; GM_NO_SUCH_NODE_ID if no host has the name */
GM_ENTRY_POINT unsigned gm_host_name_to_node_id(struct gm_port *port,
                                                char *name);
/** @return NULL for an unknown node; the name is valid until the next call with
 *          this port */
GM_ENTRY_POINT char *gm_node_id_to_host_name(struct gm_port *port,
                                             unsigned node_id);
/** Return the number of an open port. */
GM_ENTRY_POINT unsigned gm_get_port_id(struct gm_port *port);
/** Return the number of ports of a NIC, including the system's ports. The port
 *  may be NULL. */
GM_ENTRY_POINT unsigned gm_num_ports(struct gm_port *port);

/* ---- Time -------------------------------------------------------------- */

/** Initialize an alarm. This call is required before the first gm_set_alarm()
 *  of the alarm. */
GM_ENTRY_POINT void gm_initialize_alarm(struct gm_alarm *alarm);
/** Set an alarm: gm_unknown() calls callback(context) after at least usecs
 *  microseconds. Setting an alarm that is already set changes its time and
 *  callback. If alarm or callback is NULL, the program receives
 *  GM_ALARM_VIOLATION_EVENT. */
GM_ENTRY_POINT void gm_set_alarm(struct gm_port *port, struct gm_alarm *alarm,
                                 gm_u64_t usecs, void (*callback)(void *),
                                 void *context);
/** Cancel an alarm. The call has no effect if the alarm is not set. */
GM_ENTRY_POINT void gm_cancel_alarm(struct gm_alarm *alarm);
/** Cancel all alarms of a port. */
GM_ENTRY_POINT void gm_flush_alarm(struct gm_port *port);

/** Read the NIC's clock in virtual time, in ticks of length rtc_tick_ps (0.5 us
 *  on LANai NICs). */
GM_ENTRY_POINT gm_u64_t gm_ticks(struct gm_port *port);
/** Sleep in virtual time. @return 0; if `seconds` exceeds the longest possible
 *  run (53 days), the function has no effect and returns `seconds` */
GM_ENTRY_POINT int gm_sleep(unsigned seconds);

/* ---- Text -------------------------------------------------------------- */

#if GM_API_VERSION >= GM_API_VERSION_1_4
/** Return a string that describes a status; never NULL. The program must not
 *  change the string. */
GM_ENTRY_POINT char *gm_strerror(gm_status_t status);
#endif
/** Print the prefix and the description of the status to standard error. */
GM_ENTRY_POINT void gm_perror(const char *prefix, gm_status_t status);

/** Print as printf() does. @return number of characters printed; negative on an
 *  error */
GM_ENTRY_POINT int gm_printf(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
#if GM_API_VERSION >= GM_API_VERSION_1_6
/** Print to standard error; the arguments are the same as for gm_printf(). */
GM_ENTRY_POINT int gm_eprintf(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
#endif
/** Print bytes to standard output, 16 per line. A line shows the offset, and
 *  the bytes in hexadecimal and as text. */
GM_ENTRY_POINT void gm_hex_dump(const void *address, gm_size_t length);

/* Functions of the C library under names that GM provides on all systems.
 * Lengths are in bytes. A NULL string is treated as an empty string; NULL
 * memory is ignored. */

/** Copy bytes; the ranges may overlap. The order of the arguments differs from
 *  that of memcpy(). */
GM_ENTRY_POINT void gm_bcopy(const void *from, void *to, gm_size_t length);
GM_ENTRY_POINT void gm_bzero(void *address, gm_size_t length);
GM_ENTRY_POINT int gm_memcmp(const void *a, const void *b, gm_size_t length);
#if GM_API_VERSION >= GM_API_VERSION_1_6
/** @return address */
GM_ENTRY_POINT void *gm_memset(void *address, int byte, gm_size_t length);
/** Copy a string; release the copy with gm_free(). Returns NULL if the argument
 *  is NULL, or if there is no memory. */
GM_ENTRY_POINT char *gm_strdup(const char *string);
#endif
/** Return the number of bytes before the final 0. */
GM_ENTRY_POINT gm_size_t gm_strlen(const char *string);
/** Copy a string as strncpy() does: fill the remaining bytes with 0, and write
 *  no final 0 if `from` has at least length characters. @return to */
GM_ENTRY_POINT char *gm_strncpy(char *to, const char *from, int length);
/** @return < 0, 0 or > 0, as strcmp() does; the next two functions return the
 *  same values */
GM_ENTRY_POINT int gm_strcmp(const char *a, const char *b);
GM_ENTRY_POINT int gm_strncmp(const char *a, const char *b, int length);
/** Compare without regard to case. */
GM_ENTRY_POINT int gm_strncasecmp(const char *a, const char *b, int length);
/** @return nonzero if the character is printable; 0 if it is not printable, or
 *          if the argument is outside the range of characters */
GM_ENTRY_POINT int gm_isprint(int character);

/** Return the CRC-32 of bytes with the polynomial 0xedb88320, like crc32() of
 *  zlib; 0 if the number of bytes is 0. GM does not specify the type of CRC.
 *  [source: GM manual, "Utility Modules"] */
GM_ENTRY_POINT unsigned long gm_crc(void *address, gm_size_t length);
/** Return the CRC-32 of a string, without its final 0. */
GM_ENTRY_POINT unsigned long gm_crc_str(const char *string);

/** Return the process id of the calling process. */
GM_ENTRY_POINT gm_pid_t gm_getpid(void);

/* ---- Helpers ----------------------------------------------------------- */

/* Data structures that the GM library provides to programs and also uses
 * internally. The functions for these structures do not need gm_init(), cost no
 * virtual time, and do not communicate. An object belongs to one thread at a
 * time. For a NULL object, a function does nothing, or returns NULL, 0 or
 * GM_INVALID_PARAMETER. */

/* Lookaside lists, which allocate and release entries of one length quickly. */

/**
 * @param [in] entry_len    bytes of an entry; entries have the
 *                          alignment of malloc()
 * @param [in] min_entries  number of entries whose allocation is guaranteed to
 *                          succeed
 *
 * @return the list, released with gm_destroy_lookaside(); NULL if there is no
 *         memory
 */
GM_ENTRY_POINT struct gm_lookaside *gm_create_lookaside(gm_size_t entry_len,
                                                        gm_size_t min_entries);
/** Release the list and all of its entries, including entries in use. */
GM_ENTRY_POINT void gm_destroy_lookaside(struct gm_lookaside *lookaside);
/** Allocate an entry with undefined contents. Returns NULL if there is no
 *  memory. */
GM_ENTRY_POINT void *gm_lookaside_alloc(struct gm_lookaside *lookaside);
/** Allocate a zeroed entry. Returns NULL if there is no memory. */
GM_ENTRY_POINT void *gm_lookaside_zalloc(struct gm_lookaside *lookaside);
/** Return an entry to its list. NULL is allowed. Returning an entry twice has
 *  no effect, unless the entry was allocated again in between. */
GM_ENTRY_POINT void gm_lookaside_free(void *entry);

/* Hash tables. */

/** Flag of gm_create_hash(). In GM, this flag spreads the growth of a table
 *  over several calls; here, the flag has no effect. */
#define GM_HASH_SMOOTH 1

/**
 * @param [in] compare      returns 0 for equal keys; NULL: compare byte by
 *                          byte, or compare the pointers if key_len is 0
 * @param [in] hash         returns any number, the same for equal keys; NULL:
 *                          GM computes the hash from the bytes, or from the
 *                          pointer if key_len is 0
 * @param [in] key_len      bytes of a key, which are copied into the table; 0:
 *                          the table keeps the pointer, which must be valid
 *                          only if compare or hash dereferences it
 * @param [in] data_len     bytes of a datum, which are copied; 0: the table
 *                          keeps the pointer
 * @param [in] min_entries  number of entries whose insertion is guaranteed to
 *                          succeed
 * @param [in] flags        0 or GM_HASH_SMOOTH, which has no effect
 *
 * @return the table, released with gm_destroy_hash(); NULL if flags is not 0,
 *         or if there is no memory for such a table
 */
GM_ENTRY_POINT struct gm_hash *
gm_create_hash(long (*compare)(void *key1, void *key2),
               unsigned long (*hash)(void *key), gm_size_t key_len,
               gm_size_t data_len, gm_size_t min_entries, int flags);
/** Release the table, including the copies in it. */
GM_ENTRY_POINT void gm_destroy_hash(struct gm_hash *hash);
/** Find the datum of a key: the pointer that was inserted, or the address of
 *  the copy. The copy is valid, and may be changed, while it is in the table.
 *  Returns NULL if there is no such key. */
GM_ENTRY_POINT void *gm_hash_find(struct gm_hash *hash, void *key);
/**
 * Add a datum.
 *
 * @return GM_SUCCESS
 * @return GM_OUT_OF_MEMORY
 * @return GM_INVALID_PARAMETER the table already contains the key, whose datum
 *                               is unchanged [assumed]; or the datum to copy is
 *                               NULL
 */
GM_ENTRY_POINT gm_status_t gm_hash_insert(struct gm_hash *hash, void *key,
                                          void *datum);
/** Remove a datum. @return the same value as gm_hash_find(); a copy is valid
 *  until the next gm_hash_insert() or gm_hash_remove() */
GM_ENTRY_POINT void *gm_hash_remove(struct gm_hash *hash, void *key);
/** Change the key of a datum. The function has no effect if the old key does
 *  not exist, or if another datum has the new key. */
GM_ENTRY_POINT void gm_hash_rekey(struct gm_hash *hash, void *old_key,
                                  void *new_key);

/* Functions to pass to gm_create_hash(). These functions are for keys that
 * point to strings (which end with 0), longs or ints, and for keys that are
 * pointers (with key_len 0). The first function of each pair returns < 0, 0 or
 * > 0. */
GM_ENTRY_POINT long gm_hash_compare_strings(void *key1, void *key2);
GM_ENTRY_POINT unsigned long gm_hash_hash_string(void *key);
GM_ENTRY_POINT long gm_hash_compare_longs(void *key1, void *key2);
GM_ENTRY_POINT unsigned long gm_hash_hash_long(void *key);
GM_ENTRY_POINT long gm_hash_compare_ints(void *key1, void *key2);
GM_ENTRY_POINT unsigned long gm_hash_hash_int(void *key);
GM_ENTRY_POINT long gm_hash_compare_ptrs(void *key1, void *key2);
GM_ENTRY_POINT unsigned long gm_hash_hash_ptr(void *key);

/* Zones, which are allocators within a block of the program's memory. */

/**
 * @param [in] base    the memory; the program owns it and releases it after
 *                     gm_zone_destroy_zone()
 * @param [in] length  bytes; the memory must contain at least one aligned unit
 *                     of GM_RDMA_GRANULARITY bytes
 *
 * @return the zone, released with gm_zone_destroy_zone(); NULL if base is NULL,
 *         if the block is too short, or if there is no memory for the zone's
 *         own data
 */
GM_ENTRY_POINT struct gm_zone *gm_zone_create_zone(void *base,
                                                   gm_size_t length);
GM_ENTRY_POINT void gm_zone_destroy_zone(struct gm_zone *zone);
/** Allocate a block that is aligned to GM_RDMA_GRANULARITY. The length of the
 *  block is a power of two, at least GM_RDMA_GRANULARITY bytes. Returns NULL if
 *  there is no contiguous block of that length. */
GM_ENTRY_POINT void *gm_zone_malloc(struct gm_zone *zone, gm_size_t length);
/** Allocate a zeroed array. */
GM_ENTRY_POINT void *gm_zone_calloc(struct gm_zone *zone, gm_size_t count,
                                    gm_size_t length);
/** @return address; if no block in use begins at address, the function has no
 *          effect and returns NULL [assumed: GM does not specify the return
 *          value] */
GM_ENTRY_POINT void *gm_zone_free(struct gm_zone *zone, void *address);
/** @return 1 if the address is in the zone's memory, else 0 */
GM_ENTRY_POINT int gm_zone_addr_in_zone(struct gm_zone *zone, void *address);

/* Mark sets, with which a program can check whether a memory location was
 * marked and has not changed since. */

/** @param [out] set_p       the set, released with gm_destroy_mark_set(); NULL
 *                           on an error
 *  @param [in]  init_count  number of calls of gm_mark() that are guaranteed to
 *                           succeed
 *  @return GM_SUCCESS, GM_OUT_OF_MEMORY, GM_INVALID_PARAMETER (set_p NULL) */
GM_ENTRY_POINT gm_status_t gm_create_mark_set(struct gm_mark_set **set_p,
                                              unsigned long init_count);
/** Release the set without accessing the marked memory. */
GM_ENTRY_POINT void gm_destroy_mark_set(struct gm_mark_set *set);
/** Write a mark. Marking the same location again creates a new mark.
 *  @return GM_SUCCESS, GM_OUT_OF_MEMORY, GM_INVALID_PARAMETER (NULL) */
GM_ENTRY_POINT gm_status_t gm_mark(struct gm_mark_set *set, gm_mark_t *mark);
/** @return 1 if this location was marked in this set, has not been unmarked,
 *          and has not been written to since; else 0. The function reads the
 *          location only if the first two conditions hold. Therefore any
 *          pointer is allowed, but marked memory must be unmarked before it is
 *          freed. */
GM_ENTRY_POINT int gm_mark_is_valid(struct gm_mark_set *set, gm_mark_t *mark);
/** Invalidate a mark. The call has no effect if the mark is not valid. */
GM_ENTRY_POINT void gm_unmark(struct gm_mark_set *set, gm_mark_t *mark);
/** Invalidate all marks of a set without accessing the marked memory. */
GM_ENTRY_POINT void gm_unmark_all(struct gm_mark_set *set);

/* Mutual exclusion between the threads of a process. If a thread enters a mutex
 * twice, the second call has no effect. Leaving a mutex that the thread has not
 * entered has no effect either. [assumed: GM does not specify this] */

/** @return the mutex, released with gm_destroy_mutex() when no thread is in it;
 *          NULL if there is no memory */
GM_ENTRY_POINT struct gm_mutex *gm_create_mutex(void);
GM_ENTRY_POINT void gm_destroy_mutex(struct gm_mutex *mutex);
/** Wait, in wall time, until no other thread is in the mutex; then enter it. */
GM_ENTRY_POINT void gm_mutex_enter(struct gm_mutex *mutex);
GM_ENTRY_POINT void gm_mutex_exit(struct gm_mutex *mutex);

/* Random numbers. The sequence of the random numbers is the same in every run
 * and every process. */

/** Return a number from 0 to INT_MAX, uniformly distributed. */
GM_ENTRY_POINT int gm_rand(void);
/** Restart the sequence. Without this call, the sequence is the same as after
 *  gm_srand(1). */
GM_ENTRY_POINT void gm_srand(int seed);
/** Return a number from 0 to modulus - 1, uniformly distributed; 0 if modulus
 *  is 0. */
GM_ENTRY_POINT unsigned gm_rand_mod(unsigned modulus);

/** Values of gm_log2_roundup() for the arguments 0 to 256. */
GM_ENTRY_POINT extern const unsigned char gm_log2_roundup_table[257];
/** Return the smallest k with 2^k >= n; 0 if n is 0. */
GM_ENTRY_POINT unsigned long gm_log2_roundup(unsigned long n);

/** Types for programs that keep their own list of buffers: the state of a
 *  buffer, and a buffer. The library does not use these types. */
enum gm_buf_status {
    gm_in_send = 0,
    gm_in_recv,
    gm_in_app,
    gm_invalid_status
};

struct gm_buf_handle {
    void *addr;
    int size; /**< bytes */
    enum gm_buf_status status;
    struct gm_buf_handle *next;
};

/* A list of buffers for debugging; all threads of the process share it. */

/** Add a buffer; size is in bytes. The function has no effect for NULL or a
 *  size of 0 or less. */
GM_ENTRY_POINT void gm_register_buffer(void *address, int size);
/** Remove one entry with this address and size from the list. @return 1 if
 *  there was such an entry, else 0 [assumed] */
GM_ENTRY_POINT int gm_unregister_buffer(void *address, int size);
/** Call gm_hex_dump() for all buffers in the list, newest first. */
GM_ENTRY_POINT void gm_dump_buffers(void);

#ifdef __cplusplus
}
#endif

#endif
