# SPDX-License-Identifier: BSD-3-Clause
#
# Documents are installed with their directories, to keep the links between them valid.
# This list and the pages with commands (tests/docs/Makefile.mk) are complete if
# tests/docs/links.sh passes.

documentsdir = $(docdir)
nobase_dist_documents_DATA = $(doc_tests)
nobase_dist_documents_DATA += CHANGES
nobase_dist_documents_DATA += doc/README.md
nobase_dist_documents_DATA += doc/accuracy.md
nobase_dist_documents_DATA += doc/design/0001-cluster-description.md
nobase_dist_documents_DATA += doc/design/0002-the-gate.md
nobase_dist_documents_DATA += doc/design/0003-parameters-below-everything.md
nobase_dist_documents_DATA += doc/design/0004-undeclared-traffic.md
nobase_dist_documents_DATA += doc/design/0005-topologies.md
nobase_dist_documents_DATA += doc/design/0006-managers.md
nobase_dist_documents_DATA += doc/design/0007-best-effort-gives-way.md
nobase_dist_documents_DATA += doc/design/0008-fewer-events.md
nobase_dist_documents_DATA += doc/design/0009-request-interfaces.md
nobase_dist_documents_DATA += doc/design/0010-registration.md
nobase_dist_documents_DATA += doc/design/0011-time-of-processes.md
nobase_dist_documents_DATA += doc/design/0012-queueing-models.md
nobase_dist_documents_DATA += doc/design/0013-rank-placement.md
nobase_dist_documents_DATA += doc/design/0014-cost-of-a-run.md
nobase_dist_documents_DATA += doc/design/0015-flit-routers.md
nobase_dist_documents_DATA += doc/design/0016-flit-under-mpi.md
nobase_dist_documents_DATA += doc/design/0017-power.md
nobase_dist_documents_DATA += doc/design/0018-observers.md
nobase_dist_documents_DATA += doc/design/0019-report.md
nobase_dist_documents_DATA += doc/design/0020-sweeps.md
nobase_dist_documents_DATA += doc/design/0021-command-line.md
nobase_dist_documents_DATA += doc/design/0022-guarantees.md
nobase_dist_documents_DATA += doc/design/0023-blocking.md
nobase_dist_documents_DATA += doc/design/0024-hardening.md
nobase_dist_documents_DATA += doc/design/0025-directories.md
nobase_dist_documents_DATA += doc/design/0026-containers.md
nobase_dist_documents_DATA += doc/design/README.md
nobase_dist_documents_DATA += doc/glossary.md
nobase_dist_documents_DATA += doc/gm-and-mpi.md
nobase_dist_documents_DATA += doc/guarantees.md
nobase_dist_documents_DATA += doc/gm-and-mpi.svg
nobase_dist_documents_DATA += doc/howto/add-a-scheduler.md
nobase_dist_documents_DATA += doc/overview.md
nobase_dist_documents_DATA += doc/qos-fabric.md
nobase_dist_documents_DATA += doc/qos-reproduction.md
nobase_dist_documents_DATA += doc/qos-traffic.md
nobase_dist_documents_DATA += doc/rate-control.svg
nobase_dist_documents_DATA += doc/record.md
nobase_dist_documents_DATA += doc/reference/cluster.md
nobase_dist_documents_DATA += doc/reference/environment.md
nobase_dist_documents_DATA += doc/reference/exit-status.md
nobase_dist_documents_DATA += doc/reference/plan.md
nobase_dist_documents_DATA += doc/reference/units.md
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
nobase_dist_documents_DATA += doc/testing.md
nobase_dist_documents_DATA += doc/threat-model.md
nobase_dist_documents_DATA += doc/tutorial/hpc-engineer.svg
nobase_dist_documents_DATA += doc/tutorial/lab.svg
nobase_dist_documents_DATA += doc/tutorial/nic-designer.svg
nobase_dist_documents_DATA += doc/tutorial/nic-designer-delay.svg
nobase_dist_documents_DATA += doc/virtual-time.md
nobase_dist_documents_DATA += doc/what-is-modelled.md

# The page of parameters is made from their table.
parametersdir = $(docdir)/doc/reference
nodist_parameters_DATA = doc/reference/parameters.md
doc/reference/parameters.md: gmsim/tool/gmsim$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) doc/reference && \
	gmsim/tool/gmsim$(EXEEXT) params --markdown > $@.new && mv $@.new $@
CLEANFILES += doc/reference/parameters.md
