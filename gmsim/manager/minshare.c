/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Updates the best-effort shares by the rule `minshare`, which gives every flow
 * the smallest of the even shares on its route. Bandwidth that a flow cannot
 * use is not given to other flows.
 */
#include "manager/minshare.h"

#include "manager/share.h"

void gms_minshare_update(gms_account_t *account)
{
    gms_managed_t *flow;
    uint32_t i;

    for (i = 0; i < account->dirty_count; ++i) {
        gms_share_t *share = &account->share[account->dirty[i]];
        gms_units_t level = gms_share_level(account, account->dirty[i]);
        const gms_share_entry_t *entry;

        share->is_dirty = 0;
        if (level == share->level) {
            continue;
        }
        share->level = level;
        for (entry = share->here; entry != NULL; entry = entry->next) {
            gms_share_touch(account, entry->flow);
        }
    }
    account->dirty_count = 0;
    for (flow = account->touched; flow != NULL; flow = flow->next_touched) {
        ++account->rates;
        flow->level = gms_share_least(account, flow);
    }
}
