#!/bin/sh
# compared-strings.sh - what comparisons and searches read, and va_list.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
backend=$(plugin_argument backend)
case $target in aarch64-*) bytes=32 ;; *) bytes=24 ;; esac # of a va_list

cat >a.c <<'END'
#include <stdarg.h>
#include <string.h>
#include <strings.h>
char a[16] = "hello, world", b[16] = "help", c[16] = "HELLO";
int __attribute__ ((noipa)) f1 (char *x, char *y) { return strcmp (x, y); }
int __attribute__ ((noipa)) f2 (char *x, char *y) { return strncmp (x, y, 2); }
int __attribute__ ((noipa)) f3 (char *x, char *y) { return strcasecmp (x, y); }
char *__attribute__ ((noipa)) f4 (char *x, char *y) { return strstr (x, y); }
int __attribute__ ((noipa)) f5 (int n, ...)
{
  va_list l, m;
  va_start (l, n);
  va_copy (m, l);
  int sum = va_arg (l, int) + va_arg (m, int);
  va_end (m);
  va_end (l);
  return sum;
}
int __attribute__ ((noipa)) f6 (int *p, int *expected)
{
  return __atomic_compare_exchange_n (p, expected, 7, 0, 5, 5);
}
int
main (void)
{
  int cell = 1, seen = 1;
  int ok = f1 (a, b) < 0 && f1 (b, b) == 0 && f2 (a, b) == 0 && f3 (a, c) > 0
	   && f4 (a, b + 1) == 0 && f4 (a, "wor") == a + 7 && f5 (1, 5) == 10
	   && f6 (&cell, &seen) && !f6 (&cell, &seen) && seen == 7;
  return !ok;
}
END
compile_gen a.c -o a
run -o file=s ./a
"$backend" --dump s >dump
widths () # FUNCTION KIND: of its accesses, in order
{
  awk -v f="$1" -v k="$2" '/^T[0-9]+ [A-Z]/{ on = 0 } $2 == "BLOCK" { on = $3 == f }
    on && $2 == k { printf "%s ", $NF }' dump
}
expect_equal strcmp "$(widths f1 load)" "4 4 5 5 "
expect_equal strncmp "$(widths f2 load)" "2 2 "
expect_equal strcasecmp "$(widths f3 load)" "6 6 "
expect_equal strstr "$(widths f4 load)" "4 13 4 10 "
expect_equal va_list "$(widths f5 store | cut -c1-6)" "$bytes $bytes "
expect_equal "compare-exchange" "$(widths f6 load)" "4 4 4 4 "
expect_equal "compare-exchange" "$(widths f6 store)" "4 4 "
