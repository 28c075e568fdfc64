# plugin/local.mk - memprof.so, the compile-time half: the only GCC code.
memproflib_LTLIBRARIES = %D%/memprof.la

%C%_memprof_la_SOURCES = \
	%D%/access_sites.cc \
	%D%/access_sites.h \
	%D%/addressable.cc \
	%D%/addressable.h \
	%D%/affine_ranges.cc \
	%D%/affine_ranges.h \
	%D%/alloc_sites.cc \
	%D%/alloc_sites.h \
	%D%/apply_arena.cc \
	%D%/apply_arena.h \
	%D%/apply_layout.cc \
	%D%/apply_layout.h \
	%D%/apply_prefetch.cc \
	%D%/apply_prefetch.h \
	%D%/apply_versioning.cc \
	%D%/apply_versioning.h \
	%D%/asm_builder.h \
	%D%/block_describer.cc \
	%D%/block_describer.h \
	%D%/bridge.h \
	%D%/builtin_decls.cc \
	%D%/builtin_decls.h \
	%D%/byte_range.cc \
	%D%/byte_range.h \
	%D%/code_options.cc \
	%D%/code_options.h \
	%D%/companions.cc \
	%D%/companions.h \
	%D%/countdown.cc \
	%D%/countdown.h \
	%D%/cxx_class.cc \
	%D%/cxx_class.h \
	%D%/descriptor_table.cc \
	%D%/descriptor_table.h \
	%D%/early_iterations.cc \
	%D%/edge_places.cc \
	%D%/edge_places.h \
	%D%/effective_type.cc \
	%D%/effective_type.h \
	%D%/function_key.cc \
	%D%/function_key.h \
	%D%/gcc-common.h \
	%D%/gen_pass.cc \
	%D%/gen_pass.h \
	%D%/globals.cc \
	%D%/globals.h \
	%D%/guarded_call.cc \
	%D%/guarded_call.h \
	%D%/invariant_loads.cc \
	%D%/invariant_loads.h \
	%D%/late_summaries.cc \
	%D%/late_summaries.h \
	%D%/length_code.cc \
	%D%/length_code.h \
	%D%/linear_value.cc \
	%D%/linear_value.h \
	%D%/local_objects.cc \
	%D%/local_objects.h \
	%D%/look_ahead.cc \
	%D%/look_ahead.h \
	%D%/look_ahead_code.cc \
	%D%/loop_events.cc \
	%D%/loop_events.h \
	%D%/loop_facts.cc \
	%D%/loop_facts.h \
	%D%/loop_memory.cc \
	%D%/loop_memory.h \
	%D%/loop_runs.cc \
	%D%/loop_runs.h \
	%D%/loop_versioner.cc \
	%D%/loop_versioner.h \
	%D%/memory_functions.cc \
	%D%/memory_functions.def \
	%D%/memory_functions.h \
	%D%/narrow_index.cc \
	%D%/narrow_index.h \
	%D%/nests.cc \
	%D%/nests.h \
	%D%/object_root.cc \
	%D%/object_root.h \
	%D%/options.cc \
	%D%/options.h \
	%D%/plugin.cc \
	%D%/plain_body.cc \
	%D%/plain_body.h \
	%D%/profile_match.cc \
	%D%/profile_rows.h \
	%D%/profile_views.cc \
	%D%/quiet_loops.cc \
	%D%/quiet_loops.h \
	%D%/record.h \
	%D%/range_emit.cc \
	%D%/record_code.cc \
	%D%/record_code.h \
	%D%/record_emit.cc \
	%D%/record_emit.h \
	%D%/record_joins.cc \
	%D%/record_plan.cc \
	%D%/record_plan.h \
	%D%/record_planner.h \
	%D%/record_room.cc \
	%D%/record_room.h \
	%D%/record_types.cc \
	%D%/record_types.h \
	%D%/record_words.cc \
	%D%/record_words.h \
	%D%/record_writer.cc \
	%D%/record_writer.h \
	%D%/remarks.cc \
	%D%/remarks.h \
	%D%/runtime_decls.cc \
	%D%/runtime_decls.h \
	%D%/shared_blocks.cc \
	%D%/shared_blocks.h \
	%D%/site_marks.cc \
	%D%/site_marks.h \
	%D%/site_pass.h \
	%D%/site_table.cc \
	%D%/site_table.h \
	%D%/slow_path.cc \
	%D%/slow_path.h \
	%D%/slow_stubs.cc \
	%D%/slow_stubs.h \
	%D%/source_facts.cc \
	%D%/source_facts.h \
	%D%/source_text.cc \
	%D%/source_text.h \
	%D%/string_pool.h \
	%D%/step_part.cc \
	%D%/step_part.h \
	%D%/sure_loads.cc \
	%D%/sure_loads.h \
	%D%/tallies.cc \
	%D%/tallies.h \
	%D%/terminated_copies.cc \
	%D%/terminated_copies.h \
	%D%/thread_order.cc \
	%D%/thread_order.h \
	%D%/type_facts.cc \
	%D%/type_facts.h \
	%D%/type_finder.h \
	%D%/type_pointers.cc \
	%D%/type_table.cc \
	%D%/type_table.h \
	%D%/use_pass.cc \
	%D%/use_pass.h \
	%D%/vector_guess.cc \
	%D%/veto.cc \
	%D%/veto.h \
	%D%/witness_emit.cc \
	%D%/wrapping_index.cc \
	%D%/wrapping_index.h

