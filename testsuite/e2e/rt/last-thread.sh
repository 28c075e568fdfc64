# The thread that ends last ends the program: all is there, and it is counted once.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#include <pthread.h>
int squares[100];
static void *fill (void *places)
{
  for (int i = 0; i < 100; i++)
    squares[i * 7 % 100] = i * i;
  return places;
}
int main (int argc, char **argv)
{
  pthread_t thread;
  if (argc > 1)
    pthread_create (&thread, 0, fill, 0);
  else
    fill (0);
  pthread_exit (0);
}
END
compile_plain -pthread a.c -o plain
for mode in full sample; do
  compile_gen -pthread -fprofile-mem-mode=$mode a.c -o $mode
  for others in "" one; do
    rm -f $mode.memprof.json
    # shellcheck disable=SC2086
    same_output ./plain ./$mode $others
    expect_json $mode.memprof.json "check(p['run']['complete'])
equal(p['run']['threads'], len('$others'.split()) + 1)"
  done
done
