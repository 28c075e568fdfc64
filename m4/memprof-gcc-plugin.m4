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

# MEMPROF_GCC_PLUGIN: set GCC_PLUGIN_DIR, GCC_PLUGIN_CPPFLAGS and
# MEMPROF_GCC_VERSION; fail when $CXX is not GCC 12 or its headers are missing.
AC_DEFUN([MEMPROF_GCC_PLUGIN], [
  AC_REQUIRE([AC_PROG_CXX])
  AC_MSG_CHECKING([for the plugin folder of $CXX])
  GCC_PLUGIN_DIR=`$CXX -print-file-name=plugin`
  AC_MSG_RESULT([$GCC_PLUGIN_DIR])
  MEMPROF_GCC_VERSION=`$CXX -dumpfullversion 2>/dev/null`
  AS_CASE([$MEMPROF_GCC_VERSION],
    [12.*], [],
    [AC_MSG_ERROR([memprof is a plugin for GCC 12, but $CXX is version ${MEMPROF_GCC_VERSION:-unknown}; on Debian: apt-get install gcc-12 g++-12, then ./configure CC=gcc-12 CXX=g++-12])])
  GCC_PLUGIN_CPPFLAGS="-isystem $GCC_PLUGIN_DIR/include"
  memprof_save_CPPFLAGS=$CPPFLAGS
  CPPFLAGS="$CPPFLAGS $GCC_PLUGIN_CPPFLAGS -fno-rtti"
  AC_MSG_CHECKING([whether GCC plugins compile])
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
#include "gcc-plugin.h"
#include "tree.h"]], [])],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([GCC's plugin headers were not found; on Debian: apt-get install gcc-12-plugin-dev])])
  CPPFLAGS=$memprof_save_CPPFLAGS
  AC_SUBST([GCC_PLUGIN_DIR])
  AC_SUBST([GCC_PLUGIN_CPPFLAGS])
  AC_SUBST([MEMPROF_GCC_VERSION])
  AC_DEFINE_UNQUOTED([MEMPROF_GCC_VERSION], ["$MEMPROF_GCC_VERSION"],
    [Version of the compiler that the plugin was built for])
])

# MEMPROF_CONFIG_FILES: files that config.status makes, beside the Makefile.
AC_DEFUN([MEMPROF_CONFIG_FILES], [
])
