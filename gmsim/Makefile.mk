# SPDX-License-Identifier: BSD-3-Clause
#
# The library libgmsim.la exports all symbols; the tests and tools of the project link with it.
# They include private headers as "engine/x.h". The library libgm.la exports only the public
# names; programs link with it by -lgm. It is compiled separately with link-time
# optimization, because an event runs through several files. For tests and tools, this
# would make linking too slow.

include_HEADERS += \
	gmsim/include/gm.h \
	gmsim/include/gm_qos.h \
	gmsim/include/gmsim.h \
	gmsim/include/gmsim_counters.h

pkgconfig_DATA += gmsim/gm.pc

gmsim_cppflags = \
	-I$(top_srcdir)/gmsim \
	-I$(top_srcdir)/gmsim/include \
	$(HWLOC_CFLAGS) $(JANSSON_CFLAGS) $(OTF2_CFLAGS) $(YAML_CFLAGS) \
	$(ZLIB_CFLAGS)
gmsim_libs = $(HWLOC_LIBS) $(JANSSON_LIBS) $(OTF2_LIBS) $(YAML_LIBS) \
	$(ZLIB_LIBS)

noinst_LTLIBRARIES += libgmsim.la
libgmsim_la_CPPFLAGS = $(gmsim_cppflags)
libgmsim_la_LIBADD = $(gmsim_libs)
libgmsim_la_SOURCES =

# one file per line, sorted, with headers (the tarball must contain them)

libgmsim_la_SOURCES += \
	gmsim/base/bandwidth.c \
	gmsim/base/bandwidth.h \
	gmsim/base/checksum.c \
	gmsim/base/checksum.h \
	gmsim/base/decimal.c \
	gmsim/base/decimal.h \
	gmsim/base/denial.h \
	gmsim/base/digits.h \
	gmsim/base/directory.c \
	gmsim/base/directory.h \
	gmsim/base/hash.h \
	gmsim/base/heap.h \
	gmsim/base/json_memory.c \
	gmsim/base/json_memory.h \
	gmsim/base/json_text.c \
	gmsim/base/json_text.h \
	gmsim/base/limits.h \
	gmsim/base/line.c \
	gmsim/base/line.h \
	gmsim/base/message.c \
	gmsim/base/message.h \
	gmsim/base/plural.h \
	gmsim/base/printable.c \
	gmsim/base/printable.h \
	gmsim/base/quantile.h \
	gmsim/base/queue.h \
	gmsim/base/random.c \
	gmsim/base/random.h \
	gmsim/base/ranges.h \
	gmsim/base/status.c \
	gmsim/base/status.h \
	gmsim/base/student.c \
	gmsim/base/student.h \
	gmsim/base/time.h

libgmsim_la_SOURCES += \
	gmsim/params/find.c \
	gmsim/params/params.c \
	gmsim/params/params.h \
	gmsim/params/profile.c \
	gmsim/params/profile.h \
	gmsim/params/profile_fitted.h \
	gmsim/params/profile_roce.c \
	gmsim/params/profile_roce.h \
	gmsim/params/rows_ethernet.h \
	gmsim/params/rows_hca.h \
	gmsim/params/rows_lanes.h

libgmsim_la_SOURCES += \
	gmsim/engine/arena.c \
	gmsim/engine/arena.h \
	gmsim/engine/busy.c \
	gmsim/engine/busy.h \
	gmsim/engine/calendar.c \
	gmsim/engine/calendar.h \
	gmsim/engine/copy.c \
	gmsim/engine/copy.h \
	gmsim/engine/engine.c \
	gmsim/engine/engine.h \
	gmsim/engine/gate.c \
	gmsim/engine/gate.h \
	gmsim/engine/gate_clock.c \
	gmsim/engine/gate_int.h \
	gmsim/engine/gate_kill.c \
	gmsim/engine/gate_kill.h \
	gmsim/engine/gate_life.c \
	gmsim/engine/gate_park.c \
	gmsim/engine/gate_poll.c \
	gmsim/engine/gate_recorded.c \
	gmsim/engine/gate_spawn.c \
	gmsim/engine/gate_time.c \
	gmsim/engine/gate_watch.c \
	gmsim/engine/ranks.c \
	gmsim/engine/ranks.h

