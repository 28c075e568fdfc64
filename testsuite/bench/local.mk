# Benchmarks: run by hand, never in check.
EXTRA_DIST += \
	%D%/advice_agrees.py \
	%D%/closed-loop.sh \
	%D%/closed_loop.py \
	%D%/closed_loop_programs.py \
	%D%/containers.cc \
	%D%/containers.sh \
	%D%/event-queue.sh \
	%D%/huge_pages_rule.py \
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
	%D%/model-accuracy.py \
	%D%/module-lines.sh \
	%D%/outside_programs.py \
	%D%/overhead.py \
	%D%/overhead_programs.py \
	%D%/overhead_runs.py \
	%D%/overhead_table.py \
	%D%/pages_cachegrind.py \
	%D%/pages_validation.py \
	%D%/paired.py \
	%D%/programs/advised.c \
	%D%/programs/anneal.c \
	%D%/programs/bfs.c \
	%D%/programs/catalog.c \
	%D%/programs/census.c \
	%D%/programs/codec.cc \
	%D%/programs/fivearrays.c \
	%D%/programs/hand_arena.h \
	%D%/programs/histogram.c \
	%D%/programs/imagefilter.c \
	%D%/programs/indexscan.c \
	%D%/programs/isort.c \
	%D%/programs/ledger.cc \
	%D%/programs/listwalk.c \
	%D%/programs/lookup.c \
	%D%/programs/matrix.c \
	%D%/programs/orderbook.c \
	%D%/programs/pagerank.c \
	%D%/programs/palette.c \
	%D%/programs/pugi.cc \
	%D%/programs/relax.c \
	%D%/programs/swarm.c \
	%D%/programs/tour.c \
	%D%/programs/treesum.c \
	%D%/queue/boost.cc \
	%D%/queue/events.h \
	%D%/queue/ring_consumer.cc \
	%D%/queue/ring_producer.cc \
	%D%/remark_decisions.py \
	%D%/public/README.md \
	%D%/public/candidates.py \
	%D%/public/collatz.hoc \
	%D%/public/count.awk \
	%D%/public/inputs.py \
	%D%/public/validation.json \
	%D%/rivals.py \
	%D%/salvage-history.py \
	%D%/sample-overlap.py \
	%D%/sample-truth.py \
	%D%/specialisation.sh \
	%D%/stream-tables.py \
	%D%/value_coder.cc

# Made by hand, or by the scripts: overhead.py needs bench_discard and bench_floor, containers.sh
# dependence_pairs, leap-accuracy.sh leap_accuracy; and
# make backend_modules && ./backend_modules.
EXTRA_PROGRAMS = \
	backend_modules \
	bench_discard \
	bench_floor \
	dependence_pairs \
	leap_accuracy \
	sequitur_speed \
	stream_digest
CLEANFILES += $(EXTRA_PROGRAMS)
bench_backend_libs = runtime/backend/libbackend.a libmemprof-streams.la libmemprof-feedback.la \
	$(TBB_LIBS)
backend_modules_SOURCES = %D%/backend_modules.cc
backend_modules_CPPFLAGS = $(AM_CPPFLAGS) $(GTEST_CFLAGS)
backend_modules_LDADD = $(bench_backend_libs) $(GTEST_LIBS)
bench_discard_SOURCES = %D%/discard.cc
bench_discard_LDADD = $(bench_backend_libs)
bench_floor_SOURCES = \
	%D%/floor.cc \
	runtime/backend/main.cc
bench_floor_LDADD = $(bench_backend_libs)
dependence_pairs_SOURCES = \
	%D%/dependence_pairs.cc \
	%D%/replay.h
dependence_pairs_LDADD = $(bench_backend_libs)
leap_accuracy_SOURCES = \
	%D%/leap_accuracy.cc \
	%D%/mdf_baselines.h \
	%D%/replay.h
leap_accuracy_LDADD = $(bench_backend_libs)
sequitur_speed_SOURCES = %D%/sequitur_speed.cc
sequitur_speed_LDADD = libmemprof-streams.la libmemprof-feedback.la
stream_digest_SOURCES = %D%/stream_digest.cc
stream_digest_LDADD = libmemprof-streams.la libmemprof-feedback.la
