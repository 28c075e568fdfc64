# Pure decisions: profile + cost model + facts about the code -> advice.
noinst_LTLIBRARIES += libdecide.la
libdecide_la_SOURCES = \
	%D%/advice.h \
	%D%/block_index.cc \
	%D%/block_index.h \
	%D%/cost_model.h \
	%D%/huge_pages.cc \
	%D%/huge_pages.h \
	%D%/layout.cc \
	%D%/layout.h \
	%D%/prefetch.cc \
	%D%/prefetch.h \
	%D%/reorder.cc \
	%D%/reorder.h \
	%D%/source_advice.cc \
	%D%/source_advice.h \
	%D%/transformations.h \
	%D%/versioning.cc \
	%D%/versioning.h
# Also inside the compiler: no run-time type information, no exceptions.
libdecide_la_CXXFLAGS = $(AM_CXXFLAGS) -fno-rtti -fno-exceptions
