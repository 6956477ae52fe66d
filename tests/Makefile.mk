# SPDX-License-Identifier: BSD-3-Clause
#
# "make check" runs the unit tests (CUnit programs) and the system tests (shell
# scripts). The script tests/run-system sets the environment of the stage for a system
# test. In a build without MPICH, tests/run-system skips the test and prints the reason.
# The variable mpi_tests lists the MPI programs that the scripts start.

system_tests =

# --- unit: one program per module, tests/unit/test_<module>.c ----------------------
# A unit test needs only its line in this list, because the flags and libraries of unit
# tests are the defaults of this Makefile. A program links only the parts of libraries
# that it uses. Other programs have their own flags and libraries.
unit_tests = \
	tests/unit/test_admission \
	tests/unit/test_admission_best_effort \
	tests/unit/test_admission_history \
	tests/unit/test_admission_set \
	tests/unit/test_bandwidth \
	tests/unit/test_base \
	tests/unit/test_bind_policy \
	tests/unit/test_blocking \
	tests/unit/test_bound \
	tests/unit/test_bound_hca \
	tests/unit/test_bound_large \
	tests/unit/test_bound_many \
	tests/unit/test_bound_properties \
	tests/unit/test_bound_sim \
	tests/unit/test_bound_tight \
	tests/unit/test_busy \
	tests/unit/test_calendar \
	tests/unit/test_chain \
	tests/unit/test_chain_sim \
	tests/unit/test_clock \
	tests/unit/test_cluster \
	tests/unit/test_cluster_graph \
	tests/unit/test_cluster_profile \
	tests/unit/test_cluster_io \
	tests/unit/test_computing \
	tests/unit/test_congestion \
	tests/unit/test_congestion_alo \
	tests/unit/test_congestion_net \
	tests/unit/test_congestion_tuned \
	tests/unit/test_copy \
	tests/unit/test_counters \
	tests/unit/test_cut_through \
	tests/unit/test_dcqcn \
	tests/unit/test_delay \
	tests/unit/test_delivery \
	tests/unit/test_dispatch \
	tests/unit/test_drawing \
	tests/unit/test_drawing_middle \
	tests/unit/test_engine \
	tests/unit/test_ethernet \
	tests/unit/test_ets \
	tests/unit/test_experiment \
	tests/unit/test_fabric \
	tests/unit/test_fabric_stress \
	tests/unit/test_fabric_switches \
	tests/unit/test_fault \
	tests/unit/test_fit \
	tests/unit/test_fit_table \
	tests/unit/test_flit \
	tests/unit/test_flit_load \
	tests/unit/test_flit_model \
	tests/unit/test_flit_net \
	tests/unit/test_flit_random \
	tests/unit/test_forwarding \
	tests/unit/test_gate \
	tests/unit/test_gate_death \
	tests/unit/test_gate_spawn \
	tests/unit/test_gate_recorded \
	tests/unit/test_gate_time \
	tests/unit/test_gm_counters \
	tests/unit/test_gm_error \
	tests/unit/test_gm_fault \
	tests/unit/test_gm_helper \
	tests/unit/test_gm_job \
	tests/unit/test_gm_launch \
	tests/unit/test_gm_local \
	tests/unit/test_gm_message \
	tests/unit/test_gm_poll \
	tests/unit/test_gm_pool \
	tests/unit/test_gm_port \
	tests/unit/test_gm_qos \
	tests/unit/test_gm_root \
	tests/unit/test_gm_tables \
	tests/unit/test_gm_threads \
	tests/unit/test_gm_types \
	tests/unit/test_harness \
	tests/unit/test_hash \
	tests/unit/test_hca \
	tests/unit/test_heap \
	tests/unit/test_io \
	tests/unit/test_io_reserve \
	tests/unit/test_isolation \
	tests/unit/test_json_text \
	tests/unit/test_kept \
	tests/unit/test_lane_arbiter \
	tests/unit/test_launch_words \
	tests/unit/test_loss \
	tests/unit/test_manager \
	tests/unit/test_manager_election \
	tests/unit/test_manager_idle \
	tests/unit/test_maxmin \
	tests/unit/test_model \
	tests/unit/test_model_sim \
	tests/unit/test_nic \
	tests/unit/test_nic_faults \
	tests/unit/test_nic_gm \
	tests/unit/test_nic_hca \
	tests/unit/test_nic_hca_faults \
	tests/unit/test_nic_hca_forward \
	tests/unit/test_nic_hca_get \
	tests/unit/test_nic_hca_streams \
	tests/unit/test_nic_lanes \
	tests/unit/test_nic_posts \
	tests/unit/test_nic_reserved \
	tests/unit/test_nic_roce \
	tests/unit/test_nic_soak \
	tests/unit/test_nic_streams \
	tests/unit/test_output \
	tests/unit/test_page_table \
	tests/unit/test_params \
	tests/unit/test_placement \
	tests/unit/test_policy_file \
	tests/unit/test_pool \
	tests/unit/test_power \
	tests/unit/test_power_herd \
	tests/unit/test_power_net \
	tests/unit/test_probe \
	tests/unit/test_probe_packets \
	tests/unit/test_probe_random \
	tests/unit/test_processes \
	tests/unit/test_proportional \
	tests/unit/test_qos_sim \
	tests/unit/test_qos_sim_memory \
	tests/unit/test_quantile \
	tests/unit/test_quantity \
	tests/unit/test_queue \
	tests/unit/test_record \
	tests/unit/test_records \
	tests/unit/test_report \
	tests/unit/test_report_compare \
	tests/unit/test_report_findings \
	tests/unit/test_report_join \
	tests/unit/test_report_lost \
	tests/unit/test_report_run \
	tests/unit/test_reserved \
	tests/unit/test_scenario \
	tests/unit/test_scheduler \
	tests/unit/test_scheduler_pace \
	tests/unit/test_service \
	tests/unit/test_service_time \
	tests/unit/test_source \
	tests/unit/test_source_video \
	tests/unit/test_sweep \
	tests/unit/test_sweep_state \
	tests/unit/test_time_mode \
	tests/unit/test_topology \
	tests/unit/test_topology_routes \
	tests/unit/test_trace \
	tests/unit/test_translate \
	tests/unit/test_vl_arbiter \
	tests/unit/test_watch

