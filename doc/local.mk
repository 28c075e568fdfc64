# doc/local.mk - pages and manual pages.
dist_doc_DATA += \
	%D%/adding-a-module.md \
	%D%/architecture.md \
	%D%/build-systems.md \
	%D%/coding-guidelines.md \
	%D%/editors.md \
	%D%/feedback-format.md \
	%D%/gcc-versions.md \
	%D%/glossary.md \
	%D%/limits.md \
	%D%/optimisations.md \
	%D%/options.md \
	%D%/packages.md \
	%D%/pages.md \
	%D%/performance.md \
	%D%/report.md \
	%D%/results.md \
	%D%/regularity.md \
	%D%/scale.md \
	%D%/streams.md \
	%D%/system-calls.md \
	%D%/trust.md \
	%D%/tutorial.md \
	%D%/what-counts.md

reportdir = $(docdir)/report
dist_report_DATA = \
	%D%/report/answer.png \
	%D%/report/changes.png \
	%D%/report/decisions.png \
	%D%/report/loops.png \
	%D%/report/memory.png \
	%D%/report/pages.png \
	%D%/report/regularity.png \
	%D%/report/run.png \
	%D%/report/source.png \
	%D%/report/stream.png \
	%D%/report/streams.png \
	%D%/report/timeline.png \
	%D%/report/types.png

evaluationdir = $(docdir)/evaluation
dist_evaluation_DATA = \
	%D%/evaluation/README.md \
	%D%/evaluation/beyond.md \
	%D%/evaluation/hybrid.md \
	%D%/evaluation/leap.md \
	%D%/evaluation/prompt.md \
	%D%/evaluation/regularity.md \
	%D%/evaluation/streams.md \
	%D%/evaluation/whomp.md
evaluationfiguresdir = $(evaluationdir)/figures
dist_evaluationfigures_DATA = \
	%D%/evaluation/figures/beyond-chain.svg \
	%D%/evaluation/figures/beyond-coalescing.svg \
	%D%/evaluation/figures/hybrid-addresses.svg \
	%D%/evaluation/figures/hybrid-growth.svg \
	%D%/evaluation/figures/hybrid-overhead.svg \
	%D%/evaluation/figures/hybrid-traffic.svg \
	%D%/evaluation/figures/hybrid-walks.svg \
	%D%/evaluation/figures/leap-leap.svg \
	%D%/evaluation/figures/leap-pairs.svg \
	%D%/evaluation/figures/leap-strides.svg \
	%D%/evaluation/figures/leap-windowed.svg \
	%D%/evaluation/figures/prompt-modules.svg \
	%D%/evaluation/figures/prompt-steps.svg \
	%D%/evaluation/figures/regularity-lengths.svg \
	%D%/evaluation/figures/regularity-programs.svg \
	%D%/evaluation/figures/regularity-slowdown.svg \
	%D%/evaluation/figures/streams-lengths.svg \
	%D%/evaluation/figures/streams-misses.svg \
	%D%/evaluation/figures/streams-packing.svg \
	%D%/evaluation/figures/streams-potential.svg \
	%D%/evaluation/figures/streams-sizes.svg \
	%D%/evaluation/figures/streams-skew.svg \
	%D%/evaluation/figures/whomp-saving.svg

examplesdir = $(docdir)/examples
dist_examples_DATA = \
	%D%/examples/list.c \
	%D%/examples/list.memprof.json

man_pages_in = \
	%D%/memprof-backend.1.in \
	%D%/memprof-feedback.5.in \
	%D%/memprof-mpi-merge.1.in \
	%D%/memprof.1.in
EXTRA_DIST += $(man_pages_in)
man_MANS += \
	%D%/memprof-backend.1 \
	%D%/memprof-feedback.5 \
	%D%/memprof.1
if HAVE_MPI
man_MANS += %D%/memprof-mpi-merge.1
endif
CLEANFILES += $(man_MANS) %D%/memprof-mpi-merge.1

%D%/memprof-backend.1: $(top_srcdir)/%D%/memprof-backend.1.in Makefile
	$(AM_V_GEN)$(MKDIR_P) %D% && $(memprof_edit) $(top_srcdir)/%D%/memprof-backend.1.in >$@
%D%/memprof-feedback.5: $(top_srcdir)/%D%/memprof-feedback.5.in Makefile
	$(AM_V_GEN)$(MKDIR_P) %D% && $(memprof_edit) $(top_srcdir)/%D%/memprof-feedback.5.in >$@
%D%/memprof-mpi-merge.1: $(top_srcdir)/%D%/memprof-mpi-merge.1.in Makefile
	$(AM_V_GEN)$(MKDIR_P) %D% && $(memprof_edit) $(top_srcdir)/%D%/memprof-mpi-merge.1.in >$@
%D%/memprof.1: $(top_srcdir)/%D%/memprof.1.in Makefile
	$(AM_V_GEN)$(MKDIR_P) %D% && $(memprof_edit) $(top_srcdir)/%D%/memprof.1.in >$@
