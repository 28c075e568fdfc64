# pointer_kernels.py - pieces of programs whose pointers go through many hands.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# As kernels.py, for the module `pointers' only: pointers are loaded, stored, passed
# and returned in several calling contexts; they are null, point into heap, global and
# local objects, to their ends, and to what was freed. That one is only compared with
# null. Accesses are not counted, so there is no C ().


def lists(rng, k):
    """Nodes that two functions push, of which some are freed."""
    n, free = rng.randint(3, 20), rng.choice(["i % 3 == 0", "i % 2 == x % 2", "i < 4"])
    inlined = rng.choice(["", "NOINLINE "])
    return (f"struct {k}_node {{ struct {k}_node *next; const u32 *where; u32 value; }};\n"
            f"static struct {k}_node *{k}_head, *{k}_kept[8];\n"
            f"static u32 {k}_table[{n}];\n"
            f"{inlined}static struct {k}_node *{k}_make (u32 v, const u32 *where)\n{{\n"
            f"  struct {k}_node *p = malloc (sizeof *p);\n  p->next = 0;\n  p->where = where;\n"
            f"  p->value = v;\n  return p;\n}}\n"
            f"NOINLINE static struct {k}_node *{k}_push (struct {k}_node *list, u32 v)\n{{\n"
            f"  struct {k}_node *p = {k}_make (v, v % 3 ? &{k}_table[v % {n}] : 0);\n"
            f"  p->next = list;\n  return p;\n}}\n"
            f"NOINLINE static void {k}_twice (u32 v)\n{{\n"
            f"  {k}_head = {k}_push ({k}_push ({k}_head, v), v + 1);\n}}\n"
            f"NOINLINE static u64 {k} (u32 x)\n{{\n  u64 s = x;\n"
            f"  for (u32 i = 0; i < {n}; i++)\n    {{\n"
            f"      if (i % 4 == 1)\n        {k}_twice (i);\n"
            f"      else\n        {k}_head = {k}_push ({k}_head, i);\n"
            f"      {k}_kept[i % 8] = {k}_head;\n    }}\n"
            f"  for (u32 i = 0; {k}_head; i++)\n    {{\n"
            f"      struct {k}_node *p = {k}_head;\n      {k}_head = p->next;\n"
            f"      s = s * 3 + p->value + (p->where ? *p->where : 1);\n"
            f"      if ({free})\n        free (p);\n    }}\n"
            f"  for (u32 i = 0; i < 8; i++)\n    s += {k}_kept[i] != 0;\n"
            f"  return s;\n}}\n", f"{k} (round)")


def cursors(rng, k):
    """Pointers that walk to the end of global, heap and local arrays."""
    n, t = rng.randint(2, 30), rng.choice(["u8", "u16", "u32", "u64"])
    return (f"static {t} {k}_table[{n}], *{k}_cursor;\n"
            f"NOINLINE static {t} *{k}_scan ({t} *from, {t} *to, u64 *sum)\n{{\n"
            f"  for (; from != to; from++)\n    *sum = *sum * 3 + *from;\n"
            f"  {k}_cursor = from;\n  return from;\n}}\n"
            f"NOINLINE static {t} *{k}_fill ({t} *a, u32 n)\n{{\n"
            f"  for (u32 i = 0; i < n; i++)\n    a[i] = i * 7;\n  return a + n;\n}}\n"
            f"NOINLINE static u64 {k} (u32 x)\n{{\n  u64 s = x;\n  {t} local[{n}];\n"
            f"  {t} *heap = malloc ({n} * sizeof *heap);\n"
            f"  s += {k}_scan (local, {k}_fill (local, {n}), &s) != 0;\n"
            f"  s += {k}_scan (heap, {k}_fill (heap, {n}), &s) != 0;\n"
            f"  s += {k}_cursor != 0;\n  free (heap);\n  s += {k}_cursor != 0;\n"
            f"  {k}_cursor = x % 2 ? {k}_table : 0;\n"
            f"  s += {k}_scan ({k}_table, {k}_fill ({k}_table, {n}), &s) - {k}_table;\n"
            f"  return s + *(x % 2 ? {k}_cursor - 1 : {k}_table);\n}}\n", f"{k} (round)")


POINTER_KERNELS = [lists, cursors]
