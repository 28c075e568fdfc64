#!/bin/sh
# packages.sh - the Debian packages of Debian 12 and 13, and the RPMs: built, looked at by lintian,
# installed in fresh chroots, used, purged; nothing is left.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Needs root, debootstrap, git, and the mirror that apt is set up with. Half an hour a release;
# PACKAGE_RELEASES="trixie" chooses releases, PACKAGE_STEPS="build use" steps. MEMPROF_CHROOTS=DIR
# keeps the minimal systems as tarballs, the chroots and the packages there (in build-RELEASE/build);
# a chroot that is there is built in again.
set -eu
. "$(dirname "$0")/chroot.inc"
fail () { echo "packages: FAILED: $*" >&2; exit 1; }

majors_of () { case $1 in bookworm) echo 12 ;; trixie) echo 14 13 ;; *) fail "unknown release $1" ;; esac; }

# inside ROOT COMMAND: a command in the chroot; what it says is in ROOT.log.
inside ()
{
  within "$1" "set -e; $2" >>"$1.log" 2>&1 || fail "$2: $(tail -n 5 "$1.log"), see $1.log"
}

# fresh RELEASE ROOT: a minimal system.
fresh ()
{
  if [ ! -f "$chroots/$1.tar" ]; then
    debootstrap --variant=minbase "$1" "$chroots/base-$1" "$mirror" >"$chroots/base-$1.log" 2>&1 \
      || fail "no chroot of $1, see $chroots/base-$1.log"
    tar -C "$chroots/base-$1" -cf "$chroots/$1.tar" .
    rm -rf --one-file-system "$chroots/base-$1"
  fi
  rm -rf --one-file-system "$2"
  mkdir "$2"
  tar -C "$2" -xf "$chroots/$1.tar"
  : >"$2.log"
  echo force-unsafe-io >"$2/etc/dpkg/dpkg.cfg.d/unsafe-io"
  inside "$2" 'apt-get -qq update'
}

# build RELEASE ROOT: the packages are in ROOT/build.
build ()
{
  [ -d "$2/build" ] || fresh "$1" "$2"
  rm -rf "$2/build"
  mkdir "$2/build"
  git -C "$MEMPROF_SRCDIR" archive --prefix=memprof/ HEAD | tar -x -C "$2/build"
  inside "$2" "cd /build/memprof
    debian/make-control $(majors_of "$1")
    apt-get -qq install -y --no-install-recommends build-essential lintian
    apt-get -qq build-dep -y --no-install-recommends ./
    DEB_BUILD_OPTIONS='nocheck noautodbgsym ${DEB_BUILD_OPTIONS:-}' dpkg-buildpackage -b -uc -us"
  inside "$2" "lintian --fail-on error --tag-display-limit 0 /build/memprof_*.changes"
}

# What may be in its place after a purge: all but apt's and dpkg's own files.
names ()
{
  find "$1" -xdev \( -path "$1/proc" -o -path "$1/tmp" -o -path "$1/packages" -o -path "$1/var/cache" \
    -o -path "$1/var/log" -o -path "$1/var/lib/apt" -o -path "$1/var/lib/dpkg" \) -prune -o -print | sort
}

# use RELEASE ROOT PACKAGES: dpkg -i, the test as an ordinary user, purge.
use ()
{
  fresh "$1" "$2"
  # shellcheck disable=SC2046
  inside "$2" "apt-get -qq install -y --no-install-recommends gcc libc6-dev \
      $(printf 'gcc-%s g++-%s ' $(majors_of "$1" | sed 's/[0-9]*/& &/g'))
    useradd -m user"
  mkdir "$2/packages"
  cp "$3"/*.deb "$2/packages"
  cp "$MEMPROF_SRCDIR/debian/tests/profile-and-rebuild" "$2/packages"
  names "$2" >"$2.before"
  # dpkg says what is missing, apt gets it.
  inside "$2" 'dpkg -i /packages/*.deb || apt-get -qq -f install -y --no-install-recommends
    dpkg -s memprof libmemprof-rt memprof-doc >/dev/null'
  inside "$2" 'su user -s /bin/sh -c "sh /packages/profile-and-rebuild"'
  grep -q "^profile-and-rebuild: $(majors_of "$1" | wc -w) compilers" "$2.log" \
    || fail "not all compilers, see $2.log"
  inside "$2" 'apt-get -qq purge -y "memprof*" libmemprof-rt && apt-get -qq autoremove --purge -y'
  names "$2" >"$2.after"
  diff "$2.before" "$2.after" >"$2.left" || fail "$1: files are left or gone: $(head -n 20 "$2.left")"
}

# rpm ROOT: the RPMs with the Debian compiler of the build chroot.
rpm ()
{
  # shellcheck disable=SC2016
  inside "$1" 'apt-get -qq install -y --no-install-recommends rpm gcc g++ $(apt-cache search -n \
      "^gcc-$(gcc -dumpversion)-plugin-dev" | cut -d" " -f1) 2>/dev/null || :
    cd /build && rm -rf memprof-0.1.0 rpm && mkdir rpm && cp -a memprof memprof-0.1.0
    rm -rf memprof-0.1.0/debian
    tar -cJf rpm/memprof-0.1.0.tar.xz memprof-0.1.0
    rpmbuild -bb --nodeps --define "_topdir /build/rpm" --define "_sourcedir /build/rpm" \
      --define "debug_package %{nil}" memprof/packaging/memprof.spec'
  for part in memprof memprof-gcc memprof-runtime memprof-doc; do
    [ -n "$(find "$1/build/rpm/RPMS" -name "$part-0*.rpm")" ] || fail "no RPM $part"
  done
}

for release in ${PACKAGE_RELEASES:-bookworm trixie}; do
  root=$chroots/build-$release
  for step in ${PACKAGE_STEPS:-build use rpm}; do
    case $step in
      build) build "$release" "$root" ;;
      use) use "$release" "$chroots/use-$release" "$root/build" ;;
      rpm) rpm "$root" ;;
      *) fail "PACKAGE_STEPS: build, use and rpm, not $step" ;;
    esac
    echo "packages: $release: $step passed, $(find "$root/build" -name '*.deb' | wc -l) packages"
  done
done
