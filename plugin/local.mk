# plugin/local.mk

# The specs file, twice: memprof.specs at the top of the build tree names the
# files of the build tree, so that nothing need be installed to try things;
# plugin/memprof.specs names the installed ones.
specs_in = $(top_srcdir)/%D%/memprof.specs.in
wrap_list = $(top_srcdir)/runtime/target/wrap.list
specs_wrap = `$(SED) -n 's/^[a-z_]/--wrap=&/p' $(wrap_list) | tr '\n' ' '`
specs_edit = $(SED) \
	-e "s|@wrap[@] |$(specs_wrap)|"

EXTRA_DIST += %D%/memprof.specs.in runtime/target/wrap.list
CLEANFILES += memprof.specs %D%/memprof.specs
noinst_DATA += memprof.specs
memproflib_DATA = %D%/memprof.specs

memprof.specs: $(specs_in) $(wrap_list) Makefile
	$(AM_V_GEN)$(specs_edit) \
		-e 's|@plugin[@]|$(abs_top_builddir)/plugin/.libs/memprof.so|g' \
		-e 's|@backend[@]|$(abs_top_builddir)/memprof-backend|g' \
		-e 's|@rtdir[@]|$(abs_top_builddir)/runtime/target/.libs|g' \
		-e 's|@staticdir[@]|$(abs_top_builddir)/runtime/target|g' \
		$(specs_in) >$@.tmp && mv $@.tmp $@

%D%/memprof.specs: $(specs_in) $(wrap_list) Makefile
	$(AM_V_GEN)$(MKDIR_P) %D% && $(specs_edit) \
		-e 's|@plugin[@]|$(memproflibdir)/memprof.so|g' \
		-e 's|@backend[@]|$(memproflibexecdir)/memprof-backend|g' \
		-e 's|@rtdir[@]|$(memproflibdir)|g' \
		-e 's|@staticdir[@]|$(memproflibdir)|g' \
		$(specs_in) >$@.tmp && mv $@.tmp $@
