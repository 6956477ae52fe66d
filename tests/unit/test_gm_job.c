/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests the file that contains a job's arena. Each test uses its own
 * directory. */
#define _GNU_SOURCE
#include "job/job.h"

#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "params/params.h"
#include "unit.h"

#define ROOT_WORD UINT64_C(0x1234)

static char directory[64];
static gms_params_t params;

static int make_directory(void)
{
    snprintf(directory, sizeof(directory), "/tmp/gmqos-test-job-%d",
             (int)getpid());
    gms_params_init(&params);
    params.arena_bytes = UINT64_C(32) << 20;
    params.start_limit_s = 10;
    return mkdir(directory, 0700);
}

static int remove_directory(void)
{
    return rmdir(directory);
}

static gms_job_spec_t make_spec(unsigned rank, unsigned size)
{
    gms_job_spec_t spec = {
        .directory = directory,
        .name = "j",
        .rank = rank,
        .size = size,
        .layout = 99,
        .source = "a file",
        .params = &params,
    };

    return spec;
}

static unsigned count_files(void)
{
    DIR *dir = opendir(directory);
    struct dirent *entry;
    unsigned count = 0;

    while ((entry = readdir(dir)) != NULL) {
        count += entry->d_name[0] != '.';
    }
    closedir(dir);
    return count;
}

static void file_name(char path[256], const char *job)
{
    snprintf(path, 256, "%s/gmsim-%u-%s", directory, (unsigned)getuid(), job);
}

/* Create an arena whose root is a single word, and count the calls of this
 * function. */
static gms_status_t build(gms_arena_t *arena, void *context,
                          char error[GMS_ERROR_LEN])
{
    uint64_t *root = gms_arena_alloc(arena, sizeof(*root));

    (void)error;
    ++*(int *)context;
    *root = ROOT_WORD;
    gms_arena_set_root(arena, root);
    return GMS_OK;
}

static gms_status_t build_fails(gms_arena_t *arena, void *context,
                                char error[GMS_ERROR_LEN])
{
    (void)arena;
    (void)context;
    snprintf(error, GMS_ERROR_LEN, "no cluster today");
    return GMS_ERR_NO_MEMORY;
}

static gms_status_t build_dies(gms_arena_t *arena, void *context,
                               char error[GMS_ERROR_LEN])
{
    (void)arena;
    (void)context;
    (void)error;
    raise(SIGKILL);
    return GMS_OK;
}

/* Attach to the arena in a separate process. @return its exit status: 0 if
 * status and error message are as expected */
static int attach_elsewhere(const gms_job_spec_t *spec, gms_job_build_fn *how,
                            gms_status_t expected, const char *text)
{
    int status;
    pid_t pid;

    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        char error[GMS_ERROR_LEN] = "";
        gms_job_t *job = NULL;
        int built = 0;
        gms_status_t got = gms_job_attach(spec, how, &built, &job, error);

        if (got != expected || strstr(error, text) == NULL) {
            fprintf(stderr, "\n    status %d, '%s'\n", (int)got, error);
            _exit(1);
        }
        _exit(0);
    }
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static gms_job_t *attach_here(unsigned rank, unsigned size, int *built)
{
    gms_job_spec_t spec = make_spec(rank, size);
    char error[GMS_ERROR_LEN] = "";
    gms_job_t *job = NULL;

    if (gms_job_attach(&spec, build, built, &job, error) != GMS_OK) {
        printf("\n    %s\n", error);
    }
    return job;
}

static void test_alone(void)
{
    int built = 0;
    gms_job_t *job = attach_here(0, 1, &built);

    CU_ASSERT_PTR_NOT_NULL_FATAL(job);
    CHECK_U64(built, 1);
    CHECK_U64(*(uint64_t *)gms_arena_root(gms_job_arena(job)), ROOT_WORD);
    CHECK_U64((uintptr_t)gms_job_arena(job) & ~UINT64_C(0xffff),
              GMS_ARENA_ADDRESS);
    /* the file has been removed, because the last rank has mapped it */
    CHECK_U64(count_files(), 0);
    gms_job_started(job);
    gms_job_detach(job);
    gms_job_detach(NULL);
}

