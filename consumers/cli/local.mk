# consumers/cli/local.mk - the command memprof.
#
# Everything but main is a static library, so that the unit tests link it.
bin_PROGRAMS += memprof
noinst_LIBRARIES += libmemprof-cli.a

libmemprof_cli_a_SOURCES = \
	consumers/elf/debug_file.cc \
	consumers/elf/debug_file.h \
	consumers/elf/elf_sections.cc \
	consumers/elf/elf_sections.h \
	%D%/advice.cc \
	%D%/advice.h \
	%D%/advise_streams.cc \
	%D%/advise_streams.h \
	%D%/answer.cc \
	%D%/answer.h \
	%D%/call_path.cc \
	%D%/call_path.h \
	%D%/change_report.cc \
	%D%/change_report.h \
	%D%/cmd_advise.cc \
	%D%/cmd_annotate.cc \
	%D%/cmd_answer.cc \
	%D%/cmd_check.cc \
	%D%/cmd_diff.cc \
	%D%/cmd_doctor.cc \
	%D%/cmd_explain.cc \
	%D%/cmd_export.cc \
	%D%/cmd_layout.cc \
	%D%/cmd_lsp.cc \
	%D%/cmd_merge.cc \
	%D%/cmd_report.cc \
	%D%/cmd_run.cc \
	%D%/cmd_show.cc \
	%D%/cmd_streams.cc \
	%D%/cmd_trace.cc \
	%D%/cmd_validate.cc \
	%D%/cmd_verify.cc \
	%D%/cmd_veto.cc \
	%D%/command.cc \
	%D%/command.h \
	%D%/export/callgrind.cc \
	%D%/export/cost_rows.cc \
	%D%/export/cost_rows.h \
	%D%/export/csv.cc \
	%D%/export/dot.cc \
	%D%/export/folded.cc \
	%D%/export/formats.cc \
	%D%/export/formats.h \
	%D%/export/ndjson.cc \
	%D%/export/pprof.cc \
	%D%/export/sarif.cc \
	%D%/export/speedscope.cc \
	%D%/installation.cc \
	%D%/installation.h \
	%D%/container_name.cc \
	%D%/container_name.h \
	%D%/header_callers.cc \
	%D%/header_callers.h \
	%D%/layout_growth.cc \
	%D%/layout_growth.h \
	%D%/layout_fix.cc \
	%D%/layout_fix.h \
	%D%/layout_patch.cc \
	%D%/layout_patch.h \
	%D%/line_costs.cc \
	%D%/line_costs.h \
	%D%/loop_report.cc \
	%D%/loop_report.h \
	%D%/lsp/code_facts.cc \
	%D%/lsp/code_facts.h \
	%D%/lsp/server.cc \
	%D%/lsp/server.h \
	%D%/merge_files.cc \
	%D%/merge_files.h \
	%D%/merge_inputs.cc \
	%D%/merge_inputs.h \
	%D%/pager.cc \
	%D%/pager.h \
	%D%/place.cc \
	%D%/place.h \
	%D%/process.cc \
	%D%/process.h \
	%D%/profile_view.cc \
	%D%/profile_view.h \
	%D%/report/answer_view.cc \
	%D%/report/command_line.cc \
	%D%/report/command_line.h \
	%D%/report/decisions_view.cc \
	%D%/report/loops_view.cc \
	%D%/report/memory_view.cc \
	%D%/report/objects_view.cc \
	%D%/report/page.cc \
	%D%/report/page.h \
	%D%/report/page_files.h \
	%D%/report/pages_view.cc \
	%D%/report/report_data.cc \
	%D%/report/report_data.h \
	%D%/report/source_view.cc \
	%D%/report/streams_view.cc \
	%D%/report/timeline_view.cc \
	%D%/report/types_view.cc \
	%D%/report/write_report.cc \
	%D%/report/write_report.h \
	%D%/show_columns.h \
	%D%/show_curves.cc \
	%D%/show_loops.cc \
	%D%/show_objects.cc \
	%D%/show_pages.cc \
	%D%/show_pages.h \
	%D%/show_pairs.cc \
	%D%/show_phases.cc \
	%D%/show_regularity.cc \
	%D%/show_rows.h \
	%D%/show_sites.cc \
	%D%/show_slices.h \
	%D%/show_tables.cc \
	%D%/show_tables.h \
	%D%/show_timeline.cc \
	%D%/source_files.cc \
	%D%/source_files.h \
	%D%/stream_analysis.cc \
	%D%/stream_analysis.h \
	%D%/stream_distribution.cc \
	%D%/stream_distribution.h \
	%D%/stream_levels_report.cc \
	%D%/stream_levels_report.h \
	%D%/stream_profile.cc \
	%D%/stream_profile.h \
	%D%/stream_references.cc \
	%D%/stream_references.h \
	%D%/streams_report.cc \
	%D%/streams_report.h \
	%D%/table.cc \
	%D%/table.h \
	%D%/text_file.cc \
	%D%/text_file.h \
	%D%/trial_report.cc \
	%D%/trial_report.h \
	%D%/verify_builds.cc \
	%D%/verify_builds.h \
	%D%/verify_output.cc \
	%D%/verify_output.h \
	%D%/verify_search.cc \
	%D%/verify_search.h \
	%D%/verify_trials.cc \
	%D%/verify_trials.h
