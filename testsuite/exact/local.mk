# The exactness test: an independent plugin logs every access, scripts of its
# own work out the profile, and compare (differential.py).
check_LTLIBRARIES += %D%/oracle.la
%C%_oracle_la_SOURCES = \
	%D%/oracle.h \
	%D%/oracle_calls.cc \
	%D%/oracle_plugin.cc \
	%D%/oracle_scan.cc
%C%_oracle_la_CPPFLAGS = $(GCC_PLUGIN_CPPFLAGS) $(AM_CPPFLAGS)
%C%_oracle_la_CXXFLAGS = $(AM_CXXFLAGS) -fno-rtti -fno-exceptions
# -rpath makes libtool build a shared object although nothing is installed.
%C%_oracle_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere \
	-export-symbols-regex '^plugin_'

# Linked into the tested programs, which are plain C.
check_DATA += %D%/oracle_runtime.o
%D%/oracle_runtime.o: %D%/oracle_runtime.c
	$(AM_V_CC)$(MKDIR_P) %D% && $(TARGET_CC) -O2 -Wall -Wextra -c -o $@ \
	  $(srcdir)/%D%/oracle_runtime.c

EXACT_TESTS = \
	%D%/exact-faults.sh \
	%D%/exact-self-check.sh \
	%D%/exact-short.sh \
	%D%/exact-threads.sh \
	%D%/valid-profiles.sh

TESTS += $(EXACT_TESTS)
LONG_TESTS += \
	%D%/exact-long.sh \
	%D%/exact-threads-long.sh \
	%D%/valid-profiles-long.sh
CLEANFILES += %D%/oracle_runtime.o
EXTRA_DIST += \
	$(EXACT_TESTS) \
	%D%/analyse.py \
	%D%/analysis.py \
	%D%/differential.py \
	%D%/exact-long.sh \
	%D%/exact-threads-long.sh \
	%D%/generate.py \
	%D%/kernels.py \
	%D%/module_tables.py \
	%D%/observers.py \
	%D%/oracle_runtime.c \
	%D%/pointer_kernels.py \
	%D%/self_check.py \
	%D%/threads.py \
	%D%/valid-profiles-long.sh \
	%D%/valid_profiles.py \
	%D%/values.py \
	%D%/zero_size.c \
	%D%/zero_size.cc \
	%D%/zero_size.f90
