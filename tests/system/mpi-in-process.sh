#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Runs programs with all ranks in one process (mpirun -in-process). Outputs, exit statuses, records
# and traces must equal those of ranks that are processes.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_shows="err one.err"

runner=$GMQOS_STAGE/lib/gmqos/gmqos-ranks
[ -x "$runner" ] || skip "this build cannot run all ranks in one process"
program=$GMQOS_BUILDDIR/tests/mpi/in_process

# both N ARGUMENT..: run a program in both ways, with the status in `many` and `one`
both()
{
    local ranks=$1
    shift
    many=0 one=0
    timeout 100 mpirun -n "$ranks" "$@" > out 2> err || many=$?
    timeout 100 mpirun -in-process -n "$ranks" "$@" > one.out 2> one.err || one=$?
}

# same N ARGUMENT..: a program has the same output (lines in any order) and the status 0
same()
{
    both "$@"
    if [ "$many" = 0 ] && [ "$one" = 0 ] && [ -s out ] &&
        cmp -s <(sort out) <(sort one.out) && cmp -s <(sort err) <(sort one.err); then
        echo "ok: $*"
    else
        fail "$*: status $many and $one; $(diff out one.out | head -n 5)"
    fi
}

for case in variables options exits child thread random environment children; do
    same 3 "$program" "$case" -n 4 -x rest
done
same 3 "$program" clock
same 3 "$program" cpu
same 2 mpi-pingpong -s 64K
same 4 mpi-alltoall

# the benchmark adds up the CPU times of the ranks; the sum is at most the time of the job
times > before
mpirun -in-process -n 16 mpi-rate --csv barrier > rate
times > after
awk -F, '
function seconds(text,    part) { split(text, part, /[ms]/); return 60 * part[1] + part[2] }
function both(line,    word) { split(line, word, " "); return seconds(word[1]) + seconds(word[2]) }
FILENAME == "rate" && FNR > 1 { ranks += $11 }
FILENAME != "rate" && FNR == 2 { children[FILENAME] = both($0) }
END {
    job = children["after"] - children["before"]
    printf "CPU time: ranks %.3f s, job %.3f s\n", ranks, job
    exit !(ranks > 0.3 * job && ranks < job + 0.05)
}' rate before after || fail "the ranks report more or less CPU time than the job has used"
same 4 mpi-patterns -p linear_alltoall -s 16K
same 2 gm-pingpong
for example in array jacobi snapshot senders; do
    mpicc -o $example "$GMQOS_SRCDIR/examples/$example.c"
    same 4 ./$example
done
mpicc -o counters "$GMQOS_SRCDIR/examples/counters.c" -lmpiqos
same 4 ./counters
same 4 "$GMQOS_BUILDDIR/tests/mpi/fuzz_mpi" 7
same 4 "$GMQOS_BUILDDIR/tests/mpi/windows" put 4096 4 fence

# more ranks than the dynamic linker reserves memory for
printf 'hosts: 12\nranks_per_host: 2\n' > many.yaml
GMSIM_CLUSTER=many.yaml same 24 "$program" options -n 4

# a program that does not read optind
cat > letters.c << 'END'
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int option, rank, count = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while ((option = getopt(argc, argv, "abc")) != -1) {
        count += option;
    }
    printf("rank %d: %d\n", rank, count);
    MPI_Finalize();
    return 0;
}
END
mpicc -o letters letters.c
same 3 ./letters -a -b rest -c

# several ranks end with a status
cat > statuses.c << 'END'
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
    return atoi(argv[1 + rank]);
}
END
mpicc -o statuses statuses.c
# STATUSES:STATUS of the job, in which every bit of the ranks' statuses is set
for list in "0 5 0:5" "1 2 4:7" "4 3 1:7" "200 0 100:236"; do
    # shellcheck disable=SC2086 # three arguments
    both 3 ./statuses ${list%:*}
    if [ "$many $one" = "${list#*:} ${list#*:}" ]; then
        echo "ok: ranks end with ${list%:*}"
    else
        fail "ranks end with ${list%:*}: status $many and $one"
    fi
