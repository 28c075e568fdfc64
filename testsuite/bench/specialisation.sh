#!/bin/sh
# specialisation.sh [PROGRAM...] - how much less a program reports for one module
# than for all of them together.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# An event is a load, a store, the begin, iteration or end of a loop, the entry or
# return of a function, a pointer that is passed or returned, or the birth or death of an object (memprof-backend
# --counts); what a loop has counted is one event for each site.  Bytes are those of the
# stream, with the values.  The last line is the geometric mean of what is
# left, as a reduction.  Programs (default: all of them), each with a small input,
# since each stream goes to a file: bfs hashjoin spmv isort matrix palette swarm
# treesum gzip bzip2.
. "$(dirname "$0")/../long/real-program.inc"
backend=$MEMPROF_BUILDDIR/memprof-backend
programs=${*:-bfs hashjoin spmv isort matrix palette swarm treesum gzip bzip2}
modules="dependence value lifetime points_to pointers"

arguments () # PROGRAM
{
  case $1 in
    bfs) echo 11 1 2 ;; hashjoin) echo 12 1 1 ;; spmv) echo 12 1 1 ;;
    isort) echo 14 1 1 ;; matrix) echo 1 40 ;; palette) echo 10 1000 ;;
    swarm) echo 20 500 ;; treesum) echo 6000 1 1 ;;
    gzip|bzip2) echo -c input ;;
  esac
}

build () # PROGRAM MODULES
{
  flags="-specs=$specs -fprofile-mem-generate=$work -fprofile-mem-mode=full -fprofile-mem-modules=$2"
  rm -rf "$1.m" "$1.m.d"
  case $1 in
    # shellcheck disable=SC2086
    gzip|bzip2) [ -f input ] || mixed_file input 60000; build_program "$1" m $flags ;;
    *)
      source=$MEMPROF_SRCDIR/examples/$1.c
      [ -f "$source" ] || source=$MEMPROF_SRCDIR/testsuite/bench/programs/$1.c
      # shellcheck disable=SC2086
      "$cc" $flags -O2 -g "$source" -o "$1.m" -lm ;;
  esac
}

for program in $programs; do
  for list in all $modules; do
    build "$program" "$list"
    # shellcheck disable=SC2046
    MPRT_OPTIONS=file=stream "./$program.m" $(arguments "$program") >/dev/null || fail "$program"
    "$backend" --counts stream | sed -n '1,2p' | tr '\n' ' ' \
      | sed "s/^/$program $list /" >>counts
    echo >>counts
  done
done
python3 - <<'END'
import math, re
rows = {}
for line in open("counts"):
    program, module, rest = line.split(" ", 2)
    number = lambda what: int(re.search(r"(\d+) " + what, rest).group(1))
    rows.setdefault(program, {})[module] = (number("events:"), number("bytes"))
modules = [m for m in next(iter(rows.values())) if m != "all"]
print(f"{'':10}{'all: events':>14}{'bytes':>14}", *(f"{m:>20}" for m in modules))
left = {m: ([], []) for m in modules}
for program, by in rows.items():
    cells = []
    for m in modules:
        for i in (0, 1):
            if not 0 < by[m][i] <= by["all"][i]:
                raise SystemExit(f"specialisation: {program} reports {by[m][i]} for {m}, {by['all'][i]} for all")
            left[m][i].append(by[m][i] / by["all"][i])
        cells.append("{:11.1f}% {:6.1f}%".format(*(100 * (1 - left[m][i][-1]) for i in (0, 1))))
    print(f"{program:10}{by['all'][0]:14}{by['all'][1]:14}", *cells)
mean = lambda v: 100 * (1 - math.exp(sum(map(math.log, v)) / len(v)))
print(f"{'geomean':38}", *("{:11.1f}% {:6.1f}%".format(mean(left[m][0]), mean(left[m][1])) for m in modules))
END