AM_CPPFLAGS = $(gmsim_cppflags) -I$(top_srcdir) -I$(top_srcdir)/tests/unit \
	$(CUNIT_CFLAGS) $(EXPAT_CFLAGS)
check_libs = libmodel.la libsweep.la libreport.la libqossim.la libgmsim.la \
	$(JANSSON_LIBS) -lm
LDADD = $(check_libs) $(CUNIT_LIBS)

# Files that several tests share.
EXTRA_DIST += tests/gm/rules.h tests/unit/account.h tests/unit/account_bounds.h \
	tests/unit/arena_rig.h \
	tests/unit/chain_rig.h tests/unit/cluster_files.h tests/unit/congestion_rig.h \
	tests/unit/fabric_rig.h tests/unit/flit_rig.h \
	tests/unit/gate_rig.h tests/unit/io_rig.h tests/unit/maxmin_reference.h \
	tests/unit/model_rig.h tests/unit/probe_rig.h tests/unit/ranks.h \
	tests/unit/scenario_rig.h tests/unit/source_rig.h tests/unit/text_file.h tests/unit/time_rig.h \
	tests/unit/topology_rig.h tests/unit/unit.h
bound_rig = tests/unit/bound_rig.c tests/unit/bound_rig.h
tests_unit_test_bound_sim_SOURCES = tests/unit/test_bound_sim.c $(bound_rig)
tests_unit_test_bound_tight_SOURCES = tests/unit/test_bound_tight.c $(bound_rig)
manager_rig = tests/unit/manager_rig.c tests/unit/manager_rig.h
tests_unit_test_manager_SOURCES = tests/unit/test_manager.c $(manager_rig)
tests_unit_test_manager_election_SOURCES = tests/unit/test_manager_election.c \
	$(manager_rig)
nic_rig = tests/unit/nic_rig.c tests/unit/nic_rig.h
tests_unit_test_counters_SOURCES = tests/unit/test_counters.c $(nic_rig)
tests_unit_test_nic_SOURCES = tests/unit/test_nic.c $(nic_rig)
tests_unit_test_nic_faults_SOURCES = tests/unit/test_nic_faults.c $(nic_rig)
tests_unit_test_nic_gm_SOURCES = tests/unit/test_nic_gm.c $(nic_rig)
tests_unit_test_nic_hca_SOURCES = tests/unit/test_nic_hca.c tests/unit/hca_rig.h $(nic_rig)
# these programs repeat the fault and stream tests with hca NICs
tests_unit_test_nic_hca_faults_SOURCES = $(tests_unit_test_nic_faults_SOURCES)
tests_unit_test_nic_hca_faults_CPPFLAGS = $(AM_CPPFLAGS) -DRIG_NIC_KIND=GMS_NIC_HCA
tests_unit_test_nic_hca_forward_SOURCES = tests/unit/test_nic_hca_forward.c \
	tests/unit/hca_rig.h $(nic_rig)
tests_unit_test_nic_hca_get_SOURCES = tests/unit/test_nic_hca_get.c tests/unit/hca_rig.h \
	$(nic_rig)
tests_unit_test_nic_hca_streams_SOURCES = $(tests_unit_test_nic_streams_SOURCES)
tests_unit_test_nic_hca_streams_CPPFLAGS = $(AM_CPPFLAGS) -DRIG_NIC_KIND=GMS_NIC_HCA
tests_unit_test_nic_lanes_SOURCES = tests/unit/test_nic_lanes.c $(nic_rig)
tests_unit_test_nic_posts_SOURCES = tests/unit/test_nic_posts.c $(nic_rig)
tests_unit_test_nic_reserved_SOURCES = tests/unit/test_nic_reserved.c $(nic_rig)
tests_unit_test_nic_soak_SOURCES = tests/unit/test_nic_soak.c $(nic_rig)
tests_unit_test_nic_streams_SOURCES = tests/unit/test_nic_streams.c $(nic_rig)
tests_unit_test_record_SOURCES = tests/unit/test_record.c $(nic_rig)
seal = tests/unit/seal.c tests/unit/seal.h
report_rig = tests/unit/report_rig.c tests/unit/report_rig.h $(seal)
records_cppflags = $(AM_CPPFLAGS) \
	-DTESTS_RECORDS='"$(abs_srcdir)/tests/data/records"'
