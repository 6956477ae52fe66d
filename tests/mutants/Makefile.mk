# SPDX-License-Identifier: BSD-3-Clause
#
# List the mutants of the program: small changes of a source file that break an essential
# rule. A test must fail for each mutant. `make mutants` runs all mutants.
# `make mutants MUTANTS='--only nic'` runs some of them.

mutant_lists = \
	tests/mutants/analytic.mutants \
	tests/mutants/clock.mutants \
	tests/mutants/cluster.mutants \
	tests/mutants/engine.mutants \
	tests/mutants/ethernet.mutants \
	tests/mutants/experiments.mutants \
	tests/mutants/fabric.mutants \
	tests/mutants/gm.mutants \
	tests/mutants/hcasim.mutants \
	tests/mutants/inprocess.mutants \
	tests/mutants/job.mutants \
	tests/mutants/manager.mutants \
	tests/mutants/mpi.mutants \
	tests/mutants/nic.mutants \
	tests/mutants/observe.mutants \
	tests/mutants/report.mutants \
	tests/mutants/sweep.mutants

EXTRA_DIST += tests/mutants/run $(mutant_lists)

.PHONY: mutants
mutants: $(check_libs)
	$(srcdir)/tests/mutants/run $(MUTANTS) $(srcdir) . $(mutant_lists:%=$(srcdir)/%)

# Link the test program MUTANT_TEST with the changed file MUTANT_FILE. If this file is a header, its
# path below MUTANT_DIRECTORY/include is the path that `#include` names, and MUTANT_SOURCES are
# the sources that are compiled with it. The new objects are first, so that the linker does not use
# the objects in the library.
MUTANT_DIRECTORY = mutant
MUTANT_SOURCES =
mutant_sources = $(or $(MUTANT_SOURCES:%=$(srcdir)/%),$(MUTANT_DIRECTORY)/changed.c)
mutant_bases = $(basename $(notdir $(MUTANT_FILE) $(MUTANT_SOURCES)))
$(MUTANT_DIRECTORY)/program:
	$(AM_V_at)rm -f $(MUTANT_DIRECTORY)/*.changed.$(OBJEXT)
	$(AM_V_at)for source in $(mutant_sources); do \
	    $(COMPILE) $($(MUTANT_TEST)_CPPFLAGS) -w -O1 -iquote $(MUTANT_DIRECTORY)/include \
	        -iquote $(srcdir)/$(dir $(MUTANT_FILE)) -c \
	        -o $(MUTANT_DIRECTORY)/`basename $$source .c`.changed.$(OBJEXT) $$source || exit 1; \
	done
	$(AM_V_at)$(or $($(MUTANT_TEST)_LINK),$(LINK)) $(MUTANT_DIRECTORY)/*.changed.$(OBJEXT) \
	    $(filter-out $(foreach base,$(mutant_bases),%/$(base).$(OBJEXT) %-$(base).$(OBJEXT)), \
	        $($(MUTANT_TEST)_OBJECTS)) \
	    $($(MUTANT_TEST)_LDADD) $(LIBS)
