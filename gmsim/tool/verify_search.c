/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Searches for the worst case with gmsim verify. The search consists of chains of
 * variations. Each chain begins with a random variation and proceeds towards a
 * smaller margin.
 *
 * A chain depends only on the seed and on the index of the chain. The result
 * therefore does not depend on the number of processes. Each process takes the index
 * of its next chain from a counter in shared memory, and writes its results to this
 * memory. After the search, the worst variation is computed again from its chain.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tool/bar.h"
#include "tool/verify.h"

/* Memory that all processes share. */
typedef struct gms_verify_board {
    uint64_t next, done; /* index of the next chain, and number of completed
                            variations; accessed atomically */
    int has_failed;
    char error[GMS_VERIFY_ERROR_LEN];
    gms_verify_chain_t chains[];
} gms_verify_board_t;

typedef struct gms_verify_crew {
    gms_verify_climb_t climb;
    const gms_verify_search_t *search;
    gms_verify_board_t *board;
    size_t board_bytes;
    uint64_t chains;
} gms_verify_crew_t;

static uint32_t gms_verify_steps(const gms_verify_crew_t *crew, uint64_t chain)
{
    uint64_t rest =
        crew->search->variations - chain * (uint64_t)GMS_VERIFY_CHAIN;

    return rest < GMS_VERIFY_CHAIN ? (uint32_t)rest : GMS_VERIFY_CHAIN;
}

/* Choose how each sender posts its messages and when its flow begins, if the plan
 * does not specify this. A variation is run only once. The senders of a chain are all
 * backlogged, all paced, or mixed; the chains alternate between these three kinds. In
 * every second group of three chains, all flows begin simultaneously. */
static void gms_verify_settle(gms_verify_case_t *verify, uint64_t chain,
                              gms_random_t *random)
{
    size_t at;

    for (at = 0; at < verify->flow_count; ++at) {
        gms_plan_traffic_t *traffic = &verify->flows[at].traffic;
        uint64_t draw = gms_random_below(random, 2);

        if (traffic->send == GMS_PLAN_SEND_BOTH) {
            draw = chain % 3 < 2 ? chain % 3 : draw;
            traffic->send =
                draw == 0 ? GMS_PLAN_SEND_BACKLOGGED : GMS_PLAN_SEND_PACED;
        }
        if (!traffic->has_phase && !traffic->has_start) {
            traffic->has_phase = 1;
            if (chain / 3 % 2 == 1) {
                traffic->phase_ps =
                    gms_verify_draw_phase(verify, &verify->flows[at], random);
            }
        }
    }
}

static gms_status_t gms_verify_try(const gms_verify_case_t *verify,
                                   double *margin_p, char *error)
{
    gms_verify_result_t *results =
        malloc((verify->flow_count + 1) * sizeof(*results));
    gms_status_t status = GMS_ERR_NO_MEMORY;

    if (results != NULL) {
        status = gms_verify_run(verify, results, error);
        *margin_p = gms_verify_margin(results, verify->flow_count);
        free(results);
    }
    return status;
}

/* Create and run the next variation. The first variation of the search is the
 * unchanged plan. If an additional flow has the same identity as another flow, the
 * case cannot be run. The chain then continues with another variation. */
static gms_status_t gms_verify_step(const gms_verify_climb_t *climb,
                                    uint64_t chain, uint32_t step,
                                    gms_verify_case_t *trial,
                                    gms_random_t *random, double *margin_p,
                                    char *error)
{
    gms_status_t status;

    *margin_p = INFINITY;
    if ((chain > 0 || step > 0) &&
        !gms_verify_mutate(trial, climb->base->flow_count, climb->nodes,
                           random)) {
        return GMS_ERR_NO_MEMORY;
    }
    status = gms_verify_try(trial, margin_p, error);
    return status == GMS_ERR_CONFIG && step > 0 ? GMS_OK : status;
}

gms_status_t gms_verify_climb(const gms_verify_climb_t *climb, uint64_t chain,
                              uint32_t last, gms_verify_case_t *best,
                              gms_verify_chain_t *found, char *error)
{
    gms_verify_case_t trial;
    gms_random_t random;
    gms_status_t status;
    double margin;
    uint32_t step;

    *found = (gms_verify_chain_t){.margin = INFINITY};
    gms_random_init(&random, climb->seed, chain);
    status = gms_verify_case_copy(climb->base, best);
    if (status == GMS_OK) {
        gms_verify_settle(best, chain, &random);
    }
    for (step = 0; status == GMS_OK && step <= last; ++step) {
        status = gms_verify_case_copy(best, &trial);
        if (status != GMS_OK) {
            break;
        }
        status = gms_verify_step(climb, chain, step, &trial, &random, &margin,
                                 error);
        found->run += status == GMS_OK;
        found->broken += status == GMS_OK && margin < 1;
        (void)__atomic_add_fetch(climb->done_p, 1, __ATOMIC_RELAXED);
        if (status == GMS_OK && (margin <= found->margin || step == 0)) {
            found->margin = margin;
            found->step = step;
            gms_verify_case_clear(best);
            *best = trial;
        } else {
            gms_verify_case_clear(&trial);
        }
    }
    if (status == GMS_ERR_NO_MEMORY) {
        (void)snprintf(error, GMS_VERIFY_ERROR_LEN, "out of memory");
    }
    return status;
}

/* ---- processes -------------------------------------------------------------- */

