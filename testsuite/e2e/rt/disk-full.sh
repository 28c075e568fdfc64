# A full disk: one line, no half profile, and the profile of before stays.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
if unshare -m true 2>/dev/null; then own="unshare -m"
elif unshare -rm true 2>/dev/null; then own="unshare -rm"
else skip "no right to mount a file system"
fi
cat >a.c <<'END'
#include <stdio.h>
int main (void)
{
  long x[10] = { 0 };
  for (volatile int i = 0; i < 100000; i++) x[i % 10] += i;
  printf ("%ld\n", x[3]);
  return 0;
}
END
compile_gen a.c -o a
compile_plain a.c -o plain
run ./plain; cp out expected
mkdir small
# The mount goes with the name space.
cat >inner.sh <<'END'
mount -t tmpfs -o size=256k none small || exit 77
MPRT_OPTIONS=output=$PWD/small/p.json ./a >out 2>err && [ ! -s err ] || exit 1
cp small/p.json first.json
head -c 1000000 /dev/zero >small/rest 2>/dev/null
MPRT_OPTIONS=output=$PWD/small/p.json ./a >out1 2>err1 || exit 2
MPRT_OPTIONS=output=$PWD/small/q.json ./a >out2 2>err2 || exit 3
MPRT_OPTIONS=file=$PWD/small/stream ./a >out3 2>err3 || exit 4
rm small/stream
cmp small/p.json first.json || exit 5
ls small >left
END
status=0
$own sh inner.sh || status=$?
[ $status != 77 ] || skip "cannot mount a tmpfs"
expect_equal "status of inner.sh" $status 0
for i in 1 2 3; do
  cmp out$i expected || fail "run $i: other output"
  expect_equal "lines on stderr of run $i" "$(wc -l <err$i)" 1
done
expect err1 '^memprof: .*/small/p\.json.*No space left'
expect err2 '^memprof: .*/small/q\.json.*No space left'
expect err3 '^memprof: .*/small/stream: cannot write the event stream'
expect_equal "what is left" "$(echo $(cat left))" "p.json rest"
validate first.json
