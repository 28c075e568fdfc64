# runtime/arena/local.mk - what is linked into programs built with -fprofile-mem-use:
# arenas for the allocation calls that the profile has picked.
#
# Static libraries only, so that a program stands by itself: one for dynamic
# links and one for -static and -static-pie, where free is reached by --wrap.
if !CROSS
memprofrt_LIBRARIES += \
	%D%/libmemprof_arena.a \
	%D%/libmemprof_arena_static.a
endif

memprof_arena_sources = \
	%D%/arena.h \
	%D%/arena_aligned.cc \
	%D%/arena_calls.cc \
	%D%/arena_calls.h \
	%D%/arena_family.cc \
	%D%/arena_heap.cc \
	%D%/arena_hints.cc \
	%D%/arena_lock.h \
	%D%/arena_new.cc \
	%D%/arena_options.cc \
	%D%/arena_setup.cc \
	%D%/arena_slabs.cc \
	%D%/arena_variables.cc \
	%D%/faults.def \
	%D%/mixed_slab.h \
	%D%/surroundings.h \
	runtime/tune/tune.cc \
	runtime/tune/tune.h

memprof_arena_flags = -std=gnu++20 -nostdinc++ -fno-exceptions -fno-rtti \
	-fasynchronous-unwind-tables -fno-builtin -ftls-model=initial-exec \
	-fvisibility=hidden -fno-threadsafe-statics -fPIC -fno-lto

%C%_libmemprof_arena_a_SOURCES = $(memprof_arena_sources)
%C%_libmemprof_arena_a_CXXFLAGS = $(AM_CXXFLAGS) $(memprof_arena_flags)

%C%_libmemprof_arena_static_a_SOURCES = $(memprof_arena_sources)
%C%_libmemprof_arena_static_a_CPPFLAGS = $(AM_CPPFLAGS) -DMPRT_STATIC
%C%_libmemprof_arena_static_a_CXXFLAGS = $(AM_CXXFLAGS) $(memprof_arena_flags)