static void gms_verify_work(const gms_verify_crew_t *crew)
{
    gms_verify_board_t *board = crew->board;
    char error[GMS_VERIFY_ERROR_LEN];
    gms_verify_case_t best;
    gms_status_t status = GMS_OK;
    uint64_t chain;

    while (status == GMS_OK && !board->has_failed &&
           (chain = __atomic_fetch_add(&board->next, 1, __ATOMIC_RELAXED)) <
               crew->chains) {
        status = gms_verify_climb(&crew->climb, chain,
                                  gms_verify_steps(crew, chain) - 1, &best,
                                  &board->chains[chain], error);
        gms_verify_case_clear(&best);
    }
    if (status != GMS_OK) {
        board->has_failed = 1;
        memcpy(board->error, error, sizeof(error));
    }
}

static void gms_verify_show(const gms_verify_crew_t *crew, gms_tool_bar_t *bar)
{
    uint64_t done = __atomic_load_n(&crew->board->done, __ATOMIC_RELAXED);
    char text[64];

    (void)snprintf(text, sizeof(text), "%" PRIu64 " of %" PRIu64, done,
                   crew->search->variations);
    gms_tool_bar_draw(bar, (double)done / (double)crew->search->variations,
                      text);
}

/* Wait for the processes, and update the progress bar. */
static void gms_verify_wait(const gms_verify_crew_t *crew, unsigned workers)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    gms_tool_bar_t bar;
    int status;
    pid_t pid;

    gms_tool_bar_init(&bar, crew->search->is_quiet);
    while (workers > 0) {
        pid = waitpid(-1, &status, WNOHANG);
        if (pid > 0) {
            --workers;
            if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
                crew->board->has_failed = 1;
                (void)snprintf(crew->board->error, GMS_VERIFY_ERROR_LEN,
                               "a search process was killed by signal %d",
                               WIFSIGNALED(status) ? WTERMSIG(status) : 0);
            }
        } else if (pid < 0 && errno != EINTR) {
            break;
        } else {
            gms_verify_show(crew, &bar);
            (void)nanosleep(&pause, NULL);
        }
    }
    gms_tool_bar_wipe(&bar);
}

static gms_status_t gms_verify_spread(const gms_verify_crew_t *crew)
{
    unsigned workers = 0;
    pid_t pid = 1;

    (void)fflush(NULL);
    while (workers < crew->search->jobs && workers < crew->chains && pid > 0) {
        pid = fork();
        if (pid == 0) {
            (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
            gms_verify_work(crew);
            _exit(0);
        }
        workers += pid > 0;
    }
    if (workers == 0) {
        (void)snprintf(crew->board->error, GMS_VERIFY_ERROR_LEN,
                       "cannot start a process: %s", strerror(errno));
        return GMS_ERR_SYSTEM;
    }
    gms_verify_wait(crew, workers);
    return crew->board->has_failed ? GMS_ERR_CONFIG : GMS_OK;
}

/* ---- the result ---------------------------------------------------------------- */

static double gms_verify_cpu_s(void)
{
    struct rusage self, children;

    (void)getrusage(RUSAGE_SELF, &self);
    (void)getrusage(RUSAGE_CHILDREN, &children);
    return (double)(self.ru_utime.tv_sec + self.ru_stime.tv_sec +
                    children.ru_utime.tv_sec + children.ru_stime.tv_sec) +
           1e-6 *
               (double)(self.ru_utime.tv_usec + self.ru_stime.tv_usec +
                        children.ru_utime.tv_usec + children.ru_stime.tv_usec);
}

/* Combine the results of all chains, and compute the worst variation again. */
static gms_status_t gms_verify_gather(const gms_verify_crew_t *crew,
                                      gms_verify_case_t *worst,
                                      gms_verify_found_t *found)
{
    const gms_verify_chain_t *chains = crew->board->chains;
    gms_verify_chain_t again;
    uint64_t chain, least = 0;

    for (chain = 0; chain < crew->chains; ++chain) {
        found->run += chains[chain].run;
        found->broken += chains[chain].broken;
        least = chains[chain].margin < chains[least].margin ? chain : least;
    }
    found->margin = chains[least].margin;
    return gms_verify_climb(&crew->climb, least, chains[least].step, worst,
                            &again, crew->board->error);
}

gms_status_t gms_verify_find(const gms_verify_case_t *verify,
                             const gms_verify_search_t *search, unsigned nodes,
                             gms_verify_case_t *worst,
                             gms_verify_found_t *found, char *error)
{
    gms_verify_crew_t crew = {
        .climb = {.base = verify, .seed = search->seed, .nodes = nodes},
        .search = search};
    double begin_s = gms_verify_cpu_s();
    gms_status_t status;

    memset(worst, 0, sizeof(*worst));
    *found = (gms_verify_found_t){.margin = INFINITY};
    crew.chains =
        (search->variations + GMS_VERIFY_CHAIN - 1) / GMS_VERIFY_CHAIN;
    crew.board_bytes =
        sizeof(*crew.board) + crew.chains * sizeof(crew.board->chains[0]);
    crew.board = mmap(NULL, crew.board_bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (crew.board == MAP_FAILED) {
        (void)snprintf(error, GMS_VERIFY_ERROR_LEN, "out of memory");
        return GMS_ERR_NO_MEMORY;
    }
    crew.climb.done_p = &crew.board->done;
    status = gms_verify_spread(&crew);
    if (status == GMS_OK) {
        status = gms_verify_gather(&crew, worst, found);
    }
    if (status != GMS_OK) {
        (void)snprintf(error, GMS_VERIFY_ERROR_LEN, "%s", crew.board->error);
    }
    found->cpu_s = gms_verify_cpu_s() - begin_s;
    (void)munmap(crew.board, crew.board_bytes);
    return status;
}
