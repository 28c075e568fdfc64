#!/bin/sh
# seeds.sh DIR - inputs for the fuzz targets, made by programs of this build: DIR/KIND/NAME.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Small programs with arrays, lists, records, threads, fork and signals, profiled with all modules that
# there are, in each mode; what they write is what the targets read.
set -eu
: "${MEMPROF_SRCDIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${MEMPROF_BUILDDIR:=$MEMPROF_SRCDIR/build}"
mkdir -p "$1"
seeds=$(cd "$1" && pwd)
specs=$("$MEMPROF_BUILDDIR/memprof" --specs)
cc=${MEMPROF_CC:-gcc}
record_input=$MEMPROF_SRCDIR/testsuite/fuzz/record_input.py
python=${MEMPROF_PYTHON:-python3}
work=$(mktemp -d "${TMPDIR:-/tmp}/memprof-seeds.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
for kind in frames layouts profile rebuild recorded remarks streams verify veto; do mkdir -p "$seeds/$kind"; done

cat >list.c <<'END_C'
#include <stdio.h>
#include <stdlib.h>
struct node { char name[24]; long key; double weight; struct node *next; };
struct node *head;
int *table, squares[64];
static long walk (int n)
{
  long sum = 0;
  for (int i = 0; i < n; i++)
    for (struct node *p = head; p; p = p->next)
      sum += p->key * squares[p->key & 63];
  return sum;
}
int main (int argc, char **argv)
{
  int n = argc > 1 ? atoi (argv[1]) : 8;
  table = calloc (n * 64, sizeof *table);
  for (int i = 0; i < n * 4; i++)
    {
      struct node *p = malloc (sizeof *p);
      p->key = i * 7 % 61, p->next = head, head = p;
      squares[i & 63] = i * i;
    }
  for (int i = 1; i < n * 64; i++)
    table[i] = table[i - 1] + table[(i * 37) % (n * 64)] + 1;
  printf ("%ld %d\n", walk (n), table[n * 64 - 1]);
  free (table);
  return 0;
}
END_C
cat >threads.c <<'END_C'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static long counts[16];
static volatile sig_atomic_t seen;
static void handler (int s) { seen = s; counts[15]++; }
static void *work (void *arg)
{
  long *own = arg;
  char *text = malloc (100);
  for (int i = 0; i < 20; i++)
    own[i & 3] += i, memset (text, i, 100), counts[14] += text[i];
  text = realloc (text, 200);
  free (text);
  return 0;
}
int main (void)
{
  pthread_t t[2];
  signal (SIGUSR1, handler);
  for (int i = 0; i < 2; i++) pthread_create (&t[i], 0, work, counts + 4 * i);
  raise (SIGUSR1);
  for (int i = 0; i < 2; i++) pthread_join (t[i], 0);
  printf ("%ld\n", counts[15]);
}
END_C

# make PROGRAM MODE OPTIONS...
build ()
{
  program=$1 mode=$2
  shift 2
  "$cc" -specs="$specs" -O2 -g -w -pthread -fprofile-mem-generate -fprofile-mem-mode="$mode" "$@" \
    "$program.c" -o "$program.$mode"
}
modules=$(sed -n 's/^MODULE ("\([a-z_]*\)",.*/\1/p' "$MEMPROF_SRCDIR/runtime/wire/modules.def" \
  | grep -v -e pagemap | paste -sd,)
for program in list threads; do
  build $program full -fprofile-mem-modules="$modules"
  MPRT_OPTIONS=output=full.memprof.json ./$program.full >/dev/null
  "$python" "$record_input" streams full.memprof.json full.memprof.streams >"$seeds/streams/$program"
  MPRT_OPTIONS=file=stream ./$program.full 2>/dev/null >/dev/null
  "$python" "$record_input" stream stream >"$seeds/recorded/$program-full"
  build $program sample
  MPRT_OPTIONS=output=sample.memprof.json ./$program.sample >/dev/null
  MPRT_OPTIONS=file=sampled ./$program.sample 2>/dev/null >/dev/null
  "$python" "$record_input" stream sampled >"$seeds/recorded/$program-sample"
  for mode in full sample; do
    cp $mode.memprof.json "$seeds/profile/$program-$mode"
    cp $mode.memprof.json "$seeds/rebuild/$program-$mode"
  done
  "$cc" -specs="$specs" -O2 -g -w -pthread -c -fprofile-mem-use=full.memprof.json -fprofile-mem-move-fields \
    -fprofile-mem-remarks="$seeds/remarks/$program" "$program.c" -o "$program.o"
  objcopy -O binary --only-section=.memprof.layouts --set-section-flags .memprof.layouts=alloc \
    "$program.o" "$seeds/layouts/$program.notes"
  cp "$program.o" "$seeds/layouts/$program.o"
done
cp "$MEMPROF_SRCDIR"/testsuite/golden/v1/*.json "$seeds/profile"
cp "$MEMPROF_SRCDIR"/testsuite/golden/v1/*.json "$seeds/rebuild"
printf '# memprof frames 1, process 2304\n55e012340 1a2b3c 16 4K\n7f12a0000 4c6800 512 2M\n' >"$seeds/frames/two"
printf '# nothing\n\nsearch\n@prefetch std::vector<*>::*\nbfs.c:161:9\n@field-order struct order\n' >"$seeds/veto/four"
cat >"$seeds/verify/one" <<'END_JSON'
{"runs":9,"transformations":[{"name":"prefetch","taken":2,"ratio":1.2,"low":1.1,"high":1.3,"vetoes":["@prefetch f"]}]}
END_JSON
