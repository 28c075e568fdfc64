#!/bin/sh
# container.sh - packaging/Containerfile: built by podman or docker, or, where neither works, line by
# line in chroots of Debian 13; memprof profiles and rebuilds a program in what it makes.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Needs one of the two, or root, debootstrap and the mirror that apt is set up with. MEMPROF_CHROOTS=DIR
# keeps the minimal system there, and the chroots of both stages.
set -eu
: "${MEMPROF_SRCDIR:=$(cd "$(dirname "$0")/../.." && pwd)}"
file=$MEMPROF_SRCDIR/packaging/Containerfile
fail () { echo "container: FAILED: $*" >&2; exit 1; }
use='cd /tmp && cp /src/examples/hashjoin.c . && memprof-gcc -O2 -g -fprofile-mem-generate hashjoin.c -o a && ./a 16 >one
  memprof-gcc -O2 -g -fprofile-mem-use=a.memprof.json hashjoin.c -o b && ./b 16 >two && cmp one two && memprof a.memprof.json'

for runtime in podman docker; do
  $runtime info >/dev/null 2>&1 || continue
  git -C "$MEMPROF_SRCDIR" archive --format=tar HEAD | $runtime build -t memprof-test -f packaging/Containerfile - \
    || fail "$runtime cannot build it"
  $runtime run --rm -v "$MEMPROF_SRCDIR:/src:ro" memprof-test sh -ec "$use" || fail "it does not work"
  echo "container: built and used with $runtime"
  exit
done

. "$MEMPROF_SRCDIR/testsuite/long/chroot.inc"
root= build= stage=0
# step INSTRUCTION ARGUMENTS: as a container runtime understands it, as far as the file needs it.
step ()
{
  case $1 in
    FROM)
      stage=$((stage + 1)) root=$chroots/container-$stage
      [ "$stage" != 1 ] || build=$root
      [ -f "$chroots/trixie.tar" ] || {
        debootstrap --variant=minbase trixie "$chroots/base" "$mirror" >"$chroots/base.log" 2>&1 \
          && tar -C "$chroots/base" -cf "$chroots/trixie.tar" . && rm -rf --one-file-system "$chroots/base"
      } || fail "no chroot, see $chroots/base.log"
      rm -rf --one-file-system "$root" && mkdir "$root" && tar -C "$root" -xf "$chroots/trixie.tar" ;;
    RUN) within "$root" "set -e; $2" >>"$root.log" 2>&1 || fail "$2: $(tail -n 5 "$root.log"), see $root.log" ;;
    COPY)
      case $2 in
        '. /src') mkdir "$root/src" && git -C "$MEMPROF_SRCDIR" archive HEAD | tar -x -C "$root/src" ;;
        '--from=build /install /') cp -a "$build/install/." "$root/" ;;
        *) fail "COPY $2 is not known here" ;;
      esac ;;
    WORKDIR) mkdir -p "$root$2" ;;
    CMD) ;;
    *) fail "the instruction $1 is not known here" ;;
  esac
}
sed -e '/^#/d' -e '/^$/d' -e ':a' -e '/\\$/N; s/\\\n */ /; ta' "$file" >"$chroots/steps"
while read -r instruction arguments; do step "$instruction" "$arguments"; done <"$chroots/steps"
mkdir -p "$root/src/examples" && cp "$MEMPROF_SRCDIR/examples/hashjoin.c" "$root/src/examples/"
within "$root" "set -e; $use" >"$chroots/use.log" 2>&1 || fail "it does not work: $(tail -n 5 "$chroots/use.log")"
grep -q 'of its time' "$chroots/use.log" || fail "no answer: $(cat "$chroots/use.log")"
echo "container: $stage stages in chroots, a program profiled and rebuilt"
