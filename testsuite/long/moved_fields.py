# moved_fields.py - generated programs, rebuilt with moved fields: the same output, or the link is refused.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   python3 moved_fields.py --memprof BUILD/memprof --count N [--first SEED] [--keep DIR]
#
# Each program has a record with random fields, loops that use some of them, and up to two pieces of code that know
# where the fields lie (OBSTACLES), some in a unit of their own that is compiled with or without the option, some
# added after the profile was made (EDITED). The rebuild is eager: it moves whatever it holds to be safe.
# Prints a line for each kind: programs, moved, kept, refused. Exit status 1: another output.
import argparse
import os
import random
import subprocess
import sys
import tempfile

SCALARS = ("char", "short", "int", "long", "double", "float")
HASH = ("__attribute__ ((noinline, noclone)) static long hash (const unsigned char *b, long n)\n"
        "{ long h = 7; for (long i = 0; i < n; i++) h = h * 31 + b[i]; return h; }\n")
# name: (declarations, expression with p, a struct rec *, and v, an array of N of them), in the main unit
OBSTACLES = {
    "none": ("", "0"),
    "cast": ("", "hash ((unsigned char *) p, sizeof *p)"),
    "void": ("__attribute__ ((noinline, noclone)) static long vhash (const void *p, long n) { return hash (p, n); }\n",
             "vhash (p, sizeof *p)"),
    "union": ("union u { struct rec *r; unsigned char *b; };\n", "({ union u u; u.r = p; hash (u.b, sizeof *p); })"),
    "nested union": ("struct in { struct rec *r; int k; }; union u { struct in a; unsigned char *b[2]; };\n",
                     "({ union u u; u.a.r = p; hash (u.b[0], sizeof *p); })"),
    "copied pointer": ("static long width = sizeof (void *);\n",
                       "({ unsigned char *b; memcpy (&b, &p, width); hash (b, sizeof *p); })"),
    "copied holder": ("struct ha { struct rec *r; long k; }; struct hb { unsigned char *b; long k; }; static long width = 16;\n",
                      "({ struct ha a = { 0 }; struct hb b; a.r = p; memcpy (&b, &a, width); hash (b.b, sizeof *p); })"),
    "offsetof": ("", "(long) offsetof (struct rec, FIELD)"),
    "difference": ("", "(char *) &p->FIELD - (char *) p"),
    "order": ("", "(long) (&p->FIELD > (TYPE *) &p->OTHER)"),
    "initialiser": ("static struct rec one = { .FIELD = 3 };\n", "hash ((unsigned char *) &one.FIELD, sizeof one.FIELD)"),
    "part": ("struct whole { int a; struct rec r; }; static struct whole w;\n",
             "({ w.r = *p; hash ((unsigned char *) &w, sizeof w); })"),
    "bytes": ("static long most = sizeof (struct rec) - 1;\n",
              "({ unsigned char b[sizeof *p]; memset (b, 0, sizeof b); memcpy (b, p, most); hash (b, sizeof b); })"),
    "variadic": ("#include <stdarg.h>\n__attribute__ ((noinline, noclone)) static long vary (int n, ...)\n"
                 "{ va_list l; va_start (l, n); long h = hash (va_arg (l, unsigned char *), n); va_end (l); return h; }\n",
                 "vary (sizeof *p, p)"),
    "local asm": ("", "({ long x; __asm__ (\"movzbl 9(%1), %k0\" : \"=r\" (x) : \"r\" (p) : \"memory\"); x; })"),
    "top asm": ("struct rec named; long second (void);\n__asm__ (\".text\\n.globl second\\nsecond:\\n movzbl 9+named(%rip), %eax\\n ret\");\n",
                "({ named = *p; second (); })"),
    "field address": ("__attribute__ ((noinline, noclone)) static long next_one (const unsigned char *f) { return f[sizeof (TYPE)]; }\n",
                      "next_one ((const unsigned char *) &p->FIELD)"),
    "volatile": ("volatile struct rec dev;\n", "({ dev.FIELD = 3; hash ((unsigned char *) &dev, sizeof dev); })"),
}
# name: (text of the other unit, its declaration in the main unit, expression)
UNITS = {
    "other declaration": ("long far_hash (const unsigned char *b, long n) { long h = 7; for (long i = 0; i < n; i++) h = h * 31 + b[i]; return h; }\n",
                          "long far_hash (struct rec *, long);\n", "far_hash (p, sizeof *p)"),
    "incomplete": ("struct rec;\nlong far_hash (struct rec *r, long n) { const unsigned char *b = (const unsigned char *) r; long h = 7; for (long i = 0; i < n; i++) h = h * 31 + b[i]; return h; }\n",
                   "long far_hash (struct rec *, long);\n", "far_hash (p, sizeof *p)"),
    "bytes of a variable": ("extern unsigned char shared[];\nlong far_hash (long n) { long h = 7; for (long i = 0; i < n; i++) h = h * 31 + shared[i]; return h; }\n",
                            "struct rec shared;\nlong far_hash (long);\n", "({ shared = *p; far_hash (sizeof shared); })"),
    "own copy of the type": ("RECORD\nlong far_hash (struct rec *r, long n) { return (long) r->FIELD + n; }\n",
                             "long far_hash (struct rec *, long);\n", "far_hash (p, 1)"),
}


