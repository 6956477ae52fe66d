# SPDX-License-Identifier: BSD-3-Clause
#
# The examples are compiled in the build tree. They are installed as sources below the
# documentation directory, with a separate Makefile.

if WITH_MPICH
noinst_PROGRAMS += \
	examples/array \
	examples/bandwidth \
	examples/checkpoint \
	examples/counters \
	examples/jacobi \
	examples/noise \
	examples/senders \
	examples/snapshot \
	examples/viewer
examples_array_CPPFLAGS = $(mpi_cppflags)
examples_array_CFLAGS = $(mpi_cflags)
examples_array_LDFLAGS = $(mpi_ldflags)
examples_array_LDADD = $(mpi_ldadd)
examples_bandwidth_CPPFLAGS = $(mpi_cppflags)
examples_bandwidth_CFLAGS = $(mpi_cflags)
examples_bandwidth_LDFLAGS = $(mpi_ldflags)
examples_bandwidth_LDADD = $(mpi_ldadd)
examples_checkpoint_CPPFLAGS = $(mpi_cppflags)
examples_checkpoint_CFLAGS = $(mpi_cflags)
examples_checkpoint_LDFLAGS = $(mpi_ldflags)
examples_checkpoint_LDADD = $(mpi_ldadd)
examples_counters_CPPFLAGS = $(mpi_cppflags)
examples_counters_CFLAGS = $(mpi_cflags)
examples_counters_LDFLAGS = $(mpi_ldflags)
examples_counters_LDADD = $(mpi_ldadd)
examples_jacobi_CPPFLAGS = $(mpi_cppflags)
examples_jacobi_CFLAGS = $(mpi_cflags)
examples_jacobi_LDFLAGS = $(mpi_ldflags)
examples_jacobi_LDADD = $(mpi_ldadd)
examples_noise_CPPFLAGS = $(mpi_cppflags)
examples_noise_CFLAGS = $(mpi_cflags)
examples_noise_LDFLAGS = $(mpi_ldflags)
examples_noise_LDADD = $(mpi_ldadd)
examples_senders_CPPFLAGS = $(mpi_cppflags)
examples_senders_CFLAGS = $(mpi_cflags)
examples_senders_LDFLAGS = $(mpi_ldflags)
examples_senders_LDADD = $(mpi_ldadd)
examples_snapshot_CPPFLAGS = $(mpi_cppflags)
examples_snapshot_CFLAGS = $(mpi_cflags)
examples_snapshot_LDFLAGS = $(mpi_ldflags)
examples_snapshot_LDADD = $(mpi_ldadd)
examples_viewer_CPPFLAGS = $(mpi_cppflags)
examples_viewer_CFLAGS = $(mpi_cflags)
examples_viewer_LDFLAGS = $(mpi_ldflags)
examples_viewer_LDADD = $(mpi_ldadd)
endif WITH_MPICH

noinst_PROGRAMS += examples/pace
examples_pace_CPPFLAGS = $(gm_cppflags)
examples_pace_LDFLAGS = $(gm_ldflags)
examples_pace_LDADD = $(gm_ldadd)

examplesdir = $(docdir)/examples
dist_examples_DATA = \
	examples/Makefile \
	examples/README.md \
	examples/array.c \
	examples/array.yaml \
	examples/bandwidth.c \
	examples/checkpoint.c \
	examples/counters.c \
	examples/io-hosts.yaml \
	examples/jacobi.c \
	examples/noise.c \
	examples/pace.c \
	examples/policy.yaml \
	examples/reserve.f90 \
	examples/senders.c \
	examples/snapshot.c \
	examples/snapshot.yaml \
	examples/sweep.yaml \
	examples/viewer.c
