# SPDX-License-Identifier: BSD-3-Clause
#
# libmpiqos includes mpi.h and uses the hook of adi-gm, but never includes gm.h.

if WITH_MPICH

include_HEADERS += mpi-qos/include/mpi_qos.h
pkgconfig_DATA += mpi-qos/mpiqos.pc

lib_LTLIBRARIES += libmpiqos.la
libmpiqos_la_CPPFLAGS = $(mpi_cppflags) -I$(top_srcdir)/adi-gm/include \
	-I$(top_srcdir)/gmsim
libmpiqos_la_LIBADD = libmpi.la -lm
libmpiqos_la_LDFLAGS = $(AM_LDFLAGS) $(rpath_lib) $(QOS_NO_UNDEFINED) \
	-version-info $(LIBMPIQOS_VERSION) \
	-export-symbols-regex \
	'^(MPIQOS_[A-Z][a-z]|mpiqos_flow_keyval$$|mpiqos_error_class$$|mpiqos_flow_state_sized$$|mpiqos_peer_state_sized$$|mpiqos_device_open$$|mpiqos_f_)'

if WITH_FORTRAN
# The compiler writes the module file as a by-product of the object file. The rule below
# declares this dependency.
include_HEADERS += mpi-qos/include/mpiqosf.h
nodist_include_HEADERS += mpi-qos/fortran/mpi_qos.mod
CLEANFILES += mpi-qos/fortran/mpi_qos.mod
lib_LTLIBRARIES += libmpiqosf.la
libmpiqosf_la_SOURCES = mpi-qos/fortran/mpi_qos.f90
libmpiqosf_la_FCFLAGS = -J mpi-qos/fortran
libmpiqosf_la_LIBADD = libmpiqos.la
libmpiqosf_la_LDFLAGS = $(AM_LDFLAGS) $(rpath_lib) $(QOS_NO_UNDEFINED) \
	-version-info $(LIBMPIQOS_VERSION)
mpi-qos/fortran/mpi_qos.mod: mpi-qos/fortran/libmpiqosf_la-mpi_qos.lo
	@test -f $@ || { rm -f $< && $(MAKE) $(AM_MAKEFLAGS) $<; }
endif WITH_FORTRAN

endif WITH_MPICH

# one file per line, sorted
libmpiqos_la_SOURCES = \
	mpi-qos/answer.c \
	mpi-qos/answer.h \
	gmsim/base/bandwidth.c \
	gmsim/base/bandwidth.h \
	gmsim/base/denial.h \
	gmsim/base/message.c \
	gmsim/base/message.h \
	mpi-qos/device.h \
	mpi-qos/errors.c \
	mpi-qos/errors.h \
	mpi-qos/file_hints.c \
	mpi-qos/files.c \
	mpi-qos/files.h \
	mpi-qos/flow.c \
	mpi-qos/flow.h \
	mpi-qos/fortran.c \
	mpi-qos/hints.c \
	mpi-qos/hints.h \
	mpi-qos/keyval.c \
	mpi-qos/layout.c \
	mpi-qos/names.c \
	mpi-qos/policy.c \
	mpi-qos/policy.h \
	mpi-qos/policy_apply.c \
	mpi-qos/policy_unused.c \
	gmsim/policy/policy_file.c \
	gmsim/policy/policy_file.h \
	mpi-qos/policy_int.h \
	gmsim/yaml/quantity.c \
	gmsim/yaml/quantity.h \
	mpi-qos/record.c \
	mpi-qos/record.h \
	mpi-qos/report.c \
	mpi-qos/report.h \
	mpi-qos/request.h \
	mpi-qos/translate.c \
	mpi-qos/translate.h \
	mpi-qos/verdict.c \
	mpi-qos/verdict.h
