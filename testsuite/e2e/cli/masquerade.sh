# cli/masquerade.sh - the masquerade folder makes a literal gcc command line work.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
on_hardware "the names are those of compilers for this machine"

folder=$("$memprof" --masquerade-dir)
cat >a.c <<'END'
int a[50];
int main (void) { for (int i = 0; i < 50; i++) a[i] = i; return a[49] - 49; }
END
# `gcc' must be the compiler under test.
case $(gcc -dumpfullversion 2>/dev/null) in
  "$($CC -dumpfullversion)") ;;
  *) mkdir real
     printf '#!/bin/sh\nexec %s "$@"\n' "$CC" >real/gcc
     chmod +x real/gcc
     PATH=$PWD/real:$PATH ;;
esac
real=$(command -v gcc)
saved=$PATH

PATH=$folder:$saved
for form in memprof.so memprof; do
  rm -f a.memprof.json
  gcc -fplugin=$form -O1 -fprofile-mem-generate -fprofile-mem-mode=full a.c -o a
  run ./a
  expect_json a.memprof.json 'equal(p["run"]["stores"], 50)'
done

# Nested, given twice, and with the specs already there.
PATH=$folder:$folder:$saved
gcc -specs="$specs" -fprofile-mem-generate -### -c a.c 2>log
expect_equal "-fplugin= in the command" "$(grep -o "fplugin=[^ \"']*" log | sort -u | wc -l)" 1
# A compiler by its number.
major=$($CC -dumpfullversion | sed 's/\..*//')
for name in gcc g++; do
  command -v "$name-$major" >/dev/null || continue
  "$name-$major" -fprofile-mem-generate -### -c a.c 2>log
  expect log "fplugin=[^ ]*/gcc-$major[^ ]*/memprof.so"
  "$(dirname "$memprof")/memprof-$name-$major" -fprofile-mem-generate -c -x c a.c -o a.o
  passed
done

# A caching compiler that looks for the real one in PATH does not find us.
mkdir cache
cat >cache/gcc <<'END'
#!/bin/sh
echo called >>"$LOG"
PATH=$(printf '%s' "$PATH" | sed "s|$CACHE:||g")
exec gcc "$@"
END
chmod +x cache/gcc
CACHE=$PWD/cache LOG=$PWD/log.calls; export CACHE LOG
for order in "$folder:$CACHE" "$CACHE:$folder" "$folder:$CACHE:$folder"; do
  rm -f "$LOG" a.o
  PATH=$order:$saved
  gcc -fprofile-mem-generate -c a.c
  expect_file a.o
  expect_equal "calls of the cache with $order" "$(wc -l <"$LOG")" 1
done
PATH=$saved

# The wrappers by their own names.
bin=$(dirname "$memprof")
for w in gcc g++ gfortran; do
  command -v "$w" >/dev/null || continue
  "$bin/memprof-$w" -fprofile-mem-generate -E -x c /dev/null >/dev/null
  passed
done
( PATH=$folder; "$folder/gcc" -c a.c ) >out 2>err && fail "ran without a compiler"
expect err "memprof: no compiler 'gcc' in PATH"
