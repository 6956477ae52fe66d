/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts a proxy or a rank: sets signals and descriptors, and reports a program that
 * cannot be executed. */
#include "hydra.h"

#include <dirent.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define MOST_INHERITED 1024
/* [chosen: more than the largest number of spawned ranks, mpi_spawn_most] */
#define MOST_PROXIES 65537
/* CLOSE_RANGE_CLOEXEC of linux/close_range.h (Linux 5.11): mark the descriptors, and let
 * the execution of the program close them. */
#define MARK_ONLY 4u

/* Descriptors with which this process was started. The number of a descriptor does
 * not identify it, because the descriptor can be closed later, and its number can be
 * used for another file. */
static struct {
    int fd;
    dev_t device;
    ino_t inode;
} inherited[MOST_INHERITED];
static int inherited_count;

/* The proxies: the first one starts the ranks of mpiexec's command line, and each of the
 * others starts the ranks of one call of MPI_Comm_spawn. */
static pid_t proxies[MOST_PROXIES];
static volatile int proxy_count;
static int is_rank;     /* 1: the last child is a rank */
static int is_reported; /* 1: the previous rank runs the same program */
static int is_first;    /* 1: the last child is the first rank of its proxy */
/* The limit of open files with which this process was started. */
static struct rlimit files;

static int is_named_by(const char *variable, int fd)
{
    const char *value = getenv(variable);

    return value != NULL && *value != '\0' && atoi(value) == fd;
}

/* Raise the limit of open files as far as the system permits, because each rank needs
 * several files of the launcher. The usual limit of 1024 files would be enough for only
 * 250 ranks. The programs that this process starts have the former limit. */
static void __attribute__((constructor)) raise_files(void)
{
    struct rlimit raised;

    if (getrlimit(RLIMIT_NOFILE, &files) == 0 &&
        files.rlim_cur < files.rlim_max) {
        raised = files;
        raised.rlim_cur = files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &raised);
    }
}

/* Store the inherited descriptors. This function runs before main(), which opens
 * files. The connection of this process to its own launcher is omitted. */
static void __attribute__((constructor)) note_inherited(void)
{
    DIR *dir = opendir("/proc/self/fd");
    struct dirent *entry;
    struct stat found;

    while (dir != NULL && inherited_count < MOST_INHERITED &&
           (entry = readdir(dir)) != NULL) {
        int fd = atoi(entry->d_name), flags = fcntl(fd, F_GETFD);

        if (fd <= STDERR_FILENO || fd == dirfd(dir) || flags < 0 ||
            (flags & FD_CLOEXEC) != 0 || is_named_by("HYDI_CONTROL_FD", fd) ||
            is_named_by("PMI_FD", fd) || fstat(fd, &found) != 0) {
            continue;
        }
        inherited[inherited_count].fd = fd;
        inherited[inherited_count].device = found.st_dev;
        inherited[inherited_count].inode = found.st_ino;
        ++inherited_count;
    }
    if (dir != NULL) {
        closedir(dir);
    }
}

static int is_inherited(int fd)
{
    struct stat found;
    int i;

    for (i = 0; i < inherited_count; ++i) {
        if (inherited[i].fd == fd) {
            return fstat(fd, &found) == 0 &&
                   found.st_dev == inherited[i].device &&
                   found.st_ino == inherited[i].inode;
        }
    }
    return 0;
}

/* Let the program that this process is about to execute inherit only the standard
 * streams, keep_fd, and the descriptors with which this process was started.
 * @return 0, or -1 if the kernel does not have this system call, or if the inherited
 * descriptors are unknown because /proc is missing */
static int keep_only_at_once(int keep_fd)
{
#ifdef SYS_close_range
    int i;

    if (access("/proc/self/fd", F_OK) != 0 ||
        syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, MARK_ONLY) != 0) {
        return -1;
    }
    if (keep_fd > STDERR_FILENO) {
        (void)fcntl(keep_fd, F_SETFD, 0);
    }
    for (i = 0; i < inherited_count; ++i) {
        if (is_inherited(inherited[i].fd)) {
            (void)fcntl(inherited[i].fd, F_SETFD, 0);
        }
    }
    return 0;