done

# MPI_Win_allocate takes the same virtual time, and leaves no file in the shared memory
cat > allocates.c << 'END'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank;
    char *memory;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(1 << 20, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    printf("rank %d: %.12f s\n", rank, MPI_Wtime());
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
END
mpicc -o allocates allocates.c
segments() { find /dev/shm -maxdepth 1 -name 'mpich_shar_*' 2> /dev/null | sort; }
segments > segments.before
same 4 ./allocates
same 4 -ppn 2 ./allocates
left=$(segments | comm -13 segments.before - | wc -l)
if [ "$left" -lt 50 ]; then # other jobs on the machine may create a few segments
    echo "ok: no segments of shared memory are left"
else
    fail "$left segments of shared memory are left"
fi

# libraries in the directory $ORIGIN/lib (one without a name), a library that needs libmpi and is
# loaded during the run, a function that the processor selects, and a nested function
mkdir -p bin lib
printf 'int number(void)\n{\n    static int n;\n    return ++n;\n}\n' > number.c
cc -shared -fPIC -Wl,-soname,libnumber.so -o lib/libnumber.so number.c
sed 's/number/digit/' number.c > digit.c
cc -shared -fPIC -o lib/libdigit.so digit.c
cat > plugin.c << 'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
static int calls, rank;
static void end(void)
{
    printf("plugin of rank %d: %d calls\n", rank, calls);
}
int plugin(void)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (++calls == 1) {
        atexit(end);
    }
    return calls;
}
END
mpicc -shared -fPIC -o plugin.so plugin.c
cat > loads.c << 'END'
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
int number(void);
int digit(void);
__attribute__((target_clones("avx2", "default"))) static int sum(const int *list, int count)
{
    int result = 0;
    for (int i = 0; i < count; ++i) {
        result += list[i];
    }
    return result;
}
static int apply(int (*function)(int), int x)
{
    return function(x);
}
int main(int argc, char **argv)
{
    int rank, calls, list[3] = {1, 2, 3};
    void *handle;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    list[2] = rank;
    int add(int x)
    {
        return x + rank;
    }
    handle = dlopen("./plugin.so", RTLD_NOW);
    if (handle == NULL) {
        printf("%s\n", dlerror());
        return 1;
    }
    int (*plugin)(void) = (int (*)(void))dlsym(handle, "plugin");
    plugin();
    MPI_Barrier(MPI_COMM_WORLD);
    calls = plugin();
    dlclose(handle);
    printf("rank %d: %d %d %d %d\n", rank, calls, sum(list, 3), apply(add, 5), digit());
    MPI_Finalize();
    return number() < 1;
}
END
mpicc -w -o bin/loads loads.c -Llib -lnumber -ldigit -Wl,-rpath,"\$ORIGIN/../lib" -ldl 2> cc.err
same 3 bin/loads

# a policy loads libmpiqos for every rank
printf -- '- {from: 0, to: 1, bandwidth: 20 MB/s}\n' > policy.yaml
MPIQOS_POLICY=policy.yaml MPIQOS_REPORT=- same 2 mpi-bandwidth

# options of mpirun; the record contains the variables that they set, and the variables of the
# environment separately
printf 'hosts: 2\nranks_per_host: 2\n' > pairs.yaml
for path in many one; do
    option=
    [ $path = many ] || option=-in-process
    mkdir $path
    # shellcheck disable=SC2086 # no word if the option is empty
    (cd $path && GMSIM_TRACE=trace.csv GMSIM_CLUSTER=../pairs.yaml mpirun $option -genv WORDS 30 \
        -env GMSIM_RECORD record -ppn 2 -n 4 ../jacobi > out)
