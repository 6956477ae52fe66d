/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * gm.h - the GM programming interface, as simulated Myrinet hardware offers it.
 *
 * Names, argument order, types and constants are those of GM 2.0.16, and
 * programs written for GM compile and link (-lgm) without a change. A program
 * may set GM_API_VERSION to an older version before it includes this file.
 * Extensions of GM are in gm_qos.h and gmsim.h.
 *
 * The rules in short:
 * - A process opens a port on its node's NIC with gm_open() and then holds
 *   gm_num_send_tokens() send tokens and gm_num_receive_tokens() receive
 *   tokens. A send takes a send token until its callback runs; a receive buffer
 *   takes a receive token until a message is returned in it.
 * - A message has a size class, chosen by the sender, and a priority. It goes
 *   only into a buffer that was provided with exactly that size and priority.
 * - Messages of one sending port to one target port in one priority arrive in
 *   order, once, and unharmed. Messages of different ports or priorities have
 *   no order.
 * - Callbacks run inside gm_unknown(), never at another moment: pass every
 *   event that the program does not handle to gm_unknown().
 * - Only memory from gm_dma_malloc() or gm_register_memory() can be sent from
 *   and received into.
 * - A call with a port that is NULL, closed or invalid does nothing and returns
 *   GM_INVALID_PARAMETER, 0, NULL or GM_NO_RECV_EVENT.
 * - A port belongs to one thread at a time. No function here may be called from
 *   a signal handler.
 *
 * Time is virtual: every call advances the caller's clock by the cost of the
 * call on the simulated host. Calls that depend on the network (receive and
 * pending calls, opening and closing, registering memory) first wait until the
 * whole cluster has simulated everything earlier; the others return at once.
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

/** The interface that a program was written for; it may define this itself.
 *  Functions that came later are then not declared. */
#ifndef GM_API_VERSION
#define GM_API_VERSION GM_API_VERSION_2_0_16
#endif
#if GM_API_VERSION < GM_API_VERSION_1_0 ||                                     \
    GM_API_VERSION > GM_API_VERSION_2_0_16
#error "GM_API_VERSION must be between GM_API_VERSION_1_0 and _2_0_16"
#endif

/* Two bytes are major and minor; three are major, minor and subminor. */
#define GM_API_MAJOR                                                           \
    (GM_API_VERSION > 0xffff ? GM_API_VERSION >> 16 : GM_API_VERSION >> 8)
#define GM_API_MINOR                                                           \
    (GM_API_VERSION > 0xffff ? (GM_API_VERSION >> 8) & 0xff                    \
                             : GM_API_VERSION & 0xff)
#define GM_API_SUBMINOR (GM_API_VERSION > 0xffff ? GM_API_VERSION & 0xff : 0)

/** The same numbers as a type, for gm_open(). */
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

/** Marks what the library exports. */
#define GM_ENTRY_POINT __attribute__((visibility("default")))
#define gm_inline      __inline__

/** 1 for the processor compiled for, 0 for all others. */
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

/** 1 to check gm_assert(); a program may define it. */
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

typedef unsigned long gm_size_t;  /**< length of something in memory, bytes */
typedef signed long gm_offset_t;  /**< difference of two addresses, bytes */
typedef unsigned long gm_up_t;    /**< as wide as a pointer */
typedef gm_u64_t gm_remote_ptr_t; /**< address in another process's memory */
typedef gm_u32_t gm_pid_t;
typedef gm_size_t gm_mark_t;

/* ---- Network byte order ------------------------------------------------ */

/** 1 (the default): a number in network byte order is a struct, so that a
 *  forgotten conversion does not compile. A program may define it 0 to get
 *  plain integers. The layout is the same. */
#ifndef GM_STRONG_TYPES
#define GM_STRONG_TYPES 1
#endif

#if GM_STRONG_TYPES
#define _GM_NETWORK_TYPE(type)                                                 \
    typedef struct gm_##type##_n {                                             \
        gm_##type##_t n;                                                       \
    } gm_##type##_n_t
/** Raw value of a number in network byte order; can be assigned to. */
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

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
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

/* The short names are those of char, short, long and long long of old. */
#define gm_ntohc(x)  gm_ntoh_u8(x)
#define gm_ntohs(x)  gm_ntoh_u16(x)
#define gm_ntohl(x)  gm_ntoh_u32(x)
#define gm_ntohll(x) gm_ntoh_u64(x)
#define gm_htonc(x)  gm_hton_u8(x)
#define gm_htons(x)  gm_hton_u16(x)
#define gm_htonl(x)  gm_hton_u32(x)
#define gm_htonll(x) gm_hton_u64(x)

/** A pointer from network byte order. */
static gm_inline void *gm_ntohp(gm_up_n_t n)
{
#if defined(__SIZEOF_POINTER__) && __SIZEOF_POINTER__ == 4
    return (void *)(gm_up_t)_GM_SWAP_32((gm_u32_t)GM_N(n));
#else
    return (void *)(gm_up_t)_GM_SWAP_64((gm_u64_t)GM_N(n));
#endif
}

/** A number as the PCI bus has it, low byte first. */
static gm_inline gm_u32_t gm_htopci_u32(gm_u32_t h)
{
    return _GM_SWAP_PCI_32(h);
}

/* ---- Constants --------------------------------------------------------- */

#define GM_MAX_HOST_NAME_LEN   128 /**< with the final 0 */
#define GM_MAX_PORT_NAME_LEN   32  /**< with the final 0 */
#define GM_MAX_YP_STRING_LEN   128
#define GM_NO_SUCH_NODE_ID     0  /**< no node has this id */
#define GM_RDMA_GRANULARITY    64 /**< bytes */
#define GM_MAX_DMA_GRANULARITY 8  /**< bytes */
#define GM_DMA_GRANULARITY     8  /**< bytes */

/** Length of a page of memory, bytes: registration counts in pages. */
GM_ENTRY_POINT extern unsigned long GM_PAGE_LEN;

enum gm_priority {
    GM_LOW_PRIORITY = 0,
    GM_HIGH_PRIORITY = 1,
    GM_NUM_PRIORITIES = 2
};

/* ---- Small macros ------------------------------------------------------ */

#define GM_OFFSETOF(type, field) offsetof(type, field)
#if GM_API_VERSION >= GM_API_VERSION_1_6
/** The object of a type whose field a pointer points to. */
#define GM_STRUCT_CONTAINING(type, field, field_pointer)                       \
    ((type *)(void *)((char *)(field_pointer)-offsetof(type, field)))