#else
    (void)keep_fd;
    return -1;
#endif
}

/* Do the same as keep_only_at_once(), one descriptor after the other. The kernel needs
 * about 1 us for each descriptor in /proc/self/fd, and a proxy has several descriptors for
 * each rank. */
static int keep_only(int keep_fd)
{
    struct dirent *entry;
    DIR *dir = opendir("/proc/self/fd");
    int failed = 0;

    if (dir == NULL) {
        return -1;
    }
    while ((entry = readdir(dir)) != NULL) {
        int fd = atoi(entry->d_name);
        int is_kept = fd == keep_fd || is_inherited(fd);

        if (fd > STDERR_FILENO &&
            fcntl(fd, F_SETFD, is_kept ? 0 : FD_CLOEXEC) != 0) {
            failed = -1;
        }
    }
    closedir(dir);
    return failed;
}

int gml_fork(const char *program, int index)
{
    static char *last;
    int parent = getpid();
    pid_t child;

    is_rank = index >= 0;
    is_first = index == 0;
    is_reported = last != NULL && strcmp(last, program) == 0;
    if (!is_reported) {
        MPL_free(last);
        last = MPL_strdup(program);
    }
    /* the handler must know the child's process id as soon as the child exists */
    gml_hold_end_signals();
    child = fork();
    if (child == 0) {
        gml_default_end_signals();
        gml_release_children();
        /* when its parent dies, a proxy receives SIGALRM and kills its ranks */
        prctl(PR_SET_PDEATHSIG, index < 0 ? SIGALRM : SIGKILL, 0, 0, 0);
        if (getppid() != parent) {
            _exit(1);
        }
        return 0;
    }
    if (child > 0 && index < 0 && proxy_count < MOST_PROXIES) {
        proxies[proxy_count] = child;
        ++proxy_count;
    }
    gml_release_end_signals();
    return child;
}

void gml_exec(char **arguments, const struct HYD_env *env_list)
{
    const char *connection = is_rank ? "PMI_FD" : "HYDI_CONTROL_FD";
    const struct HYD_env *env;
    int keep_fd = -1, status = 126;

    /* getenv() could return the connection of mpiexec itself, which may be a rank of
     * another job */
    for (env = env_list; env != NULL; env = env->next) {
        if (strcmp(env->env_name, connection) == 0) {
            keep_fd = atoi(env->env_value);
        }
    }
    if (is_rank) {
        unsetenv("HYDI_CONTROL_FD");
        gml_preload_clock(is_first);
    }
    (void)setrlimit(RLIMIT_NOFILE, &files);
    if (keep_only_at_once(keep_fd) != 0 && keep_only(keep_fd) != 0) {
        fprintf(stderr, "mpiexec: cannot read /proc/self/fd: %s\n",
                strerror(errno));
    } else {
        execvp(arguments[0], arguments);
        status = errno == ENOENT ? 127 : 126;
        if (!is_reported) {
            fprintf(stderr, "mpiexec: %s: %s\n", arguments[0], strerror(errno));
        }
    }
    fflush(stderr);
    _exit(status);
}

int gml_signal_proxy(int signum)
{
    siginfo_t info;
    int i, count = 0;

    /* a proxy that has not been waited for keeps its number, so no newer process can
     * have this number */
    for (i = 0; i < proxy_count; ++i) {
        count += waitid(P_PID, (id_t)proxies[i], &info,
                        WEXITED | WNOHANG | WNOWAIT) == 0 &&
                 kill(proxies[i], signum) == 0;
    }
    return count > 0;
}

int gml_has_proxy_ended(void)
{
    int i, status, count = 0;

    for (i = 0; i < proxy_count; ++i) {
        count += waitpid(proxies[i], &status, WNOHANG) != 0;
    }
    return count == proxy_count;
}
