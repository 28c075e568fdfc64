# huge-types.sh - structures of gigabytes, and numbers in a profile that no structure has.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <sys/mman.h>
struct region { long used, limit; char room[SIZE]; long tail; };
int main (void)
{
  struct region *r = mmap (0, sizeof *r, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (r == MAP_FAILED)
    return 77;
  for (int i = 0; i < 1000; i++)
    r->room[r->used++] = r->limit;
  return r->tail;
}
END
# What a structure of 3 GB costs is not its lines, 50 million.
small () { (ulimit -v 3000000; timeout 60 "$@"); }
for gb in 3 4; do
  compile_gen "-DSIZE=(${gb}UL << 30)" a.c -o a
  s=0; ./a || s=$?
  [ $s != 77 ] || skip "no $gb GB of address space"
  mv a.memprof.json $gb.json
  validate $gb.json
  small "$CC" -specs="$specs" -O2 -fprofile-mem-use=$gb.json "-DSIZE=(${gb}UL << 30)" -c a.c -o a.o
  for command in layout advise report; do small "$memprof" $command $gb.json >out; done
done
expect_json 3.json 'equal([t["bytes"] for t in p["types"]], [3 * 2**30 + 24])'
# A row of the wire has 32 bits for sizes: what is larger has none.
expect_json 4.json 'equal(p.get("types", []), [])'

for bytes in 4294967296 1099511627776 9223372036854775807; do
  sed "s/\"bytes\":3221225496/\"bytes\":$bytes/; s/\"bytes\":3221225472/\"bytes\":$bytes/" 3.json >wrong.json
  ! cmp -s 3.json wrong.json || fail "no such number in the profile"
  for command in layout advise report; do small "$memprof" $command wrong.json >out; done
  small "$CC" -specs="$specs" -O2 -fprofile-mem-use=wrong.json '-DSIZE=(3UL << 30)' -c a.c -o a.o
done
run -s 1 "$memprof" validate wrong.json

# Lines that no file has; and no memory is one message.
sed 's/"line":[0-9]*,"column"/"line":4294967295,"column"/' 3.json >line.json
small "$memprof" annotate --all line.json a.c >out
expect out 4294967295
s=0; (ulimit -v 30000; "$memprof" layout 3.json) >out 2>err || s=$?
case $s in 0) ;; 2) expect err '^memprof: out of memory' ;; *) grep -q 'error while loading' err || fail "status $s" ;; esac
