# field-order-obstacles.sh - fields are moved in every type that is safe, and in no
# other: each kind of obstacle, overlooked on purpose, changes what layouts.c prints.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

plugin=$(plugin_file)
cp "$MEMPROF_SRCDIR"/testsuite/e2e/src/layouts* .
cat >library.c <<'END'
#include "layouts.h"
long library_shared (const struct shared *p) { return p->middle * 5 + p->first; }
static long value (const struct plugged *p) { return p->middle * 7 + p->last; }
void *library_ops (void) { static struct plug_ops ops = { value }; return &ops; }
END
compile -O2 -shared -fPIC library.c -o liblayouts.so
units="layouts.c layouts_other.c -L. -llayouts -Wl,-rpath,$PWD -Wl,--defsym=device_bytes=device"
compile -O1 $units -o plain
compile_gen $units -o a
run ./a
build () # OPTION...
{
  compile -specs="$specs" -O2 -g -fchecking -fprofile-mem-use=a.memprof.json -fprofile-mem-move-fields \
    -fplugin="$plugin" -fplugin-arg-memprof-eager \
    -fprofile-mem-use-no=prefetch,versioning,huge-pages "$@" $units -o use
}
for level in -O1 -O2 -O3 "-O2 -flto"; do
  rm -f remarks
  build $level -fprofile-mem-remarks=remarks
  same_output ./plain ./use
done
for type in "fine" "inside" "from_wrapper"; do
  expect remarks "\"struct $type\",\"kind\":\"field-order\",\"taken\":true"
done
grep '"kind":"field-order","taken":true' remarks | sort -u >taken
expect_equal "types taken" "$(sed 's/.*function":"\([^"]*\).*/\1/' taken | sort -u | tr '\n' ' ')" \
  "struct fine struct from_wrapper struct inside "
refused () # TYPE WORDS
{
  run "$memprof" layout a.memprof.json "$1"
  expect out "$2"
}
refused in_device "it is volatile"
refused packed_one "its layout is fixed \(packed"
refused bits "its layout is fixed \(bit-fields"
refused tail "its layout is fixed \(its last member is an array"
refused too_short "no number of whole records"
refused open "its layout is fixed \(an array without a length"
noticed () # KIND CASE
{
  build -fplugin-arg-memprof-ignore-obstacle="$1"
  ./use >out.use
  grep "^$2 " out.use >mine && ./plain | grep "^$2 " >wanted || fail "no $2"
  if cmp -s mine wanted; then fail "$2 does not notice that $1 is overlooked"; fi
  passed
}
noticed cast case_cast
noticed void-pointer case_void_pointer
noticed field-address case_field_address
noticed bytes case_bytes
noticed external case_external
noticed from case_from
noticed initialiser case_initialiser
noticed offsetof case_offsetof
noticed offsetof case_offset_by_hand
noticed part case_part
noticed variadic case_variadic
noticed asm case_asm
noticed definitions case_definitions
noticed volatile case_volatile
noticed fixed case_fixed
noticed union case_union
noticed bytes case_pointer_bytes
noticed indirect case_indirect
noticed address-order case_address_order
noticed asm case_asm_name