libmemprof_cli_a_CPPFLAGS = $(AM_CPPFLAGS) $(TBB_CFLAGS) \
	-DMEMPROF_PREFIX='"$(prefix)"' \
	-DMEMPROF_BINDIR='"$(bindir)"' \
	-DMEMPROF_LIBDIR='"$(memproflibdir)"' \
	-DMEMPROF_LIBEXECDIR='"$(memproflibexecdir)"'

memprof_SOURCES = %D%/main.cc
# decide before feedback: it uses it.
memprof_LDADD = libmemprof-cli.a libdecide.la libmemprof-streams.la libmemprof-feedback.la \
	$(TBB_LIBS)

# The wrapper, twice, as memprof.specs: for the build tree and for installation.
p = $(TARGET_PREFIX)
compiler_names = $(p)c++ $(p)cc $(p)f77 $(p)f95 $(p)g++ $(p)gcc $(p)gfortran $(NUMBERED_COMPILERS)
wrapped_compilers = $(p)g++ $(p)gcc $(p)gfortran $(NUMBERED_COMPILERS)
wrapper_suffix = `echo '$(TARGET_CC)' | $(SED) -n 's/.*gcc\(-[0-9.]*\)$$/\1/p'`
wrapper_in = $(srcdir)/%D%/compiler-wrapper.in
EXTRA_DIST += %D%/compiler-wrapper.in %D%/memprof.bash %D%/memprof.fish %D%/memprof.zsh
CLEANFILES += compiler-wrapper %D%/compiler-wrapper masquerade-stamp
memproflibexec_SCRIPTS = %D%/compiler-wrapper
noinst_DATA += masquerade-stamp

compiler-wrapper: $(wrapper_in) Makefile
	$(AM_V_GEN)$(SED) -e 's|@specs[@]|$(abs_top_builddir)/memprof.specs|' \
		-e "s|@suffix[@]|$(wrapper_suffix)|" \
		-e 's|@bin_step[@]|.|' $(wrapper_in) >$@.tmp \
	&& chmod +x $@.tmp && mv $@.tmp $@

%D%/compiler-wrapper: $(wrapper_in) Makefile
	$(AM_V_GEN)$(MKDIR_P) %D% \
	&& step=`realpath -m --relative-to='$(memproflibexecdir)' '$(bindir)'` \
	&& $(SED) -e 's|@specs[@]|$(memproflibdir)/memprof.specs|' \
		-e "s|@suffix[@]|$(wrapper_suffix)|" \
		-e "s|@bin_step[@]|$$step|" $(wrapper_in) >$@.tmp \
	&& chmod +x $@.tmp && mv $@.tmp $@

masquerade-stamp: compiler-wrapper
	$(AM_V_GEN)$(MKDIR_P) masquerade && for n in $(compiler_names); do \
		ln -sf ../compiler-wrapper masquerade/$$n || exit 1; done \
	&& for n in $(wrapped_compilers); do \
		ln -sf compiler-wrapper memprof-$$n || exit 1; done && touch $@

# Relative links, so that an installed tree can be moved.
INSTALL_DATA_HOOKS += install-compiler-names
install-compiler-names: install-memproflibexecSCRIPTS
	$(MKDIR_P) '$(DESTDIR)$(memproflibexecdir)/masquerade' '$(DESTDIR)$(bindir)' '$(DESTDIR)$(man1dir)'
	for n in $(compiler_names); do \
		ln -sf ../compiler-wrapper '$(DESTDIR)$(memproflibexecdir)'/masquerade/$$n || exit 1; done
	for n in $(wrapped_compilers); do \
		ln -sfr '$(DESTDIR)$(memproflibexecdir)/compiler-wrapper' '$(DESTDIR)$(bindir)'/memprof-$$n \
		&& echo '.so man1/memprof.1' >'$(DESTDIR)$(man1dir)'/memprof-$$n.1 || exit 1; done
	$(MKDIR_P) '$(DESTDIR)$(bashcompdir)' '$(DESTDIR)$(fishcompdir)' '$(DESTDIR)$(zshcompdir)'
	$(INSTALL_DATA) $(srcdir)/%D%/memprof.bash '$(DESTDIR)$(bashcompdir)/memprof'
	$(INSTALL_DATA) $(srcdir)/%D%/memprof.fish '$(DESTDIR)$(fishcompdir)/memprof.fish'
	$(INSTALL_DATA) $(srcdir)/%D%/memprof.zsh '$(DESTDIR)$(zshcompdir)/_memprof'

UNINSTALL_HOOKS += uninstall-compiler-names
uninstall-compiler-names:
	for n in $(compiler_names); do \
		rm -f '$(DESTDIR)$(memproflibexecdir)'/masquerade/$$n; done
	for n in $(wrapped_compilers); do \
		rm -f '$(DESTDIR)$(bindir)'/memprof-$$n '$(DESTDIR)$(man1dir)'/memprof-$$n.1; done
	rm -f '$(DESTDIR)$(bashcompdir)/memprof' '$(DESTDIR)$(fishcompdir)/memprof.fish' '$(DESTDIR)$(zshcompdir)/_memprof'
	-rmdir '$(DESTDIR)$(memproflibexecdir)/masquerade' 2>/dev/null

CLEAN_HOOKS += clean-masquerade
clean-masquerade:
	rm -rf masquerade memprof-g++* memprof-gcc* memprof-gfortran*
.PHONY: clean-masquerade install-compiler-names uninstall-compiler-names
