# feedback/local.mk - reading, writing and comparing profiles.
#
# A convenience library, linked into the plugin (so into cc1), the backend and
# the command.  -fno-exceptions: nothing in it may throw, because cc1 exports a
# libstdc++ of its own and an exception would cross two copies.
noinst_LTLIBRARIES += libmemprof-feedback.la
libmemprof_feedback_la_SOURCES = \
	%D%/derive.cc \
	%D%/derive.h \
	%D%/diff.h \
	%D%/json_report.h \
	%D%/merge.h \
	%D%/model.h \
	%D%/reader.h \
	%D%/result.cc \
	%D%/result.h \
	%D%/schema.cc \
	%D%/schema.h \
	%D%/validate.h \
	%D%/writer.h
libmemprof_feedback_la_CPPFLAGS = $(AM_CPPFLAGS) $(JSON_CFLAGS)
libmemprof_feedback_la_CXXFLAGS = $(AM_CXXFLAGS) -fno-exceptions -fno-rtti \
	-fvisibility=hidden
