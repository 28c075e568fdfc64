# mpi-merge.sh - memprof-mpi-merge: the bytes of the serial merge; one message, no output.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
. "$MEMPROF_SRCDIR/testsuite/e2e/mpi.inc"

twelve_profiles
"$memprof" merge p?.json p1?.json -o serial.json
for n in 1 2 4 7; do
  ls p*.json | sort -R >list
  run mpirun -n $n memprof-mpi-merge -o $n.json --input-files=list
  cmp $n.json serial.json || fail "$n ranks write something else"
  passed
done
# %r: each rank its own.
for r in 0 1 2 3; do mkdir node$r; cp p$((r + 1)).json node$r/p.$r.json; done
"$memprof" merge p1.json p2.json p3.json p4.json p5.json p5.json -o serial.json
run mpirun -n 4 memprof-mpi-merge 'node%r/p.%r.json' --weighted-input=2,p5.json -o own.json
cmp own.json serial.json || fail "ranks with files of their own write something else"

one_message ()
{
  expect_equal "messages" "$(grep -c '^memprof' err)" 1
  expect_no_file none.json
}
head -c 700 p3.json >node2/p.2.json
run -s 2 mpirun -n 4 memprof-mpi-merge -o none.json 'node%r/p.%r.json'
one_message; expect err '^memprof-mpi-merge: node2/p.2.json:byte 700: the file ends'
run -s 2 mpirun -n 4 memprof-mpi-merge -o none.json 'node%r/q.json'
one_message; expect err '^memprof-mpi-merge: node0/q.json: cannot open'
run -s 2 mpirun -n 2 memprof-mpi-merge p1.json; one_message
sed 's/"name":"prog"/"name":"other"/' p1.json >node2/p.2.json
run mpirun -n 4 memprof-mpi-merge --failure-mode=warn -o warned.json 'node%r/p.%r.json'
expect err '^memprof: warning: node2/p.2.json:/program/name: a profile of other, but node0'
"$memprof" merge p1.json p2.json p4.json | cmp - warned.json || fail "not the other three"
# A rank that dies.
cat >dies.sh <<'SH'
[ "$OMPI_COMM_WORLD_RANK" != 2 ] || exit 3
exec memprof-mpi-merge "$@"
SH
status=0
mpirun -n 4 sh dies.sh -o none.json p*.json >out 2>err || status=$?
[ $status != 0 ] || fail "a rank died without a message"
expect_no_file none.json