/* Sixteen processes attach at the same time. One of them creates the arena, and
 * all of them use it. The test repeats this ten times. */
static void test_many(void)
{
    unsigned round;

    for (round = 0; round < 10; ++round) {
        int *counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        unsigned failed = 0;
        unsigned rank;

        fflush(NULL);
        for (rank = 0; rank < 16; ++rank) {
            if (fork() == 0) {
                int built = 0;
                gms_job_t *job = attach_here(rank, 16, &built);
                uint64_t *root;

                if (job == NULL) {
                    _exit(1);
                }
                __atomic_add_fetch(&counts[0], built, __ATOMIC_RELAXED);
                root = gms_arena_root(gms_job_arena(job));
                __atomic_add_fetch(root, 1, __ATOMIC_RELAXED);
                while (__atomic_load_n(root, __ATOMIC_RELAXED) <
                       ROOT_WORD + 16) {
                    usleep(1000);
                }
                _exit(0);
            }
        }
        for (rank = 0; rank < 16; ++rank) {
            int status;

            wait(&status);
            failed += status != 0;
        }
        CHECK_U64(failed, 0);
        CHECK_U64(counts[0], 1);
        CHECK_U64(count_files(), 0);
        munmap(counts, 4096);
    }
}

static void test_private(void)
{
    int built = 0;
    gms_job_t *job = attach_here(0, 2, &built);
    char path[256];
    struct stat file;

    CU_ASSERT_PTR_NOT_NULL_FATAL(job);
    file_name(path, "j");
    CU_ASSERT_EQUAL_FATAL(stat(path, &file), 0);
    CHECK_U64(file.st_mode & 0777, 0600);
    CHECK_U64(file.st_size, params.arena_bytes);
    CHECK_U64((uint64_t)file.st_blocks * 512 < UINT64_C(4) << 20, 1);
    gms_job_give_up(job);
    gms_job_detach(job);
    CHECK_U64(count_files(), 0);
}

static void test_disagreement(void)
{
    gms_params_t others = params;
    gms_job_spec_t spec = make_spec(1, 2);
    int built = 0;
    gms_job_t *job = attach_here(0, 2, &built);

    others.hosts = 3;
    spec.params = &others;
    spec.source = "other.yaml";
    CHECK_U64(attach_elsewhere(&spec, build, GMS_ERR_CONFIG,
                               "hosts is 16 for rank 0 (a file) and 3 for rank "
                               "1 (other.yaml)"),
              0);
    gms_job_detach(job);
    job = attach_here(0, 2, &built);
    spec = make_spec(1, 2);
    spec.layout = 98;
    CHECK_U64(attach_elsewhere(&spec, build, GMS_ERR_CONFIG, "different build"),
              0);
    gms_job_detach(job);
    job = attach_here(0, 2, &built);
    spec = make_spec(1, 3);
    CHECK_U64(attach_elsewhere(
                  &spec, build, GMS_ERR_CONFIG,
                  "2 ranks according to rank 0, but 3 ranks according to "
                  "rank 1"),
              0);
    gms_job_detach(job);
    CHECK_U64(count_files(), 0);
}

static void test_builder_fails(void)
{
    gms_job_spec_t spec = make_spec(0, 2);

    CHECK_U64(attach_elsewhere(&spec, build_fails, GMS_ERR_NO_MEMORY,
                               "no cluster today"),
              0);
    CHECK_U64(count_files(), 0);
}

/* If the process that creates the arena is killed, its file remains, but does
 * not disturb the next job. */
static void test_builder_dies(void)
{
    gms_job_spec_t spec = make_spec(0, 2);
    int built = 0;
    gms_job_t *job;

    CHECK_U64(attach_elsewhere(&spec, build_dies, GMS_OK, ""), 1000 + SIGKILL);
    CHECK_U64(count_files(), 1);
    job = attach_here(0, 1, &built);
    CU_ASSERT_PTR_NOT_NULL(job);
    CHECK_U64(built, 1);
    CHECK_U64(count_files(), 0);
    gms_job_detach(job);
}