%C%_memprof_la_CPPFLAGS = $(GCC_PLUGIN_CPPFLAGS) $(AM_CPPFLAGS)
%C%_memprof_la_CXXFLAGS = $(AM_CXXFLAGS) -fno-rtti -fno-exceptions \
	-fvisibility=hidden
%C%_memprof_la_LDFLAGS = -module -avoid-version -shared \
	-export-symbols-regex '^plugin_'
%C%_memprof_la_LIBADD = libdecide.la libmemprof-feedback.la

# The compiler opens memprof.so by name; nothing links with memprof.la.
INSTALL_DATA_HOOKS += memprof-plugin-install-hook
memprof-plugin-install-hook:
	rm -f '$(DESTDIR)$(memproflibdir)/memprof.la'

# Without the .la file, libtool does not know what to remove.
UNINSTALL_HOOKS += memprof-plugin-uninstall-hook
memprof-plugin-uninstall-hook:
	rm -f '$(DESTDIR)$(memproflibdir)/memprof.so'

# The specs file, twice: memprof.specs at the top of the build tree names the
# files of the build tree, so that nothing need be installed to try things;
# plugin/memprof.specs names the installed ones.
specs_in = $(top_srcdir)/%D%/memprof.specs.in
wrap_list = $(top_srcdir)/runtime/target/wrap.def
specs_wrap = `$(SED) -n 's/^MPRT_WRAP (\(.*\))$$/--wrap=\1/p' $(wrap_list) | tr '\n' ' '`
specs_edit = $(SED) \
	-e "s|@wrap[@] |$(specs_wrap)|"

EXTRA_DIST += %D%/memprof.specs.in
CLEANFILES += memprof.specs %D%/memprof.specs
noinst_DATA += memprof.specs
memproflib_DATA = %D%/memprof.specs

memprof.specs: $(specs_in) $(wrap_list) Makefile
	$(AM_V_GEN)$(specs_edit) \
		-e 's|@plugin[@]|$(abs_top_builddir)/plugin/.libs/memprof.so|g' \
		-e 's|@backend[@]|$(abs_top_builddir)/memprof-backend|g' \
		-e 's|@rtdir[@]|$(abs_top_builddir)/runtime/target/.libs|g' \
		-e 's|@staticdir[@]|$(abs_top_builddir)/runtime/target|g' \
		-e 's|@arenadir[@]|$(abs_top_builddir)/runtime/use|g' \
		$(specs_in) >$@.tmp && mv $@.tmp $@

%D%/memprof.specs: $(specs_in) $(wrap_list) Makefile
	$(AM_V_GEN)$(MKDIR_P) %D% && $(specs_edit) \
		-e 's|@plugin[@]|$(memproflibdir)/memprof.so|g' \
		-e 's|@backend[@]|$(memproflibexecdir)/memprof-backend|g' \
		-e 's|@rtdir[@]|$(memproflibdir)|g' \
		-e 's|@staticdir[@]|$(memproflibdir)|g' \
		-e 's|@arenadir[@]|$(memproflibdir)|g' \
		$(specs_in) >$@.tmp && mv $@.tmp $@
