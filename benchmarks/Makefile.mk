# SPDX-License-Identifier: BSD-3-Clause
#
# Micro-benchmarks. The GM benchmarks include only public headers, the engine benchmarks
# link the whole library, and the MPI benchmarks are compiled with this build's mpi.h.

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
benchmark_rate = benchmarks/engine/rate.c benchmarks/engine/rate.h \
	benchmarks/cpu.h $(benchmark_program)
rate_cppflags = $(gmsim_cppflags) -I$(top_srcdir)/benchmarks

bin_PROGRAMS += benchmarks/engine/bound-rate
benchmarks_engine_bound_rate_SOURCES = benchmarks/engine/bound-rate.c $(benchmark_rate)
benchmarks_engine_bound_rate_CPPFLAGS = $(rate_cppflags)
benchmarks_engine_bound_rate_LDADD = libgmsim.la -lm

bin_PROGRAMS += benchmarks/engine/clos-rate
benchmarks_engine_clos_rate_SOURCES = benchmarks/engine/clos-rate.c $(benchmark_rate)
benchmarks_engine_clos_rate_CPPFLAGS = $(rate_cppflags)
benchmarks_engine_clos_rate_LDADD = libgmsim.la -lm

bin_PROGRAMS += benchmarks/engine/engine-rate
benchmarks_engine_engine_rate_SOURCES = benchmarks/engine/engine-rate.c $(benchmark_rate)
benchmarks_engine_engine_rate_CPPFLAGS = $(rate_cppflags)
benchmarks_engine_engine_rate_LDADD = libgmsim.la -lm

bin_PROGRAMS += benchmarks/engine/flit-rate
benchmarks_engine_flit_rate_SOURCES = benchmarks/engine/flit-rate.c $(benchmark_rate)
benchmarks_engine_flit_rate_CPPFLAGS = $(rate_cppflags)
benchmarks_engine_flit_rate_LDADD = libgmsim.la -lm

bin_PROGRAMS += benchmarks/engine/flow-rate
benchmarks_engine_flow_rate_SOURCES = benchmarks/engine/flow-rate.c $(benchmark_rate)
benchmarks_engine_flow_rate_CPPFLAGS = $(rate_cppflags)
benchmarks_engine_flow_rate_LDADD = libgmsim.la -lm

# calibrate-qos repeats the calibration that determined the settings in
# experiments/qos_config.c. The program is not installed.
EXTRA_PROGRAMS += benchmarks/engine/calibrate-qos
benchmarks_engine_calibrate_qos_SOURCES = benchmarks/engine/calibrate-qos.c \
	gmsim/experiments/lab.c \
	gmsim/experiments/qos_best.c \
	gmsim/experiments/qos_config.c \
	gmsim/experiments/qos_run.c \
	gmsim/experiments/reference.c
benchmarks_engine_calibrate_qos_CPPFLAGS = $(gmsim_cppflags) \
	-DGMQOS_REFERENCE_DIR='"$(pkgdatadir)/reference"'
benchmarks_engine_calibrate_qos_LDADD = libqossim.la libgmsim.la -lm

.PHONY: calibrate-qos
calibrate-qos: benchmarks/engine/calibrate-qos
	benchmarks/engine/calibrate-qos 1 $(srcdir)/gmsim/experiments/reference

# --- MPI -----------------------------------------------------------------------
if WITH_MPICH
benchmark_job = benchmarks/mpi/job.c benchmarks/mpi/job.h
benchmark_mpi_cppflags = $(mpi_cppflags) -I$(top_srcdir)/benchmarks

bin_PROGRAMS += benchmarks/mpi/mpi-pingpong
benchmarks_mpi_mpi_pingpong_SOURCES = benchmarks/mpi/mpi-pingpong.c $(benchmark_job) $(benchmark_harness)
benchmarks_mpi_mpi_pingpong_CPPFLAGS = $(benchmark_mpi_cppflags)
benchmarks_mpi_mpi_pingpong_CFLAGS = $(mpi_cflags)
benchmarks_mpi_mpi_pingpong_LDFLAGS = $(mpi_ldflags)
benchmarks_mpi_mpi_pingpong_LDADD = $(mpi_ldadd) -lm

