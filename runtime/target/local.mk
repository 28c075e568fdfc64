# runtime/target/local.mk - what is linked into the user's programs.
#
# libmemprof_rt.so, and libmemprof_rt_static.a for -static and -static-pie, where
# libc's functions are reached with the linker's --wrap: the same sources.
include_HEADERS = %D%/memprof.h

memprofrtdir = $(memproflibdir)
memprofrt_LTLIBRARIES =
memprofrt_LIBRARIES =
if !CROSS
memprofrt_LTLIBRARIES += %D%/libmemprof_rt.la
memprofrt_LIBRARIES += %D%/libmemprof_rt_static.a
endif

memprof_rt_sources = \
	%D%/cpu/aarch64.h \
	%D%/cpu/cpu.h \
	%D%/cpu/x86_64.h \
	%D%/mprt_alloc.cc \
	%D%/mprt_backend.cc \
	%D%/mprt_burst.cc \
	%D%/mprt_compared.cc \
	%D%/mprt_control.cc \
	%D%/mprt_exec.cc \
	%D%/mprt_exit.cc \
	%D%/mprt_file.cc \
	%D%/mprt_fork.cc \
	%D%/mprt_hooks.cc \
	%D%/mprt_hooks.h \
	%D%/mprt_internal.h \
	%D%/mprt_loop_samples.cc \
	%D%/mprt_mmap.cc \
	%D%/mprt_openmp.cc \
	%D%/mprt_options.cc \
	%D%/mprt_prctl.cc \
	%D%/mprt_ring.cc \
	%D%/mprt_scattered.cc \
	%D%/mprt_shared.cc \
	%D%/mprt_signals.cc \
	%D%/mprt_slow.cc \
	%D%/mprt_spawn.cc \
	%D%/mprt_start.cc \
	%D%/mprt_sync.cc \
	%D%/mprt_sys.cc \
	%D%/mprt_sys.h \
	%D%/mprt_thread.cc \
	%D%/mprt_units.cc \
	%D%/mprt_window.cc \
	%D%/wrap.def

# Frames: a message with a path is the largest thing on the stack. No vector registers: what is
# stored from them must lie at multiples of 16 bytes, and not all programs' stacks do.
memprof_rt_flags = -std=gnu++20 -nostdinc++ -fno-exceptions -fno-rtti \
	-fno-stack-protector -fno-builtin -ftls-model=initial-exec \
	-fvisibility=hidden -fno-threadsafe-statics -Wframe-larger-than=1024 \
	-fno-tree-loop-distribute-patterns -mgeneral-regs-only $(INLINE_ATOMICS)

%C%_libmemprof_rt_la_SOURCES = $(memprof_rt_sources)
%C%_libmemprof_rt_la_CXXFLAGS = $(AM_CXXFLAGS) $(memprof_rt_flags)
%C%_libmemprof_rt_la_LDFLAGS = -module -avoid-version -shared -nostdlib \
	-Wl,-z,defs,-z,text,-z,nodelete,-z,now
%C%_libmemprof_rt_la_LIBADD = -lc

%C%_libmemprof_rt_static_a_SOURCES = $(memprof_rt_sources)
%C%_libmemprof_rt_static_a_CPPFLAGS = $(AM_CPPFLAGS) -DMPRT_STATIC
%C%_libmemprof_rt_static_a_CXXFLAGS = $(AM_CXXFLAGS) $(memprof_rt_flags) -fPIE
