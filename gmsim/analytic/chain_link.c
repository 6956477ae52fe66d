/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preserves the order in which the processor's services and a transfer of the
 * checked station end, if both began at the same instant. Without this order, a
 * service of 37.7 us could end after a transfer of 38.0 us, because both times
 * are rounded to slots. The processor would then program the station at once,
 * although it actually serves another message first.
 */
#include <math.h>

#include "analytic/chain_int.h"

/* a service of the processor and a transfer of the checked station are linked if
 * their ends differ by less than this number of slots */
#define GMS_CHAIN_NEAR 1.0
/* largest number of subsequent services to consider */
#define GMS_CHAIN_FOLLOW 2u

double gms_chain_transfer(const gms_chain_states_t *self)
{
    return self->chain->class[self->checked].hold / self->chain->slot;
}

/** Return 1 if a service that ends at the given time, or one of the given
 *  number of services after it, may end in the same slot as the transfer. */
static int gms_chain_is_near(const gms_chain_states_t *self, double end,
                             unsigned more)
{
    double rest = gms_chain_transfer(self) - end;
    unsigned c;

    if (rest < GMS_CHAIN_NEAR || more == 0) {
        return fabs(rest) < GMS_CHAIN_NEAR;
    }
    for (c = 0; c < self->chain->classes; ++c) {
        const gms_chain_class_t *class = &self->chain->class[c];

        if (!gms_chain_is_instant(self->chain, class->mean) &&
            !(class->hold > 0) &&
            gms_chain_is_near(self, end + class->mean / self->chain->slot,
                              more - 1)) {
            return 1;
        }
    }
    return 0;
}

int gms_chain_can_tie(const gms_chain_states_t *self, double end)
{
    return gms_chain_is_near(self, end, GMS_CHAIN_FOLLOW);
}

unsigned gms_chain_find_link(gms_chain_states_t *self,
                             const gms_chain_link_t *link)
{
    unsigned i;

    if (!gms_chain_can_tie(self, link->end)) {
        return 0;
    }
    for (i = 1; i <= self->links; ++i) {
        if (fabs(self->link[i].end - link->end) < 1e-9 &&
            fabs(self->link[i].low - link->low) < 1e-9 &&
            fabs(self->link[i].high - link->high) < 1e-9) {
            return i;
        }
    }
    if (self->links + 1 == GMS_CHAIN_LINKS) {
        return 0;
    }
    self->link[++self->links] = *link;
    return self->links;
}

unsigned gms_chain_split_link(const gms_chain_link_t *link, unsigned begun,
                              unsigned slots[2], double part[2],
                              gms_chain_link_t to[2])
{
    double low = floor(link->end + 1e-9);
    double bound = 1 - fmax(0, link->end - low);

    slots[0] = (low > begun) ? (unsigned)low - begun : 0;
    slots[1] = (low + 1 > begun) ? (unsigned)low + 1 - begun : 0;
    part[0] = part[1] = 1;
    to[0] = to[1] = *link;
    if (bound >= link->high - 1e-6) {
        return 1;
    }
    if (bound <= link->low + 1e-6) {
        slots[0] = slots[1];
        return 1;
    }
    part[0] = (bound - link->low) / (link->high - link->low);
    part[1] = 1 - part[0];
    to[0].high = to[1].low = bound;
    return 2;
}
