# javascript.sh - what Debian's eslint finds in the scripts of memprof report's page.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The rules are in consumers/report/eslint.json. A script that breaks them shows that the linter
# is at work. NODE_PATH: a node that is not Debian's does not look where Debian's packages are.
set -eu
srcdir=$(cd "${MEMPROF_SRCDIR:-$(dirname "$0")/../..}" && pwd)
fail () { echo "javascript: $*" >&2; exit 1; }
command -v eslint >/dev/null || { echo "SKIP: eslint is not installed" >&2; exit 77; }
NODE_PATH=${NODE_PATH:+$NODE_PATH:}/usr/share/nodejs
export NODE_PATH
# lint FOLDER: eslint fails for files that do not lie below where it is run.
lint ()
{
  (cd "$1" && eslint --format unix --no-eslintrc --config "$srcdir/consumers/report/eslint.json" -- *.js)
}

work=$(mktemp -d "${TMPDIR:-/tmp}/memprof-lint.XXXXXX")
trap 'rm -rf "$work"' EXIT
printf '"use strict";\n(function () {\n  const x = 1;\n  if (x == y) return;\n})();\n' >"$work/wrong.js"
if lint "$work" >"$work/said" 2>&1; then fail "eslint accepts what it should not"; fi
for rule in eqeqeq no-undef; do
  grep -q "/$rule\]" "$work/said" || fail "no $rule for a wrong script: $(cat "$work/said")"
done

lint "$srcdir/consumers/report" || fail "see above"
echo "javascript: $(find "$srcdir/consumers/report" -name '*.js' | wc -l) scripts passed, 0 failed"
