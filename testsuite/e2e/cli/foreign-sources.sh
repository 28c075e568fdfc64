# foreign-sources.sh - a profile from elsewhere cannot have files of ours put into a report.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

mkdir -p build/src home/.ssh
printf 'int v[9];\nint main (void) { for (int i = 0; i < 9; i++) v[i] += i; return 0; }\n' >build/src/a.c
printf 'SECRET\nSECRET\nSECRET\n' >home/secret
printf 'SECRET\nSECRET\nSECRET\n' >home/.ssh/key
ln -s ../../home/secret build/src/link
(cd build && compile_gen src/a.c -o a && ./a)
cd home

# named FILE PROFILE: a profile that names FILE; hides: what is made of it has none of its text.
named () { sed "s|\"file\":\"src/a.c\"|\"file\":\"$1\"|g" ../build/a.memprof.json >"$2"; }
hides ()
{
  file=$1 profile=$2
  named "$file" "$profile"
  run "$memprof" report -o page.html "$profile"
  ! grep -q SECRET page.html || fail "the report shows $file"
  run "$memprof" annotate --all "$profile" main
  expect_not out SECRET
}
mkdir ../other
cd ../other
for file in ../home/secret "$PWD/../home/secret" /etc/../"$(cd ../home && pwd)"/secret; do
  hides "$file" p.json
  expect err 'note: .*secret is not read: it lies outside .*--source=DIR'
done
hides src/link ../build/p.json
expect err 'note: .*link is not read'
cd ../home
hides .ssh/key p.json
expect err 'note: .ssh/key is not read'

# What lies below the profile, the current folder or a named one is shown.
run "$memprof" annotate --all ../build/a.memprof.json main
expect out 'v\[i\] \+= i'
expect_not err note
named "$PWD/../build/src/a.c" p.json
run "$memprof" annotate --all --source=../build p.json main
expect out 'v\[i\] \+= i'
named .ssh/key p.json
run "$memprof" annotate --all --source=.ssh p.json main
expect out SECRET

# Cells that a spreadsheet would take for formulas; numbers stay numbers.
sed "s|\"field\":\"[^\"]*\"||; s|\"expression\":\"v\[i\]\"|\"expression\":\"=cmd()\"|" ../build/a.memprof.json >p.json
run "$memprof" export --as=csv p.json
expect out ",'=cmd\(\),"
expect_not out ',[=@]'
