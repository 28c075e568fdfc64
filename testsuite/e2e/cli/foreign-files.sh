# foreign-files.sh - what has a profile's name and cannot be added to stays; the run goes beside.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

printf 'int v[9];\nint main (void) { for (int i = 0; i < 9; i++) v[i] += i; return 0; }\n' >a.c
compile_gen a.c -o a
f=a.memprof.json

beside ()  # REASON: a run does not touch $f, and says why.
{
  rm -f a.2.memprof.json
  run -o "${options:-verbose=0}" timeout 20 ./a
  expect err "memprof: this run is in a\.2\.memprof\.json beside .*/$f, which stays: .*$1"
  expect_equal "lines" "$(wc -l <err)" 1
  validate a.2.memprof.json
}
run ./a; run ./a
sed 's/"format":"[0-9.]*"/"format":"7.0"/' $f >newer
head -c 400 $f >truncated
echo 'notes of mine' >notes
for old in newer truncated notes; do
  cp $old $f
  case $old in newer) beside 'format 7.0' ;; truncated) beside 'truncated' ;; *) beside 'not a memprof profile' ;; esac
  cmp $old $f || fail "$old was changed"
done
options=merge=0 beside 'it is not a file of memprof'
run -o merge=0 ./a                # which adds nothing, but does not lose those either
expect_json a.2.memprof.json 'equal(p["run"]["runs"], 1)'

rm $f; ln -s notes $f; beside 'a symbolic link'
cmp notes "$f" || fail "written through a link"
rm $f; mkfifo $f; beside 'not a regular file'
rm $f; mkdir $f; beside 'directory'
rmdir $f

# Runs add up beside as well. An empty file has no owner.
cp newer $f; run ./a; run ./a
expect_json a.2.memprof.json 'equal(p["run"]["runs"], 3)'
: >$f; run ./a; validate $f

# A compile and a command do not wait for the other end of a pipe.
rm -f $f; mkfifo $f
s=0; timeout 20 "$CC" -specs="$specs" -O2 -fprofile-mem-use=$f -c a.c -o a.o 2>err || s=$?
expect_equal "status of the compiler" $s 1
expect err "error: memprof: .*$f: not a regular file"
run -s 2 timeout 20 "$memprof" validate $f
expect err "$f: not a regular file"
timeout 20 "$memprof" validate /dev/stdin <a.2.memprof.json || fail "no /dev/stdin"

# Of the temporary files that are left, those of dead processes go.
rm $f
sleep 0 & dead=$!; wait $dead
: >.$f.$dead.5.tmp; : >.$f.$$.5.tmp; : >.$f.$dead.tmp.mine
run ./a
expect_equal "files left" "$(echo .a.*)" ".$f.$$.5.tmp .$f.$dead.tmp.mine"
