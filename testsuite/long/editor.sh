#!/bin/sh
# editor.sh - Neovim asks memprof lsp about a field, and applies the edit of its record.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Needs Debian's neovim.
. "$(dirname "$0")/real-program.inc"
fail () { echo "editor: FAILED: $*" >&2; exit 1; }
command -v nvim >/dev/null || { echo "SKIP: nvim is not installed" >&2; exit 77; }

sed -n '/^cat >a.c/,/^END/p' "$MEMPROF_SRCDIR/testsuite/e2e/cli/lsp.sh" | sed '1d;$d' >a.c
"$cc" -specs="$specs" -O2 -g -fprofile-mem-generate -fprofile-mem-mode=full a.c -o a
./a
cat >ask.lua <<'END'
vim.cmd("edit a.c")
local client = vim.lsp.start_client({ name = "memprof", cmd = { os.getenv("MEMPROF"), "lsp" }, root_dir = vim.fn.getcwd() })
vim.lsp.buf_attach_client(0, client)
local function ask(method, params) return vim.lsp.buf_request_sync(0, method, params, 20000)[client].result end
local document = { uri = vim.uri_from_bufnr(0) }
local place = { line = 5, character = 7 }
vim.wait(20000, function() return #vim.diagnostic.get(0) > 0 end)
local lines = { "diagnostic: " .. vim.diagnostic.get(0)[1].message }
table.insert(lines, "hover: " .. ask("textDocument/hover", { textDocument = document, position = place }).contents.value)
local action = ask("textDocument/codeAction", { textDocument = document, range = { start = place, ["end"] = place }, context = { diagnostics = {} } })[1]
vim.lsp.util.apply_workspace_edit(action.edit, "utf-16")
vim.cmd("write")
vim.fn.writefile(vim.split(table.concat(lines, "\n"), "\n"), "answers")
vim.cmd("quitall!")
END
MEMPROF=$memprof timeout 120 nvim --headless -u NONE -l ask.lua 2>err || MEMPROF=$memprof timeout 120 nvim --headless -u NONE -c 'luafile ask.lua' 2>>err \
  || fail "nvim: $(cat err)"
grep -q '^diagnostic: waits for memory for' answers || fail "no diagnostic: $(cat answers err)"
grep -q '^hover: \*\*struct item .value\*\*' answers || fail "no hover: $(cat answers)"
"$cc" -O2 a.c -o after || fail "the edited source does not compile: $(cat a.c)"
sed -n 5p a.c | grep -q 'long value;' || fail "the declaration has not changed: $(cat a.c)"
echo "editor: $(sed -n 1p answers)"
