# kernels.py - the pieces of which generate.py makes programs.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A kernel is a function (rng, name) -> (code, call, features).  The code
# defines what the call uses; `round' is a variable of the caller (u32); the
# call is an expression of an unsigned type.
#
# C (l, s) stands beside every statement that touches memory: l loads and s
# stores at -O0, where scalars whose address is not taken are no memory, each
# array element or field written in the source is one access, and `a += b' is a
# load and a store of a (and an index that is read from memory is read for
# both).  Expressions never name the same element twice, because
# the front end would fold a + a to 2 * a.
KERNELS = {}

TYPES = ["u8", "u16", "u32", "u64"]


def kernel(*features):
    def add(f):
        def wrapped(rng, name):
            code, call = f(rng, name)
            return code, call, set(features)
        KERNELS[f.__name__] = wrapped
        return f
    return add


def head(rng):
    return rng.choice(["static ", "NOINLINE static ", "NOINLINE "])


def fill(t, a, n, seed="3"):
    return (f"  for (u32 i = 0; i < {n}; i++)\n"
            f"    {{ C (0, 1); {a}[i] = ({t}) (i * {seed} + 1); }}\n")


def total(a, n, out="s"):
    return (f"  for (u32 i = 0; i < {n}; i++)\n"
            f"    {{ C (1, 0); {out} = {out} * 3 + {a}[i]; }}\n")


# ---- arrays and loop nests -------------------------------------------------

class Nest:
    """Random loops over pointers p0, p1, .. to at least 96 elements."""

    def __init__(self, rng, pointers):
        self.rng, self.pointers, self.fresh = rng, pointers, 0
        self.out = []

    def line(self, depth, text):
        self.out.append("  " * depth + text)

    def index(self, ivs):
        rng = self.rng
        iv = rng.choice(ivs)
        kind = rng.randrange(7)
        if kind == 0 and len(ivs) > 1:
            return f"{ivs[0]} + {ivs[-1]}" + rng.choice(["", " + 1", " + 3"])
        if kind == 1:
            return f"2 * {iv} + {rng.randrange(8)}"
        if kind == 2:
            return f"40 - {iv}"
        if kind == 3:
            return str(rng.randrange(96))
        return f"{iv}" + rng.choice(["", " + 1", " + 2", " + 7"])

    def element(self, ivs, used):
        for _ in range(20):
            e = f"{self.rng.choice(self.pointers)}[{self.index(ivs)}]"
            if e not in used:
                used.add(e)
                return e
        return None

    def expression(self, ivs, used):
        n = self.rng.choice([0, 1, 1, 2, 3])
        terms = [e for e in (self.element(ivs, used) for _ in range(n)) if e]
        loads = len(terms)
        terms.append(self.rng.choice([ivs[0], f"{ivs[-1]} * 5u", "7u", "s"]))
        return self.rng.choice([" + ", " ^ "]).join(terms), loads

    def statement(self, depth, ivs):
        rng = self.rng
        kind = rng.randrange(6)
        used = set()
        target = self.element(ivs, used)
        text, loads = self.expression(ivs, used)
        if kind <= 2:
            self.line(depth, f"C ({loads}, 1); {target} = {text};")
        elif kind == 3:
            self.line(depth, f"C ({loads + 1}, 1); {target} += {text};")
        elif kind == 4:
            self.line(depth, f"C ({loads}, 0); s += {text};")
        else:
            self.line(depth, f"C (1, 0);\n{'  ' * depth}if ({target} & {rng.choice([1, 2, 3])})")
            other = self.element(ivs, set())
            self.line(depth + 1, f"{{ C ({loads}, 1); {other} = {text}; }}")

    def loop(self, depth, ivs, budget):
        rng = self.rng
        iv = f"i{self.fresh}"
        self.fresh += 1
        top = rng.choice([0, 1, 2, 3, 5, 8, 16, 24]) if depth > 1 else rng.choice([5, 9, 16, 24])
        bound = rng.choice([str(top), "n" if top > 3 else str(top)])
        kind = rng.randrange(6)
        self.line(depth, "{")
        if kind == 0:
            self.line(depth, f"int {iv} = 0;\n{'  ' * depth}while ({iv} < (int) {bound})\n{'  ' * depth}{{")
            step = f"{iv} += {rng.choice([1, 1, 2])};"
        elif kind == 1:
            self.line(depth, f"int {iv} = 0;\n{'  ' * depth}do\n{'  ' * depth}{{")
            step = f"{iv}++;"
        elif kind == 2:
            self.line(depth, f"for (int {iv} = (int) {bound} - 1; {iv} >= 0; {iv} -= {rng.choice([1, 1, 3])})\n{'  ' * depth}{{")
            step = ""
        else:
            start = rng.choice(["0", "0", "1"] + ([ivs[-1]] if ivs else []))
            self.line(depth, f"for (int {iv} = {start}; {iv} < (int) {bound}; {iv}++)\n{'  ' * depth}{{")
            step = ""
        inner = ivs + [iv]
        for _ in range(rng.choice([1, 1, 2, 3])):
            self.statement(depth + 1, inner)
        if budget > 1 and rng.random() < 0.7:
            self.loop(depth + 1, inner, budget - 1)
        exit_kind = rng.randrange(5)
        if exit_kind == 0:
            e = self.element(inner, set())
            self.line(depth + 1, f"C (1, 0);\n{'  ' * (depth + 1)}if ({e} == {rng.randrange(6)})\n{'  ' * (depth + 2)}break;")
            self.statement(depth + 1, inner)
        elif exit_kind == 1 and not step:
            e = self.element(inner, set())
            self.line(depth + 1, f"C (1, 0);\n{'  ' * (depth + 1)}if ({e} & 4)\n{'  ' * (depth + 2)}continue;")
            self.statement(depth + 1, inner)
        elif exit_kind == 2:
            self.line(depth + 1, f"if (s % {rng.choice([7, 11, 13])} == 0 && {iv} > {rng.randrange(4)})\n{'  ' * (depth + 2)}goto out;")
        if step:
            self.line(depth + 1, step)
        self.line(depth, "}" + (f" while ({iv} < (int) {bound});" if kind == 1 else ""))
        self.line(depth, "}")


