# SPDX-License-Identifier: BSD-3-Clause
#
# Test with unchanged programs of other projects (doc/testing.md):
#   make check-foreign                      all programs
#   make check-foreign FOREIGN="hdf5 hpcc"  selected programs

EXTRA_DIST += tests/foreign/run tests/foreign/ga_multiply.c \
	tests/foreign/fftw.sh tests/foreign/ga.sh tests/foreign/hdf5.sh tests/foreign/hpcc.sh \
	tests/foreign/netpipe.sh tests/foreign/nwchem.sh tests/foreign/pnetcdf.sh \
	tests/foreign/scalapack.sh

if WITH_MPICH
FOREIGN =
check-foreign: stage.stamp
	@+$(suite_environment) $(BASH) $(srcdir)/tests/foreign/run \
	    --cache "$(suite_cache)/downloads" --output tests/foreign/results $(FOREIGN)
endif WITH_MPICH
.PHONY: check-foreign
