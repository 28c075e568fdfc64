# mpi-recipe.sh - the recipe of doc/scale.md, on four ranks.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
. "$MEMPROF_SRCDIR/testsuite/e2e/mpi.inc"

cp "$MEMPROF_SRCDIR/examples/stencil_mpi.c" .
OMPI_CC=$CC mpicc -O2 stencil_mpi.c -o plain || fail "mpicc does not compile"
mpirun -n 4 ./plain >plain.out
sed -n '/^<!-- recipe -->$/,/^```$/p' "$MEMPROF_SRCDIR/doc/scale.md" | grep -v -e '^<!--' -e '^```' >recipe
expect recipe 'memprof-mpi-merge'
sh -eux recipe >recipe.out 2>recipe.err || { cat recipe.err >&2; fail "the recipe does not work"; }
expect_equal "outputs of plain, profiled and rebuilt program" \
  "$(sort -u plain.out recipe.out | wc -l) $(wc -l <recipe.out)" "1 2"
for r in 0 1 2 3; do validate prof/stencil.$r.memprof.json; done
expect_json stencil.memprof.json <<'PY'
equal(p["run"]["runs"], 4)
equal(site(line=47, kind="store")["executions"] > 0, True)
PY
"$memprof" merge prof/*.json | cmp - stencil.memprof.json || fail "not the serial merge"
# Two lines of shell without MPI.
sed -n '/^<!-- fleet -->$/,/^```$/p' "$MEMPROF_SRCDIR/doc/scale.md" | grep -v -e '^<!--' -e '^```' >fleet
expect_equal "lines" "$(wc -l <fleet)" 2
sh -eux fleet >fleet.out 2>&1 || { cat fleet.out >&2; fail "the fleet's lines do not work"; }
cmp fleet.memprof.json stencil.memprof.json || fail "the tree gives other bytes"