def nest(rng, k, types, aliased, budget):
    pointers = [f"p{i}" for i in range(len(types))]
    n = Nest(rng, pointers)
    for _ in range(rng.choice([1, 2, 2])):
        n.loop(1, [], budget)
    body = "\n".join(n.out)
    parameters = ", ".join(f"{t} *p{i}" for i, t in enumerate(types))
    use = "  goto out;\n out:\n"
    code = f"{head(rng)}u64\n{k} ({parameters}, u32 n)\n{{\n  u64 s = n;\n{body}\n{use}  return s;\n}}\n"
    if aliased:
        code += f"static u64 {k}_pool[200];\n"
        places = [f"({t} *) ({k}_pool + {rng.choice([0, 0, 1, 4])}) + {rng.choice([0, 1, 3])}"
                  for t in types]
        code = code.replace("typedef", "typedef")
        call = f"{k} ({', '.join(places)}, {rng.choice([1, 2, 12, 20])} + round)"
        # Different types over the same bytes are legal only as characters;
        # may_alias makes them legal for the others.
        code = "".join(f"typedef {t} __attribute__ ((may_alias)) {k}_t{i};\n"
                       for i, t in enumerate(types)) + code
        for i, t in enumerate(types):
            code = code.replace(f"{t} *p{i}", f"{k}_t{i} *p{i}")
            call = call.replace(f"({t} *) (", f"({k}_t{i} *) (")
        return code, call
    code += "".join(f"static {t} {k}_a{i}[96];\n" for i, t in enumerate(types))
    arguments = ", ".join(f"{k}_a{i}" for i in range(len(types)))
    return code, f"{k} ({arguments}, {rng.choice([1, 2, 12, 20])} + round)"


@kernel("arrays", "nested loops", "for loops", "conditional accesses", "early exits")
def nest_same_type(rng, k):
    return nest(rng, k, [rng.choice(TYPES)] * rng.choice([1, 2, 3]), False, 3)


@kernel("arrays", "nested loops", "while and do loops", "mixed widths")
def nest_mixed_types(rng, k):
    return nest(rng, k, [rng.choice(TYPES) for _ in range(3)], False, 2)


@kernel("aliasing pointers", "mixed widths", "early exits")
def nest_aliased(rng, k):
    return nest(rng, k, [rng.choice(TYPES) for _ in range(rng.choice([2, 3]))], True, 2)


@kernel("in-place stencils", "negative steps", "arrays")
def stencil(rng, k):
    t, n = rng.choice(TYPES), rng.choice([1, 2, 3, 40, 100, 150])
    d = rng.choice([1, 2, 3, 7])
    up = (f"  for (u32 i = {d}; i < {n}; i++)\n"
          f"    {{ C (2, 1); a[i] = a[i - {d}] + a[i]; }}\n")
    down = (f"  for (int i = {n} - {d} - 1; i >= 0; i--)\n"
            f"    {{ C (2, 1); a[i] = a[i + {d}] ^ a[i]; }}\n")
    body = rng.choice([up, down, up + down])
    return (f"{head(rng)}u64\n{k} (void)\n{{\n  static {t} a[150];\n  u64 s = 0;\n"
            f"{fill(t, 'a', n)}{body}{total('a', n)}  return s;\n}}\n", f"{k} ()")


@kernel("nests of affine loops", "nested loops", "two-dimensional arrays", "negative steps")
def planes(rng, k):
    t, w = rng.choice(TYPES), rng.choice(["11", "w", "(size_t) w", "(u32) w"])
    ivs = "xyzuv"[:rng.choice([2, 2, 3, 4, 5])]
    bounds = ["n", "m", "5", "9"]
    if len(ivs) > 3:            # more loops than one record takes in
        w, bounds = "3", ["2", "3", "m / 4"]
    loops = ""
    for d, iv in enumerate(ivs):
        counter = rng.choice(["int", "int", "long", "u32", "u16", "size_t"])
        bound = rng.choice(bounds)
        start = rng.choice([0, 0, 1, 2])
        loops += "  " * (d + 1) + rng.choice([
            f"for ({counter} {iv} = {start}; {iv} < ({counter}) {bound}; {iv} += {rng.choice([1, 2])})",
            f"for (int {iv} = {bound} - 1; {iv} >= {start}; {iv}--)",
            f"for ({counter} {iv} = 0; {iv} != ({counter}) {bound}; {iv}++)"]) + "\n"
    row = "0"
    for iv in ivs:
        row = iv if row == "0" else f"({row}) * {w} + {iv}"
    other = rng.choice([row, f"{ivs[-1]} * {w} + {ivs[0]}", ivs[-1], ivs[0], "7"])
    more = rng.choice([0, 1, 3, 11])
    body = rng.choice([f"C (1, 1); a[{row} + {more}] = b[{other} + 1];",
                       f"C (2, 1); a[{row}] += b[{other} + {more}];",
                       f"C (2, 1); a[{row}] = a[{row} + {more + 1}] ^ b[{other}];",
                       f"C (1, 0); s += b[{other} + {more}];",
                       f"C (0, 2); a[{row}] = {ivs[0]}; b[{other}] = s;"])
    nest = f"{loops}{'  ' * len(ivs)}  {{ {body} }}\n"
    if rng.random() < 0.3:      # a row that moves
        step = rng.choice(["w", "-11", "3"])
        first = "a + 1100" if step == "-11" else "a"
        nest += (f"  {t} *p = {first};\n  for (int i = 0; i < n; i++)\n    {{\n"
                 f"      for (int j = {rng.choice([0, 1])}; j < m; j++)\n"
                 f"        {{ C (1, 1); p[j] = b[j] + i; }}\n      p += {step};\n    }}\n")
    sizes = [0, 1, 2, 7, 10]
    return (f"static {t} {k}_a[1400], {k}_b[1400];\n"
            f"{head(rng)}u64\n{k} ({t} *a, {t} *b, int n, int m, int w)\n{{\n  u64 s = n;\n"
            f"{nest}{total('a', 1400)}{total('b', 1400)}  return s + w;\n}}\n",
            f"{k} ({k}_a, {k}_b, {rng.choice(sizes)}, {rng.choice(sizes)}, 11)")


