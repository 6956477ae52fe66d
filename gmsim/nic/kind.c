/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists the operations of all kinds of NICs, indexed by the kind's number. */
#include "nic/kind.h"

const gms_nic_kind_ops_t *const gms_nic_kinds[] = {
    [GMS_NIC_LANAI] = &gms_nic_lanai_ops,
    [GMS_NIC_HCA] = &gms_nic_hca_ops,
};