class Program:
    def __init__(self, seed):
        r = self.random = random.Random(seed)
        kinds = [r.choice(SCALARS) for _ in range(r.randint(4, 9))]
        self.fields = [(k, f"f{i}") for i, k in enumerate(kinds)]
        for i in range(r.randint(1, 3)):
            self.fields.insert(r.randrange(len(self.fields)), (f"char[{r.randint(3, 130)}]", f"a{i}"))
        self.fields.append(("long", "last"))
        self.kinds = [r.choice(list(OBSTACLES))] + ([r.choice(list(UNITS))] if r.random() < 0.4 else [])
        self.edited = r.random() < 0.5
        self.foreign = r.random() < 0.3

    def record(self):
        def declare(kind, name):
            return f"{kind[:4]} {name}{kind[4:]};" if "[" in kind else f"{kind} {name};"
        return "struct rec { " + " ".join(declare(k, n) for k, n in self.fields) + " };"

    def fill_in(self, text):
        scalars = [f for f in self.fields if "[" not in f[0]]
        kind, name = scalars[len(scalars) // 2]
        return (text.replace("RECORD", self.record()).replace("FIELD", name).replace("OTHER", scalars[0][1])
                .replace("TYPE", kind))

    def main_unit(self):
        scalars = [n for k, n in self.fields if "[" not in k]
        uses = self.random.sample(scalars, min(3, len(scalars)))
        declarations, expression = OBSTACLES[self.kinds[0]]
        guard = ("#ifdef EDITED\n", "#else\n#define KNOWS 0\n#endif\n") if self.edited else ("", "")
        more = UNITS[self.kinds[1]][1:] if len(self.kinds) > 1 else ("", "0")
        return self.fill_in(f"""#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
{self.record()}
enum {{ N = 3000 }};
{HASH}{guard[0]}{declarations}#define KNOWS ({expression})
{guard[1]}{more[0]}int main (void)
{{
  struct rec *v = calloc (N, sizeof *v), *p = v + 77;
  long s = hash ((const unsigned char *) "x", 1);
  for (int i = 0; i < N; i++) {{ {" ".join(f"v[i].{n} = i % 100 + {j};" for j, n in enumerate(scalars))} }}
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < N; i++) {{ {" ".join(f"s += v[i].{n};" for n in uses)} v[i].{uses[0]}++; }}
  printf ("%ld %ld %ld\\n", s, (long) KNOWS, (long) {more[1]});
  return 0;
}}
""")

    def write(self, folder):
        with open(f"{folder}/a.c", "w", encoding="ascii") as f:
            f.write(self.main_unit())
        if len(self.kinds) > 1:
            with open(f"{folder}/b.c", "w", encoding="ascii") as f:
                f.write(self.fill_in(UNITS[self.kinds[1]][0]))
            return ["a.c", "b.c"]
        return ["a.c"]


class Broken(Exception):
    pass


def run(command, folder, may_fail=False):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=120, check=False)
    if done.returncode and not may_fail:
        raise Broken(f"{' '.join(command)}: status {done.returncode}: {done.stderr[-600:]}")
    return done