@kernel("histogram updates", "arrays", "conditional accesses")
def histogram(rng, k):
    n, buckets = rng.choice([30, 200, 400]), rng.choice([4, 16, 64])
    t = rng.choice(TYPES)
    return (f"static {t} {k}_h[{buckets}];\n"
            f"{head(rng)}u64\n{k} (u32 seed)\n{{\n  u64 s = 0;\n"
            f"  for (u32 i = 0; i < {n}; i++)\n    {{\n"
            f"      seed = seed * 1664525 + 1013904223;\n"
            f"      C (1, 1); {k}_h[seed >> 20 & {buckets - 1}] += {rng.choice(['1', '3', 'i'])};\n"
            f"      if (seed >> 16 & 1)\n        {{ C (1, 0); s += {k}_h[seed >> 24 & {buckets - 1}]; }}\n"
            f"    }}\n  return s;\n}}\n", f"{k} (round)")


@kernel("short trips", "nested loops")
def short_trips(rng, k):
    t = rng.choice(TYPES)
    return (f"static {t} {k}_a[12][8];\n"
            f"{head(rng)}u64\n{k} (u32 n)\n{{\n  u64 s = 0;\n"
            f"  for (u32 j = 0; j < 12; j++)\n    {{\n"
            f"      u32 m = (j * 7 + n) % 3;\n"
            f"      for (u32 i = 0; i < m; i++)\n"
            f"        {{ C (0, 1); {k}_a[j][i] = i + n; }}\n"
            f"      for (u32 i = 1; i <= m; i++)\n"
            f"        {{ C (2, 1); {k}_a[j][i] += {k}_a[j][i - 1]; }}\n"
            f"      u32 i = 0;\n      do\n        {{ C (1, 0); s += {k}_a[j][i]; i++; }}\n"
            f"      while (i < m);\n    }}\n  return s;\n}}\n", f"{k} (round)")


@kernel("short rows", "in place", "run-time steps", "nested loops")
def butterflies(rng, k):
    t, i = rng.choice(TYPES), rng.choice(["u32", "u64", "int"])
    n, last = 512, rng.choice(["x[i + half] = a - b", "y[i] = a - b", "x[i + half] += a"])
    loads = 3 if "+=" in last else 2
    return (f"static {t} {k}_x[{n}], {k}_y[{n}];\nNOINLINE static u64\n{k} ({i} n)\n{{\n"
            f"  {t} *x = {k}_x, *y = {k}_y;\n  u64 s = 0;\n" + fill(t, "x", n)
            + f"  for ({i} half = 1; half < n; half *= 2)\n"
            f"    for ({i} start = 0; start < n; start += 2 * half)\n"
            f"      for ({i} i = start; i < start + half; i++)\n"
            f"        {{ C ({loads}, 2); {t} a = x[i], b = x[i + half]; x[i] = a + b; {last}; }}\n"
            + total("x", n) + "  C (1, 0); return s + y[0];\n}\n", f"{k} ({n})")


@kernel("two-dimensional arrays", "nested loops", "arrays")
def matrix(rng, k):
    t, n = rng.choice(["u32", "u64"]), rng.choice([3, 6, 9])
    order = rng.choice(["ijk", "ikj", "kij"])
    loops = "".join(f"  for (u32 {v} = 0; {v} < {n}; {v}++)\n" for v in order)
    return (f"static {t} {k}_a[{n}][{n}], {k}_b[{n}][{n}], {k}_c[{n}][{n}];\n"
            f"{head(rng)}u64\n{k} (u32 seed)\n{{\n  u64 s = 0;\n"
            f"  for (u32 i = 0; i < {n}; i++)\n    for (u32 j = 0; j < {n}; j++)\n"
            f"      {{ C (0, 2); {k}_a[i][j] = i + j + seed; {k}_b[i][j] = i * j; }}\n"
            f"{loops}        {{ C (3, 1); {k}_c[i][j] += {k}_a[i][k] * {k}_b[k][j]; }}\n"
            f"  for (u32 i = 0; i < {n}; i++)\n"
            f"    {{ C (1, 0); s += {k}_c[i][{n} - 1 - i]; }}\n"
            f"  return s;\n}}\n", f"{k} (round)")


@kernel("pointer loops", "while and do loops", "early exits")
def pointer_walk(rng, k):
    t, n = rng.choice(TYPES), rng.choice([2, 20, 90])
    step = rng.choice([1, 1, 2])
    return (f"{head(rng)}u64\n{k} ({t} *p, {t} *end, {t} stop)\n{{\n  u64 s = 0;\n"
            f"  while (p < end)\n    {{\n      C (1, 0); s += *p;\n"
            f"      C (1, 0);\n      if (p[0] == stop)\n        break;\n"
            f"      C (0, 1); *p = ({t}) s;\n      p += {step};\n    }}\n  return s;\n}}\n"
            f"{head(rng)}u64\n{k}_run (u32 n)\n{{\n  static {t} a[{n}];\n"
            f"{fill(t, 'a', n, '5')}"
            f"  return {k} (a, a + {n}, ({t}) ({rng.randrange(n)} * 5 + 1 + n * 0));\n}}\n",
            f"{k}_run (round)")


@kernel("switch and goto loops", "conditional accesses")
def state_machine(rng, k):
    n = rng.choice([50, 150])
    return (f"static u16 {k}_t[8];\nstatic u32 {k}_n;\n"
            f"{head(rng)}u64\n{k} (u32 x)\n{{\n  u64 s = 0;\n  u32 i = 0;\n again:\n"
            f"  x = x * 1103515245 + 12345;\n"
            f"  switch (x >> 16 & 7)\n    {{\n"
            f"    case 0: C (1, 1); {k}_t[0]++; break;\n"
            f"    case 1: C (1, 1); {k}_t[1] = {k}_t[2] + 1;\n      /* fall through */\n"
            f"    case 2: C (1, 0); s += {k}_t[1]; break;\n"
            f"    case 3: C (1, 1); {k}_n++; goto next;\n"
            f"    case 5: C (0, 1); {k}_t[x >> 20 & 7] = x; break;\n"
            f"    default: C (1, 0); s ^= {k}_t[x >> 24 & 7];\n    }}\n"
            f" next:\n  if (++i < {n})\n    goto again;\n"
            f"  C (1, 0); s += {k}_n;\n  return s;\n}}\n", f"{k} (round)")


