/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements GM's mutexes with POSIX mutexes that check for invalid use. GM's
 * functions return no status, and an invalid call must neither hang nor corrupt
 * the mutex.
 */
#include <pthread.h>
#include <stdlib.h>

#include "gm.h"

struct gm_mutex {
    pthread_mutex_t lock;
};

struct gm_mutex *gm_create_mutex(void)
{
    struct gm_mutex *mutex = malloc(sizeof(*mutex));
    pthread_mutexattr_t attributes;
    int error;

    if (mutex == NULL || pthread_mutexattr_init(&attributes) != 0) {
        free(mutex);
        return NULL;
    }
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    error = pthread_mutex_init(&mutex->lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
    if (error != 0) {
        free(mutex);
        return NULL;
    }
    return mutex;
}

void gm_destroy_mutex(struct gm_mutex *mutex)
{
    if (mutex != NULL) {
        pthread_mutex_destroy(&mutex->lock);
        free(mutex);
    }
}

void gm_mutex_enter(struct gm_mutex *mutex)
{
    if (mutex != NULL) {
        pthread_mutex_lock(&mutex->lock);
    }
}

void gm_mutex_exit(struct gm_mutex *mutex)
{
    if (mutex != NULL) {
        pthread_mutex_unlock(&mutex->lock);
    }
}
