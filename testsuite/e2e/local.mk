# End-to-end tests: one shell script per case, sorted, one per line; common.inc
# has the helpers.
TEST_EXTENSIONS = .sh
SH_LOG_COMPILER = $(SHELL)
# test-times: what each test took when it ran last, slowest first.
keep_time = flock 9; took=$$(((`date +%s%N` - start) / 100000000)); \
	{ echo "$$((took / 10)).$$((took % 10)) s $(@:.log=)"; grep -v " $(@:.log=)\$$" test-times; } \
	| sort -rn >test-times.new; mv test-times.new test-times
CLEANFILES += test-times test-times.lock
AM_TESTS_ENVIRONMENT = \
	start=`date +%s%N`; trap '{ touch test-times; $(keep_time); } 9>test-times.lock' 0; \
	MEMPROF_SRCDIR='$(abs_top_srcdir)'; export MEMPROF_SRCDIR; \
	MEMPROF_BUILDDIR='$(abs_top_builddir)'; export MEMPROF_BUILDDIR; \
	MEMPROF_PREFIX='$(MEMPROF_PREFIX)'; export MEMPROF_PREFIX; \
	MEMPROF_COMMAND='$(MEMPROF_COMMAND)'; export MEMPROF_COMMAND; \
	MEMPROF_PYTHON='$(PYTHON)'; export MEMPROF_PYTHON; \
	MEMPROF_CC='$(TARGET_CC)'; export MEMPROF_CC; \
	MEMPROF_CXX='$(TARGET_CXX)'; export MEMPROF_CXX; \
	MEMPROF_HOST_CXX='$(CXX)'; export MEMPROF_HOST_CXX; \
	MEMPROF_FC='$(TARGET_FC)'; export MEMPROF_FC; \
	MEMPROF_MAKE='$(MAKE)'; export MEMPROF_MAKE;

# Cases that take too long for `make check'; other folders add theirs.
LONG_TESTS = \
	%D%/rt/recursive-alloc-long.sh \
	%D%/rt/sleeper-long.sh \
	%D%/rt/thread-churn-long.sh \
	%D%/use/variable-pages.sh \
	%D%/use/versioning-faults.sh

