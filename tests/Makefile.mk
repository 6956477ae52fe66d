# SPDX-License-Identifier: BSD-3-Clause
#
# "make check" runs the unit tests (CUnit programs) and the system tests (shell
# scripts; tests/run-system gives them the stage and skips them, with the
# reason, in a build without MPICH). MPI programs that the scripts start are in
# mpi_tests.

unit_tests =
system_tests =
mpi_tests =

# --- unit: one program per module, tests/unit/test_<module>.c ---------------------
# Memory can be made to run out in tests that have these.
starve_sources = tests/unit/starve.c tests/unit/starve.h
starve_ldflags = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
unit_cppflags = $(gmsim_cppflags) -I$(top_srcdir)/tests/unit $(CUNIT_CFLAGS)
unit_ldadd = libgmsim.la $(CUNIT_LIBS)

# unit_tests += tests/unit/test_random
# tests_unit_test_random_CPPFLAGS = $(unit_cppflags)
# tests_unit_test_random_LDADD = $(unit_ldadd)

# tests/unit/test_translate links the one module that it tests: it needs no MPI.
unit_tests += tests/unit/test_translate
tests_unit_test_translate_SOURCES = tests/unit/test_translate.c \
	mpi-qos/translate.c mpi-qos/translate.h
tests_unit_test_translate_CPPFLAGS = -I$(top_srcdir) -I$(top_srcdir)/tests/unit \
	$(CUNIT_CFLAGS)
tests_unit_test_translate_LDADD = $(CUNIT_LIBS) -lm

unit_tests += tests/unit/test_quantity
tests_unit_test_quantity_SOURCES = tests/unit/test_quantity.c \
	gmsim/yaml/quantity.c gmsim/yaml/quantity.h
tests_unit_test_quantity_CPPFLAGS = -I$(top_srcdir)/gmsim -I$(top_srcdir) -I$(top_srcdir)/tests/unit \
	$(CUNIT_CFLAGS)
tests_unit_test_quantity_LDADD = $(CUNIT_LIBS) -lm

unit_tests += tests/unit/test_harness
tests_unit_test_harness_SOURCES = tests/unit/test_harness.c \
	$(benchmark_harness)
tests_unit_test_harness_CPPFLAGS = -I$(top_srcdir) -I$(top_srcdir)/benchmarks \
	-I$(top_srcdir)/tests/unit \
	$(CUNIT_CFLAGS)
tests_unit_test_harness_LDADD = $(CUNIT_LIBS) -lm

unit_tests += tests/unit/test_admission
tests_unit_test_admission_CPPFLAGS = $(unit_cppflags)
tests_unit_test_admission_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_bound
tests_unit_test_bound_CPPFLAGS = $(unit_cppflags)
tests_unit_test_bound_LDADD = $(unit_ldadd) -lm

unit_tests += tests/unit/test_bound_sim
tests_unit_test_bound_sim_SOURCES = tests/unit/test_bound_sim.c \
	tests/unit/bound_rig.c tests/unit/bound_rig.h
tests_unit_test_bound_sim_CPPFLAGS = $(unit_cppflags)
tests_unit_test_bound_sim_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_bound_large
tests_unit_test_bound_large_CPPFLAGS = $(unit_cppflags)
tests_unit_test_bound_large_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_bound_tight
tests_unit_test_bound_tight_SOURCES = tests/unit/test_bound_tight.c \
	tests/unit/bound_rig.c tests/unit/bound_rig.h
tests_unit_test_bound_tight_CPPFLAGS = $(unit_cppflags)
tests_unit_test_bound_tight_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_admission_best_effort
tests_unit_test_admission_best_effort_CPPFLAGS = $(unit_cppflags)
tests_unit_test_admission_best_effort_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_admission_history
tests_unit_test_admission_history_CPPFLAGS = $(unit_cppflags)
tests_unit_test_admission_history_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_processes
tests_unit_test_processes_CPPFLAGS = $(unit_cppflags)
tests_unit_test_processes_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_model
tests_unit_test_model_CPPFLAGS = $(unit_cppflags)
tests_unit_test_model_LDADD = libmodel.la $(unit_ldadd) -lm

unit_tests += tests/unit/test_model_sim
tests_unit_test_model_sim_CPPFLAGS = $(unit_cppflags)
tests_unit_test_model_sim_LDADD = libmodel.la $(unit_ldadd) -lm

# With a net of their own in the place of fabric/flit.c.
unit_tests += tests/unit/test_power
tests_unit_test_power_SOURCES = tests/unit/test_power.c \
	tests/unit/power_rig.c tests/unit/power_rig.h
tests_unit_test_power_CPPFLAGS = $(unit_cppflags)
tests_unit_test_power_LDADD = libqossim.la $(unit_ldadd) -lm

unit_tests += tests/unit/test_power_herd
tests_unit_test_power_herd_SOURCES = tests/unit/test_power_herd.c \
	tests/unit/power_rig.c tests/unit/power_rig.h
tests_unit_test_power_herd_CPPFLAGS = $(unit_cppflags)
tests_unit_test_power_herd_LDADD = libqossim.la $(unit_ldadd) -lm

unit_tests += tests/unit/test_power_net
tests_unit_test_power_net_SOURCES = tests/unit/test_power_net.c \
	tests/unit/flit_rig.h
tests_unit_test_power_net_CPPFLAGS = $(unit_cppflags)
tests_unit_test_power_net_LDADD = libqossim.la $(unit_ldadd) -lm

unit_tests += tests/unit/test_hca
tests_unit_test_hca_CPPFLAGS = $(unit_cppflags)
tests_unit_test_hca_LDADD = libqossim.la $(unit_ldadd) -lm

unit_tests += tests/unit/test_qos_sim
tests_unit_test_qos_sim_CPPFLAGS = $(unit_cppflags)
tests_unit_test_qos_sim_LDADD = libqossim.la $(unit_ldadd) -lm

unit_tests += tests/unit/test_qos_sim_memory
tests_unit_test_qos_sim_memory_CPPFLAGS = $(unit_cppflags)
tests_unit_test_qos_sim_memory_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
tests_unit_test_qos_sim_memory_LDADD = libqossim.la $(unit_ldadd) -lm

unit_tests += tests/unit/test_maxmin
tests_unit_test_maxmin_CPPFLAGS = $(unit_cppflags)
tests_unit_test_maxmin_LDADD = $(unit_ldadd)

# What links are told is looked at on its way into the net.
unit_tests += tests/unit/test_probe
tests_unit_test_probe_SOURCES = tests/unit/test_probe.c \
	tests/unit/probe_rig.h
tests_unit_test_probe_CPPFLAGS = $(unit_cppflags)
tests_unit_test_probe_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=gms_flit_set_table
tests_unit_test_probe_LDADD = libqossim.la $(unit_ldadd)

unit_tests += tests/unit/test_probe_packets
tests_unit_test_probe_packets_SOURCES = tests/unit/test_probe_packets.c \
	tests/unit/probe_rig.h
tests_unit_test_probe_packets_CPPFLAGS = $(unit_cppflags)
tests_unit_test_probe_packets_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=gms_flit_set_table
tests_unit_test_probe_packets_LDADD = libqossim.la $(unit_ldadd)

unit_tests += tests/unit/test_probe_random
tests_unit_test_probe_random_SOURCES = tests/unit/test_probe_random.c \
	tests/unit/probe_rig.h $(starve_sources)
tests_unit_test_probe_random_CPPFLAGS = $(unit_cppflags)
tests_unit_test_probe_random_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=gms_flit_set_table $(starve_ldflags)
tests_unit_test_probe_random_LDADD = libqossim.la $(unit_ldadd)

unit_tests += tests/unit/test_service
tests_unit_test_service_CPPFLAGS = $(unit_cppflags)
tests_unit_test_service_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_service_time
tests_unit_test_service_time_CPPFLAGS = $(unit_cppflags)
tests_unit_test_service_time_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_manager
tests_unit_test_manager_SOURCES = tests/unit/test_manager.c \
	tests/unit/manager_rig.c tests/unit/manager_rig.h
tests_unit_test_manager_CPPFLAGS = $(unit_cppflags)
tests_unit_test_manager_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_manager_election
tests_unit_test_manager_election_SOURCES = \
	tests/unit/test_manager_election.c \
	tests/unit/manager_rig.c tests/unit/manager_rig.h
tests_unit_test_manager_election_CPPFLAGS = $(unit_cppflags)
tests_unit_test_manager_election_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_manager_idle
tests_unit_test_manager_idle_CPPFLAGS = $(unit_cppflags)
tests_unit_test_manager_idle_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_delay
tests_unit_test_delay_CPPFLAGS = $(unit_cppflags)
tests_unit_test_delay_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_busy
tests_unit_test_busy_CPPFLAGS = $(unit_cppflags)
tests_unit_test_busy_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_engine
tests_unit_test_engine_CPPFLAGS = $(unit_cppflags)
tests_unit_test_engine_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_gate
tests_unit_test_gate_CPPFLAGS = $(unit_cppflags)
tests_unit_test_gate_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_gate_time
tests_unit_test_gate_time_CPPFLAGS = $(unit_cppflags)
tests_unit_test_gate_time_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_time_mode
tests_unit_test_time_mode_CPPFLAGS = $(unit_cppflags)
tests_unit_test_time_mode_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_cluster
tests_unit_test_cluster_SOURCES = tests/unit/test_cluster.c tests/unit/cluster_files.h
tests_unit_test_cluster_CPPFLAGS = $(unit_cppflags)
tests_unit_test_cluster_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_cluster_graph
tests_unit_test_cluster_graph_SOURCES = tests/unit/test_cluster_graph.c \
	tests/unit/cluster_files.h
