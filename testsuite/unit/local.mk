# Unit tests: one GoogleTest binary per library.
if HAVE_GTEST
check_PROGRAMS += decide_test
TESTS += decide_test
endif
decide_test_SOURCES = \
	%D%/decide_test.cc \
	%D%/huge_pages_test.cc \
	%D%/layout_test.cc \
	%D%/reorder_test.cc \
	%D%/versioning_test.cc
decide_test_CPPFLAGS = $(AM_CPPFLAGS) $(GTEST_CFLAGS)
decide_test_LDADD = libdecide.la $(GTEST_LIBS)

if HAVE_GTEST
check_PROGRAMS += backend_test
TESTS += backend_test
endif

backend_test_CPPFLAGS = $(AM_CPPFLAGS) $(GTEST_CFLAGS)
backend_test_LDADD = runtime/backend/libbackend.a \
	runtime/backend/libbackend_modules.a libmemprof-feedback.la \
	$(GTEST_LIBS) $(TBB_LIBS)
backend_test_SOURCES = \
	%D%/backend_testutil.h \
	%D%/cache_test.cc \
	%D%/chunked_array_test.cc \
	%D%/companions_test.cc \
	%D%/context_test.cc \
	%D%/convergence_test.cc \
	%D%/convoys_test.cc \
	%D%/dead_store_test.cc \
	%D%/decoded_stream.h \
	%D%/decoder_fixture.h \
	%D%/decoder_nests_test.cc \
	%D%/decoder_ranges_test.cc \
	%D%/decoder_runs_test.cc \
	%D%/decoder_sums_test.cc \
	%D%/decoder_test.cc \
	%D%/dependence_oracle.h \
	%D%/dependence_test.cc \
	%D%/fields_test.cc \
	%D%/array_history_test.cc \
	%D%/inferred_dependences_oracle_test.cc \
	%D%/inferred_dependences_test.cc \
	%D%/inferred_dependences_testutil.h \
	%D%/last_writers_test.cc \
	%D%/lifetime_test.cc \
	%D%/lmad_test.cc \
	%D%/loop_context_test.cc \
	%D%/mdf_baselines_test.cc \
	%D%/mdf_test.cc \
	%D%/module_table_test.cc \
	%D%/object_manager_test.cc \
	%D%/object_relative_test.cc \
	%D%/per_site_test.cc \
	%D%/pointers_test.cc \
	%D%/points_to_test.cc \
	%D%/privatisation_test.cc \
	%D%/random_program.h \
	%D%/reducers_test.cc \
	%D%/reducing_map_test.cc \
	%D%/rows_test.cc \
	%D%/sequencer_test.cc \
	%D%/series_test.cc \
	%D%/session_test.cc \
	%D%/shadow_compact_test.cc \
	%D%/shadow_memory_test.cc \
	%D%/shadow_testutil.h \
	%D%/sharing_test.cc \
	%D%/shm_source_test.cc \
	%D%/site_type_test.cc \
	%D%/stream_builder.h \
	%D%/stride_test.cc \
	%D%/value_test.cc

if HAVE_GTEST
check_PROGRAMS += cli_test
TESTS += cli_test
endif

cli_test_CPPFLAGS = $(libmemprof_cli_a_CPPFLAGS) $(GTEST_CFLAGS)
cli_test_LDADD = libmemprof-cli.a libmemprof-feedback.la $(GTEST_LIBS)
cli_test_SOURCES = \
	%D%/command_test.cc \
	%D%/installation_test.cc \
	%D%/json_report_test.cc \
	%D%/place_test.cc \
	%D%/profile_view_test.cc \
	%D%/table_test.cc \
	%D%/verify_test.cc

if HAVE_GTEST
check_PROGRAMS += feedback_test
TESTS += feedback_test
endif

feedback_test_CPPFLAGS = $(AM_CPPFLAGS) $(GTEST_CFLAGS) $(JSON_CFLAGS) \
	-DMEMPROF_SRCDIR='"$(abs_top_srcdir)"'
feedback_test_LDADD = libmemprof-feedback.la $(GTEST_LIBS)
feedback_test_SOURCES = \
	%D%/feedback_hostile_test.cc \
	%D%/feedback_invalid_test.cc \
	%D%/feedback_merge_test.cc \
	%D%/feedback_reader_test.cc \
	%D%/feedback_samples.cc \
	%D%/feedback_samples.h \
	%D%/feedback_schema_test.cc \
	%D%/feedback_validate_test.cc \
	%D%/feedback_version_test.cc \
	%D%/feedback_writer_test.cc \
	%D%/id_map_test.cc

if HAVE_GTEST
check_PROGRAMS += match_test
TESTS += match_test
endif

match_test_SOURCES = \
	plugin/bridge.h \
	plugin/profile_match.cc \
	plugin/profile_rows.h \
	plugin/profile_views.cc \
	%D%/match_test.cc
match_test_CPPFLAGS = $(AM_CPPFLAGS) $(GTEST_CFLAGS)
match_test_LDADD = libdecide.la libmemprof-feedback.la $(GTEST_LIBS)
