# feedback-module.sh - a compile reads its own rows by the index, or all rows,
# and makes the same code.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

mkdir src
cat >src/h.h <<'END'
struct node { node *next; long v; };
inline long __attribute__ ((noinline)) total (node *p) { long s = 0; for (; p; p = p->next) s += p->v; return s; }
long a (int), b (int);
END
for m in a b; do cat >src/$m.cc <<END
#include "h.h"
static node nodes[1000];
static void __attribute__ ((noinline)) link (int n) { for (int i = 0; i + 1 < n; i++) { nodes[i].next = nodes + i + 1; nodes[i].v = i; } }
long $m (int n) { link (n); return total (nodes); }
END
done
cat >src/main.cc <<'END'
#include "h.h"
int main () { return a (1000) + b (500) == 0; }
END
compile_gen src/main.cc src/a.cc src/b.cc -o prog
run ./prog
validate prog.memprof.json
expect_json prog.memprof.json <<'END'
equal(len(p["modules"]), 3)
# The linker kept one copy of total (): one module alone has executed it.
equal(len([f for m in p["modules"] for f in m["functions"]
           if f["name"].startswith("total") and f.get("comdat")]), 1)
END
"$PYTHON" - <<'END'
import json
p = json.load(open("prog.memprof.json"))
del p["index"]
json.dump(p, open("plain.json", "w"))
END
validate plain.json

# matches PROFILE SOURCE: code in new.s; what was found, on standard output.
# GCC knows plugin passes only in -fdump-tree-all.
matches ()
{
  mkdir dumps
  cp "$1" used.json # one name, because -g writes the options down
  $CXX -specs="$specs" -O2 -g -fprofile-mem-use=used.json -fdump-tree-all -dumpdir dumps/ \
    -S "$2" -o new.s 2>err || { cat err >&2; fail "$2 with $1"; }
  [ ! -s err ] || { cat err >&2; fail "$2 with $1: a message"; }
  grep -h '^memprof: .*sites: ' dumps/*memprof_use* || true # main has none
  rm -r dumps
}

# Both modules match it, also the one whose copy the linker dropped.
for m in a b main; do
  for f in prog.memprof.json plain.json; do
    matches $f src/$m.cc >$m.$f.found
    mv new.s $m.$f.s
  done
  cmp $m.prog.memprof.json.s $m.plain.json.s || fail "other code for $m"
  cmp $m.prog.memprof.json.found $m.plain.json.found || fail "other matches for $m"
  passed
done
for m in a b; do
  expect $m.plain.json.found 'total.*: matched$'
  expect $m.plain.json.found 'link.*: matched$'
done

# A source that has been renamed: its public functions are still found.
mv src/a.cc src/renamed.cc
matches prog.memprof.json src/renamed.cc >r.found
expect r.found 'total.*: matched$'
