#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests the clock functions of the C library in ranks: GMSIM_CLOCK, the library that
# mpiexec preloads, and the programs that it must not affect. GMQOS_RUNS is the number of runs
# whose times are compared [6].
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_shows="out err"

clock=$GMQOS_BUILDDIR/tests/mpi/clock

# --- functions before, during and after MPI; all runs print the same output ---------------
for part in read poll sleep order signal threads child; do
    rm -f order
    timeout 120 mpirun -n 3 "$clock" $part > out 2> err || fail "clock $part"
    grep -q '^ No Errors$' out || fail "clock $part"
done
# a wait on the real clock would last for hours
timeout 120 mpirun -n 1 "$GMQOS_BUILDDIR/tests/mpi/deadlines" > out 2> err || fail "deadlines"
printf 'rank 2: 1.001\nrank 1: 2.001\nrank 0: 3.001\n' > expected
rm -f order
mpirun -n 3 "$clock" order > out 2> err || fail "order"
cmp order expected || fail "sleeping ranks do not wake in the order of their times: $(cat order)"
for part in read poll sleep; do
    mpirun -n 3 "$clock" $part | sort > first
    for run in $(seq 2 "${GMQOS_RUNS:-6}"); do
        mpirun -n 3 "$clock" $part | sort > again
        cmp first again || fail "run $run of clock $part prints other times"
    done
done
echo "ok: functions"

# --- the other time modes -----------------------------------------------------------------
for mode in measured wall; do
    GMSIM_TIME=$mode timeout 120 mpirun -n 2 "$clock" child > out 2> err || fail "$mode"
done
cat > passes.c << 'END'
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* Print how long a sleep of a second takes by the clock that the program sees. */
int main(int argc, char **argv)
{
    struct timespec start, end;

    MPI_Init(&argc, &argv);
    clock_gettime(CLOCK_MONOTONIC, &start);
    sleep(1);
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%.1f\n", (double)(end.tv_sec - start.tv_sec) +
                         1e-9 * (double)(end.tv_nsec - start.tv_nsec));
    MPI_Finalize();
    return 0;
}
END
mpicc -o passes passes.c
for mode in virtual measured wall; do
    start=$(date +%s%N)
    GMSIM_TIME=$mode mpirun -n 1 ./passes > out 2> err || fail "passes $mode"
    real_ms=$((($(date +%s%N) - start) / 1000000))
    [ "$(cat out)" = 1.0 ] || fail "$mode: a sleep of 1 s took $(cat out) s"
    [ $mode != wall ] || [ $real_ms -ge 1000 ] || fail "wall: a sleep took $real_ms ms"
done
echo "ok: time modes"

# --- GMSIM_CLOCK ----------------------------------------------------------------------------
cat > year.c << 'END'
#include <mpi.h>
#include <stdio.h>
#include <time.h>

int main(int argc, char **argv)
{
    time_t now = time(NULL);

    MPI_Init(&argc, &argv);
    printf("%d\n", 1900 + gmtime(&now)->tm_year);
    MPI_Finalize();
    return 0;
}
END
mpicc -o year year.c
year=$(date -u +%Y)
[ "$(mpirun -n 1 ./year)" = 2000 ] || fail "the default is not virtual"
[ "$(GMSIM_CLOCK=virtual mpirun -n 1 ./year)" = 2000 ] || fail "GMSIM_CLOCK=virtual"
[ "$(GMSIM_CLOCK=real mpirun -n 1 ./year)" = "$year" ] || fail "GMSIM_CLOCK=real"
[ "$(mpirun -genv GMSIM_CLOCK real -n 1 ./year)" = "$year" ] || fail "-genv GMSIM_CLOCK real"
[ "$(mpirun -n 1 ./year : -n 1 -env GMSIM_CLOCK real ./year | sort | tr '\n' ' ')" = \
    "2000 $year " ] || fail "-env GMSIM_CLOCK real"
[ "$(./year)" = "$year" ] || fail "a program without mpirun does not read the real clock"
if GMSIM_CLOCK=fast mpirun -n 1 ./year > out 2> err; then
    fail "an invalid GMSIM_CLOCK was accepted"
fi
grep -q "environment variable GMSIM_CLOCK: value 'fast' is unknown; allowed: virtual, real" err ||
    fail "no message about GMSIM_CLOCK"
echo "ok: GMSIM_CLOCK"

# --- other processes -----------------------------------------------------------------------
[ "$(mpirun -n 1 date +%Y)" = "$year" ] || fail "a program without MPI reads the simulated clock"
[ "$(mpirun -n 1 sh -c './year; date +%Y' | tr '\n' ' ')" = "2000 $year " ] ||
    fail "a program that a shell starts does not read the simulated clock"
[ "$(mpirun -n 1 env A=1 ./year)" = 2000 ] || fail "a program that env executes"

