# Tests with real programs from Debian's sources: make check-long.
EXTRA_DIST += \
	%D%/bzip2.sh \
	%D%/configure.sh \
	%D%/debian-source.sh \
	%D%/gzip.sh \
	%D%/match-functions.sh \
	%D%/real-program.inc
LONG_TESTS += %D%/feedback-fuzz.sh
