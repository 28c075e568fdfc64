#!/bin/sh
# gcc-versions.sh - memprof with each GCC that Debian has: a chroot of its release, in it one
# build, and for each version the tests and GCC's own execute tests at -O0 to -O3; one table.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Versions of one release share the build: the first has all of `make check', the others the
# end-to-end cases (the rest does not depend on the compiler).
#
# Needs root, debootstrap, and the mirror that apt is set up with. An hour for each release on
# two processors; GCC_VERSIONS="13 14" chooses versions, GCC_STEPS="check torture" steps,
# MEMPROF_CHROOTS=DIR keeps the chroots there for the next time.
set -eu
. "$(dirname "$0")/chroot.inc"

releases_of () { for v; do release_of "$v"; done | awk '!seen[$0]++'; }
release_of () { case $1 in 12) echo bookworm ;; 13|14) echo trixie ;; *) echo sid ;; esac; }

inside () { within "$chroots/$1" "$2"; } # RELEASE COMMAND

# check RELEASE VERSION FIRST ALL: the tests with VERSION, in a build for ALL (gcc-14,gcc-13).
check ()
{
  if [ "$2" = "$3" ]; then
    inside "$1" "cd /src && GCC=$4 MEMPROF_BUILD=/build ./bootstrap check"
  else
    inside "$1" "apt-get -qq install -y --no-install-recommends gfortran-$2 >/dev/null
      make -s -C /build -j2 check-e2e CC=gcc-$2 CXX=g++-$2 FC=gfortran-$2 >/build/check-$2.log 2>&1 || :
      grep -E '^(FAIL|ERROR|SKIP)' /build/check-$2.log || :
      awk '/^# (PASS|FAIL|ERROR|SKIP)/ { n[\$2] += \$3 }
	END { print n[\"PASS:\"] + 0 \" passed, \" n[\"FAIL:\"] + n[\"ERROR:\"] \" failed, \" n[\"SKIP:\"] + 0 \" skipped\"
	  exit !(n[\"PASS:\"] && !n[\"FAIL:\"] && !n[\"ERROR:\"]) }' /build/check-$2.log"
  fi
}

# torture RELEASE VERSION: -> the line of each level.
torture ()
{
  inside "$1" "
    set -e
    tests=/gcc-$2-tests
    if [ ! -d \$tests ]; then
      cd /tmp && apt-get -qq update && apt-get -qq download gcc-$2-source
      dpkg-deb -x gcc-$2-source*.deb source-$2
      mkdir \$tests
      tar -xf source-$2/usr/src/gcc-$2/gcc-*.tar.xz -C \$tests --strip-components=4 \
	--wildcards '*/gcc/testsuite/gcc.c-torture/execute'
      rm -rf gcc-$2-source*.deb source-$2
    fi
    cd \$tests
    for level in -O0 -O1 -O2 -O3; do
      MEMPROF_TEST_FLAGS=\"-w \$level\" MEMPROF_BUILDDIR=/build MEMPROF_CC=gcc-$2 \
	python3 /src/testsuite/long/gcc_tests.py execute/*.c execute/ieee/*.c \
	| sed \"s/^gcc_tests:/gcc_tests \$level:/\"
    done"
}

table= status=0
versions=${GCC_VERSIONS:-12 14 13 16 15}
# shellcheck disable=SC2086
for release in $(releases_of $versions); do
  ours=$(for v in $versions; do [ "$(release_of "$v")" != "$release" ] || echo "$v"; done)
  first=$(echo "$ours" | head -n 1)
  all=$(for v in $ours; do printf ',gcc-%s' "$v"; done)
  new_chroot "$release" || { echo "gcc-versions: no chroot, see $chroots/$release.log"; status=1; continue; }
  for version in $ours; do
    log=$chroots/gcc-$version.log checked='not run' tested='not run'
    for step in ${GCC_STEPS:-check torture}; do
      case $step in
	check)
	  check "$release" "$version" "$first" "${all#,}" >"$log" 2>&1 || status=1
	  checked=$(tail -n 1 "$log") ;;
	torture)
	  torture "$release" "$version" >"$log.torture" 2>&1 || status=1
	  tested=$(sed -n 's/^gcc_tests \(-O.\): \([0-9]*\) tests.*, \([0-9]*\) do not/\1 \2, \3 differ;/p' \
	    "$log.torture" | tr '\n' ' ')
	  [ "$(grep -cE '^gcc_tests -O.: [1-9][0-9]* tests .*, 0 do not' "$log.torture")" = 4 ] || status=1 ;;
	*) skip "GCC_STEPS: check and torture, not $step" ;;
      esac
    done
    full=$(inside "$release" "gcc-$version -dumpfullversion" 2>/dev/null) || full='not installed'
    row="| $version | $release | $full | $checked | $tested |"
    echo "$row"
    table="$table$row
"
  done
done
printf '\n| GCC | Debian | version | tests | execute tests: behave as plain; differ |\n|---|---|---|---|---|\n%s' "$table"
exit $status
