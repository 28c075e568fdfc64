# gen/no-functions.sh - a unit of constants, whose only functions are those that GCC and we add: it links,
# and has its variables in the profile.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
echo 'const unsigned char table[64] = { 1, 2, 3 };' >table.c
cat >main.c <<'END'
extern const unsigned char table[64];
int main (void)
{
  int sum = 0;
  for (int i = 0; i < 64; i++)
    sum += table[i];
  return sum != 6;
}
END
for mode in sample full objects; do
  for other in '' -fprofile-generate --coverage '-flto -fprofile-generate' -fsanitize=undefined; do
    rm -f ./*.gcda ./*.memprof.json
    # shellcheck disable=SC2086 # several options
    compile -specs="$specs" -O2 -g -fprofile-mem-generate -fprofile-mem-mode=$mode $other table.c main.c -o a
    run ./a
    expect_file a.memprof.json
    validate a.memprof.json
  done
done
compile_gen -fprofile-generate -fprofile-mem-mode=full table.c main.c -o a
run ./a
expect_json a.memprof.json <<'END'
equal([g["kind"] for g in p["groups"] if g.get("function") == "table"], ["global"])
END