bin_PROGRAMS += benchmarks/mpi/mpi-bandwidth
benchmarks_mpi_mpi_bandwidth_SOURCES = benchmarks/mpi/mpi-bandwidth.c $(benchmark_job) $(benchmark_harness)
benchmarks_mpi_mpi_bandwidth_CPPFLAGS = $(benchmark_mpi_cppflags)
benchmarks_mpi_mpi_bandwidth_CFLAGS = $(mpi_cflags)
benchmarks_mpi_mpi_bandwidth_LDFLAGS = $(mpi_ldflags)
benchmarks_mpi_mpi_bandwidth_LDADD = $(mpi_ldadd) -lm

bin_PROGRAMS += benchmarks/mpi/mpi-flows
benchmarks_mpi_mpi_flows_SOURCES = benchmarks/mpi/mpi-flows.c $(benchmark_job) $(benchmark_harness)
benchmarks_mpi_mpi_flows_CPPFLAGS = $(benchmark_mpi_cppflags) -I$(top_srcdir)/adi-gm/include
benchmarks_mpi_mpi_flows_CFLAGS = $(mpi_cflags)
benchmarks_mpi_mpi_flows_LDFLAGS = $(mpi_ldflags)
benchmarks_mpi_mpi_flows_LDADD = $(mpi_ldadd) -lm

bin_PROGRAMS += benchmarks/mpi/mpi-alltoall
benchmarks_mpi_mpi_alltoall_SOURCES = benchmarks/mpi/mpi-alltoall.c $(benchmark_job) $(benchmark_harness)
benchmarks_mpi_mpi_alltoall_CPPFLAGS = $(benchmark_mpi_cppflags)
benchmarks_mpi_mpi_alltoall_CFLAGS = $(mpi_cflags)
benchmarks_mpi_mpi_alltoall_LDFLAGS = $(mpi_ldflags)
benchmarks_mpi_mpi_alltoall_LDADD = $(mpi_ldadd) -lm

bin_PROGRAMS += benchmarks/mpi/mpi-patterns
benchmarks_mpi_mpi_patterns_SOURCES = benchmarks/mpi/mpi-patterns.c \
	benchmarks/mpi/pattern_pairs.c benchmarks/mpi/patterns.c benchmarks/mpi/patterns.h \
	$(benchmark_job) $(benchmark_harness)
benchmarks_mpi_mpi_patterns_CPPFLAGS = $(benchmark_mpi_cppflags)
benchmarks_mpi_mpi_patterns_CFLAGS = $(mpi_cflags)
benchmarks_mpi_mpi_patterns_LDFLAGS = $(mpi_ldflags)
benchmarks_mpi_mpi_patterns_LDADD = $(mpi_ldadd) -lm

bin_PROGRAMS += benchmarks/mpi/mpi-rate
benchmarks_mpi_mpi_rate_SOURCES = benchmarks/mpi/mpi-rate.c $(benchmark_job) \
	benchmarks/cpu.h $(benchmark_harness)
benchmarks_mpi_mpi_rate_CPPFLAGS = $(benchmark_mpi_cppflags) $(gm_cppflags)
benchmarks_mpi_mpi_rate_CFLAGS = $(mpi_cflags)
benchmarks_mpi_mpi_rate_LDFLAGS = $(mpi_ldflags)
benchmarks_mpi_mpi_rate_LDADD = $(mpi_ldadd) $(gm_ldadd) -lm

# job-size measures the cost of jobs with many ranks. The program and its script
# are not installed.
check_PROGRAMS += benchmarks/mpi/job-size
benchmarks_mpi_job_size_SOURCES = benchmarks/mpi/job-size.c
benchmarks_mpi_job_size_CPPFLAGS = $(benchmark_mpi_cppflags)
benchmarks_mpi_job_size_CFLAGS = $(mpi_cflags)
benchmarks_mpi_job_size_LDFLAGS = $(mpi_ldflags)
benchmarks_mpi_job_size_LDADD = $(mpi_ldadd)

JOB_SIZE = steps
.PHONY: job-size
job-size: benchmarks/mpi/job-size
	$(srcdir)/benchmarks/job-size benchmarks/mpi/job-size $(JOB_SIZE)

bin_SCRIPTS += benchmarks/compare-gm-mpi benchmarks/loss-bandwidth
endif WITH_MPICH

EXTRA_DIST += benchmarks/compare-gm-mpi benchmarks/job-size benchmarks/loss-bandwidth \
	benchmarks/mpi/ranks-running

