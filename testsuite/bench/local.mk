# Benchmarks: run by hand, never in check.
EXTRA_DIST += \
	%D%/closed-loop.sh \
	%D%/kernels/empty.c \
	%D%/kernels/gemm.c \
	%D%/kernels/jacobi.c \
	%D%/overhead.sh \
	%D%/paired.py
