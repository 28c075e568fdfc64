# use/streaming-threads.sh - what a loop has stored past the caches is there when another thread sees the flag that is
# set after it.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
only_for x86_64 "no streaming stores"

need objdump
cat >a.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
enum { N = 40000 };
static long data[N];
static atomic_long round_done, round_read;
__attribute__ ((noinline)) static void write_round (long round)
{
  for (long i = 0; i < N; i++)
    data[i] = round + i;
}
static void *writer (void *rounds)
{
  for (long r = 1; r <= (long) rounds; r++)
    {
      write_round (r);
      atomic_store_explicit (&round_done, r, memory_order_release);
      while (atomic_load_explicit (&round_read, memory_order_acquire) < r)
	;
    }
  return 0;
}
int main (void)
{
  long rounds = 400, wrong = 0;
  pthread_t thread;
  pthread_create (&thread, 0, writer, (void *) rounds);
  for (long r = 1; r <= rounds; r++)
    {
      while (atomic_load_explicit (&round_done, memory_order_acquire) < r)
	;
      for (long i = N - 1; i >= 0; i--)
	wrong += data[i] != r + i;
      atomic_store_explicit (&round_read, r, memory_order_release);
    }
  pthread_join (thread, 0);
  printf ("%ld\n", wrong);
  return 0;
}
END
compile_plain a.c -o plain -pthread
compile_gen a.c -o a -pthread
run ./a
compile -specs="$specs" -O2 -g -fprofile-mem-use -fplugin="$(plugin_file)" -fplugin-arg-memprof-eager a.c -o use -pthread
objdump -d use --no-show-raw-insn | awk '/^[0-9a-f]+ <write_round/{p=1} /^$/{p=0} p' >code
expect code movnt
expect code sfence
same_output ./plain ./use
