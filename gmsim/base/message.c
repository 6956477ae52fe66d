/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collects the parts of a message in memory.
 */
#include "base/message.h"

#include <stdlib.h>

FILE *gms_message_begin(gms_message_t *message)
{
    message->text = NULL;
    message->size = 0;
    message->out = open_memstream(&message->text, &message->size);
    if (message->out == NULL) {
        message->out = stderr;
    }
    return message->out;
}

void gms_message_end(gms_message_t *message)
{
    if (message->out != stderr) {
        (void)fclose(message->out);
        /* the standard error has no buffer, so this is one call of write() */
        (void)fwrite(message->text, 1, message->size, stderr);
        free(message->text);
    }
    (void)fflush(stderr);
}