tests_unit_test_report_SOURCES = tests/unit/test_report.c $(report_rig)
tests_unit_test_report_CPPFLAGS = $(records_cppflags)
tests_unit_test_report_compare_SOURCES = tests/unit/test_report_compare.c $(report_rig)
tests_unit_test_report_compare_CPPFLAGS = $(records_cppflags)
tests_unit_test_report_findings_SOURCES = tests/unit/test_report_findings.c $(report_rig)
tests_unit_test_report_findings_CPPFLAGS = $(records_cppflags)
tests_unit_test_report_lost_SOURCES = tests/unit/test_report_lost.c $(report_rig)
tests_unit_test_report_lost_CPPFLAGS = $(records_cppflags)
tests_unit_test_report_run_SOURCES = tests/unit/test_report_run.c $(report_rig)
tests_unit_test_report_run_CPPFLAGS = $(records_cppflags)
tests_unit_test_sweep_state_SOURCES = tests/unit/test_sweep_state.c $(seal)

tests_unit_test_fit_LDADD = libfit.la $(LDADD)
tests_unit_test_fit_table_LDADD = libfit.la $(LDADD)

# The test exports a function that libgm looks up.
tests_unit_test_clock_LDFLAGS = $(AM_LDFLAGS) -rdynamic

# Test programs that link starve.c and use these flags can simulate a failed memory
# allocation.
starve_sources = tests/unit/starve.c tests/unit/starve.h
starve_ldflags = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
tests_unit_test_gm_helper_SOURCES = tests/unit/test_gm_helper.c $(starve_sources)
tests_unit_test_gm_helper_LDFLAGS = $(AM_LDFLAGS) $(starve_ldflags)
tests_unit_test_gm_tables_SOURCES = tests/unit/test_gm_tables.c $(starve_sources)
tests_unit_test_gm_tables_LDFLAGS = $(AM_LDFLAGS) $(starve_ldflags)
tests_unit_test_qos_sim_memory_LDFLAGS = $(AM_LDFLAGS) $(starve_ldflags)
tests_unit_test_congestion_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=calloc,--wrap=realloc

# These tests intercept the link tables before the network receives them.
probe_ldflags = $(AM_LDFLAGS) -Wl,--wrap=gms_flit_set_table
tests_unit_test_probe_LDFLAGS = $(probe_ldflags)
tests_unit_test_probe_packets_LDFLAGS = $(probe_ldflags)
tests_unit_test_probe_random_SOURCES = tests/unit/test_probe_random.c $(starve_sources)
tests_unit_test_probe_random_LDFLAGS = $(probe_ldflags) $(starve_ldflags)

# These tests define their own network and do not link fabric/flit.c.
power_rig = tests/unit/power_rig.c tests/unit/power_rig.h
tests_unit_test_power_SOURCES = tests/unit/test_power.c $(power_rig)
tests_unit_test_power_herd_SOURCES = tests/unit/test_power_herd.c $(power_rig)

# These tests link modules of other programs. The first two tests do not need the
# simulator.
tests_unit_test_translate_SOURCES = tests/unit/test_translate.c \
	gmsim/base/bandwidth.c gmsim/base/bandwidth.h \
	mpi-qos/translate.c mpi-qos/translate.h
tests_unit_test_translate_LDADD = $(CUNIT_LIBS) -lm
tests_unit_test_quantity_SOURCES = tests/unit/test_quantity.c \
	gmsim/yaml/quantity.c gmsim/yaml/quantity.h
tests_unit_test_quantity_LDADD = $(CUNIT_LIBS) -lm
tests_unit_test_policy_file_SOURCES = tests/unit/test_policy_file.c \
	gmsim/policy/policy_file.c gmsim/policy/policy_file.h \
	gmsim/yaml/quantity.c gmsim/yaml/quantity.h
tests_unit_test_harness_SOURCES = tests/unit/test_harness.c $(benchmark_harness)
tests_unit_test_harness_CPPFLAGS = -I$(top_srcdir)/benchmarks $(AM_CPPFLAGS)
tests_unit_test_harness_LDADD = $(CUNIT_LIBS) -lm
tests_unit_test_experiment_SOURCES = tests/unit/test_experiment.c \
	gmsim/experiments/lab.c \
	gmsim/experiments/pool.c \
	gmsim/experiments/print.c \
	gmsim/experiments/reference.c \
	gmsim/experiments/result.c \
	gmsim/base/output.c \
	gmsim/base/tidy.c
tests_unit_test_experiment_CPPFLAGS = $(AM_CPPFLAGS) \
	-I$(top_srcdir)/benchmarks -DGMQOS_REFERENCE_DIR='"/nowhere"'
tests_unit_test_output_SOURCES = tests/unit/test_output.c \
	gmsim/tool/bar.c gmsim/tool/bar.h \
	gmsim/base/output.c gmsim/base/output.h \
	gmsim/base/tidy.c gmsim/base/tidy.h

if WITH_IN_PROCESS
unit_tests += tests/unit/test_coroutine tests/unit/test_rank_command tests/unit/test_rank_cpu
endif WITH_IN_PROCESS
tests_unit_test_coroutine_SOURCES = tests/unit/test_coroutine.c \
	gmsim/inprocess/coroutine.c gmsim/inprocess/coroutine.h
