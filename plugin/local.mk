# plugin/local.mk - memprof.so, the compile-time half: the only GCC code.
#
# A plugin serves one version of GCC and is installed in a folder of that version. The
# specs name the folder by %(version), which is the version of the compiler that reads them.
pluginsdir = $(memproflibdir)/gcc-$(MEMPROF_GCC_VERSION)
plugins_LTLIBRARIES = %D%/memprof.la

%C%_memprof_la_SOURCES = \
	%D%/compiler_check.cc \
	%D%/compiler_check.h \
	%D%/faults.def \
	%D%/gcc-common.h \
	%D%/gcc-compat.h \
	%D%/generate/affine_ranges.cc \
	%D%/generate/affine_ranges.h \
	%D%/generate/alloc_marks.cc \
	%D%/generate/alloc_marks.h \
	%D%/generate/block_describer.cc \
	%D%/generate/block_describer.h \
	%D%/generate/covered_sites.cc \
	%D%/generate/covered_sites.h \
	%D%/generate/edge_places.cc \
	%D%/generate/edge_places.h \
	%D%/generate/gen_pass.cc \
	%D%/generate/gen_pass.h \
	%D%/generate/guarded_call.cc \
	%D%/generate/guarded_call.h \
	%D%/generate/length_code.cc \
	%D%/generate/length_code.h \
	%D%/generate/linear_value.cc \
	%D%/generate/linear_value.h \
	%D%/generate/local_objects.cc \
	%D%/generate/local_objects.h \
	%D%/generate/loop_events.cc \
	%D%/generate/loop_events.h \
	%D%/generate/loop_runs.cc \
	%D%/generate/loop_runs.h \
	%D%/generate/loop_shape.cc \
	%D%/generate/loop_shape.h \
	%D%/generate/nests.cc \
	%D%/generate/nests.h \
	%D%/generate/object_root.cc \
	%D%/generate/object_root.h \
	%D%/generate/planned_record.h \
	%D%/generate/range_emit.cc \
	%D%/generate/range_emit.h \
	%D%/generate/record_code.cc \
	%D%/generate/record_code.h \
	%D%/generate/record_emit.cc \
	%D%/generate/record_emit.h \
	%D%/generate/record_joins.cc \
	%D%/generate/record_plan.cc \
	%D%/generate/record_plan.h \
	%D%/generate/record_planner.h \
	%D%/generate/record_room.cc \
	%D%/generate/record_room.h \
	%D%/generate/record_words.cc \
	%D%/generate/record_words.h \
	%D%/generate/record_writer.cc \
	%D%/generate/record_writer.h \
	%D%/generate/sample/countdown.cc \
	%D%/generate/sample/countdown.h \
	%D%/generate/sample/loop_samples.cc \
	%D%/generate/sample/loop_samples.h \
	%D%/generate/sample/quiet_loops.cc \
	%D%/generate/sample/quiet_loops.h \
	%D%/generate/sample/shared_blocks.cc \
	%D%/generate/sample/shared_blocks.h \
	%D%/generate/sample/strip_records.cc \
	%D%/generate/sample/strip_records.h \
	%D%/generate/sample/unprofiled_body.cc \
	%D%/generate/sample/unprofiled_body.h \
	%D%/generate/scattered_stores.cc \
	%D%/generate/scattered_stores.h \
	%D%/generate/strncpy_warnings.cc \
	%D%/generate/strncpy_warnings.h \
	%D%/generate/tallies.cc \
	%D%/generate/tallies.h \
	%D%/generate/thread_order.cc \
	%D%/generate/thread_order.h \
	%D%/generate/wrapping_index.cc \
	%D%/generate/wrapping_index.h \
	%D%/options.cc \
	%D%/options.h \
	%D%/plugin.cc \
	%D%/sites/access_sites.cc \
	%D%/sites/access_sites.h \
	%D%/sites/addressable.cc \
	%D%/sites/addressable.h \
	%D%/sites/alloc_sites.cc \
	%D%/sites/alloc_sites.h \
	%D%/sites/external_calls.cc \
	%D%/sites/external_calls.h \
	%D%/sites/function_key.cc \
	%D%/sites/function_key.h \
	%D%/sites/function_names.cc \
	%D%/sites/function_names.h \
	%D%/sites/header_calls.cc \
	%D%/sites/header_calls.h \
	%D%/sites/late_passes.cc \
	%D%/sites/late_passes.h \
	%D%/sites/memory_functions.cc \
	%D%/sites/memory_functions.def \
	%D%/sites/memory_functions.h \
	%D%/sites/memory_row.h \
	%D%/sites/name_family.cc \
	%D%/sites/name_family.h \
	%D%/sites/quiet_copy.cc \
	%D%/sites/quiet_copy.h \
	%D%/sites/runtime_decls.cc \
	%D%/sites/runtime_decls.h \
	%D%/sites/scanf_format.cc \
	%D%/sites/scanf_format.h \
	%D%/sites/scattered_calls.cc \
	%D%/sites/scattered_calls.h \
	%D%/sites/site_pass.h \
	%D%/sites/source_place.cc \
	%D%/sites/source_place.h \
	%D%/tables/allocated_type.cc \
	%D%/tables/allocated_type.h \
	%D%/tables/code_options.cc \
	%D%/tables/code_options.h \
	%D%/tables/cxx_class.cc \
	%D%/tables/cxx_class.h \
	%D%/tables/descriptor_table.cc \
	%D%/tables/descriptor_table.h \
	%D%/tables/effective_type.cc \
	%D%/tables/effective_type.h \
	%D%/tables/globals.cc \
	%D%/tables/globals.h \
	%D%/tables/record_types.cc \
	%D%/tables/record_types.h \
	%D%/tables/source_facts.cc \
	%D%/tables/source_facts.h \
	%D%/tables/source_scan.cc \
	%D%/tables/source_scan.h \
	%D%/tables/source_text.cc \
	%D%/tables/source_text.h \
	%D%/tables/string_pool.h \
	%D%/tables/type_facts.cc \
	%D%/tables/type_facts.h \
	%D%/tables/type_finder.h \
	%D%/tables/type_memory.cc \
	%D%/tables/type_memory.h \
	%D%/tables/type_pointers.cc \
	%D%/tables/type_table.cc \
	%D%/tables/type_table.h \
	%D%/tables/unit_rows.h \
	%D%/tables/unit_tables.cc \
	%D%/tables/unit_tables.h \
	%D%/tables/unit_writer.cc \
	%D%/tables/wrapper_shape.cc \
	%D%/tables/wrapper_shape.h \
	%D%/target/alloc_site_asm.h \
	%D%/target/asm_builder.h \
	%D%/target/comdat_function.h \
	%D%/target/ordinary_code.cc \
	%D%/target/target.h \
	%D%/use/address/byte_range.cc \
	%D%/use/address/byte_range.h \
	%D%/use/address/invariant_loads.cc \
	%D%/use/address/invariant_loads.h \
	%D%/use/address/movable_reference.cc \
	%D%/use/address/movable_reference.h \
	%D%/use/address/reference_parts.cc \
	%D%/use/address/reference_parts.h \
	%D%/use/address/value_copy.h \
	%D%/use/address/value_graph.cc \
	%D%/use/address/value_graph.h \
	%D%/use/bridge.h \
	%D%/use/match/loop_facts.cc \
	%D%/use/match/loop_facts.h \
	%D%/use/match/place_index.cc \
	%D%/use/match/place_index.h \
	%D%/use/match/profile_decisions.cc \
	%D%/use/match/profile_match.cc \
	%D%/use/match/profile_objects.cc \
	%D%/use/match/profile_objects.h \
	%D%/use/match/profile_read.cc \
	%D%/use/match/profile_read.h \
	%D%/use/match/profile_rows.h \
	%D%/use/match/profile_salvage.cc \
	%D%/use/match/site_marks.cc \
	%D%/use/match/site_marks.h \
	%D%/use/match/site_shapes.cc \
	%D%/use/match/site_shapes.h \
	%D%/use/match/unit_profile.cc \
	%D%/use/match/unit_profile.h \
	%D%/use/objects/apply_arenas.cc \
	%D%/use/objects/apply_arenas.h \
	%D%/use/objects/apply_field_order.cc \
	%D%/use/objects/apply_field_order.h \
	%D%/use/objects/apply_variable_pages.cc \
	%D%/use/objects/apply_variable_pages.h \
	%D%/use/objects/arena_calls.cc \
	%D%/use/objects/arena_calls.h \
	%D%/use/objects/block_watch.cc \
	%D%/use/objects/block_watch.h \
	%D%/use/objects/layout_notes.cc \
	%D%/use/objects/layout_notes.h \
	%D%/use/objects/unit_findings.cc \
	%D%/use/objects/unit_findings.h \
	%D%/use/prefetch/accessed_subrange.cc \
	%D%/use/prefetch/accessed_subrange.h \
	%D%/use/prefetch/apply_prefetch.cc \
	%D%/use/prefetch/apply_prefetch.h \
	%D%/use/prefetch/list_walk.cc \
	%D%/use/prefetch/list_walk.h \
	%D%/use/prefetch/look_ahead.cc \
	%D%/use/prefetch/look_ahead.h \
	%D%/use/prefetch/look_ahead_code.cc \
	%D%/use/prefetch/prefetch_plan.cc \
	%D%/use/prefetch/prefetch_plan.h \
	%D%/use/prefetch/prefetch_trials.cc \
	%D%/use/prefetch/prefetch_trials.h \
	%D%/use/prefetch/search_step.cc \
	%D%/use/prefetch/search_step.h \
	%D%/use/prefetch/seen_loads.cc \
	%D%/use/prefetch/seen_loads.h \
	%D%/use/prefetch/sure_loads.cc \
	%D%/use/prefetch/sure_loads.h \
	%D%/use/prefetch/tuned_nest.cc \
	%D%/use/prefetch/tuned_nest.h \
	%D%/use/remarks.cc \
	%D%/use/remarks.h \
	%D%/use/loops/branch_counts.cc \
	%D%/use/loops/branch_counts.h \
	%D%/use/loops/hot_function.cc \
	%D%/use/loops/hot_function.h \
	%D%/use/streaming/apply_streaming.cc \
	%D%/use/streaming/apply_streaming.h \
	%D%/use/streaming/store_streams.cc \
	%D%/use/streaming/store_streams.h \
	%D%/use/streaming/streaming_store.cc \
	%D%/use/streaming/streaming_store.h \
	%D%/use/use_pass.cc \
	%D%/use/use_pass.h \
	%D%/use/versioning/apply_versioning.cc \
	%D%/use/versioning/apply_versioning.h \
	%D%/use/match/loop_memory.cc \
	%D%/use/match/loop_memory.h \
	%D%/use/versioning/loop_versioner.cc \
	%D%/use/versioning/loop_versioner.h \
	%D%/use/versioning/vector_guess.cc \
	%D%/use/veto.cc \
	%D%/use/veto.h

