#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# needs: nothing
#
# Builds the web site of the documentation and checks it. Links and anchors lead to an
# existing target, and every page of doc/ is in the navigation. Terms of the glossary are
# linked where a page first uses them. All abbreviations are in the glossary or in
# abbreviations.txt. Then breaks the site in several ways; the checks must find each.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

need mkdocs mandoc python3
[ -d /usr/share/mkdocs/themes/material ] ||
    skip "no mkdocs-material here (apt-get install mkdocs-material)"

tools=$GMQOS_SRCDIR/doc/site
parameters=$GMQOS_STAGE/share/doc/gmqos/doc/reference/parameters.md
man=$GMQOS_STAGE/share/man
[ -d "$man" ] || man=

check()
{
    python3 -B "$tools/check.py" site "${1-$GMQOS_SRCDIR/doc/glossary.md}" \
        "${2-$GMQOS_SRCDIR/tests/docs/abbreviations.txt}" "${3-$GMQOS_SRCDIR}"
}

bash "$tools/make-site" site "$parameters" ${man:+"$man"} || fail "make-site"
check || fail "the site has the faults above"
[ -z "$man" ] || [ -f site/man/gmsim.1.html ] || fail "no man page of gmsim"
for name in search/search_index.json search/offline.js doc/reference/parameters.html; do
    [ -s "site/$name" ] || fail "no $name"
done
grep -q '"location":"doc/rate-control.html"' site/search/search_index.json ||
    fail "the search does not know doc/rate-control.html"

# finds TEXT [ARGUMENT..]: the check ends with 1 and prints a line that contains TEXT
finds()
{
    local text=$1
    shift
    ! check "$@" > found || fail "not found: $text"
    grep -qF -- "$text" found || fail "not printed: $text"
}

# broken FILE EXPRESSION TEXT: after sed changed a page, the check prints TEXT
broken()
{
    cp "site/$1" kept
    sed -i "$2" "site/$1"
    ! cmp -s kept "site/$1" || fail "$1: nothing to break: $2"
    finds "$3"
    mv kept "site/$1"
}
page=doc/admission.html
broken $page 's|</article>|<a href="nowhere.html">x</a>&|' "$page: no such file: nowhere.html"
broken $page 's|</article>|<a href="trace.html#nowhere">x</a>&|' \
    "$page: no such anchor: trace.html#nowhere"
broken $page 's|</article>|<img src="https://example.org/x.png">&|' "$page: loads https://example.org"
broken $page 's|</article>|<p>The QQX waits.</p>&|' "allowed words: QQX"
broken $page 's|class="term"||' "$page: not linked:"
broken index.html 's|doc/admission.html|doc/index.html|' 'doc/admission.md: not in the navigation'
{ cat "$GMQOS_SRCDIR/doc/glossary.md"; printf -- '- **quuxification**: Nothing.\n'; } > more.md
finds 'doc/glossary.html: no anchor: quuxification' more.md
finds 'no page uses the term: quuxification' more.md

# Without one of the packages, make-site names it and ends with 1.
# missing PACKAGE [NAME=VALUE]: PATH has all programs except PACKAGE's
missing()
{
    local program status=0
    rm -rf bin
    mkdir bin
    for program in bash dirname realpath mkdocs mandoc python3; do
        [ "$program" = "$1" ] || ln -s "$(command -v "$program")" "bin/$program"
    done
    env "PATH=$PWD/bin" "${@:2}" bash "$tools/make-site" other "$parameters" 2> err || status=$?
    [ "$status" = 1 ] || fail "without $1: status $status"
    grep -q "apt-get install.* $1" err || fail "without $1: $(cat err)"
    [ ! -e other ] || fail "without $1: a site was made"
}
missing mkdocs
missing mandoc
missing mkdocs-material MATERIAL_THEME=/nowhere

finish
