#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# needs: nothing
#
# Checks gmsim verify: its verdicts, CSV, exit status, plans that repeat a case, and
# messages that name the file, the line, the key, the value and the allowed values.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_ends_test=yes
gmsim="$GMQOS_BUILDDIR/gmsim/tool/gmsim"

# column NUMBER NAME: print a column of the named flow from the file `out`
column()
{
    awk -F, -v n="$1" -v name="$2" '$1 == name { print $n }' out
}

cat > kept.yaml << 'END'
requests:
  - {from: 1, to: 2, bandwidth: 40 MB/s, name: video}
  - {from: 1, to: 3, bandwidth: 60 MB/s, name: backup}
  - {from: 4, to: 5, bandwidth: 10 MB/s, name: left, message: 4096}
  - {from: 6, to: 7, bandwidth: 10 MB/s, name: gone}
  - {release: gone}
  - all: [{from: 8, to: 9, bandwidth: 20 MB/s, name: one},
          {from: 8, to: 10, bandwidth: 90 MB/s, name: two}]
  - {from: 11, to: 12, class: best-effort, name: logs}
  - {from: 13, to: 14, class: none, name: noise, priority: high, start: 1 ms, stop: 2 ms}
END
ends 0 "$gmsim" verify --csv kept.yaml
[ "$(head -1 out)" = "name,from,to,class,asked_bytes_s,answer,granted_bytes_s,least_bytes_s,delay_bound_s,delay_worst_s,jitter_bound_s,jitter_worst_s,verdict" ] ||
    fail "columns: $(head -1 out)"
awk -F, 'NF != 13 { bad = 1 } END { exit bad }' out || fail "fields: $(cat out)"
# the granted bandwidth is 8192 bytes / 204 us = 40.157 MB/s, and a window may fall short of it
# by 0.5 %
[ "$(column 13 video)" = kept ] && [ "$(column 7 video)" = 40156863 ] ||
    fail "video: $(cat out)"
awk -v least="$(column 8 video)" 'BEGIN { exit !(least >= 39.956e6 && least <= 40.2e6) }' ||
    fail "least of video: $(column 8 video)"
# A message of 64 KiB consists of 16 packets, one every 102 us. The delay of the message is 15
# times this interval plus the time of the last packet.
awk -v worst="$(column 10 video)" 'BEGIN { exit !(worst > 15 * 102e-6 && worst < 15 * 102e-6 + 400e-6) }' ||
    fail "delay of video: $(column 10 video)"
[ "$(column 13 backup)$(column 6 backup)" = denieddenied ] || fail "backup: $(cat out)"
[ "$(column 13 left)" = kept ] || fail "left: $(cat out)"
[ "$(column 13 gone)" = released ] || fail "gone: $(cat out)"
[ "$(column 13 two)" = denied ] && [ "$(column 8 one)" = "" ] || fail "a set: $(cat out)"
[ "$(column 13 logs)" = best-effort ] || fail "logs: $(cat out)"
[ "$(column 13 noise)$(column 6 noise)" = "undeclarednot asked" ] || fail "noise: $(cat out)"
[ "$(wc -l < out)" = 9 ] || fail "a line each: $(cat out)"

# the table has the same values as the CSV, and two runs print the same output
ends 0 "$gmsim" verify kept.yaml
grep -q '^video  *1  *2  *40\.157 ' out || fail "table: $(cat out)"
grep -q '^backup .* denied (source node)$' out || fail "criterion: $(cat out)"
grep -q '^2 reservations kept, 0 broken, 3 denied\.$' out || fail "summary: $(cat out)"
cp out once
ends 0 "$gmsim" verify kept.yaml
cmp once out

# On the hardware of the thesis, undeclared traffic breaks guarantees, and the command
# must detect this.
cat > free.cluster.yaml << 'END'
parameters:
  undeclared: free
END
cat > flood.yaml << 'END'
cluster: free.cluster.yaml
requests:
  - {from: 1, to: 2, bandwidth: 40 MB/s, name: video}
  - {from: 5, to: 6, bandwidth: 20 MB/s, name: aside}
  - {from: 3, to: 2, class: none}
  - {from: 4, to: 2, class: none}
END
ends 1 "$gmsim" verify --csv=flood.csv flood.yaml
[ "$(awk -F, '$1 == "video" { print $13 }' flood.csv)" = "broken bandwidth" ] ||
    fail "video during floods: $(cat flood.csv)"
[ "$(awk -F, '$1 == "aside" { print $13 }' flood.csv)" = kept ] ||
    fail "another flow during floods: $(cat flood.csv)"
ends 1 "$gmsim" verify flood.yaml
grep -q ' lowest bandwidth .* MB/s, promised 40.157 MB/s; most time was lost at the receive buffers of node 2, ' out || fail "the resource that is named: $(cat out)"

# The search must find an adversary, and the plan that the search writes must repeat the
# violation.
cat > lone.yaml << 'END'
cluster: free.cluster.yaml
time: 110 ms
requests:
  - {from: 1, to: 2, bandwidth: 40 MB/s, name: lone}
END
ends 0 "$gmsim" verify lone.yaml
ends 1 "$gmsim" verify --search 32 --jobs 2 --csv=found.csv lone.yaml
grep -q "'lone-broken.yaml' reproduces the variation that broke a bound" err || fail "$(cat err)"
ends 1 "$gmsim" verify --csv=again.csv lone-broken.yaml
cmp found.csv again.csv
# the result does not depend on the number of processes, but another seed leads to
# another search
ends 1 "$gmsim" verify --search 32 --jobs 1 --csv=alone.csv -o alone.yaml lone.yaml
cmp found.csv alone.csv
cmp lone-broken.yaml alone.yaml
ends 1 "$gmsim" verify --search 32 --seed 2 --csv=other.csv -o other.yaml lone.yaml
! cmp -s lone-broken.yaml other.yaml || fail "two seeds, one search"
# a file that cannot be written is reported
ends 1 "$gmsim" verify --search 32 -o none/x.yaml lone.yaml
grep -q "cannot write 'none/x.yaml'" err || fail "$(cat err)"

