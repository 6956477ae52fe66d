#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks the command line of all programs: commands, help, version, invalid usage, and
# output that cannot be written. For invalid usage, the status is 2, and the message
# names the error and the allowed values.
# needs: nothing
set -uo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

gmsim=$GMQOS_STAGE/bin/gmsim
# status WANT COMMAND..: run the command and check its status; its output is in out and
# err
status()
{
    local want=$1 got=0

    shift
    "$@" > out 2> err < /dev/null || got=$?
    [ "$got" = "$want" ] || fail "$*: status $got, expected $want: $(head -3 err)"
}

# mentions WHAT TEXT: check that err contains the text
mentions()
{
    grep -qF -- "$2" err || fail "$1: no '$2' in: $(head -5 err)"
}

# --- every list of commands is the same ---
status 0 "$gmsim" --help
mapfile -t commands < <(
    sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' out)
[ "${#commands[@]}" -ge 8 ] || fail "only ${#commands[@]} commands in --help"
[ "$(printf '%s\n' "${commands[@]}")" = \
  "$(printf '%s\n' "${commands[@]}" | LC_ALL=C sort -u)" ] ||
    fail "commands are not in order: ${commands[*]}"
status 2 "$gmsim" nonsense
list=$(IFS=,; echo "${commands[*]}")
mentions "an unknown command" "gmsim: unknown command 'nonsense'; allowed: ${list//,/, }"
for command in "${commands[@]}"; do
    status 0 "$gmsim" "$command" --help
    grep -q "^Usage: gmsim $command" out || fail "gmsim $command --help: $(head -1 out)"
    status 2 "$gmsim" "${command}q"
    mentions "a command with a letter too many" "(did you mean '$command'?)"
done
status 2 "$gmsim" modle
mentions "two letters in the wrong order" "(did you mean 'model'?)"
status 2 "$gmsim"

# --- help, usage and version of all programs ---
programs=()
for program in "$GMQOS_STAGE"/bin/*; do
    case ${program##*/} in
    # these options belong to MPICH
    hydra_* | mpiexec* | mpirun | mpicc | mpicc_abi | mpicxx | mpic++ | mpifort | mpif77 | mpif90) ;;
    *) programs+=("${program##*/}") ;;
    esac
done
[ "${#programs[@]}" -ge 7 ] || fail "only ${#programs[@]} programs"
export PATH=$GMQOS_STAGE/bin:$PATH

# fits COMMAND: check that the help text fits on a screen and ends with an example
fits()
{
    local wide example option

    [ "$(wc -l < out)" -le 50 ] || fail "$* --help: $(wc -l < out) lines"
    wide=$(wc -L < out)
    [ "$wide" -le 80 ] || fail "$* --help: $wide columns"
    # every option needs a default, a unit or an explanation
    ! grep -q '^ *\(-., \)\?--[a-z-]*\(\[\?=[^ ]*\)\? *$' <(
        sed -z 's/\n \{20,\}/ /g' out) || fail "$* --help: an option without text"
    example=$(tail -1 out)
    [[ $example =~ ^Example:\ (.*[^a-z-])?$*($|[^a-z-]) ]] ||
        fail "$* --help: ends with '$example', not with an example"
    # the example may use only existing options
    for option in $(grep -o -- ' --[a-z-]*' <<< "$example"); do
        grep -q "^  .*$option" <(grep -v ^Example out) ||
            fail "$* --help: no $option, which its example uses"
    done
}

