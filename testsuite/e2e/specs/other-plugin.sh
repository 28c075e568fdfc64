# specs/other-plugin.sh - another plugin on the same command line still works.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >other.cc <<'END'
#include "gcc-plugin.h"
#include <stdio.h>
int plugin_is_GPL_compatible;
int plugin_init (plugin_name_args *info, plugin_gcc_version *)
{
  FILE *f = fopen ("other.log", "a");
  fprintf (f, "arguments %d\n", info->argc);
  fclose (f);
  return 0;
}
END
host=${MEMPROF_HOST_CXX:-$CXX} # of the machine that compiles
include=$($CXX -print-file-name=plugin)/include
[ -f "$include/gcc-plugin.h" ] || skip "no plugin headers"
$host -I"$include" -fno-rtti -fPIC -shared other.cc -o other.so
cat >a.c <<'END'
int a[50];
int main (void) { for (int i = 0; i < 50; i++) a[i] = i; return a[49] - 49; }
END
# The literal -fplugin=memprof.so, which dlopen would not find, is ours too.
compile_gen -fplugin=./other.so -fplugin-arg-other-x -fplugin=memprof.so a.c -o a
expect_equal "the other plugin's log" "$(cat other.log)" "arguments 1"
run ./a
expect_json a.memprof.json 'equal(p["run"]["stores"], 50)'