tests_unit_test_cluster_graph_CPPFLAGS = $(unit_cppflags)
tests_unit_test_cluster_graph_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_placement
tests_unit_test_placement_SOURCES = tests/unit/test_placement.c \
	tests/unit/cluster_files.h
tests_unit_test_placement_CPPFLAGS = $(unit_cppflags)
tests_unit_test_placement_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_records
tests_unit_test_records_CPPFLAGS = $(unit_cppflags)
tests_unit_test_records_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_base
tests_unit_test_base_CPPFLAGS = $(unit_cppflags)
tests_unit_test_base_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_hash
tests_unit_test_hash_CPPFLAGS = $(unit_cppflags)
tests_unit_test_hash_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_heap
tests_unit_test_heap_CPPFLAGS = $(unit_cppflags)
tests_unit_test_heap_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_json_text
tests_unit_test_json_text_CPPFLAGS = $(unit_cppflags)
tests_unit_test_json_text_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_quantile
tests_unit_test_quantile_CPPFLAGS = $(unit_cppflags)
tests_unit_test_quantile_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_queue
tests_unit_test_queue_CPPFLAGS = $(unit_cppflags)
tests_unit_test_queue_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_report
tests_unit_test_report_SOURCES = \
	tests/unit/report_rig.c \
	tests/unit/report_rig.h \
	tests/unit/seal.c \
	tests/unit/seal.h \
	tests/unit/test_report.c
tests_unit_test_report_CPPFLAGS = $(unit_cppflags) \
	-DTESTS_RECORDS='"$(abs_srcdir)/tests/data/records"'
tests_unit_test_report_LDADD = libreport.la $(unit_ldadd) -lm

unit_tests += tests/unit/test_report_run
tests_unit_test_report_run_SOURCES = \
	tests/unit/report_rig.c \
	tests/unit/report_rig.h \
	tests/unit/seal.c \
	tests/unit/seal.h \
	tests/unit/test_report_run.c
tests_unit_test_report_run_CPPFLAGS = $(unit_cppflags) \
	-DTESTS_RECORDS='"$(abs_srcdir)/tests/data/records"'
tests_unit_test_report_run_LDADD = libreport.la $(unit_ldadd) -lm

unit_tests += tests/unit/test_sweep
tests_unit_test_sweep_CPPFLAGS = $(unit_cppflags)
tests_unit_test_sweep_LDADD = libsweep.la libreport.la $(unit_ldadd) -lm

unit_tests += tests/unit/test_sweep_state
tests_unit_test_sweep_state_SOURCES = \
	tests/unit/seal.c \
	tests/unit/seal.h \
	tests/unit/test_sweep_state.c
tests_unit_test_sweep_state_CPPFLAGS = $(unit_cppflags)
tests_unit_test_sweep_state_LDADD = libsweep.la libreport.la $(unit_ldadd) -lm

unit_tests += tests/unit/test_params
tests_unit_test_params_CPPFLAGS = $(unit_cppflags)
tests_unit_test_params_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_fabric
tests_unit_test_fabric_CPPFLAGS = $(unit_cppflags)
tests_unit_test_fabric_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_reserved
tests_unit_test_reserved_CPPFLAGS = $(unit_cppflags)
tests_unit_test_reserved_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_fabric_switches
tests_unit_test_fabric_switches_CPPFLAGS = $(unit_cppflags)
tests_unit_test_fabric_switches_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_fabric_stress
tests_unit_test_fabric_stress_CPPFLAGS = $(unit_cppflags)
tests_unit_test_fabric_stress_LDADD = $(unit_ldadd)

# Of the tool's experiments, what judges and collects.
unit_tests += tests/unit/test_experiment
tests_unit_test_experiment_SOURCES = tests/unit/test_experiment.c \
	gmsim/experiments/lab.c \
	gmsim/experiments/pool.c \
	gmsim/experiments/print.c \
	gmsim/experiments/reference.c \
	gmsim/experiments/result.c \
	gmsim/base/output.c \
	gmsim/base/tidy.c
tests_unit_test_experiment_CPPFLAGS = $(unit_cppflags) \
	-I$(top_srcdir)/benchmarks -DGMQOS_REFERENCE_DIR='"/nowhere"'
tests_unit_test_experiment_LDADD = $(unit_ldadd) -lm

unit_tests += tests/unit/test_output
tests_unit_test_output_SOURCES = tests/unit/test_output.c \
	gmsim/tool/bar.c gmsim/tool/bar.h \
	gmsim/base/output.c gmsim/base/output.h \
	gmsim/base/tidy.c gmsim/base/tidy.h
tests_unit_test_output_CPPFLAGS = $(unit_cppflags)
tests_unit_test_output_LDADD = $(unit_ldadd) -lm

unit_tests += tests/unit/test_fault
tests_unit_test_fault_CPPFLAGS = $(unit_cppflags)
tests_unit_test_fault_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_flit_model
tests_unit_test_flit_model_CPPFLAGS = $(unit_cppflags)
tests_unit_test_flit_model_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_nic_lanes
tests_unit_test_nic_lanes_SOURCES = tests/unit/test_nic_lanes.c \
	tests/unit/nic_rig.c tests/unit/nic_rig.h
tests_unit_test_nic_lanes_CPPFLAGS = $(unit_cppflags)
tests_unit_test_nic_lanes_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_nic_reserved
tests_unit_test_nic_reserved_SOURCES = tests/unit/test_nic_reserved.c \
	tests/unit/nic_rig.c tests/unit/nic_rig.h
tests_unit_test_nic_reserved_CPPFLAGS = $(unit_cppflags)
tests_unit_test_nic_reserved_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_lane_arbiter
tests_unit_test_lane_arbiter_CPPFLAGS = $(unit_cppflags)
tests_unit_test_lane_arbiter_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_topology
tests_unit_test_topology_SOURCES = tests/unit/test_topology.c \
	tests/unit/topology_rig.h
tests_unit_test_topology_CPPFLAGS = $(unit_cppflags)
tests_unit_test_topology_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_topology_routes
tests_unit_test_topology_routes_SOURCES = tests/unit/test_topology_routes.c \
	tests/unit/topology_rig.h
tests_unit_test_topology_routes_CPPFLAGS = $(unit_cppflags)
tests_unit_test_topology_routes_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_congestion
tests_unit_test_congestion_SOURCES = tests/unit/test_congestion.c \
	tests/unit/topology_rig.h
tests_unit_test_congestion_CPPFLAGS = $(unit_cppflags)
tests_unit_test_congestion_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=calloc \
	-Wl,--wrap=realloc
tests_unit_test_congestion_LDADD = libqossim.la $(unit_ldadd) -lm

unit_tests += tests/unit/test_congestion_net
tests_unit_test_congestion_net_SOURCES = tests/unit/test_congestion_net.c \
	tests/unit/topology_rig.h
tests_unit_test_congestion_net_CPPFLAGS = $(unit_cppflags)
tests_unit_test_congestion_net_LDADD = libqossim.la $(unit_ldadd) -lm

unit_tests += tests/unit/test_flit
tests_unit_test_flit_SOURCES = tests/unit/test_flit.c tests/unit/flit_rig.h
tests_unit_test_flit_CPPFLAGS = $(unit_cppflags)
tests_unit_test_flit_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_flit_load
tests_unit_test_flit_load_SOURCES = tests/unit/test_flit_load.c \
	tests/unit/flit_rig.h
tests_unit_test_flit_load_CPPFLAGS = $(unit_cppflags)
tests_unit_test_flit_load_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_flit_net
tests_unit_test_flit_net_SOURCES = tests/unit/test_flit_net.c \
	tests/unit/flit_rig.h
tests_unit_test_flit_net_CPPFLAGS = $(unit_cppflags)
tests_unit_test_flit_net_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_flit_random
tests_unit_test_flit_random_SOURCES = tests/unit/test_flit_random.c \
	tests/unit/flit_rig.h
tests_unit_test_flit_random_CPPFLAGS = $(unit_cppflags)
tests_unit_test_flit_random_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_nic
tests_unit_test_nic_SOURCES = tests/unit/test_nic.c \
	tests/unit/nic_rig.c tests/unit/nic_rig.h
tests_unit_test_nic_CPPFLAGS = $(unit_cppflags)
tests_unit_test_nic_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_counters
tests_unit_test_counters_SOURCES = tests/unit/test_counters.c \
	tests/unit/nic_rig.c tests/unit/nic_rig.h
tests_unit_test_counters_CPPFLAGS = $(unit_cppflags)
tests_unit_test_counters_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_record
tests_unit_test_record_SOURCES = tests/unit/test_record.c \
	tests/unit/nic_rig.c tests/unit/nic_rig.h
tests_unit_test_record_CPPFLAGS = $(unit_cppflags)
tests_unit_test_record_LDADD = $(unit_ldadd) $(JANSSON_LIBS)

unit_tests += tests/unit/test_nic_gm
tests_unit_test_nic_gm_SOURCES = tests/unit/test_nic_gm.c \
	tests/unit/nic_rig.c tests/unit/nic_rig.h
