# SPDX-License-Identifier: BSD-3-Clause
#
# Programs that others wrote, unchanged (doc/testing.md):
#   make check-foreign                      all
#   make check-foreign FOREIGN="hpcc fftw"  some

EXTRA_DIST += tests/foreign/run

if WITH_MPICH
FOREIGN =
check-foreign: stage.stamp
	@+$(suite_environment) $(BASH) $(srcdir)/tests/foreign/run \
	    --cache "$(suite_cache)/downloads" --output tests/foreign/results $(FOREIGN)
endif WITH_MPICH
.PHONY: check-foreign