libgmsim_la_SOURCES += \
	gmsim/fabric/cut_through.c \
	gmsim/fabric/cut_through.h \
	gmsim/fabric/drawing.c \
	gmsim/fabric/drawing.h \
	gmsim/fabric/drawing_middle.c \
	gmsim/fabric/drawing_middle.h \
	gmsim/fabric/ethernet.c \
	gmsim/fabric/ethernet.h \
	gmsim/fabric/ets.c \
	gmsim/fabric/ets.h \
	gmsim/fabric/fabric.c \
	gmsim/fabric/fabric.h \
	gmsim/fabric/fabric_int.h \
	gmsim/fabric/fault.c \
	gmsim/fabric/fault.h \
	gmsim/fabric/faults.h \
	gmsim/fabric/flit.h \
	gmsim/fabric/flit_build.c \
	gmsim/fabric/flit_check.c \
	gmsim/fabric/flit_config.c \
	gmsim/fabric/flit_cross.c \
	gmsim/fabric/flit_head.c \
	gmsim/fabric/flit_int.h \
	gmsim/fabric/flit_model.c \
	gmsim/fabric/flit_model.h \
	gmsim/fabric/flit_model_config.c \
	gmsim/fabric/flit_node.c \
	gmsim/fabric/flit_output.c \
	gmsim/fabric/flit_query.c \
	gmsim/fabric/flit_route.c \
	gmsim/fabric/flit_sink.c \
	gmsim/fabric/flit_time.c \
	gmsim/fabric/forwarding.c \
	gmsim/fabric/forwarding.h \
	gmsim/fabric/graph.h \
	gmsim/fabric/lane_arbiter.c \
	gmsim/fabric/lane_arbiter.h \
	gmsim/fabric/link_time.c \
	gmsim/fabric/link_time.h \
	gmsim/fabric/reserved.c \
	gmsim/fabric/topology.c \
	gmsim/fabric/topology.h \
	gmsim/fabric/topology_deadlock.c \
	gmsim/fabric/topology_graph.c \
	gmsim/fabric/topology_grid.c \
	gmsim/fabric/topology_int.h \
	gmsim/fabric/topology_row.c \
	gmsim/fabric/topology_search.c \
	gmsim/fabric/topology_tree.c \
	gmsim/fabric/vl_arbiter.c \
	gmsim/fabric/vl_arbiter.h \
	gmsim/fabric/worm.c

libgmsim_la_SOURCES += \
	gmsim/nic/alloc.c \
	gmsim/nic/alloc.h \
	gmsim/nic/cnp.c \
	gmsim/nic/cnp.h \
	gmsim/nic/connection.c \
	gmsim/nic/connection.h \
	gmsim/nic/connection_find.c \
	gmsim/nic/dcqcn.c \
	gmsim/nic/dcqcn.h \
	gmsim/nic/delay.c \
	gmsim/nic/delay.h \
	gmsim/nic/dispatch.c \
	gmsim/nic/dispatch.h \
	gmsim/nic/flow.c \
	gmsim/nic/flow.h \
	gmsim/nic/get.c \
	gmsim/nic/get.h \
	gmsim/nic/hca.c \
	gmsim/nic/hca.h \
	gmsim/nic/hca_forward.c \
	gmsim/nic/hca_receive.c \
	gmsim/nic/hca_send.c \
	gmsim/nic/host_dma.c \
	gmsim/nic/inspect.c \
	gmsim/nic/inspect.h \
	gmsim/nic/kind.c \
	gmsim/nic/kind.h \
	gmsim/nic/lanai.c \
	gmsim/nic/local.c \
	gmsim/nic/local.h \
	gmsim/nic/mcp.h \
	gmsim/nic/mcp_poll.c \
	gmsim/nic/mcp_rdma.c \
	gmsim/nic/mcp_recv.c \
	gmsim/nic/mcp_sdma.c \
	gmsim/nic/mcp_send.c \
	gmsim/nic/memory.c \
	gmsim/nic/memory.h \
	gmsim/nic/nic.c \
	gmsim/nic/nic.h \
	gmsim/nic/nic_int.h \
	gmsim/nic/packet.c \
	gmsim/nic/packet.h \
	gmsim/nic/pool.c \
	gmsim/nic/pool.h \
	gmsim/nic/port.c \
	gmsim/nic/post.c \
	gmsim/nic/reset.c \
	gmsim/nic/scheduler.c \
	gmsim/nic/scheduler_byte_rr.c \
	gmsim/nic/scheduler.h \
	gmsim/nic/scheduler_int.h \
	gmsim/nic/scheduler_message_rr.c \
	gmsim/nic/scheduler_packet_rr.c \
	gmsim/nic/scheduler_rate.c \
	gmsim/nic/sram.c \
	gmsim/nic/sram.h \
	gmsim/nic/step.h \
	gmsim/nic/stream.c \
	gmsim/nic/watch.c