tests_unit_test_rank_command_SOURCES = tests/unit/test_rank_command.c \
	gmsim/inprocess/command.c gmsim/inprocess/command.h
tests_unit_test_rank_cpu_SOURCES = tests/unit/test_rank_cpu.c \
	gmsim/inprocess/cpu.c gmsim/inprocess/cpu.h

# --- gm: the rules of GM, one program per heading; see tests/gm/README.md ----------
unit_tests += \
	tests/gm/alarms \
	tests/gm/datagrams_names \
	tests/gm/errors_stalls \
	tests/gm/events \
	tests/gm/life_cycle \
	tests/gm/names_numbers \
	tests/gm/rdma_memory \
	tests/gm/registration \
	tests/gm/sizes_matching \
	tests/gm/tokens

# --- MPI: programs started by the system tests -------------------------------------
# tests/system/mpi-flow.sh runs the programs that tests/mpi/testlist names.
mpi_tests = \
	tests/mpi/breaks \
	tests/mpi/clock \
	tests/mpi/connects \
	tests/mpi/deadlines \
	tests/mpi/delays \
	tests/mpi/exact \
	tests/mpi/file_blocks \
	tests/mpi/file_reserve \
	tests/mpi/file_times \
	tests/mpi/files \
	tests/mpi/eager_parts \
	tests/mpi/flow_all_peers \
	tests/mpi/flow_best_effort \
	tests/mpi/flow_change \
	tests/mpi/flow_declared \
	tests/mpi/flow_delay \
	tests/mpi/flow_denied \
	tests/mpi/flow_dup \
	tests/mpi/flow_granted \
	tests/mpi/flow_life \
	tests/mpi/flow_malformed \
	tests/mpi/flow_process \
	tests/mpi/flow_release \
	tests/mpi/flow_two \
	tests/mpi/fuzz_mpi \
	tests/mpi/hints_dup \
	tests/mpi/hints_malformed \
	tests/mpi/in_process \
	tests/mpi/keeps \
	tests/mpi/kernels \
	tests/mpi/lanes_flood \
	tests/mpi/overlap \
	tests/mpi/pack_pipeline \
	tests/mpi/pack_random \
	tests/mpi/polls \
	tests/mpi/register_again \
	tests/mpi/rendezvous \
	tests/mpi/rendezvous_memory \
	tests/mpi/rma_alone \
	tests/mpi/shared_host \
	tests/mpi/spawns \
	tests/mpi/threads \
	tests/mpi/time_modes \
	tests/mpi/tool_before \
	tests/mpi/tool_flow \
	tests/mpi/tool_handles \
	tests/mpi/tool_indices \
	tests/mpi/tool_list \
	tests/mpi/tool_loss \
	tests/mpi/waits \
	tests/mpi/ways \
	tests/mpi/windows \
	tests/mpi/windows_life

# These programs do not use the default flags. Without `private`, the libraries on which they
# depend would inherit these flags.
mpi_test_objects = $(mpi_tests:%=%.$(OBJEXT)) $(fuzz_mpi_parts:.c=.$(OBJEXT))
$(mpi_tests:%=%$(EXEEXT)): libmpiqos.la libmpi.la libgm.la
$(mpi_tests:%=%$(EXEEXT)): private LDADD = $(mpi_ldadd) libgm.la -lm -lpthread
$(mpi_tests:%=%$(EXEEXT)): private AM_LDFLAGS = $(QOS_LDFLAGS) $(rpath_bin)
$(mpi_test_objects): private AM_CFLAGS = $(QOS_CFLAGS) $(QOS_MPI_CFLAGS)
$(mpi_test_objects): private AM_CPPFLAGS = $(mpi_cppflags) \
	-I$(top_srcdir)/gmsim/include -I$(top_srcdir)/adi-gm/include

fuzz_mpi_parts = tests/mpi/fuzz_mpi_layout.c tests/mpi/fuzz_mpi_messages.c \
	tests/mpi/fuzz_mpi_repeated.c tests/mpi/fuzz_mpi_window.c
tests_mpi_fuzz_mpi_SOURCES = tests/mpi/fuzz_mpi.c tests/mpi/fuzz_mpi.h \
	tests/mpi/fuzz_mpi_layout.c tests/mpi/fuzz_mpi_messages.c \
	tests/mpi/fuzz_mpi_repeated.c tests/mpi/fuzz_mpi_window.c

# This test compiles the library again. The test replaces the name of a hook with a name that
# no MPI library has.
mpi_own_tests = tests/mpi/flow_unsupported
tests_mpi_flow_unsupported_SOURCES = tests/mpi/flow_unsupported.c tests/mpi/check.h \
	tests/mpi/grequest.h tests/mpi/hints.h tests/mpi/tool.h $(libmpiqos_la_SOURCES)
tests_mpi_flow_unsupported_CPPFLAGS = -I$(top_srcdir)/gmsim $(mpi_cppflags) \
	-I$(top_srcdir)/adi-gm/include -DMPIX_GM_Watch_keyval=mpiqos_no_such_hook
tests_mpi_flow_unsupported_LDFLAGS = $(mpi_ldflags)
tests_mpi_flow_unsupported_LDADD = libmpi.la -lm

