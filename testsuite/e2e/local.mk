# End-to-end tests: one shell script per case, sorted, one per line; common.inc
# has the helpers.
TEST_EXTENSIONS = .sh
SH_LOG_COMPILER = $(SHELL)
AM_TESTS_ENVIRONMENT = \
	MEMPROF_SRCDIR='$(abs_top_srcdir)'; export MEMPROF_SRCDIR; \
	MEMPROF_BUILDDIR='$(abs_top_builddir)'; export MEMPROF_BUILDDIR; \
	MEMPROF_PREFIX='$(MEMPROF_PREFIX)'; export MEMPROF_PREFIX; \
	MEMPROF_COMMAND='$(MEMPROF_COMMAND)'; export MEMPROF_COMMAND; \
	MEMPROF_PYTHON='$(PYTHON)'; export MEMPROF_PYTHON; \
	MEMPROF_CC='$(CC)'; export MEMPROF_CC; \
	MEMPROF_CXX='$(CXX)'; export MEMPROF_CXX; \
	MEMPROF_FC='$(FC)'; export MEMPROF_FC; \
	MEMPROF_MAKE='$(MAKE)'; export MEMPROF_MAKE;

# Cases that take too long for `make check'; other folders add theirs.
LONG_TESTS = \
	%D%/recursive-alloc-long.sh \
	%D%/rt-sleeper-long.sh \
	%D%/thread-churn-long.sh \
	%D%/versioning-faults.sh

