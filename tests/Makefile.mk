# SPDX-License-Identifier: BSD-3-Clause
#
# "make check" runs the unit tests (CUnit programs) and the system tests (shell
# scripts; tests/run-system gives them the stage and skips them, with the
# reason, in a build without MPICH). MPI programs that the scripts start are in
# mpi_tests.

unit_tests =
system_tests =
mpi_tests =

# --- unit: one program per module, tests/unit/test_<module>.c ---------------------
unit_cppflags = $(gmsim_cppflags) -I$(top_srcdir)/tests/unit $(CUNIT_CFLAGS)
unit_ldadd = libgmsim.la $(CUNIT_LIBS)

# unit_tests += tests/unit/test_random
# tests_unit_test_random_CPPFLAGS = $(unit_cppflags)
# tests_unit_test_random_LDADD = $(unit_ldadd)

# tests/unit/test_translate links the one module that it tests: it needs no MPI.
unit_tests += tests/unit/test_translate
tests_unit_test_translate_SOURCES = tests/unit/test_translate.c \
	mpi-qos/translate.c mpi-qos/translate.h
tests_unit_test_translate_CPPFLAGS = -I$(top_srcdir) $(CUNIT_CFLAGS)
tests_unit_test_translate_LDADD = $(CUNIT_LIBS) -lm

unit_tests += tests/unit/test_admission
tests_unit_test_admission_CPPFLAGS = $(unit_cppflags)
tests_unit_test_admission_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_manager
tests_unit_test_manager_CPPFLAGS = $(unit_cppflags)
tests_unit_test_manager_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_cluster
tests_unit_test_cluster_CPPFLAGS = $(unit_cppflags)
tests_unit_test_cluster_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_params
tests_unit_test_params_CPPFLAGS = $(unit_cppflags)
tests_unit_test_params_LDADD = $(unit_ldadd)

# --- MPI: programs started by the system tests -------------------------------------
# mpi_tests += tests/mpi/attr
# tests_mpi_attr_CPPFLAGS = $(mpi_cppflags)
# tests_mpi_attr_LDFLAGS = $(mpi_ldflags)
# tests_mpi_attr_LDADD = $(mpi_ldadd)

# --- system: scripts, each its own file under tests/system -------------------------
# A script that needs no MPICH says so in a line "# needs: nothing".
system_tests += tests/system/stage.sh

if WITH_CUNIT
check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)
endif WITH_CUNIT
if WITH_MPICH
check_PROGRAMS += $(mpi_tests)
endif WITH_MPICH
TESTS += $(system_tests)

TEST_EXTENSIONS = .sh
SH_LOG_COMPILER = $(BASH) $(top_srcdir)/tests/run-system
AM_TESTS_ENVIRONMENT = \
	GMQOS_STAGE='$(abs_builddir)/stage'; export GMQOS_STAGE; \
	GMQOS_SRCDIR='$(abs_top_srcdir)'; export GMQOS_SRCDIR; \
	GMQOS_BUILDDIR='$(abs_builddir)'; export GMQOS_BUILDDIR; \
	GMQOS_MPICH='@qos_mpich@'; export GMQOS_MPICH;

EXTRA_DIST += tests/run-system $(system_tests)
