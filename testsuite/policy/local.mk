# Rules of the source tree itself.
POLICY_TESTS = \
	%D%/documented.sh \
	%D%/harness.sh \
	%D%/javascript.sh \
	%D%/layering.sh \
	%D%/lengths.sh \
	%D%/one-definition.sh \
	%D%/plugin-headers.sh \
	%D%/prefetches.sh \
	%D%/shared-memory.sh \
	%D%/tracked-files.sh \
	%D%/undefined-symbols.sh

TESTS += $(POLICY_TESTS)
EXTRA_DIST += %D%/layering.py %D%/lengths.py %D%/one_definition.py $(POLICY_TESTS)