E2E_TESTS = \
	%D%/cli/advise-agrees.sh \
	%D%/cli/annotate.sh \
	%D%/cli/answer.sh \
	%D%/cli/backend-ends.sh \
	%D%/cli/completion.sh \
	%D%/cli/diff-changes.sh \
	%D%/cli/doc-examples.sh \
	%D%/cli/doctor.sh \
	%D%/cli/errors.sh \
	%D%/cli/export.sh \
	%D%/cli/feedback-diff.sh \
	%D%/cli/feedback-merge.sh \
	%D%/cli/feedback-module.sh \
	%D%/cli/feedback-runs.sh \
	%D%/cli/feedback-use.sh \
	%D%/cli/feedback-validate.sh \
	%D%/cli/foreign-files.sh \
	%D%/cli/foreign-sources.sh \
	%D%/cli/foreign-streams.sh \
	%D%/cli/header-loops.sh \
	%D%/cli/huge-types.sh \
	%D%/cli/inlined.sh \
	%D%/cli/install.sh \
	%D%/cli/layout-baseline.sh \
	%D%/cli/layout-patch.sh \
	%D%/cli/library-lines.sh \
	%D%/cli/loop-report.sh \
	%D%/cli/lsp.sh \
	%D%/cli/masquerade.sh \
	%D%/cli/merge-inputs.sh \
	%D%/cli/merge-library.sh \
	%D%/cli/mpi-merge.sh \
	%D%/cli/mpi-recipe.sh \
	%D%/cli/profile.sh \
	%D%/cli/report.sh \
	%D%/cli/run.sh \
	%D%/cli/special-files.sh \
	%D%/cli/verify-field-order.sh \
	%D%/cli/verify-make.sh \
	%D%/cli/verify-search.sh \
	%D%/cli/verify-trials.sh \
	%D%/cli/veto.sh \
	%D%/gen/avx512-builtins.sh \
	%D%/gen/bit-fields.sh \
	%D%/gen/compared-strings.sh \
	%D%/gen/compiles.sh \
	%D%/gen/coroutines.sh \
	%D%/gen/cxx-classes.sh \
	%D%/gen/dependence-parts.sh \
	%D%/gen/exceptions.sh \
	%D%/gen/exchange.sh \
	%D%/gen/expression-text.sh \
	%D%/gen/fortran-arrays.sh \
	%D%/gen/fortran-calls.sh \
	%D%/gen/gimple.sh \
	%D%/gen/latch-words.sh \
	%D%/gen/late-warnings.sh \
	%D%/gen/left-alone.sh \
	%D%/gen/left-loops.sh \
	%D%/gen/levels.sh \
	%D%/gen/local-births.sh \
	%D%/gen/loop-entries.sh \
	%D%/gen/loop-runs.sh \
	%D%/gen/loops.sh \
	%D%/gen/machine-builtins.sh \
	%D%/gen/many-alloc-sites.sh \
	%D%/gen/memcpy-dependence.sh \
	%D%/gen/ms-abi.sh \
	%D%/gen/nests.sh \
	%D%/gen/no-functions.sh \
	%D%/gen/optimize.sh \
	%D%/gen/pools.sh \
	%D%/gen/range-order.sh \
	%D%/gen/record-joins.sh \
	%D%/gen/record-room.sh \
	%D%/gen/segment-relative.sh \
	%D%/gen/source-places.sh \
	%D%/gen/store-forward.sh \
	%D%/gen/text-length.sh \
	%D%/gen/threaded-loop.sh \
	%D%/gen/warnings-once.sh \
	%D%/gen/wrapping-index.sh \
	%D%/modules/address-space.sh \
	%D%/modules/cache-misses.sh \
	%D%/modules/contexts.sh \
	%D%/modules/dead-stores.sh \
	%D%/modules/never-met.sh \
	%D%/modules/pages-pagemap.sh \
	%D%/modules/pages-validation.sh \
	%D%/modules/pages.sh \
	%D%/modules/pointers.sh \
	%D%/modules/privatisation.sh \
	%D%/modules/regularity-options.sh \
	%D%/modules/regularity-rules.sh \
	%D%/modules/regularity.sh \
	%D%/modules/sharing.sh \
	%D%/modules/targets.sh \
	%D%/modules/timeline.sh \
	%D%/modules/values.sh \
	%D%/rt/aligned-objects.sh \
	%D%/rt/alloc.sh \
	%D%/rt/as-needed.sh \
	%D%/rt/async-cancel.sh \
	%D%/rt/atomic-order.sh \
	%D%/rt/backend-killed.sh \
	%D%/rt/children.sh \
	%D%/rt/compiled.sh \
	%D%/rt/control-threads.sh \
	%D%/rt/control.sh \
	%D%/rt/disk-full.sh \
	%D%/rt/dlopen.sh \
	%D%/rt/events.sh \
	%D%/rt/exec.sh \
	%D%/rt/exit-status.sh \
	%D%/rt/exit-threads.sh \
	%D%/rt/exit.sh \
	%D%/rt/external-writes.sh \
	%D%/rt/failed-allocation.sh \
	%D%/rt/few-accesses.sh \
	%D%/rt/few-addresses.sh \
	%D%/rt/file.sh \
	%D%/rt/first-site.sh \
	%D%/rt/float-traps.sh \
	%D%/rt/fork-idle.sh \
	%D%/rt/fork-sampled.sh \
	%D%/rt/fork.sh \
	%D%/rt/globals-only.sh \
	%D%/rt/huge-mapping.sh \
	%D%/rt/invisible.sh \
	%D%/rt/killed.sh \
	%D%/rt/labels.sh \
	%D%/rt/last-thread.sh \
	%D%/rt/local-statics.sh \
	%D%/rt/lto.sh \
	%D%/rt/mappings.sh \
	%D%/rt/no-clock.sh \
	%D%/rt/odd-stack.sh \
	%D%/rt/openmp.sh \
	%D%/rt/output-trouble.sh \
	%D%/rt/places.sh \
	%D%/rt/plain-calls.sh \
	%D%/rt/preinit.sh \
	%D%/rt/recursive-alloc.sh \
	%D%/rt/replay-options.sh \
	%D%/rt/same-names.sh \
	%D%/rt/sample-ring.sh \
	%D%/rt/seccomp.sh \
	%D%/rt/secure.sh \
	%D%/rt/shared-library.sh \
	%D%/rt/short-life.sh \
	%D%/rt/signal-jumps.sh \
	%D%/rt/signal-steps.sh \
	%D%/rt/signals.sh \
	%D%/rt/small-stack.sh \
	%D%/rt/starter-killed.sh \
	%D%/rt/static-link.sh \
	%D%/rt/static.sh \
	%D%/rt/streams-untouched.sh \
	%D%/rt/thread-churn.sh \
	%D%/rt/thread-stacks.sh \
	%D%/rt/threads-chunks.sh \
	%D%/rt/threads-many.sh \
	%D%/rt/threads.sh \
	%D%/rt/trouble-unseen.sh \
	%D%/rt/trouble.sh \
	%D%/rt/unknown-callees.sh \
	%D%/rt/unseen-starts.sh \
	%D%/rt/unwind-steps.sh \
	%D%/sample/calls.sh \
	%D%/sample/decisions.sh \
	%D%/sample/default.sh \
	%D%/sample/entries.sh \
	%D%/sample/first.sh \
	%D%/sample/goto-first.sh \
	%D%/sample/groups.sh \
	%D%/sample/inferred-dependences.sh \
	%D%/sample/loops.sh \
	%D%/sample/mode.sh \
	%D%/sample/modules.sh \
	%D%/sample/objects-mode.sh \
	%D%/sample/places.sh \
	%D%/sample/record-steps.sh \
	%D%/sample/shared.sh \
	%D%/sample/types.sh \
	%D%/sample/windows.sh \
	%D%/specs/ccache.sh \
	%D%/specs/cmake.sh \
	%D%/specs/equals-signs.sh \
	%D%/specs/errors.sh \
	%D%/specs/flags.sh \
	%D%/specs/languages.sh \
	%D%/specs/lto.sh \
	%D%/specs/meson.sh \
	%D%/specs/modes.sh \
	%D%/specs/musl.sh \
	%D%/specs/nothing.sh \
	%D%/specs/other-plugin.sh \
	%D%/specs/shared.sh \
	%D%/specs/static.sh \
	%D%/specs/twice.sh \
	%D%/specs/values.sh \
	%D%/streams/expand.sh \
	%D%/streams/hot.sh \
	%D%/streams/trace.sh \
	%D%/streams/trouble.sh \
	%D%/use/address-kinds.sh \
	%D%/use/arena-churn.sh \
	%D%/use/arena-errno.sh \
	%D%/use/arena-faults.sh \
	%D%/use/arena-others.sh \
	%D%/use/auto-profile.sh \
	%D%/use/bad-profile.sh \
	%D%/use/branch-counts.sh \
	%D%/use/build-systems.sh \
	%D%/use/choices.sh \
	%D%/use/co-allocation.sh \
	%D%/use/debug-file.sh \
	%D%/use/dlerror.sh \
	%D%/use/environment.sh \
	%D%/use/field-order-cxx.sh \
	%D%/use/field-order-foreign.sh \
	%D%/use/field-order-link.sh \
	%D%/use/field-order-obstacles.sh \
	%D%/use/field-order-precompiled.sh \
	%D%/use/field-order-rebuild.sh \
	%D%/use/grown-blocks.sh \
	%D%/use/heap-aligned.sh \
	%D%/use/heap-pages.sh \
	%D%/use/hot-functions.sh \
	%D%/use/huge-blocks.sh \
	%D%/use/huge-pages-cxx.sh \
	%D%/use/huge-pages-walks.sh \
	%D%/use/huge-pages.sh \
	%D%/use/indirect.sh \
	%D%/use/inlined.sh \
	%D%/use/languages.sh \
	%D%/use/layout.sh \
	%D%/use/keeps-loads.sh \
	%D%/use/larger-inputs.sh \
	%D%/use/late-limits.sh \
	%D%/use/library-symbols.sh \
	%D%/use/linked.sh \
	%D%/use/lists.sh \
	%D%/use/malloc-checker.sh \
	%D%/use/match-statics.sh \
	%D%/use/match-twins.sh \
	%D%/use/no-profile.sh \
	%D%/use/opt-info.sh \
	%D%/use/options.sh \
	%D%/use/other-options.sh \
	%D%/use/parallel-loops.sh \
	%D%/use/plain-vectors.sh \
	%D%/use/prefetch-faults.sh \
	%D%/use/qualifier-table.sh \
	%D%/use/qualifiers.sh \
	%D%/use/remark-places.sh \
	%D%/use/reused-objects.sh \
	%D%/use/runtime-parts.sh \
	%D%/use/salvage.sh \
	%D%/use/same-addresses.sh \
	%D%/use/search.sh \
	%D%/use/seen-loads.sh \
	%D%/use/stale.sh \
	%D%/use/streaming-faults.sh \
	%D%/use/streaming-threads.sh \
	%D%/use/streaming.sh \
	%D%/use/strided.sh \
	%D%/use/tune-threads.sh \
	%D%/use/tune.sh \
	%D%/use/two-loads.sh \
	%D%/use/versioning-left.sh \
	%D%/use/versioning-nest.sh \
	%D%/use/versioning-overlap.sh \
	%D%/use/versioning-vectors.sh \
	%D%/use/veto.sh \
	%D%/use/warnings.sh \
	%D%/use/with-pgo.sh \
	%D%/use/wrapped-arenas.sh

