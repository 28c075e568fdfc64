# Unit tests: one GoogleTest binary per library.
if !CROSS
if HAVE_GTEST
UNIT_TESTS = backend_test cli_test decide_test feedback_test match_test rebuilt_test streams_test
check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)
endif
endif

decide_test_SOURCES = \
	%D%/decide/allocation_index_test.cc \
	%D%/decide/branch_counts_test.cc \
	%D%/decide/branch_flow_test.cc \
	%D%/decide/co_allocation_test.cc \
	%D%/decide/decision_test.cc \
	%D%/decide/field_order_test.cc \
	%D%/decide/gate_shown.h \
	%D%/decide/heap_pages_test.cc \
	%D%/decide/hot_functions_test.cc \
	%D%/decide/huge_pages_test.cc \
	%D%/decide/indirect_code.h \
	%D%/decide/layout_check_test.cc \
	%D%/decide/load_index_test.cc \
	%D%/decide/load_view_test.cc \
	%D%/decide/machine_test.cc \
	%D%/decide/pair_index_test.cc \
	%D%/decide/prefetch_inputs_test.cc \
	%D%/decide/prefetch_list_test.cc \
	%D%/decide/prefetch_search_test.cc \
	%D%/decide/prefetch_test.cc \
	%D%/decide/record_order_test.cc \
	%D%/decide/slab_worth_test.cc \
	%D%/decide/source_advice_test.cc \
	%D%/decide/stream_advice_test.cc \
	%D%/decide/variable_pages_test.cc \
	%D%/decide/streaming_stores_test.cc \
	%D%/decide/versioning_test.cc \
	%D%/decide/waiting_test.cc \
	%D%/decide/watched_blocks_test.cc
decide_test_CPPFLAGS = $(AM_CPPFLAGS) $(GTEST_CFLAGS)
decide_test_LDADD = libdecide.la libmemprof-feedback.la $(GTEST_LIBS)

# What rebuilt programs have in them.
rebuilt_test_SOURCES = %D%/rebuilt/tune_test.cc
rebuilt_test_CPPFLAGS = $(AM_CPPFLAGS) $(GTEST_CFLAGS)
rebuilt_test_LDADD = $(GTEST_LIBS)

backend_test_CPPFLAGS = $(AM_CPPFLAGS) $(GTEST_CFLAGS)
backend_test_LDADD = runtime/backend/libbackend.a libmemprof-streams.la libmemprof-feedback.la \
	$(GTEST_LIBS) $(TBB_LIBS)
backend_test_SOURCES = \
	%D%/backend/backend_testutil.h \
	%D%/backend/base/chunked_array_test.cc \
	%D%/backend/base/per_site_test.cc \
	%D%/backend/base/reducers_test.cc \
	%D%/backend/base/reducing_map_test.cc \
	%D%/backend/decode/decoder_beyond_test.cc \
	%D%/backend/decode/decoder_nests_test.cc \
	%D%/backend/decode/decoder_ranges_test.cc \
	%D%/backend/decode/decoder_runs_test.cc \
	%D%/backend/decode/decoder_test.cc \
	%D%/backend/decode/decoder_windows_test.cc \
	%D%/backend/decode/sequencer_test.cc \
	%D%/backend/decoded_stream.h \
	%D%/backend/decoder_fixture.h \
	%D%/backend/dependence_oracle.h \
	%D%/backend/event/covered_sites_test.cc \
	%D%/backend/event/rows_test.cc \
	%D%/backend/event/series_test.cc \
	%D%/backend/event/site_type_test.cc \
	%D%/backend/modules/cache_test.cc \
	%D%/backend/modules/cell_blocks_test.cc \
	%D%/backend/modules/co_access/visit_trace_test.cc \
	%D%/backend/modules/co_access_test.cc \
	%D%/backend/modules/dead_store_test.cc \
	%D%/backend/modules/dependence_oracle_test.cc \
	%D%/backend/modules/dependence_test.cc \
	%D%/backend/modules/fields_test.cc \
	%D%/backend/modules/leap/lmad_test.cc \
	%D%/backend/modules/leap/mdf_baselines_test.cc \
	%D%/backend/modules/leap/mdf_test.cc \
	%D%/backend/modules/leap/never_met_test.cc \
	%D%/backend/modules/leap/object_relative_test.cc \
	%D%/backend/modules/lifetime_test.cc \
	%D%/backend/modules/pointers_test.cc \
	%D%/backend/modules/points_to_test.cc \
	%D%/backend/modules/privatisation_test.cc \
	%D%/backend/modules/pages/page_frames_test.cc \
	%D%/backend/modules/pages/page_phases_test.cc \
	%D%/backend/modules/pages/page_walker_test.cc \
	%D%/backend/modules/pages/pages_test.cc \
	%D%/backend/modules/pages/sampled_pages_test.cc \
	%D%/backend/modules/regularity/regularity_options_test.cc \
	%D%/backend/modules/regularity/regularity_test.cc \
	%D%/backend/modules/regularity/stream_detector_test.cc \
	%D%/backend/modules/regularity/windows_test.cc \
	%D%/backend/modules/sampled/array_history_test.cc \
	%D%/backend/modules/sampled/inferred_dependences_oracle_test.cc \
	%D%/backend/modules/sampled/inferred_dependences_test.cc \
	%D%/backend/modules/sampled/inferred_dependences_testutil.h \
	%D%/backend/modules/reuse/distance_stack_test.cc \
	%D%/backend/modules/reuse/life_table_test.cc \
	%D%/backend/modules/reuse/miss_curve_test.cc \
	%D%/backend/modules/reuse/reuse_test.cc \
	%D%/backend/modules/reuse/reversed_windows_test.cc \
	%D%/backend/modules/sampled/last_writers_test.cc \
	%D%/backend/modules/sharing_test.cc \
	%D%/backend/modules/stride_test.cc \
	%D%/backend/modules/timeline_test.cc \
	%D%/backend/modules/value_test.cc \
	%D%/backend/modules/whole_stream_test.cc \
	%D%/backend/profile/convergence_test.cc \
	%D%/backend/profile/extrapolate_test.cc \
	%D%/backend/profile/profile_builder_test.cc \
	%D%/backend/profile/residency_test.cc \
	%D%/backend/profile/trace_phases_test.cc \
	%D%/backend/profile/first_burst_test.cc \
	%D%/backend/profile/memory_trace_test.cc \
	%D%/backend/program/context_test.cc \
	%D%/backend/program/function_entries_test.cc \
	%D%/backend/program/loaded_units_test.cc \
	%D%/backend/program/loop_context_test.cc \
	%D%/backend/program/object_manager_test.cc \
	%D%/backend/program/thread_turns_test.cc \
	%D%/backend/random_program.h \
	%D%/backend/run_options_test.cc \
	%D%/backend/session_test.cc \
	%D%/backend/shadow/shadow_compact_test.cc \
	%D%/backend/shadow/shadow_memory_test.cc \
	%D%/backend/shadow_testutil.h \
	%D%/backend/stream/shm_source_test.cc \
	%D%/backend/stream_builder.h

