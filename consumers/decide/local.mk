# Pure decisions: profile + cost model + facts about the code -> advice.
noinst_LTLIBRARIES += libdecide.la
libdecide_la_SOURCES = \
	%D%/allocation_index.cc \
	%D%/allocation_index.h \
	%D%/block_index.cc \
	%D%/block_index.h \
	%D%/co_allocation.cc \
	%D%/co_allocation.h \
	%D%/code_facts.h \
	%D%/cost_model.h \
	%D%/decision.cc \
	%D%/decision.h \
	%D%/field_order.cc \
	%D%/field_order.h \
	%D%/heap_pages.cc \
	%D%/heap_pages.h \
	%D%/hot_functions.cc \
	%D%/hot_functions.h \
	%D%/huge_pages.cc \
	%D%/huge_pages.h \
	%D%/slab_worth.cc \
	%D%/slab_worth.h \
	%D%/layout_check.cc \
	%D%/layout_check.h \
	%D%/list_gain.cc \
	%D%/list_gain.h \
	%D%/load_index.cc \
	%D%/load_index.h \
	%D%/load_view.cc \
	%D%/load_view.h \
	%D%/machine.cc \
	%D%/machine.h \
	%D%/match_row.h \
	%D%/pair_index.cc \
	%D%/pair_index.h \
	%D%/prefetch.cc \
	%D%/prefetch.h \
	%D%/prefetch_draft.h \
	%D%/prefetch_text.cc \
	%D%/record_order.cc \
	%D%/record_order.h \
	%D%/search_gain.cc \
	%D%/search_gain.h \
	%D%/remark.cc \
	%D%/source_advice.cc \
	%D%/source_advice.h \
	%D%/stream_advice.cc \
	%D%/stream_advice.h \
	%D%/streaming_stores.cc \
	%D%/streaming_stores.h \
	%D%/text.h \
	%D%/variable_pages.cc \
	%D%/variable_pages.h \
	%D%/versioning.cc \
	%D%/versioning.h \
	%D%/waiting.cc \
	%D%/waiting.h \
	%D%/walk_rank.cc \
	%D%/walk_rank.h \
	%D%/watched_blocks.cc \
	%D%/watched_blocks.h \
	%D%/whole.h
# Also inside the compiler: no run-time type information, no exceptions.
libdecide_la_CXXFLAGS = $(AM_CXXFLAGS) -fno-rtti -fno-exceptions