# --- experiments: sources of the tool gmsim (gmsim/Makefile.mk) ------------------
experiment_sources = \
	gmsim/experiments/experiment.h \
	gmsim/experiments/grow.h \
	gmsim/experiments/lab.c \
	gmsim/experiments/list.c \
	gmsim/experiments/mpi_accuracy.c \
	gmsim/experiments/mpi_flows.c \
	gmsim/experiments/mpi_flows.h \
	gmsim/experiments/networks.c \
	gmsim/experiments/nic.h \
	gmsim/experiments/nic_10.c \
	gmsim/experiments/nic_3.c \
	gmsim/experiments/nic_4.c \
	gmsim/experiments/nic_5.c \
	gmsim/experiments/nic_6.c \
	gmsim/experiments/nic_7.c \
	gmsim/experiments/nic_8.c \
	gmsim/experiments/nic_9.c \
	gmsim/experiments/nic_card.c \
	gmsim/experiments/nic_card.h \
	gmsim/experiments/overhead.c \
	gmsim/experiments/overhead.h \
	gmsim/experiments/page.c \
	gmsim/experiments/page.h \
	gmsim/experiments/plot.c \
	gmsim/experiments/plot.h \
	gmsim/experiments/pool.c \
	gmsim/experiments/pool.h \
	gmsim/experiments/print.c \
	gmsim/experiments/product.h \
	gmsim/experiments/qos.h \
	gmsim/experiments/qos_2.c \
	gmsim/experiments/qos_3.c \
	gmsim/experiments/qos_4.c \
	gmsim/experiments/qos_best.c \
	gmsim/experiments/qos_best.h \
	gmsim/experiments/qos_config.c \
	gmsim/experiments/qos_config.h \
	gmsim/experiments/qos_fig_10.c \
	gmsim/experiments/qos_fig_3.c \
	gmsim/experiments/qos_fig_4.c \
	gmsim/experiments/qos_fig_5.c \
	gmsim/experiments/qos_fig_6.c \
	gmsim/experiments/qos_fig_7.c \
	gmsim/experiments/qos_fig_8.c \
	gmsim/experiments/qos_fig_9.c \
	gmsim/experiments/qos_on_off.c \
	gmsim/experiments/qos_on_off.h \
	gmsim/experiments/qos_power.c \
	gmsim/experiments/qos_power.h \
	gmsim/experiments/qos_run.c \
	gmsim/experiments/qos_run.h \
	gmsim/experiments/qos_video.c \
	gmsim/experiments/qos_video.h \
	gmsim/experiments/ranks.c \
	gmsim/experiments/ranks.h \
	gmsim/experiments/reference.c \
	gmsim/experiments/reference.h \
	gmsim/experiments/result.c \
	gmsim/experiments/result.h \
	gmsim/experiments/shares.c \
	gmsim/experiments/shares.h \
	gmsim/experiments/streams.c \
	gmsim/experiments/streams.h \
	gmsim/experiments/thesis.h \
	gmsim/experiments/thesis_2_3.c \
	gmsim/experiments/thesis_2_4.c \
	gmsim/experiments/thesis_3_1.c \
	gmsim/experiments/thesis_5_1.c \
	gmsim/experiments/thesis_5_10.c \
	gmsim/experiments/thesis_5_11.c \
	gmsim/experiments/thesis_5_12.c \
	gmsim/experiments/thesis_5_2.c \
	gmsim/experiments/thesis_5_3.c \
	gmsim/experiments/thesis_5_4.c \
	gmsim/experiments/thesis_5_5.c \
	gmsim/experiments/thesis_5_6.c \
	gmsim/experiments/thesis_5_7.c \
	gmsim/experiments/thesis_5_8.c \
	gmsim/experiments/thesis_5_9.c \
	gmsim/experiments/timeline.c \
	gmsim/experiments/timeline.h

experiment_references = \
	gmsim/experiments/reference/known.csv \
	gmsim/experiments/reference/mpi-accuracy.csv \
	gmsim/experiments/reference/networks.csv \
	gmsim/experiments/reference/nic-tables.csv \
	gmsim/experiments/reference/qos-tables.csv \
	gmsim/experiments/reference/thesis-table-3.1.csv \
	gmsim/experiments/reference/thesis.csv
referencedir = $(pkgdatadir)/reference
dist_reference_DATA = $(experiment_references)
