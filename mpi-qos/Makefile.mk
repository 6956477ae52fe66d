# SPDX-License-Identifier: BSD-3-Clause
#
# libmpiqos: knows mpi.h and the hook of adi-gm, never gm.h.

if WITH_MPICH

include_HEADERS += mpi-qos/include/mpi_qos.h
pkgconfig_DATA += mpi-qos/mpiqos.pc

lib_LTLIBRARIES += libmpiqos.la
libmpiqos_la_CPPFLAGS = $(mpi_cppflags) -I$(top_srcdir)/adi-gm/include
libmpiqos_la_LIBADD = libmpi.la -lm
libmpiqos_la_LDFLAGS = $(AM_LDFLAGS) $(rpath_lib) $(QOS_NO_UNDEFINED) \
	-version-info $(LIBMPIQOS_VERSION) \
	-export-symbols-regex \
	'^(MPIQOS_[A-Z][a-z]|mpiqos_flow_keyval$$|mpiqos_error_class$$)'

endif WITH_MPICH

# one file per line, sorted
libmpiqos_la_SOURCES = \
	mpi-qos/device.h \
	mpi-qos/errors.c \
	mpi-qos/errors.h \
	mpi-qos/flow.c \
	mpi-qos/flow.h \
	mpi-qos/keyval.c \
	mpi-qos/names.c \
	mpi-qos/translate.c \
	mpi-qos/translate.h