# What the processor can do better than ordinary_code.cc.
if TARGET_X86
%C%_memprof_la_SOURCES += \
	%D%/target/x86/alloc_asm.cc \
	%D%/target/x86/calling_convention.cc \
	%D%/target/x86/countdown_asm.cc \
	%D%/target/x86/jump_asm.cc \
	%D%/target/x86/machine_builtins.cc \
	%D%/target/x86/machine_builtins.def \
	%D%/target/x86/record_asm.cc \
	%D%/target/x86/red_zone.cc \
	%D%/target/x86/red_zone.h \
	%D%/target/x86/slow_stubs.cc \
	%D%/target/x86/slow_stubs.h \
	%D%/target/x86/streaming_fence.cc
endif
if TARGET_AARCH64
%C%_memprof_la_SOURCES += \
	%D%/target/aarch64/alloc_asm.cc \
	%D%/target/aarch64/jump_asm.cc \
	%D%/target/aarch64/machine_builtins.cc
endif

%C%_memprof_la_CPPFLAGS = -iquote %D%/pch $(GCC_PLUGIN_CPPFLAGS) $(AM_CPPFLAGS)
%C%_memprof_la_CXXFLAGS = $(AM_CXXFLAGS) -fno-rtti -fno-exceptions \
	-fvisibility=hidden
