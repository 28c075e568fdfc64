# The stream in a file says the same as the stream in memory.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/rt.inc"
cat >a.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "testsuite/e2e/rt/hand.h"
static long x;
static void on_signal (int s) { (void) s; STORE (&x); }
static void *work (void *p)
{ for (int i = 0; i < 50000; i++) LOAD (&x); free (malloc (3)); return p; }
int main (void)
{
  pthread_t t[4];
  signal (SIGUSR1, on_signal);
  for (int round = 0; round < 3; round++)
    {
      for (int i = 0; i < 4; i++) pthread_create (t + i, 0, work, 0);
      for (int i = 0; i < 100; i++) raise (SIGUSR1);
      for (int i = 0; i < 4; i++) pthread_join (t[i], 0);
    }
  if (fork () == 0) { LOAD (&x); _exit (2); }
  wait (0);
  return 3;
}
END
hand a.c -o a
run -s 3 -o "file=$PWD/stream.%p" ./a
expect_equal files "$(ls stream.* | wc -l)" 2
rm -f stream.*
run -s 3 -o "file=$PWD/stream.x" ./a
expect_equal files "$(ls stream.* | wc -l)" 2
cat >check.py <<'END'
import struct, sys
loads = stores = 0
tickets = []
threads = set()
data = open(sys.argv[1], "rb").read()
magic, abi, length = struct.unpack_from("<QII", data)
assert magic == 0x4d525453545250ff and abi == int(sys.argv[2])
at, kinds = 16 + length, {}
while at < len(data):
    ring, thread, signal_of, length = struct.unpack_from("<4I", data, at)
    at += 16
    end = at + length
    while at < end:
        header, = struct.unpack_from("<Q", data, at)
        words = header & 63
        record = struct.unpack_from("<%dQ" % words, data, at)
        at += 8 * words
        if header >= 4096:
            kinds.setdefault(header & ~63, 0)
            kinds[header & ~63] += 1
            continue
        kind = header >> 6
        if kind == 3:
            at += (record[2] + 7) // 8 * 8
        if kind in (5, 6, 7, 8, 9, 11) and record[-1]:
            tickets.append(record[-1])
        if kind == 10:
            threads.add(record[1])
            if record[2]:
                tickets.append(record[2])
    assert at == end
assert sorted(tickets) == list(range(1, len(tickets) + 1))
print(*sorted(kinds.values()), len(threads))
END
abi=$(sed -n 's/^#define MPRT_ABI \([0-9]*\)u$/\1/p' \
        "$MEMPROF_SRCDIR/runtime/wire/record.h")
for f in stream.*; do "$PYTHON" check.py "$f" "$abi"; done | sort >counts
expect_equal counts "$(tr '\n' ';' <counts)" '1 1;300 600000 13;'
