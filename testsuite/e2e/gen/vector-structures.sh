# gen/vector-structures.sh - loads and stores of several vectors of AArch64 access what they access.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
only_for aarch64 "Advanced SIMD"
cat >a.c <<'END'
#include <arm_neon.h>
#define N __attribute__ ((noipa))
N int32x4x3_t three (const int *p) { return vld3q_s32 (p); }
N int32x4x2_t row (const int *p) { return vld1q_s32_x2 (p); }
N int32x4x2_t all_lanes (const int *p) { return vld2q_dup_s32 (p); }
N void one_lane (int *p, int32x4x3_t x) { vst3q_lane_s32 (p, x, 2); }
N void two (int *p, int32x4x2_t x) { vst2q_s32 (p, x); }
N int32x4_t ordinary (const int *p) { return vld1q_s32 (p); }
static int a[32];
int main (void)
{
  for (int i = 0; i < 32; i++) a[i] = i;
  one_lane (a + 20, three (a));
  two (a + 8, row (a));
  return vgetq_lane_s32 (all_lanes (a).val[1], 3) + vgetq_lane_s32 (ordinary (a + 20), 0) - 7;
}
END
compile_plain a.c -o plain
run ./plain
compile_gen -fchecking a.c -o a
run ./a
expect_json a.memprof.json <<'END'
a = next(g["id"] for g in p["groups"] if g.get("function") == "a")
of_a = {r["site"] for r in p["points_to"] if a in [g for g, n in r["groups"]]}
def widths(name): return [(s["kind"], s["width"]) for s in function(name)["sites"] if s["id"] in of_a]
equal(widths("three"), [("load", 48)])
equal(widths("row"), [("load", 32)])
equal(widths("all_lanes"), [("load", 8)])
equal(widths("one_lane"), [("store", 12)])
equal(widths("two"), [("store", 32)])
equal(widths("ordinary"), [("load", 16)])
END
