# Every way to the heap is a birth and a death; errors stay errors.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/rt.inc"
cat >a.cc <<'END'
#include <errno.h>
#include <malloc.h>
#include <new>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
extern "C" {
#include "testsuite/e2e/rt/hand.h"
}
struct alignas (256) Wide { char c[256]; };
int main (int argc, char **)
{
  void *p = nullptr;
  int births = 0;
  auto done = [&] (void *q) { if (!q) exit (1); births++; free (q); };
  done (malloc (1)); done (calloc (3, 5)); done (realloc (nullptr, 9));
  done (aligned_alloc (64, 128)); done (memalign (32, 100)); done (valloc (5));
  done (pvalloc (5)); done (strdup ("x")); done (strndup ("xyz", 2));
  done (reallocarray (nullptr, 3, 4));
  if (posix_memalign (&p, 4096, 10)) return 2;
  done (p);
  char *line = nullptr;
  if (asprintf (&line, "%d", argc) < 0) return 3;
  done (line);
  delete new long; births++;
  delete[] new long[3]; births++;
  delete new Wide; births++;
  delete new (std::nothrow) long; births++;
  ::operator delete (::operator new (8), (size_t) 8); births++;
  // Failures: no birth, errno as ever.
  volatile size_t huge = ~0ul / 2;
  errno = 0;
  if (malloc (huge) || errno != ENOMEM) return 4;
  errno = 0;
  if (calloc (huge, 4) || errno != ENOMEM) return 5;
  errno = 0;
  if (reallocarray (nullptr, huge, 4) || errno != ENOMEM) return 6;
  if (posix_memalign (&p, 3, 10) != EINVAL) return 7;
  // realloc: the object lives on when it fails.
  p = malloc (10); births++;
  if (realloc (p, huge)) return 8;
  p = realloc (p, 100000);
  volatile size_t none = 0;
  p = realloc (p, none);
  if (p) return 9;
  errno = 33;
  free (malloc (1)); births++;
  if (errno != 33) return 10;
  // Large mappings.
  size_t mb = 4 << 20;
  p = mmap (0, mb, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); births++;
  p = mremap (p, mb, 2 * mb, MREMAP_MAYMOVE);
  munmap (p, 2 * mb);
  fprintf (stderr, "%d\n", births);
  return 0;
}
END
hand -O0 a.cc -o a
record ./a
# asprintf uses a second block for a while; libstdc++ may make a pool at its start.
wanted=$(cat err)
births=$(sed -n 's/^process.* births=\([0-9]*\).*/\1/p' count)
deaths=$(sed -n 's/^process.* deaths=\([0-9]*\).*/\1/p' count)
[ "$births" -ge "$wanted" ] && [ "$births" -le $((wanted + 2)) ] \
  || fail "$births births, expected $wanted"
passed
[ "$deaths" = "$births" ] || [ "$deaths" = $((births - 1)) ] \
  || fail "$deaths deaths, expected $births"
passed
counted reallocs 3
