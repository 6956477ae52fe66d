/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Starts a child process for each experiment, and collects the child's records
 * from a pipe to which lab.c writes. If a child ends abnormally, the result of
 * its experiment is a failure.
 */
#include "experiments/pool.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define GMS_POOL_LOOK_MS 100

/** A running experiment. */
typedef struct gms_worker {
    pid_t pid;
    int fd;            /* read end of the pipe with the experiment's records */
    size_t index;      /* index of the experiment's result */
    size_t have_bytes; /* number of bytes of an incomplete record that have been
                        * read */
    gms_record_t record;
} gms_worker_t;

typedef struct gms_pool {
    gms_result_t *results;
    size_t count, next, shown;
    const gms_references_t *references;
    gms_worker_t *workers;
    struct pollfd *polls;
    unsigned jobs, running;
} gms_pool_t;

/** Run an experiment in the child process. The function does not return. */
static void gms_pool_work(const gms_experiment_t *experiment, int fd,
                          pid_t parent)
{
    gms_lab_t lab = {.fd = fd, .basis = experiment->basis};
    gms_record_t record;
    gms_status_t status;

    /* end this process when its parent ends, even if the parent is killed */
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) {
        _exit(1);
    }
    status = experiment->run(&lab);
    if (status != GMS_OK) {
        _exit(1);
    }
    memset(&record, 0, sizeof(record));
    record.kind = GMS_RECORD_DONE;
    if (write(fd, &record, sizeof(record)) != (ssize_t)sizeof(record)) {
        _exit(1);
    }
    _exit(0);
}

static gms_status_t gms_pool_start(gms_pool_t *pool, size_t index)
{
    gms_worker_t *worker = &pool->workers[pool->running];
    pid_t parent = getpid();
    int ends[2];

    if (pipe(ends) != 0) {
        return GMS_ERR_SYSTEM;
    }
    /* flush buffered output, because the child would otherwise print it
     * again */
    (void)fflush(NULL);
    memset(worker, 0, sizeof(*worker));
    worker->index = index;
    worker->fd = ends[0];
    worker->pid = fork();
    if (worker->pid == 0) {
        unsigned i;

        for (i = 0; i < pool->running; ++i) {
            (void)close(pool->workers[i].fd);
        }
        (void)close(ends[0]);
        gms_pool_work(pool->results[index].experiment, ends[1], parent);
    }
    if (worker->pid < 0) {
        int reason = errno;

        (void)close(ends[0]);
        (void)close(ends[1]);
        errno = reason;
        return GMS_ERR_SYSTEM;
    }
    (void)close(ends[1]);
    ++pool->running;
    return GMS_OK;
}

/** Handle the end of a worker, which has closed its pipe. */
static gms_status_t gms_pool_end(gms_pool_t *pool, unsigned slot)
{
    gms_worker_t *worker = &pool->workers[slot];
    gms_result_t *result = &pool->results[worker->index];
    int status = 0;

    (void)close(worker->fd);
    while (waitpid(worker->pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (result->state == GMS_RESULT_WAITING) {
        result->state = GMS_RESULT_FAILED;
        if (WIFSIGNALED(status)) {
            (void)snprintf(result->text, sizeof(result->text),
                           "the experiment's process was killed by signal %d",
                           WTERMSIG(status));
        } else {
            (void)snprintf(result->text, sizeof(result->text),
                           "the experiment's process ended with exit status %d",
                           WEXITSTATUS(status));
        }
    }
    *worker = pool->workers[--pool->running];
    return (result->state == GMS_RESULT_DONE)
               ? gms_result_complete(result, pool->references)
               : GMS_OK;
}

/** Read the records that a worker has written. */
static gms_status_t gms_pool_read(gms_pool_t *pool, unsigned slot)
{
    gms_worker_t *worker = &pool->workers[slot];
    gms_status_t status;
    ssize_t got = read(worker->fd, (char *)&worker->record + worker->have_bytes,
                       sizeof(worker->record) - worker->have_bytes);

    if (got < 0 && errno == EINTR) {
        return GMS_OK;
    }
    if (got <= 0) {
        return gms_pool_end(pool, slot);
    }
    worker->have_bytes += (size_t)got;
    if (worker->have_bytes < sizeof(worker->record)) {
        return GMS_OK;
    }
    worker->have_bytes = 0;
    status = gms_result_take(&pool->results[worker->index], pool->references,
                             &worker->record);
    return status;
}

static gms_status_t gms_pool_fill(gms_pool_t *pool)
{
    while (pool->running < pool->jobs && pool->next < pool->count) {
        size_t index = pool->next++;
        gms_status_t status;

        if (pool->results[index].state != GMS_RESULT_WAITING) {
            continue;
        }
        status = gms_pool_start(pool, index);
        if (status != GMS_OK) {
            return status;
        }
    }
    return GMS_OK;
}

static gms_status_t gms_pool_wait(gms_pool_t *pool)
{
    unsigned i = 0;
    int ready;

    for (i = 0; i < pool->running; ++i) {
        pool->polls[i] = (struct pollfd){pool->workers[i].fd, POLLIN, 0};
    }
    ready = poll(pool->polls, pool->running, GMS_POOL_LOOK_MS);
    if (ready < 0) {
        return (errno == EINTR) ? GMS_OK : GMS_ERR_SYSTEM;
    }
    /* the loop runs backwards, because the last worker of the list moves to the
     * slot of a worker that has ended */
    for (i = pool->running; i > 0; --i) {
        if (pool->polls[i - 1].revents != 0) {
            gms_status_t status = gms_pool_read(pool, i - 1);

            if (status != GMS_OK) {
                return status;
            }
        }
    }
    return GMS_OK;
}

static void gms_pool_show(gms_pool_t *pool, gms_pool_progress_fn *progress,
                          gms_pool_done_fn *done, void *context)
{
    if (progress != NULL) {
        progress(context, pool->results, pool->count);
    }
    while (pool->shown < pool->count &&
           pool->results[pool->shown].state != GMS_RESULT_WAITING) {
        unsigned i;

        /* the experiment has failed, but its process may still be running */
        for (i = 0; i < pool->running; ++i) {
            if (pool->workers[i].index == pool->shown) {
                return;
            }
        }
        done(context, &pool->results[pool->shown++]);
    }
}

gms_status_t gms_pool_run(gms_result_t *results, size_t count, unsigned jobs,
                          const gms_references_t *references,
                          gms_pool_progress_fn *progress,
                          gms_pool_done_fn *done, void *context)
{
    gms_pool_t pool = {.results = results,
                       .count = count,
                       .jobs = jobs,
                       .references = references};
    gms_status_t status = GMS_OK;
    int reason = 0;

    pool.workers = calloc(jobs, sizeof(*pool.workers));
    pool.polls = calloc(jobs, sizeof(*pool.polls));
    if (pool.workers == NULL || pool.polls == NULL) {
        status = GMS_ERR_NO_MEMORY;
    }
    while (status == GMS_OK) {
        status = gms_pool_fill(&pool);
        if (status == GMS_OK && pool.running > 0) {
            status = gms_pool_wait(&pool);
        }
        reason = errno;
        gms_pool_show(&pool, progress, done, context);
        if (pool.running == 0 && pool.next == count) {
            break;
        }
    }
    while (pool.running > 0) {
        gms_worker_t *worker = &pool.workers[--pool.running];

        (void)kill(worker->pid, SIGTERM);
        (void)close(worker->fd);
        (void)waitpid(worker->pid, NULL, 0);
    }
    free(pool.workers);
    free(pool.polls);
    errno = reason;
    return status;
}