tests_unit_test_nic_gm_CPPFLAGS = $(unit_cppflags)
tests_unit_test_nic_gm_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_nic_soak
tests_unit_test_nic_soak_SOURCES = tests/unit/test_nic_soak.c \
	tests/unit/nic_rig.c tests/unit/nic_rig.h
tests_unit_test_nic_soak_CPPFLAGS = $(unit_cppflags)
tests_unit_test_nic_soak_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_nic_faults
tests_unit_test_nic_faults_SOURCES = tests/unit/test_nic_faults.c \
	tests/unit/nic_rig.c tests/unit/nic_rig.h
tests_unit_test_nic_faults_CPPFLAGS = $(unit_cppflags)
tests_unit_test_nic_faults_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_dispatch
tests_unit_test_dispatch_CPPFLAGS = $(unit_cppflags)
tests_unit_test_dispatch_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_proportional
tests_unit_test_proportional_CPPFLAGS = $(unit_cppflags)
tests_unit_test_proportional_LDADD = $(unit_ldadd) -lm

unit_tests += tests/unit/test_loss
tests_unit_test_loss_CPPFLAGS = $(unit_cppflags)
tests_unit_test_loss_LDADD = $(unit_ldadd) -lm
unit_tests += tests/unit/test_blocking
tests_unit_test_blocking_CPPFLAGS = $(unit_cppflags)
tests_unit_test_blocking_LDADD = $(unit_ldadd) -lm

unit_tests += tests/unit/test_kept
tests_unit_test_kept_CPPFLAGS = $(unit_cppflags)
tests_unit_test_kept_LDADD = $(unit_ldadd) -lm

unit_tests += tests/unit/test_watch
tests_unit_test_watch_CPPFLAGS = $(unit_cppflags)
tests_unit_test_watch_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_isolation
tests_unit_test_isolation_CPPFLAGS = $(unit_cppflags)
tests_unit_test_isolation_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_scenario
tests_unit_test_scenario_CPPFLAGS = $(unit_cppflags)
tests_unit_test_scenario_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_delivery
tests_unit_test_delivery_CPPFLAGS = $(unit_cppflags)
tests_unit_test_delivery_LDADD = libqossim.la $(unit_ldadd) -lm

unit_tests += tests/unit/test_source
tests_unit_test_source_SOURCES = tests/unit/test_source.c \
	tests/unit/source_rig.h
tests_unit_test_source_CPPFLAGS = $(unit_cppflags)
tests_unit_test_source_LDADD = libqossim.la $(unit_ldadd) -lm

unit_tests += tests/unit/test_source_video
tests_unit_test_source_video_SOURCES = tests/unit/test_source_video.c \
	tests/unit/source_rig.h
tests_unit_test_source_video_CPPFLAGS = $(unit_cppflags)
tests_unit_test_source_video_LDADD = libqossim.la $(unit_ldadd) -lm

unit_tests += tests/unit/test_scheduler
tests_unit_test_scheduler_CPPFLAGS = $(unit_cppflags)
tests_unit_test_scheduler_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_gm_types
tests_unit_test_gm_types_CPPFLAGS = $(unit_cppflags)
tests_unit_test_gm_types_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_gm_helper
tests_unit_test_gm_helper_SOURCES = tests/unit/test_gm_helper.c $(starve_sources)
tests_unit_test_gm_helper_CPPFLAGS = $(unit_cppflags)
tests_unit_test_gm_helper_LDFLAGS = $(AM_LDFLAGS) $(starve_ldflags)
tests_unit_test_gm_helper_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_gm_tables
tests_unit_test_gm_tables_SOURCES = tests/unit/test_gm_tables.c $(starve_sources)
tests_unit_test_gm_tables_CPPFLAGS = $(unit_cppflags)
tests_unit_test_gm_tables_LDFLAGS = $(AM_LDFLAGS) $(starve_ldflags)
tests_unit_test_gm_tables_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_gm_launch
tests_unit_test_gm_launch_CPPFLAGS = $(unit_cppflags)
tests_unit_test_gm_launch_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_gm_job
tests_unit_test_gm_job_CPPFLAGS = $(unit_cppflags)
tests_unit_test_gm_job_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_gm_root
tests_unit_test_gm_root_CPPFLAGS = $(unit_cppflags)
tests_unit_test_gm_root_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_gm_port
tests_unit_test_gm_port_SOURCES = tests/unit/test_gm_port.c tests/unit/ranks.h
tests_unit_test_gm_port_CPPFLAGS = $(unit_cppflags)
tests_unit_test_gm_port_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_gm_threads
tests_unit_test_gm_threads_SOURCES = tests/unit/test_gm_threads.c tests/unit/ranks.h
tests_unit_test_gm_threads_CPPFLAGS = $(unit_cppflags)
tests_unit_test_gm_threads_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_gm_message
tests_unit_test_gm_message_SOURCES = tests/unit/test_gm_message.c tests/unit/ranks.h
tests_unit_test_gm_message_CPPFLAGS = $(unit_cppflags)
tests_unit_test_gm_message_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_gm_local
tests_unit_test_gm_local_SOURCES = tests/unit/test_gm_local.c tests/unit/ranks.h
tests_unit_test_gm_local_CPPFLAGS = $(unit_cppflags)
tests_unit_test_gm_local_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_gm_fault
tests_unit_test_gm_fault_SOURCES = tests/unit/test_gm_fault.c tests/unit/ranks.h
tests_unit_test_gm_fault_CPPFLAGS = $(unit_cppflags)
tests_unit_test_gm_fault_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_gm_error
tests_unit_test_gm_error_SOURCES = tests/unit/test_gm_error.c tests/unit/ranks.h
tests_unit_test_gm_error_CPPFLAGS = $(unit_cppflags)
tests_unit_test_gm_error_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_gm_qos
tests_unit_test_gm_qos_SOURCES = tests/unit/test_gm_qos.c tests/unit/ranks.h
tests_unit_test_gm_qos_CPPFLAGS = $(unit_cppflags)
tests_unit_test_gm_qos_LDADD = $(unit_ldadd)

unit_tests += tests/unit/test_gm_counters
tests_unit_test_gm_counters_SOURCES = tests/unit/test_gm_counters.c tests/unit/ranks.h
tests_unit_test_gm_counters_CPPFLAGS = $(unit_cppflags)
tests_unit_test_gm_counters_LDADD = $(unit_ldadd)

# --- gm: the rules of GM, one program per heading; see tests/gm/README.md ----------
unit_tests += tests/gm/datagrams_names
tests_gm_datagrams_names_SOURCES = tests/gm/datagrams_names.c tests/gm/rules.h tests/unit/ranks.h
tests_gm_datagrams_names_CPPFLAGS = $(unit_cppflags)
tests_gm_datagrams_names_LDADD = $(unit_ldadd)

unit_tests += tests/gm/names_numbers
tests_gm_names_numbers_SOURCES = tests/gm/names_numbers.c tests/gm/rules.h tests/unit/ranks.h
tests_gm_names_numbers_CPPFLAGS = $(unit_cppflags)
tests_gm_names_numbers_LDADD = $(unit_ldadd)

unit_tests += tests/gm/life_cycle
tests_gm_life_cycle_SOURCES = tests/gm/life_cycle.c tests/gm/rules.h tests/unit/ranks.h
tests_gm_life_cycle_CPPFLAGS = $(unit_cppflags)
tests_gm_life_cycle_LDADD = $(unit_ldadd)

unit_tests += tests/gm/tokens
tests_gm_tokens_SOURCES = tests/gm/tokens.c tests/gm/rules.h tests/unit/ranks.h
tests_gm_tokens_CPPFLAGS = $(unit_cppflags)
tests_gm_tokens_LDADD = $(unit_ldadd)

unit_tests += tests/gm/sizes_matching
tests_gm_sizes_matching_SOURCES = tests/gm/sizes_matching.c tests/gm/rules.h tests/unit/ranks.h
tests_gm_sizes_matching_CPPFLAGS = $(unit_cppflags)
tests_gm_sizes_matching_LDADD = $(unit_ldadd)

unit_tests += tests/gm/events
tests_gm_events_SOURCES = tests/gm/events.c tests/gm/rules.h tests/unit/ranks.h
tests_gm_events_CPPFLAGS = $(unit_cppflags)
tests_gm_events_LDADD = $(unit_ldadd)

unit_tests += tests/gm/alarms
tests_gm_alarms_SOURCES = tests/gm/alarms.c tests/gm/rules.h tests/unit/ranks.h
tests_gm_alarms_CPPFLAGS = $(unit_cppflags)
tests_gm_alarms_LDADD = $(unit_ldadd)

unit_tests += tests/gm/errors_stalls
tests_gm_errors_stalls_SOURCES = tests/gm/errors_stalls.c tests/gm/rules.h tests/unit/ranks.h
tests_gm_errors_stalls_CPPFLAGS = $(unit_cppflags)
tests_gm_errors_stalls_LDADD = $(unit_ldadd)

unit_tests += tests/gm/rdma_memory
tests_gm_rdma_memory_SOURCES = tests/gm/rdma_memory.c tests/gm/rules.h tests/unit/ranks.h
tests_gm_rdma_memory_CPPFLAGS = $(unit_cppflags)
tests_gm_rdma_memory_LDADD = $(unit_ldadd)

unit_tests += tests/gm/registration
tests_gm_registration_SOURCES = tests/gm/registration.c tests/gm/rules.h tests/unit/ranks.h
tests_gm_registration_CPPFLAGS = $(unit_cppflags)
tests_gm_registration_LDADD = $(unit_ldadd)