# --- GM: programs started by the system tests --------------------------------------
check_PROGRAMS += tests/gm/soak
tests_gm_soak_SOURCES = tests/gm/soak.c tests/gm/soak_ledger.c tests/gm/soak_ledger.h
tests_gm_soak_CPPFLAGS = $(gm_cppflags)
tests_gm_soak_LDFLAGS = $(gm_ldflags)
tests_gm_soak_LDADD = $(gm_ldadd)

# --- report: the page in a browser, tests/report/*.sh -------------------------------
check_PROGRAMS += tests/report/page_of
tests_report_page_of_LDADD = libreport.la libgmsim.la
EXTRA_DIST += tests/report/browser.py tests/report/page.py \
	tests/report/sample.py
system_tests += tests/report/page.sh
system_tests += tests/report/real.sh

# --- fuzz: arbitrary calls with arbitrary arguments, tests/fuzz/README.md -----------
# fuzz_X generates its calls itself. "make fuzz" builds libfuzzer_X, which requires a compiler that
# knows -fsanitize=fuzzer.
fuzz_gm_sources = \
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
fuzz_gm_ldflags = $(AM_LDFLAGS) \
	-Wl,--wrap=gms_arena_alloc,--wrap=gms_arena_alloc_raw \
	-Wl,--wrap=gms_arena_free,--wrap=_exit
check_PROGRAMS += tests/fuzz/fuzz_gm
tests_fuzz_fuzz_gm_SOURCES = $(fuzz_gm_sources) tests/fuzz/fuzz_main.c
tests_fuzz_fuzz_gm_CPPFLAGS = $(gmsim_cppflags)
tests_fuzz_fuzz_gm_LDFLAGS = $(fuzz_gm_ldflags)
tests_fuzz_fuzz_gm_LDADD = libgmsim.la
EXTRA_PROGRAMS += tests/fuzz/libfuzzer_gm
tests_fuzz_libfuzzer_gm_SOURCES = $(fuzz_gm_sources)
tests_fuzz_libfuzzer_gm_CPPFLAGS = $(gmsim_cppflags)
tests_fuzz_libfuzzer_gm_LDFLAGS = $(fuzz_gm_ldflags) -fsanitize=fuzzer
tests_fuzz_libfuzzer_gm_LDADD = libgmsim.la

# Fuzz the readers of input files with arbitrary bytes: cluster descriptions, machine
# descriptions of other programs, policies, plans and sweeps.
parse_programs = \
	tests/fuzz/fuzz_parse_cluster \
	tests/fuzz/fuzz_parse_import \
	tests/fuzz/fuzz_parse_model \
	tests/fuzz/fuzz_parse_pingpong \
	tests/fuzz/fuzz_parse_plan \
	tests/fuzz/fuzz_parse_pmi \
	tests/fuzz/fuzz_parse_points \
	tests/fuzz/fuzz_parse_policy \
	tests/fuzz/fuzz_parse_record \
	tests/fuzz/fuzz_parse_sweep \
	tests/fuzz/fuzz_parse_traffic
parse_libfuzzers = \
	tests/fuzz/libfuzzer_parse_cluster \
	tests/fuzz/libfuzzer_parse_import \
	tests/fuzz/libfuzzer_parse_model \
	tests/fuzz/libfuzzer_parse_pingpong \
	tests/fuzz/libfuzzer_parse_plan \
	tests/fuzz/libfuzzer_parse_pmi \
	tests/fuzz/libfuzzer_parse_points \
	tests/fuzz/libfuzzer_parse_policy \
	tests/fuzz/libfuzzer_parse_record \
	tests/fuzz/libfuzzer_parse_sweep \
	tests/fuzz/libfuzzer_parse_traffic
check_PROGRAMS += $(parse_programs)
EXTRA_PROGRAMS += $(parse_libfuzzers)
$(parse_programs:%=%$(EXEEXT)) $(parse_libfuzzers:%=%$(EXEEXT)): \
	private LDADD = $(check_libs) $(EXPAT_LIBS)
parse_ldflags = $(QOS_LDFLAGS) -Wl,--wrap=fopen
$(parse_programs:%=%$(EXEEXT)): private AM_LDFLAGS = $(parse_ldflags)
$(parse_libfuzzers:%=%$(EXEEXT)): private AM_LDFLAGS = $(parse_ldflags) -fsanitize=fuzzer

parse_sources = tests/fuzz/parse.h tests/fuzz/parse_file.c tests/fuzz/parse_mutate.c
parse_cluster_sources = $(parse_sources) tests/fuzz/parse_cluster.c \
	tests/fuzz/parse_small.c
parse_import_sources = $(parse_sources) tests/fuzz/parse_import.c \
	tests/fuzz/parse_small.c gmsim/tool/import.c gmsim/cluster/import.h \
	gmsim/cluster/import_ib.c gmsim/cluster/import_ib_int.h \
	gmsim/cluster/import_ib_tables.c \
	gmsim/cluster/import_ib_write.c gmsim/cluster/import_simgrid.c
parse_model_sources = $(parse_sources) tests/fuzz/parse_model.c \
	gmsim/tool/model.h gmsim/tool/model_file.c
parse_pingpong_sources = $(parse_sources) tests/fuzz/parse_pingpong.c \
	gmsim/fit/table.c gmsim/fit/table.h gmsim/fit/table_formats.c \
	gmsim/fit/table_int.h