cli_test_CPPFLAGS = $(libmemprof_cli_a_CPPFLAGS) $(GTEST_CFLAGS)
cli_test_LDADD = libmemprof-cli.a libdecide.la libmemprof-streams.la libmemprof-feedback.la \
	$(GTEST_LIBS) $(TBB_LIBS)
cli_test_SOURCES = \
	%D%/cli/command_test.cc \
	%D%/cli/container_name_test.cc \
	%D%/cli/header_callers_test.cc \
	%D%/cli/installation_test.cc \
	%D%/cli/json_report_test.cc \
	%D%/cli/layout_growth_test.cc \
	%D%/cli/layout_patch_test.cc \
	%D%/cli/line_costs_test.cc \
	%D%/cli/place_test.cc \
	%D%/cli/profile_view_test.cc \
	%D%/cli/report_page_test.cc \
	%D%/cli/stream_distribution_test.cc \
	%D%/cli/table_test.cc \
	%D%/cli/trial_report_test.cc \
	%D%/cli/verify_test.cc

feedback_test_CPPFLAGS = $(AM_CPPFLAGS) $(GTEST_CFLAGS) $(JSON_CFLAGS) \
	-DMEMPROF_SRCDIR='"$(abs_top_srcdir)"'
feedback_test_LDADD = libmemprof-feedback.la $(GTEST_LIBS)
feedback_test_SOURCES = \
	%D%/feedback/align_test.cc \
	%D%/feedback/changes_test.cc \
	%D%/feedback/feedback_samples.cc \
	%D%/feedback/feedback_samples.h \
	%D%/feedback/common_folder_test.cc \
	%D%/feedback/frames_test.cc \
	%D%/feedback/hostile_test.cc \
	%D%/feedback/id_map_test.cc \
	testsuite/invalid/invalid_profiles.cc \
	%D%/feedback/invalid_test.cc \
	%D%/feedback/merge_order_test.cc \
	%D%/feedback/memory_pairs_test.cc \
	%D%/feedback/merge_test.cc \
	%D%/feedback/random_profile.cc \
	%D%/feedback/reader_test.cc \
	%D%/feedback/regularity_test.cc \
	%D%/feedback/reuse_curve_test.cc \
	%D%/feedback/schema_test.cc \
	%D%/feedback/validate_test.cc \
	%D%/feedback/version_test.cc \
	%D%/feedback/writer_test.cc

# What the plugin asks of a profile, without GCC's headers.
profile_side = \
	plugin/sites/name_family.cc \
	plugin/sites/name_family.h \
	plugin/use/bridge.h \
	plugin/use/match/place_index.cc \
	plugin/use/match/profile_decisions.cc \
	plugin/use/match/profile_match.cc \
	plugin/use/match/profile_objects.cc \
	plugin/use/match/profile_read.cc \
	plugin/use/match/profile_read.h \
	plugin/use/match/profile_rows.h \
	plugin/use/match/profile_salvage.cc
match_test_SOURCES = \
	%D%/plugin/match_test.cc \
	%D%/plugin/name_family_test.cc \
	$(profile_side)
match_test_CPPFLAGS = $(AM_CPPFLAGS) $(GTEST_CFLAGS)
match_test_LDADD = libdecide.la libmemprof-feedback.la $(GTEST_LIBS)

streams_test_CPPFLAGS = $(AM_CPPFLAGS) $(GTEST_CFLAGS)
streams_test_LDADD = libmemprof-streams.la libmemprof-feedback.la $(GTEST_LIBS)
streams_test_SOURCES = \
	%D%/feedback/streams/access_reader_test.cc \
	%D%/feedback/streams/block_grammar_test.cc \
	%D%/feedback/streams/cache_potential_test.cc \
	%D%/feedback/streams/faults_test.cc \
	%D%/feedback/streams/hot_streams_test.cc \
	%D%/feedback/streams/oracle.h \
	%D%/feedback/streams/recorder_test.cc \
	%D%/feedback/streams/sequitur_test.cc \
	%D%/feedback/streams/stream_level_test.cc
