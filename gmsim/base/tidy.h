/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Cleans up when a tool ends for any reason: removes unfinished output files,
 * and clears the progress bar from the terminal. A signal that ends the program
 * (SIGINT, SIGTERM, SIGHUP, SIGPIPE) still ends the program after the cleanup,
 * and the exit status indicates that signal. Child processes of the tool do not
 * run the cleanup.
 */
#ifndef BASE_TIDY_H
#define BASE_TIDY_H

/** Remove this file when the program ends, unless gms_tidy_forget() is called
 *  before then. The function takes ownership of the path. @return 0, or -1 if
 *  there are too many files */
int gms_tidy_add(char *path);
/** Remove a path from the list, because the file is complete or no longer
 *  exists. The function releases the path. */
void gms_tidy_forget(char *path);
/** Record whether a progress bar is on the terminal and must be cleared. */
void gms_tidy_bar(int is_drawn);

#endif