parse_plan_sources = $(parse_sources) tests/fuzz/parse_plan.c \
	gmsim/tool/plan.h gmsim/tool/plan_file.c gmsim/tool/plan_traffic.c \
	gmsim/tool/plan_traffic.h gmsim/yaml/quantity.c gmsim/yaml/quantity.h
parse_pmi_sources = $(parse_sources) tests/fuzz/parse_pmi.c \
	adi-gm/launcher/pmi_check.c adi-gm/launcher/pmi_check.h
parse_points_sources = $(parse_sources) tests/fuzz/parse_points.c
parse_policy_sources = $(parse_sources) tests/fuzz/parse_policy.c \
	gmsim/policy/policy_file.c gmsim/policy/policy_file.h \
	gmsim/yaml/quantity.c gmsim/yaml/quantity.h
parse_record_sources = $(parse_sources) tests/fuzz/parse_record.c \
	$(seal)
parse_sweep_sources = $(parse_sources) tests/fuzz/parse_sweep.c
parse_traffic_sources = $(parse_sources) tests/fuzz/parse_traffic.c

tests_fuzz_fuzz_parse_cluster_SOURCES = $(parse_cluster_sources) tests/fuzz/parse_main.c
tests_fuzz_fuzz_parse_import_SOURCES = $(parse_import_sources) tests/fuzz/parse_main.c
tests_fuzz_fuzz_parse_model_SOURCES = $(parse_model_sources) tests/fuzz/parse_main.c
tests_fuzz_fuzz_parse_pingpong_SOURCES = $(parse_pingpong_sources) \
	tests/fuzz/parse_main.c
tests_fuzz_fuzz_parse_plan_SOURCES = $(parse_plan_sources) tests/fuzz/parse_main.c
tests_fuzz_fuzz_parse_pmi_SOURCES = $(parse_pmi_sources) tests/fuzz/parse_main.c
tests_fuzz_fuzz_parse_points_SOURCES = $(parse_points_sources) tests/fuzz/parse_main.c
tests_fuzz_fuzz_parse_policy_SOURCES = $(parse_policy_sources) tests/fuzz/parse_main.c
tests_fuzz_fuzz_parse_record_SOURCES = $(parse_record_sources) tests/fuzz/parse_main.c
tests_fuzz_fuzz_parse_sweep_SOURCES = $(parse_sweep_sources) tests/fuzz/parse_main.c
tests_fuzz_fuzz_parse_traffic_SOURCES = $(parse_traffic_sources) tests/fuzz/parse_main.c
tests_fuzz_libfuzzer_parse_cluster_SOURCES = $(parse_cluster_sources) \
	tests/fuzz/parse_libfuzzer.c
tests_fuzz_libfuzzer_parse_import_SOURCES = $(parse_import_sources) \
	tests/fuzz/parse_libfuzzer.c
tests_fuzz_libfuzzer_parse_model_SOURCES = $(parse_model_sources) \
	tests/fuzz/parse_libfuzzer.c
tests_fuzz_libfuzzer_parse_pingpong_SOURCES = $(parse_pingpong_sources) \
	tests/fuzz/parse_libfuzzer.c
tests_fuzz_libfuzzer_parse_plan_SOURCES = $(parse_plan_sources) \
	tests/fuzz/parse_libfuzzer.c
tests_fuzz_libfuzzer_parse_pmi_SOURCES = $(parse_pmi_sources) \
	tests/fuzz/parse_libfuzzer.c
tests_fuzz_libfuzzer_parse_points_SOURCES = $(parse_points_sources) \
	tests/fuzz/parse_libfuzzer.c
tests_fuzz_libfuzzer_parse_policy_SOURCES = $(parse_policy_sources) \
	tests/fuzz/parse_libfuzzer.c
tests_fuzz_libfuzzer_parse_record_SOURCES = $(parse_record_sources) \
	tests/fuzz/parse_libfuzzer.c
tests_fuzz_libfuzzer_parse_sweep_SOURCES = $(parse_sweep_sources) \
	tests/fuzz/parse_libfuzzer.c
tests_fuzz_libfuzzer_parse_traffic_SOURCES = $(parse_traffic_sources) \
	tests/fuzz/parse_libfuzzer.c

# These programs skip large networks, and check that arenas are released.
parse_small_ldflags = $(parse_ldflags) -Wl,--wrap=gms_topology_create \
	-Wl,--wrap=gms_arena_create_private,--wrap=gms_arena_destroy_private
tests_fuzz_fuzz_parse_cluster_LDFLAGS = $(parse_small_ldflags)
tests_fuzz_fuzz_parse_import_LDFLAGS = $(parse_small_ldflags)
tests_fuzz_libfuzzer_parse_cluster_LDFLAGS = $(parse_small_ldflags) -fsanitize=fuzzer
tests_fuzz_libfuzzer_parse_import_LDFLAGS = $(parse_small_ldflags) -fsanitize=fuzzer
# Records are longer than the input files of the other readers.
tests_fuzz_fuzz_parse_record_CPPFLAGS = $(AM_CPPFLAGS) -DPARSE_MAX=16384u
tests_fuzz_libfuzzer_parse_record_CPPFLAGS = $(AM_CPPFLAGS) -DPARSE_MAX=16384u