done
diff -r many one > differences || fail "the records or the traces differ: $(head -c 500 differences)"
# in another directory, relative paths refer to that directory; records contain them unchanged
for path in many one; do
    option=
    [ $path = many ] || option=-in-process
    mkdir moved-$path
    cp pairs.yaml policy.yaml moved-$path
    # shellcheck disable=SC2086 # no word if the option is empty
    GMSIM_RECORD=record GMSIM_CLUSTER=pairs.yaml MPIQOS_POLICY=policy.yaml mpirun $option \
        -genv WORDS 30 -env NAME 'a b' -wdir moved-$path -n 4 ../jacobi > out
done
diff -r moved-many moved-one > differences ||
    fail "in another directory, the records differ: $(head -c 500 differences)"
grep -qF '"words":["-env","WORDS","30","-env","NAME","a b","../jacobi"]' moved-one/record/record.json &&
    grep -qF '"GMSIM_CLUSTER": "pairs.yaml"' moved-one/record/record.json ||
    fail "the record of a job in another directory: $(grep words moved-one/record/record.json)"
mpirun -in-process -genv GMSIM_CLUSTER pairs.yaml -env GMSIM_RECORD again -wdir . -n 4 ./jacobi > out
grep -qF '"words":["-env","GMSIM_CLUSTER","pairs.yaml","-env","GMSIM_RECORD","again","./jacobi"]' \
    again/record.json || fail "the record contains other words: $(grep words again/record.json)"

# the first rank ends before a fault: the other rank records the fault
cat > early.c << 'END'
#include <gm.h>
#include <gmsim.h>
#include <stdlib.h>
int main(void)
{
    if (gm_init() != GM_SUCCESS) {
        return 1;
    }
    if (atoi(getenv("PMI_RANK")) == 1) {
        gmsim_work(UINT64_C(20000000000));
    }
    gm_finalize();
    return 0;
}
END
mpicc -o early early.c -lgm
printf 'hosts: 2\nfaults:\n  events:\n    - {at_us: 10000, link: node 2 to switch 0, for_us: 100}\n' > fault.yaml
for path in many one; do
    option=
    [ $path = many ] || option=-in-process
    rm -rf $path
    mkdir $path
    # shellcheck disable=SC2086 # no word if the option is empty
    (cd $path && GMSIM_CLUSTER=../fault.yaml mpirun $option -env GMSIM_RECORD record -n 2 \
        ../early > out)
done
for path in many one; do
    grep '"kind":"fault"' $path/record/events.jsonl | sed 's/,"sum".*//' > $path.faults
done
[ -s many.faults ] && cmp many.faults one.faults || fail "the records of a fault differ"

# failures
both 3 "$program" status 7
[ "$many $one" = "7 7" ] || fail "status $many and $one instead of 7"
grep -qx 'mpirun: rank 1 ended with status 7 without calling MPI_Finalize' one.err ||
    fail "no message about the status"
both 3 "$program" descriptor
[ "$many $one" = "3 3" ] && [ "$(grep -c ': 5 text' one.out)" = 3 ] ||
    fail "status $many and $one, or not all ranks have ended"
both 3 "$program" early-end
[ "$many $one" = "1 1" ] || fail "status $many and $one after an early end"
both 3 "$program" abort
[ "$many $one" = "5 5" ] || fail "MPI_Abort(5) led to status $many and $one"
ulimit -c 0
both 3 "$program" fault
[ "$many $one" = "11 11" ] || fail "status $many and $one after a fault"
grep -q 'rank 1 was killed by signal 11 (Segmentation fault)' one.err || fail "no report of a fault"
both 3 "$program" deadlock
[ "$many $one" = "1 1" ] || fail "status $many and $one after a deadlock"
cmp <(grep '^gmsim' err) <(grep '^gmsim' one.err) || fail "the reports of the deadlock differ"

