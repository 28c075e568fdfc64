#!/bin/sh
# arm64.sh - memprof for AArch64, from nothing but a chroot of Debian 12: built with the cross
# compiler, tested with programs that an emulator runs; 100 random programs against the oracle;
# GCC's own execute tests at -O2; at last one table.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Needs root, debootstrap, the mirror that apt is set up with, and a kernel with binfmt_misc. Some hours on two
# processors; ARM64_STEPS="build check exact torture" chooses steps, ARM64_TESTS=N takes every Nth of GCC's tests,
# MEMPROF_CHROOTS=DIR keeps the chroot there for the next time.
set -eu
. "$(dirname "$0")/chroot.inc"
release=bookworm compiler=aarch64-linux-gnu-gcc-12
inside () { within "$chroots/$release" "$1"; }
compilers="MEMPROF_BUILDDIR=/build MEMPROF_CC=$compiler MEMPROF_CXX=aarch64-linux-gnu-g++-12 \
  MEMPROF_FC=aarch64-linux-gnu-gfortran-12"
new_chroot "$release" || { echo "arm64: no chroot, see $chroots/$release.log"; exit 1; }

# The kernel keeps the emulator open, so it serves programs in any chroot.
emulator ()
{
  inside 'apt-get -qq update && apt-get -qq install -y --no-install-recommends qemu-user-static >/dev/null
    known=/proc/sys/fs/binfmt_misc
    [ -e $known/register ] || mount -t binfmt_misc none $known
    [ -e $known/qemu-aarch64 ] || cat /usr/lib/binfmt.d/qemu-aarch64.conf >$known/register'
}

build () { inside "cd /src && GCC=$compiler MEMPROF_BUILD=/build ./bootstrap build"; }
check () { inside "cd /src && GCC=$compiler MEMPROF_BUILD=/build ./bootstrap check"; }

exact ()
{
  inside "make -s -C /build testsuite/exact/oracle.la testsuite/exact/oracle_runtime.o && cd /build \
    && $compilers python3 -B /src/testsuite/exact/differential.py --count 100 --quiet"
}

torture ()
{
  inside "
    set -e
    tests=/gcc-tests
    if [ ! -d \$tests ]; then
      cd /tmp && apt-get -qq download gcc-12-source && dpkg-deb -x gcc-12-source*.deb source
      mkdir \$tests
      tar -xf source/usr/src/gcc-12/gcc-*.tar.xz -C \$tests --strip-components=4 \
	--wildcards '*/gcc/testsuite/gcc.c-torture/execute'
    fi
    cd \$tests
    MEMPROF_TEST_FLAGS='-w -O2' $compilers python3 /src/testsuite/long/gcc_tests.py \
      \$(ls execute/*.c execute/ieee/*.c | awk 'NR % ${ARM64_TESTS:-1} == 0')"
}

emulator || skip "no emulator: is there no binfmt_misc?"
status=0 table=
for step in ${ARM64_STEPS:-build check exact torture}; do
  case $step in build|check|exact|torture) ;; *) skip "ARM64_STEPS: build, check, exact and torture, not $step" ;; esac
  log=$chroots/arm64.$step.log
  "$step" >"$log" 2>&1 || status=1
  table="$table| $step | $(tail -n 1 "$log") |
"
done
printf '\n| step | result |\n|---|---|\n%s' "$table"
exit $status
