# memprof_link.so, a plugin of the linker: do all objects agree about moved fields? And the
# object that it adds when they do.
memproflib_LTLIBRARIES += %D%/memprof_link.la
%C%_memprof_link_la_SOURCES = \
	consumers/elf/elf_sections.cc \
	consumers/elf/elf_sections.h \
	%D%/linker_plugin.cc \
	%D%/object_file.cc \
	%D%/object_file.h
%C%_memprof_link_la_CPPFLAGS = $(GCC_PLUGIN_CPPFLAGS) $(AM_CPPFLAGS)
%C%_memprof_link_la_CXXFLAGS = $(AM_CXXFLAGS) -fvisibility=hidden
%C%_memprof_link_la_LDFLAGS = -module -avoid-version -shared -export-symbols-regex '^onload$$'
%C%_memprof_link_la_LIBADD = libdecide.la libmemprof-feedback.la

memproflib_DATA += %D%/memprof_checked.o
EXTRA_DIST += %D%/memprof_checked.s
CLEANFILES += %D%/memprof_checked.o
%D%/memprof_checked.o: $(srcdir)/%D%/memprof_checked.s
	$(AM_V_GEN)$(MKDIR_P) %D% && $(TARGET_CC) -c $(srcdir)/%D%/memprof_checked.s -o $@

# The linker opens it by name; nothing links with the .la file.
INSTALL_DATA_HOOKS += memprof-link-install-hook
memprof-link-install-hook:
	rm -f '$(DESTDIR)$(memproflibdir)/memprof_link.la'
UNINSTALL_HOOKS += memprof-link-uninstall-hook
memprof-link-uninstall-hook:
	rm -f '$(DESTDIR)$(memproflibdir)'/memprof_link.so