@kernel("switch and goto loops", "early exits", "globals and statics")
def search_goto(rng, k):
    n = rng.choice([10, 25])
    return (f"static u8 {k}_m[{n}][{n}];\nu32 {k}_found;\n"
            f"{head(rng)}u64\n{k} (u32 want)\n{{\n  u32 i, j;\n"
            f"  C (0, 1); {k}_m[{rng.randrange(n)}][{rng.randrange(n)}] = 1;\n"
            f"  for (i = 0; i < {n}; i++)\n    for (j = 0; j < {n}; j++)\n      {{\n"
            f"        C (1, 0);\n        if ({k}_m[i][j] == want)\n          goto found;\n"
            f"      }}\n  C (1, 1); {k}_found += 1000;\n  return 7;\n found:\n"
            f"  C (0, 1); {k}_found = i * {n} + j;\n"
            f"  C (0, 1); {k}_m[i][j] = 0;\n"
            f"  C (1, 0); return {k}_found;\n}}\n", f"{k} ({rng.choice([1, 2])})")


@kernel("run-time steps", "negative steps", "arrays")
def variable_step(rng, k):
    t = rng.choice(TYPES)
    return (f"{head(rng)}u64\n{k} ({t} *a, int n, int step)\n{{\n  u64 s = 0;\n"
            f"  for (int i = 0; i < n; i += step)\n    {{ C (1, 1); a[i] += i; }}\n"
            f"  for (int i = n - 1; i >= 0; i -= step)\n    {{ C (1, 0); s = s * 7 + a[i]; }}\n"
            f"  {t} *p = a;\n"
            f"  for (int i = 0; i < n / 4; i++)\n    {{ C (1, 0); s += *p; p += step; }}\n"
            f"  return s;\n}}\n"
            f"static {t} {k}_a[100];\n", f"{k} ({k}_a, {rng.choice([0, 1, 37, 80])}, round % 3 + 1)")


@kernel("narrow unsigned indices", "arrays", "run-time steps")
def ring(rng, k):
    t, n = rng.choice(TYPES), rng.choice([3, 40, 300, 600])
    ahead = rng.choice([1, 7, 200])
    return (f"static {t} {k}_a[256];\n"
            f"{head(rng)}u64\n{k} (u32 start, u32 step, u32 n)\n{{\n  u64 s = 0;\n"
            f"  for (u32 i = 0; i < n; i++)\n"
            f"    {{ C (0, 1); {k}_a[(u8) (start - i)] = ({t}) (i * 3); }}\n"
            f"  for (u32 i = 0; i < n; i++)\n"
            f"    {{ C (1, 1); {k}_a[(u8) (start + i * step)] += i; }}\n"
            f"  for (u32 i = 0; i < n; i++)\n"
            f"    {{ C (1, 1); {k}_a[(u8) (i + start)] = {k}_a[(u8) (i + start + {ahead})] ^ i; }}\n"
            f"  for (u8 i = start; i != (u8) (start + {ahead}); i++)\n"
            f"    {{ C (1, 0); s = s * 3 + {k}_a[i]; }}\n"
            f"  return s;\n}}\n", f"{k} (round * 77, round % 5 + 1, {n})")


@kernel("loop nests", "in place", "arrays")
def closure(rng, k):
    t, n = rng.choice(TYPES), rng.choice([2, 7, 13])
    j = rng.choice([f"u32 j = 0; j < {n}; j++", f"u32 j = {n}; j-- > 0;"])
    op = rng.choice(["+=", "^="])
    return (f"static {t} {k}_d[{n * n}];\n"
            f"{head(rng)}u64\n{k} ({t} *d)\n{{\n  u64 s = 0;\n"
            f"{fill(t, 'd', n * n, '5')}"
            f"  for (u32 k = 0; k < {n}; k++)\n    for (u32 i = 0; i < {n}; i++)\n"
            f"      for ({j})\n"
            f"        {{ C (3, 1); d[i * {n} + j] {op} d[i * {n} + k] + d[k * {n} + j]; }}\n"
            f"{total('d', n * n)}"
            f"  return s;\n}}\n", f"{k} ({k}_d)")


@kernel("calls in loop conditions", "in place", "early exits", "arrays")
def shell_sort(rng, k):
    t, n = rng.choice(TYPES[1:]), rng.choice([4, 20, 50])
    gap = rng.choice([1, 2, 5])
    return (f"static {t} {k}_a[{n}];\nstatic u32 {k}_calls;\n"
            f"NOINLINE static int\n{k}_above ({t} x, {t} y)\n"
            f"{{ C (1, 1); {k}_calls++; return x > y; }}\n"
            f"{head(rng)}void\n{k}_sort (int h)\n{{\n"
            f"  for (int i = h; i < {n}; i++)\n    {{\n"
            f"      C (1, 0); {t} v = {k}_a[i];\n      int j = i;\n"
            f"      while (C (1, 0), {k}_above ({k}_a[j - h], v))\n        {{\n"
            f"          C (1, 1); {k}_a[j] = {k}_a[j - h];\n"
            f"          j -= h;\n          if (j < h)\n            break;\n        }}\n"
            f"      C (0, 1); {k}_a[j] = v;\n    }}\n}}\n"
            f"NOINLINE static u64\n{k} (u32 seed)\n{{\n  u64 s = 0;\n"
            f"{fill(t, f'{k}_a', n, 'seed * 37')}"
            f"  for (u32 i = 0; i < {n}; i += 3)\n"
            f"    {{ C (1, 1); {k}_a[i] ^= i * 11; }}\n"
            f"  {k}_sort ({gap});\n  {k}_sort (1);\n"
            f"{total(f'{k}_a', n)}"
            f"  C (1, 0); return s + {k}_calls;\n}}\n", f"{k} (round + 1)")


# ---- bytes of objects ------------------------------------------------------