E2E_TESTS = \
	%D%/aligned-objects.sh \
	%D%/arena-churn.sh \
	%D%/arena-errno.sh \
	%D%/arena-faults.sh \
	%D%/arena-others.sh \
	%D%/atomic-order.sh \
	%D%/cache-misses.sh \
	%D%/cli-completion.sh \
	%D%/cli-doctor.sh \
	%D%/cli-errors.sh \
	%D%/cli-install.sh \
	%D%/cli-masquerade.sh \
	%D%/cli-profile.sh \
	%D%/cli-run.sh \
	%D%/compared-strings.sh \
	%D%/contexts.sh \
	%D%/control-threads.sh \
	%D%/control.sh \
	%D%/cxx-classes.sh \
	%D%/dead-stores.sh \
	%D%/doc-examples.sh \
	%D%/early-iterations.sh \
	%D%/events.sh \
	%D%/exit-status.sh \
	%D%/expression-text.sh \
	%D%/external-writes.sh \
	%D%/failed-allocation.sh \
	%D%/feedback-diff.sh \
	%D%/feedback-merge.sh \
	%D%/feedback-module.sh \
	%D%/feedback-runs.sh \
	%D%/feedback-use.sh \
	%D%/feedback-validate.sh \
	%D%/few-accesses.sh \
	%D%/first-site.sh \
	%D%/fortran-arrays.sh \
	%D%/fortran-calls.sh \
	%D%/gen-compiles.sh \
	%D%/gen-exceptions.sh \
	%D%/gen-exchange.sh \
	%D%/gen-gimple.sh \
	%D%/gen-left-alone.sh \
	%D%/gen-loops.sh \
	%D%/gen-levels.sh \
	%D%/gen-ms-abi.sh \
	%D%/gen-optimize.sh \
	%D%/globals-only.sh \
	%D%/index-sums.sh \
	%D%/inferred-dependences.sh \
	%D%/latch-words.sh \
	%D%/layout-cxx.sh \
	%D%/layout-foreign.sh \
	%D%/layout-obstacles.sh \
	%D%/layout-precompiled.sh \
	%D%/layout-rebuild.sh \
	%D%/layout.sh \
	%D%/left-loops.sh \
	%D%/local-births.sh \
	%D%/loop-entries.sh \
	%D%/loop-report.sh \
	%D%/loop-runs.sh \
	%D%/lto.sh \
	%D%/memcpy-dependence.sh \
	%D%/nests.sh \
	%D%/objects-mode.sh \
	%D%/plain-calls.sh \
	%D%/pointers.sh \
	%D%/prefetch-faults.sh \
	%D%/privatisation.sh \
	%D%/range-order.sh \
	%D%/record-joins.sh \
	%D%/record-room.sh \
	%D%/recursive-alloc.sh \
	%D%/rt-alloc.sh \
	%D%/rt-as-needed.sh \
	%D%/rt-backend-killed.sh \
	%D%/rt-children.sh \
	%D%/rt-compiled.sh \
	%D%/rt-disk-full.sh \
	%D%/rt-dlopen.sh \
	%D%/rt-exec.sh \
	%D%/rt-exit-threads.sh \
	%D%/rt-exit.sh \
	%D%/rt-few-addresses.sh \
	%D%/rt-file.sh \
	%D%/rt-float-traps.sh \
	%D%/rt-fork.sh \
	%D%/rt-huge-mapping.sh \
	%D%/rt-invisible.sh \
	%D%/rt-killed.sh \
	%D%/rt-last-thread.sh \
	%D%/rt-local-statics.sh \
	%D%/rt-odd-stack.sh \
	%D%/rt-openmp.sh \
	%D%/rt-output-trouble.sh \
	%D%/rt-places.sh \
	%D%/rt-preinit.sh \
	%D%/rt-sample-ring.sh \
	%D%/rt-secure.sh \
	%D%/rt-signal-jumps.sh \
	%D%/rt-signal-steps.sh \
	%D%/rt-signals.sh \
	%D%/rt-small-stack.sh \
	%D%/rt-static.sh \
	%D%/rt-thread-stacks.sh \
	%D%/rt-threads-chunks.sh \
	%D%/rt-threads-many.sh \
	%D%/rt-threads.sh \
	%D%/rt-trouble-unseen.sh \
	%D%/rt-trouble.sh \
	%D%/same-names.sh \
	%D%/sample-calls.sh \
	%D%/sample-first.sh \
	%D%/sample-goto-first.sh \
	%D%/sample-loops.sh \
	%D%/sample-mode.sh \
	%D%/sample-places.sh \
	%D%/sample-shared.sh \
	%D%/sample-types.sh \
	%D%/shared-library.sh \
	%D%/sharing.sh \
	%D%/short-life.sh \
	%D%/specs-ccache.sh \
	%D%/specs-cmake.sh \
	%D%/specs-errors.sh \
	%D%/specs-flags.sh \
	%D%/specs-languages.sh \
	%D%/specs-lto.sh \
	%D%/specs-meson.sh \
	%D%/specs-modes.sh \
	%D%/specs-nothing.sh \
	%D%/specs-other-plugin.sh \
	%D%/specs-shared.sh \
	%D%/specs-static.sh \
	%D%/specs-twice.sh \
	%D%/specs-values.sh \
	%D%/static-link.sh \
	%D%/store-forward.sh \
	%D%/streams-untouched.sh \
	%D%/targets.sh \
	%D%/text-length.sh \
	%D%/thread-churn.sh \
	%D%/use-bad-profile.sh \
	%D%/use-environment.sh \
	%D%/use-huge-blocks.sh \
	%D%/use-huge-pages.sh \
	%D%/use-huge-pages-cxx.sh \
	%D%/use-indirect.sh \
	%D%/use-languages.sh \
	%D%/use-linked.sh \
	%D%/use-match-statics.sh \
	%D%/use-no-profile.sh \
	%D%/use-opt-info.sh \
	%D%/use-options.sh \
	%D%/use-other-options.sh \
	%D%/use-stale.sh \
	%D%/use-strided.sh \
	%D%/use-two-loads.sh \
	%D%/use-veto.sh \
	%D%/values.sh \
	%D%/verify-layout.sh \
	%D%/verify-make.sh \
	%D%/verify-search.sh \
	%D%/versioning-left.sh \
	%D%/versioning-nest.sh \
	%D%/versioning-overlap.sh \
	%D%/versioning-vectors.sh \
	%D%/wrapping-index.sh

TESTS += $(E2E_TESTS)
EXTRA_DIST += \
	$(E2E_TESTS) \
	$(LONG_TESTS) \
	%D%/common.inc \
	%D%/doc_session.py \
	%D%/faults.inc \
	%D%/rt.inc \
	%D%/profile_checks.py \
	%D%/src/aheads.c \
	%D%/src/arena.h \
	%D%/src/arena_churn.cc \
	%D%/src/gather.c \
	%D%/src/layouts.c \
	%D%/src/layouts.h \
	%D%/src/layouts_other.c \
	%D%/src/overlaps.c \
	%D%/src/statements.c

# The runtime by itself: rt-*.sh.
check_PROGRAMS += %D%/rt/consumer
%C%_rt_consumer_SOURCES = %D%/rt/consumer.cc
noinst_HEADERS += %D%/rt/hand.h %D%/rt/jumps.h

# make installcheck: the same cases with what `make install' has installed.
installcheck-local:
	+@$(MAKE) check-TESTS TESTS='$(E2E_TESTS)' \
	  MEMPROF_PREFIX='$(DESTDIR)$(prefix)' \
	  MEMPROF_COMMAND='$(DESTDIR)$(bindir)/memprof'

check-long: all $(check_PROGRAMS) $(check_LTLIBRARIES)
	+@$(MAKE) check-TESTS TESTS='$(LONG_TESTS)'
.PHONY: check-long
