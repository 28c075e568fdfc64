# feedback/streams/local.mk - lossless streams of accesses: grammars, their file, what is found in them.
#
# A convenience library, linked into the backend, which makes the grammars, and the command, which
# reads them.
noinst_LTLIBRARIES += libmemprof-streams.la
libmemprof_streams_la_SOURCES = \
	%D%/access_reader.cc \
	%D%/access_reader.h \
	%D%/block_grammar.cc \
	%D%/block_grammar.h \
	%D%/cache_potential.cc \
	%D%/cache_potential.h \
	%D%/fault.h \
	%D%/faults.def \
	%D%/flow_graph.cc \
	%D%/flow_graph.h \
	%D%/grammar.cc \
	%D%/grammar.h \
	%D%/growing_array.h \
	%D%/hot_streams.cc \
	%D%/hot_streams.h \
	%D%/large_memory.cc \
	%D%/large_memory.h \
	%D%/naming.cc \
	%D%/naming.h \
	%D%/open_parts.cc \
	%D%/recorder.cc \
	%D%/recorder.h \
	%D%/sequitur.cc \
	%D%/sequitur.h \
	%D%/stream_file.cc \
	%D%/stream_file.h \
	%D%/stream_level.cc \
	%D%/stream_level.h \
	%D%/text_index.cc \
	%D%/text_index.h \
	%D%/tokeniser.cc \
	%D%/tokeniser.h \
	%D%/uleb.h \
	%D%/windows.cc \
	%D%/windows.h
