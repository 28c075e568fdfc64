# annotate.sh - memprof annotate: costs beside the source, by file and by function.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

mkdir src
cat >src/a.c <<'END'
long x[1000], chain[1000];
__attribute__ ((noipa)) void
link (void)
{
  for (int i = 1; i < 1000; i++)
    chain[i] = chain[i - 1] + x[(i * 37) % 1000];
}
int
main (void)
{
  for (int i = 0; i < 1000; i++)
	x[i] = i;
  link ();
  return chain[999] == 0;
}
END
compile_gen src/a.c -o a
run ./a
run "$memprof" annotate a.memprof.json link
# 999 of each; the loads of chain read what the iteration before wrote.
expect out '^ *1,998 +999 +[0-9.,]+ +(unit|constant|irregular) +99[789] +6 +chain\[i\] = '
expect_not out 'x\[i\] = i'
expect_not out "$(printf '\033')"
run "$memprof" annotate a.memprof.json a.c
expect out '^ *\. +1,000 +[0-9.,]+ +unit +\. +12 +x\[i\] = i;$'
run "$memprof" annotate --json a.memprof.json main
expect out '"line": 12, "source": .*x\[i\] = i;", "loads": 0, "stores": 1000'

# Another folder is found with --source; without it there are expressions.
mkdir other && mv src other/
run "$memprof" annotate a.memprof.json link
expect out '^src/a\.c: not found; try --source=DIR$'
expect out ' 6 +.*chain\[i\]'
run "$memprof" annotate --source=other a.memprof.json link
expect out ' 6 +chain\[i\] = chain'
run "$memprof" annotate --source=other --all a.memprof.json a.c
expect out ' 14 +return chain'

# A terminal gets colour and the pager.
if script --version >/dev/null 2>&1; then
  run env -u NO_COLOR TERM=xterm MEMPROF_PAGER='sed s/^/paged:/' \
    script -qec "$memprof annotate --source=other a.memprof.json link" typescript
  expect out '^paged:.*6  '
  expect out "$(printf '\033')\\["
fi
run -s 1 "$memprof" annotate a.memprof.json nothing
expect err 'nothing: no function of this name'