libgmsim_la_SOURCES += \
	gmsim/manager/account_bound.c \
	gmsim/manager/account_bound.h \
	gmsim/manager/account_flows.c \
	gmsim/manager/account_int.h \
	gmsim/manager/account_left.c \
	gmsim/manager/account_left.h \
	gmsim/manager/account_sums.c \
	gmsim/manager/account_sums.h \
	gmsim/manager/admission.c \
	gmsim/manager/admission.h \
	gmsim/manager/blocking.c \
	gmsim/manager/blocking.h \
	gmsim/manager/blocking_admit.c \
	gmsim/manager/blocking_int.h \
	gmsim/manager/bound.c \
	gmsim/manager/bound.h \
	gmsim/manager/bound_buffer.c \
	gmsim/manager/bound_cost.c \
	gmsim/manager/bound_curve.c \
	gmsim/manager/bound_hca.c \
	gmsim/manager/bound_hca.h \
	gmsim/manager/bound_int.h \
	gmsim/manager/bound_result.c \
	gmsim/manager/bound_server.c \
	gmsim/manager/bound_window.c \
	gmsim/manager/criterion.c \
	gmsim/manager/manager.c \
	gmsim/manager/manager.h \
	gmsim/manager/manager_change.c \
	gmsim/manager/manager_decide.c \
	gmsim/manager/manager_grant.c \
	gmsim/manager/manager_idle.c \
	gmsim/manager/manager_int.h \
	gmsim/manager/manager_link.c \
	gmsim/manager/manager_master.c \
	gmsim/manager/manager_master.h \
	gmsim/manager/manager_message.h \
	gmsim/manager/manager_node.c \
	gmsim/manager/manager_pack.c \
	gmsim/manager/manager_term.c \
	gmsim/manager/maxmin.c \
	gmsim/manager/maxmin.h \
	gmsim/manager/minshare.c \
	gmsim/manager/minshare.h \
	gmsim/manager/service.c \
	gmsim/manager/service.h \
	gmsim/manager/share.c \
	gmsim/manager/share.h \
	gmsim/manager/share_heap.c \
	gmsim/manager/share_heap.h

libgmsim_la_SOURCES += \
	gmsim/yaml/depth.c \
	gmsim/yaml/depth.h \
	gmsim/yaml/file.c \
	gmsim/yaml/loader.h \
	gmsim/yaml/mapping.c \
	gmsim/yaml/records.c \
	gmsim/yaml/records.h \
	gmsim/yaml/text.c \
	gmsim/yaml/value.c

libgmsim_la_SOURCES += \
	gmsim/cluster/cluster.c \
	gmsim/cluster/cluster.h \
	gmsim/cluster/cluster_fabric.c \
	gmsim/cluster/cluster_faults.c \
	gmsim/cluster/cluster_graph.c \
	gmsim/cluster/cluster_int.h \
	gmsim/cluster/cluster_io.c \
	gmsim/cluster/cluster_lanes.c \
	gmsim/cluster/cluster_placement.c \
	gmsim/cluster/cluster_profile.c \
	gmsim/cluster/cluster_tables.c \
	gmsim/cluster/cluster_topology.c \
	gmsim/cluster/host_topology.c \
	gmsim/cluster/host_topology.h \
	gmsim/cluster/placement.c \
	gmsim/cluster/placement.h \
	gmsim/cluster/time_mode.c \
	gmsim/cluster/time_mode.h

libgmsim_la_SOURCES += \
	gmsim/observe/computing.h \
	gmsim/observe/computing_int.h \
	gmsim/observe/computing_read.c \
	gmsim/observe/computing_write.c \
	gmsim/observe/counters.c \
	gmsim/observe/counters.h \
	gmsim/observe/dispatch.c \
	gmsim/observe/dispatch.h \
	gmsim/observe/record.c \
	gmsim/observe/record.h \
	gmsim/observe/record_command.c \
	gmsim/observe/record_delay.c \
	gmsim/observe/record_end.c \
	gmsim/observe/record_event.c \
	gmsim/observe/record_file.c \
	gmsim/observe/record_flow.c \
	gmsim/observe/record_flows.c \
	gmsim/observe/record_int.h \
	gmsim/observe/record_json.c \
	gmsim/observe/record_label.c \
	gmsim/observe/record_window.c \
	gmsim/observe/tracepoint.h \
	gmsim/observe/trace.c \
	gmsim/observe/trace.h \
	gmsim/observe/trace_config.c \
	gmsim/observe/trace_csv.c \
	gmsim/observe/trace_file.c \
	gmsim/observe/trace_int.h \
	gmsim/observe/trace_json.c \
	gmsim/observe/trace_nic.c \
	gmsim/observe/trace_otf2.c \
	gmsim/observe/trace_otf2.h \
	gmsim/observe/trace_otf2_definitions.c \
	gmsim/observe/trace_otf2_events.c \
	gmsim/observe/trace_otf2_id.c \
	gmsim/observe/trace_qos.c \
	gmsim/observe/trace_rank.c \
	gmsim/observe/trace_text.c

