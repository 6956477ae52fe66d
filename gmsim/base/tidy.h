/* SPDX-License-Identifier: BSD-3-Clause */
/** What has to go when the tool ends, however it ends: unfinished files, and the
 *  bar on the terminal. A signal that ends the program (SIGINT, SIGTERM, SIGHUP,
 *  SIGPIPE) still ends it, so that its status tells which one. Processes that
 *  it starts leave all that alone. */
#ifndef BASE_TIDY_H
#define BASE_TIDY_H

/** Remove this file at the end, unless it is forgotten before. Takes ownership
 *  of the path. @return 0, or -1 if there are too many */
int gms_tidy_add(char *path);
/** It is complete, or gone. Releases the path. */
void gms_tidy_forget(char *path);
/** Whether there is a bar to wipe out. */
void gms_tidy_bar(int is_drawn);

#endif
