# memprof-gcc-plugin.m4 - find the headers of the compiler that loads us.

# MEMPROF_CXX20: add what makes $CXX a C++20 compiler to CXX.
AC_DEFUN([MEMPROF_CXX20], [
  AC_CACHE_CHECK([for the C++20 option of $CXX], [memprof_cv_cxx20], [
    memprof_cv_cxx20=no
    memprof_save_CXX=$CXX
    for memprof_opt in -std=c++20 -std=gnu++20; do
      CXX="$memprof_save_CXX $memprof_opt"
      AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[#include <span>]],
        [[std::span<int> s; return (int) s.size ();]])],
        [memprof_cv_cxx20=$memprof_opt; break])
    done
    CXX=$memprof_save_CXX
  ])
  AS_IF([test "$memprof_cv_cxx20" = no],
    [AC_MSG_ERROR([$CXX cannot compile C++20; on Debian: apt-get install g++])])
  CXX="$CXX $memprof_cv_cxx20"
])

# MEMPROF_WITH_GCC: the option --with-gcc=NAME[,NAME...].  The first one is the compiler of
# this build, also of its tests, if CC and CXX are not given; gcc-14 brings g++-14 and
# gfortran-14 with it, where they exist.  OTHER_GCCS: the other ones.
#
# If it compiles for another machine, as MACHINE-gcc-12, it is only the compiler of what runs there and of
# the tests: TARGET_CC, TARGET_CXX, TARGET_FC.  CC and CXX are those of this machine, for the plugin and the
# command.  TARGET_MACHINE: that machine, or empty.
AC_DEFUN([MEMPROF_WITH_GCC], [
  AC_ARG_WITH([gcc],
    [AS_HELP_STRING([--with-gcc=GCC,...],
      [the compilers that get a plugin, such as gcc-12,gcc-14 (default: CC)])])
  OTHER_GCCS= memprof_suffix= TARGET_MACHINE= TARGET_PREFIX=
  AS_CASE([$with_gcc],
    [yes|no], [AC_MSG_ERROR([--with-gcc needs names of compilers, such as gcc-12,gcc-14])],
    [?*], [
      memprof_first=`echo "$with_gcc" | sed 's/,.*//'`
      OTHER_GCCS=`echo "$with_gcc" | sed -e 's/^[[^,]]*//' -e 's/,/ /g'`
      memprof_gxx=`echo "$memprof_first" | sed 's/gcc\([[^/]]*\)$/g++\1/'`
      TARGET_PREFIX=`echo "$memprof_first" | sed -n 's/^\(.*-\)gcc\(-[[0-9.]]*\)\{0,1\}$/\1/p'`
      AS_IF([test -n "$TARGET_PREFIX"], [
        TARGET_MACHINE=`$memprof_first -dumpmachine`
        AS_IF([test "$TARGET_MACHINE" = "`${CC:-gcc} -dumpmachine`"], [TARGET_MACHINE= TARGET_PREFIX=])])
      AS_IF([test -n "$TARGET_MACHINE"], [], [
        : ${CC="$memprof_first"}
        AS_IF([test "$memprof_gxx" != "$memprof_first" && type "$memprof_gxx" >/dev/null 2>&1],
          [: ${CXX="$memprof_gxx"}])])])
  memprof_named=$CC
  AS_IF([test -n "$TARGET_MACHINE"], [memprof_named=$memprof_first])
  memprof_suffix=`echo "$memprof_named" | sed -n 's/.*gcc\(-[[0-9.]]*\)$/\1/p'`
  TARGET_CC='$(CC)' TARGET_CXX='$(CXX)' TARGET_FC='$(FC)'
  AS_IF([test -n "$TARGET_MACHINE"],
    [TARGET_CC=$memprof_first TARGET_CXX=$memprof_gxx TARGET_FC=${TARGET_PREFIX}gfortran$memprof_suffix])
  AC_SUBST([OTHER_GCCS])
  AC_SUBST([TARGET_MACHINE])
  AC_SUBST([TARGET_PREFIX])
  AC_SUBST([TARGET_CC])
  AC_SUBST([TARGET_CXX])
  AC_SUBST([TARGET_FC])
  AM_CONDITIONAL([CROSS], [test -n "$TARGET_MACHINE"])
])

