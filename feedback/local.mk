# feedback/local.mk - reading, writing and comparing profiles.
#
# A convenience library, linked into the plugin (so into cc1), the backend and
# the command.  -fno-exceptions: nothing in it may throw, because cc1 exports a
# libstdc++ of its own and an exception would cross two copies.
noinst_LTLIBRARIES += libmemprof-feedback.la
libmemprof_feedback_la_SOURCES = \
	%D%/align.cc \
	%D%/align.h \
	%D%/canonical.cc \
	%D%/frames.cc \
	%D%/frames.h \
	%D%/canonical.h \
	%D%/changes.cc \
	%D%/changes.h \
	%D%/common_folder.cc \
	%D%/common_folder.h \
	%D%/derive.cc \
	%D%/derive.h \
	%D%/diff.cc \
	%D%/diff.h \
	%D%/error_sum.h \
	%D%/file.cc \
	%D%/file.h \
	%D%/flat_map.h \
	%D%/group_name.cc \
	%D%/group_name.h \
	%D%/head_sum.cc \
	%D%/head_sum.h \
	%D%/id.h \
	%D%/id_map.h \
	%D%/json_report.h \
	%D%/json_text.cc \
	%D%/json_text.h \
	%D%/layout_baseline.cc \
	%D%/layout_baseline.h \
	%D%/loader.cc \
	%D%/loader.h \
	%D%/memory_pairs.cc \
	%D%/memory_pairs.h \
	%D%/merge.cc \
	%D%/merge.h \
	%D%/model.h \
	%D%/module_reader.cc \
	%D%/module_reader.h \
	%D%/never_met.cc \
	%D%/never_met.h \
	%D%/reader.cc \
	%D%/reader.h \
	%D%/references.cc \
	%D%/references.h \
	%D%/regularity.cc \
	%D%/regularity.h \
	%D%/result.cc \
	%D%/result.h \
	%D%/row_ids.h \
	%D%/row_reader.cc \
	%D%/row_reader.h \
	%D%/reuse_curve.cc \
	%D%/reuse_curve.h \
	%D%/row_sums.cc \
	%D%/schema.cc \
	%D%/schema.h \
	%D%/schema_program.h \
	%D%/sense.cc \
	%D%/sense_program.cc \
	%D%/sense.h \
	%D%/sense_faults.h \
	%D%/store.cc \
	%D%/table.h \
	%D%/table_sum.h \
	%D%/tables.def \
	%D%/tables/cache.h \
	%D%/tables/co_access.h \
	%D%/tables/dead_stores.h \
	%D%/tables/dependences.h \
	%D%/tables/fields.h \
	%D%/tables/inferred_dependences.h \
	%D%/tables/lifetimes.h \
	%D%/tables/mdf.h \
	%D%/tables/never_met.h \
	%D%/tables/object_relative.h \
	%D%/tables/page_phases.h \
	%D%/tables/pages.h \
	%D%/tables/pointers.h \
	%D%/tables/points_to.h \
	%D%/tables/privatisation.h \
	%D%/tables/regularity.h \
	%D%/tables/reuse.h \
	%D%/tables/sharing.h \
	%D%/tables/silent_stores.h \
	%D%/tables/stream_names.h \
	%D%/tables/strides.h \
	%D%/tables/timeline.h \
	%D%/tables/types.h \
	%D%/tables/values.h \
	%D%/tables/whole_stream.h \
	%D%/tape.cc \
	%D%/tape.h \
	%D%/validate.cc \
	%D%/validate.h \
	%D%/writer.cc \
	%D%/writer.h
libmemprof_feedback_la_CPPFLAGS = $(AM_CPPFLAGS) $(JSON_CFLAGS)
libmemprof_feedback_la_CXXFLAGS = $(AM_CXXFLAGS) -fno-exceptions -fno-rtti \
	-fvisibility=hidden

schemadir = $(datadir)/memprof
dist_schema_DATA = %D%/memprof-feedback.schema.json

pkgconfig_DATA += %D%/memprof-feedback.pc
EXTRA_DIST += %D%/memprof-feedback.pc.in
CLEANFILES += %D%/memprof-feedback.pc
%D%/memprof-feedback.pc: $(top_srcdir)/%D%/memprof-feedback.pc.in Makefile
	$(AM_V_GEN)$(MKDIR_P) %D% && $(memprof_edit) $(top_srcdir)/%D%/memprof-feedback.pc.in >$@
