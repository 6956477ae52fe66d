#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks completion in bash: the words that it offers for a table of command lines.
# needs: nothing
set -uo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

file=$GMQOS_STAGE/share/bash-completion/completions/gmsim
lines=0

[ -s "$file" ] || { echo "FAIL: no $file"; exit 1; }
# shellcheck disable=SC1090
. "$file"

mkdir -p here/sub
touch here/a.yaml here/b.yml here/c.csv here/d.txt here/clo.yaml
cd here || exit 1

# offers LINE: print the words that the TAB key offers at the end of the line, one word
# per line. "=" and ":" separate words, as in COMP_WORDBREAKS.
offers()
{
    local line=$1 word function

    COMP_WORDS=()
    for word in $line; do
        while [[ $word =~ ^([^=]+)(=)(.*)$ ]]; do
            COMP_WORDS+=("${BASH_REMATCH[1]}" =)
            word=${BASH_REMATCH[3]}
        done
        [ -z "$word" ] || COMP_WORDS+=("$word")
    done
    [[ $line != *' ' ]] || COMP_WORDS+=('')
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMPREPLY=()
    function=$(complete -p "${COMP_WORDS[0]##*/}" | sed 's/.*-F \([^ ]*\).*/\1/')
    "$function" "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
    [ "${#COMPREPLY[@]}" = 0 ] || printf '%s\n' "${COMPREPLY[@]}"
}

# exactly LINE WORD...: check that completion offers exactly these words for the line
exactly()
{
    local line=$1 got want

    shift
    lines=$((lines + 1))
    got=$(offers "$line" | LC_ALL=C sort | tr '\n' ' ')
    want=$([ $# = 0 ] || printf '%s\n' "$@" | LC_ALL=C sort | tr '\n' ' ')
    [ "$got" = "$want" ] || fail "'$line' offers '$got', expected '$want'"
}

# among LINE WORD...: check that completion offers at least these words for the line
among()
{
    local line=$1 word got

    shift
    lines=$((lines + 1))
    got=$(offers "$line")
    for word; do
        grep -qxF -- "$word" <<< "$got" || fail "'$line' does not offer '$word'"
    done
}

# --- all commands that --help lists ---
mapfile -t commands < <("$GMQOS_STAGE/bin/gmsim" --help |
    sed -n '/^Commands:/,/^$/s/^  \([^ ]*\) .*/\1/p')
exactly 'gmsim ' "${commands[@]}"
exactly 'gmsim exp' experiment
exactly '/some/where/gmsim exp' experiment
exactly 'gmsim --v' --version
exactly 'gmsim nonsense ' # there is no such command

# --- words and names ---
exactly 'gmsim config ' check import show
exactly 'gmsim config sh' show
exactly 'gmsim experiment ' list run
exactly 'gmsim experiment run thesis-5.1' thesis-5.1 thesis-5.10 thesis-5.11 thesis-5.12
among 'gmsim experiment run --check all qos-fig' qos-fig-3 qos-fig-10
among 'gmsim experiment list ' all mpi-accuracy
exactly 'gmsim params link_' link_bytes_s link_propagation_ps
exactly 'gmsim params hosts host_dma_s' host_dma_setup_ps
exactly 'gmsim doctor '

# --- all options that --help lists ---
for command in "${commands[@]}"; do
    mapfile -t options < <("$GMQOS_STAGE/bin/gmsim" "$command" --help |
        sed -n 's/^\(  -[A-Za-z?], \|      \)\(--[a-z-]*\)\(=\{0,1\}\).*/\2\3/p')
    exactly "gmsim $command --" "${options[@]}"
done
exactly 'gmsim qos --re' --real-time= --real-time-lanes= --replications= --retry

# --- values of options ---
exactly 'gmsim qos --topology ' crossbar cascade clos fat-tree mesh torus
exactly 'gmsim qos --topology=' crossbar cascade clos fat-tree mesh torus
exactly 'gmsim qos --topology=c' crossbar cascade clos
exactly 'gmsim qos --load 70 --power p' powerherd
exactly 'gmsim qos --load '
exactly 'gmsim params --profile ' aries edr hdr lanai4.3 myrinet2000 ndr roce-100 roce-25 slingshot-100
exactly 'gmsim params -p m' myrinet2000
exactly 'gmsim model --simulate ' 1 2
exactly 'gmsim model --method=r' revisit
# if the value of an option is optional, it is never a separate word
among 'gmsim params --csv link_b' link_bytes_s
exactly 'gmsim params --csv=' c.csv sub

# --- files ---
exactly 'gmsim topo ' a.yaml b.yml clo.yaml sub
exactly 'gmsim topo --links a' a.yaml
exactly 'gmsim config check c' clo.yaml
exactly 'gmsim config import ' a.yaml b.yml c.csv clo.yaml d.txt sub
exactly 'gmsim plan -c ' a.yaml b.yml clo.yaml sub
exactly 'gmsim experiment run all --plot ' sub
PATH=$GMQOS_STAGE/bin:$PATH exactly 'gmsim topo mesh' \
    "$GMQOS_STAGE/share/gmqos/clusters/mesh-4x4.yaml"

# --- other programs, with and without mpirun ---
exactly 'clos-rate --pattern ' permutation uniform
exactly 'clos-rate --p' --pattern=
exactly 'gm-bandwidth --i' --idt= --iterations=
exactly 'mpirun -n 2 gm-bandwidth --i' --idt= --iterations=
among 'mpirun -n 4 gm-' gm-bandwidth gm-pingpong
exactly 'mpirun -n '
exactly 'mpirun -pp' -ppn
exactly 'mpirun -n 2 gmsim top' topo
if [ -e "$GMQOS_STAGE/bin/mpi-rate" ]; then
    exactly 'mpirun -n 2 mpi-rate st' stream stencil
    exactly 'compare-gm-mpi --m' --max= --min=
fi
for program in "$GMQOS_STAGE"/bin/*; do
    name=${program##*/}
    case $name in
    hydra_* | mpicc | mpicc_abi | mpicxx | mpic++ | mpifort | mpif77 | mpif90 | mpiexec* | mpirun) continue ;;
    esac
    [ -e "${file%/*}/$name" ] || fail "no completion for $name"
    among "$name --" --help --version
done

# --- bash-completion finds the file, if it is installed ---
loader=/usr/share/bash-completion/bash_completion
if [ -e "$loader" ]; then
    bash --norc -c '
        PS1=x; BASH_COMPLETION_USER_DIR=$1
        . "$2" && _completion_loader gm-pingpong; complete -p gm-pingpong' - \
        "$GMQOS_STAGE/share/bash-completion" "$loader" > out 2>&1
    grep -q -- '-F _gmqos gm-pingpong' out || fail "bash-completion: $(cat out)"
fi
echo "$lines lines"
finish
