# SPDX-License-Identifier: BSD-3-Clause
#
# Documents are installed with their folders, so that links between them hold;
# tests/docs/links.sh finds those that are missing here.

documentsdir = $(docdir)
nobase_dist_documents_DATA =
nobase_dist_documents_DATA += CHANGES
nobase_dist_documents_DATA += README.md
nobase_dist_documents_DATA += doc/README.md
nobase_dist_documents_DATA += doc/accuracy.md
nobase_dist_documents_DATA += doc/admission.md
nobase_dist_documents_DATA += doc/counters.md
nobase_dist_documents_DATA += doc/design/0001-cluster-description.md
nobase_dist_documents_DATA += doc/design/0002-the-gate.md
nobase_dist_documents_DATA += doc/design/0003-parameters-below-everything.md
nobase_dist_documents_DATA += doc/design/0004-traffic-nobody-declared.md
nobase_dist_documents_DATA += doc/design/0005-topologies.md
nobase_dist_documents_DATA += doc/design/0006-managers.md
nobase_dist_documents_DATA += doc/design/0007-best-effort-gives-way.md
nobase_dist_documents_DATA += doc/design/0008-events-that-nobody-sees.md
nobase_dist_documents_DATA += doc/design/0009-ways-to-ask.md
nobase_dist_documents_DATA += doc/design/0010-registration.md
nobase_dist_documents_DATA += doc/design/0011-the-time-of-processes.md
nobase_dist_documents_DATA += doc/design/0012-queueing-models.md
nobase_dist_documents_DATA += doc/design/0013-where-ranks-sit.md
nobase_dist_documents_DATA += doc/design/0014-what-a-run-costs.md
nobase_dist_documents_DATA += doc/design/0015-flit-routers.md
nobase_dist_documents_DATA += doc/design/0016-flit-under-mpi.md
nobase_dist_documents_DATA += doc/design/0017-power.md
nobase_dist_documents_DATA += doc/faults.md
nobase_dist_documents_DATA += doc/gm-and-mpi.md
nobase_dist_documents_DATA += doc/gm-and-mpi.svg
nobase_dist_documents_DATA += doc/how-far-to-trust-it.md
nobase_dist_documents_DATA += doc/howto/add-a-scheduler.md
nobase_dist_documents_DATA += doc/howto/compare-schedulers.md
nobase_dist_documents_DATA += doc/howto/compare-two-runs.md
nobase_dist_documents_DATA += doc/howto/count-computing-time.md
nobase_dist_documents_DATA += doc/howto/describe-a-cluster.md
nobase_dist_documents_DATA += doc/howto/fix-a-failed-job.md
nobase_dist_documents_DATA += doc/howto/get-what-you-reserved.md
nobase_dist_documents_DATA += doc/howto/import-a-fabric.md
nobase_dist_documents_DATA += doc/howto/lend-idle-bandwidth.md
nobase_dist_documents_DATA += doc/howto/log-dispatches.md
nobase_dist_documents_DATA += doc/howto/measure.md
nobase_dist_documents_DATA += doc/howto/place-ranks.md
nobase_dist_documents_DATA += doc/howto/plan-reservations.md
nobase_dist_documents_DATA += doc/howto/read-a-denial.md
nobase_dist_documents_DATA += doc/howto/repeat-the-experiments.md
nobase_dist_documents_DATA += doc/howto/reserve-from-c.md
nobase_dist_documents_DATA += doc/howto/reserve-from-fortran.md
nobase_dist_documents_DATA += doc/howto/reserve-from-gm.md
nobase_dist_documents_DATA += doc/howto/reserve-with-a-policy.md
nobase_dist_documents_DATA += doc/howto/reserve-with-hints.md
nobase_dist_documents_DATA += doc/howto/see-the-host.md
nobase_dist_documents_DATA += doc/howto/use-virtual-lanes.md
nobase_dist_documents_DATA += doc/mpi-translation.md
nobase_dist_documents_DATA += doc/nic-model.md
nobase_dist_documents_DATA += doc/overview.md
nobase_dist_documents_DATA += doc/qos-fabric.md
nobase_dist_documents_DATA += doc/qos-reproduction.md
nobase_dist_documents_DATA += doc/qos-traffic.md
nobase_dist_documents_DATA += doc/rate-control.md
nobase_dist_documents_DATA += doc/rate-control.svg
nobase_dist_documents_DATA += doc/record.md
nobase_dist_documents_DATA += doc/reference/cluster.md
nobase_dist_documents_DATA += doc/reference/environment.md
nobase_dist_documents_DATA += doc/reference/exit-status.md
nobase_dist_documents_DATA += doc/reference/plan.md
nobase_dist_documents_DATA += doc/reference/policy.md
nobase_dist_documents_DATA += doc/report-demo.png
nobase_dist_documents_DATA += doc/report-network.png
nobase_dist_documents_DATA += doc/report.md
nobase_dist_documents_DATA += doc/reproduction.md
nobase_dist_documents_DATA += doc/reproduction/mpi-accuracy.svg
nobase_dist_documents_DATA += doc/reproduction/qos-fig-10.svg
nobase_dist_documents_DATA += doc/reproduction/qos-fig-4.svg
nobase_dist_documents_DATA += doc/reproduction/qos-fig-7.svg
nobase_dist_documents_DATA += doc/reproduction/qos-fig-8.svg
nobase_dist_documents_DATA += doc/reproduction/qos-fig-9.svg
nobase_dist_documents_DATA += doc/reproduction/thesis-2.3.svg
nobase_dist_documents_DATA += doc/reproduction/thesis-2.4.svg
nobase_dist_documents_DATA += doc/reproduction/thesis-5.1.svg
nobase_dist_documents_DATA += doc/reproduction/thesis-5.10.svg
nobase_dist_documents_DATA += doc/reproduction/thesis-5.11.svg
nobase_dist_documents_DATA += doc/reproduction/thesis-5.12.svg
nobase_dist_documents_DATA += doc/reproduction/thesis-5.2.svg
nobase_dist_documents_DATA += doc/reproduction/thesis-5.3.svg
nobase_dist_documents_DATA += doc/reproduction/thesis-5.4.svg
nobase_dist_documents_DATA += doc/reproduction/thesis-5.5.svg
nobase_dist_documents_DATA += doc/reproduction/thesis-5.6.svg
nobase_dist_documents_DATA += doc/reproduction/thesis-5.7.svg
nobase_dist_documents_DATA += doc/reproduction/thesis-5.8.svg
nobase_dist_documents_DATA += doc/reproduction/thesis-5.9.svg
nobase_dist_documents_DATA += doc/sweep.md
nobase_dist_documents_DATA += doc/testing.md
nobase_dist_documents_DATA += doc/trace.md
nobase_dist_documents_DATA += doc/tutorial.md
nobase_dist_documents_DATA += doc/virtual-time.md
nobase_dist_documents_DATA += doc/what-is-modelled.md

# The parameters, from their table.
parametersdir = $(docdir)/doc/reference
nodist_parameters_DATA = doc/reference/parameters.md
doc/reference/parameters.md: gmsim/tool/gmsim$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) doc/reference && \
	gmsim/tool/gmsim$(EXEEXT) params --markdown > $@.new && mv $@.new $@
CLEANFILES += doc/reference/parameters.md