libgmsim_la_SOURCES += \
	gmsim/io/client.c \
	gmsim/io/disk.c \
	gmsim/io/disk.h \
	gmsim/io/io.c \
	gmsim/io/io.h \
	gmsim/io/io_int.h \
	gmsim/io/link.c \
	gmsim/io/reserve.c \
	gmsim/io/server.c \
	gmsim/io/stripe.c \
	gmsim/io/stripe.h

libgmsim_la_SOURCES += \
	gmsim/job/bind.c \
	gmsim/job/bind.h \
	gmsim/job/bind_policy.c \
	gmsim/job/bind_policy.h \
	gmsim/job/binder.c \
	gmsim/job/binder.h \
	gmsim/job/clock.c \
	gmsim/job/clock.h \
	gmsim/job/computing.c \
	gmsim/job/computing.h \
	gmsim/job/dma.c \
	gmsim/job/dma.h \
	gmsim/job/fault.c \
	gmsim/job/fault.h \
	gmsim/job/host.c \
	gmsim/job/host.h \
	gmsim/job/job.c \
	gmsim/job/job.h \
	gmsim/job/launch.c \
	gmsim/job/launch.h \
	gmsim/job/launch_words.c \
	gmsim/job/launch_words.h \
	gmsim/job/record.c \
	gmsim/job/record.h \
	gmsim/job/root.c \
	gmsim/job/root.h \
	gmsim/job/settings.c \
	gmsim/job/settings.h \
	gmsim/job/sim.c \
	gmsim/job/sim.h \
	gmsim/job/spawn.c \
	gmsim/job/trace.c \
	gmsim/job/trace.h \
	gmsim/job/variables.c \
	gmsim/job/variables.h

libgmsim_la_SOURCES += \
	gmsim/gm/alarm.c \
	gmsim/gm/counters.c \
	gmsim/gm/gmsim.c \
	gmsim/gm/io.c \
	gmsim/gm/life.c \
	gmsim/gm/memory.c \
	gmsim/gm/name.c \
	gmsim/gm/name.h \
	gmsim/gm/poll.c \
	gmsim/gm/pool.c \
	gmsim/gm/port.c \
	gmsim/gm/port.h \
	gmsim/gm/qos.c \
	gmsim/gm/qos.h \
	gmsim/gm/receive.c \
	gmsim/gm/send.c \
	gmsim/gm/size.c \
	gmsim/gm/spawn.c \
	gmsim/gm/text.c \
	gmsim/gm/token.c \
	gmsim/gm/trace.c \
	gmsim/gm/trace.h \
	gmsim/gm/unknown.c

libgmsim_la_SOURCES += \
	gmsim/gm/compat/helper.h \
	gmsim/gm/compat/helper_buffer.c \
	gmsim/gm/compat/helper_hash.c \
	gmsim/gm/compat/helper_lookaside.c \
	gmsim/gm/compat/helper_mark.c \
	gmsim/gm/compat/helper_mutex.c \
	gmsim/gm/compat/helper_number.c \
	gmsim/gm/compat/helper_rand.c \
	gmsim/gm/compat/helper_text.c \
	gmsim/gm/compat/helper_zone.c

libgmsim_la_SOURCES += \
	gmsim/experiments/scenario.c \
	gmsim/experiments/scenario.h \
	gmsim/experiments/standin.c \
	gmsim/experiments/standin.h \
	gmsim/experiments/watch.c \
	gmsim/experiments/watch.h

