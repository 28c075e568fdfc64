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
	%D%/batch.h \
	%D%/chunked_array.h \
	%D%/code_names.cc \
	%D%/code_names.h \
	%D%/columns.h \
	%D%/convergence.cc \
	%D%/convergence.h \
	%D%/convoys.cc \
	%D%/convoys.h \
	%D%/decoder.cc \
	%D%/decoder.h \
	%D%/decoder_blocks.cc \
	%D%/decoder_control.cc \
	%D%/decoder_ranges.cc \
	%D%/decoder_rows.cc \
	%D%/decoder_targets.cc \
	%D%/descriptor.h \
	%D%/driver.cc \
	%D%/driver.h \
	%D%/dump.cc \
	%D%/dump.h \
	%D%/elf_file.cc \
	%D%/elf_file.h \
	%D%/extrapolate.cc \
	%D%/extrapolate.h \
	%D%/file_source.cc \
	%D%/file_source.h \
	%D%/flat_map.h \
	%D%/group_table.h \
	%D%/huge_pages.h \
	%D%/iteration_blocks.cc \
	%D%/iteration_blocks.h \
	%D%/module.h \
	%D%/module_image.cc \
	%D%/module_image.h \
	%D%/module_table.cc \
	%D%/module_table.h \
	%D%/nest_records.h \
	%D%/object_manager.cc \
	%D%/object_manager.h \
	%D%/per_site.h \
	%D%/profile_builder.cc \
	%D%/profile_builder.h \
	%D%/records.h \
	%D%/reducing_map.h \
	%D%/registry.cc \
	%D%/run_options.cc \
	%D%/run_options.h \
	%D%/run_records.h \
	%D%/sequencer.cc \
	%D%/sequencer.h \
	%D%/session.cc \
	%D%/session.h \
	%D%/shm_source.cc \
	%D%/shm_source.h \
	%D%/site_type.h \
	%D%/sparse_table.h \
	%D%/stream.h \
	%D%/stream_counts.cc \
	%D%/stream_counts.h \
	%D%/stream_file.cc \
	%D%/stream_file.h \
	%D%/sum_words.h \
	%D%/type_rows.cc \
	%D%/type_rows.h \
	%D%/witnessed.h

include runtime/backend/modules/local.mk

# The backend, and what reads and writes profiles, compiled with a profile of itself, as
# ./bootstrap does; what is compiled again after a change is not.
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