# --- MPI: programs started by the system tests -------------------------------------
# The attribute: tests/system/mpi-flow.sh runs what tests/mpi/testlist names.
mpi_tests += tests/mpi/flow_all_peers
tests_mpi_flow_all_peers_SOURCES = tests/mpi/flow_all_peers.c tests/mpi/check.h
tests_mpi_flow_all_peers_CPPFLAGS = $(mpi_cppflags)
tests_mpi_flow_all_peers_LDFLAGS = $(mpi_ldflags)
tests_mpi_flow_all_peers_LDADD = $(mpi_ldadd) -lm
mpi_tests += tests/mpi/flow_best_effort
tests_mpi_flow_best_effort_SOURCES = tests/mpi/flow_best_effort.c tests/mpi/check.h
tests_mpi_flow_best_effort_CPPFLAGS = $(mpi_cppflags)
tests_mpi_flow_best_effort_LDFLAGS = $(mpi_ldflags)
tests_mpi_flow_best_effort_LDADD = $(mpi_ldadd) -lm
mpi_tests += tests/mpi/flow_change
tests_mpi_flow_change_SOURCES = tests/mpi/flow_change.c tests/mpi/check.h
tests_mpi_flow_change_CPPFLAGS = $(mpi_cppflags)
tests_mpi_flow_change_LDFLAGS = $(mpi_ldflags)
tests_mpi_flow_change_LDADD = $(mpi_ldadd) -lm
mpi_tests += tests/mpi/flow_declared
tests_mpi_flow_declared_SOURCES = tests/mpi/flow_declared.c tests/mpi/check.h tests/mpi/hints.h
tests_mpi_flow_declared_CPPFLAGS = $(mpi_cppflags) -I$(top_srcdir)/gmsim/include
tests_mpi_flow_declared_LDFLAGS = $(mpi_ldflags)
tests_mpi_flow_declared_LDADD = $(mpi_ldadd) libgm.la
mpi_tests += tests/mpi/flow_delay
tests_mpi_flow_delay_SOURCES = tests/mpi/flow_delay.c tests/mpi/check.h tests/mpi/hints.h
tests_mpi_flow_delay_CPPFLAGS = $(mpi_cppflags)
tests_mpi_flow_delay_LDFLAGS = $(mpi_ldflags)
tests_mpi_flow_delay_LDADD = $(mpi_ldadd) -lm
mpi_tests += tests/mpi/flow_denied
tests_mpi_flow_denied_SOURCES = tests/mpi/flow_denied.c tests/mpi/check.h
tests_mpi_flow_denied_CPPFLAGS = $(mpi_cppflags)
tests_mpi_flow_denied_LDFLAGS = $(mpi_ldflags)
tests_mpi_flow_denied_LDADD = $(mpi_ldadd) -lm
mpi_tests += tests/mpi/flow_dup
tests_mpi_flow_dup_SOURCES = tests/mpi/flow_dup.c tests/mpi/check.h
tests_mpi_flow_dup_CPPFLAGS = $(mpi_cppflags)
tests_mpi_flow_dup_LDFLAGS = $(mpi_ldflags)
tests_mpi_flow_dup_LDADD = $(mpi_ldadd) -lm
mpi_tests += tests/mpi/flow_granted
tests_mpi_flow_granted_SOURCES = tests/mpi/flow_granted.c tests/mpi/check.h
tests_mpi_flow_granted_CPPFLAGS = $(mpi_cppflags)
tests_mpi_flow_granted_LDFLAGS = $(mpi_ldflags)
tests_mpi_flow_granted_LDADD = $(mpi_ldadd) -lm
mpi_tests += tests/mpi/flow_life
tests_mpi_flow_life_SOURCES = tests/mpi/flow_life.c tests/mpi/check.h
tests_mpi_flow_life_CPPFLAGS = $(mpi_cppflags)
tests_mpi_flow_life_LDFLAGS = $(mpi_ldflags)
tests_mpi_flow_life_LDADD = $(mpi_ldadd) -lm
mpi_tests += tests/mpi/flow_malformed
tests_mpi_flow_malformed_SOURCES = tests/mpi/flow_malformed.c tests/mpi/check.h
tests_mpi_flow_malformed_CPPFLAGS = $(mpi_cppflags)
tests_mpi_flow_malformed_LDFLAGS = $(mpi_ldflags)
tests_mpi_flow_malformed_LDADD = $(mpi_ldadd) -lm
mpi_tests += tests/mpi/flow_process
tests_mpi_flow_process_SOURCES = tests/mpi/flow_process.c tests/mpi/check.h
tests_mpi_flow_process_CPPFLAGS = $(mpi_cppflags)
tests_mpi_flow_process_LDFLAGS = $(mpi_ldflags)
tests_mpi_flow_process_LDADD = $(mpi_ldadd) -lm
mpi_tests += tests/mpi/flow_release
tests_mpi_flow_release_SOURCES = tests/mpi/flow_release.c tests/mpi/check.h
tests_mpi_flow_release_CPPFLAGS = $(mpi_cppflags)
tests_mpi_flow_release_LDFLAGS = $(mpi_ldflags)
tests_mpi_flow_release_LDADD = $(mpi_ldadd) -lm
mpi_tests += tests/mpi/lanes_flood
tests_mpi_lanes_flood_SOURCES = tests/mpi/lanes_flood.c tests/mpi/check.h
tests_mpi_lanes_flood_CPPFLAGS = $(mpi_cppflags)
tests_mpi_lanes_flood_LDFLAGS = $(mpi_ldflags)
tests_mpi_lanes_flood_LDADD = $(mpi_ldadd) -lm

mpi_tests += tests/mpi/breaks
tests_mpi_breaks_SOURCES = tests/mpi/breaks.c tests/mpi/check.h
tests_mpi_breaks_CPPFLAGS = $(mpi_cppflags)
tests_mpi_breaks_CFLAGS = $(mpi_cflags) -pthread
tests_mpi_breaks_LDFLAGS = $(mpi_ldflags) -pthread
tests_mpi_breaks_LDADD = $(mpi_ldadd)
mpi_tests += tests/mpi/delays
tests_mpi_delays_SOURCES = tests/mpi/delays.c tests/mpi/check.h
tests_mpi_delays_CPPFLAGS = $(mpi_cppflags)
tests_mpi_delays_LDFLAGS = $(mpi_ldflags)
tests_mpi_delays_LDADD = $(mpi_ldadd)
mpi_tests += tests/mpi/keeps
tests_mpi_keeps_SOURCES = tests/mpi/keeps.c tests/mpi/check.h
tests_mpi_keeps_CPPFLAGS = $(mpi_cppflags)
tests_mpi_keeps_LDFLAGS = $(mpi_ldflags)
tests_mpi_keeps_LDADD = $(mpi_ldadd)

mpi_tests += tests/mpi/flow_two
tests_mpi_flow_two_SOURCES = tests/mpi/flow_two.c tests/mpi/check.h
tests_mpi_flow_two_CPPFLAGS = $(mpi_cppflags)
tests_mpi_flow_two_LDFLAGS = $(mpi_ldflags)
tests_mpi_flow_two_LDADD = $(mpi_ldadd) -lm
mpi_tests += tests/mpi/hints_dup
tests_mpi_hints_dup_SOURCES = tests/mpi/hints_dup.c tests/mpi/check.h tests/mpi/hints.h
tests_mpi_hints_dup_CPPFLAGS = $(mpi_cppflags)
tests_mpi_hints_dup_LDFLAGS = $(mpi_ldflags)
tests_mpi_hints_dup_LDADD = $(mpi_ldadd) -lm
mpi_tests += tests/mpi/hints_malformed
tests_mpi_hints_malformed_SOURCES = tests/mpi/hints_malformed.c tests/mpi/check.h tests/mpi/hints.h
tests_mpi_hints_malformed_CPPFLAGS = $(mpi_cppflags)
tests_mpi_hints_malformed_LDFLAGS = $(mpi_ldflags)
tests_mpi_hints_malformed_LDADD = $(mpi_ldadd) -lm
mpi_tests += tests/mpi/time_modes
tests_mpi_time_modes_SOURCES = tests/mpi/time_modes.c tests/mpi/check.h
tests_mpi_time_modes_CPPFLAGS = $(mpi_cppflags) -I$(top_srcdir)/gmsim/include
tests_mpi_time_modes_LDFLAGS = $(mpi_ldflags)
tests_mpi_time_modes_LDADD = $(mpi_ldadd) libgm.la
mpi_tests += tests/mpi/ways
tests_mpi_ways_SOURCES = tests/mpi/ways.c tests/mpi/check.h
tests_mpi_ways_CPPFLAGS = $(mpi_cppflags)
tests_mpi_ways_LDFLAGS = $(mpi_ldflags)
tests_mpi_ways_LDADD = $(mpi_ldadd) -lm
mpi_tests += tests/mpi/flow_unsupported
# The library again, with a hook that no MPI has.
tests_mpi_flow_unsupported_SOURCES = tests/mpi/flow_unsupported.c tests/mpi/check.h $(libmpiqos_la_SOURCES)
tests_mpi_flow_unsupported_CPPFLAGS = -I$(top_srcdir)/gmsim $(mpi_cppflags) -I$(top_srcdir)/adi-gm/include \
	-DMPIX_GM_Watch_keyval=mpiqos_no_such_hook
