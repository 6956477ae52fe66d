# SPDX-License-Identifier: BSD-3-Clause
#
# libmpi: MPICH with the gm device. Most of libmpi does not depend on GM and is compiled only
# once, into adi-gm/mpich/ (see adi-gm/build/README.md). The netmod itself is compiled here, like
# any other source.

EXTRA_DIST += adi-gm/README.md adi-gm/build adi-gm/launcher adi-gm/patches adi-gm/libmpi.map \
	adi-gm/abi/README.md adi-gm/abi/constants adi-gm/abi/functions.h adi-gm/abi/generate \
	adi-gm/abi/handwritten adi-gm/abi/types.h

if WITH_MPICH

# --- the core ------------------------------------------------------------------
# On every make, the script mpich-core checks whether the sources of the core have changed (about
# 0.1 s). The script updates the stamp file only after a change.
mpich_core = adi-gm/mpich/core.stamp
BUILT_SOURCES += $(mpich_core)
adi_gm_force:
$(mpich_core): adi_gm_force
	@+$(BASH) $(srcdir)/adi-gm/build/mpich-core \
	    --cc '$(CC)' --fc '$(MPICH_FC)' --cache '$(MPICH_CACHE)' --source '$(MPICH_SOURCE)' \
	    --output adi-gm/mpich

mpich_files = \
	adi-gm/mpich/bin/hydra_pmi_proxy \
	adi-gm/mpich/bin/mpiexec.hydra \
	adi-gm/mpich/include/mpi.h \
	adi-gm/mpich/include/mpi_proto.h \
	adi-gm/mpich/include/mpio.h \
	adi-gm/mpich/doc/COPYRIGHT.mpich \
	adi-gm/mpich/lib/libmpi-core.la
$(mpich_files): $(mpich_core)

bin_SCRIPTS += \
	adi-gm/mpicc \
	adi-gm/mpicxx \
	adi-gm/mpich/bin/hydra_pmi_proxy \
	adi-gm/mpich/bin/mpiexec.hydra
nodist_include_HEADERS += \
	adi-gm/mpich/include/mpi.h \
	adi-gm/mpich/include/mpi_proto.h \
	adi-gm/mpich/include/mpio.h
nodist_doc_DATA += adi-gm/mpich/doc/COPYRIGHT.mpich

# --- libmpi --------------------------------------------------------------------
# The functions of libmpi call each other directly (-Bsymbolic-functions), because libmpi_abi
# defines the same names.
include_HEADERS += adi-gm/include/mpix_gm.h
lib_LTLIBRARIES += libmpi.la

# The library that the device loads if a program uses hints or a user sets a policy. In libtool's
# version of this library, the number in the name is current - age.
libmpiqos_soname = libmpiqos.so.$(LIBMPIQOS_MAJOR)

# The compiler treats MPICH's headers as system headers and prints no warnings for
# them. The macros of these headers also expand in the netmod's code, so some warnings are
# disabled there.
libmpi_la_CPPFLAGS = \
	-I$(top_srcdir)/adi-gm/netmod \
	-I$(top_srcdir)/adi-gm/include \
	-I$(top_srcdir)/gmsim/include \
	-DADIGM_CLIENT='"$(libmpiqos_soname)"' \
	@adi-gm/mpich/cppflags
libmpi_la_CFLAGS = $(AM_CFLAGS) $(QOS_NETMOD_CFLAGS)
libmpi_la_LDFLAGS = $(AM_LDFLAGS) $(rpath_lib) $(QOS_NO_UNDEFINED) \
	-version-info 14:2:2 -Wl,-Bsymbolic-functions \
	-Wl,--version-script=$(srcdir)/adi-gm/libmpi.map
libmpi_la_LIBADD = adi-gm/mpich/lib/libmpi-core.la libgm.la
libmpi_la_DEPENDENCIES = adi-gm/mpich/lib/libmpi-core.la libgm.la \
	adi-gm/libmpi.map

# --- libmpi_abi ----------------------------------------------------------------
# The standard ABI of MPI 5, on top of libmpi (see adi-gm/abi/README.md). The script
# "generate" reads the prototypes of MPICH's functions.
abi_generate = $(MKDIR_P) adi-gm/abi && perl $(srcdir)/adi-gm/abi/generate
abi_constants = $(srcdir)/adi-gm/abi/constants
abi_types = $(srcdir)/adi-gm/abi/types.h
abi_functions = $(srcdir)/adi-gm/abi/functions.h
abi_mpich = adi-gm/mpich/include/mpi_proto.h adi-gm/mpich/include/mpio.h
abi_generated = adi-gm/abi/calls.c adi-gm/abi/internal.h adi-gm/abi/mpi.h adi-gm/abi/tables.c
BUILT_SOURCES += $(abi_generated)
CLEANFILES += $(abi_generated)
$(abi_generated): $(abi_mpich) $(abi_constants) $(abi_types) $(abi_functions) \
		$(srcdir)/adi-gm/abi/handwritten $(srcdir)/adi-gm/abi/generate