@kernel("mixed widths", "unions")
def union_halves(rng, k):
    n = rng.choice([5, 30])
    return (f"union {k}_u {{ u64 whole; u32 half[2]; u16 quarter[4]; u8 byte[8]; }};\n"
            f"static union {k}_u {k}_v[{n}];\n"
            f"{head(rng)}u64\n{k} (u64 x)\n{{\n  u64 s = 0;\n"
            f"  for (u32 i = 0; i < {n}; i++)\n    {{\n"
            f"      C (0, 1); {k}_v[i].whole = x * (i + 1);\n"
            f"      C (1, 0); s += {k}_v[i].half[{rng.randrange(2)}];\n"
            f"      C (0, 1); {k}_v[i].quarter[{rng.randrange(4)}] = i;\n"
            f"      C (1, 0); s += {k}_v[i].byte[{rng.randrange(8)}];\n    }}\n"
            f"  for (u32 i = 0; i < {n}; i++)\n    {{ C (1, 0); s ^= {k}_v[i].whole; }}\n"
            f"  return s;\n}}\n", f"{k} (round + 0x123456789abcull)")


@kernel("mixed widths", "8-byte store, 4-byte load at +4")
def store_forward(rng, k):
    n = rng.choice([1, 9, 33])
    return (f"{head(rng)}u64\n{k} (u32 seed)\n{{\n  static u64 a[{n}];\n  u64 s = 0;\n"
            f"  typedef u32 __attribute__ ((may_alias)) w32;\n  w32 *h = (w32 *) a;\n"
            f"  for (u32 i = 0; i < {n}; i++)\n    {{ C (0, 1); a[i] = (u64) seed << 32 | i; }}\n"
            f"  for (u32 i = 0; i < {n}; i++)\n"
            f"    {{ C (1, 0); s += h[2 * i + 1]; C (0, 1); h[2 * i] = s; }}\n"
            f"{total('a', n)}  return s;\n}}\n", f"{k} (round)")


@kernel("bit-fields", "structs")
def bit_fields(rng, k):
    a, b, c = rng.choice([(3, 5, 8), (1, 14, 3), (7, 9, 16), (12, 13, 7)])
    n = rng.choice([6, 20])
    return (f"struct {k}_s {{ u32 a : {a}, b : {b}; u16 c : {min(c, 16)}; u8 d; u64 e : 33; }};\n"
            f"static struct {k}_s {k}_v[{n}];\n"
            f"{head(rng)}u64\n{k} (u32 x)\n{{\n  u64 s = 0;\n"
            f"  for (u32 i = 0; i < {n}; i++)\n    {{\n"
            f"      C (0, 1); {k}_v[i].a = x + i;\n"
            f"      C (1, 1); {k}_v[i].b += i;\n"
            f"      C (1, 0); s += {k}_v[i].a;\n"
            f"      C (0, 1); {k}_v[i].d = i;\n"
            f"      C (0, 1); {k}_v[i].e = s;\n    }}\n"
            f"  for (u32 i = 0; i < {n}; i++)\n"
            f"    {{ C (2, 0); s = s * 5 + {k}_v[i].b + {k}_v[i].e;\n"
            f"      C (1, 1); {k}_v[i].c++; }}\n"
            f"  return s;\n}}\n", f"{k} (round)")


@kernel("memcpy and memmove", "memset")
def block_moves(rng, k):
    n = rng.choice([3, 17, 64])
    to, source = rng.randrange(5), rng.randrange(9)
    source += source == to  # or GCC knows that nothing moves
    return (f"static u8 {k}_a[200], {k}_b[200];\n"
            f"{head(rng)}u64\n{k} (u32 m)\n{{\n  u64 s = 0;\n"
            f"  C (0, 1); memset ({k}_a, {rng.randrange(200)}, m + {n});\n"
            f"  for (u32 i = 0; i < {n}; i++)\n    {{ C (0, 1); {k}_a[i * 2] = i; }}\n"
            f"  C (1, 1); memcpy ({k}_b + {rng.randrange(9)}, {k}_a + {rng.randrange(9)}, m * 8 + {n});\n"
            f"  C (1, 1); memmove ({k}_a + {to}, {k}_a + {source}, m + {n});\n"
            f"  for (u32 i = 0; i < {n} + m; i++)\n"
            f"    {{ C (2, 0); s = s * 3 + {k}_a[i] + {k}_b[i]; }}\n"
            f"  C (1, 1); memcpy ({k}_b, {k}_a, m & 1);\n"
            f"  return s;\n}}\n", f"{k} (round)")


@kernel("structs", "struct copies", "calls with structs")
def struct_copies(rng, k):
    n = rng.choice([4, 12])
    pad = rng.choice([1, 5, 11])
    return (f"struct {k}_s {{ u64 key; u32 a[3]; u8 tail[{pad}]; }};\n"
            f"static struct {k}_s {k}_v[{n}], {k}_w;\n"
            f"NOINLINE static struct {k}_s\n{k}_make (u32 x)\n{{\n"
            f"  struct {k}_s r;\n  C (0, 1); r.key = x;\n"
            f"  for (u32 i = 0; i < 3; i++)\n    {{ C (0, 1); r.a[i] = x + i; }}\n"
            f"  for (u32 i = 0; i < {pad}; i++)\n    {{ C (0, 1); r.tail[i] = i; }}\n"
            f"  C (1, 1);\n  return r;\n}}\n"
            f"NOINLINE static u64\n{k}_sum (const struct {k}_s *p)\n{{\n"
            f"  C (3, 0);\n  return p->key + p->a[1] + p->tail[{pad - 1}];\n}}\n"
            f"{head(rng)}u64\n{k} (u32 x)\n{{\n  u64 s = 0;\n"
            f"  for (u32 i = 0; i < {n}; i++)\n"
            f"    {{ C (0, 1); {k}_v[i] = {k}_make (x + i); }}\n"
            f"  for (u32 i = 1; i < {n}; i++)\n    {{\n"
            f"      C (1, 1); {k}_w = {k}_v[i - 1];\n"
            f"      C (1, 1); {k}_v[i - 1] = {k}_v[i];\n"
            f"      C (1, 1); {k}_v[i] = {k}_w;\n"
            f"      s += {k}_sum (&{k}_v[i - 1]);\n    }}\n"
            f"  return s + {k}_sum (&{k}_w);\n}}\n", f"{k} (round)")


