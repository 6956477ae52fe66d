/* SPDX-License-Identifier: BSD-3-Clause */
/** Defines the reasons of denials that several programs print. */
#ifndef BASE_DENIAL_H
#define BASE_DENIAL_H

/** Reason for the denial of a delay or jitter on a cluster without bounds. */
#define GMS_DENIAL_NO_BOUNDS                                                   \
    "the manager computes no delay bounds on this cluster"

#endif