if TARGET_AARCH64
E2E_TESTS += %D%/gen/vector-structures.sh
endif

TESTS += $(E2E_TESTS)
EXTRA_DIST += \
	$(E2E_TESTS) \
	$(LONG_TESTS) \
	%D%/cli/doc_session.py \
	%D%/cli/export_readers.py \
	%D%/cli/lsp_client.py \
	%D%/cli/report_data.py \
	%D%/common.inc \
	%D%/faults.inc \
	%D%/gen/vector-structures.sh \
	%D%/mpi.inc \
	%D%/profile_checks.py \
	%D%/rt.inc \
	%D%/src/aheads.c \
	%D%/src/arena.h \
	%D%/src/arena_churn.cc \
	%D%/src/entries.c \
	%D%/src/gather.c \
	%D%/src/layouts.c \
	%D%/src/layouts.h \
	%D%/src/layouts_other.c \
	%D%/src/overlaps.c \
	%D%/src/streams.c \
	%D%/src/statements.c

# The runtime without the plugin: cases of rt/ whose programs write records by hand.
if !CROSS
check_PROGRAMS += %D%/rt/consumer
else
check_DATA += %D%/rt/consumer
%D%/rt/consumer: %D%/rt/consumer.cc
	$(AM_V_CXX)$(MKDIR_P) %D%/rt && $(TARGET_CXX) -std=c++20 -O2 $(AM_CPPFLAGS) -o $@ $(srcdir)/%D%/rt/consumer.cc
