#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# The command line: what commands there are, and what is said to somebody who
# mistypes one.
# needs: nothing
set -uo pipefail

gmsim=$GMQOS_STAGE/bin/gmsim
failed=0

fail()
{
    echo "FAIL: $*"
    failed=1
}

# status WANT COMMAND..: run it; out and err hold what it wrote
status()
{
    local want=$1 got=0

    shift
    "$@" > out 2> err < /dev/null || got=$?
    [ "$got" = "$want" ] || fail "$*: status $got, expected $want: $(head -3 err)"
}

# says WHAT TEXT: TEXT is in err
says()
{
    grep -qF -- "$2" err || fail "$1: no '$2' in: $(head -5 err)"
}

# --- commands: the same list everywhere ---
status 0 "$gmsim" --help
mapfile -t commands < <(
    sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' out)
[ "${#commands[@]}" -ge 8 ] || fail "only ${#commands[@]} commands in --help"
[ "$(printf '%s\n' "${commands[@]}")" = \
  "$(printf '%s\n' "${commands[@]}" | LC_ALL=C sort -u)" ] ||
    fail "commands are not in order: ${commands[*]}"
status 2 "$gmsim" nonsense
list=$(IFS=,; echo "${commands[*]}")
says "an unknown command" "gmsim: unknown command 'nonsense'; allowed: ${list//,/, }"
for command in "${commands[@]}"; do
    status 0 "$gmsim" "$command" --help
    grep -q "^Usage: gmsim $command" out || fail "gmsim $command --help: $(head -1 out)"
    status 2 "$gmsim" "${command}q"
    says "a command with a letter too many" "(did you mean '$command'?)"
done
status 2 "$gmsim" modle
says "two letters in the wrong order" "(did you mean 'model'?)"
status 2 "$gmsim"

exit "$failed"
