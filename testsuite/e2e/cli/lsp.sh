# lsp.sh - memprof lsp: hover, lenses, diagnostics and the edit of a declaration.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdlib.h>
struct item
{
  long key;
  char name[120];
  long value;
};
struct item *items;
int main (void)
{
  items = calloc (1 << 17, sizeof *items);
  long sum = 0, at = 1;
  for (long i = 0; i < 1000000; i++)
    {
      at = (at * 1103515245 + 12345) & ((1 << 17) - 1);
      sum += items[at].key + items[at].value;
    }
  return sum != 0;
}
END
compile_gen -O2 a.c -o a
run ./a
echo 16:items 6:value 4:key | run "$PYTHON" "$MEMPROF_SRCDIR/testsuite/e2e/cli/lsp_client.py" a.c "$memprof" lsp
expect out '"hoverProvider": true'
expect out 'waits for memory for [0-9.]+ % of the time: random accesses.*"line": 15'
expect out '"title": "memprof: [0-9.]+ %, entered'
expect out '\*\*memprof\*\*: [0-9.]+ % of the accesses.*misses of L2'
expect out '\*\*struct item \.value\*\*: .*offset 128 of 136, line 3.*proposed: offset 8'
expect out '"newText": ".*long key;\\n +long value;\\n +char name\[120\];'
expect out '"code": -32601'
run "$memprof" export --as=sarif a.memprof.json
expect out '"ruleId": "memprof/field-order".*"insertedContent"'
# A message that is none ends the server, and the editor sees why.
printf 'Content-Length: x\r\n\r\n' | run -s 1 "$memprof" lsp