@kernel("strings", "constant tables")
def strings(rng, k):
    words = rng.choice([["a", "little", "text"], ["", "x", "longer than that"]])
    rows = ", ".join(f'"{w}"' for w in words)
    values = ", ".join(str(rng.randrange(1000)) for _ in range(8))
    return (f"static char {k}_buffer[64];\n"
            f"static const u16 {k}_table[8] = {{ {values} }};\n"
            f"static const char {k}_words[3][20] = {{ {rows} }};\n"
            f"{head(rng)}u64\n{k} (u32 x)\n{{\n  u64 s = 0;\n"
            f"  for (u32 i = 0; i < 3; i++)\n    {{\n"
            f"      C (1, 1); strcpy ({k}_buffer + i, {k}_words[i]);\n"
            f"      C (1, 0); s += strlen ({k}_buffer);\n"
            f"      C (1, 0); s += {k}_table[(x + i) & 7];\n    }}\n"
            f"  return s;\n}}\n", f"{k} (round)")


@kernel("volatile")
def volatile_accesses(rng, k):
    n = rng.choice([3, 25])
    return (f"static volatile u32 {k}_v[4], {k}_flag;\n"
            f"{head(rng)}u64\n{k} (u32 x)\n{{\n  u64 s = 0;\n  volatile u16 local = x;\n  C (0, 1);\n"
            f"  for (u32 i = 0; i < {n}; i++)\n    {{\n"
            f"      C (1, 1); {k}_v[i & 3] += i;\n"
            f"      C (0, 1); {k}_flag = i;\n"
            f"      C (1, 0); s += {k}_flag;\n"
            f"      C (1, 1); local = local + 1;\n    }}\n"
            f"  C (1, 0);\n  return s + local;\n}}\n", f"{k} (round)")


@kernel("atomics")
def atomics(rng, k):
    t = rng.choice(["u32", "u64"])
    return (f"static {t} {k}_x, {k}_y;\n"
            f"{head(rng)}u64\n{k} (u32 n)\n{{\n  u64 s = 0;\n"
            f"  for (u32 i = 0; i < {rng.choice([2, 15])}; i++)\n    {{\n"
            f"      C (1, 1); s += __atomic_fetch_add (&{k}_x, i, __ATOMIC_SEQ_CST);\n"
            f"      C (0, 1); __atomic_store_n (&{k}_y, i + n, __ATOMIC_RELEASE);\n"
            f"      C (1, 0); s += __atomic_load_n (&{k}_y, __ATOMIC_ACQUIRE);\n"
            f"      C (1, 1); s += __sync_lock_test_and_set (&{k}_y, i);\n    }}\n"
            f"  return s;\n}}\n", f"{k} (round)")


@kernel("compare and swap", "atomics")
def compare_and_swap(rng, k):
    return (f"static u32 {k}_x;\n"
            f"{head(rng)}u64\n{k} (u32 n)\n{{\n  u64 s = 0;\n"
            f"  for (u32 i = 0; i < 12; i++)\n    {{\n"
            f"      C (1, 0);\n"
            f"      if (__sync_bool_compare_and_swap (&{k}_x, i & {rng.choice([1, 3])}, i + 1))\n"
            f"        {{ C (0, 1); s += i; }}\n"
            f"      else\n        {{ C (0, 1); {k}_x = n & 1; }}\n    }}\n"
            f"  C (1, 0);\n  return s + {k}_x;\n}}\n", f"{k} (round)")


# ---- linked and dynamic data -----------------------------------------------

@kernel("lists", "heap", "reuse of addresses")
def linked_list(rng, k):
    n = rng.choice([1, 10, 40])
    free_half = rng.random() < 0.5
    return (f"struct {k}_n {{ struct {k}_n *next; u32 key; u8 pad[{rng.choice([1, 12, 40])}]; }};\n"
            f"{head(rng)}u64\n{k} (u32 x)\n{{\n  u64 s = 0;\n  struct {k}_n *list = 0, *p, *q;\n"
            f"  for (u32 i = 0; i < {n}; i++)\n    {{\n      p = malloc (sizeof *p);\n"
            f"      C (0, 1); p->next = list;\n      C (0, 1); p->key = i + x;\n      list = p;\n    }}\n"
            f"  for (u32 r = 0; r < {rng.choice([1, 3])}; r++)\n"
            f"    for (p = list; p; p = p->next)\n      {{ C (1, 0); s += p->key; C (1, 1); p->key += r; C (1, 0); }}\n"
            + (f"  p = list;\n  while (p)\n    {{\n      C (1, 0); q = p->next;\n      if (q)\n        {{\n"
               f"          C (1, 1); p->next = q->next;\n          free (q);\n        }}\n"
               f"      C (1, 0); p = p->next;\n    }}\n" if free_half else "")
            + f"  while (list)\n    {{\n      p = list;\n      C (1, 0); list = p->next;\n      free (p);\n    }}\n"
            f"  return s;\n}}\n", f"{k} (round)")


@kernel("trees", "recursion", "heap")
def tree(rng, k):
    n = rng.choice([5, 30])
    return (f"struct {k}_n {{ struct {k}_n *left, *right; u32 key, count; }};\n"
            f"static struct {k}_n *\n{k}_insert (struct {k}_n *t, u32 key)\n{{\n"
            f"  if (!t)\n    {{\n      t = calloc (1, sizeof *t);\n"
            f"      C (0, 1); t->key = key;\n      return t;\n    }}\n"
            f"  C (1, 0);\n  if (key < t->key)\n    {{ C (1, 1); t->left = {k}_insert (t->left, key); }}\n"
            f"  else\n    {{\n      C (1, 0);\n      if (key > t->key)\n"
            f"        {{ C (1, 1); t->right = {k}_insert (t->right, key); }}\n"
            f"      else\n        {{ C (1, 1); t->count++; }}\n    }}\n  return t;\n}}\n"
            f"static u64\n{k}_drop (struct {k}_n *t, u32 depth)\n{{\n  if (!t)\n    return depth;\n"
            f"  C (4, 0);\n  u64 s = t->key + t->count + {k}_drop (t->left, depth + 1);\n"
            f"  s = s * 3 + {k}_drop (t->right, depth + 1);\n  free (t);\n  return s;\n}}\n"
            f"{head(rng)}u64\n{k} (u32 x)\n{{\n  struct {k}_n *t = 0;\n"
            f"  for (u32 i = 0; i < {n}; i++)\n"
            f"    {{ x = x * 1664525 + 1013904223; t = {k}_insert (t, x >> 20 & 63); }}\n"
            f"  return {k}_drop (t, 0);\n}}\n", f"{k} (round)")


