# The runtime needs nothing from the program's process but these functions of
# libc: no libstdc++, no allocation, no stdio, no locks.
#
# Each is safe where the runtime calls it: _setjmp where it tells how libc hides stack
# pointers, dlsym, dladdr and the registrations
# once at the start, dlopen where libgomp or libstdc++ is called first, pthread_*
# where a thread starts or ends, fflush_unlocked for the program's own output at
# its exit, the rest anywhere.
set -eu
library=${MEMPROF_BUILDDIR:-.}/runtime/target/.libs/libmemprof_rt.so
archive=${MEMPROF_BUILDDIR:-.}/runtime/target/libmemprof_rt_static.a
wraps=$(sed -n 's/^MPRT_WRAP (\(.*\))$/\1/p' "${MEMPROF_SRCDIR:-.}/runtime/target/wrap.def")

cat >allowed.$$ <<'END'
__cxa_at_quick_exit
__dso_handle
__environ
__errno_location
__register_atfork
_setjmp
dladdr
dlopen
dlsym
dlvsym
environ
fflush_unlocked
getauxval
on_exit
pthread_attr_destroy
pthread_attr_getstack
pthread_attr_getstacksize
pthread_attr_init
pthread_key_create
pthread_self
pthread_setspecific
stdout
END
trap 'rm -f allowed.$$ found.$$ faults.$$' EXIT
for w in $wraps; do echo "__real_$w"; done >>allowed.$$

nm -D --undefined-only "$library" | awk '$1 == "U" { sub(/@.*/, "", $2); print $2 }' >found.$$
# What the archive's members define for each other is no need.
nm --undefined-only "$archive" 2>/dev/null | awk '$1 == "U" { print $2 }' | sort -u \
  | grep -v '^_ZN4mprt\|^__mprt_\|^_GLOBAL_OFFSET_TABLE_$' >>found.$$ || true
nm --defined-only "$archive" 2>/dev/null | awk 'NF == 3 { print $3 }' >>allowed.$$
sort -u found.$$ | grep -vxFf allowed.$$ >faults.$$ || true
if [ -s faults.$$ ]; then
  echo "undefined-symbols: the runtime needs what it must not:" >&2
  cat faults.$$ >&2
  exit 1
fi
shared=$(sed -n 's/^MPRT_WRAP_SHARED (.*, \(.*\))$/\1/p' "${MEMPROF_SRCDIR:-.}/runtime/target/wrap.def")
exported=$(nm -D --defined-only "$library" | awk '{ print $3 }' | sort)
expected=$( (printf '%s\n' $wraps $shared; printf '__mprt_%s\n' alloc_site burst call_sample carved compared countdown dump \
  guard_ticket last_ticket lease loop_sample order publish reset room scattered slow start stop unit unit_unload work) | sort)
if [ "$exported" != "$expected" ]; then
  echo "undefined-symbols: exported and expected symbols differ" >&2
  exit 1
fi
# No constructor that initialises objects, no thread-safe static.
if nm -C "$library" | grep -E '_GLOBAL__sub_I|guard variable' >&2; then
  echo "undefined-symbols: static constructors" >&2
  exit 1
fi
echo "undefined-symbols: $(wc -l <found.$$) names, all allowed"