# MEMPROF_GCC_OF(NAME, VARIABLE): sets VARIABLE to the full version of the compiler NAME;
# fails when memprof does not know it or its plugin headers are missing.
AC_DEFUN([MEMPROF_GCC_OF], [
  $2=`$1 -dumpfullversion 2>/dev/null`
  AS_CASE([$$2],
    [12.*|13.*|14.*|15.*|16.*], [],
    [AC_MSG_ERROR([memprof is a plugin for GCC 12 to 16, but $1 is version ${$2:-unknown}; on Debian: apt-get install gcc-12 g++-12, then ./configure --with-gcc=gcc-12])])
  AS_IF([test -f "`$1 -print-file-name=plugin`/include/gcc-plugin.h"], [],
    [AC_MSG_ERROR([GCC's plugin headers were not found for $1; on Debian: apt-get install gcc-`echo $$2 | sed 's/\..*//'`-plugin-dev${TARGET_MACHINE:+-}$TARGET_MACHINE])])
])

# MEMPROF_GCC_PLUGIN: set GCC_PLUGIN_CPPFLAGS and MEMPROF_GCC_VERSION, those of the compiler
# that loads the plugin, and NUMBERED_COMPILERS, commands such as gcc-14 for each compiler.
AC_DEFUN([MEMPROF_GCC_PLUGIN], [
  AC_REQUIRE([AC_PROG_CC])
  AC_REQUIRE([AC_PROG_CXX])
  memprof_loader=$CC
  AS_IF([test -n "$TARGET_MACHINE"], [memprof_loader=$TARGET_CC])
  AC_MSG_CHECKING([for the plugin folder of $memprof_loader])
  MEMPROF_GCC_OF([$memprof_loader], [MEMPROF_GCC_VERSION])
  GCC_PLUGIN_DIR=`$memprof_loader -print-file-name=plugin`
  AC_MSG_RESULT([$GCC_PLUGIN_DIR])
  GCC_PLUGIN_CPPFLAGS="-isystem $GCC_PLUGIN_DIR/include"
  memprof_save_CPPFLAGS=$CPPFLAGS
  CPPFLAGS="$CPPFLAGS $GCC_PLUGIN_CPPFLAGS -fno-rtti"
  AC_MSG_CHECKING([whether GCC plugins compile])
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
#include "gcc-plugin.h"
#include "tree.h"]], [])],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([$CXX cannot compile GCC's plugin headers in $GCC_PLUGIN_DIR/include; see config.log])])
  CPPFLAGS=$memprof_save_CPPFLAGS
  memprof_majors=`echo $MEMPROF_GCC_VERSION | sed 's/\..*//'`
  for memprof_gcc in $OTHER_GCCS; do
    MEMPROF_GCC_OF([$memprof_gcc], [memprof_version])
    memprof_majors="$memprof_majors `echo $memprof_version | sed 's/\..*//'`"
  done
  NUMBERED_COMPILERS=`printf "${TARGET_PREFIX}g++-%s ${TARGET_PREFIX}gcc-%s ${TARGET_PREFIX}gfortran-%s\n" \
    $(for memprof_n in $memprof_majors; do echo $memprof_n $memprof_n $memprof_n; done) \
    | sort -u | tr '\n' ' '`
  AC_SUBST([NUMBERED_COMPILERS])
  AC_SUBST([GCC_PLUGIN_DIR])
  AC_SUBST([GCC_PLUGIN_CPPFLAGS])
  AC_SUBST([MEMPROF_GCC_VERSION])
])

# MEMPROF_INLINE_ATOMICS: INLINE_ATOMICS, the option that keeps $CXX from making a call of libgcc of
# an atomic operation, if it knows one.
AC_DEFUN([MEMPROF_INLINE_ATOMICS], [
  AC_CACHE_CHECK([for the option of $CXX for atomic operations without calls], [memprof_cv_inline_atomics], [
    memprof_cv_inline_atomics=
    memprof_save_CXXFLAGS=$CXXFLAGS
    CXXFLAGS="$CXXFLAGS -mno-outline-atomics"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])], [memprof_cv_inline_atomics=-mno-outline-atomics])
    CXXFLAGS=$memprof_save_CXXFLAGS
  ])
  AC_SUBST([INLINE_ATOMICS], [$memprof_cv_inline_atomics])
])

# MEMPROF_CONFIG_FILES: files that config.status makes, beside the Makefile.
AC_DEFUN([MEMPROF_CONFIG_FILES], [
])