# refused STATUS TEXT COMMAND..: mpirun refuses a job
refused()
{
    local expected=$1 text=$2 status=0
    shift 2
    timeout 60 "$@" > one.out 2> one.err || status=$?
    [ "$status" = "$expected" ] && grep -qF -- "$text" one.err || fail "$*: status $status"
}
refused 1 'a second thread of a rank calls MPI' mpirun -in-process -n 2 "$program" calls
# without -in-process, such calls are valid only with MPI_THREAD_MULTIPLE
refused 1 'a second thread of a rank calls MPI or GM while' mpirun -n 2 "$program" funneled
timeout 60 mpirun -in-process -n 2 "$program" spawn > one.out
[ "$(grep -c 'not spawned' one.out)" = 2 ] || fail "MPI_Comm_spawn did not fail"
refused 1 'allowed: virtual' env GMSIM_TIME=measured mpirun -in-process -n 2 "$program" clock
refused 1 'need a process for each rank' mpirun -in-process -prepend-rank -n 2 "$program" clock
refused 1 'allowed: one program' mpirun -in-process -n 1 "$program" clock : -n 1 "$program" clock
refused 1 'run scripts without' mpirun -in-process -n 2 "$GMQOS_SRCDIR/tests/run-system"
refused 1 'without -in-process' env LD_PRELOAD="$GMQOS_STAGE/lib/libmpi.so.12" \
    mpirun -in-process -n 2 "$program" clock
refused 1 'No such file' mpirun -in-process -n 2 ./missing
printf 'int main(void)\n{\n    return 0;\n}\n' > fixed.c
if cc -no-pie -o fixed fixed.c 2> /dev/null; then
    refused 1 'not position-independent' mpirun -in-process -n 2 ./fixed
fi

# C++: static objects, exceptions in several ranks at a time, variables of templates
cat > objects.cc << 'END'
#include <cstdio>
#include <iostream>
#include <mpi.h>
#include <sstream>
#include <stdexcept>
#include <string>

template <class T> struct counter {
    static inline T value = 1;
};
struct noisy {
    int rank = -1;
    ~noisy() { std::cout << "destructor " + std::to_string(rank) + "\n" << std::flush; }
};
static noisy object;
thread_local int five = 5;

int main(int argc, char **argv)
{
    int sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &object.rank);
    five += object.rank;
    counter<int>::value += object.rank;
    try {
        throw std::runtime_error("rank " + std::to_string(object.rank));
    } catch (const std::exception &first) {
        MPI_Allreduce(&object.rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        try {
            throw object.rank;
        } catch (int second) {
            MPI_Barrier(MPI_COMM_WORLD);
            std::ostringstream line; // one write, because the ranks print at the same time
            line << first.what() << ' ' << second << ' ' << sum << ' ' << five << ' '
                 << counter<int>::value << '\n';
            std::cout << line.str() << std::flush;
        }
    }
    MPI_Finalize();
    return 0;
}
END
if mpicxx -std=c++17 -o objects objects.cc 2> cxx.err; then
    same 3 ./objects
else
    echo "skipped: no C++ compiler"
fi
cat > units.f90 << 'END'
program units
  use mpi
  implicit none
  integer :: rank, read_back, ierror
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  open(unit=10, status='scratch')
  write(10, *) rank
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  rewind(10)
  read(10, *) read_back
  write(*, *) 'rank', rank, read_back
  call MPI_Finalize(ierror)
end program
END
if command -v mpifort > /dev/null && mpifort -o units units.f90 2> fortran.err; then
    same 3 ./units
else
    echo "skipped: no Fortran compiler"
fi
# an interrupted start leaves no files
for delay in 0.05 0.1 0.15 0.2; do
    GMSIM_CLUSTER=many.yaml mpirun -in-process -n 24 "$program" clock > one.out 2> one.err &
    sleep $delay
    kill $! 2> one.err || :
    wait $! 2> one.err || :
done
[ -z "$(find /dev/shm -name 'gmsim-copies-*' -user "$(id -u)" -newer policy.yaml)" ] ||
    fail "copies are left in /dev/shm"
finish
