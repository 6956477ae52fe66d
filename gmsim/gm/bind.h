/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Where a process runs. The gate mostly lets one process of a job run at a
 * time; handing over on one core costs about 1 us, across cores 40 us. So all
 * processes of a job run on one processing unit.
 */
#ifndef GM_BIND_H
#define GM_BIND_H

/** Processing unit that the caller runs on, by the system's number; -1 if that
 *  cannot be found out. */
int gms_bind_choose(void);
/** Bind the caller's process to one processing unit.
 *  @return 0, or -1 with errno set */
int gms_bind_to(int unit);

#endif