adi-gm/abi/mpi.h:
	$(AM_V_GEN)$(abi_generate) header $(abi_constants) $(abi_types) $(abi_functions) \
	    $(abi_mpich) > $@.new && mv $@.new $@
adi-gm/abi/internal.h:
	$(AM_V_GEN)$(abi_generate) internal $(abi_constants) $(abi_types) $(abi_mpich) > $@.new && \
	    mv $@.new $@
adi-gm/abi/tables.c:
	$(AM_V_GEN)$(abi_generate) tables $(abi_constants) > $@.new && mv $@.new $@
adi-gm/abi/calls.c:
	$(AM_V_GEN)$(abi_generate) calls $(srcdir)/adi-gm/abi/handwritten $(abi_functions) \
	    $(abi_mpich) > $@.new && mv $@.new $@

bin_SCRIPTS += adi-gm/mpicc_abi
abiincludedir = $(includedir)/mpi_abi
nodist_abiinclude_HEADERS = adi-gm/abi/mpi.h
lib_LTLIBRARIES += libmpi_abi.la
nodist_libmpi_abi_la_SOURCES = adi-gm/abi/calls.c adi-gm/abi/tables.c
libmpi_abi_la_CPPFLAGS = -isystem adi-gm/mpich/include -I$(top_srcdir)/adi-gm/abi \
	-DABI_LIBMPI='"libmpi.so.12"'
libmpi_abi_la_CFLAGS = $(AM_CFLAGS) $(QOS_MPI_CFLAGS) -fvisibility=hidden
# the version is that of the ABI; libmpi is a dependency although libmpi_abi uses none of its
# symbols directly
libmpi_abi_la_LDFLAGS = $(AM_LDFLAGS) $(rpath_lib) -version-info 1:0:0 -Wl,--no-as-needed
libmpi_abi_la_LIBADD = libmpi.la

# Further names of programs, as LINK=PROGRAM
mpi_links = mpiexec=mpiexec.hydra mpirun=mpiexec.hydra mpic++=mpicxx
if WITH_FORTRAN
mpi_links += mpif77=mpifort mpif90=mpifort
endif WITH_FORTRAN
# Debian's MPICH gives these names to the same libraries. Because of the links, programs of
# Debian's packages run unchanged. LINK=LIBRARY
debian_links = libmpich.so.12=libmpi.so.12
if WITH_FORTRAN
debian_links += libmpichfort.so.12=libmpifort.so.12
endif WITH_FORTRAN
# Users can move an installation, so no libtool file (.la) may contain the path of another .la
# file. Otherwise, libtool would search the old path, and linking would fail.
install-exec-hook:
	cd "$(DESTDIR)$(bindir)" && for link in $(mpi_links); do \
	    rm -f "$${link%%=*}" && $(LN_S) "$${link#*=}" "$${link%%=*}" || exit 1; \
	done
	cd "$(DESTDIR)$(libdir)" && for link in $(debian_links); do \
	    rm -f "$${link%%=*}" && $(LN_S) "$${link#*=}" "$${link%%=*}" || exit 1; \
	done
	cd "$(DESTDIR)$(libdir)" && $(SED) -i "s/^dependency_libs=.*/dependency_libs=''/" lib*.la
uninstall_hooks += uninstall-mpi-links
uninstall-mpi-links:
	for link in $(mpi_links); do rm -f "$(DESTDIR)$(bindir)/$${link%%=*}"; done
	for link in $(debian_links); do rm -f "$(DESTDIR)$(libdir)/$${link%%=*}"; done
.PHONY: uninstall-mpi-links

