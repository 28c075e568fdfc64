# testsuite/fuzz/local.mk - hostile input: libFuzzer targets, and their corpus in make check.
#
# fuzz_replay has all targets and needs no special compiler. fuzz-KIND has one: run-fuzz.sh makes it in a
# build folder of clang's.
if !CROSS
check_PROGRAMS += fuzz_replay
TESTS += %D%/replay.sh
endif
fuzz_targets = \
	%D%/frames.cc \
	%D%/layouts.cc \
	%D%/profile.cc \
	%D%/rebuild.cc \
	%D%/recorded.cc \
	%D%/remarks.cc \
	%D%/streams.cc \
	%D%/verify.cc \
	%D%/veto.cc
fuzz_common = \
	%D%/mutators.cc \
	%D%/mutators.h \
	%D%/target.cc \
	%D%/target.h \
	consumers/link/object_file.cc \
	consumers/link/object_file.h \
	$(profile_side)
fuzz_replay_SOURCES = $(fuzz_targets) $(fuzz_common) %D%/replay.cc
fuzz_replay_CPPFLAGS = $(libmemprof_cli_a_CPPFLAGS) $(JSON_CFLAGS)
fuzz_replay_LDADD = libmemprof-cli.a runtime/backend/libbackend.a libdecide.la \
	libmemprof-streams.la libmemprof-feedback.la $(TBB_LIBS)

# The objects of fuzz_replay but those of the other targets.
fuzz-%: fuzz_replay
	$(AM_V_GEN)kind=$* objects=; for o in $(fuzz_replay_OBJECTS); do \
		case $$o in */fuzz/fuzz_replay-$$kind.*|*/fuzz_replay-mutators.*|*/fuzz_replay-target.*) ;; \
			%D%/*) continue ;; esac; \
		objects="$$objects $$o"; done; \
	$(LIBTOOL) $(AM_V_lt) --tag=CXX --mode=link $(CXX) $(CXXFLAGS) -fsanitize=fuzzer $(LDFLAGS) -o $@ \
		$$objects $(fuzz_replay_LDADD) $(LIBS)
CLEANFILES += fuzz-*

LONG_TESTS += %D%/run-fuzz.sh
EXTRA_DIST += %D%/corpus %D%/record_input.py %D%/replay.sh %D%/run-fuzz.sh %D%/seeds.sh
