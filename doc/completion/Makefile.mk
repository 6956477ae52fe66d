# SPDX-License-Identifier: BSD-3-Clause
#
# The completion for bash is generated from the --help texts of the built
# programs.

EXTRA_DIST += doc/completion/gmsim.bash doc/completion/make-completion

completion_programs = $(bin_PROGRAMS)
if WITH_MPICH
completion_programs += \
	$(srcdir)/benchmarks/compare-gm-mpi \
	$(srcdir)/benchmarks/loss-bandwidth
endif WITH_MPICH
completion_pages = doc/completion/made.stamp
completiondir = $(datadir)/bash-completion/completions
noinst_DATA += $(completion_pages)
CLEANFILES += $(completion_pages)
$(completion_pages): $(completion_programs) Makefile \
		$(srcdir)/doc/completion/gmsim.bash \
		$(srcdir)/doc/completion/make-completion
	@rm -rf doc/completion/made && $(MKDIR_P) doc/completion
	$(AM_V_GEN)AWK='$(AWK)' TEMPLATE='$(srcdir)/doc/completion/gmsim.bash' \
	PROGRAMS='$(completion_programs)' \
	$(BASH) $(srcdir)/doc/completion/make-completion doc/completion/made
	@echo > $@

install_locals += install-completion
install-completion: $(completion_pages)
	$(MKDIR_P) "$(DESTDIR)$(completiondir)"
	$(INSTALL_DATA) doc/completion/made/gmsim "$(DESTDIR)$(completiondir)"
	for name in $(completion_programs); do \
	    name=$${name##*/}; test "$$name" = gmsim || \
	    (cd "$(DESTDIR)$(completiondir)" && $(LN_S) -f gmsim "$$name") || exit 1; \
	done
uninstall_locals += uninstall-completion
uninstall-completion:
	for name in $(completion_programs); do \
	    rm -f "$(DESTDIR)$(completiondir)/$${name##*/}"; \
	done
.PHONY: install-completion uninstall-completion
