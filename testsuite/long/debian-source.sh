#!/bin/sh
# debian-source.sh PACKAGE DIR - unpack a Debian source package below DIR and
# print the folder.  Uses package lists of its own below DIR, made from the
# system's with deb-src switched on: needs no root and changes nothing outside.
# Exit 1 (and one line on stderr) when the source cannot be had.
set -eu
package=$1
mkdir -p "$2"
dir=$(cd "$2" && pwd)
found () { find "$dir/$package" -mindepth 1 -maxdepth 1 -type d 2>/dev/null | head -n 1; }

if [ -z "$(found)" ]; then
  for tool in apt-get dpkg-source; do
    command -v $tool >/dev/null \
      || { echo "debian-source: $tool is missing (apt-get install dpkg-dev)" >&2; exit 1; }
  done
  mkdir -p "$dir/.apt/parts" "$dir/.apt/lists/partial" "$dir/.apt/cache/archives/partial"
  sed -n 's/^deb /deb-src /p' /etc/apt/sources.list /etc/apt/sources.list.d/*.list \
    >"$dir/.apt/parts/src.list" 2>/dev/null || true
  for f in /etc/apt/sources.list.d/*.sources; do
    [ -f "$f" ] || continue
    sed 's/^Types:.*/Types: deb-src/' "$f" >"$dir/.apt/parts/$(basename "$f")"
  done
  apt () {
    apt-get -qq -o Dir::Etc::sourcelist=/dev/null \
      -o Dir::Etc::sourceparts="$dir/.apt/parts" \
      -o Dir::State::lists="$dir/.apt/lists" -o Dir::Cache="$dir/.apt/cache" \
      -o APT::Sandbox::User="$(id -un)" "$@"
  }
  log=$dir/.apt/log
  [ -f "$dir/.apt/updated" ] || { apt update >"$log" 2>&1 && touch "$dir/.apt/updated"; } \
    || { echo "debian-source: no package lists: $(tail -n 1 "$log")" >&2; exit 1; }
  mkdir -p "$dir/$package"
  # Where the newest version, a security update, is not on the mirror: that of the last point release.
  { (cd "$dir/$package" && apt source "$package") \
      || (cd "$dir/$package" && apt source "$package/$(. /etc/os-release && echo "$VERSION_CODENAME")"); } >"$log" 2>&1 \
    || { echo "debian-source: no source of $package: $(tail -n 1 "$log")" >&2; rmdir "$dir/$package" 2>/dev/null; exit 1; }
fi
found