# Queueing models of NICs: only the tool and the tests use them, not libgm.
noinst_LTLIBRARIES += libmodel.la
libmodel_la_CPPFLAGS = $(gmsim_cppflags)
libmodel_la_SOURCES = \
	gmsim/analytic/chain.h \
	gmsim/analytic/chain_flow.c \
	gmsim/analytic/chain_int.h \
	gmsim/analytic/chain_link.c \
	gmsim/analytic/chain_nic.c \
	gmsim/analytic/chain_run.c \
	gmsim/analytic/chain_states.c \
	gmsim/analytic/chain_values.c \
	gmsim/analytic/decompose.c \
	gmsim/analytic/model.c \
	gmsim/analytic/model.h \
	gmsim/analytic/model_int.h \
	gmsim/analytic/network.c \
	gmsim/analytic/nic.c \
	gmsim/analytic/nic.h \
	gmsim/analytic/revisit.c \
	gmsim/analytic/run.c \
	gmsim/analytic/sample.c \
	gmsim/analytic/sample.h \
	gmsim/analytic/sim.h \
	gmsim/analytic/sim_int.h \
	gmsim/analytic/solve.c \
	gmsim/analytic/station.c

# The report of a run: only the tool and the tests use it. The scripts and styles of the
# page are converted to C in the order of these lists.
page_styles = \
	gmsim/report/assets/base.css \
	gmsim/report/assets/parts.css \
	gmsim/report/assets/figures.css \
	gmsim/report/assets/network.css \
	gmsim/report/assets/print.css
page_scripts = \
	gmsim/report/assets/format.js \
	gmsim/report/assets/dom.js \
	gmsim/report/assets/axis.js \
	gmsim/report/assets/choose.js \
	gmsim/report/assets/figure.js \
	gmsim/report/assets/run.js \
	gmsim/report/assets/head.js \
	gmsim/report/assets/changes.js \
	gmsim/report/assets/rates.js \
	gmsim/report/assets/rates_plot.js \
	gmsim/report/assets/rates_input.js \
	gmsim/report/assets/rates_legend.js \
	gmsim/report/assets/decisions.js \
	gmsim/report/assets/heat.js \
	gmsim/report/assets/network_place.js \
	gmsim/report/assets/network_cables.js \
	gmsim/report/assets/network.js \
	gmsim/report/assets/network_detail.js \
	gmsim/report/assets/network_input.js \
	gmsim/report/assets/rows.js \
	gmsim/report/assets/stations.js \
	gmsim/report/assets/latency.js \
	gmsim/report/assets/matrix.js \
	gmsim/report/assets/setup.js \
	gmsim/report/assets/main.js
page_pack = gmsim/report/assets/pack
page_template = gmsim/report/assets/page.html
EXTRA_DIST += $(page_pack) $(page_template) $(page_styles) $(page_scripts)
CLEANFILES += gmsim/report/page_assets.c

gmsim/report/page_assets.c: $(page_pack) $(page_template) $(page_styles) \
		$(page_scripts)
	$(AM_V_GEN)$(MKDIR_P) gmsim/report && cd $(srcdir) && \
	$(BASH) $(page_pack) $(page_template) $(page_styles) $(page_scripts) \
	    > $(abs_builddir)/$@.tmp && mv $(abs_builddir)/$@.tmp $(abs_builddir)/$@

noinst_LTLIBRARIES += libreport.la
libreport_la_CPPFLAGS = $(gmsim_cppflags)
nodist_libreport_la_SOURCES = gmsim/report/page_assets.c
libreport_la_SOURCES = \
	gmsim/report/check.c \
	gmsim/report/command.c \
	gmsim/report/command.h \
	gmsim/report/compare.c \
	gmsim/report/compare.h \
	gmsim/report/data.c \
	gmsim/report/data.h \
	gmsim/report/data_events.c \
	gmsim/report/data_flows.c \
	gmsim/report/data_int.h \
	gmsim/report/data_network.c \
	gmsim/report/findings.c \
	gmsim/report/findings.h \
	gmsim/report/findings_delays.c \
	gmsim/report/findings_flows.c \
	gmsim/report/findings_hosts.c \
	gmsim/report/findings_links.c \
	gmsim/report/findings_reserved.c \
	gmsim/report/lost.c \
	gmsim/report/lost.h \
	gmsim/report/match.c \
	gmsim/report/match.h \
	gmsim/report/page.c \
	gmsim/report/page.h \
	gmsim/report/page_assets.h \
	gmsim/report/read.c \
	gmsim/report/read.h \
	gmsim/report/root.c \
	gmsim/report/root.h \
	gmsim/report/run.c \
	gmsim/report/run.h \
	gmsim/report/run_events.c \
	gmsim/report/run_index.c \
	gmsim/report/run_join.c \
	gmsim/report/run_windows.c \
	gmsim/report/series.c \
	gmsim/report/series.h \
	gmsim/report/text.c \
	gmsim/report/text.h