%C%_memprof_la_LDFLAGS = -module -avoid-version -shared \
	-export-symbols-regex '^plugin_'
%C%_memprof_la_LIBADD = libdecide.la libmemprof-feedback.la

# GCC's headers, precompiled: each source file reads them first, and they take longer than
# most of the files. `#include "plugin/gcc-common.h"' finds the .gch file in a folder that
# -iquote puts first, beside a header that includes ours. If it is not there, or was
# compiled with other options, GCC reads the headers as ever. With ccache there is none,
# because ccache would keep no object that depends on one.
pch = %D%/pch/plugin/gcc-common.h
$(%C%_memprof_la_OBJECTS): %D%/pch/stamp
%D%/pch/stamp: %D%/gcc-common.h %D%/gcc-compat.h
	$(AM_V_GEN)$(MKDIR_P) %D%/pch/plugin && rm -f $(pch) $(pch).gch && \
	set -- $(CXX) && case `readlink -f "\`command -v $$1\`"` in \
	  *ccache) ;; \
	  *) echo '#include "$(abs_top_srcdir)/%D%/gcc-common.h"' >$(pch) && \
	     $(CXX) $(DEFS) $(DEFAULT_INCLUDES) $(%C%_memprof_la_CPPFLAGS) $(CPPFLAGS) \
	       $(%C%_memprof_la_CXXFLAGS) $(CXXFLAGS) -fPIC -DPIC -x c++-header \
	       -o $(pch).gch $(pch) || rm -f $(pch) $(pch).gch ;; \
	esac; echo >$@
CLEANFILES += $(pch) $(pch).gch %D%/pch/stamp