/* A process keeps the incomplete file open, so the file is not removed. A rank
 * that attaches must report the cause. */
static void test_half_built(void)
{
    gms_job_spec_t spec = make_spec(0, 2);
    char path[256];
    int fd;

    CHECK_U64(attach_elsewhere(&spec, build_dies, GMS_OK, ""), 1000 + SIGKILL);
    file_name(path, "j");
    fd = open(path, O_RDWR);
    CU_ASSERT_EQUAL(flock(fd, LOCK_SH), 0);
    CHECK_U64(attach_elsewhere(&spec, build, GMS_ERR_PEER_DIED, "died"), 0);
    close(fd);
    CHECK_U64(count_files(), 0);
}

static void test_sweep(void)
{
    char left[256], used[256], foreign[256];
    int fd;

    file_name(left, "left");
    file_name(used, "used");
    snprintf(foreign, sizeof(foreign), "%s/gmsim-%u-x", directory,
             (unsigned)getuid() + 1);
    close(open(left, O_CREAT | O_RDWR, 0600));
    close(open(foreign, O_CREAT | O_RDWR, 0600));
    fd = open(used, O_CREAT | O_RDWR, 0600);
    CU_ASSERT_EQUAL(flock(fd, LOCK_SH), 0);
    CHECK_U64(gms_job_sweep(directory), 1);
    CU_ASSERT_EQUAL(access(left, F_OK), -1);
    CU_ASSERT_EQUAL(access(used, F_OK), 0);
    CU_ASSERT_EQUAL(access(foreign, F_OK), 0);
    close(fd);
    CHECK_U64(gms_job_sweep(directory), 1);
    CHECK_U64(gms_job_sweep("/tmp/gmqos-no-such-directory"), 0);
    unlink(foreign);
}

static void test_address_taken(void)
{
    gms_job_spec_t spec = make_spec(0, 1);
    void *there =
        mmap((void *)(uintptr_t)(GMS_ARENA_ADDRESS + 4096), 4096, PROT_READ,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

    CHECK_U64(attach_elsewhere(&spec, build, GMS_ERR_BUSY, "are in use"), 0);
    munmap(there, 4096);
    CHECK_U64(count_files(), 0);
}

static void check_limit(int resource, const char *text)
{
    gms_job_spec_t spec = make_spec(0, 1);
    struct rlimit old, tight;

    getrlimit(resource, &old);
    tight = old;
    tight.rlim_cur = UINT64_C(16) << 20;
    setrlimit(resource, &tight);
    CHECK_U64(attach_elsewhere(&spec, build, GMS_ERR_NO_MEMORY, text), 0);
    setrlimit(resource, &old);
    CHECK_U64(count_files(), 0);
}

static void test_no_room(void)
{
    check_limit(RLIMIT_FSIZE, "ulimit -f");
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    check_limit(RLIMIT_AS, "ulimit -v"); /* sanitizers need more memory than
                                          * this limit permits */
#endif
}

static void test_no_directory(void)
{
    gms_job_spec_t spec = make_spec(0, 1);

    spec.directory = "/tmp/gmqos-no-such-directory";
    CHECK_U64(attach_elsewhere(&spec, build, GMS_ERR_SYSTEM,
                               "No such file or directory"),
              0);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"a process alone", test_alone},
        {"many processes at once", test_many},
        {"the file belongs to the user and is sparse", test_private},
        {"ranks that disagree", test_disagreement},
        {"the builder fails", test_builder_fails},
        {"the builder dies", test_builder_dies},
        {"a half-built file that is in use", test_half_built},
        {"abandoned files are removed", test_sweep},
        {"the address is in use", test_address_taken},
        {"resource limits of the process are too low", test_no_room},
        {"no directory", test_no_directory},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN(
        {"gm job", make_directory, remove_directory, NULL, NULL, tests});
}