check_PROGRAMS += tests/report/seal_record
tests_report_seal_record_SOURCES = tests/report/seal_record.c $(seal)
tests_report_seal_record_LDADD = libgmsim.la
check_PROGRAMS += tests/fuzz/damage_record
tests_fuzz_damage_record_SOURCES = tests/fuzz/damage_record.c tests/fuzz/parse.h \
	tests/fuzz/parse_mutate.c
tests_fuzz_damage_record_LDADD = libreport.la libgmsim.la -lm

fuzz_targets = parse_cluster parse_import parse_model parse_pingpong parse_plan parse_pmi \
	parse_points parse_policy parse_record parse_sweep parse_traffic gm
fuzz: $(fuzz_targets:%=tests/fuzz/libfuzzer_%)

# Fuzz every target for FUZZ_SECONDS seconds, guided by coverage. The directory
# fuzz-found/TARGET keeps the inputs that the fuzzer found. A crash ends the run.
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

# Read DAMAGES damaged records. tests/system/fuzz.sh reads fewer.
DAMAGES = 10000
fuzz-records: stage.stamp tests/fuzz/damage_record$(EXEEXT)
	$(AM_TESTS_ENVIRONMENT) $(SH_LOG_COMPILER) $(srcdir)/tests/system/damage.sh $(DAMAGES)
.PHONY: fuzz-all fuzz-records
.PHONY: fuzz

# --- system: scripts in tests/system, one file for each test -----------------------
# A script that needs no MPICH has a line "# needs: nothing".
system_tests += \
	tests/examples/run.sh \
	tests/system/bad.sh \
	tests/system/cli.sh \
	tests/system/clock.sh \
	tests/system/compare.sh \
	tests/system/completion.sh \
	tests/system/config.sh \
	tests/system/damage.sh \
	tests/system/debian.sh \
	tests/system/demo.sh \
	tests/system/descriptors.sh \
	tests/system/dispatch.sh \
	tests/system/doctor.sh \
	tests/system/ends.sh \
	tests/system/example.sh \
	tests/system/experiment-ends.sh \
	tests/system/experiment.sh \
	tests/system/fit.sh \
	tests/system/full-memory.sh \
	tests/system/fuzz.sh \
	tests/system/gm-api.sh \
	tests/system/gm-rates.sh \
	tests/system/guarantees.sh \
	tests/system/headers.sh \
	tests/system/import.sh \
	tests/system/install.sh \
	tests/system/job-size.sh \
	tests/system/kill.sh \
	tests/system/launcher-soak.sh \
	tests/system/limit-matrix.sh \
	tests/system/limits.sh \
	tests/system/loss.sh \
	tests/system/man.sh \
	tests/system/model-chain.sh \
	tests/system/model.sh \
	tests/system/mpi-accuracy.sh \
	tests/system/mpi-alone.sh \
	tests/system/mpi-breaks.sh \
	tests/system/mpi-connect.sh \
	tests/system/mpi-declared.sh \
	tests/system/mpi-delays.sh \
	tests/system/mpi-ends.sh \
	tests/system/mpi-files-reserve.sh \
	tests/system/mpi-files-time.sh \
	tests/system/mpi-files.sh \
	tests/system/mpi-flow.sh \
	tests/system/mpi-fortran.sh \
	tests/system/mpi-fuzz.sh \
	tests/system/mpi-guarantees.sh \
	tests/system/mpi-lanes.sh \
	tests/system/mpi-hca.sh \
	tests/system/mpi-in-process.sh \
	tests/system/mpi-networks.sh \
	tests/system/mpi-pack.sh \
	tests/system/mpi-policy.sh \
	tests/system/mpi-rates.sh \
	tests/system/mpi-recorded.sh \
	tests/system/mpi-rendezvous.sh \
	tests/system/mpi-roce.sh \
	tests/system/mpi-spawn.sh \
	tests/system/mpi-time.sh \
	tests/system/mpi-tool.sh \
	tests/system/mpi-waits.sh \
	tests/system/mpi-ways.sh \
	tests/system/mpi-windows.sh \
	tests/system/mpich-abi.sh \
	tests/system/mpicc.sh \
	tests/system/mutants.sh \
	tests/system/other-user.sh \
	tests/system/outside-cmake.sh \
	tests/system/outside.sh \
	tests/system/overlap.sh \
	tests/system/patterns.sh \
	tests/system/placement.sh \
	tests/system/plan.sh \
	tests/system/pmi.sh \
	tests/system/qos.sh \
	tests/system/record.sh \
	tests/system/record_hosts.sh \
	tests/system/record_lost.sh \
	tests/system/repeat.sh \
	tests/system/report.sh \
	tests/system/soak.sh \
	tests/system/stage.sh \
	tests/system/standard-abi.sh \
	tests/system/sweep-mpi.sh \
	tests/system/sweep-parallel.sh \
	tests/system/sweep-slurm.sh \
	tests/system/sweep.sh \
	tests/system/symbols.sh \
	tests/system/topo.sh \
	tests/system/trace.sh \
	tests/system/verify.sh \
	tests/tree/includes.sh \
	tests/tree/patches.sh \
	tests/tree/purpose.sh \
	tests/tree/style.sh

include $(top_srcdir)/tests/docs/Makefile.mk
include $(top_srcdir)/tests/mutants/Makefile.mk
include $(top_srcdir)/tests/mpich/Makefile.mk
include $(top_srcdir)/tests/foreign/Makefile.mk

