# SPDX-License-Identifier: BSD-3-Clause
#
# Micro-benchmarks. The GM ones see public headers only, engine-rate links the
# whole library, the MPI ones are compiled with this build's mpi.h.

# --- shared harness ------------------------------------------------------------
benchmark_harness = benchmarks/harness.c benchmarks/harness.h

# --- GM ------------------------------------------------------------------------
benchmark_station = benchmarks/gm/station.c benchmarks/gm/station.h

bin_PROGRAMS += benchmarks/gm/gm-pingpong
benchmarks_gm_gm_pingpong_SOURCES = benchmarks/gm/gm-pingpong.c $(benchmark_station) $(benchmark_harness)
benchmarks_gm_gm_pingpong_CPPFLAGS = $(gm_cppflags) -I$(top_srcdir)/benchmarks
benchmarks_gm_gm_pingpong_LDFLAGS = $(gm_ldflags)
benchmarks_gm_gm_pingpong_LDADD = $(gm_ldadd) -lm

bin_PROGRAMS += benchmarks/gm/gm-bandwidth
benchmarks_gm_gm_bandwidth_SOURCES = benchmarks/gm/gm-bandwidth.c $(benchmark_station) $(benchmark_harness)
benchmarks_gm_gm_bandwidth_CPPFLAGS = $(gm_cppflags) -I$(top_srcdir)/benchmarks
benchmarks_gm_gm_bandwidth_LDFLAGS = $(gm_ldflags)
benchmarks_gm_gm_bandwidth_LDADD = $(gm_ldadd) -lm

# --- engine --------------------------------------------------------------------
bin_PROGRAMS += benchmarks/engine/engine-rate
benchmarks_engine_engine_rate_SOURCES = benchmarks/engine/engine-rate.c
benchmarks_engine_engine_rate_CPPFLAGS = $(gmsim_cppflags)
benchmarks_engine_engine_rate_LDADD = libgmsim.la

# --- MPI -----------------------------------------------------------------------
if WITH_MPICH
bin_PROGRAMS += benchmarks/mpi/mpi-pingpong
benchmarks_mpi_mpi_pingpong_SOURCES = benchmarks/mpi/mpi-pingpong.c $(benchmark_harness)
benchmarks_mpi_mpi_pingpong_CPPFLAGS = $(mpi_cppflags) -I$(top_srcdir)/benchmarks
benchmarks_mpi_mpi_pingpong_CFLAGS = $(mpi_cflags)
benchmarks_mpi_mpi_pingpong_LDFLAGS = $(mpi_ldflags)
benchmarks_mpi_mpi_pingpong_LDADD = $(mpi_ldadd) -lm

bin_PROGRAMS += benchmarks/mpi/mpi-bandwidth
benchmarks_mpi_mpi_bandwidth_SOURCES = benchmarks/mpi/mpi-bandwidth.c $(benchmark_harness)
benchmarks_mpi_mpi_bandwidth_CPPFLAGS = $(mpi_cppflags) -I$(top_srcdir)/benchmarks
benchmarks_mpi_mpi_bandwidth_CFLAGS = $(mpi_cflags)
benchmarks_mpi_mpi_bandwidth_LDFLAGS = $(mpi_ldflags)
benchmarks_mpi_mpi_bandwidth_LDADD = $(mpi_ldadd) -lm

bin_PROGRAMS += benchmarks/mpi/mpi-cost
benchmarks_mpi_mpi_cost_SOURCES = benchmarks/mpi/mpi-cost.c
benchmarks_mpi_mpi_cost_CPPFLAGS = $(mpi_cppflags) $(gm_cppflags)
benchmarks_mpi_mpi_cost_CFLAGS = $(mpi_cflags)
benchmarks_mpi_mpi_cost_LDFLAGS = $(mpi_ldflags)
benchmarks_mpi_mpi_cost_LDADD = $(mpi_ldadd) $(gm_ldadd)

bin_SCRIPTS += benchmarks/compare-gm-mpi benchmarks/loss-bandwidth
endif WITH_MPICH

EXTRA_DIST += benchmarks/compare-gm-mpi benchmarks/loss-bandwidth
