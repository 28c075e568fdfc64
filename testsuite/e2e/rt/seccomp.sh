#!/bin/sh
# rt/seccomp.sh - whatever single system call is forbidden, from the start of the
# recording or later, the program does what it does; its profile is whole, or there is
# one line.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
enum { N = 20000 };
static long table[N];
__attribute__ ((noipa)) static long
work (void)
{
  long s = 0, *own = malloc (sizeof table);
  for (long i = 0; i < N; i++) table[i] = i, own[i] = i;
  for (long i = 0; i < N; i++) s += table[i] + own[table[i]];
  return s;
}
__attribute__ ((no_instrument_function)) static void
forbid (int number, int error)
{
  struct sock_filter filter[] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
  struct sock_fprog program = { sizeof filter / sizeof *filter, filter };
  prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
    _Exit (77);
}
__attribute__ ((no_instrument_function)) int
main (int argc, char **argv)
{
  long s = 0;
  if (!strcmp (argv[1], "late"))
    s = work ();
  if (argc > 3)
    forbid (atoi (argv[2]), strcmp (argv[3], "ENOSYS") ? EPERM : ENOSYS);
  printf ("%ld\n", s + work ());
  return 5;
}
END
compile_gen a.c -o a
run -s 5 -o off=1 ./a early
cp out early.wanted
run -s 5 -o off=1 ./a late
cp out late.wanted
# All that the runtime makes, and what libc makes for it.
calls=$(grep -rohw 'SYS_[a-z0-9_]*' "$MEMPROF_SRCDIR"/runtime/target | sort -u)
printf '#include <sys/syscall.h>\n' >numbers.c
for call in $calls SYS_clock_nanosleep; do
  echo "${call#SYS_} $call" >>numbers.c
done
$CC -E -P -dD numbers.c | sed '/^#/d' | $CC -E -P -x c -include sys/syscall.h - | sed '/^$/d' >numbers
while read -r call number; do
  case $number in *[!0-9]*) fail "no number of $call" ;; esac
  for how in "early EPERM" "late EPERM" "early ENOSYS"; do
    when=${how% *}
    rm -f a.memprof.json ./*stream*
    got=0
    timeout 60 ./a $when "$number" "${how#* }" >out 2>err || got=$?
    [ $got != 77 ] || skip "no filters here"
    # Without exit_group libc ends the process with exit, or a trap.
    [ $call = exit_group ] || expect_equal "$call, $how: status" $got 5
    # The program's own output needs it.
    [ $call = write ] || cmp -s out $when.wanted || fail "$call, $how: another output"
    if [ -s err ]; then
      expect_equal "$call, $how: lines" "$(wc -l <err)" 1
      expect err '^memprof: '
    else
      [ -s a.memprof.json ] || fail "$call, $how: neither a profile nor a line"
      expect_json a.memprof.json 'equal(p["run"]["complete"], True)'
    fi
  done
done <numbers
