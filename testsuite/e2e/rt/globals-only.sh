# globals-only.sh - a source file with tables and no function.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

echo 'const unsigned table[64] = { 1, 2, 3 }; int counter;' >data.c
cat >main.c <<'END'
extern const unsigned table[64];
extern int counter;
int main (void)
{
  for (int i = 0; i < 64; i++) counter += table[i];
  return counter - 6;
}
END
for options in -O2 -O0 -flto "-flto -ffat-lto-objects"; do
  rm -f prog.memprof.json
  # shellcheck disable=SC2086
  compile_gen $options -fchecking data.c main.c -o prog
  run ./prog
  expect_json prog.memprof.json <<'END'
table = group("table", kind="global")
equal(table["bytes"], 256)
equal(table["accesses"], 64)
check(table["file"] == "data.c" and table["line"] == 1, "where the table is")
END
done
compile_gen data.c main.c -o prog
rm prog.memprof.json
run ./prog
expect_json prog.memprof.json 'equal([m["file"] for m in p["modules"]], ["data.c", "main.c"])'