tests_mpi_flow_unsupported_LDFLAGS = $(mpi_ldflags)
tests_mpi_flow_unsupported_LDADD = libmpi.la -lm

# Processes outside the job are refused.
mpi_tests += tests/mpi/no_spawn
tests_mpi_no_spawn_SOURCES = tests/mpi/no_spawn.c tests/mpi/check.h
tests_mpi_no_spawn_CPPFLAGS = $(mpi_cppflags)
tests_mpi_no_spawn_LDFLAGS = $(mpi_ldflags)
tests_mpi_no_spawn_LDADD = $(mpi_ldadd)
# Ranks of one simulated host.
mpi_tests += tests/mpi/shared_host
tests_mpi_shared_host_SOURCES = tests/mpi/shared_host.c tests/mpi/check.h
tests_mpi_shared_host_CPPFLAGS = $(mpi_cppflags)
tests_mpi_shared_host_LDFLAGS = $(mpi_ldflags)
tests_mpi_shared_host_LDADD = $(mpi_ldadd)
# Data that are not contiguous.
mpi_tests += tests/mpi/pack_random
tests_mpi_pack_random_SOURCES = tests/mpi/pack_random.c tests/mpi/check.h
tests_mpi_pack_random_CPPFLAGS = $(mpi_cppflags)
tests_mpi_pack_random_LDFLAGS = $(mpi_ldflags)
tests_mpi_pack_random_LDADD = $(mpi_ldadd)
mpi_tests += tests/mpi/pack_pipeline
tests_mpi_pack_pipeline_SOURCES = tests/mpi/pack_pipeline.c tests/mpi/check.h
tests_mpi_pack_pipeline_CPPFLAGS = $(mpi_cppflags) -I$(top_srcdir)/gmsim/include \
	-I$(top_srcdir)/adi-gm/include
tests_mpi_pack_pipeline_LDFLAGS = $(mpi_ldflags)
tests_mpi_pack_pipeline_LDADD = $(mpi_ldadd) libgm.la
mpi_tests += tests/mpi/register_again
tests_mpi_register_again_SOURCES = tests/mpi/register_again.c tests/mpi/check.h
tests_mpi_register_again_CPPFLAGS = $(mpi_cppflags) -I$(top_srcdir)/gmsim/include \
	-I$(top_srcdir)/adi-gm/include
tests_mpi_register_again_LDFLAGS = $(mpi_ldflags)
tests_mpi_register_again_LDADD = $(mpi_ldadd) libgm.la
# One-sided communication without the target's help.
mpi_tests += tests/mpi/rma_alone
tests_mpi_rma_alone_SOURCES = tests/mpi/rma_alone.c tests/mpi/check.h
tests_mpi_rma_alone_CPPFLAGS = $(mpi_cppflags) -I$(top_srcdir)/gmsim/include
tests_mpi_rma_alone_LDFLAGS = $(mpi_ldflags)
tests_mpi_rma_alone_LDADD = $(mpi_ldadd) libgm.la
# Waiting that costs nothing, polls that take time, threads.
mpi_tests += tests/mpi/polls
tests_mpi_polls_SOURCES = tests/mpi/polls.c tests/mpi/check.h tests/mpi/grequest.h
tests_mpi_polls_CPPFLAGS = $(mpi_cppflags) -I$(top_srcdir)/gmsim/include
tests_mpi_polls_LDFLAGS = $(mpi_ldflags)
tests_mpi_polls_LDADD = $(mpi_ldadd) libgm.la
mpi_tests += tests/mpi/waits
tests_mpi_waits_SOURCES = tests/mpi/waits.c tests/mpi/check.h
tests_mpi_waits_CPPFLAGS = $(mpi_cppflags) -I$(top_srcdir)/gmsim/include
tests_mpi_waits_LDFLAGS = $(mpi_ldflags)
tests_mpi_waits_LDADD = $(mpi_ldadd) libgm.la
mpi_tests += tests/mpi/threads
tests_mpi_threads_SOURCES = tests/mpi/threads.c tests/mpi/check.h tests/mpi/grequest.h
tests_mpi_threads_CPPFLAGS = $(mpi_cppflags)
tests_mpi_threads_LDFLAGS = $(mpi_ldflags)
tests_mpi_threads_LDADD = $(mpi_ldadd) -lpthread

# Random programs: tests/system/mpi-fuzz.sh.
mpi_tests += tests/mpi/fuzz_mpi
tests_mpi_fuzz_mpi_SOURCES = tests/mpi/fuzz_mpi.c tests/mpi/fuzz_mpi.h \
	tests/mpi/fuzz_mpi_layout.c tests/mpi/fuzz_mpi_messages.c \
	tests/mpi/fuzz_mpi_repeated.c tests/mpi/fuzz_mpi_window.c \
	tests/mpi/check.h
tests_mpi_fuzz_mpi_CPPFLAGS = $(mpi_cppflags)
tests_mpi_fuzz_mpi_CFLAGS = $(mpi_cflags)
tests_mpi_fuzz_mpi_LDFLAGS = $(mpi_ldflags)
tests_mpi_fuzz_mpi_LDADD = $(mpi_ldadd)

# Variables of MPI_T: tests/system/mpi-tool.sh.
mpi_tests += tests/mpi/tool_before
tests_mpi_tool_before_SOURCES = tests/mpi/tool_before.c tests/mpi/tool.h tests/mpi/check.h
tests_mpi_tool_before_CPPFLAGS = $(mpi_cppflags)
tests_mpi_tool_before_CFLAGS = $(mpi_cflags)
tests_mpi_tool_before_LDFLAGS = $(mpi_ldflags)
tests_mpi_tool_before_LDADD = $(mpi_ldadd)
mpi_tests += tests/mpi/tool_flow
tests_mpi_tool_flow_SOURCES = tests/mpi/tool_flow.c tests/mpi/tool.h tests/mpi/check.h
tests_mpi_tool_flow_CPPFLAGS = $(mpi_cppflags)
tests_mpi_tool_flow_CFLAGS = $(mpi_cflags)
tests_mpi_tool_flow_LDFLAGS = $(mpi_ldflags)
tests_mpi_tool_flow_LDADD = $(mpi_ldadd)
mpi_tests += tests/mpi/tool_handles
tests_mpi_tool_handles_SOURCES = tests/mpi/tool_handles.c tests/mpi/tool.h tests/mpi/check.h
tests_mpi_tool_handles_CPPFLAGS = $(mpi_cppflags)
tests_mpi_tool_handles_CFLAGS = $(mpi_cflags)
tests_mpi_tool_handles_LDFLAGS = $(mpi_ldflags)
tests_mpi_tool_handles_LDADD = $(mpi_ldadd)
mpi_tests += tests/mpi/tool_indices
tests_mpi_tool_indices_SOURCES = tests/mpi/tool_indices.c tests/mpi/tool.h tests/mpi/check.h
tests_mpi_tool_indices_CPPFLAGS = $(mpi_cppflags)
tests_mpi_tool_indices_CFLAGS = $(mpi_cflags)
tests_mpi_tool_indices_LDFLAGS = $(mpi_ldflags)
tests_mpi_tool_indices_LDADD = $(mpi_ldadd)
mpi_tests += tests/mpi/tool_list
tests_mpi_tool_list_SOURCES = tests/mpi/tool_list.c tests/mpi/tool.h tests/mpi/check.h
tests_mpi_tool_list_CPPFLAGS = $(mpi_cppflags)
tests_mpi_tool_list_CFLAGS = $(mpi_cflags)
tests_mpi_tool_list_LDFLAGS = $(mpi_ldflags)
tests_mpi_tool_list_LDADD = $(mpi_ldadd)
mpi_tests += tests/mpi/tool_loss
tests_mpi_tool_loss_SOURCES = tests/mpi/tool_loss.c tests/mpi/tool.h tests/mpi/check.h
tests_mpi_tool_loss_CPPFLAGS = $(mpi_cppflags) -I$(top_srcdir)/gmsim/include
tests_mpi_tool_loss_CFLAGS = $(mpi_cflags)
tests_mpi_tool_loss_LDFLAGS = $(mpi_ldflags)
tests_mpi_tool_loss_LDADD = $(mpi_ldadd) libgm.la

# --- GM: programs started by the system tests --------------------------------------
check_PROGRAMS += tests/gm/soak
tests_gm_soak_CPPFLAGS = $(gm_cppflags)
tests_gm_soak_LDFLAGS = $(gm_ldflags)
tests_gm_soak_LDADD = $(gm_ldadd)

# --- report: the page in a browser, tests/report/*.sh -------------------------------
check_PROGRAMS += tests/report/page_of
tests_report_page_of_CPPFLAGS = $(gmsim_cppflags)
tests_report_page_of_LDADD = libreport.la libgmsim.la
EXTRA_DIST += tests/report/browser.py tests/report/page.py \
	tests/report/sample.py
system_tests += tests/report/page.sh
system_tests += tests/report/real.sh

# --- fuzz: any calls with any arguments, tests/fuzz/README.md ----------------------
# The second is for compilers that know -fsanitize=fuzzer: "make fuzz".
fuzz_sources = \
	tests/fuzz/fuzz.h \
	tests/fuzz/fuzz_cluster.c \
	tests/fuzz/fuzz_gm.c \
	tests/fuzz/fuzz_helper.c \
	tests/fuzz/fuzz_input.c \
	tests/fuzz/fuzz_ledger.c \
	tests/fuzz/fuzz_memory.c \
	tests/fuzz/fuzz_port.c \
	tests/fuzz/fuzz_receive.c \
	tests/fuzz/fuzz_send.c \
	tests/fuzz/fuzz_send.h \
	tests/fuzz/fuzz_wrap.c
