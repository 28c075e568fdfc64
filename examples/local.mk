# Example programs: memory-bound kernels that the tutorial and the demo use.
EXTRA_DIST += \
	%D%/bfs.c \
	%D%/demo.sh \
	%D%/hashjoin.c \
	%D%/spmv.c \
	%D%/stencil_mpi.c

# What examples/demo.sh uses: the compiler with our options, the runtime, the backend and
# the command.
demo-tools: memprof$(EXEEXT) memprof-backend$(EXEEXT) memprof.specs plugin/stamp-plugins \
	runtime/target/libmemprof_rt.la runtime/arena/libmemprof_arena.a
.PHONY: demo-tools
