# A full disk: one line, no half profile, and the profile of before stays.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
on_hardware "no filters of system calls"
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
# A disk of 256 KB that is full, if one may be mounted; it goes with the name space. And
# a system call filter under which no file gets more than small pieces.
cat >full.c <<'END'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#define LOAD(field) \
  BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, field))
int main (int argc, char **argv)
{
  struct sock_filter rules[] = {
    LOAD (nr),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_writev, 4, 0),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_pwrite64, 1, 0),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 0, 3),
    LOAD (args[2]),
    BPF_JUMP (BPF_JMP | BPF_JGE | BPF_K, 512, 0, 1),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSPC),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
  struct sock_fprog program = { sizeof rules / sizeof *rules, rules };
  return argc < 2 || prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    || prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) || execv (argv[1], argv + 1);
}
END
compile_plain full.c -o full
mkdir small
cat >inner.sh <<'END'
MPRT_OPTIONS=output=$PWD/small/p.json ./a >out 2>err && [ ! -s err ] || exit 1
cp small/p.json first.json
if [ "$1" = filter ]; then full=./full
else full=; head -c 1000000 /dev/zero >small/rest 2>/dev/null
fi
MPRT_OPTIONS=output=$PWD/small/p.json $full ./a >out1 2>err1 || exit 2
MPRT_OPTIONS=output=$PWD/small/q.json $full ./a >out2 2>err2 || exit 3
MPRT_OPTIONS=file=$PWD/small/stream $full ./a >out3 2>err3 || exit 4
rm small/stream
cmp small/p.json first.json || exit 5
rm -f small/rest
ls small >left
END
disk_is_full () # COMMAND...
{
  status=0
  "$@" || status=$?
  expect_equal "status of $*" $status 0
  for i in 1 2 3; do
    cmp out$i expected || fail "run $i: other output"
    expect_equal "lines on stderr of run $i" "$(wc -l <err$i)" 1
  done
  expect err1 '^memprof: .*/small/p\.json.*No space left'
  expect err2 '^memprof: .*/small/q\.json.*No space left'
  expect err3 '^memprof: .*/small/stream: cannot write the event stream'
  expect_equal "what is left" "$(cat left)" p.json
  validate first.json
}
for own in "unshare -m" "unshare -rm"; do
  if $own mount -t tmpfs none small 2>/dev/null; then
    disk_is_full $own sh -c 'mount -t tmpfs -o size=256k none small && sh inner.sh disk'
    break
  fi
done
disk_is_full sh inner.sh filter
