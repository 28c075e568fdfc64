# versioning-vectors.sh - at -O2 a byte loop through members becomes vectors when
# the profile shows no conflict; -fprofile-mem-use-no=versioning, a veto, short
# rows and operands that meet prevent it, and the remark says which.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

need objdump
cat >a.cc <<'END_OF_PROGRAM'
#include <cstdio>
#include <cstdlib>
#include <vector>
struct Mask
{
  unsigned char *to; int n; unsigned char key;
  __attribute__ ((noinline)) void apply (const unsigned char *from)
  {
    for (int i = 0; i < n; i++)
      to[i] = from[i] ^ key;
  }
};
int main (int argc, char **argv)
{
  std::vector<unsigned char> a (4096), b (4096, 7);
  int n = std::atoi (argv[1]), shift = std::atoi (argv[2]), sum = 0;
  Mask mask = { a.data () + 1, n, 5 };
  for (int i = 0; i < 200000 / n; i++)
    mask.apply (shift ? mask.to - 1 : b.data ());
  for (unsigned char c : a) sum = sum * 31 + c;
  std::printf ("%d\n", sum);
}
END_OF_PROGRAM
compile_plain a.cc -o plain
vectors () # ARGUMENTS-OF-THE-TRAINING-RUN COMPILER-OPTIONS...: in apply
{
  rm -f a.memprof.json remarks
  compile_gen a.cc -o a
  # shellcheck disable=SC2086
  run ./a $1
  shift
  compile_use -fchecking a.cc -o use -fopt-info-all=remarks "$@"
  grep versioned remarks >versioned || true
  for arguments in "1000 0" "1000 1" "3 0" "17 1"; do
    # shellcheck disable=SC2086
    same_output ./plain ./use $arguments
  done
  count=$(objdump -d use --no-show-raw-insn \
    | awk '/^[0-9a-f]+ <_ZN4Mask5apply/{p=1} /^$/{p=0} p' | grep -cE 'pxor.*xmm|eor.*v[0-9]+\.16b' || true)
}
vectors "1000 0"
[ "$count" -ge 1 ] || fail "no vectors"
expect versioned 'a.cc:10:.* optimized: memprof: .*: loop versioned on [1-9] address checks?, .*vectors of 16: 1000.0 iterations per entry, 200000 iterations, pairs meet in at most 0.0 %'
# The command leaves it to the code, and says what could be done by hand.
run "$memprof" advise a.memprof.json
expect out '^versioning: 0 of 1 inner loop; 1 needs the code'
expect out '^\?   a.cc:9: loop in Mask::apply$'
expect out 'needs the code: 1000.0 iterations per entry, 200000 iterations, 4 pairs .* 0.0 to 0.0 %'
expect out "in the source: do .*\`this->n'.* stay the same in the loop\? .*do \`this->to', \`from' never overlap\?"
run "$memprof" advise --json a.memprof.json
"$PYTHON" - <<'PY'
import json
loop = [a for a in json.load(open("out"))["advice"] if a["transformation"] == "versioning"][0]
assert loop["reason"] == "needs-code" and not loop["ivdep"] and "from" in loop["restrict"], loop
assert all(p["store_expression"] == "this->to[i]" and p["frequency"] == 0 for p in loop["pairs"]), loop
PY
for options in -fprofile-mem-use-no=versioning -fprofile-mem-use-no=vers*; do
  vectors "1000 0" "$options"
  expect_equal "vectors with $options" "$count" 0
  expect_not versioned versioned
done
echo 'Mask::apply' >veto.txt
vectors "1000 0" -fprofile-mem-veto=veto.txt
expect_equal "vectors with a veto" "$count" 0
expect versioned 'missed: memprof: .*: not versioned: vetoed by veto.txt:1$'
vectors "3 0"
expect_equal "vectors for rows of 3" "$count" 0
expect versioned 'not versioned: 3.0 iterations per entry are too few, 0.[0-9]*x as fast'
vectors "1000 1"
expect_equal "vectors for operands that meet" "$count" 0
expect versioned 'not versioned: a store and a load meet in 99.9 % of the executions'