fuzz_ldflags = $(AM_LDFLAGS) \
	-Wl,--wrap=gms_arena_alloc,--wrap=gms_arena_alloc_raw \
	-Wl,--wrap=gms_arena_free,--wrap=_exit
check_PROGRAMS += tests/fuzz/fuzz_gm
tests_fuzz_fuzz_gm_SOURCES = $(fuzz_sources) tests/fuzz/fuzz_main.c
tests_fuzz_fuzz_gm_CPPFLAGS = $(gmsim_cppflags)
tests_fuzz_fuzz_gm_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_gm_LDADD = libgmsim.la
EXTRA_PROGRAMS += tests/fuzz/libfuzzer_gm
tests_fuzz_libfuzzer_gm_SOURCES = $(fuzz_sources)
tests_fuzz_libfuzzer_gm_CPPFLAGS = $(gmsim_cppflags)
tests_fuzz_libfuzzer_gm_LDFLAGS = $(fuzz_ldflags) -fsanitize=fuzzer
tests_fuzz_libfuzzer_gm_LDADD = libgmsim.la

# Any bytes as a file: the readers of cluster descriptions, of what others describe
# machines with, of policies, plans and sweeps.
parse_sources = tests/fuzz/parse.h tests/fuzz/parse_file.c tests/fuzz/parse_mutate.c
parse_cluster_sources = $(parse_sources) tests/fuzz/parse_cluster.c tests/fuzz/parse_small.c
parse_policy_sources = $(parse_sources) tests/fuzz/parse_policy.c \
	gmsim/policy/policy_file.c gmsim/policy/policy_file.h gmsim/yaml/quantity.c gmsim/yaml/quantity.h
parse_plan_sources = $(parse_sources) tests/fuzz/parse_plan.c \
	gmsim/tool/plan.h gmsim/tool/plan_file.c gmsim/tool/plan_traffic.c \
	gmsim/tool/plan_traffic.h gmsim/yaml/quantity.c gmsim/yaml/quantity.h
parse_sweep_sources = $(parse_sources) tests/fuzz/parse_sweep.c
parse_pmi_sources = $(parse_sources) tests/fuzz/parse_pmi.c \
	adi-gm/launcher/pmi_check.c adi-gm/launcher/pmi_check.h
parse_import_sources = $(parse_sources) tests/fuzz/parse_import.c tests/fuzz/parse_small.c \
	gmsim/tool/import.c gmsim/cluster/import.h gmsim/cluster/import_ib.c \
	gmsim/cluster/import_ib_int.h gmsim/cluster/import_ib_write.c \
	gmsim/cluster/import_simgrid.c
parse_model_sources = $(parse_sources) tests/fuzz/parse_model.c gmsim/tool/model.h \
	gmsim/tool/model_file.c
parse_traffic_sources = $(parse_sources) tests/fuzz/parse_traffic.c
parse_points_sources = $(parse_sources) tests/fuzz/parse_points.c
parse_record_sources = $(parse_sources) tests/fuzz/parse_record.c tests/unit/seal.c \
	tests/unit/seal.h
parse_cppflags = $(gmsim_cppflags) -I$(top_srcdir)
parse_ldflags = $(AM_LDFLAGS) -Wl,--wrap=fopen
parse_cluster_ldflags = $(parse_ldflags) -Wl,--wrap=gms_topology_create \
	-Wl,--wrap=gms_arena_create_private,--wrap=gms_arena_destroy_private
check_PROGRAMS += tests/fuzz/fuzz_parse_cluster
tests_fuzz_fuzz_parse_cluster_SOURCES = $(parse_cluster_sources) tests/fuzz/parse_main.c
tests_fuzz_fuzz_parse_cluster_CPPFLAGS = $(parse_cppflags)
tests_fuzz_fuzz_parse_cluster_LDFLAGS = $(parse_cluster_ldflags)
tests_fuzz_fuzz_parse_cluster_LDADD = libgmsim.la
check_PROGRAMS += tests/fuzz/fuzz_parse_policy
tests_fuzz_fuzz_parse_policy_SOURCES = $(parse_policy_sources) tests/fuzz/parse_main.c
tests_fuzz_fuzz_parse_policy_CPPFLAGS = $(parse_cppflags)
tests_fuzz_fuzz_parse_policy_LDFLAGS = $(parse_ldflags)
tests_fuzz_fuzz_parse_policy_LDADD = libgmsim.la
check_PROGRAMS += tests/fuzz/fuzz_parse_plan
tests_fuzz_fuzz_parse_plan_SOURCES = $(parse_plan_sources) tests/fuzz/parse_main.c
tests_fuzz_fuzz_parse_plan_CPPFLAGS = $(parse_cppflags)
tests_fuzz_fuzz_parse_plan_LDFLAGS = $(parse_ldflags)
tests_fuzz_fuzz_parse_plan_LDADD = libgmsim.la
check_PROGRAMS += tests/fuzz/fuzz_parse_sweep
tests_fuzz_fuzz_parse_sweep_SOURCES = $(parse_sweep_sources) tests/fuzz/parse_main.c
tests_fuzz_fuzz_parse_sweep_CPPFLAGS = $(parse_cppflags)
tests_fuzz_fuzz_parse_sweep_LDFLAGS = $(parse_ldflags)
tests_fuzz_fuzz_parse_sweep_LDADD = libsweep.la libreport.la libgmsim.la
check_PROGRAMS += tests/fuzz/fuzz_parse_import
tests_fuzz_fuzz_parse_import_SOURCES = $(parse_import_sources) tests/fuzz/parse_main.c
tests_fuzz_fuzz_parse_import_CPPFLAGS = $(parse_cppflags) $(EXPAT_CFLAGS)
tests_fuzz_fuzz_parse_import_LDFLAGS = $(parse_cluster_ldflags)
tests_fuzz_fuzz_parse_import_LDADD = libgmsim.la $(EXPAT_LIBS)
check_PROGRAMS += tests/fuzz/fuzz_parse_pmi
tests_fuzz_fuzz_parse_pmi_SOURCES = $(parse_pmi_sources) tests/fuzz/parse_main.c
tests_fuzz_fuzz_parse_pmi_CPPFLAGS = $(parse_cppflags)
tests_fuzz_fuzz_parse_pmi_LDFLAGS = $(parse_ldflags)
EXTRA_PROGRAMS += tests/fuzz/libfuzzer_parse_pmi
tests_fuzz_libfuzzer_parse_pmi_SOURCES = $(parse_pmi_sources) \
	tests/fuzz/parse_libfuzzer.c
tests_fuzz_libfuzzer_parse_pmi_CPPFLAGS = $(parse_cppflags)
tests_fuzz_libfuzzer_parse_pmi_LDFLAGS = $(parse_ldflags) -fsanitize=fuzzer
EXTRA_PROGRAMS += tests/fuzz/libfuzzer_parse_cluster tests/fuzz/libfuzzer_parse_policy
tests_fuzz_libfuzzer_parse_cluster_SOURCES = $(parse_cluster_sources) \
	tests/fuzz/parse_libfuzzer.c
tests_fuzz_libfuzzer_parse_cluster_CPPFLAGS = $(parse_cppflags)
tests_fuzz_libfuzzer_parse_cluster_LDFLAGS = $(parse_cluster_ldflags) -fsanitize=fuzzer
tests_fuzz_libfuzzer_parse_cluster_LDADD = libgmsim.la
tests_fuzz_libfuzzer_parse_policy_SOURCES = $(parse_policy_sources) \
	tests/fuzz/parse_libfuzzer.c
tests_fuzz_libfuzzer_parse_policy_CPPFLAGS = $(parse_cppflags)
tests_fuzz_libfuzzer_parse_policy_LDFLAGS = $(parse_ldflags) -fsanitize=fuzzer
tests_fuzz_libfuzzer_parse_policy_LDADD = libgmsim.la
EXTRA_PROGRAMS += tests/fuzz/libfuzzer_parse_plan tests/fuzz/libfuzzer_parse_sweep
tests_fuzz_libfuzzer_parse_plan_SOURCES = $(parse_plan_sources) \
	tests/fuzz/parse_libfuzzer.c
tests_fuzz_libfuzzer_parse_plan_CPPFLAGS = $(parse_cppflags)
tests_fuzz_libfuzzer_parse_plan_LDFLAGS = $(parse_ldflags) -fsanitize=fuzzer
tests_fuzz_libfuzzer_parse_plan_LDADD = libgmsim.la
tests_fuzz_libfuzzer_parse_sweep_SOURCES = $(parse_sweep_sources) \
	tests/fuzz/parse_libfuzzer.c
tests_fuzz_libfuzzer_parse_sweep_CPPFLAGS = $(parse_cppflags)
tests_fuzz_libfuzzer_parse_sweep_LDFLAGS = $(parse_ldflags) -fsanitize=fuzzer
tests_fuzz_libfuzzer_parse_sweep_LDADD = libsweep.la libreport.la libgmsim.la
EXTRA_PROGRAMS += tests/fuzz/libfuzzer_parse_import
tests_fuzz_libfuzzer_parse_import_SOURCES = $(parse_import_sources) \
	tests/fuzz/parse_libfuzzer.c