if WITH_CUNIT
check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)
endif WITH_CUNIT
if WITH_MPICH
check_PROGRAMS += $(mpi_tests) $(mpi_own_tests)
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

# Run those tests of "make check" that need only the build, not the stage. Builds of packages use
# this target.
check-unit: all
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(unit_tests)'
# Build and check the Debian packages, and install them in a separate system. The tests of
# the packages take minutes, and the last part requires root.
check-package: stage.stamp
	$(AM_TESTS_ENVIRONMENT) GMQOS_TEST_SECONDS=3600 \
	$(SH_LOG_COMPILER) $(srcdir)/tests/system/package.sh
# Test the installation with other prefixes. This compiles everything except MPICH again.
check-install:
	$(AM_TESTS_ENVIRONMENT) GMQOS_TEST_SECONDS=3600 \
	$(SH_LOG_COMPILER) $(srcdir)/tests/system/prefixes.sh
# Time the first steps of a new user in a clean Debian system, from the repository instead of the
# tarball.
newcomer:
	$(BASH) $(srcdir)/tests/newcomer/run $(NEWCOMER)
.PHONY: check-unit check-package check-install newcomer

# Run the long form of the soak test, which takes minutes.
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
# Simulate random reservations on every network, with KEPT seeds for each network. The
# simulation takes hours. "make check" runs the short form.
KEPT = 1000
kept: tests/unit/test_kept$(EXEEXT)
	status=0; for profile in lanai4.3 myrinet2000; do \
	  for kind in "worm $$profile best-effort" "worm $$profile free" \
	      "flit $$profile best-effort" "flit $$profile free"; do \
	    tests/unit/test_kept$(EXEEXT) all $$kind 1 $(KEPT) || status=1; \
	  done; \
	done; \
	test $$status = 0 && echo "kept: no bound was broken" || \
	  { echo "kept: some bounds were broken, see above"; exit 1; }
.PHONY: soak kill-soak launcher-soak limit-matrix mpi-fuzz proportional kept

# Search for broken bounds with random networks, plans and adversaries.
check_PROGRAMS += tests/guarantees/guarantee_search
tests_guarantees_guarantee_search_SOURCES = tests/guarantees/search.c \
	gmsim/tool/bar.c gmsim/tool/bar.h gmsim/tool/colour.c \
	gmsim/tool/colour.h gmsim/tool/plan.h gmsim/tool/plan_traffic.c \
	gmsim/tool/plan_traffic.h gmsim/base/tidy.c gmsim/base/tidy.h \
	gmsim/tool/verify.h gmsim/tool/verify_case.c gmsim/tool/verify_int.h \
	gmsim/tool/verify_judge.c gmsim/tool/verify_mutate.c \
	gmsim/tool/verify_print.c gmsim/tool/verify_run.c \
	gmsim/tool/verify_search.c
tests_guarantees_guarantee_search_LDADD = libgmsim.la -lm
VARIATIONS = 10000
# Search for broken bounds with VARIATIONS variations; tests/system/guarantees.sh runs a
# short form.
guarantee-search: tests/guarantees/guarantee_search$(EXEEXT)
	$(MKDIR_P) tests/guarantees/broken
	tests/guarantees/guarantee_search$(EXEEXT) --variations=$(VARIATIONS) \
	--keep=tests/guarantees/broken
.PHONY: guarantee-search

# Compare the method chain of the NIC model with the simulation on NICS random NICs of each kind;
# tests/system/model-chain.sh runs a short form of this comparison.
NICS = 500
NIC_ERRORS = $(SHELL) $(srcdir)/tests/analytic/nic-errors gmsim/tool/gmsim$(EXEEXT)
nic-errors: gmsim/tool/gmsim$(EXEEXT)
	$(NIC_ERRORS) nic-errors.results/send $(NICS) --method chain --messages 4000000
	$(NIC_ERRORS) nic-errors.results/both $(NICS) --method chain --messages 4000000 --card both
.PHONY: nic-errors

# Measure how tight the bounds are, for all start phases of small networks.
bound-tight: tests/unit/test_bound_tight$(EXEEXT)
	tests/unit/test_bound_tight$(EXEEXT) 4
# Measure how tight the bounds are in large networks. The two numbers in BOUND_LARGE are
# the number of flows and the number of random start times.
BOUND_LARGE = 1000 50
bound-large: tests/unit/test_bound_large$(EXEEXT)
	for load in 20 40 80; do \
	  tests/unit/test_bound_large$(EXEEXT) $(BOUND_LARGE) $$load || exit 1; \
	done
.PHONY: bound-tight bound-large

# Test programs are not installed, so they do not need the work that libtool does for a later
# installation.
$(check_PROGRAMS): private LIBTOOL = $(BASH) $(top_srcdir)/tests/link

EXTRA_DIST += tests/analytic/nic-errors tests/guarantees/make-plans \
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
EXTRA_DIST += tests/confine tests/link tests/run-system tests/system/lib.sh tests/lsan.supp tests/system/trace.py tests/system/positions.py tests/system/other_user.py $(system_tests) tests/mpi/testlist \
	tests/gm/README.md $(srcdir)/tests/data/bad/*.yaml \
	$(srcdir)/tests/data/bad-policy/*.yaml \
	$(srcdir)/tests/data/import/*
