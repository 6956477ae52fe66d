/* SPDX-License-Identifier: BSD-3-Clause */
/* Declares the values of the profiles for Ethernet with RoCE. */
#ifndef PARAMS_PROFILE_ROCE_H
#define PARAMS_PROFILE_ROCE_H

#include "params/profile.h"

extern const gms_profile_value_t gms_profile_roce_100[], gms_profile_roce_25[];

#endif