#define GM_NUM_ELEM(array) (sizeof(array) / sizeof((array)[0]))
#define GM_POWER_OF_TWO(n) (((n) & ((n)-1)) == 0)
#endif
/** 1 if n is a multiple of m, m being a power of two. */
#define GM_ALIGNED(n, m)              ((((gm_size_t)(n)) & ((gm_size_t)(m)-1)) == 0)
#define GM_DMA_ALIGNED(p)             GM_ALIGNED(p, GM_DMA_GRANULARITY)
#define GM_PARAMETER_MAY_BE_UNUSED(p) ((void)(p))
#define GM_VAR_MAY_BE_UNUSED(v)       ((void)(v))

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
    /* from GM 1.5 */
    GM_INCOMPATIBLE_LIB_AND_DRIVER = 26,
    GM_UNTRANSLATED_SYSTEM_ERROR = 27,
    GM_ACCESS_DENIED = 28,
    /* from GM 2.0 */
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

/** What gm_receive() returned; the last byte of the event. The kinds with NEW
 *  are the card's own marks and never reach a program. */
enum gm_recv_event_type {
    GM_NO_RECV_EVENT = 0, /**< there is nothing */
    GM_SENDS_FAILED_EVENT = 1,
    GM_ALARM_EVENT = 2,  /**< an alarm is due */
    GM_SENT_EVENT = 3,   /**< sends are over */
    _GM_SLEEP_EVENT = 4, /**< gm_unknown() then sleeps */
    GM_RAW_RECV_EVENT = 5,
    GM_BAD_SEND_DETECTED_EVENT = 6,
    GM_SEND_TOKEN_VIOLATION_EVENT = 7, /**< sent without a send token */
    GM_RECV_TOKEN_VIOLATION_EVENT = 8, /**< provided too many buffers */
    GM_BAD_RECV_TOKEN_EVENT = 9,       /**< provided an impossible buffer */
    GM_ALARM_VIOLATION_EVENT = 10,
    GM_RECV_EVENT = 11,      /**< low priority message, in the buffer */
    GM_HIGH_RECV_EVENT = 12, /**< high priority */
    GM_PEER_RECV_EVENT = 13, /**< from the same port number */
    GM_HIGH_PEER_RECV_EVENT = 14,
    GM_FAST_RECV_EVENT = 15, /**< small: message is in the event, valid
                                       until the next receive call */
    GM_FAST_HIGH_RECV_EVENT = 16,
    GM_FAST_PEER_RECV_EVENT = 17,
    GM_FAST_HIGH_PEER_RECV_EVENT = 18,
    GM_REJECTED_SEND_EVENT = 19,
    GM_ORPHANED_SEND_EVENT = 20,
    GM_BAD_RESEND_EVENT = 24,
    GM_DROPPED_SEND_EVENT = 25,
    GM_BAD_SEND_VMA_EVENT = 26, /**< memory sent from is not registered */
    GM_BAD_RECV_VMA_EVENT = 27, /**< memory received into is not */
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
    GM_NEW_BAD_RESEND_EVENT = 152,
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

/* Every kind of event is as long as its own fields need, and is laid at the end
 * of 64 bytes, so that the type is always the last byte. */
#define _GM_EVENT_LEN            64
#define _GM_EVENT_PAD(own_bytes) gm_u8_n_t _pad[_GM_EVENT_LEN - (own_bytes)]

/** A message has come; network byte order. */
typedef struct gm_recv {
    _GM_EVENT_PAD(2 * sizeof(gm_up_n_t) + 16);
    gm_up_n_t message; /**< where the data are: in the buffer, or for
                                    the FAST kinds in the event itself */
    gm_up_n_t buffer;  /**< the buffer, which is the program's again */
    gm_u32_n_t reserved_after_buffer;
    gm_u32_n_t length; /**< bytes */
    gm_u16_n_t sender_node_id;
    gm_u16_n_t reserved_after_node;
    gm_u8_n_t tag; /**< as the buffer was provided */
    gm_u8_n_t size;
    gm_u8_n_t sender_port_id;
    gm_u8_n_t type;
} gm_recv_t;

/** A send has failed; its callback says so, too. */
typedef struct gm_failed_send_event {
    _GM_EVENT_PAD(sizeof(gm_up_n_t) + 8);
    gm_up_n_t message;
    gm_u32_n_t reserved_after_message;
    gm_u16_n_t target_node_id;
    gm_u8_n_t target_subport_id; /**< port * 2 + priority */
    gm_u8_n_t type;
} gm_failed_send_event_t;

/** Sends are over. */
typedef struct gm_sent_event {
    _GM_EVENT_PAD(sizeof(gm_up_n_t) + 8);
    gm_up_n_t message_list;
    gm_u8_n_t reserved[7];
    gm_u8_n_t type;
} gm_sent_event_t;

typedef struct gm_sent_token_report {
    gm_u8_n_t token;
    gm_u8_n_t status;
} gm_sent_token_report_t;

typedef struct gm_tokens_sent_event {
    gm_sent_token_report_t token_report[31];
    gm_u8_n_t reserved;
    gm_u8_n_t type;
} gm_tokens_sent_event_t;

typedef struct gm_flushed_alarm_event {
    _GM_EVENT_PAD(8);
    gm_u32_n_t usecs_remaining;
    gm_u8_n_t reserved[3];
    gm_u8_n_t type;
} gm_flushed_alarm_event_t;

typedef struct gm_fatal_firmware_error_event {
    _GM_EVENT_PAD(8);
    gm_u32_n_t status;
    gm_u8_n_t reserved[3];
    gm_u8_n_t type;
} gm_fatal_firmware_error_event_t;

typedef struct gm_ethernet_recv {
    gm_u8_n_t reserved[_GM_EVENT_LEN - 1];
    gm_u8_n_t type;
} gm_ethernet_recv_t;

/** What the receive calls return a pointer to. Which member counts follows
 *  from the type, which is at the same place in each. */
typedef union gm_recv_event {
    gm_tokens_sent_event_t tokens_sent;
    gm_recv_t recv;
    gm_sent_event_t sent;
    gm_failed_send_event_t failed_send;
    gm_fatal_firmware_error_event_t fatal_firmware_error;
    gm_flushed_alarm_event_t flushed_alarm;
    gm_ethernet_recv_t ethernet_recv;
} gm_recv_event_t;

/** enum gm_recv_event_type of an event. */
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

/** An alarm; memory of the program, fields of the library. The program keeps it
 *  in place from gm_set_alarm() until it has gone off or is cancelled. */
typedef struct gm_alarm {
    struct gm_alarm *next;
    enum gm_alarm_state state;
    struct gm_port *port;
    void (*callback)(void *context);
    void *context;
    gm_u64_t deadline; /**< gm_ticks() at which it is due */
} gm_alarm_t;

/** Called by gm_unknown() when a send is over: then its buffer and its send
 *  token are the program's again, whatever the status. */
typedef void (*gm_send_completion_callback_t)(struct gm_port *port,
                                              void *context,
                                              gm_status_t status);

/* ---- Life -------------------------------------------------------------- */

/**
 * Join the job's simulated cluster. May be called several times; gm_open()
 * does it for programs that do not. The first call waits until all processes
 * of the job have joined: then virtual time starts.
 *
 * @return GM_SUCCESS
 * @return GM_FAILURE  the cluster cannot be joined; standard error says why
 */
GM_ENTRY_POINT gm_status_t gm_init(void);

/** Undo one gm_init(). The last one closes all ports and leaves the cluster
 *  for good: joining again is not possible. */
GM_ENTRY_POINT void gm_finalize(void);

/**
 * Open a port.
 *
 * @param [out] port_p   the port; NULL if it could not be opened
 * @param [in]  unit     card of this host, 0 .. units_per_host - 1; one by
 *                       default
 * @param [in]  port     1 .. gm_num_ports() - 1; 0, 1 and 3 are the system's
 * @param [in]  name     for debugging; at most 31 characters, may be NULL
 * @param [in]  version  GM_API_VERSION
 *
 * @return GM_SUCCESS
 * @return GM_BUSY                somebody has opened it
 * @return GM_NO_SUCH_DEVICE      the host has no such unit
 * @return GM_INVALID_PARAMETER   no such port, or port_p is NULL
 * @return GM_PERMISSION_DENIED   the port is the system's
 * @return GM_INCOMPATIBLE_LIB_AND_DRIVER  unknown version
 * @return GM_OUT_OF_MEMORY
 * @return GM_FAILURE             gm_init() failed
 *
 * The caller then holds all send and receive tokens of the port, and closes it
 * with gm_close().
 */
GM_ENTRY_POINT gm_status_t gm_open(struct gm_port **port_p, unsigned unit,
                                   unsigned port, const char *name,
                                   enum gm_api_version version);

/** Close a port: messages not sent yet are lost, buffers are the program's
 *  again, no callback runs any more. Whoever sends to it from now on gets
 *  GM_SEND_TARGET_PORT_CLOSED. NULL is fine. */
GM_ENTRY_POINT void gm_close(struct gm_port *port);

/** End the process at once, as abort() does. */
GM_ENTRY_POINT void gm_abort(void) __attribute__((noreturn));
/** Run what gm_on_exit() has registered, last one first, and end the process:
 *  exit status 0 for GM_SUCCESS, else 1. */
GM_ENTRY_POINT void gm_exit(gm_status_t status) __attribute__((noreturn));
typedef void (*gm_on_exit_callback_t)(gm_status_t status, void *context);
/** Have a function called by gm_exit(). @return GM_SUCCESS,
 *  GM_INVALID_PARAMETER, GM_OUT_OF_MEMORY */
GM_ENTRY_POINT gm_status_t gm_on_exit(gm_on_exit_callback_t callback,
                                      void *context);

/** What a failed gm_always_assert() calls: says where, and gm_abort(). */
GM_ENTRY_POINT void _gm_assertion_failed(const char *condition,
                                         const char *file, int line)
    __attribute__((noreturn));

/* ---- Tokens ------------------------------------------------------------ */

/** Sends that a port can have under way, both priorities together. */
GM_ENTRY_POINT unsigned gm_num_send_tokens(struct gm_port *port);
/** Receive buffers that a port can hold. */
GM_ENTRY_POINT unsigned gm_num_receive_tokens(struct gm_port *port);

/* Book-keeping for programs that want the library to count their send tokens.
 * It starts at zero for each priority: such a program first gives tokens with
 * gm_free_send_tokens(), takes one before each send and gives it back in the
 * send's callback. It does not touch the tokens themselves. */

/** Take a token. @return 1, or 0 if there is none */
GM_ENTRY_POINT int gm_alloc_send_token(struct gm_port *port, unsigned priority);
/** @return 1 if gm_alloc_send_token() would succeed, else 0 */
GM_ENTRY_POINT int gm_send_token_available(struct gm_port *port,
                                           unsigned priority);
/** Give one token back. */
GM_ENTRY_POINT void gm_free_send_token(struct gm_port *port, unsigned priority);
/** Give several tokens. */
GM_ENTRY_POINT void gm_free_send_tokens(struct gm_port *port, unsigned priority,
                                        unsigned count);

/* ---- Sizes ------------------------------------------------------------- */

/** Least size whose buffers hold a message of this length: 0..31, or 32 if it
 *  is longer than any message can be. Never less than
 *  gm_min_message_size(). [source: GM 2.0: 2^size - 8 bytes] */
GM_ENTRY_POINT unsigned gm_min_size_for_length(gm_size_t length);
/** Longest message of a size: 2^size - 8 bytes, 0 below size 3. */
GM_ENTRY_POINT gm_size_t gm_max_length_for_size(unsigned size);
/** Smallest size class that is sent: 3. */
GM_ENTRY_POINT unsigned gm_min_message_size(struct gm_port *port);
/** Most payload bytes in one packet: 4096 on the real card. */
GM_ENTRY_POINT unsigned gm_mtu(struct gm_port *port);

/* ---- Sending ----------------------------------------------------------- */

/**
 * Send a message to a buffer of the same size and priority.
 *
 * @param [in] message      registered memory; must stay as it is until the
 *                          callback runs
 * @param [in] size         size class, 0 .. 31; below gm_min_message_size()
 *                          only for messages of length 0
 * @param [in] length       0 .. gm_max_length_for_size(size) bytes
 * @param [in] priority     GM_LOW_PRIORITY or GM_HIGH_PRIORITY
 * @param [in] target_node  node id
 * @param [in] target_port  port on that node
 * @param [in] callback     called in gm_unknown() when the data are in the
 *                          target's buffer, or with the reason why they are
 *                          not; may be NULL
 *
 * Callback status: GM_SUCCESS; GM_SEND_TIMED_OUT (no buffer came up in time);
 * GM_SEND_REJECTED (size not acceptable there); GM_SEND_TARGET_PORT_CLOSED;
 * GM_SEND_TARGET_NODE_UNREACHABLE; GM_INVALID_PARAMETER (an argument out of its
 * range); GM_MEMORY_FAULT (memory not registered; GM_BAD_SEND_VMA_EVENT comes,
 * too); GM_SEND_DROPPED (gm_drop_sends()).
 * A program that has no send token gets GM_SEND_TOKEN_VIOLATION_EVENT instead:
 * the message is not sent and the callback never runs. Several violations of a
 * kind before the next receive call give one event.
 *
 * After a failure other than GM_INVALID_PARAMETER and GM_SEND_DROPPED the
 * stream (this port, target port, priority) stands still, other streams do not:
 * later sends wait until gm_drop_sends() or gm_resume_sending().
 */
GM_ENTRY_POINT void
gm_send_with_callback(struct gm_port *port, void *message, unsigned size,
                      gm_size_t length, unsigned priority, unsigned target_node,
                      unsigned target_port,
                      gm_send_completion_callback_t callback, void *context);

/** gm_send_with_callback() to the port of the same number. */
GM_ENTRY_POINT void gm_send_to_peer_with_callback(
    struct gm_port *port, void *message, unsigned size, gm_size_t length,
    unsigned priority, unsigned target_node,
    gm_send_completion_callback_t callback, void *context);

/**
 * Send without a callback. Deprecated: events tell how it ended.
 *
 * GM_SENT_EVENT: event->sent.message_list points to the messages that have
 * arrived, as gm_up_n_t, the last one followed by 0. The list is empty for
 * sends with a callback, whose events go to gm_unknown().
 * GM_REJECTED_SEND_EVENT, GM_DROPPED_SEND_EVENT, GM_SENDS_FAILED_EVENT (all
 * other reasons): event->failed_send says which message to whom.
 * The send token is the program's again with the event.
 */
GM_ENTRY_POINT void gm_send(struct gm_port *port, void *message, unsigned size,
                            gm_size_t length, unsigned priority,
                            unsigned target_node, unsigned target_port);
/** gm_send() to the port of the same number. Deprecated. */
GM_ENTRY_POINT void gm_send_to_peer(struct gm_port *port, void *message,
                                    unsigned size, gm_size_t length,
                                    unsigned priority, unsigned target_node);

/**
 * Send a message of one packet that nobody acknowledges: it is lost without a
 * sign where there is no buffer for it, or where the network loses it. The
 * callback's GM_SUCCESS means that it has left.
 *
 * @param [in] length  0 .. gm_mtu() bytes, and no more than the size holds
 *
 * Otherwise as gm_send_with_callback().
 */
GM_ENTRY_POINT void gm_datagram_send(struct gm_port *port, void *message,
                                     unsigned size, gm_size_t length,
                                     unsigned priority, unsigned target_node,
                                     unsigned target_port,
                                     gm_send_completion_callback_t callback,
                                     void *context);
/** The same for data that are the argument itself: its first length bytes,
 *  0 .. 4, as they lie in memory. No registered memory is needed. */
GM_ENTRY_POINT void gm_datagram_send_4(struct gm_port *port, gm_u32_t message,
                                       unsigned size, gm_size_t length,
                                       unsigned priority, unsigned target_node,
                                       unsigned target_port,
                                       gm_send_completion_callback_t callback,
                                       void *context);

/**
 * Write into the memory of the process that owns the target port. It has called
 * gm_allow_remote_memory_access() and registered the memory; it gets no event.
 * Ordered with the other sends to the same port in the same priority.
 *
 * @param [in] source  registered memory, as for gm_send_with_callback()
 * @param [in] target  address in the target's memory
 * @param [in] length  bytes, 0 .. 2^31 - 1
 *
 * Callback status as for gm_send_with_callback(). A write that the target does
 * not allow is not carried out.
 */
GM_ENTRY_POINT void gm_directed_send_with_callback(
    struct gm_port *port, void *source, gm_remote_ptr_t target,
    gm_size_t length, enum gm_priority priority, unsigned target_node,
    unsigned target_port, gm_send_completion_callback_t callback,
    void *context);

/** The same without a callback, as gm_send(). Deprecated. */
GM_ENTRY_POINT void gm_directed_send(struct gm_port *port, void *source,
                                     gm_remote_ptr_t target, gm_size_t length,
                                     enum gm_priority priority,
                                     unsigned target_node,
                                     unsigned target_port);

#if GM_API_VERSION >= GM_API_VERSION_2_0
/** The same, by its name in GM 2. */
GM_ENTRY_POINT void gm_put(struct gm_port *port, void *local,
                           gm_remote_ptr_t remote, gm_size_t length,
                           enum gm_priority priority, unsigned target_node,
                           unsigned target_port,
                           gm_send_completion_callback_t callback,
                           void *context);
/**
 * Read from the memory of the process that owns the target port, under the same
 * conditions.
 *
 * @param [in]  remote  address in the target's memory
 * @param [out] local   registered memory; its bytes are there when the callback
 *                      says GM_SUCCESS
 *
 * Callback status as for gm_directed_send_with_callback(). Where the real
 * system lets no process read another's memory, only memory from
 * gm_dma_malloc() can be got; other memory is GM_SEND_REJECTED there.
 */
GM_ENTRY_POINT void gm_get(struct gm_port *port, gm_remote_ptr_t remote,
                           void *local, gm_size_t length,
                           enum gm_priority priority, unsigned target_node,
                           unsigned target_port,
                           gm_send_completion_callback_t callback,
                           void *context);
#endif

/** Let others write into this port's registered memory and read it, until it is
 *  closed. @return GM_SUCCESS, GM_INVALID_PARAMETER (port is not open) */
GM_ENTRY_POINT gm_status_t gm_allow_remote_memory_access(struct gm_port *port);

/**
 * Copy from the memory of another process of the same host, by the processor.
 * The owner of the port has called gm_allow_remote_memory_access() and
 * registered the memory there.
 *
 * @param [in]  source    address in that process's memory
 * @param [out] target    own memory, length bytes
 * @param [in]  instance  unit of the port
 * @param [in]  number    the port
 *
 * @return GM_SUCCESS
 * @return GM_INVALID_PARAMETER        an argument is out of its range
 * @return GM_MEMORY_FAULT             the target is not the program's memory
 * @return GM_SEND_TARGET_PORT_CLOSED  nobody has opened the port
 * @return GM_PERMISSION_DENIED        the owner does not allow it
 * @return GM_NOT_SUPPORTED_ON_ARCH    this machine lets no process read
 *                                     another's memory
 */
GM_ENTRY_POINT gm_status_t gm_directcopy_get(struct gm_port *port, void *source,
                                             void *target, gm_size_t length,
                                             unsigned instance,
                                             unsigned number);

/* ---- Stalled streams --------------------------------------------------- */

/* After a failure the stream from this port to that port in that priority
 * stands still. These end that; both take a send token, which the callback (it
 * may be NULL) gives back with GM_SUCCESS, and do nothing to a stream that does
 * not stand still. [source: GM: error handling] */

/** Give all its queued sends up: first this call's own callback gets
 *  GM_SUCCESS, then theirs, in the order in which they were sent, get
 *  GM_SEND_DROPPED, which is no failure. A program that sends again in these
 *  callbacks, the failed message in the first, keeps its order.
 *  [assumed: MPICH-GM recovers in this way and has no sequence numbers] */
GM_ENTRY_POINT void gm_drop_sends(struct gm_port *port, unsigned priority,
                                  unsigned target_node, unsigned target_port,
                                  gm_send_completion_callback_t callback,
                                  void *context);
/** Send what is queued, in order. What has failed is not sent again. */
GM_ENTRY_POINT void gm_resume_sending(struct gm_port *port, unsigned priority,
                                      unsigned target_node,
                                      unsigned target_port,
                                      gm_send_completion_callback_t callback,
                                      void *context);

#if GM_API_VERSION >= GM_API_VERSION_1_4
/**
 * Choose what sends to a closed port meet: with 1 (the default here) they fail
 * at once with GM_SEND_TARGET_PORT_CLOSED, with 0 they try again until the send
 * timeout.
 * @return GM_SUCCESS, GM_INVALID_PARAMETER (port is not open)
 */
GM_ENTRY_POINT gm_status_t gm_set_enable_nack_down(struct gm_port *port,
                                                   int enable);
#endif

/* ---- Receiving --------------------------------------------------------- */

/**
 * Give the card a buffer for one message of a size and priority. Buffers of the
 * same size and priority are filled in the order in which they were given.
 *
 * @param [in] buffer    registered memory, at least as long as the messages
 *                       that will come
 * @param [in] size      size class, 0..31
 * @param [in] priority  GM_LOW_PRIORITY or GM_HIGH_PRIORITY
 *
 * Without a receive token the program gets GM_RECV_TOKEN_VIOLATION_EVENT, for
 * memory that is not registered GM_BAD_RECV_VMA_EVENT, for other impossible
 * arguments GM_BAD_RECV_TOKEN_EVENT; the buffer is not taken.
 */
GM_ENTRY_POINT void gm_provide_receive_buffer(struct gm_port *port,
                                              void *buffer, unsigned size,
                                              unsigned priority);
/** The same; the low 8 bits of the tag come back in the event. */
GM_ENTRY_POINT void gm_provide_receive_buffer_with_tag(struct gm_port *port,
                                                       void *buffer,
                                                       unsigned size,
                                                       unsigned priority,
                                                       unsigned tag);

/** The next event, GM_NO_RECV_EVENT if there is none. Never NULL; valid until
 *  the next receive call of this port. Not to be called from a callback. */
GM_ENTRY_POINT union gm_recv_event *gm_receive(struct gm_port *port);
/** The next event; sleeps until there is one. */
GM_ENTRY_POINT union gm_recv_event *gm_blocking_receive(struct gm_port *port);
/** The same. (On real hardware it sleeps without polling first.) */
GM_ENTRY_POINT union gm_recv_event *
gm_blocking_receive_no_spin(struct gm_port *port);
/** @return 1 if gm_receive() would find something, else 0 */
GM_ENTRY_POINT int gm_receive_pending(struct gm_port *port);
/**
 * Type of the event that gm_receive() would return, GM_NO_RECV_EVENT if none.
 * @param [out] sender  node id of a message's sender; untouched for other
 *                      events; may be NULL
 */
GM_ENTRY_POINT int gm_next_event_peek(struct gm_port *port, gm_u16_t *sender);

/** Deal with an event that the program does not want: run callbacks and
 *  alarms. A FAST message is copied to its buffer and comes again, as the plain
 *  kind, from the next gm_receive(). */
GM_ENTRY_POINT void gm_unknown(struct gm_port *port,
                               union gm_recv_event *event);

/** Run the callbacks of the sends that a GM_SENT_EVENT is about; gm_unknown()
 *  does the same. Deprecated. */
GM_ENTRY_POINT void gm_handle_sent_tokens(struct gm_port *port,
                                          union gm_recv_event *event);
/** gm_unknown(): no event tells of a put here. Deprecated. */
GM_ENTRY_POINT void gm_handle_put_notification(struct gm_port *port,
                                               union gm_recv_event *event);

/** Keep a FAST message: copies it to the buffer if it is not there already.
 *  @return buffer */
GM_ENTRY_POINT void *gm_memorize_message(void *message, void *buffer,
                                         unsigned length);

/**
 * Say which sizes a priority accepts; a message of another one is rejected at
 * once instead of waiting for a buffer. All are acceptable at first.
 *
 * @param [in] mask  bit s set: size s is acceptable
 * @return GM_SUCCESS, GM_INVALID_PARAMETER
 */
GM_ENTRY_POINT gm_status_t gm_set_acceptable_sizes(struct gm_port *port,
                                                   enum gm_priority priority,
                                                   gm_size_t mask);

/* ---- Memory ------------------------------------------------------------ */

/* The ports of a host can have so much memory registered together, in whole
 * pages: the parameter gm_registered_bytes, 70 % of 128 MB by default. Beyond
 * it gm_dma_malloc() returns NULL and gm_register_memory() GM_OUT_OF_MEMORY;
 * everything goes on. */

/** Registered memory, zeroed, aligned to GM_RDMA_GRANULARITY; NULL if there is
 *  no more. Released with gm_dma_free(), at the latest by gm_close(). */
GM_ENTRY_POINT void *gm_dma_malloc(struct gm_port *port, gm_size_t length);
/** The same for an array, zeroed. */
GM_ENTRY_POINT void *gm_dma_calloc(struct gm_port *port, gm_size_t count,
                                   gm_size_t length);
/** NULL is fine. */
GM_ENTRY_POINT void gm_dma_free(struct gm_port *port, void *address);

/**
 * Register the pages of a piece of memory, so that the port can send from it
 * and receive into it. A page registered twice is to be deregistered twice.
 *
 * @return GM_SUCCESS
 * @return GM_INVALID_PARAMETER  port is not open; NULL or nothing
 * @return GM_MEMORY_FAULT       not memory of the program
 * @return GM_OUT_OF_MEMORY      more than the host can have registered
 */
GM_ENTRY_POINT gm_status_t gm_register_memory(struct gm_port *port,
                                              void *address, gm_size_t length);
/** Undo one gm_register_memory() with the same arguments.
 *  @return GM_SUCCESS, GM_INVALID_PARAMETER (not registered) */
GM_ENTRY_POINT gm_status_t gm_deregister_memory(struct gm_port *port,
                                                void *address,
                                                gm_size_t length);

#if GM_API_VERSION >= GM_API_VERSION_2_0_6
/** gm_register_memory() for memory that the card shall know by another address.
 *  Here both addresses must be the same.
 *  @return as there; GM_NO_DRIVER_SUPPORT if pvma is not address */
GM_ENTRY_POINT gm_status_t gm_register_memory_ex(struct gm_port *port,
                                                 void *address,
                                                 gm_size_t length, void *pvma);
#endif

/** Plain memory, as from malloc(). */
GM_ENTRY_POINT void *gm_malloc(gm_size_t length);
/** As from calloc(). */
GM_ENTRY_POINT void *gm_calloc(gm_size_t length, gm_size_t count);
/** For gm_malloc() and gm_calloc(). NULL is fine. */
GM_ENTRY_POINT void gm_free(void *address);
/** One page, GM_PAGE_LEN bytes at a multiple of it; NULL if there is none. */
GM_ENTRY_POINT void *gm_page_alloc(void);
GM_ENTRY_POINT void gm_page_free(void *page);
/** Whole pages for at least length bytes. */
GM_ENTRY_POINT void *gm_alloc_pages(gm_size_t length);
GM_ENTRY_POINT void gm_free_pages(void *pages, gm_size_t length);

/* ---- Names and ids ----------------------------------------------------- */

/* Node ids are 1 .. gm_max_node_id(), the same on every node. Each card is a
 * node of its own: ids 1 .. hosts are the first cards of the hosts, called
 * "node1", "node2", ..; then come the second cards, "node1:1", .., and so on.
 * Unless said otherwise these return GM_SUCCESS, or GM_INVALID_PARAMETER for a
 * NULL argument or a port that is not open, GM_NO_MATCH for an unknown node. */

GM_ENTRY_POINT gm_status_t gm_get_node_id(struct gm_port *port,
                                          unsigned *node_id_p);
GM_ENTRY_POINT gm_status_t gm_get_host_name(struct gm_port *port,
                                            char name[GM_MAX_HOST_NAME_LEN]);
/** Kind of the simulated card: 43 for a LANai 4.3. */
GM_ENTRY_POINT gm_status_t gm_get_node_type(struct gm_port *port, int *type_p);
/** The card's own 6-byte address, 00:60:dd:7f:.. */
GM_ENTRY_POINT gm_status_t gm_get_unique_board_id(struct gm_port *port,
                                                  char unique[6]);
/** Address of the node that made the map: node 1. */
GM_ENTRY_POINT gm_status_t gm_get_mapper_unique_id(struct gm_port *port,
                                                   char unique[6]);
/** gm_get_unique_board_id() by its short name. */
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
/** The same here: every node of the cluster is in use. */
GM_ENTRY_POINT gm_status_t gm_max_node_id_in_use(struct gm_port *port,
                                                 unsigned *node_id_p);
#endif
GM_ENTRY_POINT gm_status_t gm_max_node_id_inuse(struct gm_port *port,
                                                unsigned *node_id_p);

#if GM_API_VERSION >= GM_API_VERSION_2_0
/* Global ids are the node ids. */
GM_ENTRY_POINT gm_status_t gm_global_id_to_node_id(struct gm_port *port,
                                                   unsigned global_id,
                                                   unsigned *node_id_p);
GM_ENTRY_POINT gm_status_t gm_node_id_to_global_id(struct gm_port *port,
                                                   unsigned node_id,
                                                   unsigned *global_id_p);
/** timeout_usecs is not needed here: the answer is known at once. */
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
 * Ask the directory of nodes. The only key is "hostname".
 *
 * @param [in,out] node_id_p  node to ask, or GM_NO_SUCH_NODE_ID for whichever
 *                            node has the value; then the node that answered
 * @param [in]     value      that the node must have; NULL: any
 * @param [out]    answer     the node's value; may be NULL
 * @return GM_SUCCESS, GM_INVALID_PARAMETER, GM_YP_NO_MATCH
 */
GM_ENTRY_POINT gm_status_t gm_yp(struct gm_port *port, unsigned timeout_usecs,
                                 unsigned *node_id_p, const char *key,
                                 const char *value,
                                 char (*answer)[GM_MAX_YP_STRING_LEN]);
#endif

/**
 * Route from the port's card to a node: a byte per switch.
 * @param [out] route     room for 24 bytes
 * @param [out] length_p  how many there are
 */
GM_ENTRY_POINT gm_status_t _gm_get_route(struct gm_port *port, unsigned node_id,
                                         char *route, unsigned *length_p);

/** @return GM_NO_SUCH_NODE_ID if no host has the name */
GM_ENTRY_POINT unsigned gm_host_name_to_node_id(struct gm_port *port,
                                                char *name);
/** @return NULL for an unknown node; the text stays until the next call with
 *          this port */
GM_ENTRY_POINT char *gm_node_id_to_host_name(struct gm_port *port,
                                             unsigned node_id);
/** Number of an open port. */
GM_ENTRY_POINT unsigned gm_get_port_id(struct gm_port *port);
/** Ports of a card, the system's included. The port may be NULL. */
GM_ENTRY_POINT unsigned gm_num_ports(struct gm_port *port);

/* ---- Time -------------------------------------------------------------- */

/** Make an alarm ready for use; before the first gm_set_alarm(). */
GM_ENTRY_POINT void gm_initialize_alarm(struct gm_alarm *alarm);
/** Have callback(context) called by gm_unknown(), not before usecs have
 *  passed. Setting an alarm that is set changes it. Without alarm or callback
 *  the program gets GM_ALARM_VIOLATION_EVENT. */
GM_ENTRY_POINT void gm_set_alarm(struct gm_port *port, struct gm_alarm *alarm,
                                 gm_u64_t usecs, void (*callback)(void *),
                                 void *context);
/** Take an alarm back; fine if it is not set. */
GM_ENTRY_POINT void gm_cancel_alarm(struct gm_alarm *alarm);
/** Take all alarms of a port back. */
GM_ENTRY_POINT void gm_flush_alarm(struct gm_port *port);

/** The card's clock: ticks of 0.5 us of virtual time. */
GM_ENTRY_POINT gm_u64_t gm_ticks(struct gm_port *port);
/** Let virtual time pass. @return 0; the seconds, having done nothing, if they
 *  are more than a run can last (53 days) */
GM_ENTRY_POINT int gm_sleep(unsigned seconds);

/* ---- Text -------------------------------------------------------------- */

#if GM_API_VERSION >= GM_API_VERSION_1_4
/** Text of a status; never NULL, not to be changed. */
GM_ENTRY_POINT char *gm_strerror(gm_status_t status);
#endif
/** Print "prefix: text of the status" on standard error. */
GM_ENTRY_POINT void gm_perror(const char *prefix, gm_status_t status);

/** As printf(). @return characters printed, negative if that failed */
GM_ENTRY_POINT int gm_printf(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
#if GM_API_VERSION >= GM_API_VERSION_1_6
/** As gm_printf(), on standard error. */
GM_ENTRY_POINT int gm_eprintf(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
#endif
/** Print bytes on standard output, 16 in a line: offset, hexadecimal, text. */
GM_ENTRY_POINT void gm_hex_dump(const void *address, gm_size_t length);

/* The C library, by names that GM has on all systems. Lengths are in bytes. A
 * NULL string counts as an empty one, NULL memory is left alone. */

/** Copy; from and to may overlap. Mind the order of the arguments. */
GM_ENTRY_POINT void gm_bcopy(const void *from, void *to, gm_size_t length);
GM_ENTRY_POINT void gm_bzero(void *address, gm_size_t length);
GM_ENTRY_POINT int gm_memcmp(const void *a, const void *b, gm_size_t length);
#if GM_API_VERSION >= GM_API_VERSION_1_6
/** @return address */
GM_ENTRY_POINT void *gm_memset(void *address, int byte, gm_size_t length);
/** A copy, released with gm_free(); NULL for NULL or without memory. */
GM_ENTRY_POINT char *gm_strdup(const char *string);
#endif
/** Bytes before the final 0. */
GM_ENTRY_POINT gm_size_t gm_strlen(const char *string);
/** As strncpy(): fills up with 0, and writes no final 0 if from is as long as
 *  length or longer. @return to */
GM_ENTRY_POINT char *gm_strncpy(char *to, const char *from, int length);
/** @return < 0, 0 or > 0, as strcmp(); so the next two */
GM_ENTRY_POINT int gm_strcmp(const char *a, const char *b);
GM_ENTRY_POINT int gm_strncmp(const char *a, const char *b, int length);
/** Without regard to case. */
GM_ENTRY_POINT int gm_strncasecmp(const char *a, const char *b, int length);
/** @return not 0 if the character can be printed; 0 for all numbers that are no
 *          characters */
GM_ENTRY_POINT int gm_isprint(int character);

/** CRC-32 of bytes, as zlib's crc32(): polynomial 0xedb88320; 0 for none. GM
 *  promises no particular kind. [source: GM manual, "Utility Modules"] */
GM_ENTRY_POINT unsigned long gm_crc(void *address, gm_size_t length);
/** The same of a string, without its final 0. */
GM_ENTRY_POINT unsigned long gm_crc_str(const char *string);

/** Number of the calling process. */
GM_ENTRY_POINT gm_pid_t gm_getpid(void);

/* ---- Helpers ----------------------------------------------------------- */

/* What the GM library itself is made with. It needs no gm_init(), takes no
 * virtual time and talks to nobody. An object belongs to one thread at a time.
 * Functions take NULL objects: they do nothing, or return NULL, 0 or
 * GM_INVALID_PARAMETER. */

/* Lookaside lists: entries of one length, fast to get and give back. */

/**
 * @param [in] entry_len    bytes of an entry; entries are aligned as by
 *                          malloc()
 * @param [in] min_entries  so many can be had without fail
 *
 * @return the list, released with gm_destroy_lookaside(); NULL without memory
 */
GM_ENTRY_POINT struct gm_lookaside *gm_create_lookaside(gm_size_t entry_len,
                                                        gm_size_t min_entries);
/** Releases the list and all of its entries, also those in use. */
GM_ENTRY_POINT void gm_destroy_lookaside(struct gm_lookaside *lookaside);
/** An entry with any contents; NULL without memory. */
GM_ENTRY_POINT void *gm_lookaside_alloc(struct gm_lookaside *lookaside);
/** An entry with zeros; NULL without memory. */
GM_ENTRY_POINT void *gm_lookaside_zalloc(struct gm_lookaside *lookaside);
/** Give an entry back to its list. NULL is fine; giving it back twice has no
 *  effect if it has not been handed out again. */
GM_ENTRY_POINT void gm_lookaside_free(void *entry);

/* Hash tables. */

/**
 * @param [in] compare      0 for keys that are the same; NULL: compares byte by
 *                          byte, or the pointers if key_len is 0
 * @param [in] hash         any number, the same for keys that are the same;
 *                          NULL: from the bytes, or the pointer
 * @param [in] key_len      bytes of a key, which are copied into the table; 0:
 *                          the table keeps the pointer, which need not point to
 *                          anything if the functions do not look there
 * @param [in] data_len     bytes of a datum, which are copied; 0: the table
 *                          keeps the pointer
 * @param [in] min_entries  so many can be inserted without fail
 * @param [in] flags        0: there are none
 *
 * @return the table, released with gm_destroy_hash(); NULL without memory, for
 *         other flags, or for lengths that no memory has
 */
GM_ENTRY_POINT struct gm_hash *
gm_create_hash(long (*compare)(void *key1, void *key2),
               unsigned long (*hash)(void *key), gm_size_t key_len,
               gm_size_t data_len, gm_size_t min_entries, int flags);
/** Releases the table with the copies in it. */
GM_ENTRY_POINT void gm_destroy_hash(struct gm_hash *hash);
/** The datum of a key: the pointer that was inserted, or where the copy is, as
 *  long as it is in the table; it may be changed there. NULL if there is no
 *  such key. */
GM_ENTRY_POINT void *gm_hash_find(struct gm_hash *hash, void *key);
/**
 * Add a datum.
 *
 * @return GM_SUCCESS
 * @return GM_OUT_OF_MEMORY
 * @return GM_INVALID_PARAMETER  the table has the key already, and keeps what
 *                               it has [assumed]; or NULL is to be copied
 */
GM_ENTRY_POINT gm_status_t gm_hash_insert(struct gm_hash *hash, void *key,
                                          void *datum);
/** Take a datum out. @return as gm_hash_find(); a copy is valid until the next
 *  gm_hash_insert() or gm_hash_remove() */
GM_ENTRY_POINT void *gm_hash_remove(struct gm_hash *hash, void *key);
/** Give a datum another key. Nothing happens if there is no old key, or if
 *  another datum has the new one. */
GM_ENTRY_POINT void gm_hash_rekey(struct gm_hash *hash, void *old_key,
                                  void *new_key);

/* For gm_create_hash(): keys that point to strings (which end with 0), longs or
 * ints, and keys that are pointers (with key_len 0). The first of each pair
 * returns < 0, 0 or > 0. */
GM_ENTRY_POINT long gm_hash_compare_strings(void *key1, void *key2);
GM_ENTRY_POINT unsigned long gm_hash_hash_string(void *key);
GM_ENTRY_POINT long gm_hash_compare_longs(void *key1, void *key2);
GM_ENTRY_POINT unsigned long gm_hash_hash_long(void *key);
GM_ENTRY_POINT long gm_hash_compare_ints(void *key1, void *key2);
GM_ENTRY_POINT unsigned long gm_hash_hash_int(void *key);
GM_ENTRY_POINT long gm_hash_compare_ptrs(void *key1, void *key2);
GM_ENTRY_POINT unsigned long gm_hash_hash_ptr(void *key);

/* Zones: an allocator in a piece of the program's memory. */

/**
 * @param [in] base    the memory; it stays the program's, which releases it
 *                     after gm_zone_destroy_zone()
 * @param [in] length  bytes, at least GM_RDMA_GRANULARITY beginning at a
 *                     multiple of it
 *
 * @return the zone, released with gm_zone_destroy_zone(); NULL if the memory is
 *         NULL or too short, or without memory for the books
 */
GM_ENTRY_POINT struct gm_zone *gm_zone_create_zone(void *base,
                                                   gm_size_t length);
GM_ENTRY_POINT void gm_zone_destroy_zone(struct gm_zone *zone);
/** A block of a power of two of bytes, at least GM_RDMA_GRANULARITY, aligned to
 *  that; NULL if there is no such block in one piece. */
GM_ENTRY_POINT void *gm_zone_malloc(struct gm_zone *zone, gm_size_t length);
/** The same for an array, zeroed. */
GM_ENTRY_POINT void *gm_zone_calloc(struct gm_zone *zone, gm_size_t count,
                                    gm_size_t length);
/** @return address; NULL if no block in use begins there, and then nothing has
 *          happened [assumed: GM does not say what it returns] */
GM_ENTRY_POINT void *gm_zone_free(struct gm_zone *zone, void *address);
/** @return 1 if the address is in the zone's memory, else 0 */
GM_ENTRY_POINT int gm_zone_addr_in_zone(struct gm_zone *zone, void *address);

/* Mark sets: whether a place in memory is the one that was marked, and still as
 * it was. */

/** @param [out] set_p       the set, released with gm_destroy_mark_set(); NULL
 *                           without success
 *  @param [in]  init_count  so many marks can be made without fail
 *  @return GM_SUCCESS, GM_OUT_OF_MEMORY, GM_INVALID_PARAMETER (set_p NULL) */
GM_ENTRY_POINT gm_status_t gm_create_mark_set(struct gm_mark_set **set_p,
                                              unsigned long init_count);
/** Releases the set; does not touch the marks. */
GM_ENTRY_POINT void gm_destroy_mark_set(struct gm_mark_set *set);
/** Write a mark. Marking again makes a new mark.
 *  @return GM_SUCCESS, GM_OUT_OF_MEMORY, GM_INVALID_PARAMETER (NULL) */
GM_ENTRY_POINT gm_status_t gm_mark(struct gm_mark_set *set, gm_mark_t *mark);
/** @return 1 if this place was marked in this set, has not been unmarked and
 *          has not been written to since, else 0. Looks at the place only if
 *          the first two hold: any pointer will do, but marked memory must be
 *          unmarked before it is freed. */
GM_ENTRY_POINT int gm_mark_is_valid(struct gm_mark_set *set, gm_mark_t *mark);
/** Make a mark invalid; fine if it is not valid. */
GM_ENTRY_POINT void gm_unmark(struct gm_mark_set *set, gm_mark_t *mark);
/** Make all marks of a set invalid; does not touch them. */
GM_ENTRY_POINT void gm_unmark_all(struct gm_mark_set *set);

/* Mutual exclusion of the threads of a process. Entering twice in one thread,
 * and leaving without having entered, have no effect. [assumed: GM does not
 * say] */

/** @return the mutex, released with gm_destroy_mutex() when nobody is in it;
 *          NULL without memory */
GM_ENTRY_POINT struct gm_mutex *gm_create_mutex(void);
GM_ENTRY_POINT void gm_destroy_mutex(struct gm_mutex *mutex);
/** Waits, in wall time, until no other thread is in it. */
GM_ENTRY_POINT void gm_mutex_enter(struct gm_mutex *mutex);
GM_ENTRY_POINT void gm_mutex_exit(struct gm_mutex *mutex);

/* Random numbers, the same in each run and each process. */

/** 0 .. INT_MAX, uniform. */
GM_ENTRY_POINT int gm_rand(void);
/** Begin again; without it, as after gm_srand(1). */
GM_ENTRY_POINT void gm_srand(int seed);
/** 0 .. modulus - 1, uniform; 0 for 0. */
GM_ENTRY_POINT unsigned gm_rand_mod(unsigned modulus);

/** gm_log2_roundup() of 0 .. 256. */
GM_ENTRY_POINT extern const unsigned char gm_log2_roundup_table[257];
/** Least k with 2^k >= n; 0 for 0. */
GM_ENTRY_POINT unsigned long gm_log2_roundup(unsigned long n);

/* A list of buffers, for debugging; of the whole process, for all threads. */

/** Add a buffer of a number of bytes; nothing happens for NULL or a size of 0
 *  or less. */
GM_ENTRY_POINT void gm_register_buffer(void *address, int size);
/** Take it off the list, once. @return 1 if it was on it, else 0 [assumed] */
GM_ENTRY_POINT int gm_unregister_buffer(void *address, int size);
/** gm_hex_dump() of all buffers on the list, newest first. */
GM_ENTRY_POINT void gm_dump_buffers(void);

#ifdef __cplusplus
}
#endif

#endif
