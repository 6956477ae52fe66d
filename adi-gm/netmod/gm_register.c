/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the cache of registrations. The cache stores only the lengths of registrations. If a
 * buffer is used again, only the look-up has a cost.
 */
#include "gm_impl.h"
#include "gm_register.h"

/* Registrations of one length. */
typedef struct adigm_registrations {
    struct adigm_registrations *next;
    uint64_t pages;
    uint64_t n_idle;            /* number of registrations in the cache that no message uses */
    uint64_t n_busy;            /* number of registrations in use that will stay in the cache after
                                   their use */
    uint64_t n_passing;         /* number of registrations in use that will not be kept, because
                                   the cache is full */
} adigm_registrations_t;

static struct {
    adigm_registrations_t *head;        /* a list with the most recently used length at its head */
    uint64_t kept_pages, most_pages;
    uint64_t call_ps, page_ps, lookup_ps;
} cache;

static uint64_t adigm_register_pages(uint64_t bytes)
{
    return bytes / GM_PAGE_LEN + (bytes % GM_PAGE_LEN != 0);
}

/* Return the cost of a GM registration, which is also the cost of a deregistration. */
static uint64_t adigm_register_cost_ps(uint64_t pages)
{
    return cache.call_ps + pages * cache.page_ps;
}

void adigm_register_open(void)
{
    memset(&cache, 0, sizeof(cache));
    cache.most_pages = adigm_param("mpi_register_cache_bytes") / GM_PAGE_LEN;
    cache.lookup_ps = adigm_param("mpi_register_lookup_ps");
    cache.call_ps = adigm_param("host_register_ps");
    cache.page_ps = adigm_param("host_register_page_ps");
}

void adigm_register_close(void)
{
    while (cache.head) {
        adigm_registrations_t *next = cache.head->next;
        MPL_free(cache.head);
        cache.head = next;
    }
}

/* Return the list element for registrations of a length, and move it to the front. If there is no
 * such element, the function creates it. */
static adigm_registrations_t *adigm_register_find(uint64_t pages)
{
    adigm_registrations_t **link = &cache.head;
    while (*link && (*link)->pages != pages)
        link = &(*link)->next;
    adigm_registrations_t *found = *link;
    if (found) {
        *link = found->next;
    } else {
        found = MPL_calloc(1, sizeof(*found), MPL_MEM_OTHER);
        if (found == NULL)
            gmsim_fatal("MPI: out of memory");
        found->pages = pages;
    }
    found->next = cache.head;
    cache.head = found;
    return found;
}

/* Remove an idle registration from the cache. If several lengths have idle registrations, the
 * function chooses the least recently used length. *cost_ps_p receives the cost of the
 * deregistration. Returns 0 if there is no idle registration. */
static int adigm_register_evict(uint64_t * cost_ps_p)
{
    adigm_registrations_t **oldest = NULL;
    for (adigm_registrations_t ** link = &cache.head; *link; link = &(*link)->next)
        if ((*link)->n_idle > 0)
            oldest = link;
    if (oldest == NULL)
        return 0;
    adigm_registrations_t *found = *oldest;
    *cost_ps_p = adigm_register_cost_ps(found->pages);
    found->n_idle--;
    cache.kept_pages -= found->pages;
    if (found->n_idle + found->n_busy + found->n_passing == 0) {
        *oldest = found->next;
        MPL_free(found);
    }
    return 1;
}

static uint64_t adigm_register_miss(uint64_t pages)
{
    uint64_t cost_ps = adigm_register_cost_ps(pages);
    int has_room = pages <= cache.most_pages;
    while (has_room && cache.kept_pages + pages > cache.most_pages) {
        uint64_t evicted_ps = 0;
        has_room = adigm_register_evict(&evicted_ps);
        cost_ps += evicted_ps;
    }
    adigm_registrations_t *found = adigm_register_find(pages);
    if (has_room) {
        cache.kept_pages += pages;
        found->n_busy++;
    } else {
        found->n_passing++;
        cost_ps += adigm_register_cost_ps(pages);
    }
    adigm.n_registered++;
    return cost_ps;
}

int adigm_register(void *address, MPI_Aint len_bytes)
{
    uint64_t cost_ps = cache.lookup_ps;
    if (gmsim_pin_memory(adigm_net_port(), address, (gm_size_t) len_bytes) != GM_SUCCESS)
        return 0;
    uint64_t pages = adigm_register_pages((uint64_t) len_bytes);
    adigm_registrations_t *found = adigm_register_find(pages);
    if (found->n_idle > 0) {
        found->n_idle--;
        found->n_busy++;
        adigm.n_found_registered++;
    } else {
        cost_ps += adigm_register_miss(pages);
    }
    if (cost_ps > 0)
        gmsim_work(cost_ps);
    return 1;
}

void adigm_deregister(void *address, MPI_Aint len_bytes)
{
    adigm_registrations_t *found = adigm_register_find(adigm_register_pages((uint64_t) len_bytes));
    gmsim_unpin_memory(adigm_net_port(), address, (gm_size_t) len_bytes);
    if (found->n_passing > 0) {
        found->n_passing--;
    } else {
        found->n_busy--;
        found->n_idle++;
    }
}

uint64_t adigm_register_again_ps(size_t bytes)
{
    uint64_t pages = adigm_register_pages(bytes);
    return cache.lookup_ps +
        (pages <= cache.most_pages ? 0 : 2 * adigm_register_cost_ps(pages));
}
