# SPDX-License-Identifier: BSD-3-Clause
# needs: nothing
#
# Checks gmsim plan: its answers, and its messages, which name the file, the line, the key,
# the value and the allowed values.
set -e
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_ends_test=yes
gmsim="$GMQOS_BUILDDIR/gmsim/tool/gmsim"

cat >plan.yaml <<'END'
requests:
  - {from: 1, to: 2, bandwidth: 40 MB/s, name: A}
  - {from: 1, to: 3, bandwidth: 40e6 B/s}
  - {from: 1, to: 4, class: best-effort, name: B}
  - all: [{from: 5, to: 6, bandwidth: 20 MB/s}, {from: 1, to: 6, bandwidth: 60 MB/s}]
  - {release: A}
END
"$gmsim" plan --csv plan.yaml >out
# A is granted 8192/204 = 40.157 of 78 MB/s. For the remaining 37.843 MB/s, the IDT is
# 8192/37.843 = 216.5 ticks. A request is granted at most 8192/217 = 37.751 MB/s.
diff - <(cut -d, -f1-11 out) <<'END'
record,name,from,to,class,result,idt_ticks,bytes_s,criterion,place,left_bytes_s
request,A,1,2,premium,granted,204,40156863,,,
request,#2,1,3,premium,denied,,,source node,node 1,37751152
request,B,1,4,best-effort,granted,217,37843137,,,
request,#4,5,6,premium,not asked,,,,,
request,#5,1,6,premium,denied,,,source node,node 1,37751152
request,A,1,2,premium,released,,,,,
best-effort,B,1,4,best-effort,,0,0,,,
END
# only guaranteed reservations have bounds
awk -F, 'NF != 14 { exit 1 }
    NR == 1 { if ($12 "," $13 "," $14 != "latency_s,delay_s,jitter_s") exit 1; next }
    $2 == "A" && $6 == "granted" { if (!($12 > 0 && $13 > 0 && $14 > 0 && $13 < 0.01)) exit 1; seen = 1; next }
    $12 $13 $14 != "" { exit 1 }
    END { if (!seen) exit 1 }' out

# with virtual lanes in the routers, delays are also granted, unless undeclared traffic may use all
# lanes
for undeclared in best-effort free; do
    printf '%s\n' 'hosts: 8' 'fabric: {model: flit}' 'parameters:' "  undeclared: $undeclared" \
        >flit.yaml
    printf '%s\n' "cluster: $PWD/flit.yaml" 'requests:' \
        '  - {from: 1, to: 2, bandwidth: 20 MB/s, message: 4096, delay: 1 ms, jitter: 1 ms}' \
        >flit-plan.yaml
    "$gmsim" plan --csv flit-plan.yaml >"flit.$undeclared"
done
awk -F, '$6 == "granted" && $12 > 0 && $13 > 0 && $13 < 0.001 && $14 > 0 { seen = 1 }
    END { exit !seen }' "flit.best-effort" || fail "flit: $(cat "flit.best-effort")"
grep -q '^request,#1,1,2,premium,denied,,,delay,' "flit.free" ||
    fail "flit, free: $(cat "flit.free")"

# refused TEXT PLAN: check that the plan is refused with a message that contains TEXT
refused()
{
    printf '%b' "$2" >bad.yaml
    if "$gmsim" plan bad.yaml 2>error; then
        fail "took $2"
    fi
    grep -qF -- "$1" error || fail "'$1' is not in: $(cat error)"
}
refused "bad.yaml:2: key 'bandwidth': value '40 MBs' is not a valid bandwidth; allowed:" \
    'requests:\n  - {from: 1, to: 2, bandwidth: 40 MBs}\n'
# the unit KB is refused, because it could mean 1000 bytes or 1024 bytes; hexadecimal numbers
# are refused, too
refused "bad.yaml:2: key 'bandwidth': value '40 KB/s' is not a valid bandwidth; allowed: above 0, up to 1e+12 bytes/s; units: B/s, kB/s, MB/s, GB/s (powers of 1000), KiB/s, MiB/s, GiB/s (of 1024)" \
    'requests:\n  - {from: 1, to: 2, bandwidth: 40 KB/s}\n'
for value in 0x10 0 -1 '-1 MB/s' 1001GB/s inf nan '1 Mb/s'; do
    refused "bad.yaml:2: key 'bandwidth': value '$value' is not a valid bandwidth" \
        "requests:\\n  - {from: 1, to: 2, bandwidth: $value}\\n"
done
refused "bad.yaml:2: key 'bandwidth': value '40' has no unit: '40 MB/s' or '40 B/s'?; allowed: above 0" \
    'requests:\n  - {from: 1, to: 2, bandwidth: 40}\n'
# 16 x 2^20 bytes/s correspond to an IDT of 8192 / 16.777 = 488.3 ticks, and 20 x 1000 kB/s
# correspond to 409.6 ticks
printf 'requests:\n  - {from: 1, to: 2, bandwidth: 16 MiB/s}\n  - {from: 3, to: 4, bandwidth: 20000 kB/s}\n' >units.yaml
[ "$("$gmsim" plan --csv units.yaml | awk -F, '$1 == "request" {print $7}' | paste -sd ' ')" = "488 409" ] ||
    fail "units: $("$gmsim" plan --csv units.yaml)"
refused "bad.yaml:2: key 'to': value '17' is out of range; allowed: 1..16" \
    'requests:\n  - {from: 1, to: 17, bandwidth: 1 B/s}\n'
refused "bad.yaml:2: key 'from_port' or 'to_port': value '8' is out of range; allowed: 0..7" \
    'requests:\n  - {from: 1, to: 2, bandwidth: 4 MB/s, to_port: 8}\n'
printf 'profile: edr\n' > edr.yaml
printf 'cluster: edr.yaml\nrequests:\n  - {from: 1, to: 2, bandwidth: 4 MB/s, to_port: 255}\n' > ports.yaml
"$gmsim" plan ports.yaml > answer || fail "port 255 of an hca"
refused "bad.yaml:3: key 'from_port': value '256'" \
    'cluster: edr.yaml\nrequests:\n  - {from: 1, to: 2, bandwidth: 4 MB/s, from_port: 256}\n'
refused "bad.yaml:2: unknown key 'form' (did you mean 'from'?); allowed: from" \
    'requests:\n  - {form: 1, to: 2, bandwidth: 1 B/s}\n'
refused "key 'class': value 'gold' is unknown; allowed: premium, best-effort" \
    'requests:\n  - {from: 1, to: 2, class: gold}\n'
refused "bad.yaml:2: key 'release': value 'X' is not the name of an earlier request" \
    'requests:\n  - {release: X}\n'
refused "a request requires 'bandwidth'" 'requests:\n  - {from: 1, to: 2}\n'
refused "a plan requires 'requests'" 'cluster: x\n'

# run the command twice on a Clos network with several levels, and compare the outputs
printf 'topology: clos\nhosts: 1000\n' >clos.yaml
"$gmsim" plan --random 3000 --best-effort 20 --changes 10 --cluster clos.yaml \
    >once
"$gmsim" plan --random 3000 --best-effort 20 --changes 10 --cluster clos.yaml \
    >twice
cmp once twice
status=0
"$gmsim" plan --random 5 --csv > out 2> err || status=$?
[ "$status" = 2 ] && grep -q -e '--csv requires FILE' err || { echo "FAIL: --random --csv"; exit 1; }
