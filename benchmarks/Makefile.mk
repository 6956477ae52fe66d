# SPDX-License-Identifier: BSD-3-Clause
#
# Micro-benchmarks. The GM ones see public headers only, engine-rate links the
# whole library, the MPI ones are compiled with this build's mpi.h.

# --- shared harness ------------------------------------------------------------
# benchmark_harness = benchmarks/harness.c benchmarks/harness.h
benchmark_harness =

# --- GM ------------------------------------------------------------------------
# bin_PROGRAMS += benchmarks/gm/gm-pingpong
# benchmarks_gm_gm_pingpong_SOURCES = benchmarks/gm/gm-pingpong.c $(benchmark_harness)
# benchmarks_gm_gm_pingpong_CPPFLAGS = $(gm_cppflags) -I$(top_srcdir)/benchmarks
# benchmarks_gm_gm_pingpong_LDFLAGS = $(gm_ldflags)
# benchmarks_gm_gm_pingpong_LDADD = $(gm_ldadd)

# --- engine --------------------------------------------------------------------
# bin_PROGRAMS += benchmarks/engine/engine-rate
# benchmarks_engine_engine_rate_SOURCES = benchmarks/engine/engine-rate.c
# benchmarks_engine_engine_rate_CPPFLAGS = $(gmsim_cppflags)
# benchmarks_engine_engine_rate_LDADD = libgmsim.la

# --- MPI -----------------------------------------------------------------------
if WITH_MPICH
# bin_PROGRAMS += benchmarks/mpi/mpi-pingpong
# benchmarks_mpi_mpi_pingpong_SOURCES = benchmarks/mpi/mpi-pingpong.c $(benchmark_harness)
# benchmarks_mpi_mpi_pingpong_CPPFLAGS = $(mpi_cppflags) -I$(top_srcdir)/benchmarks
# benchmarks_mpi_mpi_pingpong_LDFLAGS = $(mpi_ldflags)
# benchmarks_mpi_mpi_pingpong_LDADD = $(mpi_ldadd)
# bin_SCRIPTS += benchmarks/compare-gm-mpi
endif WITH_MPICH

# EXTRA_DIST += benchmarks/compare-gm-mpi
