# SPDX-License-Identifier: BSD-3-Clause
#
# Run MPICH's own test suite on this build (doc/testing.md):
#   make check-mpich        all tests; with SUITE_FOLDERS="attr coll" those of
#                           some directories
#   make check-mpich-fast   all tests except those in the file slow
# "make check" runs the tests in the file few, with tests/system/mpich-suite.sh.

EXTRA_DIST += \
	tests/mpich/compile \
	tests/mpich/expected \
	tests/mpich/few \
	tests/mpich/list \
	tests/mpich/one \
	tests/mpich/run \
	tests/mpich/slow \
	tests/mpich/suite.folders

if WITH_MPICH
system_tests += tests/system/mpich-suite.sh

# without MPICH_CACHE, the build directory keeps the compiled programs
suite_cache = $(if $(MPICH_CACHE),$(MPICH_CACHE),$(abs_builddir)/tests/mpich/cache)

suite_environment = PATH="$(abs_builddir)/stage/bin:$$PATH" \
	LD_LIBRARY_PATH="$(abs_builddir)/stage/lib$${LD_LIBRARY_PATH:+:$$LD_LIBRARY_PATH}"
suite_run = \
	suite=`$(BASH) $(srcdir)/tests/mpich/compile \
	    --stage '$(abs_builddir)/stage' --cache '$(suite_cache)' \
	    --source '$(MPICH_SOURCE)'` && \
	$(suite_environment) $(BASH) $(srcdir)/tests/mpich/run --suite "$$suite" \
	    --output tests/mpich/results
SUITE_FOLDERS =

check-mpich: stage.stamp
	@+$(suite_run) $(SUITE_FOLDERS)
check-mpich-fast: stage.stamp
	@+$(suite_run) --without $(srcdir)/tests/mpich/slow $(SUITE_FOLDERS)
endif WITH_MPICH
.PHONY: check-mpich check-mpich-fast
