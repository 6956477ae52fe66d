#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks the report's page in a browser: its content, the absence of network requests,
# keyboard control, colours, narrow screens, printing, and hostile names.
# needs: nothing
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

need python3 chromium
src=$GMQOS_SRCDIR/tests/report

# The browser keeps its cache and settings in this directory.
export HOME=$PWD PYTHONDONTWRITEBYTECODE=1

for name in demo half clos64 faults hostile rising falling empty; do
    python3 "$src/sample.py" "$name" > "$name.json"
    "$GMQOS_BUILDDIR/tests/report/page_of" "$name.json" > "$name.html"
done
python3 -c 'import json
data = json.load(open("demo.json"))
data["cluster"]["nic_kind"] = "hca"
for flow in data["flows"]:
    flow["name"] = flow["name"].replace(" to ", " -> ")
json.dump(data, open("hca.json", "w"))'
"$GMQOS_BUILDDIR/tests/report/page_of" hca.json > hca.html
"$GMQOS_BUILDDIR/tests/report/page_of" demo.json half.json > pair.html
"$GMQOS_BUILDDIR/tests/report/page_of" rising.json falling.json > turned.html

# Check that the lines and the area of the other flows add up to the total. Only this test
# needs node.
if command -v node > /dev/null; then
    node "$src/rest.js" "$GMQOS_SRCDIR/gmsim/report/assets"
fi

# The program must refuse a document that is not an object, and must detect a full disk.
echo '[]' > list.json
if "$GMQOS_BUILDDIR/tests/report/page_of" list.json > list.html 2> err ||
    ! grep -q 'argument out of range' err; then
    echo "FAIL: a list was accepted as a run: $(cat err)"
    exit 1
fi
if [ -c /dev/full ] &&
    { "$GMQOS_BUILDDIR/tests/report/page_of" demo.json > /dev/full 2> err ||
        ! grep -q 'system call failed' err; }; then
    echo "FAIL: a full disk was not detected: $(cat err)"
    exit 1
fi

python3 "$src/page.py" .