version=$(gmsim --version)
version=${version#gmsim}
for program in "${programs[@]}"; do
    status 0 "$program" --help
    grep -q "^Usage: $program" out || fail "$program --help: $(head -1 out)"
    grep -q 'Exit status: 0' <(tr '\n' ' ' < out) || fail "$program --help: no exit status"
    [ "$program" = gmsim ] || fits "$program"
    [ "$(wc -l < out)" -le 50 ] || fail "$program --help: too long"
    status 0 "$program" --version
    [ "$(cat out)" = "$program$version" ] || fail "$program --version: $(cat out)"
    status 1 sh -c "exec '$program' --help > /dev/full"
    [ "$(wc -l < err)" = 1 ] || fail "$program --help to a full disk: $(cat err)"
done
for command in "${commands[@]}"; do
    status 0 gmsim "$command" --help
    grep -q 'Exit status: 0' <(tr '\n' ' ' < out) || fail "gmsim $command --help: no exit status"
    fits gmsim "$command"
done
for program in mpicc mpicc_abi mpicxx mpic++ mpifort mpif77 mpif90; do
    [ -e "$GMQOS_STAGE/bin/$program" ] || continue
    status 0 "$program" --help
    [ "$(wc -l < out)" -le 50 ] && [ "$(wc -L < out)" -le 80 ] ||
        fail "$program --help does not fit"
done

# --- invalid usage: the message contains the program, the error and the allowed values ---

# wrong TEXT COMMAND..: check that the command is refused with a message that contains
# the text
count=0
wrong()
{
    local text=$1

    shift
    count=$((count + 1))
    status 2 "$@"
    mentions "$*" "$text"
    [ ! -s out ] || fail "$*: prints something although it is refused"
    grep -q "^\(/.*/\)\?$1" err || fail "$*: does not name the program: $(head -1 err)"
    [ "$(wc -l < err)" -le 3 ] || fail "$*: $(wc -l < err) lines"
}

for program in "${programs[@]}"; do
    wrong "nonsense" "$program" --nonsense
done
for command in "${commands[@]}"; do
    wrong "unrecognized option '--nonsense'" gmsim "$command" --nonsense
    ! grep -q -- '--seed' <(gmsim "$command" --help) ||
        wrong "option '--seed' requires an argument" gmsim "$command" --seed
done
wrong "unexpected argument 'b' (only one file is allowed)" gmsim topo a b
wrong "unexpected argument 'b' (only one file is allowed)" gmsim plan a b
wrong "unexpected argument 'b' (only one file is allowed)" gmsim model a b
wrong "unexpected argument 'b' (only one file is allowed)" gmsim config check a b
wrong "unexpected argument 'a' (this command takes none)" gmsim doctor a
for command in topo plan model "config check" report sweep; do
    # shellcheck disable=SC2086 # words
    wrong "the file name is empty" gmsim $command ''
done
wrong "FILE and --random cannot be used together" gmsim plan a --random 3
wrong "--random: value '0' is invalid; allowed: 1..100000000" gmsim plan --random 0
wrong "--best-effort: value '101' is invalid; allowed: 0..100" gmsim plan --random 1 --best-effort 101
wrong "--seed: value '-1' is invalid; allowed: 0..18446744073709551615" gmsim plan --random 1 --seed=-1
wrong "--seed: value ' 1' is invalid; allowed: 0.." gmsim plan --random 1 --seed ' 1'
wrong "--seed: value '1x' is invalid; allowed: 0.." gmsim qos --seed 1x
wrong "--load: value 'much' is invalid; allowed: 0..100" gmsim qos --load much
wrong "--load: value 'nan' is invalid; allowed: 0..100" gmsim qos --load nan
wrong "compare: --above: value '-1' is invalid; allowed: 0..1000000" gmsim compare --above=-1 a b
wrong "--jobs: value '0' is invalid; allowed: 1..1024" gmsim qos --jobs 0
wrong "--jobs: value '1025' is invalid; allowed: 1..1024" gmsim experiment run all -j 1025
wrong "--jobs: value '' is invalid; allowed: 1..1024" gmsim model -j ''
wrong "--power: value 'powerherb' is unknown (did you mean 'powerherd'?); allowed: none, credit, powerherd" \
    gmsim qos --power powerherb
wrong "--topology: value 'ring' is unknown; allowed: crossbar, cascade, clos" gmsim qos --topology ring
wrong "--profile: value 'lanai' is unknown; allowed: lanai4.3, myrinet2000, edr, hdr, ndr, roce-100, roce-25, slingshot-100, aries" gmsim params -p lanai
wrong "--method: value 'qnb' is unknown (did you mean 'qna'?); allowed: paper, qna, revisit" \
    gmsim model --method qnb
wrong "--card: value 'x' is unknown; allowed: send, both" gmsim model --card x
wrong "--set: value 'x' is invalid; allowed: KEY=VALUE" gmsim model --set x
wrong "--sweep: value 'x' is invalid; allowed: KEY=FROM:TO:N with 2..10000 values" gmsim model --sweep x
wrong "--route: value '1-2' is invalid; allowed: FROM:TO" gmsim topo --route 1-2
wrong "there is no parameter 'hots' (did you mean 'hosts'?)" gmsim params hots
wrong "unknown subcommand 'walk'; allowed: list, run" gmsim experiment walk
wrong "there is no experiment 'x'" gmsim experiment run x
wrong "unknown subcommand 'sho'; allowed: check, import, show" gmsim config sho
wrong "--hosts: value '1' is invalid; allowed: 16..1024" clos-rate --hosts 1
wrong "--pattern: value 'x' is unknown; allowed: permutation, uniform" clos-rate --pattern x
wrong "--events: value '0' is invalid; allowed: 1..1000000000" engine-rate --events 0
wrong "--network: value 'x' is unknown; allowed: mesh-4x4-0.20" flit-rate --network x
wrong "--flows: value '1e3' is invalid; allowed: 1..1000000" flow-rate --flows 1e3
wrong "--flows: value '0' is invalid; allowed: 1..1000000" bound-rate --flows 0
wrong "--size: value '65M' is invalid; allowed: 1..67108864" gm-pingpong --size 65M
wrong "--min: value '9' is larger than --max; allowed: up to 8" gm-pingpong --min 9 --max 8
wrong "--idt: value 'x' is invalid; allowed: 0..1000000" gm-bandwidth --idt x
if [ -e "$GMQOS_STAGE/bin/mpi-rate" ]; then
    wrong "case 'x' is unknown; allowed: pingpong, stream" mpi-rate x
    wrong "--iterations: value '0' is invalid; allowed: 1..100000000" mpi-rate -i 0
    wrong "--seconds: value '0' is invalid; allowed: above 0" mpi-flows --seconds 0
    wrong "--bandwidth: value '40@0' is invalid; allowed: up to" mpi-flows --bandwidth 40@0
    wrong "--bandwidth: value '-1' is invalid; allowed: 0.." mpi-alltoall --bandwidth=-1
    wrong "option --output requires a value" compare-gm-mpi --output
    wrong "option --rates requires a value" loss-bandwidth --rates
    # all ranks parse the command line, but only one rank reports the error
    status 2 mpirun -n 3 mpi-rate --nonsense
    [ "$(grep -c nonsense err)" = 1 ] || fail "mpirun: $(grep -c nonsense err) messages"
    status 2 mpirun -n 1 mpi-rate
    mentions "too few processes" "mpi-rate: requires at least 2 processes, not 1"
    status 2 mpirun -n 3 mpi-pingpong
    mentions "too many processes" "mpi-pingpong: requires 2 processes, not 3"
fi
[ "$count" -ge 50 ] || fail "only $count invalid command lines"

# --- output files ---
status 0 gmsim params --csv=rows.csv
[ ! -s out ] || fail "params --csv=FILE prints, too"
cmp -s rows.csv <(gmsim params --csv) || fail "params --csv=FILE: differs from --csv"
wrong "there is no parameter 'x'" gmsim params --csv=other.csv x
[ ! -e other.csv ] || fail "invalid usage leaves a file"
status 1 gmsim params --csv=nowhere/x.csv
mentions "a directory that does not exist" "gmsim params: nowhere/x.csv: No such file or directory"
# do not use /dev/full: if root runs the test, an erroneous program would replace it
(trap '' XFSZ; ulimit -f 0; exec gmsim params --csv=rows.csv 2>&1) | cat > err
mentions "no room" "gmsim: cannot write the output: File too large"
(trap '' XFSZ; ulimit -f 0; exec gmsim topo --dot rows.csv 2>&1) | cat > err
mentions "no room" "gmsim topo: rows.csv: File too large"
cmp -s rows.csv <(gmsim params --csv) || fail "a file that could not be replaced is lost"
status 1 sh -c 'exec gmsim topo > /dev/full'
mentions "a full disk" "gmsim: cannot write the output: No space left on device"
status 1 sh -c 'exec engine-rate --events 1 --handovers 100 > /dev/full'
mentions "a full disk" "engine-rate: cannot write the output"
[ "$(wc -l < err)" = 1 ] || fail "engine-rate: more than one of its processes prints a message"
[ "$(find . -name '.gmsim-*' | wc -l)" = 0 ] || fail "temporary files are left"

# no message is printed, because the reader has closed the pipe on purpose
for command in 'gmsim params --long' 'gmsim topo --routes' 'gmsim qos --help' 'gmsim experiment list'; do
    $command 2> err | head -1 > out
    [ ! -s err ] || fail "$command | head -1: $(cat err)"
    # if SIGPIPE is ignored, no message is printed either
    (trap '' PIPE; $command 2> err | head -1 > out)
    [ ! -s err ] || fail "$command | head -1, without SIGPIPE: $(cat err)"
done

finish
