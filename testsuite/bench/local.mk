# Benchmarks: run by hand, never in check.
EXTRA_DIST += \
	%D%/closed-loop.sh \
	%D%/kernels/bytes.c \
	%D%/kernels/cg.c \
	%D%/kernels/cholesky.c \
	%D%/kernels/empty.c \
	%D%/kernels/fft.c \
	%D%/kernels/floyd.c \
	%D%/kernels/gemm.c \
	%D%/kernels/health.c \
	%D%/kernels/jacobi.c \
	%D%/kernels/mst.c \
	%D%/kernels/nbody.c \
	%D%/kernels/pagerank.c \
	%D%/kernels/scatter1.c \
	%D%/kernels/scatter8.c \
	%D%/kernels/stencil3d.c \
	%D%/leap-accuracy.sh \
	%D%/overhead.py \
	%D%/overhead.sh \
	%D%/paired.py \
	%D%/programs/codec.cc \
	%D%/programs/hand_arena.h \
	%D%/programs/imagefilter.c \
	%D%/programs/isort.c \
	%D%/programs/ledger.cc \
	%D%/programs/matrix.c \
	%D%/programs/palette.c \
	%D%/programs/swarm.c \
	%D%/programs/treesum.c \
	%D%/specialisation.sh

# make backend_modules && ./backend_modules; leap-accuracy.sh makes the other.
EXTRA_PROGRAMS = backend_modules leap_accuracy
CLEANFILES += backend_modules leap_accuracy
backend_modules_SOURCES = %D%/backend_modules.cc
backend_modules_LDADD = runtime/backend/libbackend.a \
	runtime/backend/libbackend_modules.a libmemprof-feedback.la $(TBB_LIBS)
leap_accuracy_SOURCES = \
	%D%/leap_accuracy.cc \
	%D%/mdf_baselines.h
leap_accuracy_LDADD = $(backend_modules_LDADD)
