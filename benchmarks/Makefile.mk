# SPDX-License-Identifier: BSD-3-Clause
#
# Micro-benchmarks. The GM ones see public headers only, engine-rate links the
# whole library, the MPI ones are compiled with this build's mpi.h.

# --- shared harness ------------------------------------------------------------
benchmark_program = benchmarks/program.c benchmarks/program.h
benchmark_harness = benchmarks/harness.c benchmarks/harness.h $(benchmark_program)

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
benchmarks_engine_engine_rate_SOURCES = benchmarks/engine/engine-rate.c benchmarks/cpu.h \
	$(benchmark_program)
benchmarks_engine_engine_rate_CPPFLAGS = $(gmsim_cppflags) -I$(top_srcdir)/benchmarks
benchmarks_engine_engine_rate_LDADD = libgmsim.la

bin_PROGRAMS += benchmarks/engine/clos-rate
benchmarks_engine_clos_rate_SOURCES = benchmarks/engine/clos-rate.c benchmarks/cpu.h \
	$(benchmark_program)
benchmarks_engine_clos_rate_CPPFLAGS = $(gmsim_cppflags) -I$(top_srcdir)/benchmarks
benchmarks_engine_clos_rate_LDADD = libgmsim.la

bin_PROGRAMS += benchmarks/engine/flit-rate
benchmarks_engine_flit_rate_SOURCES = benchmarks/engine/flit-rate.c benchmarks/cpu.h \
	$(benchmark_program)
benchmarks_engine_flit_rate_CPPFLAGS = $(gmsim_cppflags) -I$(top_srcdir)/benchmarks
benchmarks_engine_flit_rate_LDADD = libgmsim.la -lm

bin_PROGRAMS += benchmarks/engine/flow-rate
benchmarks_engine_flow_rate_SOURCES = benchmarks/engine/flow-rate.c benchmarks/cpu.h \
	$(benchmark_program)
benchmarks_engine_flow_rate_CPPFLAGS = $(gmsim_cppflags) -I$(top_srcdir)/benchmarks
benchmarks_engine_flow_rate_LDADD = libgmsim.la -lm

bin_PROGRAMS += benchmarks/engine/bound-rate
benchmarks_engine_bound_rate_SOURCES = benchmarks/engine/bound-rate.c benchmarks/cpu.h \
	$(benchmark_program)
benchmarks_engine_bound_rate_CPPFLAGS = $(gmsim_cppflags) -I$(top_srcdir)/benchmarks
benchmarks_engine_bound_rate_LDADD = libgmsim.la -lm

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

bin_PROGRAMS += benchmarks/mpi/mpi-flows
benchmarks_mpi_mpi_flows_SOURCES = benchmarks/mpi/mpi-flows.c $(benchmark_harness)
benchmarks_mpi_mpi_flows_CPPFLAGS = $(mpi_cppflags) -I$(top_srcdir)/adi-gm/include \
	-I$(top_srcdir)/benchmarks
benchmarks_mpi_mpi_flows_CFLAGS = $(mpi_cflags)
benchmarks_mpi_mpi_flows_LDFLAGS = $(mpi_ldflags)
benchmarks_mpi_mpi_flows_LDADD = $(mpi_ldadd) -lm

bin_PROGRAMS += benchmarks/mpi/mpi-rate
benchmarks_mpi_mpi_rate_SOURCES = benchmarks/mpi/mpi-rate.c benchmarks/cpu.h \
	$(benchmark_program)
benchmarks_mpi_mpi_rate_CPPFLAGS = $(mpi_cppflags) $(gm_cppflags) -I$(top_srcdir)/benchmarks
benchmarks_mpi_mpi_rate_CFLAGS = $(mpi_cflags)
benchmarks_mpi_mpi_rate_LDFLAGS = $(mpi_ldflags)
benchmarks_mpi_mpi_rate_LDADD = $(mpi_ldadd) $(gm_ldadd)

bin_PROGRAMS += benchmarks/mpi/mpi-alltoall
benchmarks_mpi_mpi_alltoall_SOURCES = benchmarks/mpi/mpi-alltoall.c $(benchmark_harness)
benchmarks_mpi_mpi_alltoall_CPPFLAGS = $(mpi_cppflags) -I$(top_srcdir)/benchmarks
benchmarks_mpi_mpi_alltoall_CFLAGS = $(mpi_cflags)
benchmarks_mpi_mpi_alltoall_LDFLAGS = $(mpi_ldflags)
benchmarks_mpi_mpi_alltoall_LDADD = $(mpi_ldadd) -lm

