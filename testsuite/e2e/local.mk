# End-to-end tests: one shell script per case, sorted; common.inc has the helpers.
TEST_EXTENSIONS = .sh
SH_LOG_COMPILER = $(SHELL)
AM_TESTS_ENVIRONMENT = \
	MEMPROF_SRCDIR='$(abs_top_srcdir)'; export MEMPROF_SRCDIR; \
	MEMPROF_BUILDDIR='$(abs_top_builddir)'; export MEMPROF_BUILDDIR; \
	MEMPROF_PYTHON='$(PYTHON)'; export MEMPROF_PYTHON; \
	MEMPROF_CC='$(CC)'; export MEMPROF_CC; \
	MEMPROF_CXX='$(CXX)'; export MEMPROF_CXX; \
	MEMPROF_FC='$(FC)'; export MEMPROF_FC; \
	MEMPROF_MAKE='$(MAKE)'; export MEMPROF_MAKE;
