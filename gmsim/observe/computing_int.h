/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * This header is private to computing*.c. It declares the format of files
 * that contain computing times.
 */
#ifndef OBSERVE_COMPUTING_INT_H
#define OBSERVE_COMPUTING_INT_H

#include "observe/computing.h"

#define GMS_COMPUTING_SCHEMA 1
/* printf() format of a path: directory, rank */
#define GMS_COMPUTING_PATH "%s/computing-%u.jsonl"
/* End of a line, with a checksum of all bytes that precede it in the file. */
#define GMS_COMPUTING_TAIL       ",\"sum\":\"%016llx\"}\n"
#define GMS_COMPUTING_TAIL_BYTES 27u
/* Maximum length of a line, bytes. */
#define GMS_COMPUTING_LINE_BYTES 65536u
/* Space that a writer reserves for one more call and the end of the line. */
#define GMS_COMPUTING_CALL_BYTES 160u

#endif