endif
%C%_rt_consumer_SOURCES = %D%/rt/consumer.cc
noinst_HEADERS += %D%/rt/hand.h %D%/rt/jumps.h %D%/rt/steps.h

# make installcheck: the same cases with what `make install' has installed.
installcheck-local:
	+@$(MAKE) check-TESTS TESTS='$(E2E_TESTS)' \
	  MEMPROF_PREFIX='$(DESTDIR)$(prefix)' \
	  MEMPROF_COMMAND='$(DESTDIR)$(bindir)/memprof'

# make check-e2e CC=gcc-13 CXX=g++-13 FC=gfortran-13: the same cases with another compiler that
# there is a plugin for.
check-e2e: all $(check_PROGRAMS) $(check_DATA)
	+@$(MAKE) check-TESTS TESTS='$(E2E_TESTS)'
.PHONY: check-e2e

# make quick: for the inner loop, one case of each folder and unit tests, but for those that try
# many programs, orders or damaged files and take half of the time.
QUICK_FILTER = -*Oracle*:*Simulator*:*BruteForce*:*Corrupt*:*.Sampled*:*SayWhatTheir*:Hostile.*:MergeOrder.Any*:NeverMet.HoldsFor*:SessionTest.TheNumberOf*
QUICK_TESTS = $(UNIT_TESTS) \
	%D%/cli/veto.sh \
	%D%/gen/loops.sh \
	%D%/rt/exit.sh \
	%D%/sample/windows.sh \
	%D%/specs/flags.sh \
	%D%/use/indirect.sh \
	testsuite/policy/layering.sh \
	testsuite/policy/lengths.sh
quick: all $(UNIT_TESTS)
	+@GTEST_FILTER='$(QUICK_FILTER)' $(MAKE) check-TESTS TESTS='$(QUICK_TESTS)'
.PHONY: quick

check-long: all $(check_PROGRAMS) $(check_LTLIBRARIES)
	+@$(MAKE) check-TESTS TESTS='$(LONG_TESTS)'
.PHONY: check-long