@kernel("recursion", "local arrays")
def recursive_sum(rng, k):
    return (f"NOINLINE static u64\n{k} (u32 depth, u32 *above)\n{{\n"
            f"  u32 own[{rng.choice([3, 8])}];\n  u64 s = 0;\n"
            f"  for (u32 i = 0; i < 3; i++)\n    {{ C (1, 1); own[i] = above[i] + depth; }}\n"
            f"  if (depth)\n    for (u32 i = 0; i < {rng.choice([1, 2])}; i++)\n"
            f"      s += {k} (depth - 1, own);\n"
            f"  for (u32 i = 0; i < 3; i++)\n    {{ C (1, 0); s = s * 3 + own[i]; }}\n"
            f"  C (1, 1); above[1] += s;\n  return s;\n}}\n"
            f"{head(rng)}u64\n{k}_run (u32 x)\n{{\n  u32 top[3];\n"
            f"  for (u32 i = 0; i < 3; i++)\n    {{ C (0, 1); top[i] = i + x; }}\n"
            f"  u64 s = {k} ({rng.choice([1, 4, 6])}, top);\n"
            f"  C (1, 0);\n  return s + top[1];\n}}\n", f"{k}_run (round)")


@kernel("realloc", "heap", "reuse of addresses")
def growing(rng, k):
    t, n = rng.choice(TYPES), rng.choice([10, 60])
    return (f"{head(rng)}u64\n{k} (u32 x)\n{{\n  u64 s = 0;\n  u32 room = 2;\n"
            f"  {t} *a = malloc (room * sizeof *a);\n"
            f"  for (u32 i = 0; i < {n}; i++)\n    {{\n"
            f"      if (i == room)\n        {{ room = room * 2 + 1; a = realloc (a, room * sizeof *a); }}\n"
            f"      C (0, 1); a[i] = i + x;\n      C (1, 0); s += a[i / 2];\n    }}\n"
            f"  a = realloc (a, {n} * sizeof *a);\n{total('a', n)}  free (a);\n  return s;\n}}\n",
            f"{k} (round)")


@kernel("reuse of addresses", "heap", "alignment")
def reuse(rng, k):
    size = rng.choice([8, 24, 100])
    get = rng.choice([f"malloc ({size} * 4)", f"calloc ({size}, 4)",
                      f"aligned_alloc (64, (({size} * 4) + 63) / 64 * 64)"])
    return (f"{head(rng)}u64\n{k} (u32 x)\n{{\n  u64 s = 0;\n"
            f"  for (u32 r = 0; r < {rng.choice([2, 9])}; r++)\n    {{\n"
            f"      u32 *a = {get};\n"
            f"      for (u32 i = 0; i < {size}; i++)\n        {{ C (0, 1); a[i] = i * x + r; }}\n"
            f"      for (u32 i = 0; i < {size}; i += 3)\n        {{ C (1, 0); s += a[i]; }}\n"
            f"      free (a);\n"
            f"      void *b = 0;\n"
            f"      if (posix_memalign (&b, 32, {size}))\n        return 0;\n"
            f"      C (1, 0); C (0, 1); u8 *c = b;\n"
            f"      C (0, 1); c[{size - 1}] = r;\n      C (1, 0); s += c[{size - 1}];\n      free (c);\n"
            f"    }}\n  return s;\n}}\n", f"{k} (round)")


@kernel("function pointers", "globals and statics")
def function_pointers(rng, k):
    n = rng.choice([4, 30])
    return (f"static u32 {k}_state[4];\n"
            f"static u64 {k}_f0 (u32 i) {{ C (1, 1); {k}_state[i & 3] += i; return i; }}\n"
            f"static u64 {k}_f1 (u32 i) {{ C (1, 0); return {k}_state[i & 3]; }}\n"
            f"static u64 {k}_f2 (u32 i) {{ C (0, 1); {k}_state[3] = i; return 1; }}\n"
            f"static u64 (*{k}_fs[3]) (u32) = {{ {k}_f0, {k}_f1, {k}_f2 }};\n"
            f"{head(rng)}u64\n{k} (u32 x)\n{{\n  u64 s = 0;\n"
            f"  for (u32 i = 0; i < {n}; i++)\n    {{ C (1, 0); s = s * 3 + {k}_fs[(i * 7 + x) % 3] (i); }}\n"
            f"  return s;\n}}\n", f"{k} (round)")


@kernel("globals and statics", "loops with calls")
def loop_with_calls(rng, k):
    n = rng.choice([7, 30])
    return (f"u32 {k}_g = 3;\nstatic u64 {k}_seen;\nstatic u32 {k}_a[64];\n"
            f"NOINLINE u32\n{k}_next (void)\n{{\n  static u32 calls;\n  C (1, 1); calls++;\n"
            f"  C (1, 1); {k}_g = {k}_g * 5 + 1;\n  C (2, 0);\n  return {k}_g + calls;\n}}\n"
            f"{head(rng)}u64\n{k} (u32 x)\n{{\n  u64 s = x;\n"
            f"  for (u32 i = 0; i < {n}; i++)\n    {{\n"
            f"      C (0, 1); {k}_a[i] = i;\n      u32 v = {k}_next ();\n"
            f"      C (1, 1); {k}_a[v & 63] += v;\n"
            f"      if (v & 8)\n        {{ C (1, 1); {k}_seen++; }}\n"
            f"      C (1, 0); s += {k}_a[i];\n    }}\n  C (1, 0);\n  return s + {k}_seen;\n}}\n",
            f"{k} (round)")


