#!/bin/sh
# range-order.sh - a loop whose blocks do not stand in the order of execution:
# its range record holds each access once.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
__attribute__ ((noinline)) static unsigned long
work (unsigned *p0, unsigned n)
{
  unsigned long s = n;
  for (int i0 = 8; i0 >= 0; i0 -= 1)
    {
      p0[i0 + 7] = p0[2 * i0 + 3] + i0 * 5u;
      p0[i0 + 1] = p0[38] ^ p0[i0] ^ p0[40 - i0] ^ 7u;
      p0[2 * i0 + 2] = p0[i0 + 1] ^ i0;
      int i1 = 0;
      while (i1 < 1)
        {
          p0[i1] += s;
          int i2 = 0;
          while (i2 < 1)
            {
              p0[40 - i0] = i0;
              i2 += 2;
            }
          if (s % 13 == 0 && i1 > 2)
            goto out;
          i1 += 1;
        }
      if (p0[40 - i0] == 1)
        break;
      s += p0[i0 + 1] ^ i0;
    }
out:
  return s;
}
static unsigned a[96];
int
main (void)
{
  return work (a, 3) == 0;
}
END
for level in range block; do
  rm -f a.memprof.json
  plugin=$(plugin_file)
  compile_gen -fplugin="$plugin" -fplugin-arg-memprof-coalesce=$level a.c -o a
  run ./a
  expect_json a.memprof.json <<'END'
equal(site(line=7, kind="store")["executions"], 8)
equal(site(line=17)["executions"], 8)
END
done
