# runtime/local.mk - what runs where programs run: runtime, arenas and backend.
#
# A compiler for another machine needs them for that machine, while plugin and command are for this one.
# So there are two build trees: this one, and target/ in it, which is configured with that compiler
# (--host) and makes only these parts. Links stand in their places here, so nothing else has to know.
target-parts: $(memprofrt_LTLIBRARIES) $(memprofrt_LIBRARIES) $(memproflibexec_PROGRAMS)
.PHONY: FORCE clean-target install-target-parts target-parts uninstall-target-parts

if CROSS
noinst_DATA += %D%/stamp-target
%D%/stamp-target: target/Makefile FORCE
	+@$(MAKE) -C target --no-print-directory target-parts
	@$(MKDIR_P) %D%/target %D%/arena && ln -sf target/memprof-backend . && \
	ln -sfn ../../target/%D%/target/.libs %D%/target/.libs && \
	ln -sf ../../target/%D%/target/libmemprof_rt_static.a %D%/target && \
	ln -sf ../../target/%D%/arena/libmemprof_arena.a ../../target/%D%/arena/libmemprof_arena_static.a %D%/arena && \
	echo >$@
FORCE:
target/Makefile: $(top_srcdir)/configure
	$(AM_V_GEN)$(MKDIR_P) target && cd target && '$(abs_top_srcdir)/configure' -q --build='$(build)' \
	  --host='$(TARGET_MACHINE)' --disable-plugin --without-mpi CC='$(TARGET_CC)' CXX='$(TARGET_CXX)' \
	  CFLAGS='$(CFLAGS)' CXXFLAGS='$(CXXFLAGS)' --prefix='$(prefix)' --libdir='$(libdir)' --libexecdir='$(libexecdir)'
CLEANFILES += %D%/stamp-target
CLEAN_HOOKS += clean-target
clean-target:
	rm -rf target memprof-backend %D%/target/.libs %D%/target/*.a %D%/arena/*.a

target_installs = install-memprofrtLTLIBRARIES install-memprofrtLIBRARIES install-memproflibexecPROGRAMS
INSTALL_DATA_HOOKS += install-target-parts
install-target-parts:
	$(MAKE) -C target $(target_installs)
UNINSTALL_HOOKS += uninstall-target-parts
uninstall-target-parts:
	$(MAKE) -C target $(target_installs:%=un%)
endif
