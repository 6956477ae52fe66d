# SPDX-License-Identifier: BSD-3-Clause
#
# Examples: compiled in the build tree, installed as source under doc.

if WITH_MPICH
noinst_PROGRAMS += examples/bandwidth
examples_bandwidth_CPPFLAGS = $(mpi_cppflags)
examples_bandwidth_CFLAGS = $(mpi_cflags)
examples_bandwidth_LDFLAGS = $(mpi_ldflags)
examples_bandwidth_LDADD = $(mpi_ldadd)
noinst_PROGRAMS += examples/counters
examples_counters_CPPFLAGS = $(mpi_cppflags)
examples_counters_CFLAGS = $(mpi_cflags)
examples_counters_LDFLAGS = $(mpi_ldflags)
examples_counters_LDADD = $(mpi_ldadd)
endif WITH_MPICH

examplesdir = $(docdir)/examples
dist_examples_DATA = examples/bandwidth.c examples/counters.c
