#!/bin/sh
# tracked-files.sh - no program, archive or picture is in the repository by mistake.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A file that git tracks is text, but for the pictures that a page shows, and none is larger
# than 300 KB.  A history keeps
# what was committed once, so this must fail before others have it.
set -eu
srcdir=${MEMPROF_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
python=${MEMPROF_PYTHON:-python3}
git -C "$srcdir" ls-files --error-unmatch configure.ac >/dev/null 2>&1 \
  || { echo "SKIP: $srcdir is not a git checkout" >&2; exit 77; }
git -C "$srcdir" ls-files -z >tracked.$$
trap 'rm -f tracked.$$' EXIT
"$python" - "$srcdir" tracked.$$ <<'END'
import os
import sys

MOST = 300 * 1024
# Pictures of the views of memprof report.
MAY_BE_BINARY = {f"doc/report/{view}.png" for view in (
    "answer", "changes", "decisions", "loops", "memory", "timeline", "pages", "regularity", "run", "source", "stream", "streams",
    "types")}
root = sys.argv[1]
with open(sys.argv[2], "rb") as f:
    names = [n.decode() for n in f.read().split(b"\0") if n]
faults = []
for name in names:
    path = os.path.join(root, name)
    # Deleted, but not committed yet; or a link, which is a line of text.
    if not os.path.isfile(path) or os.path.islink(path):
        continue
    size = os.path.getsize(path)
    with open(path, "rb") as f:
        text = b"\0" not in f.read(1 << 16)
    if size > MOST:
        faults.append(f"{name}: {size} bytes")
    if not text and name not in MAY_BE_BINARY:
        faults.append(f"{name}: not a text")
if len(names) < 100:
    faults.append(f"only {len(names)} files: wrong folder?")
for fault in faults:
    print(f"tracked-files: {fault}", file=sys.stderr)
print(f"tracked-files: {len(names)} files, {len(faults)} faults")
sys.exit(1 if faults else 0)
END
