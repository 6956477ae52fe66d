#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# needs: nothing
#
# Documents, messages and comments are plain English: words.txt lists words to avoid and
# their replacements, and a sentence has at most 30 words (the aim is 25). A sentence that
# passes can still be hard to read; this check finds only the most frequent faults.
#
# Usage: words.sh [FILE..]   (default: all documents and sources of the project)
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

work=$(mktemp -d) # the test can also be started by hand, in any directory
trap 'rm -rf "$work"' EXIT
cd "$GMQOS_SRCDIR"
longest=30

# check FILE..: print `FILE:LINE: advice: sentence` for every sentence to rewrite. The check
# skips strings of unit tests, because these strings quote messages, which the check finds in
# the program's sources.
check()
{
    printf '%s\0' "$@" | xargs -0 tests/docs/sentences |
        awk -F '\t' '$1 !~ /^tests\/unit\// || $2 !~ /^(message|part)$/' |
        perl tests/docs/words.pl tests/docs/words.txt "$longest"
}

if [ $# -gt 0 ]; then
    files=("$@")
else
    mapfile -t files < <(find README.md CONTRIBUTING.md CHANGES Makefile.am configure.ac \
        m4/qos_*.m4 quickstart bootstrap doc gmsim adi-gm mpi-qos benchmarks examples tests \
        clusters -type f -not -path 'tests/foreign/*' -not -path 'tests/docs/words.*' \
        -not -path 'tests/data/bad*' |
        grep -E '\.(c|h|css|f|f90|md|sh|mk|am|ac|m4|awk|pl|yaml|[1-8])$|/[a-z-]+$|^[A-Za-z]+$' | sort)
    [ "${#files[@]}" -gt 1000 ] || { echo "FAIL: only ${#files[@]} files"; exit 1; }
fi
check "${files[@]}" || fail "the sentences above need other words, or are too long"

# Test the check itself: it finds a fault in each kind of text.
printf '# A heading\n\nThe manager tells nobody.\n' > "$work/a.md"
printf '/* What waits here. */\nconst char *text = "see the folder " "of it";\n' > "$work/b.c"
printf '%s\n' '# beside it' > "$work/c.sh"
printf 'One %s.\n' "$(printf 'word %.0s' $(seq 30))" > "$work/d.md"
for expected in a.md:3 b.c:1 b.c:2 c.sh:1 d.md:1; do
    ! check "$work/${expected%:*}" > "$work/found" || fail "$expected is not found"
    grep -qF "$expected: " "$work/found" || fail "$expected is not named"
done
printf 'The manager denies the request.\n' > "$work/e.md"
check "$work/e.md" > /dev/null || fail "a plain sentence is refused"
finish
