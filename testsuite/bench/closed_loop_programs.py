# closed_loop_programs.py - the programs that closed_loop.py builds, trains and times.
# SPDX-License-Identifier: GPL-3.0-or-later
"""Training and test inputs differ in seed and size; --quick has small test inputs.

Files of ours have the same done by hand in them (-DHAND, -DHAND_PREFETCH).  The
real programs are from Debian's sources, with other texts to train with than to
test with; they are here to be no slower.
"""
import dataclasses
import glob
import random

import overhead_programs as programs


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    train: list
    test: list
    quick: list
    source: str = ""          # one file of ours
    build: object = None      # or a function of overhead_programs.Build
    train_input: object = None  # functions that make a file in a folder
    test_input: object = None
    same: bool = True         # each run prints the same


def ours(name, train, test, quick, folder="testsuite/bench/programs"):
    suffix = ".cc" if name in ("codec", "ledger") else ".c"
    return Program(name, train.split(), test.split(), quick.split(), f"{folder}/{name}{suffix}")


def text_file(folder, quick):
    """C and C++ as people write it: ours."""
    del quick
    with open(f"{folder}/mixed", "wb") as out:
        left = 1_500_000
        for path in sorted(glob.glob(f"{programs.SRCDIR}/[cfprt]*/**/*.[ch]*", recursive=True)):
            with open(path, "rb") as source:
                out.write(source.read(left))
            left = max(0, 1_500_000 - out.tell())


def train_script(folder, quick):
    """Another set of tables and questions than sql_script's."""
    del quick
    r = random.Random(11)
    with open(f"{folder}/script.sql", "w", encoding="utf-8") as f:
        f.write("create table item(code text primary key, shelf int, price real, note text);\n"
                "create table sale(day int, code text, pieces int);\nbegin;\n")
        for i in range(4000):
            f.write(f"insert into item values('c{i * 7919 % 4001}',{r.randrange(60)},"
                    f"{r.randrange(9999) / 100},'{'x' * r.randrange(40)}');\n")
        for _ in range(12000):
            f.write(f"insert into sale values({r.randrange(365)},'c{r.randrange(4001)}',"
                    f"{r.randrange(9)});\n")
        f.write("commit;\ncreate index by_day on sale(day);\n"
                "select shelf, sum(pieces*price) from sale join item on sale.code=item.code "
                "group by shelf order by 2 desc limit 4;\n"
                "select count(distinct code), max(pieces) from sale where day between 30 and 90;\n"
                "update item set price=price*1.1 where note like 'xxxx%';\n"
                "delete from sale where day%5=0;\n"
                "select note, count(*) from item group by note having count(*)>3 order by 2,1;\n"
                "select sum(length(note)), avg(price) from item;\n")


TRAIN_LUA = """
local n = tonumber(arg[1])
local queue, head = {}, 1
local seen, order = {}, {}
local function push(s) if not seen[s] then seen[s] = true; queue[#queue + 1] = s end end
push("abcdef")
while queue[head] and head < n do
  local s = queue[head]; head = head + 1
  order[#order + 1] = s
  for i = 1, #s - 1 do
    push(s:sub(1, i - 1) .. s:sub(i + 1, i + 1) .. s:sub(i, i) .. s:sub(i + 2))
    push(s:upper():sub(1, i) .. s:sub(i + 1))
  end
end
table.sort(order, function(a, b) return a < b end)
local grid = {}
for y = 1, 60 do grid[y] = {}; for x = 1, 60 do grid[y][x] = (x * y) % 3 end end
for _ = 1, n // 200 do
  for y = 2, 59 do for x = 2, 59 do
    grid[y][x] = (grid[y - 1][x] + grid[y + 1][x] + grid[y][x - 1]) % 5
  end end
end
print(#order, order[#order], grid[30][30])
"""


def train_lua(folder, quick):
    del quick
    with open(f"{folder}/script.lua", "w", encoding="utf-8") as f:
        f.write(TRAIN_LUA)


PROGRAMS = [
    ours("bfs", "19 7 2", "20 1 6", "12 1 1", "examples"),
    ours("hashjoin", "19 7 2", "21 1 24", "12 1 1", "examples"),
    ours("spmv", "19 7 2", "20 1 10", "12 1 1", "examples"),
    ours("catalog", "100000 7 400000", "500000 1 3000000", "2000 1 2000"),
    ours("census", "15000 7 12", "150000 1 600", "400 1 3"),
    ours("codec", "40 20000 7", "6000 65536 1", "20 5000 1"),
    ours("histogram", "3 640 400 7", "400 1200 700 1", "2 120 70 1"),
    ours("imagefilter", "2 640 400 7", "120 1920 1080 1", "2 192 108 1"),
    ours("indexscan", "17 7 10", "20 1 50", "12 1 5"),
    ours("isort", "22 7 1", "24 1 2", "12 1 1"),
    ours("ledger", "120000 7 3", "400000 1 10", "2000 1 1"),
    ours("listwalk", "150000 7 2", "200000 1 80", "2000 1 1"),
    ours("lookup", "20 7 100000", "22 1 1000000", "10 1 1000"),
    ours("matrix", "2 150 7", "24 440 1", "1 60 1"),
    ours("orderbook", "60000 7 20", "400000 1 160", "2000 1 2"),
    ours("pagerank", "17 7 8", "18 1 12", "12 1 1"),
    ours("palette", "30 1000 7", "10000 4000 1", "30 400 1"),
    ours("relax", "2500 60", "3500 12", "200 3"),
    ours("swarm", "200 2500 7", "16000 8000 1", "50 400 1"),
    ours("tour", "200000 7 4", "400000 1 30", "3000 1 2"),
    ours("treesum", "300000 7 1", "500000 1 1", "3000 1 1"),
    Program("gzip", ["-c", "mixed"], ["-c", "mixed"], ["-c", "mixed"],
            build=programs.build_gzip, train_input=text_file, test_input=programs.mixed_file),
    Program("bzip2", ["-c", "mixed"], ["-c", "mixed"], ["-c", "mixed"],
            build=programs.build_bzip2, train_input=text_file, test_input=programs.mixed_file),
    Program("sqlite3", [":memory:", ".read script.sql"], [":memory:", ".read script.sql"],
            [":memory:", ".read script.sql"], build=programs.build_sqlite3,
            train_input=train_script, test_input=programs.sql_script),
    Program("lua", ["script.lua", "6000"], ["script.lua", "500000"], ["script.lua", "20000"],
            build=programs.build_lua, train_input=train_lua, test_input=programs.lua_script),
]