# Sweeps over parameters: only the tool and the tests use them.
noinst_LTLIBRARIES += libsweep.la
libsweep_la_CPPFLAGS = $(gmsim_cppflags)
libsweep_la_SOURCES = \
	gmsim/sweep/base.c \
	gmsim/sweep/base.h \
	gmsim/sweep/core.c \
	gmsim/sweep/core.h \
	gmsim/sweep/definition.c \
	gmsim/sweep/file.c \
	gmsim/sweep/file_check.c \
	gmsim/sweep/file_grid.c \
	gmsim/sweep/file_int.h \
	gmsim/sweep/file_results.c \
	gmsim/sweep/gather.c \
	gmsim/sweep/gather.h \
	gmsim/sweep/grid.c \
	gmsim/sweep/keeper.c \
	gmsim/sweep/keeper.h \
	gmsim/sweep/result.c \
	gmsim/sweep/result.h \
	gmsim/sweep/result_record.c \
	gmsim/sweep/result_record.h \
	gmsim/sweep/run.c \
	gmsim/sweep/run.h \
	gmsim/sweep/state.c \
	gmsim/sweep/state.h \
	gmsim/sweep/submit.c \
	gmsim/sweep/submit.h \
	gmsim/sweep/sweep.h \
	gmsim/sweep/text.c \
	gmsim/sweep/text.h

# Fits of parameters to measurements: only the tool and the tests use them.
noinst_LTLIBRARIES += libfit.la
libfit_la_CPPFLAGS = $(gmsim_cppflags) $(CMINPACK_CFLAGS)
libfit_la_LIBADD = $(CMINPACK_LIBS) -lm
libfit_la_SOURCES = \
	gmsim/fit/confidence.c \
	gmsim/fit/confidence.h \
	gmsim/fit/free.c \
	gmsim/fit/free.h \
	gmsim/fit/profile.c \
	gmsim/fit/profile.h \
	gmsim/fit/run.c \
	gmsim/fit/run.h \
	gmsim/fit/solve.c \
	gmsim/fit/solve.h \
	gmsim/fit/solve_int.h \
	gmsim/fit/solve_steps.c \
	gmsim/fit/table.c \
	gmsim/fit/table.h \
	gmsim/fit/table_formats.c \
	gmsim/fit/table_int.h

# Clusters of host channel adapters on a flit fabric: only the tool, the experiments and
# the tests use them.
noinst_LTLIBRARIES += libqossim.la
libqossim_la_CPPFLAGS = $(gmsim_cppflags)
libqossim_la_LIBADD = -lm -lpthread
libqossim_la_SOURCES =

libqossim_la_SOURCES += \
	gmsim/hcasim/cluster.c \
	gmsim/hcasim/congestion.c \
	gmsim/hcasim/congestion.h \
	gmsim/hcasim/congestion_alo.c \
	gmsim/hcasim/congestion_credit.c \
	gmsim/hcasim/congestion_int.h \
	gmsim/hcasim/congestion_lanes.c \
	gmsim/hcasim/congestion_self_tuned.c \
	gmsim/hcasim/connection.c \
	gmsim/hcasim/consumer.c \
	gmsim/hcasim/cycle.c \
	gmsim/hcasim/delivery.c \
	gmsim/hcasim/delivery.h \
	gmsim/hcasim/delivery_frames.c \
	gmsim/hcasim/delivery_int.h \
	gmsim/hcasim/hca.c \
	gmsim/hcasim/hca.h \
	gmsim/hcasim/hca_dma.c \
	gmsim/hcasim/hca_int.h \
	gmsim/hcasim/heap.c \
	gmsim/hcasim/heap.h \
	gmsim/hcasim/options.c \
	gmsim/hcasim/power.c \
	gmsim/hcasim/power.h \
	gmsim/hcasim/power_credit.c \
	gmsim/hcasim/power_energy.c \
	gmsim/hcasim/power_herd.c \
	gmsim/hcasim/power_int.h \
	gmsim/hcasim/probe.c \
	gmsim/hcasim/probe.h \
	gmsim/hcasim/probe_entry.c \
	gmsim/hcasim/probe_hop.c \
	gmsim/hcasim/probe_int.h \
	gmsim/hcasim/probe_link.c \
	gmsim/hcasim/probe_table.c \
	gmsim/hcasim/qos_sim.h \
	gmsim/hcasim/qos_sim_int.h \
	gmsim/hcasim/run.c \
	gmsim/hcasim/source.c \
	gmsim/hcasim/source.h \
	gmsim/hcasim/source_file.c \
	gmsim/hcasim/source_int.h \
	gmsim/hcasim/source_random.c \
	gmsim/hcasim/source_trace.c \
	gmsim/hcasim/source_video.c \
	gmsim/hcasim/target.c \
	gmsim/hcasim/target.h \
	gmsim/hcasim/traffic.c \
	gmsim/hcasim/traffic.h \
	gmsim/hcasim/video.c \
	gmsim/hcasim/video.h

