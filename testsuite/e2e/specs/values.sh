# specs/values.sh - values with blanks, percent signs and globs reach the plugin unchanged.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

echo 'int main (void) { return 0; }' >a.c
for value in 'a b' 'o-%p' 'x%%{y}' 'back\slash' 'src/*.c'; do
  "$CC" -specs="$specs" -fprofile-mem-generate="$value" -### -c a.c 2>log
  tr -d '"\\' <log >plain
  wanted=$(printf '%s' "$value" | tr -d '\\')
  grep -qF -e "-fplugin-arg-memprof-dir=$wanted" plain \
    || { cat log >&2; fail "the value '$value' has changed"; }
  passed
done
