# streams/local.mk - lossless streams of accesses: grammars, their file, what is found in them.
#
# A convenience library, linked into the backend, which makes the grammars, and the command, which
# reads them.
noinst_LTLIBRARIES += libmemprof-streams.la
libmemprof_streams_la_SOURCES = \
	%D%/grammar.cc \
	%D%/grammar.h \
	%D%/growing_array.h \
	%D%/sequitur.cc \
	%D%/sequitur.h \
	%D%/uleb.h