lib_LTLIBRARIES += libgm.la
if LTO
libgm_la_SOURCES = $(libgmsim_la_SOURCES)
libgm_la_CPPFLAGS = $(gmsim_cppflags)
libgm_la_CFLAGS = $(AM_CFLAGS) $(QOS_LTO_CFLAGS)
libgm_la_LIBADD = $(gmsim_libs)
libgm_la_DEPENDENCIES = gmsim/libgm.map
else
libgm_la_SOURCES =
nodist_EXTRA_libgm_la_SOURCES = gmsim/gm/dummy.c
libgm_la_LIBADD = libgmsim.la
libgm_la_DEPENDENCIES = libgmsim.la gmsim/libgm.map
endif
libgm_la_LDFLAGS = $(AM_LDFLAGS) $(rpath_lib) $(QOS_NO_UNDEFINED) \
	-version-info $(LIBGM_VERSION) \
	-Wl,--version-script=$(srcdir)/gmsim/libgm.map
EXTRA_DIST += gmsim/libgm.map

# The library that mpiexec names in LD_PRELOAD. mpiexec finds the library by the path from
# its own directory, which is the directory of gmclockdir.
gmclockdir = $(bindir)/../lib/gmqos
gmclock_LTLIBRARIES = libgmclock.la
libgmclock_la_CPPFLAGS = -I$(top_srcdir)/gmsim
libgmclock_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
libgmclock_la_LDFLAGS = $(AM_LDFLAGS) $(QOS_NO_UNDEFINED) -module -avoid-version -shared
libgmclock_la_SOURCES = \
	gmsim/clock/connect.h \
	gmsim/clock/futex.c \
	gmsim/clock/own_libraries.h \
	gmsim/clock/poll.c \
	gmsim/clock/queue.c \
	gmsim/clock/read.c \
	gmsim/clock/sleep.c \
	gmsim/clock/state.c \
	gmsim/clock/state.h \
	gmsim/clock/timer.c \
	gmsim/clock/wait.c

# The program that mpiexec executes for the option -in-process. The program exports functions
# that replace functions of the C library. Sanitizers replace the same functions.
if WITH_IN_PROCESS
gmranksdir = $(gmclockdir)
gmranks_PROGRAMS = gmsim/inprocess/gmqos-ranks
gmsim_inprocess_gmqos_ranks_CPPFLAGS = -I$(top_srcdir)/gmsim
gmsim_inprocess_gmqos_ranks_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
gmsim_inprocess_gmqos_ranks_LDFLAGS = $(AM_LDFLAGS) -Wl,--export-dynamic
gmsim_inprocess_gmqos_ranks_LDADD =
endif WITH_IN_PROCESS
inprocess_sources = \
	gmsim/inprocess/command.c \
	gmsim/inprocess/command.h \
	gmsim/inprocess/copies.c \
	gmsim/inprocess/coroutine.c \
	gmsim/inprocess/coroutine.h \
	gmsim/inprocess/cpu.c \
	gmsim/inprocess/cpu.h \
	gmsim/inprocess/environment.c \
	gmsim/inprocess/image.c \
	gmsim/inprocess/image.h \
	gmsim/inprocess/libc.c \
	gmsim/inprocess/libc.h \
	gmsim/inprocess/main.c \
	gmsim/inprocess/options.c \
	gmsim/inprocess/pmi.c \
	gmsim/inprocess/pmi.h \
	gmsim/inprocess/program.c \
	gmsim/inprocess/program.h \
	gmsim/inprocess/program_int.h \
	gmsim/inprocess/random.c \
	gmsim/inprocess/rank.h \
	gmsim/inprocess/signals.c \
	gmsim/inprocess/signals.h \
	gmsim/inprocess/thread_block.c \
	gmsim/inprocess/thread_block.h
gmsim_inprocess_gmqos_ranks_SOURCES = $(inprocess_sources)

# Flags for programs that use GM's public interface
gm_cppflags = -I$(top_srcdir)/gmsim/include
gm_ldadd = libgm.la
gm_ldflags = $(AM_LDFLAGS) $(rpath_bin)

