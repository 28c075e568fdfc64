# shared-memory.sh - the backend sees the memory that it shares with the program in one place.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The program may write there at any time. ShmSource copies what was published and reads each
# other word once; everybody else gets copies, so a word that was checked is the one that is used.
set -eu
srcdir=${MEMPROF_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$srcdir/runtime/backend"
words='mprt_ring\>|MPRT_(RINGS|CHUNKS)_OFFSET|MPRT_SHARED_BYTES'
found=$(grep -rlE "$words" --include='*.cc' --include='*.h' . | sort | tr '\n' ' ')
[ "$found" = './stream/shm_source.cc ./stream/shm_source.h ' ] \
  || { echo "shared-memory: used in $found" >&2; exit 1; }
echo "shared-memory: 1 passed, 0 failed"
