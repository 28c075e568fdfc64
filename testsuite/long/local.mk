# Tests with real programs from Debian's sources: make check-long.
EXTRA_DIST += \
	%D%/debian-source.sh \
	%D%/browser.py \
	%D%/enlarge_profile.py \
	%D%/export_speedscope.py \
	%D%/fault_injection.py \
	%D%/follow_page.py \
	%D%/gcc_tests.py \
	%D%/inline_chains.py \
	%D%/moved_fields.py \
	%D%/mutated_profiles.py \
	%D%/permuted_profiles.py \
	%D%/chroot.inc \
	%D%/corpus.list \
	%D%/corpus.py \
	%D%/corpus.sh \
	%D%/real-program.inc \
	%D%/report_browser.py
LONG_TESTS += \
	%D%/adding-a-module.sh \
	%D%/arm64.sh \
	%D%/advise-agrees.sh \
	%D%/bench-quick.sh \
	%D%/build-tools.sh \
	%D%/bzip2.sh \
	%D%/configure.sh \
	%D%/container.sh \
	%D%/duckdb.sh \
	%D%/eager-prefetch.sh \
	%D%/editor.sh \
	%D%/evaluation-quick.sh \
	%D%/export-pprof.sh \
	%D%/export-speedscope.sh \
	%D%/fault-injection.sh \
	%D%/feedback-fuzz.sh \
	%D%/gcc-tests.sh \
	%D%/gcc-versions.sh \
	%D%/gzip.sh \
	%D%/inline-chains.sh \
	%D%/match-functions.sh \
	%D%/moved-fields.sh \
	%D%/mpi-orders.sh \
	%D%/mutated-profiles.sh \
	%D%/packages.sh \
	%D%/permuted-profiles.sh \
	%D%/real-programs.sh \
	%D%/report-browser.sh \
	%D%/reproducible.sh \
	%D%/sample-decisions.sh \
	%D%/sanitizers.sh \
	%D%/streams-expand.sh
