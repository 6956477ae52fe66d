#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# needs: nothing
#
# Builds the web site of the documentation and checks it. Every link leads to an existing
# page and anchor, and every page of doc/ is in the navigation. Terms are linked to the
# glossary where a page first uses them. All abbreviations are in the glossary or in
# abbreviations.txt. The test also checks a copy of the site with deliberate faults, and
# must find all of them.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

need mkdocs mandoc python3
[ -d /usr/share/mkdocs/themes/material ] ||
    skip "no mkdocs-material here (apt-get install mkdocs-material)"

tools=$GMQOS_SRCDIR/doc/site
parameters=$GMQOS_STAGE/share/doc/gmqos/doc/reference/parameters.md
man=$GMQOS_STAGE/share/man
[ -d "$man" ] || man=

# check SITE GLOSSARY
check()
{
    python3 -B "$tools/check.py" "$1" "$2" "$GMQOS_SRCDIR/tests/docs/abbreviations.txt" "$GMQOS_SRCDIR"
}

bash "$tools/make-site" site "$parameters" ${man:+"$man"} || fail "make-site"
check site "$GMQOS_SRCDIR/doc/glossary.md" || fail "the site has the faults above"
[ -z "$man" ] || [ -f site/man/gmsim.1.html ] || fail "no man page of gmsim"
for name in search/search_index.json search/offline.js doc/reference/parameters.html; do
    [ -s "site/$name" ] || fail "no $name"
done
grep -q '"location":"doc/rate-control.html"' site/search/search_index.json ||
    fail "the search does not find doc/rate-control.html"

# Introduce each of these faults into a copy of the site; the check must find every fault.
cp -r site broken
expected=()
# break FILE EXPRESSION TEXT: change a page with sed; the check must then print TEXT
break_page()
{
    sed -i "$2" "broken/$1"
    ! cmp -s "site/$1" "broken/$1" || fail "$1: nothing to break: $2"
    expected+=("$3")
}
page=doc/admission.html
break_page $page 's|</article>|<a href="nowhere.html">x</a>&|' "$page: no such file: nowhere.html"
break_page $page 's|</article>|<a href="trace.html#nowhere">x</a>&|' \
    "$page: no such anchor: trace.html#nowhere"
break_page $page 's|</article>|<img src="https://example.org/x.png">&|' \
    "$page: loads https://example.org"
break_page $page 's|</article>|<p>The QQX waits.</p>&|' "allowed words: QQX"
break_page doc/accuracy.html 's|class="term"||' "doc/accuracy.html: not linked:"
break_page doc/counters.html 's|</article>|<i id="x"></i><i id="x"></i>&|' \
    "doc/counters.html: two elements have the anchor x"
break_page index.html 's|doc/admission.html|doc/index.html|' "doc/admission.md: not in the navigation"
{ cat "$GMQOS_SRCDIR/doc/glossary.md"; printf -- '- **quuxification**: Nothing.\n'; } > more.md
expected+=("doc/glossary.html: no anchor: quuxification" "no page uses the term: quuxification")
! check broken more.md > found || fail "a site with faults is accepted"
for text in "${expected[@]}"; do
    grep -qF -- "$text" found || fail "not found: $text"
done

# If a package is missing, make-site names the package and ends with status 1. missing
# PACKAGE [NAME=VALUE]: run make-site with a PATH that contains all programs except those
# of PACKAGE
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