# The tool uses private headers (plan, report, model) and the reader of policy files,
# which needs no MPI.
bin_PROGRAMS += gmsim/tool/gmsim
gmsim_tool_gmsim_CPPFLAGS = $(gmsim_cppflags) -I$(top_srcdir)/benchmarks -I$(top_srcdir) $(EXPAT_CFLAGS) \
	-DGMQOS_INCLUDEDIR_FROM_BINDIR='"$(INCLUDEDIR_FROM_BINDIR)"' \
	-DGMQOS_LIBDIR_FROM_BINDIR='"$(LIBDIR_FROM_BINDIR)"' \
	-DGMQOS_DOCDIR_FROM_BINDIR='"$(DOCDIR_FROM_BINDIR)"' \
	-DGMQOS_MANDIR_FROM_BINDIR='"$(MANDIR_FROM_BINDIR)"' \
	-DGMQOS_PKGCONFIGDIR_FROM_BINDIR='"$(PKGCONFIGDIR_FROM_BINDIR)"' \
	-DGMQOS_REFERENCE_DIR='"$(pkgdatadir)/reference"'
gmsim_tool_gmsim_LDADD = libfit.la libmodel.la libqossim.la libsweep.la libreport.la libgmsim.la $(EXPAT_LIBS) -lm
gmsim_tool_gmsim_SOURCES = \
	$(experiment_sources) \
	gmsim/tool/argument.c \
	gmsim/tool/argument.h \
	gmsim/tool/bar.c \
	gmsim/tool/bar.h \
	gmsim/tool/colour.c \
	gmsim/tool/colour.h \
	gmsim/tool/compare.c \
	gmsim/tool/config.c \
	gmsim/tool/config_policy.c \
	gmsim/tool/config_policy.h \
	gmsim/tool/config_print.c \
	gmsim/tool/config_print.h \
	gmsim/tool/doctor.c \
	gmsim/tool/doctor.h \
	gmsim/tool/doctor_machine.c \
	gmsim/tool/doctor_parts.c \
	gmsim/tool/env.c \
	gmsim/tool/example.c \
	gmsim/tool/example.h \
	gmsim/tool/example_page.c \
	gmsim/tool/experiment.c \
	gmsim/tool/fit.c \
	gmsim/tool/fit.h \
	gmsim/tool/fit_print.c \
	gmsim/tool/directory.c \
	gmsim/tool/directory.h \
	gmsim/tool/import.c \
	gmsim/cluster/import.h \
	gmsim/cluster/import_ib.c \
	gmsim/cluster/import_ib_int.h \
	gmsim/cluster/import_ib_tables.c \
	gmsim/cluster/import_ib_write.c \
	gmsim/cluster/import_simgrid.c \
	gmsim/tool/main.c \
	gmsim/tool/model.c \
	gmsim/tool/model.h \
	gmsim/tool/model_errors.c \
	gmsim/tool/model_file.c \
	gmsim/tool/model_print.c \
	gmsim/tool/model_profile.c \
	gmsim/tool/model_set.c \
	gmsim/base/output.c \
	gmsim/base/output.h \
	gmsim/tool/params.c \
	gmsim/tool/params_markdown.c \
	gmsim/tool/params_markdown.h \
	gmsim/tool/plan.c \
	gmsim/tool/plan_bounds.c \
	gmsim/tool/plan_bounds.h \
	gmsim/tool/plan.h \
	gmsim/tool/plan_file.c \
	gmsim/tool/plan_random.c \
	gmsim/tool/plan_traffic.c \
	gmsim/tool/plan_traffic.h \
	gmsim/tool/qos.c \
	gmsim/tool/qos.h \
	gmsim/tool/qos_print.c \
	gmsim/tool/report.c \
	gmsim/tool/sweep.c \
	gmsim/tool/sweep.h \
	gmsim/tool/sweep_plot.c \
	gmsim/tool/sweep_show.c \
	gmsim/tool/sweep_submit.c \
	gmsim/base/tidy.c \
	gmsim/base/tidy.h \
	gmsim/tool/tool.h \
	gmsim/tool/verify.c \
	gmsim/tool/verify.h \
	gmsim/tool/verify_case.c \
	gmsim/tool/verify_int.h \
	gmsim/tool/verify_judge.c \
	gmsim/tool/verify_mutate.c \
	gmsim/tool/verify_print.c \
	gmsim/tool/verify_run.c \
	gmsim/tool/verify_search.c \
	gmsim/tool/topo.c \
	gmsim/tool/topo.h \
	gmsim/tool/topo_cut.c \
	gmsim/tool/topo_draw.c \
	gmsim/policy/policy_file.c \
	gmsim/policy/policy_file.h \
	gmsim/yaml/quantity.c \
	gmsim/yaml/quantity.h