# the user's own preloaded libraries are kept and come first
cat > mine.c << 'END'
#include <stdlib.h>
#include <stdio.h>

__attribute__((constructor)) static void start(void)
{
    const char *preload = getenv("LD_PRELOAD");

    if (getenv("PMI_RANK") != NULL)
        fprintf(stderr, "mine: %s\n", preload != NULL ? preload : "none");
}
END
${CC:-cc} -shared -fPIC -o mine.so mine.c
[ "$(LD_PRELOAD=$PWD/mine.so mpirun -n 1 ./year 2> err)" = 2000 ] || fail "LD_PRELOAD"
grep -qx "mine: $PWD/mine.so" err || fail "LD_PRELOAD of the user was lost"
[ "$(mpirun -genv LD_PRELOAD "$PWD/mine.so" -n 1 ./year 2> err)" = 2000 ] || fail "-genv LD_PRELOAD"
grep -qx "mine: $PWD/mine.so" err || fail "LD_PRELOAD of an option was lost"

# a rank's children do not inherit the launcher's additions to environment variables
cat > child.c << 'END'
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int status = system("echo \"$LD_PRELOAD|$LD_LIBRARY_PATH|$ASAN_OPTIONS\"");
    MPI_Finalize();
    return status;
}
END
mpicc -o child child.c
given="${LD_LIBRARY_PATH:-}"
[ "$(mpirun -n 1 ./child)" = "|$given|${ASAN_OPTIONS:-}" ] || fail "variables: $(mpirun -n 1 ./child)"
[ "$(ASAN_OPTIONS=verbosity=0 mpirun -n 1 ./child)" = "|$given|verbosity=0" ] ||
    fail "the user's ASAN_OPTIONS are not kept"
cp -R "$(realpath "$GMQOS_STAGE")" "$PWD/with blank"
[ "$("$PWD/with blank/bin/mpirun" -n 1 ./child)" = "|$given|${ASAN_OPTIONS:-}" ] ||
    fail "variables under a directory with a blank"
[ "$("$PWD/with blank/bin/mpirun" -n 1 ./year)" = 2000 ] || fail "a directory with a blank"

# a statically linked program reads the real clock
cat > static.c << 'END'
#include <stdio.h>
#include <time.h>

int main(void)
{
    time_t now = time(NULL);

    printf("%d\n", 1900 + gmtime(&now)->tm_year);
    return 0;
}
END
if ${CC:-cc} -static -o static static.c 2> err; then
    [ "$(mpirun -n 1 ./static 2>&1)" = "$year" ] || fail "a static program"
fi

# AddressSanitizer refuses preloaded libraries by default
if mpicc -fsanitize=address -o year-asan year.c 2> err &&
    ASAN_OPTIONS=detect_leaks=0 ./year-asan > out 2>&1; then
    [ "$(ASAN_OPTIONS=detect_leaks=0 mpirun -n 1 ./year-asan 2>&1)" = 2000 ] ||
        fail "a program with AddressSanitizer"
fi

# a GM program without MPI
cat > gm.c << 'END'
#include <gm.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

int main(void)
{
    struct timeval start, end;

    usleep(1000);
    if (gm_init() != GM_SUCCESS)
        return 1;
    gettimeofday(&start, NULL);
    gm_sleep(2);
    usleep(500000);
    gettimeofday(&end, NULL);
    printf("%ld.%06ld", (long)start.tv_sec, (long)start.tv_usec);
    printf(" %ld.%06ld", (long)end.tv_sec, (long)end.tv_usec);
    gm_finalize();
    sleep(1);
    gettimeofday(&end, NULL);
    printf(" %ld.%06ld\n", (long)end.tv_sec, (long)end.tv_usec);
    return 0;
}
END
mpicc -o gm gm.c -lgm
[ "$(mpirun -n 1 ./gm)" = "946684800.001000 946684802.501000 946684803.501000" ] ||
    fail "a program of GM: $(mpirun -n 1 ./gm)"

# if a program loads MPI later, its clock continues from the real time
cat > late.c << 'END'
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    void *library = dlopen("libmpi.so.12", RTLD_NOW | RTLD_LOCAL);
    int (*init)(int *, char ***);
    int (*finalize)(void);
    time_t before = time(NULL), after;

    if (library == NULL)
        return 1;
    *(void **)&init = dlsym(library, "MPI_Init");
    *(void **)&finalize = dlsym(library, "MPI_Finalize");
    init(&argc, &argv);
    sleep(1000);
    after = time(NULL);
    finalize();
    printf("%d\n", after >= before + 1000 && after < before + 1100);
    return 0;
}
END
${CC:-cc} -o late late.c -ldl
[ "$(LD_LIBRARY_PATH=$GMQOS_STAGE/lib mpirun -n 1 ./late)" = 1 ] || fail "a late start of MPI"
echo "ok: other processes"
finish
