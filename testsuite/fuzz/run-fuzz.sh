#!/bin/sh
# run-fuzz.sh - libFuzzer on each kind of input that may come from somebody else, under the address and
# undefined-behaviour sanitizers: no finding.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   FUZZ_MINUTES=30      processor-minutes for each kind
#   FUZZ_KINDS="a b"     only these
#   FUZZ_DIR=DIR         the build and the growing corpora stay there, and are used again
#
# A finding is printed and its input copied into the current folder of make; put it, reduced with
# `fuzz-KIND -minimize_crash=1 -runs=100000 FILE', into testsuite/fuzz/corpus/KIND with the mend.
. "$(dirname "$0")/../long/real-program.inc"
: "${FUZZ_MINUTES:=30}"
: "${FUZZ_DIR:=$work/fuzz}"
: "${FUZZ_KINDS:=frames layouts profile rebuild recorded remarks streams verify veto}"
mkdir -p "$FUZZ_DIR/corpus"
folder=$(cd "$FUZZ_DIR" && pwd)
echo 'extern "C" int LLVMFuzzerTestOneInput (const char *, unsigned long) { return 0; }' >probe.cc
clang++ -fsanitize=fuzzer,address,undefined probe.cc -o probe 2>/dev/null \
  || { echo "SKIP: no clang++ with libFuzzer here (apt-get install clang)" >&2; exit 77; }

(cd "$folder" \
   && { [ -f Makefile ] || "$MEMPROF_SRCDIR/configure" -q CC="$cc" CXX=clang++ \
          CXXFLAGS="-O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined"; } \
   && ${MAKE:-make} -s fuzz_replay && for kind in $FUZZ_KINDS; do ${MAKE:-make} -s "fuzz-$kind" || exit; done) \
  >build.log 2>&1 || { tail -n 20 build.log; fail "the targets do not build"; }
sh "$MEMPROF_SRCDIR/testsuite/fuzz/seeds.sh" "$folder/seeds" >seeds.log 2>&1 \
  || { tail -n 20 seeds.log; fail "no seeds"; }

# What is text for an input of bytes.
plain_corpus () # KIND
{
  mkdir -p "$folder/corpus/$1" "plain/$1"
  for file in "$MEMPROF_SRCDIR/testsuite/fuzz/corpus/$1"/*; do
    case $file in
      *.hex) "${MEMPROF_PYTHON:-python3}" "$MEMPROF_SRCDIR/testsuite/fuzz/record_input.py" bytes \
               <"$file" >"plain/$1/$(basename "$file" .hex)" ;;
      *) [ ! -f "$file" ] || cp "$file" "plain/$1" ;;
    esac
  done
}

found=
for kind in $FUZZ_KINDS; do
  plain_corpus "$kind"
  status=0
  # An input may take 20 s and 2 GB; the commands' own output goes nowhere.
  ASAN_OPTIONS=malloc_context_size=8 \
    "$folder/fuzz-$kind" -max_total_time=$((FUZZ_MINUTES * 60)) -timeout=20 -rss_limit_mb=2500 -max_len=100000 \
    -close_fd_mask=3 -print_final_stats=1 -artifact_prefix="$folder/$kind-" \
    "$folder/corpus/$kind" "plain/$kind" "$folder/seeds/$kind" >"$folder/$kind.log" 2>&1 || status=$?
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/$kind.log")
  features=$(sed -n 's/.*cov: \([0-9]*\) ft: \([0-9]*\).*/\1 edges/p' "$folder/$kind.log" | tail -n 1)
  echo "$kind: ${runs:-?} inputs, $features, $([ $status = 0 ] && echo 'no finding' || echo "FINDING, status $status")"
  [ $status = 0 ] || { found="$found $kind"; tail -n 60 "$folder/$kind.log"; }
  [ $status = 0 ] && [ "${runs:-0}" -lt 100 ] && fail "$kind: hardly an input was tried"
done
[ -z "$found" ] || { cp "$folder"/*-crash-* "$folder"/*-timeout-* "$folder"/*-oom-* "$folder"/*-leak-* "$OLDPWD" 2>/dev/null || :
                     fail "findings in$found"; }
ok "fuzzing"
