# Tables and figures of the papers again: make evaluation, by hand; evaluation-quick in check-long.
EXTRA_DIST += \
	%D%/beyond.py \
	%D%/hybrid.py \
	%D%/leap.py \
	%D%/page.py \
	%D%/programs.py \
	%D%/prompt.py \
	%D%/recordings.py \
	%D%/regularity.py \
	%D%/run.py \
	%D%/shop.py \
	%D%/streams.py \
	%D%/whomp.py

# make evaluation PAPER="leap whomp": only these pages. FRESH=1: measure again what was measured.
evaluation = MEMPROF_SRCDIR='$(abs_top_srcdir)' MEMPROF_BUILDDIR='$(abs_builddir)' MEMPROF_CC='$(CC)' \
	MEMPROF_CXX='$(CXX)' PYTHONDONTWRITEBYTECODE=1 python3 '$(srcdir)/%D%/run.py' $${FRESH:+--fresh}
evaluation: all
	+$(evaluation) $(PAPER)
evaluation-quick: all
	+$(evaluation) --quick $(PAPER)
.PHONY: evaluation evaluation-quick