tests_fuzz_libfuzzer_parse_import_CPPFLAGS = $(parse_cppflags) $(EXPAT_CFLAGS)
tests_fuzz_libfuzzer_parse_import_LDFLAGS = $(parse_cluster_ldflags) -fsanitize=fuzzer
tests_fuzz_libfuzzer_parse_import_LDADD = libgmsim.la $(EXPAT_LIBS)

check_PROGRAMS += tests/fuzz/fuzz_parse_model
tests_fuzz_fuzz_parse_model_SOURCES = $(parse_model_sources) tests/fuzz/parse_main.c
tests_fuzz_fuzz_parse_model_CPPFLAGS = $(parse_cppflags)
tests_fuzz_fuzz_parse_model_LDFLAGS = $(parse_ldflags)
tests_fuzz_fuzz_parse_model_LDADD = libmodel.la libgmsim.la -lm
EXTRA_PROGRAMS += tests/fuzz/libfuzzer_parse_model
tests_fuzz_libfuzzer_parse_model_SOURCES = $(parse_model_sources) \
	tests/fuzz/parse_libfuzzer.c
tests_fuzz_libfuzzer_parse_model_CPPFLAGS = $(parse_cppflags)
tests_fuzz_libfuzzer_parse_model_LDFLAGS = $(parse_ldflags) -fsanitize=fuzzer
tests_fuzz_libfuzzer_parse_model_LDADD = libmodel.la libgmsim.la -lm
check_PROGRAMS += tests/fuzz/fuzz_parse_traffic
tests_fuzz_fuzz_parse_traffic_SOURCES = $(parse_traffic_sources) tests/fuzz/parse_main.c
tests_fuzz_fuzz_parse_traffic_CPPFLAGS = $(parse_cppflags)
tests_fuzz_fuzz_parse_traffic_LDFLAGS = $(parse_ldflags)
tests_fuzz_fuzz_parse_traffic_LDADD = libqossim.la libgmsim.la -lm
EXTRA_PROGRAMS += tests/fuzz/libfuzzer_parse_traffic
tests_fuzz_libfuzzer_parse_traffic_SOURCES = $(parse_traffic_sources) \
	tests/fuzz/parse_libfuzzer.c
tests_fuzz_libfuzzer_parse_traffic_CPPFLAGS = $(parse_cppflags)
tests_fuzz_libfuzzer_parse_traffic_LDFLAGS = $(parse_ldflags) -fsanitize=fuzzer
tests_fuzz_libfuzzer_parse_traffic_LDADD = libqossim.la libgmsim.la -lm
check_PROGRAMS += tests/fuzz/fuzz_parse_points
tests_fuzz_fuzz_parse_points_SOURCES = $(parse_points_sources) tests/fuzz/parse_main.c
tests_fuzz_fuzz_parse_points_CPPFLAGS = $(parse_cppflags)
tests_fuzz_fuzz_parse_points_LDFLAGS = $(parse_ldflags)
tests_fuzz_fuzz_parse_points_LDADD = libsweep.la libreport.la libgmsim.la -lm
EXTRA_PROGRAMS += tests/fuzz/libfuzzer_parse_points
tests_fuzz_libfuzzer_parse_points_SOURCES = $(parse_points_sources) \
	tests/fuzz/parse_libfuzzer.c
tests_fuzz_libfuzzer_parse_points_CPPFLAGS = $(parse_cppflags)
tests_fuzz_libfuzzer_parse_points_LDFLAGS = $(parse_ldflags) -fsanitize=fuzzer
tests_fuzz_libfuzzer_parse_points_LDADD = libsweep.la libreport.la libgmsim.la -lm
check_PROGRAMS += tests/fuzz/fuzz_parse_record
tests_fuzz_fuzz_parse_record_SOURCES = $(parse_record_sources) tests/fuzz/parse_main.c
tests_fuzz_fuzz_parse_record_CPPFLAGS = $(parse_cppflags) -DPARSE_MAX=16384u
tests_fuzz_fuzz_parse_record_LDFLAGS = $(parse_ldflags)
tests_fuzz_fuzz_parse_record_LDADD = libreport.la libgmsim.la -lm
EXTRA_PROGRAMS += tests/fuzz/libfuzzer_parse_record
tests_fuzz_libfuzzer_parse_record_SOURCES = $(parse_record_sources) \
	tests/fuzz/parse_libfuzzer.c
tests_fuzz_libfuzzer_parse_record_CPPFLAGS = $(parse_cppflags) -DPARSE_MAX=16384u
tests_fuzz_libfuzzer_parse_record_LDFLAGS = $(parse_ldflags) -fsanitize=fuzzer
tests_fuzz_libfuzzer_parse_record_LDADD = libreport.la libgmsim.la -lm
check_PROGRAMS += tests/report/seal_record
tests_report_seal_record_SOURCES = tests/report/seal_record.c tests/unit/seal.c \
	tests/unit/seal.h
tests_report_seal_record_CPPFLAGS = $(parse_cppflags)
tests_report_seal_record_LDADD = libgmsim.la
check_PROGRAMS += tests/fuzz/damage_record
tests_fuzz_damage_record_SOURCES = tests/fuzz/damage_record.c tests/fuzz/parse.h \
	tests/fuzz/parse_mutate.c
tests_fuzz_damage_record_CPPFLAGS = $(parse_cppflags)
tests_fuzz_damage_record_LDADD = libreport.la libgmsim.la -lm

fuzz_targets = parse_cluster parse_import parse_model parse_plan parse_pmi \
	parse_points parse_policy parse_record parse_sweep parse_traffic gm
fuzz: $(fuzz_targets:%=tests/fuzz/libfuzzer_%)

# Every target for so many seconds each, guided by coverage; what it finds is kept
# in fuzz-found/TARGET, and a crash ends it.
FUZZ_SECONDS = 60
fuzz-all: fuzz
	@for target in $(fuzz_targets); do \
	    corpus=$(abs_srcdir)/tests/fuzz/corpus-$${target#parse_}; \
	    case $$target in gm) corpus=$(abs_srcdir)/tests/fuzz/corpus;; esac; \
	    mkdir -p fuzz-found/$$target; echo "== $$target"; \
	    ASAN_OPTIONS=malloc_context_size=2:quarantine_size_mb=1 \
	    tests/fuzz/libfuzzer_$$target -max_total_time=$(FUZZ_SECONDS) -max_len=16384 \
	        -rss_limit_mb=512 -timeout=20 -print_final_stats=1 -verbosity=0 \
	        -artifact_prefix=fuzz-found/$$target- fuzz-found/$$target $$corpus || exit 1; \
	done

# Damage to records; a short form is in tests/system/fuzz.sh.
DAMAGES = 10000
fuzz-records: stage.stamp tests/fuzz/damage_record$(EXEEXT)
	$(SH_LOG_COMPILER) $(srcdir)/tests/system/damage.sh $(DAMAGES)
.PHONY: fuzz-all fuzz-records
.PHONY: fuzz

# --- system: scripts, each its own file under tests/system -------------------------
# A script that needs no MPICH says so in a line "# needs: nothing".
system_tests += tests/system/bad.sh
system_tests += tests/system/cli.sh
system_tests += tests/system/completion.sh
system_tests += tests/examples/run.sh
system_tests += tests/system/demo.sh
system_tests += tests/system/ends.sh
system_tests += tests/system/experiment-ends.sh
system_tests += tests/system/experiment.sh
system_tests += tests/system/dispatch.sh
system_tests += tests/system/full-memory.sh
system_tests += tests/system/damage.sh
system_tests += tests/system/fuzz.sh
system_tests += tests/system/gm-api.sh
system_tests += tests/system/gm-rates.sh
system_tests += tests/system/kill.sh
system_tests += tests/system/launcher-soak.sh
system_tests += tests/system/limit-matrix.sh
system_tests += tests/system/limits.sh
system_tests += tests/system/loss.sh
system_tests += tests/system/man.sh
system_tests += tests/system/mpi-accuracy.sh
system_tests += tests/system/mpi-alone.sh
system_tests += tests/system/mpi-ends.sh
system_tests += tests/system/mpi-waits.sh
system_tests += tests/system/mpi-breaks.sh
system_tests += tests/system/mpi-declared.sh
system_tests += tests/system/mpi-delays.sh
system_tests += tests/system/mpi-flow.sh
system_tests += tests/system/mpi-fortran.sh
system_tests += tests/system/mpi-fuzz.sh
system_tests += tests/system/mpi-pack.sh
system_tests += tests/system/mpi-policy.sh
system_tests += tests/system/mpi-guarantees.sh
system_tests += tests/system/mpi-lanes.sh
system_tests += tests/system/mpi-rates.sh
system_tests += tests/system/mpi-time.sh
system_tests += tests/system/mpi-tool.sh
system_tests += tests/system/mpi-ways.sh
system_tests += tests/system/placement.sh
system_tests += tests/system/compare.sh
system_tests += tests/system/config.sh
system_tests += tests/system/debian.sh
system_tests += tests/system/descriptors.sh
system_tests += tests/system/doctor.sh
system_tests += tests/system/guarantees.sh
system_tests += tests/system/headers.sh
system_tests += tests/tree/includes.sh
system_tests += tests/tree/purpose.sh
system_tests += tests/tree/style.sh
system_tests += tests/system/import.sh
system_tests += tests/system/install.sh
system_tests += tests/system/mpicc.sh
system_tests += tests/system/model.sh
system_tests += tests/system/qos.sh
system_tests += tests/system/plan.sh
system_tests += tests/system/pmi.sh
system_tests += tests/system/record.sh
system_tests += tests/system/record_hosts.sh
system_tests += tests/system/record_lost.sh
system_tests += tests/system/repeat.sh
system_tests += tests/system/report.sh
system_tests += tests/system/soak.sh
system_tests += tests/system/other-user.sh
system_tests += tests/system/outside-cmake.sh
system_tests += tests/system/outside.sh
system_tests += tests/system/stage.sh
system_tests += tests/system/symbols.sh
system_tests += tests/system/sweep-mpi.sh
system_tests += tests/system/sweep-parallel.sh
system_tests += tests/system/sweep-slurm.sh
system_tests += tests/system/sweep.sh
system_tests += tests/system/topo.sh
system_tests += tests/system/trace.sh
system_tests += tests/system/verify.sh

