# runtime/backend/local.mk - memprof-backend, the process that reads the stream.
#
# All but main() is in a library, so that the unit tests can link it.
memproflibexec_PROGRAMS += memprof-backend
memprof_backend_SOURCES = %D%/main.cc
memprof_backend_LDADD = %D%/libbackend.a \
	%D%/libbackend_modules.a libmemprof-feedback.la $(TBB_LIBS)

noinst_LIBRARIES += %D%/libbackend.a
runtime_backend_libbackend_a_CPPFLAGS = $(AM_CPPFLAGS) $(TBB_CFLAGS)
runtime_backend_libbackend_a_SOURCES = \
	%D%/base/chunked_array.h \
	%D%/base/flat_map.h \
	%D%/base/huge_pages.h \
	%D%/base/per_site.h \
	%D%/base/reducing_map.h \
	%D%/base/sparse_table.h \
	%D%/decode/decoder.cc \
	%D%/decode/decoder.h \
	%D%/decode/decoder_blocks.cc \
	%D%/decode/decoder_control.cc \
	%D%/decode/decoder_ranges.cc \
	%D%/decode/decoder_rows.cc \
	%D%/decode/decoder_targets.cc \
	%D%/decode/sequencer.cc \
	%D%/decode/sequencer.h \
	%D%/driver.cc \
	%D%/driver.h \
	%D%/event/batch.h \
	%D%/event/co_access_groups.cc \
	%D%/event/co_access_groups.h \
	%D%/event/columns.h \
	%D%/event/descriptor.h \
	%D%/event/iteration_blocks.cc \
	%D%/event/iteration_blocks.h \
	%D%/event/loop_samples.h \
	%D%/event/module.h \
	%D%/event/registry.cc \
	%D%/event/site_type.h \
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
	%D%/program/code_names.cc \
	%D%/program/code_names.h \
	%D%/program/elf_file.cc \
	%D%/program/elf_file.h \
	%D%/program/group_table.h \
	%D%/program/loaded_units.cc \
	%D%/program/loaded_units.h \
	%D%/program/object_manager.cc \
	%D%/program/object_manager.h \
	%D%/program/unit_image.cc \
	%D%/program/unit_image.h \
	%D%/run_options.cc \
	%D%/run_options.h \
	%D%/session.cc \
	%D%/session.h \
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

include runtime/backend/modules/local.mk

# The backend, and what reads and writes profiles, compiled with a profile of itself, as
# `./bootstrap build --trained' does; what is compiled again after a change is not.
profiled-backend: %D%/profiled.stamp
.PHONY: profiled-backend
backend_objects = $(memprof_backend_OBJECTS) $(%C%_libbackend_a_OBJECTS) \
	$(runtime_backend_libbackend_modules_a_OBJECTS) $(libmemprof_feedback_la_OBJECTS)
%D%/profiled.stamp: $(%C%_libbackend_a_SOURCES) $(memprof_backend_SOURCES) \
		$(runtime_backend_libbackend_modules_a_SOURCES) \
		$(libmemprof_feedback_la_SOURCES) %D%/train.sh \
		plugin/memprof.la runtime/target/libmemprof_rt.la memprof.specs
	+$(AM_V_GEN)srcdir='$(srcdir)' CC='$(CC)' CXXFLAGS='$(CXXFLAGS)' MAKE='$(MAKE)' \
		objects='$(backend_objects)' $(SHELL) $(srcdir)/%D%/train.sh
	$(AM_V_at)echo >$@
EXTRA_DIST += %D%/train.sh
CLEANFILES += %D%/profiled.stamp