# The compiler opens memprof.so by name; nothing links with memprof.la.
INSTALL_DATA_HOOKS += memprof-plugin-install-hook
memprof-plugin-install-hook:
	rm -f '$(DESTDIR)$(pluginsdir)/memprof.la'
	for gcc in $(OTHER_GCCS); do $(MAKE) install-plugin-for GCC=$$gcc || exit 1; done

# Without the .la file, libtool does not know what to remove.
UNINSTALL_HOOKS += memprof-plugin-uninstall-hook
memprof-plugin-uninstall-hook:
	for version in $(MEMPROF_GCC_VERSION) `for gcc in $(OTHER_GCCS); do $$gcc -dumpfullversion; done`; do \
	  rm -f '$(DESTDIR)$(memproflibdir)'/gcc-$$version/memprof.so; \
	  rmdir '$(DESTDIR)$(memproflibdir)'/gcc-$$version 2>/dev/null || :; done

# In the build tree a link represents the installed folder.
noinst_DATA += %D%/stamp-plugins
CLEANFILES += %D%/stamp-plugins
%D%/stamp-plugins: %D%/memprof.la Makefile
	$(AM_V_GEN)$(MKDIR_P) gcc-$(MEMPROF_GCC_VERSION) && \
	ln -sf ../%D%/.libs/memprof.so gcc-$(MEMPROF_GCC_VERSION)/memprof.so && \
	for gcc in $(OTHER_GCCS); do $(MAKE) plugin-for GCC=$$gcc || exit 1; done; echo >$@

# make plugin-for GCC=gcc-14: the plugin for another compiler than CC, from these sources, in
# other/gcc-14, a build tree with that compiler (so `make -C other/gcc-14 check' tests it).
other_tree = other/`basename $(GCC)`
plugin-for:
	@test -n "$(GCC)" || { echo 'usage: make plugin-for GCC=gcc-14' >&2; exit 1; }
	$(AM_V_GEN)$(MKDIR_P) $(other_tree) && cd $(other_tree) && \
	{ test -f Makefile || '$(abs_top_srcdir)/configure' -q --with-gcc=$(GCC) --prefix='$(prefix)' \
	    --libdir='$(libdir)' CFLAGS='$(CFLAGS)' CXXFLAGS='$(CXXFLAGS)' LDFLAGS='$(LDFLAGS)'; } && \
	$(MAKE) %D%/memprof.la && cd '$(abs_top_builddir)' && version=`$(GCC) -dumpfullversion` && \
	$(MKDIR_P) gcc-$$version && ln -sf ../$(other_tree)/%D%/.libs/memprof.so gcc-$$version/memprof.so
install-plugin-for: plugin-for
	version=`$(GCC) -dumpfullversion` && $(MKDIR_P) '$(DESTDIR)$(memproflibdir)'/gcc-$$version && \
	$(INSTALL_PROGRAM) gcc-$$version/memprof.so '$(DESTDIR)$(memproflibdir)'/gcc-$$version
.PHONY: plugin-for install-plugin-for

CLEAN_HOOKS += clean-plugins
clean-plugins:
	rm -rf other gcc-[0-9]*
.PHONY: clean-plugins

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
memproflib_DATA += %D%/memprof.specs

memprof.specs: $(specs_in) $(wrap_list) Makefile
	$(AM_V_GEN)$(specs_edit) \
		-e 's|@plugins[@]|$(abs_top_builddir)|g' \
		-e 's|@backend[@]|$(abs_top_builddir)/memprof-backend|g' \
		-e 's|@rtdir[@]|$(abs_top_builddir)/runtime/target/.libs|g' \
		-e 's|@staticdir[@]|$(abs_top_builddir)/runtime/target|g' \
		-e 's|@arenadir[@]|$(abs_top_builddir)/runtime/arena|g' \
		-e 's|@linkplugin[@]|$(abs_top_builddir)/consumers/link/.libs/memprof_link.so|g' \
		-e 's|@linkmarker[@]|$(abs_top_builddir)/consumers/link/memprof_checked.o|g' \
		$(specs_in) >$@.tmp && mv $@.tmp $@

%D%/memprof.specs: $(specs_in) $(wrap_list) Makefile
	$(AM_V_GEN)$(MKDIR_P) %D% && $(specs_edit) \
		-e 's|@plugins[@]|$(memproflibdir)|g' \
		-e 's|@backend[@]|$(memproflibexecdir)/memprof-backend|g' \
		-e 's|@rtdir[@]|$(memproflibdir)|g' \
		-e 's|@staticdir[@]|$(memproflibdir)|g' \
		-e 's|@arenadir[@]|$(memproflibdir)|g' \
		-e 's|@linkplugin[@]|$(memproflibdir)/memprof_link.so|g' \
		-e 's|@linkmarker[@]|$(memproflibdir)/memprof_checked.o|g' \
		$(specs_in) >$@.tmp && mv $@.tmp $@
