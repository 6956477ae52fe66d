# SPDX-License-Identifier: BSD-3-Clause
#
# Man pages are generated from the built programs; make-pages lists their sources. The
# tarball does not contain man pages. A build from the tarball generates them if the
# tools are installed.

EXTRA_DIST += doc/man/gm.3 doc/man/header.awk doc/man/make-pages \
	doc/man/mpi_qos.3 doc/man/mpicc.1 doc/man/mpirun.1 doc/man/add

man_programs = $(bin_PROGRAMS)
man_headers = \
	$(srcdir)/gmsim/include/gm.h \
	$(srcdir)/gmsim/include/gm_qos.h \
	$(srcdir)/gmsim/include/gmsim.h \
	$(srcdir)/gmsim/include/gmsim_counters.h
man_hand = $(srcdir)/doc/man/gm.3
if WITH_MPICH
man_programs += \
	$(srcdir)/benchmarks/compare-gm-mpi \
	$(srcdir)/benchmarks/loss-bandwidth
man_headers += \
	$(srcdir)/adi-gm/include/mpix_gm.h \
	$(srcdir)/mpi-qos/include/mpi_qos.h
man_hand += \
	$(srcdir)/doc/man/mpi_qos.3 \
	$(srcdir)/doc/man/mpicc.1 \
	$(srcdir)/doc/man/mpirun.1
endif WITH_MPICH

# FILE=NAME.SECTION; make-pages skips missing files
man_texts = \
	$(srcdir)/doc/overview.md=gmqos.7 \
	$(srcdir)/doc/record.md=gmqos-record.5 \
	$(srcdir)/doc/reference/cluster.md=gmqos-cluster.5 \
	$(srcdir)/doc/reference/environment.md=gmqos-environment.7 \
	$(srcdir)/doc/reference/exit-status.md=gmqos-exit-status.7 \
	$(srcdir)/doc/reference/plan.md=gmqos-plan.5 \
	$(srcdir)/doc/reference/policy.md=gmqos-policy.5 \
	$(srcdir)/doc/reference/units.md=gmqos-units.7 \
	$(srcdir)/doc/sweep.md=gmqos-sweep.5 \
	$(srcdir)/doc/trace.md=gmqos-trace.5 \
	$(srcdir)/doc/virtual-time.md=gmqos-time.7

if WITH_MAN
man_pages = doc/man/pages.stamp
noinst_DATA += $(man_pages)
$(man_pages): $(man_programs) $(man_headers) $(man_hand) Makefile \
		$(srcdir)/doc/man/make-pages $(srcdir)/doc/man/header.awk \
		$(wildcard $(srcdir)/doc/man/add/*.h2m) \
		$(wildcard $(srcdir)/doc/*.md $(srcdir)/doc/reference/*.md)
	@$(MKDIR_P) doc/man
	$(AM_V_GEN)AWK='$(AWK)' HELP2MAN='$(HELP2MAN)' LOWDOWN='$(LOWDOWN)' \
	SRCDIR='$(srcdir)' VERSION='$(VERSION)' PROGRAMS='$(man_programs)' \
	HEADERS='$(man_headers)' HAND='$(man_hand)' TEXTS='$(man_texts)' \
	$(BASH) $(srcdir)/doc/man/make-pages doc/man/pages
	@echo > $@

install_locals += install-man-pages
install-man-pages: $(man_pages)
	for page in doc/man/pages/man*/*; do \
	    section=$${page#doc/man/pages/}; section=$${section%/*}; \
	    $(MKDIR_P) "$(DESTDIR)$(mandir)/$$section" && \
	    $(INSTALL_DATA) "$$page" "$(DESTDIR)$(mandir)/$$section" || exit 1; \
	done
uninstall_locals += uninstall-man-pages
uninstall-man-pages:
	for page in doc/man/pages/man*/*; do \
	    rm -f "$(DESTDIR)$(mandir)/$${page#doc/man/pages/}"; \
	done
CLEANFILES += $(man_pages)
endif WITH_MAN
.PHONY: install-man-pages uninstall-man-pages
