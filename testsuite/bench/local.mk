# Benchmarks: run by hand, never in check.
EXTRA_DIST += \
	%D%/closed-loop.sh \
	%D%/paired.py