bin_SCRIPTS += benchmarks/compare-gm-mpi benchmarks/loss-bandwidth
endif WITH_MPICH

EXTRA_DIST += benchmarks/compare-gm-mpi benchmarks/loss-bandwidth

# --- experiments: parts of the tool gmsim (gmsim/Makefile.mk) --------------------
experiment_sources = \
	benchmarks/experiments/experiment.h \
	benchmarks/experiments/grow.h \
	benchmarks/experiments/lab.c \
	benchmarks/experiments/list.c \
	benchmarks/experiments/mpi_accuracy.c \
	benchmarks/experiments/mpi_flows.c \
	benchmarks/experiments/mpi_flows.h \
	benchmarks/experiments/nic.h \
	benchmarks/experiments/nic_10.c \
	benchmarks/experiments/nic_3.c \
	benchmarks/experiments/nic_4.c \
	benchmarks/experiments/nic_5.c \
	benchmarks/experiments/nic_6.c \
	benchmarks/experiments/nic_7.c \
	benchmarks/experiments/nic_8.c \
	benchmarks/experiments/nic_9.c \
	benchmarks/experiments/nic_card.c \
	benchmarks/experiments/nic_card.h \
	benchmarks/experiments/overhead.c \
	benchmarks/experiments/overhead.h \
	benchmarks/experiments/page.c \
	benchmarks/experiments/page.h \
	benchmarks/experiments/plot.c \
	benchmarks/experiments/plot.h \
	benchmarks/experiments/pool.c \
	benchmarks/experiments/pool.h \
	benchmarks/experiments/print.c \
	benchmarks/experiments/product.h \
	benchmarks/experiments/qos.h \
	benchmarks/experiments/qos_2.c \
	benchmarks/experiments/qos_3.c \
	benchmarks/experiments/qos_4.c \
	benchmarks/experiments/qos_best.c \
	benchmarks/experiments/qos_best.h \
	benchmarks/experiments/qos_fig_10.c \
	benchmarks/experiments/qos_fig_3.c \
	benchmarks/experiments/qos_fig_4.c \
	benchmarks/experiments/qos_fig_5.c \
	benchmarks/experiments/qos_fig_6.c \
	benchmarks/experiments/qos_fig_7.c \
	benchmarks/experiments/qos_fig_8.c \
	benchmarks/experiments/qos_fig_9.c \
	benchmarks/experiments/qos_on_off.c \
	benchmarks/experiments/qos_on_off.h \
	benchmarks/experiments/qos_power.c \
	benchmarks/experiments/qos_power.h \
	benchmarks/experiments/qos_run.c \
	benchmarks/experiments/qos_run.h \
	benchmarks/experiments/qos_video.c \
	benchmarks/experiments/qos_video.h \
	benchmarks/experiments/ranks.c \
	benchmarks/experiments/ranks.h \
	benchmarks/experiments/reference.c \
	benchmarks/experiments/reference.h \
	benchmarks/experiments/result.c \
	benchmarks/experiments/result.h \
	benchmarks/experiments/shares.c \
	benchmarks/experiments/shares.h \
	benchmarks/experiments/streams.c \
	benchmarks/experiments/streams.h \
	benchmarks/experiments/thesis.h \
	benchmarks/experiments/thesis_2_3.c \
	benchmarks/experiments/thesis_2_4.c \
	benchmarks/experiments/thesis_3_1.c \
	benchmarks/experiments/thesis_5_1.c \
	benchmarks/experiments/thesis_5_10.c \
	benchmarks/experiments/thesis_5_11.c \
	benchmarks/experiments/thesis_5_12.c \
	benchmarks/experiments/thesis_5_2.c \
	benchmarks/experiments/thesis_5_3.c \
	benchmarks/experiments/thesis_5_4.c \
	benchmarks/experiments/thesis_5_5.c \
	benchmarks/experiments/thesis_5_6.c \
	benchmarks/experiments/thesis_5_7.c \
	benchmarks/experiments/thesis_5_8.c \
	benchmarks/experiments/thesis_5_9.c \
	benchmarks/experiments/timeline.c \
	benchmarks/experiments/timeline.h

experiment_references = \
	benchmarks/experiments/reference/known.csv \
	benchmarks/experiments/reference/mpi-accuracy.csv \
	benchmarks/experiments/reference/nic-tables.csv \
	benchmarks/experiments/reference/qos-tables.csv \
	benchmarks/experiments/reference/thesis-table-3.1.csv \
	benchmarks/experiments/reference/thesis.csv
referencedir = $(pkgdatadir)/reference
dist_reference_DATA = $(experiment_references)
