#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks that every installed program and every public function has a man page, and that
# troff (or mandoc) prints no warnings for these pages. If a page refers to another
# page, the other page must exist.
# needs: nothing
set -uo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

man=$GMQOS_STAGE/share/man
if [ ! -e "$man/man1/gmsim.1" ]; then
    grep -q '^WITH_MAN_TRUE=.*#' "$GMQOS_BUILDDIR/config.log" ||
        { echo "FAIL: no man pages, although the tools are installed"; exit 1; }
    skip "this build has no man pages (apt-get install help2man lowdown)"
fi
command -v man > /dev/null || skip "no man (apt-get install man-db)"

# has NAME SECTION: succeed if the manual contains this page, which may be a reference
# to another page
has()
{
    local file=$man/man$2/$1.$2

    [ -s "$file" ] || { fail "no $1($2)"; return; }
    if read -r so target < "$file" && [ "$so" = .so ]; then
        [ -s "$man/$target" ] || fail "$1($2) refers to $target, which does not exist"
        said=$(sed -n '/^\.SH NAME/,/^\.SH DESCRIPTION/p;/^\.SH DECLARATIONS/,$p' "$man/$target")
        grep -qw -- "$1" <<< "${said//\\-/-}" || fail "$target does not mention $1"
    fi
}

# --- programs ---
count=0
for program in "$GMQOS_STAGE"/bin/*; do
    has "${program##*/}" 1
    count=$((count + 1))
done
[ "$count" -ge 7 ] || fail "only $count programs"
while read -r command _; do
    has "gmsim-$command" 1
done < <("$GMQOS_STAGE/bin/gmsim" --help | sed -n '/^Commands:/,/^$/s/^  //p')

# --- functions that the libraries export, except names that begin with _ ---
functions=$(for lib in libgm libmpiqos; do
    [ ! -e "$GMQOS_STAGE/lib/$lib.so" ] ||
        nm -D --defined-only "$GMQOS_STAGE/lib/$lib.so"
done | sed -n 's/^[0-9a-f]* T \(\(gm_\|gmsim_\|mpiqos_\|MPIQOS_\)[A-Za-z0-9_]*\).*/\1/p' |
    sort -u)
[ "$(wc -l <<< "$functions")" -ge 180 ] ||
    fail "only $(wc -l <<< "$functions") functions are exported"
declared=$(grep -hv '^ *\*\|^ */\*\|^[!Cc ] ' "$GMQOS_STAGE"/include/*.h)
for function in $functions; do
    # only the device and Fortran programs call these functions, which no header
    # declares
    grep -qw -- "$function" <<< "$declared" || continue
    has "$function" 3
done

# --- sections 5 and 7 ---
has gmqos-record 5
has gmqos-exit-status 7
has gmqos-time 7

# --- troff must not print warnings; tables may be wider than the page ---
for page in "$man"/man?/*; do
    [ "$(head -c 4 "$page")" != ".so " ] || continue
    said=$(LC_ALL=C.UTF-8 MANROFFSEQ=t MANWIDTH=100 man --warnings -E UTF-8 -l "$page" 2>&1 > out |
        grep -v 'table \(wider\|squeezed\)\|around line\|cannot adjust\|break line')
    [ -z "$said" ] || fail "${page##*/}: $said"
    [ "$(wc -l < out)" -ge 15 ] || fail "${page##*/}: only $(wc -l < out) lines"
    ! grep -q '^\.SH NAME' "$page" || ! sed -n '/^\.SH NAME/{n;p}' "$page" |
        grep -qv ' \\- ..*' || fail "${page##*/}: NAME has no description"
    ! grep -q 'manual page for' "$page" || fail "${page##*/}: no summary"
    # the page must not contain remnants of Markdown, roff or comments
    ! grep -n '^ *```\|\\f[BIR]\|\]([^)]*\.md' out || fail "${page##*/}: shows its source"
done
if command -v mandoc > /dev/null; then
    # mandoc looks up the target of .so in the root directory of the pages
    said=$(cd "$man" && find . -name '*.[1357]' -exec mandoc -Tlint -W error {} + 2>&1)
    [ -z "$said" ] || fail "mandoc: $(head -5 <<< "$said")"
fi

# --- references: pages may refer only to existing pages of gmqos ---
for page in "$man"/man?/*; do
    while read -r name section; do
        case $name in
        gm* | mpi*)
            # a document that has not been written yet has no page
            text=$(sed -n "s|.*/\(doc/.*\)=$name\.$section\( .*\)*$|\1|p" \
                "$GMQOS_SRCDIR/doc/man/Makefile.mk")
            [ -e "$man/man$section/$name.$section" ] ||
                [ ! -e "$GMQOS_SRCDIR/${text:-.}" ] ||
                echo "$name $section ${page##*/}"
            ;;
        esac
    done < <(sed -n 's/^\.BR \([a-z0-9_\\.-]*\) (\([1357]\)).*/\1 \2/p' "$page" | sed 's/\\//g')
done | sort | while read -r name section page; do
    echo "missing: $name($section), to which $page refers"
done > missing
if [ -s missing ]; then
    cat missing
    fail "some references lead to missing pages"
fi

finish
