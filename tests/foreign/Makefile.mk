# SPDX-License-Identifier: BSD-3-Clause
#
# Test with unchanged programs of other projects (doc/testing.md):
#   make check-foreign                      all programs
#   make check-foreign FOREIGN="hpcc fftw"  selected programs

EXTRA_DIST += tests/foreign/run tests/foreign/ga_multiply.c

if WITH_MPICH
FOREIGN =
check-foreign: stage.stamp
	@+$(suite_environment) $(BASH) $(srcdir)/tests/foreign/run \
	    --cache "$(suite_cache)/downloads" --output tests/foreign/results $(FOREIGN)
endif WITH_MPICH
.PHONY: check-foreign
