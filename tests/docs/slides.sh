#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# needs: nothing
#
# Makes the slides of the lab and checks them. The file has one section for each slide, loads
# nothing from another file or host, and contains all pictures. The numbers in the tables
# of the slides appear in the solutions of the lab or in the documents of the manager.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

tools=$GMQOS_SRCDIR/doc/slides
page=$GMQOS_SRCDIR/doc/tutorial/slides.md

# If the required package is missing, make-slides names it and ends with status 1.
status=0
SLIDES_PYTHON=false bash "$tools/make-slides" "$page" other.html 2> err || status=$?
[ "$status" = 1 ] || fail "without markdown: status $status"
grep -q 'apt-get install python3-markdown' err || fail "without markdown: $(cat err)"
[ ! -e other.html ] || fail "without markdown: a file was made"

python3 -c 'import markdown' 2> /dev/null || /usr/bin/python3 -c 'import markdown' 2> /dev/null ||
    skip "no markdown for Python here (apt-get install python3-markdown)"
bash "$tools/make-slides" "$page" slides.html || fail "make-slides"
expected=$(($(grep -cx -- --- "$page") + 1))
[ "$expected" -ge 15 ] || fail "only $expected slides"
[ "$(grep -c '<section>' slides.html)" = "$expected" ] || fail "not $expected sections"
[ "$(grep -c '<h[12]>' slides.html)" = "$expected" ] || fail "a slide has no title"
[ "$(grep -o '<img [^>]*src="data:image/' slides.html | wc -l)" = "$(grep -c '^!\[' "$page")" ] ||
    fail "a picture is missing"
! grep -oE '(src|href)="(/|\.|[a-z]*:?/|[a-z-]*\.)[^"]{0,40}' slides.html || fail "refers to other files"
! grep -oE '(url\(|@import)[^;]{0,40}' slides.html || fail "the style refers to other files"
! grep -E '```|^\| ' slides.html || fail "Markdown is left"

# A line "---" in a block of code does not begin a slide, and a link to a page becomes
# text.
printf '# One\n\n```text\n---\n```\n\n---\n\n## Two\n\n[a page](lab.md)\n' > small.md
bash "$tools/make-slides" small.md small.html > out || fail "small.md"
[ "$(cat out)" = "2 slides" ] || fail "small.md: $(cat out)"
grep -qx '<p>a page</p>' small.html || fail "small.md: the link is not text"

# Check the numbers with a decimal point in the tables.
grep '^| [^-]' "$page" | grep -oE '[0-9]+\.[0-9]+' | sort -u > numbers
while read -r number; do
    grep -qwF "$number" "$GMQOS_SRCDIR/doc/tutorial/lab-solutions.md" "$GMQOS_SRCDIR/doc/admission.md" ||
        fail "$number is not in the solutions"
done < numbers
[ "$(wc -l < numbers)" -gt 5 ] || fail "only $(wc -l < numbers) numbers"

finish