include $(top_srcdir)/tests/docs/Makefile.mk
include $(top_srcdir)/tests/mpich/Makefile.mk
include $(top_srcdir)/tests/foreign/Makefile.mk

if WITH_CUNIT
check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)
endif WITH_CUNIT
if WITH_MPICH
check_PROGRAMS += $(mpi_tests)
endif WITH_MPICH
TESTS += $(system_tests)

TEST_EXTENSIONS = .md .sh
LOG_COMPILER = $(BASH) $(top_srcdir)/tests/confine
SH_LOG_COMPILER = $(BASH) $(top_srcdir)/tests/run-system
AM_TESTS_ENVIRONMENT = \
	GMQOS_STAGE='$(abs_builddir)/stage'; export GMQOS_STAGE; \
	GMQOS_SRCDIR='$(abs_top_srcdir)'; export GMQOS_SRCDIR; \
	GMQOS_BUILDDIR='$(abs_builddir)'; export GMQOS_BUILDDIR; \
	GMQOS_SAN_FLAGS='$(QOS_SAN_FLAGS)'; export GMQOS_SAN_FLAGS; \
	GMQOS_FORTRAN='$(MPICH_FC)'; export GMQOS_FORTRAN; \
	GMQOS_MPICH='@qos_mpich@'; export GMQOS_MPICH; \
	GMQOS_SUITE_CACHE='$(suite_cache)'; export GMQOS_SUITE_CACHE; \
	GMQOS_SUITE_SOURCE='$(MPICH_SOURCE)'; export GMQOS_SUITE_SOURCE;

# Of "make check", what needs no stage but the build: for packages.
check-unit: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(unit_tests)'
# The Debian packages: built, checked, installed in a system of their own.
# Takes minutes, and root for the last part.
check-package: stage.stamp
	$(AM_TESTS_ENVIRONMENT) GMQOS_TEST_SECONDS=3600 \
	$(SH_LOG_COMPILER) $(srcdir)/tests/system/package.sh
# The installation under other prefixes; compiles all but MPICH once more.
check-install:
	$(AM_TESTS_ENVIRONMENT) GMQOS_TEST_SECONDS=3600 \
	$(SH_LOG_COMPILER) $(srcdir)/tests/system/prefixes.sh
# What someone does who has just heard of it, in a clean Debian; from the
# repository, not the tarball.
newcomer:
	$(BASH) $(srcdir)/tests/newcomer/run $(NEWCOMER)
.PHONY: check-unit check-package check-install newcomer

# The long form of the soak; takes minutes.
SOAK = --packets 10000000
soak: stage.stamp tests/gm/soak$(EXEEXT)
	$(AM_TESTS_ENVIRONMENT) GMQOS_TEST_SECONDS=7200 \
	$(SH_LOG_COMPILER) $(srcdir)/tests/system/soak.sh $(SOAK)
KILLS = --seeds 200
kill-soak: stage.stamp tests/gm/soak$(EXEEXT)
	$(AM_TESTS_ENVIRONMENT) GMQOS_TEST_SECONDS=7200 \
	$(SH_LOG_COMPILER) $(srcdir)/tests/system/kill.sh $(KILLS)
LAUNCHER_SOAK = --rounds 1000
launcher-soak: stage.stamp
	$(AM_TESTS_ENVIRONMENT) GMQOS_TEST_SECONDS=7200 \
	$(SH_LOG_COMPILER) $(srcdir)/tests/system/launcher-soak.sh $(LAUNCHER_SOAK)
limit-matrix: stage.stamp
	$(AM_TESTS_ENVIRONMENT) GMQOS_TEST_SECONDS=7200 \
	$(SH_LOG_COMPILER) $(srcdir)/tests/system/limit-matrix.sh --long
MPI_FUZZ = --seeds 50 --rounds 60
mpi-fuzz: stage.stamp tests/mpi/fuzz_mpi$(EXEEXT)
	$(AM_TESTS_ENVIRONMENT) GMQOS_TEST_SECONDS=7200 \
	$(SH_LOG_COMPILER) $(srcdir)/tests/system/mpi-fuzz.sh $(MPI_FUZZ)
PROPORTIONAL = 50
proportional: tests/unit/test_proportional$(EXEEXT)
	tests/unit/test_proportional$(EXEEXT) $(PROPORTIONAL)
# Random reservations on every network, so many seeds each: hours. The short form is
# the test itself.
KEPT = 1000
kept: tests/unit/test_kept$(EXEEXT)
	status=0; for profile in lanai4.3 myrinet2000; do \
	  for kind in "worm $$profile best-effort" "worm $$profile free" \
	      "flit $$profile best-effort" "flit $$profile free"; do \
	    tests/unit/test_kept$(EXEEXT) all $$kind 1 $(KEPT) || status=1; \
	  done; \
	done; \
	test $$status = 0 && echo "kept: no bound was broken" || \
	  { echo "kept: see above for what was broken"; exit 1; }
.PHONY: soak kill-soak launcher-soak limit-matrix mpi-fuzz proportional kept

# Broken bounds, looked for over random networks, plans and adversaries.
check_PROGRAMS += tests/guarantees/guarantee_search
tests_guarantees_guarantee_search_SOURCES = tests/guarantees/search.c \
	gmsim/tool/bar.c gmsim/tool/bar.h gmsim/tool/colour.c \
	gmsim/tool/colour.h gmsim/tool/plan.h gmsim/tool/plan_traffic.c \
	gmsim/tool/plan_traffic.h gmsim/base/tidy.c gmsim/base/tidy.h \
	gmsim/tool/verify.h gmsim/tool/verify_case.c gmsim/tool/verify_int.h \
	gmsim/tool/verify_judge.c gmsim/tool/verify_mutate.c \
	gmsim/tool/verify_print.c gmsim/tool/verify_run.c \
	gmsim/tool/verify_search.c
tests_guarantees_guarantee_search_CPPFLAGS = $(gmsim_cppflags) \
	-I$(top_srcdir)
tests_guarantees_guarantee_search_LDADD = libgmsim.la -lm
VARIATIONS = 10000
# The short form is part of tests/system/guarantees.sh.
guarantee-search: tests/guarantees/guarantee_search$(EXEEXT)
	$(MKDIR_P) tests/guarantees/broken
	tests/guarantees/guarantee_search$(EXEEXT) --variations=$(VARIATIONS) \
	--keep=tests/guarantees/broken
.PHONY: guarantee-search

# How tight bounds are, over all start phases of small networks.
bound-tight: tests/unit/test_bound_tight$(EXEEXT)
	tests/unit/test_bound_tight$(EXEEXT) 4
# How tight bounds are in large networks: flows, and draws of start times.
BOUND_LARGE = 1000 50
bound-large: tests/unit/test_bound_large$(EXEEXT)
	for load in 20 40 80; do \
	  tests/unit/test_bound_large$(EXEEXT) $(BOUND_LARGE) $$load || exit 1; \
	done
.PHONY: bound-tight bound-large

EXTRA_DIST += tests/guarantees/make-plans \
	tests/guarantees/found/arrivals-first.cluster.yaml \
	tests/guarantees/found/arrivals-first.yaml \
	tests/guarantees/found/buffers-behind-sends.cluster.yaml \
	tests/guarantees/found/buffers-behind-sends.yaml \
	tests/guarantees/found/burst-of-another.cluster.yaml \
	tests/guarantees/found/burst-of-another.yaml \
	tests/guarantees/found/long-before-short.cluster.yaml \
	tests/guarantees/found/long-before-short.yaml \
	tests/guarantees/found/posts-before-receives.cluster.yaml \
	tests/guarantees/found/posts-before-receives.yaml \
	tests/guarantees/found/unread-descriptor.cluster.yaml \
	tests/guarantees/found/unread-descriptor.yaml \
	tests/guarantees/found/waiting-descriptors.cluster.yaml \
	tests/guarantees/found/waiting-descriptors.yaml
EXTRA_DIST += tests/tree/includes.awk tests/tree/purpose.awk
EXTRA_DIST += tests/abi tests/data/outside tests/data/records tests/newcomer \
	tests/system/package.sh tests/system/prefixes.sh
EXTRA_DIST += tests/confine tests/run-system tests/lsan.supp tests/system/trace.py tests/system/other_user.py $(system_tests) tests/mpi/testlist \
	tests/gm/README.md $(srcdir)/tests/data/bad/*.yaml \
	$(srcdir)/tests/data/bad-policy/*.yaml \
	$(srcdir)/tests/data/import/*