# if --time is shorter than a window, the command reports that it has measured no window
ends 0 "$gmsim" verify --time 20ms lone.yaml
grep -q 'not measured' out || fail "a short run: $(cat out)"

# refused TEXT PLAN: check that the plan is refused with a message that contains TEXT
refused()
{
    printf '%b' "$2" > bad.yaml
    ends 2 "$gmsim" verify bad.yaml
    grep -qF -- "$1" err || fail "'$1' is not in: $(cat err)"
}
flow='requests:\n  - {from: 1, to: 2'
for key in delay jitter start stop on off phase; do
    refused "bad.yaml:2: key '$key': value '3 min' is not a valid time; allowed: " "$flow, bandwidth: 1e6 B/s, $key: 3 min}\n"
    refused "bad.yaml:2: key '$key': value '3' is not a valid time; allowed: " "$flow, bandwidth: 1e6 B/s, $key: 3}\n"
done
refused "key 'delay': value '0 ms' is not a valid time; allowed: above 0, up to 1000 s, with the unit s, ms, us, ns or ps, such as 2 ms" \
    "$flow, bandwidth: 1e6 B/s, delay: 0 ms}\n"
refused "bad.yaml:2: key 'message': value '2 MiB' is not a valid size; allowed: 1 to 1048576 bytes" "$flow, bandwidth: 1e6 B/s, message: 2 MiB}\n"
refused "key 'burst': value '1' is less than one message; allowed: at least 65536 bytes" "$flow, bandwidth: 1e6 B/s, burst: 1}\n"
refused "key 'window': value '0' is out of range; allowed: 1..1024" "$flow, bandwidth: 1e6 B/s, window: 0}\n"
refused "key 'priority': value 'top' is unknown" "$flow, bandwidth: 1e6 B/s, priority: top}\n"
refused "key 'send': value 'never' is unknown" "$flow, bandwidth: 1e6 B/s, send: never}\n"
refused "key 'random': value 'maybe' is unknown" "$flow, bandwidth: 1e6 B/s, random: maybe}\n"
refused "'on' requires 'off'" "$flow, bandwidth: 1e6 B/s, on: 1 ms}\n"
refused "'random' requires 'on' and 'off'" "$flow, bandwidth: 1e6 B/s, random: true}\n"
refused "key 'stop': the time is not after 'start'" "$flow, bandwidth: 1e6 B/s, start: 2 ms, stop: 1 ms}\n"
refused "'start' and 'phase' cannot be used together" "$flow, bandwidth: 1e6 B/s, start: 2 ms, phase: 1 ms}\n"
refused "'delay', 'jitter' and 'burst' require class premium" "$flow, class: none, delay: 1 ms}\n"
refused "'bandwidth' is not allowed for an undeclared flow" "$flow, class: none, bandwidth: 1e6 B/s}\n"
refused "'class: none' is not a request" 'requests:\n  - all: [{from: 1, to: 2, class: none}]\n'
refused "key 'time': value 'long' is not a valid time" 'time: long\nrequests:\n  - {from: 1, to: 2, class: none}\n'
refused "request '#2' (line 3)" "$flow, class: none, label: 1}\n  - {from: 1, to: 2, class: none, label: 1}\n"
ends 2 "$gmsim" verify
ends 2 "$gmsim" verify nothing.yaml
ends 2 "$gmsim" verify --time 3 lone.yaml
grep -q -e "--time: value '3' is not a valid time; allowed: above 0" err || fail "$(cat err)"
ends 2 "$gmsim" verify --search 0 lone.yaml
ends 2 "$gmsim" verify -o x.yaml lone.yaml
grep -q -e '--output requires --search' err || fail "$(cat err)"
# On Ethernet, a node receives a reserved flow, the acknowledgements of its own reserved flow, and
# other traffic.
printf 'profile: roce-100\nhosts: 16\n' > ethernet.yaml
cat > returns.yaml << 'END'
cluster: ethernet.yaml
time: 110 ms
requests:
  - {from: 5, to: 1, bandwidth: 11000 MB/s, name: in, window: 16}
  - {from: 1, to: 2, bandwidth: 3000 MB/s, name: out}
  - {from: 3, to: 1, class: none, name: flood}
END
ends 0 "$gmsim" verify --csv returns.yaml
[ "$(column 13 in)$(column 13 out)" = keptkept ] || fail "acknowledgements: $(cat out)"

# if all messages of a sender are in flight, its reservation does not count as verified
sed 's/window: 16/window: 1/' returns.yaml > few.yaml
ends 1 "$gmsim" verify few.yaml
grep -q '^in .* unmeasured$' out || fail "few messages: $(cat out)"
grep -q '(window: 1) were on their way; use a larger window$' out || fail "few messages: $(cat out)"

# gmsim plan accepts the same file
ends 0 "$gmsim" plan kept.yaml
grep -q '^noise  *13  *14  *none  *not asked' out || fail "plan: $(cat out)"
ends 0 "$gmsim" plan --csv kept.yaml
[ "$(awk -F, '{ print NF }' out | sort -u)" = "$(head -1 out | awk -F, '{ print NF }')" ] ||
    fail "plan, fields: $(cat out)"