@kernel("calls that may not return", "early exits")
def may_exit(rng, k):
    n = rng.choice([5, 40])
    return (f"static u32 {k}_a[{n}];\n"
            f"NOINLINE static void\n{k}_check (u32 v)\n{{\n  if (v == 0x12345678)\n    abort ();\n"
            f"  if (v == 0x12345679)\n    exit (3);\n}}\n"
            f"{head(rng)}u64\n{k} (u32 x)\n{{\n  u64 s = 0;\n"
            f"  for (u32 i = 0; i < {n}; i++)\n    {{\n"
            f"      C (1, 1); {k}_a[i] += i + x;\n"
            f"      C (1, 0); {k}_check ({k}_a[i]);\n"
            f"      if (s == 0x123456789)\n        abort ();\n"
            f"      C (1, 0); s += {k}_a[{n} - 1 - i];\n    }}\n  return s;\n}}\n", f"{k} (round)")


@kernel("setjmp", "loops with calls")
def setjmp_loop(rng, k):
    n = rng.choice([3, 10])
    return (f"static jmp_buf {k}_env;\nstatic u32 {k}_log[16];\n"
            f"NOINLINE static void\n{k}_leap (u32 i)\n{{\n"
            f"  if (i % {rng.choice([5, 7])} == 0)\n    longjmp ({k}_env, 1);\n}}\n"
            f"NOINLINE static void\n{k}_deep (u32 i, u32 x)\n{{\n"
            f"  for (u32 j = 0; j < 4; j++)\n    {{\n      C (1, 1); {k}_log[j] += i;\n"
            f"      {k}_leap (i + j + x);\n"
            f"      if (i + j == {rng.choice([3, 8])})\n        longjmp ({k}_env, 2);\n    }}\n}}\n"
            f"NOINLINE static u64\n{k}_try (u32 i, u32 x)\n{{\n"
            f"  if (setjmp ({k}_env))\n    {{ C (1, 1); {k}_log[9]++; C (2, 0); return {k}_log[9] + {k}_log[i & 3]; }}\n"
            f"  {k}_deep (i, x);\n  C (1, 0);\n  return {k}_log[2];\n}}\n"
            f"{head(rng)}u64\n{k} (u32 x)\n{{\n  u64 s = 0;\n"
            f"  for (u32 i = 0; i < {n}; i++)\n    s = s * 5 + {k}_try (i, x);\n"
            f"  return s;\n}}\n", f"{k} (round)")


@kernel("variable-length arrays", "local arrays")
def stack_arrays(rng, k):
    n = rng.choice([1, 12])
    return (f"NOINLINE static u64\n{k} (u32 n)\n{{\n  u64 s = 0;\n"
            f"  for (u32 r = 0; r < {rng.choice([1, 4])}; r++)\n    {{\n"
            f"      u32 a[n + r];\n      u8 b[{n}];\n"
            f"      for (u32 i = 0; i < n + r; i++)\n        {{ C (0, 1); a[i] = i + r; }}\n"
            f"      for (u32 i = 0; i < {n}; i++)\n        {{ C (0, 1); b[i] = i; }}\n"
            f"      for (u32 i = 0; i < n + r; i++)\n        {{ C (2, 0); s += a[i] + b[i % {n}]; }}\n"
            f"    }}\n  return s;\n}}\n", f"{k} (round + {rng.choice([1, 9])})")


@kernel("address-taken locals", "calls with structs")
def out_parameters(rng, k):
    return (f"struct {k}_p {{ u32 x, y; }};\n"
            f"NOINLINE static void\n{k}_split (u64 v, u32 *low, u32 *high)\n{{\n"
            f"  C (0, 1); *low = v;\n  C (0, 1); *high = v >> 32;\n}}\n"
            f"NOINLINE static u32\n{k}_norm (struct {k}_p *p)\n{{\n"
            f"  C (2, 1); p->x = p->x + p->y;\n  C (1, 0);\n  return p->x;\n}}\n"
            f"{head(rng)}u64\n{k} (u64 v)\n{{\n  u64 s = 0;\n"
            f"  for (u32 i = 0; i < {rng.choice([2, 20])}; i++)\n    {{\n"
            f"      u32 low, high;\n      struct {k}_p p;\n"
            f"      {k}_split (v * (i + 1), &low, &high);\n"
            f"      C (1, 1); p.x = low;\n      C (1, 1); p.y = high;\n"
            f"      s = s * 3 + {k}_norm (&p);\n"
            f"      C (1, 0); s += p.y;\n    }}\n  return s;\n}}\n",
            f"{k} (round + 0x1234567812345ull)")


@kernel("complex loops", "early exits", "nested loops")
def several_exits(rng, k):
    t = rng.choice(TYPES)
    return (f"static {t} {k}_a[80], {k}_b[80];\n"
            f"{head(rng)}u64\n{k} (u32 x)\n{{\n  u64 s = x;\n"
            f"  for (u32 j = 0; j < {rng.choice([3, 12])}; j++)\n    {{\n      u32 i = 0;\n      for (;;)\n        {{\n"
            f"          C (0, 1); {k}_a[i] = i + j;\n"
            f"          if (i == {rng.choice([4, 20])} + j)\n            break;\n"
            f"          C (1, 0); s += {k}_a[i];\n"
            f"          C (0, 1); {k}_b[i] = s;\n"
            f"          if (s % {rng.choice([17, 29])} == 0)\n            goto next;\n"
            f"          i++;\n          C (1, 0); s += {k}_b[i];\n        }}\n"
            f"      C (1, 1); {k}_b[0] += 1;\n    next:;\n    }}\n  return s;\n}}\n",
            f"{k} (round)")


@kernel("indirect accesses", "arrays", "heap")
def gather(rng, k):
    t, n = rng.choice(TYPES), rng.choice([16, 64])
    return (f"{head(rng)}u64\n{k} (u32 x)\n{{\n  u64 s = 0;\n"
            f"  u32 *index = malloc ({n} * sizeof *index);\n  {t} *value = malloc ({n} * sizeof *value);\n"
            f"  for (u32 i = 0; i < {n}; i++)\n"
            f"    {{ C (0, 2); index[i] = (i * 7 + x) % {n}; value[i] = i; }}\n"
            f"  for (u32 i = 0; i < {n}; i++)\n"
            f"    {{ C (2, 0); s = s * 3 + value[index[i]]; }}\n"
            f"  for (u32 i = 0; i < {n}; i++)\n"
            f"    {{ C (3, 1); value[index[i]] += i; }}\n"
            f"{total('value', n)}  free (value);\n  free (index);\n  return s;\n}}\n", f"{k} (round)")
