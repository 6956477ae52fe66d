# SPDX-License-Identifier: BSD-3-Clause
#
# List the tests of the documentation. One test for each page runs the commands of the
# page and compares their output (see tests/docs/run). The other tests check all pages.

doc_tests = README.md
doc_tests += doc/admission.md
doc_tests += doc/counters.md
doc_tests += doc/faults.md
doc_tests += doc/how-far-to-trust-it.md
doc_tests += doc/howto/ask-for-a-delay.md
doc_tests += doc/howto/compare-schedulers.md
doc_tests += doc/howto/compare-two-runs.md
doc_tests += doc/howto/count-computing-time.md
doc_tests += doc/howto/describe-a-cluster.md
doc_tests += doc/howto/find-what-to-reserve.md
doc_tests += doc/howto/fit-your-network.md
doc_tests += doc/howto/fix-a-failed-job.md
doc_tests += doc/howto/get-what-you-reserved.md
doc_tests += doc/howto/import-a-fabric.md
doc_tests += doc/howto/lend-idle-bandwidth.md
doc_tests += doc/howto/log-dispatches.md
doc_tests += doc/howto/measure.md
doc_tests += doc/howto/place-ranks.md
doc_tests += doc/howto/plan-reservations.md
doc_tests += doc/howto/read-a-denial.md
doc_tests += doc/howto/repeat-the-experiments.md
doc_tests += doc/howto/reserve-file-access.md
doc_tests += doc/howto/reserve-from-c.md
doc_tests += doc/howto/reserve-from-fortran.md
doc_tests += doc/howto/reserve-from-gm.md
doc_tests += doc/howto/reserve-one-sided.md
doc_tests += doc/howto/reserve-with-a-policy.md
doc_tests += doc/howto/reserve-with-hints.md
doc_tests += doc/howto/see-the-host.md
doc_tests += doc/howto/spawn-processes.md
doc_tests += doc/howto/teach-with-it.md
doc_tests += doc/howto/use-virtual-lanes.md
doc_tests += doc/howto/verify-a-plan.md
doc_tests += doc/mpi-translation.md
doc_tests += doc/nic-model.md
doc_tests += doc/rate-control.md
doc_tests += doc/reference/policy.md
doc_tests += doc/sweep.md
doc_tests += doc/trace.md
doc_tests += doc/tutorial.md
doc_tests += doc/tutorial/hpc-engineer.md
doc_tests += doc/tutorial/lab-solutions.md
doc_tests += doc/tutorial/lab.md
doc_tests += doc/tutorial/lecturer.md
doc_tests += doc/tutorial/nic-designer.md
doc_tests += doc/tutorial/slides.md

system_tests += tests/docs/add-a-scheduler.sh
system_tests += tests/docs/links.sh
system_tests += tests/docs/reference.sh
system_tests += tests/docs/site.sh
system_tests += tests/docs/slides.sh
system_tests += tests/docs/words.sh

TESTS += $(doc_tests)
MD_LOG_COMPILER = $(SH_LOG_COMPILER) $(abs_top_srcdir)/tests/docs/run

EXTRA_DIST += tests/docs/abbreviations.txt tests/docs/match.awk tests/docs/run tests/docs/sentences
EXTRA_DIST += tests/docs/words.pl tests/docs/words.txt

# Check that documents, messages and comments use plain words and short sentences.
check-words:
	$(AM_TESTS_ENVIRONMENT) $(SH_LOG_COMPILER) $(srcdir)/tests/docs/words.sh
.PHONY: check-words
