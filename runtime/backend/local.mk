# runtime/backend/local.mk - memprof-backend, the process that reads the stream.
#
# All but main() is in a library, so that the unit tests can link it.
memproflibexec_PROGRAMS += memprof-backend
memprof_backend_SOURCES = %D%/main.cc
memprof_backend_LDADD = %D%/libbackend.a libmemprof-streams.la libmemprof-feedback.la $(TBB_LIBS)

noinst_LIBRARIES += %D%/libbackend.a
runtime_backend_libbackend_a_CPPFLAGS = $(AM_CPPFLAGS) $(TBB_CFLAGS)
runtime_backend_libbackend_a_SOURCES = \
	%D%/base/bounded_text.h \
	%D%/base/byte_shadow.h \
	%D%/base/chunked_array.h \
	%D%/base/fault.h \
	%D%/base/faults.def \
	%D%/base/flat_map.h \
	%D%/base/huge_pages.h \
	%D%/base/ids.h \
	%D%/base/interval.h \
	%D%/base/page_steps.h \
	%D%/base/parallel.h \
	%D%/base/per_site.h \
	%D%/base/reducers.h \
	%D%/base/reducing_map.h \
	%D%/base/sparse_table.h \
	%D%/decode/batch_writer.cc \
	%D%/decode/batch_writer.h \
	%D%/decode/birth_groups.cc \
	%D%/decode/birth_groups.h \
	%D%/decode/block_decoder.cc \
	%D%/decode/block_decoder.h \
	%D%/decode/control_decoder.cc \
	%D%/decode/control_decoder.h \
	%D%/decode/decode_counts.h \
	%D%/decode/decode_limits.h \
	%D%/decode/decoder.cc \
	%D%/decode/decoder.h \
	%D%/decode/decoder_hooks.h \
	%D%/decode/object_life.cc \
	%D%/decode/object_life.h \
	%D%/decode/object_resolver.cc \
	%D%/decode/object_resolver.h \
	%D%/decode/range_expander.cc \
	%D%/decode/range_expander.h \
	%D%/decode/range_writer.cc \
	%D%/decode/range_writer.h \
	%D%/decode/sample_decoder.cc \
	%D%/decode/sample_decoder.h \
	%D%/decode/sequencer.cc \
	%D%/decode/sequencer.h \
	%D%/decode/unit_decoder.cc \
	%D%/decode/unit_decoder.h \
	%D%/driver.cc \
	%D%/driver.h \
	%D%/event/batch.h \
	%D%/event/block.h \
	%D%/event/column.h \
	%D%/event/column_writer.h \
	%D%/event/descriptor.cc \
	%D%/event/descriptor.h \
	%D%/event/iteration_blocks.cc \
	%D%/event/iteration_blocks.h \
	%D%/event/loop_samples.h \
	%D%/event/module.h \
	%D%/event/range.h \
	%D%/event/range_rows.cc \
	%D%/event/range_rows.h \
	%D%/event/registry.cc \
	%D%/event/site_type.h \
	%D%/event/target_cursor.h \
	%D%/modules/cache.cc \
	%D%/modules/cache_model.cc \
	%D%/modules/cache_model.h \
	%D%/modules/dead_store.cc \
	%D%/modules/dependence/cell_blocks.cc \
	%D%/modules/dependence/cell_blocks.h \
	%D%/modules/dependence/dependence.cc \
	%D%/modules/dependence/dependence_all.cc \
	%D%/modules/dependence/dependence_answers.h \
	%D%/modules/dependence/dependence_count.cc \
	%D%/modules/dependence/dependence_count.h \
	%D%/modules/dependence/dependence_engine.h \
	%D%/modules/dependence/dependence_engine_count.h \
	%D%/modules/dependence/dependence_loads.cc \
	%D%/modules/dependence/dependence_loads.h \
	%D%/modules/dependence/dependence_nest.cc \
	%D%/modules/dependence/dependence_nest.h \
	%D%/modules/dependence/dependence_range.cc \
	%D%/modules/dependence/dependence_range.h \
	%D%/modules/dependence/dependence_readers.cc \
	%D%/modules/dependence/dependence_rows.cc \
	%D%/modules/dependence/dependence_rows.h \
	%D%/modules/dependence/dependence_search.cc \
	%D%/modules/dependence/dependence_search.h \
	%D%/modules/dependence/dependence_series.cc \
	%D%/modules/dependence/dependence_series.h \
	%D%/modules/dependence/numbered_descriptors.h \
	%D%/modules/fields.cc \
	%D%/modules/leap/access_streams.h \
	%D%/modules/leap/lmad.h \
	%D%/modules/leap/lmad_conflicts.cc \
	%D%/modules/leap/lmad_conflicts.h \
	%D%/modules/leap/mdf.cc \
	%D%/modules/leap/mdf.h \
	%D%/modules/leap/mdf_chance.cc \
	%D%/modules/leap/mdf_chance.h \
	%D%/modules/leap/never_met.cc \
	%D%/modules/leap/object_relative.cc \
	%D%/modules/geometry_fields.h \
	%D%/modules/lifetime.cc \
	%D%/modules/pages/page_geometry.cc \
	%D%/modules/pages/page_geometry.h \
	%D%/modules/pages/page_sizes.cc \
	%D%/modules/pages/page_sizes.h \
	%D%/modules/pages/page_walker.cc \
	%D%/modules/pages/page_walker.h \
	%D%/modules/pages/pages.cc \
	%D%/modules/pages/recent_lines.h \
	%D%/modules/pointers.cc \
	%D%/modules/points_to.cc \
	%D%/modules/privatisation.cc \
	%D%/modules/regularity/expected_streams.h \
	%D%/modules/regularity/range_pattern.cc \
	%D%/modules/regularity/range_pattern.h \
	%D%/modules/regularity/regularity.cc \
	%D%/modules/regularity/stream_detector.cc \
	%D%/modules/regularity/stream_detector.h \
	%D%/modules/regularity/waiting_references.h \
	%D%/modules/sampled/array_history.cc \
	%D%/modules/sampled/array_history.h \
	%D%/modules/sampled/inferred_dependences.cc \
	%D%/modules/sampled/inferred_dependences.h \
	%D%/modules/sampled/inferred_shares.cc \
	%D%/modules/sampled/last_writers.cc \
	%D%/modules/sampled/last_writers.h \
	%D%/modules/sampled/place_tally.cc \
	%D%/modules/sampled/place_tally.h \
	%D%/modules/sampled/word_table.h \
	%D%/modules/sampled_accesses.h \
	%D%/modules/sharing.cc \
	%D%/modules/silent_store.cc \
	%D%/modules/stride.cc \
	%D%/modules/stride_histogram.cc \
	%D%/modules/stride_histogram.h \
	%D%/modules/value.cc \
	%D%/modules/whole_stream.cc \
	%D%/profile/accesses.cc \
	%D%/profile/accesses.h \
	%D%/profile/convergence.cc \
	%D%/profile/convergence.h \
	%D%/profile/dump.cc \
	%D%/profile/dump.h \
	%D%/profile/extrapolate.cc \
	%D%/profile/extrapolate.h \
	%D%/profile/profile_builder.cc \
	%D%/profile/profile_builder.h \
	%D%/profile/stream_counts.cc \
	%D%/profile/stream_counts.h \
	%D%/profile/type_rows.cc \
	%D%/profile/type_rows.h \
	%D%/profile/unit_records.h \
	%D%/program/carved_objects.cc \
	%D%/program/code_names.cc \
	%D%/program/code_names.h \
	%D%/program/context_manager.h \
	%D%/program/context_sites.h \
	%D%/program/elf_file.cc \
	%D%/program/elf_file.h \
	%D%/program/external_calls.cc \
	%D%/program/external_calls.h \
	%D%/program/group_table.h \
	%D%/program/live_objects.h \
	%D%/program/loaded_units.cc \
	%D%/program/loaded_units.h \
	%D%/program/loop_context.cc \
	%D%/program/loop_context.h \
	%D%/program/object_manager.cc \
	%D%/program/object_manager.h \
	%D%/program/thread_contexts.h \
	%D%/program/thread_turns.cc \
	%D%/program/thread_turns.h \
	%D%/program/unit_image.cc \
	%D%/program/unit_image.h \
	%D%/run_options.cc \
	%D%/run_options.h \
	%D%/session.cc \
	%D%/session.h \
	%D%/shadow/shadow_forms.cc \
	%D%/shadow/shadow_list.cc \
	%D%/shadow/shadow_memory.cc \
	%D%/shadow/shadow_memory.h \
	%D%/shadow/shadow_newest.cc \
	%D%/shadow/shadow_page.cc \
	%D%/shadow/shadow_page.h \
	%D%/shadow/shadow_pages.cc \
	%D%/shadow/shadow_pages.h \
	%D%/shadow/shadow_pool.h \
	%D%/shadow/shadow_pools.h \
	%D%/shadow/shadow_runs.cc \
	%D%/shadow/shadow_sweeps.cc \
	%D%/shadow/shadow_sweeps.h \
	%D%/stream/file_source.cc \
	%D%/stream/file_source.h \
	%D%/stream/nest_records.h \
	%D%/stream/records.h \
	%D%/stream/run_records.h \
	%D%/stream/shm_source.cc \
	%D%/stream/shm_source.h \
	%D%/stream/stream.h \
	%D%/stream/stream_file.cc \
	%D%/stream/stream_file.h \
	%D%/stream/sum_words.h

# The backend, and what reads and writes profiles, compiled with a profile of itself, as
# `./bootstrap build --trained' does; what is compiled again after a change is not.
profiled-backend: %D%/profiled.stamp
.PHONY: profiled-backend
backend_objects = $(memprof_backend_OBJECTS) $(%C%_libbackend_a_OBJECTS) \
	$(libmemprof_streams_la_OBJECTS) $(libmemprof_feedback_la_OBJECTS)
%D%/profiled.stamp: $(%C%_libbackend_a_SOURCES) $(memprof_backend_SOURCES) \
		$(libmemprof_streams_la_SOURCES) $(libmemprof_feedback_la_SOURCES) %D%/train.sh \
		plugin/stamp-plugins runtime/target/libmemprof_rt.la memprof.specs
	+$(AM_V_GEN)srcdir='$(srcdir)' CC='$(CC)' CXXFLAGS='$(CXXFLAGS)' MAKE='$(MAKE)' \
		objects='$(backend_objects)' $(SHELL) $(srcdir)/%D%/train.sh
	$(AM_V_at)echo >$@
EXTRA_DIST += %D%/train.sh
CLEANFILES += %D%/profiled.stamp
