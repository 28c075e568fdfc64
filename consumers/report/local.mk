# consumers/report/local.mk - the page of `memprof report', embedded into the command.
#
# The scripts follow each other in this order in one script element.
report_scripts = \
	$(srcdir)/%D%/base.js \
	$(srcdir)/%D%/table.js \
	$(srcdir)/%D%/charts.js \
	$(srcdir)/%D%/timeline.js \
	$(srcdir)/%D%/answer.js \
	$(srcdir)/%D%/views.js \
	$(srcdir)/%D%/source.js \
	$(srcdir)/%D%/streams.js \
	$(srcdir)/%D%/search.js \
	$(srcdir)/%D%/main.js
report_page = $(srcdir)/%D%/page.html $(srcdir)/%D%/style.css $(report_scripts)
EXTRA_DIST += \
	%D%/answer.js \
	%D%/base.js \
	%D%/charts.js \
	%D%/eslint.json \
	%D%/main.js \
	%D%/page.html \
	%D%/search.js \
	%D%/source.js \
	%D%/streams.js \
	%D%/style.css \
	%D%/table.js \
	%D%/timeline.js \
	%D%/views.js

nodist_libmemprof_cli_a_SOURCES = %D%/page_files.cc
CLEANFILES += %D%/page_files.cc
%D%/page_files.cc: $(report_page)
	$(AM_V_GEN)$(MKDIR_P) %D% && { \
	  echo '#include "consumers/cli/report/page_files.h"'; \
	  echo 'namespace memprof::cli {'; \
	  put () { name=$$1; shift; printf 'const char %s[] =\nR"memprof(' $$name; \
	    cat "$$@"; printf ')memprof";\n'; }; \
	  put k_page_html $(srcdir)/%D%/page.html; \
	  put k_style_css $(srcdir)/%D%/style.css; \
	  put k_script_js $(report_scripts); \
	  echo '}  // namespace memprof::cli'; } >$@.tmp && mv $@.tmp $@
