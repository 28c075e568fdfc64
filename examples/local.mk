# Example programs: memory-bound kernels that the tutorial and the demo use.
EXTRA_DIST += \
	%D%/bfs.c \
	%D%/demo.sh \
	%D%/hashjoin.c \
	%D%/spmv.c
