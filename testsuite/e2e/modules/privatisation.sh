# privatisation.sh - memory of which each iteration of a loop could have its own.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
int row[8], last[8], carry[8], input[80], out;
__attribute__ ((noipa)) static void
scan (void)
{
  for (int i = 0; i < 10; i++)
    {
      for (int j = 0; j < 8; j++)
	row[j] = last[j] = input[8 * i + j];
      for (int j = 0; j < 8; j++)
	carry[j] += row[7 - j] + last[j];
    }
}
int
main (void)
{
  for (int run = 0; run < 2; run++)
    {
      scan ();
      for (int j = 0; j < 8; j++)
	out += last[j];
    }
  return out;
}
END
for level in -O0 -O1; do
  rm -f a.memprof.json
  compile_gen $level -fprofile-mem-modules=privatisation,dependence a.c -o a
  run ./a
  run "$memprof" validate a.memprof.json
  expect_json a.memprof.json <<'END'
scan = loop(line=5)["id"]
rows = {p["groups"][r["group"]]["function"]: r for r in p["privatisation"] if r["loop"] == scan}
def facts(name):
    return [rows[name].get(k, 0) for k in ("loads", "stores", "exposed", "rewritten", "live_out")]
equal(facts("row"), [160, 160, 0, 144, 0])
equal(facts("last")[1:], [160, 0, 144, 16])
equal(facts("carry"), [160, 160, 160, 144, 8])
equal("input" in rows, False)
END
done
# The first eight loads of carry in the second run of scan see the first.
run "$memprof" show --privatisation --top=0 a.memprof.json
expect out ' 160 +0 +160 +144 +0 +candidate +a\.c:5 .*row'
expect out ' candidate; the last one is used +a\.c:5 .*last'
expect out ' no: reads what comes in +a\.c:5 .*carry'
run "$memprof" show --loops --top=0 a.memprof.json
expect out '^ +private\? +global row .*: in 1 run each iteration wrote what it read: candidate, never a proof$'
expect out '^ +private\? +global last .* and the last value is used after the loop: candidate'
run "$memprof" show --loops --top=0 --json a.memprof.json
expect out '"last_used": *true'
