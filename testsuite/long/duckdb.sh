#!/bin/sh
# duckdb.sh - DuckDB answers the questions of doc/editors.md from what memprof export --as=ndjson writes.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Needs node and npm, which fetches DuckDB.
. "$(dirname "$0")/real-program.inc"
fail () { echo "duckdb: FAILED: $*" >&2; exit 1; }
npm install --silent --no-fund @duckdb/node-api >npm.log 2>&1 || { echo "SKIP: npm has no DuckDB: $(tail -n 1 npm.log)" >&2; exit 77; }

cp "$MEMPROF_SRCDIR/examples/hashjoin.c" .
"$cc" -specs="$specs" -O2 -g -fprofile-mem-generate -fprofile-mem-mode=full hashjoin.c -o hashjoin
./hashjoin 16 >/dev/null
mkdir profiles
"$memprof" export --as=ndjson hashjoin.memprof.json -o profiles/small.ndjson
cp profiles/small.ndjson old.ndjson
rm hashjoin.memprof.json
./hashjoin 20 >/dev/null
"$memprof" export --as=ndjson hashjoin.memprof.json -o profiles/large.ndjson
cp profiles/large.ndjson new.ndjson
cat >ask.mjs <<'END'
import fs from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
const page = fs.readFileSync(process.argv[2], 'utf8').match(/```sql\n([^]*?)```/)[1];
const connection = await (await DuckDBInstance.create(':memory:')).connect();
for (const question of page.split(';').filter((text) => text.includes('SELECT')))
  console.log(JSON.stringify((await connection.runAndReadAll(question)).getRowObjectsJson()));
END
node ask.mjs "$MEMPROF_SRCDIR/doc/editors.md" >answers 2>err || fail "$(cat err)"
[ "$(wc -l <answers)" = 2 ] || fail "not two answers: $(cat answers)"
grep -q '"type":"struct slot"' answers || fail "the hottest type is not there: $(cat answers)"
sed -n 2p answers | grep -q '"function":"main"' || fail "no site of the larger run misses more often: $(cat answers)"
echo "duckdb: $(head -c 200 answers)"
