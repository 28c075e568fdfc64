# consumers/cli/local.mk - the command memprof.
#
# Everything but main is a static library, so that the unit tests link it.
bin_PROGRAMS += memprof
noinst_LIBRARIES += libmemprof-cli.a

libmemprof_cli_a_SOURCES = \
	%D%/cmd_advise.cc \
	%D%/cmd_doctor.cc \
	%D%/cmd_explain.cc \
	%D%/cmd_run.cc \
	%D%/cmd_show.cc \
	%D%/command.cc \
	%D%/command.h \
	%D%/installation.cc \
	%D%/installation.h \
	%D%/place.cc \
	%D%/place.h \
	%D%/process.cc \
	%D%/process.h \
	%D%/profile_view.cc \
	%D%/profile_view.h \
	%D%/show_tables.cc \
	%D%/show_tables.h \
	%D%/table.cc \
	%D%/table.h
libmemprof_cli_a_CPPFLAGS = $(AM_CPPFLAGS) \
	-DMEMPROF_BINDIR='"$(bindir)"' \
	-DMEMPROF_LIBDIR='"$(memproflibdir)"' \
	-DMEMPROF_LIBEXECDIR='"$(memproflibexecdir)"'

memprof_SOURCES = %D%/main.cc
# decide before feedback: it uses it.
memprof_LDADD = libmemprof-cli.a libdecide.la libmemprof-feedback.la