def outcome(program, folder, args, specs, plugin):
    """moved, kept or refused."""
    units = program.write(folder)
    edit = ["-DEDITED"]
    gen = ["-specs=" + specs, "-O2", "-g", "-w", "-fprofile-mem-generate", "-fprofile-mem-mode=full"]
    use = ["-specs=" + specs, "-O2", "-g", "-w", "-fprofile-mem-use=gen.memprof.json", "-fprofile-mem-move-fields",
           "-fprofile-mem-use-no=prefetch,versioning,huge-pages", "-fprofile-mem-remarks=remarks",
           "-fplugin=" + plugin, "-fplugin-arg-memprof-eager"]
    run([args.cc, "-O2", "-w", *edit, *units, "-o", "plain"], folder)
    run([args.cc, *gen, *([] if program.edited else edit), *units, "-o", "gen"], folder)
    run(["./gen"], folder)
    objects = []
    for unit in units:
        flags = ["-O2", "-w"] if program.foreign and unit == "b.c" else use
        run([args.cc, *flags, *edit, "-c", unit, "-o", unit + ".o"], folder)
        objects.append(unit + ".o")
    link = run([args.cc, *use, *objects, "-o", "use"], folder, may_fail=True)
    if link.returncode:
        if "memprof: fields of struct rec" not in link.stderr:
            raise Broken("link: " + link.stderr[-600:])
        return "refused"
    plain, rebuilt = run(["./plain"], folder), run(["./use"], folder, may_fail=True)
    if (plain.stdout, plain.returncode) != (rebuilt.stdout, rebuilt.returncode):
        raise Broken(f"another output: {plain.stdout!r} and {rebuilt.stdout!r}, status {rebuilt.returncode}")
    with open(folder + "/remarks", encoding="utf-8") as f:
        moved = any('"struct rec","kind":"field-order","taken":true' in line for line in f)
    return "moved" if moved else "kept"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--memprof", required=True)
    parser.add_argument("--cc", default="gcc")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--keep", help="folder for programs that fail")
    args = parser.parse_args()
    specs = run([args.memprof, "--specs"], ".").stdout.strip()
    with open(specs, encoding="utf-8") as f:
        plugin = next(w for w in f.read().split() if w.startswith("-fplugin=/"))[len("-fplugin="):]
    plugin = plugin.replace("%(version)", run([args.cc, "-dumpfullversion"], ".").stdout.strip())
    table, bad = {}, 0
    for seed in range(args.first, args.first + args.count):
        program = Program(seed)
        with tempfile.TemporaryDirectory() as scratch:
            folder = os.path.join(args.keep, str(seed)) if args.keep else scratch
            os.makedirs(folder, exist_ok=True)
            try:
                result = outcome(program, folder, args, specs, plugin)
            except (Broken, subprocess.TimeoutExpired) as e:
                print(f"seed {seed} ({', '.join(program.kinds)}; edited {program.edited}): {e}")
                result, bad = "wrong", bad + 1
        for kind in program.kinds:
            table.setdefault(kind, {}).setdefault(result, 0)
            table[kind][result] += 1
    print(f"{'kind':22}{'moved':>7}{'kept':>7}{'refused':>9}{'wrong':>7}")
    for kind, row in sorted(table.items()):
        print(f"{kind:22}" + "".join(f"{row.get(r, 0):>{w}}" for r, w in (("moved", 7), ("kept", 7), ("refused", 9), ("wrong", 7))))
    print(f"{args.count} programs, {bad} wrong")
    # A test that moves nothing tests nothing.
    return 1 if bad or not table.get("none", {}).get("moved") else 0


if __name__ == "__main__":
    sys.exit(main())
