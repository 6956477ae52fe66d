# SPDX-License-Identifier: BSD-3-Clause
#
# tests/system/mpi-tool.sh compares it with what there is
EXTRA_DIST += doc/counters.md
EXTRA_DIST += doc/nic-model.md
EXTRA_DIST += doc/qos-fabric.md
EXTRA_DIST += doc/qos-reproduction.md
EXTRA_DIST += doc/qos-traffic.md
EXTRA_DIST += doc/record.md
EXTRA_DIST += doc/report.md
