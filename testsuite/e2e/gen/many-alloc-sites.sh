# many-alloc-sites.sh - each of many allocating calls in a function is named, without stores that GCC has to look at.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
{
  printf '#include <stdlib.h>\nchar *volatile p;\nint main (void)\n{\n'
  for i in $(seq 300); do echo "  p = malloc ($i);"; done
  printf '  return 0;\n}\n'
} >a.c
for flags in -O0 -O2 "-O2 -fpic $intel"; do
  compile_gen $flags a.c -o a
  run ./a
  expect_json a.memprof.json <<'END'
equal([(g["line"], g["objects"], g["bytes"]) for g in p["groups"] if g["kind"] == "heap"], [(i + 4, 1, i) for i in range(1, 301)])
END
  rm a.memprof.json
done
# The time of strlen and PRE is the number of stores times what they know.
compile_gen -O2 -fdump-tree-optimized=dump -c a.c
expect dump 'asm.*'
[ "$(grep -c '__mprt_alloc_site =' dump)" = 0 ] || fail "stores name allocation sites"
passed
