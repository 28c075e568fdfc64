# verify-search.sh - memprof verify finds the place that loses, writes the veto file
# and leaves a program built with it; the builds here only pretend.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

# Decisions: a prefetch that gains in gather, one that loses at a.c:30 and one
# that does nothing at a.c:31, both in scatter; an arena.  A unit is some 5 ms;
# they differ by factors, as noise on a busy machine does not.
cat >build.sh <<'END2'
veto=$(cat ${MPRT_VETO:-/dev/null})
units=8
says () # KIND FUNCTION LINE UNITS
{
  taken=true
  case ,${MPRT_USE_NO-}, in *,$1,*) return ;; esac
  case $veto in *"@$1 $2"*|*"@$1 a.c:$3:5"*) taken=false ;; esac
  [ $taken = false ] || units=$((units + $4))
  echo "{\"file\":\"a.c\",\"line\":$3,\"column\":5,\"function\":\"$2\",\"kind\":\"$1\",\"taken\":$taken,\"reason\":\"x\"}" >>$MPRT_REMARKS
}
says prefetch gather 20 -2
says prefetch scatter 30 14
says prefetch scatter 31 0
says huge-pages main 40 -4
[ -z "${NOTHING-}" ] || rm $MPRT_REMARKS
echo "$units $veto" >>built
printf '#!/bin/sh\ni=0; while [ $i -lt %d ]; do i=$((i + 1)); done; echo ${1-} done%s\n' \
  $((units * 5000)) "${NOISE:+ $units}" >prog
chmod +x prog
END2
: >prog
run -s 1 "$memprof" verify --rounds 9 --tolerance 50 --build 'sh build.sh' -- ./prog x
expect out '^all +4 +0\.[0-9]+ .* loses$'
expect out '^prefetch +3 +0\.[0-9]+ .* loses$'
expect out '^huge-pages +1 +1\.[0-9]+ .*'
expect out '^all with vetoes +3 +[1-9]\.[0-9]+ .* gains$'
expect out '^  @prefetch a.c:30:5$'
expect memprof.veto '^@prefetch a.c:30:5$'
expect_equal "entries" "$(grep -c @ memprof.veto)" 1
expect_equal "last build" "$(tail -n 1 built)" '2 @prefetch a.c:30:5'
expect_equal "what is left" "$(ls | tr '\n' ' ')" 'build.sh built err memprof.veto out prog '
run ./prog x
expect out '^x done$'

# JSON; an entry is added once.
echo '@huge-pages main' >memprof.veto
for i in 1 2; do
  run -s 1 "$memprof" verify --json --rounds 9 --tolerance 50 --build 'sh build.sh' -- ./prog
done
"$PYTHON" -c 'import json, sys
v = json.load(sys.stdin)
assert v["vetoes"] == ["@prefetch a.c:30:5"], v
assert [r["name"] for r in v["transformations"]] == ["all", "huge-pages", "prefetch", "all with vetoes"], v
assert v["transformations"][2]["loses"] and v["builds"] >= 5, v' <out || fail "JSON"
passed
expect_equal "entries" "$(grep -c @ memprof.veto)" 2

# What cannot be measured.
NOISE=1 run -s 1 "$memprof" verify --build 'sh build.sh' -- ./prog
expect err 'print different things'
NOTHING=1 run -s 2 "$memprof" verify --build 'sh build.sh' -- ./prog
expect err 'no unit was compiled with -fprofile-mem-use'
run -s 2 "$memprof" verify --build 'echo oh; exit 3' -- ./prog
expect err "ended with status 3:"
expect_file prog
run -s 2 "$memprof" verify --build 'sh build.sh' -- prog
run -s 2 "$memprof" verify -- ./prog
expect err 'build=COMMAND is missing'