if WITH_FORTRAN
mpich_fortran = \
	adi-gm/mpich/fortran/mpi.mod \
	adi-gm/mpich/fortran/mpi_base.mod \
	adi-gm/mpich/fortran/mpi_c_interface.mod \
	adi-gm/mpich/fortran/mpi_c_interface_cdesc.mod \
	adi-gm/mpich/fortran/mpi_c_interface_glue.mod \
	adi-gm/mpich/fortran/mpi_c_interface_nobuf.mod \
	adi-gm/mpich/fortran/mpi_c_interface_types.mod \
	adi-gm/mpich/fortran/mpi_constants.mod \
	adi-gm/mpich/fortran/mpi_f08.mod \
	adi-gm/mpich/fortran/mpi_f08_callbacks.mod \
	adi-gm/mpich/fortran/mpi_f08_compile_constants.mod \
	adi-gm/mpich/fortran/mpi_f08_link_constants.mod \
	adi-gm/mpich/fortran/mpi_f08_types.mod \
	adi-gm/mpich/fortran/mpi_sizeofs.mod \
	adi-gm/mpich/fortran/mpif.h \
	adi-gm/mpich/fortran/pmpi_f08.mod
$(mpich_fortran) adi-gm/mpich/lib/libmpifort-core.la: $(mpich_core)

bin_SCRIPTS += adi-gm/mpifort
nodist_include_HEADERS += $(mpich_fortran)
lib_LTLIBRARIES += libmpifort.la
libmpifort_la_SOURCES =
nodist_EXTRA_libmpifort_la_SOURCES = adi-gm/netmod/dummy.f90
libmpifort_la_LIBADD = adi-gm/mpich/lib/libmpifort-core.la libmpi.la
libmpifort_la_DEPENDENCIES = adi-gm/mpich/lib/libmpifort-core.la libmpi.la
libmpifort_la_LDFLAGS = $(AM_LDFLAGS) $(rpath_lib) $(QOS_NO_UNDEFINED) \
	-version-info 14:2:2
mpifort_ldadd = libmpiqosf.la libmpifort.la $(mpi_ldadd)
mpifort_fcflags = -I adi-gm/mpich/fortran -I mpi-qos/fortran \
	-I $(top_srcdir)/mpi-qos/include
endif WITH_FORTRAN

# Flags for the MPI programs of this source tree: mpi.h, mpi_qos.h
mpi_cppflags = -isystem adi-gm/mpich/include -I$(top_srcdir)/mpi-qos/include
mpi_cflags = $(AM_CFLAGS) $(QOS_MPI_CFLAGS)
mpi_ldadd = libmpiqos.la libmpi.la
mpi_ldflags = $(AM_LDFLAGS) $(rpath_bin)

endif WITH_MPICH

# The sources of the netmod, one file per line, sorted
libmpi_la_SOURCES = \
	adi-gm/netmod/func_table.c \
	adi-gm/netmod/gm_am.c \
	adi-gm/netmod/gm_chunk.c \
	adi-gm/netmod/gm_chunk.h \
	adi-gm/netmod/gm_connect.c \
	adi-gm/netmod/gm_events.c \
	adi-gm/netmod/gm_file.c \
	adi-gm/netmod/gm_hooks.c \
	adi-gm/netmod/gm_impl.h \
	adi-gm/netmod/gm_init.c \
	adi-gm/netmod/gm_layout.c \
	adi-gm/netmod/gm_layout.h \
	adi-gm/netmod/gm_mpit.c \
	adi-gm/netmod/gm_mpit.h \
	adi-gm/netmod/gm_mpit_cvar.c \
	adi-gm/netmod/gm_mpit_table.c \
	adi-gm/netmod/gm_mpix.c \
	adi-gm/netmod/gm_net.c \
	adi-gm/netmod/gm_net.h \
	adi-gm/netmod/gm_noinline.h \
	adi-gm/netmod/gm_pre.h \
	adi-gm/netmod/gm_progress.c \
	adi-gm/netmod/gm_register.c \
	adi-gm/netmod/gm_register.h \
	adi-gm/netmod/gm_rma.c \
	adi-gm/netmod/gm_rndv.c \
	adi-gm/netmod/gm_rndv.h \
	adi-gm/netmod/gm_rndv_receive.c \
	adi-gm/netmod/gm_spawn.c \
	adi-gm/netmod/gm_threads.c \
	adi-gm/netmod/gm_work.c \
	adi-gm/netmod/gm_work.h \
	adi-gm/netmod/netmod_inline.h

# The sources of the standard ABI, one file per line, sorted
libmpi_abi_la_SOURCES = \
	adi-gm/abi/abi.h \
	adi-gm/abi/callbacks.c \
	adi-gm/abi/convert.c \
	adi-gm/abi/new.c \
	adi-gm/abi/removed.c \
	adi-gm/abi/requests.c \
	adi-gm/abi/special.c \
	adi-gm/abi/special.h \
	adi-gm/abi/tool.c
