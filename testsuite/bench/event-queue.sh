#!/bin/sh
# event-queue.sh [ROUNDS] - nanoseconds per event from one process to another:
# our ring with one and with eight consumers against boost's lock-free queues
# (libboost-dev) and a deque with a mutex; 10 million numbered events.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$(dirname "$0")/../long/real-program.inc"
rounds=${1:-5}
queue=$MEMPROF_SRCDIR/testsuite/bench/queue
libs=$MEMPROF_BUILDDIR/runtime/target/.libs
cxx=${MEMPROF_CXX:-g++}; cxx=${cxx%% *}
"$cxx" -std=c++20 -O2 -g -I"$MEMPROF_SRCDIR" "$queue/ring_producer.cc" -o ring_producer \
  -L"$libs" -Wl,-rpath,"$libs" -Wl,--no-as-needed -lmemprof_rt || exit
"$cxx" -std=c++20 -O2 -g -I"$MEMPROF_SRCDIR" "$queue/ring_consumer.cc" -o ring_consumer \
  -pthread || exit
kinds="ring1 ring8"
if printf '#include <boost/lockfree/queue.hpp>\n' | "$cxx" -std=c++20 -fsyntax-only -x c++ - 2>/dev/null; then
  "$cxx" -std=c++20 -O2 -g -w "$queue/boost.cc" -o boost -pthread || exit
  kinds="$kinds spsc queue locked"
else
  echo "no boost here (libboost-dev)"
fi

round=0
while [ $round -lt "$rounds" ]; do
  for k in $kinds; do
    case $k in
      ring*)
        rm -f number
        MPRT_OPTIONS="backend=$work/ring_consumer:workers=${k#ring}:output=$work/number" ./ring_producer
        cat number >>"$k.times" ;;
      *) ./boost "$k" >>"$k.times" ;;
    esac
  done
  round=$((round + 1))
done
python3 - $kinds <<'PY'
import statistics, sys
names = {"ring1": "ring, 1 consumer", "ring8": "ring, 8 consumers that read all",
         "spsc": "boost::lockfree::spsc_queue", "queue": "boost::lockfree::queue",
         "locked": "std::deque and std::mutex"}
for kind in sys.argv[1:]:
    times = [float(line) for line in open(kind + ".times")]
    if not times or min(times) <= 0:
        sys.exit(f"event-queue: no times of {kind}: {times}")
    print("%-34s %8.2f ns per event  [%.2f, %.2f]"
          % (names[kind], statistics.median(times), min(times), max(times)))
PY
