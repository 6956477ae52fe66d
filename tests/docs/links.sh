#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# needs: nothing
#
# Each link of each page leads to an existing file and, if it contains a #, to a heading
# of this file. The test checks the links of the source, of the pages generated in the
# build, and of the installed documents. Every page is installed and listed in the index.
# Commands and C code on pages are run as tests.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

# anchors FILE: print the anchors that GitHub and other programs derive from headings
anchors()
{
    awk '/^```/ { code = !code } !code && /^#+ / {
        sub(/^#+ /, ""); $0 = tolower($0)
        gsub(/[^a-z0-9 _-]/, ""); gsub(/ /, "-")
        n = seen[$0]++; print n ? $0 "-" n : $0 }' "$1"
}

# links FILE: print the targets of [..](..), outside of code
links()
{
    awk '/^```/ { code = !code; next } code || /^    / && !item { next }
        { item = /^ *[-*] / || item && /^  /; gsub(/`[^`]*`/, ""); print }' "$1" |
        grep -o '](<\?[^)> ]*>\?)' | sed 's/^](<\?//; s/>\?)$//' || :
}

# check ROOT FALLBACK PAGE..: check the links of the pages, whose paths are relative to ROOT
check()
{
    local root=$1 fallback=$2 page link target anchor
    shift 2
    for page in "$@"; do
        while IFS= read -r link; do
            case $link in http://* | https://* | mailto:*) continue ;; esac
            anchor=
            [[ $link != *#* ]] || anchor=${link#*#}
            target=${link%%#*}
            if [ -z "$target" ]; then
                target=$root/$page
            elif [ -e "$root/$(dirname "$page")/$target" ]; then
                target=$root/$(dirname "$page")/$target
            else
                # option -m: the directory of the page need not exist
                target=$(realpath -m "$fallback/$(dirname "$page")/$target")
            fi
            count=$((count + 1))
            if [ ! -e "$target" ]; then
                fail "$root/$page: no such file: $link"
            elif [ -n "$anchor" ] && ! grep -qxF -- "$anchor" <(anchors "$target"); then
                fail "$root/$page: no such heading: $link"
            fi
        done < <(links "$root/$page")
    done
}

count=0
cd "$GMQOS_SRCDIR"
mapfile -t pages < <(find . -name '*.md' -not -path './build*' -not -path '*/node_modules/*' \
    -not -path './gmqos-*' -not -path './.git/*' | sort)
[ "${#pages[@]}" -gt 20 ] || fail "only ${#pages[@]} pages found"
check . "$GMQOS_BUILDDIR" "${pages[@]}"
echo "$count links in ${#pages[@]} pages"
[ "$count" -gt 50 ] || fail "that is too few"

# check the installed pages without the source
installed=$GMQOS_STAGE/share/doc/gmqos
cd "$installed"
mapfile -t pages < <(find . -name '*.md' | sort)
check . /nowhere "${pages[@]}"
cd "$GMQOS_SRCDIR"
for page in README.md doc/*.md doc/*/*.md; do
    [ -e "$installed/$page" ] || fail "$page is not installed"
done

# check that the index lists every page
for page in doc/*.md doc/howto/*.md doc/reference/*.md doc/tutorial/*.md; do
    [ "$page" = doc/README.md ] || grep -qF "](${page#doc/})" doc/README.md ||
        fail "$page is not in doc/README.md"
    awk 'END { exit NR > 500 }' "$page" || fail "$page is too long"
done

# check that commands on pages are tested: tests/docs/Makefile.mk lists the page, and C
# code has a file name
for page in README.md doc/*.md doc/*/*.md; do
    if grep -qE '^(```console$|<!-- run: )' "$page"; then
        grep -qxE "doc_tests [+]?= $page" tests/docs/Makefile.mk ||
            fail "$page: its commands are not run (tests/docs/Makefile.mk)"
    fi
    awk -v page="$page" '
        open && !/^\/\* [a-z0-9_]+\.[ch][ :]/ { print page ": C without a file name: " $0; bad = 1 }
        { open = $0 == "```c" }
        END { exit bad }' "$page" || fail "$page"
    # the pages use British spelling, except in identifiers
    if sed 's/`[^`]*`//g; s/([^)]*)//g' "$page" | awk '/^```/ { c = !c } !c && !/^    /' |
        grep -nE '[Bb]ehavior|[Cc]olor[^s-]|[Nn]eighbor|[Uu]tiliz|[Oo]ptimiz|[Aa]nalyz|[Ss]imulatour' |
        grep -vE 'gm_nic|utilization as'; then
        fail "$page: the spelling is not British"
    fi
done

finish
