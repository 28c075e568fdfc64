#!/bin/sh
# real-programs.sh [NAME...] - profiles of real programs validate: after one run and after
# three merged ones, in full and in sample mode, with all modules; and each run prints what
# the plain program prints.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The programs are Debian's sources, compiled with one command each, where that can be; C, C++
# and Fortran, -O1 to -O3, -Os, -fopenmp, -flto. MEMPROF_KEEP=1 keeps what was built.
. "$(dirname "$0")/real-program.inc"
cxx=${MEMPROF_CXX:-g++}; cxx=${cxx%% *}
fc=${MEMPROF_FC:-gfortran}; fc=${fc%% *}
PATH=$work:$PATH

# NAME PACKAGE FLAGS
table='
bc bc -O2
blas1 lapack -O3
blas2 lapack -O2 -fopenmp
blas3 lapack -O3 -fopenmp
dc bc -O3
ed ed -Os
fasttree fasttree -O3 -fopenmp
lua lua5.4 -O2
lz4 lz4 -O3
lzip lzip -O2
mawk mawk -O2
minisat minisat2 -O3
minigzip zlib -O2 -flto
muparser muparser -O2 -fopenmp
picosat picosat -O3
pugixml pugixml -O3
qhull qhull -O2
tcc tcc -O1
tinyxml2 tinyxml2 -O2
unifdef unifdef -Og
xxhash xxhash -O3
zopfli zopfli -O3
'

# Files that the programs read.
inputs ()
{
  mixed_file input 20000
  python3 - <<'PY'
import random
random.seed(2)
def put(name, text):
    with open(name, "w") as f:
        f.write(text)
put("points", "3\n200\n" + "".join("%f %f %f\n" % tuple(random.gauss(0, 1) for _ in "xyz") for _ in range(200)))
clauses = [[random.choice((-1, 1)) * v for v in random.sample(range(1, 81), 3)] for _ in range(330)]
put("cnf", "p cnf 80 330\n" + "".join(" ".join(map(str, c)) + " 0\n" for c in clauses))
def mutate(s):
    return "".join(random.choice("ACGT") if random.random() < 0.1 else c for c in s)
family = ["".join(random.choices("ACGT", k=120))]
for i in range(19):
    family.append(mutate(random.choice(family)))
put("fasta", "".join(f">s{i}\n{s}\n" for i, s in enumerate(family)))
put("xml", "<list>" + "".join(f'<item id="{i}" size="{i * i % 97}"><name>n{i}</name>&lt;{i}&gt;</item>\n' for i in range(300)) + "</list>\n")
put("script.lua", """local t = {}
for i = 1, 400 do t[i] = tostring((i * 7919) % 1009) end
table.sort(t)
local words = {}
for i, s in ipairs(t) do words[s] = (words[s] or 0) + i end
local keys = {}
for k in pairs(words) do keys[#keys + 1] = k .. "=" .. words[k] end
table.sort(keys)
print(#keys, table.concat(keys, " "):sub(1, 60), string.rep("x", 5):gsub("x", "%0y"))
""")
put("script.awk", "{ for (i = 1; i <= NF; i++) n[length($i)]++ } END { for (k = 1; k < 40; k++) if (n[k]) print k, n[k] }\n")
put("words", "".join(" ".join("w" * random.randint(1, 12) for _ in range(8)) + "\n" for _ in range(200)))
put("script.bc", "scale=40\ndefine f(n) { if (n < 2) return (1); return (n * f(n-1)); }\nf(60)\ne(1)\nfor (i = 1; i < 30; i++) s += sqrt(i)\ns\n2^400 % 10007\n")
put("script.dc", "40k 2v p [d 1- d 1 <F *] sF 30 lF x p 16o 123456789 p q\n")
put("script.ed", "r words\n1,$s/www/abc/g\ng/ab/s/$/ end/\n5,20m0\n1,10p\n/end/=\nQ\n")
put("ifdefs.c", "".join(f"#if{random.choice(['', 'n'])}def V{i % 7}\nint a{i};\n#if V{i % 5} > 1\nint b{i};\n#else\nint c{i};\n#endif\n#endif\n" for i in range(150)))
put("small.c", "".join(f"struct s{i} {{ int a[{i + 1}]; char c; }}; int f{i}(struct s{i} *p, int n) {{ int s = 0; for (int k = 0; k <= {i}; k++) s += p->a[k] * n; return s + p->c; }}\n" for i in range(60)))
PY
  cat >parse_tinyxml2.cc <<'END'
#include <tinyxml2.h>
int main (int, char **v)
{
  tinyxml2::XMLDocument d;
  if (d.LoadFile (v[1])) return 1;
  int sum = 0;
  for (auto *e = d.FirstChildElement ()->FirstChildElement (); e; e = e->NextSiblingElement ())
    sum += e->IntAttribute ("size");
  d.FirstChildElement ()->InsertEndChild (d.NewElement ("end"))->ToElement ()->SetAttribute ("sum", sum);
  tinyxml2::XMLPrinter p;
  d.Print (&p);
  std::fputs (p.CStr (), stdout);
}
END
  cat >parse_pugixml.cc <<'END'
#include <iostream>
#include <pugixml.hpp>
int main (int, char **v)
{
  pugi::xml_document d;
  if (!d.load_file (v[1])) return 1;
  for (auto n : d.select_nodes ("//item[@size > 90]/name"))
    std::cout << n.node ().text ().get () << '\n';
  d.first_child ().remove_child ("item");
  d.save (std::cout);
}
END
  cat >use_muparser.cc <<'END'
#include <cstdio>
#include <muParser.h>
int main ()
{
  double x = 1;
  mu::Parser p;
  p.DefineVar ("x", &x);
  const char *const all[] = {"sin(x)^2 + cos(x)^2", "x > 3 ? sqrt(x) : exp(-x)", "sum(x, 2*x, min(x, 4))"};
  for (auto text : all)
    {
      p.SetExpr (text);
      double sum = 0;
      for (x = 1; x < 200; x++) sum += p.Eval ();
      std::printf ("%.6f\n", sum);
    }
}
END
}

# compile NAME SOURCE OUT FLAGS...
compile ()
{
  name=$1 s=$2 out=$3; shift 3
  case $name in
    bc | dc)
      mkdir "$out.d"
      (cd "$out.d" && CC="$cc" CFLAGS="-g -w $*" "$s/configure" -q \
         && make -s ACLOCAL=: AUTOCONF=: AUTOHEADER=: AUTOMAKE=: MAKEINFO=true) \
        && cp "$out.d/$name/$name" "$out" ;;
    blas1 | blas2 | blas3)  # tests of level 2 and 3 have an XERBLA of their own
      [ "$name" != blas1 ] || set -- "$@" "$s/BLAS/SRC/xerbla.f" "$s/BLAS/SRC/drotg.f90" "$s/BLAS/SRC/dnrm2.f90"
      "$fc" -w -std=legacy "$@" "$s/BLAS/TESTING/dblat${name#blas}.f" "$s"/BLAS/SRC/d*.f \
        "$s"/BLAS/SRC/idamax.f "$s"/BLAS/SRC/lsame.f -o "$out" ;;
    ed)
      "$cc" -w "$@" -DPROGVERSION='"1"' "$s"/*.c -o "$out" ;;
    fasttree) "$cc" -w "$@" -DOPENMP "$s/fasttree.c" -o "$out" -lm ;;
    lua)
      mkdir -p lua.include
      echo '#define LUA_MULTIARCH "any"
#define DEB_HOST_MULTIARCH "any"' >lua.include/lua5.4-deb-multiarch.h
      set -- "$@" -DLUA_USE_POSIX -Ilua.include
      for f in "$s"/src/*.c; do case $f in */luac.c) ;; *) set -- "$@" "$f" ;; esac; done
      "$cc" -w "$@" -o "$out" -lm ;;
    lz4) "$cc" -w "$@" -I"$s/lib" "$s"/lib/*.c "$s"/programs/*.c -o "$out" ;;
    lzip) "$cxx" -w "$@" -DPROGVERSION='"1"' "$s"/*.cc -o "$out" ;;
    mawk)
      cp -r "$s" "$out.d"
      touch "$out.d"/parse.[ch]  # made from parse.y already
      (cd "$out.d" && CC="$cc" CFLAGS="-g -w $*" ./configure -q && make -s) && cp "$out.d/mawk" "$out" ;;
    minisat)
      "$cxx" -w "$@" -D__STDC_LIMIT_MACROS -D__STDC_FORMAT_MACROS -I"$s" "$s"/minisat/core/*.cc \
        "$s"/minisat/utils/*.cc -o "$out" -lz ;;
    minigzip)
      "$cc" -w "$@" -DHAVE_UNISTD_H -I"$s" "$s"/*.c "$s/test/minigzip.c" -o "$out" ;;
    muparser) "$cxx" -w "$@" -DMUPARSER_STATIC -I"$s/include" "$s"/src/muParser*.cpp use_muparser.cc -o "$out" ;;
    picosat)
      mkdir -p picosat.include
      echo '#define PICOSAT_CC "cc"
#define PICOSAT_CFLAGS ""
#define PICOSAT_VERSION "1"' >picosat.include/config.h
      "$cc" -w "$@" -DNGETRUSAGE -Ipicosat.include "$s/picosat.c" "$s/app.c" "$s/main.c" "$s/version.c" -o "$out" ;;
    pugixml) "$cxx" -w "$@" -I"$s/src" "$s/src/pugixml.cpp" parse_pugixml.cc -o "$out" ;;
    qhull) "$cc" -w "$@" -I"$s/src" "$s"/src/libqhull_r/*.c "$s/src/qhull/unix_r.c" -o "$out" -lm ;;
    tcc)
      mkdir -p tcc.include
      echo '#define TCC_VERSION "1"
#define CONFIG_TCCDIR "/nowhere"' >tcc.include/config.h
      "$cc" -w "$@" -DONE_SOURCE=1 -DTCC_TARGET_X86_64 -Itcc.include "$s/tcc.c" -o "$out" -ldl -lm -lpthread ;;
    tinyxml2) "$cxx" -w "$@" -I"$s" "$s/tinyxml2.cpp" parse_tinyxml2.cc -o "$out" ;;
    unifdef) "$cc" -w "$@" "$s/unifdef.c" -o "$out" ;;
    xxhash) "$cc" -w "$@" -I"$s" "$s/xxhash.c" "$s"/cli/*.c -o "$out" ;;
    zopfli) "$cc" -w "$@" "$s"/src/zopfli/*.c -o "$out" -lm ;;
  esac
}

# execute NAME PROGRAM: what it computes, on stdout.
execute ()
{
  case $1 in
    bc) "$2" -l script.bc </dev/null ;;
    dc) "$2" script.dc </dev/null || [ $? = 1 ] ;;  # it has read its input to the end
    blas1) "$2" ;;
    blas2 | blas3) n=${1#blas}; rm -f "dblat$n.out"; "$2" <"$(source_of lapack)/BLAS/TESTING/dblat$n.in" && grep -v SECONDS "dblat$n.out" ;;
    ed) "$2" -s <script.ed ;;
    fasttree) OMP_NUM_THREADS=2 "$2" -nt -quiet fasta ;;
    lua) "$2" script.lua ;;
    lz4) "$2" -c -9 input 2>/dev/null ;;
    lzip) "$2" -c -3 input ;;
    mawk) "$2" -f script.awk words ;;
    minisat) "$2" -verb=0 cnf model >/dev/null || [ $? = 10 ] || [ $? = 20 ]; cat model ;;
    minigzip) "$2" <input ;;
    muparser) "$2" ;;
    picosat) "$2" cnf || [ $? = 10 ] || [ $? = 20 ] ;;
    pugixml | tinyxml2) "$2" xml ;;
    qhull) "$2" Fv i <points ;;
    tcc) "$2" -nostdinc -c small.c -o small.o && cat small.o ;;
    unifdef) "$2" -DV1=2 -UV3 -DV4 ifdefs.c || [ $? = 1 ] ;;
    xxhash) "$2" -H2 input ;;
    zopfli) "$2" -c --i1 input ;;
  esac
}

check () # NAME PACKAGE FLAGS...
{
  name=$1 package=$2; shift 2
  source=$(source_of "$package") || { missing="${missing-} $package"; return 0; }
  MPRT_OPTIONS=off=1; export MPRT_OPTIONS
  compile "$name" "$source" "./$name.plain" "$@" >log 2>&1 || fail "$name does not compile: $(tail -n 5 log)"
  execute "$name" "./$name.plain" >plain.out || fail "$name.plain fails"
  [ -s plain.out ] || fail "$name.plain computes nothing"
  for mode in full sample; do
    MPRT_OPTIONS=off=1; export MPRT_OPTIONS
    compile "$name" "$source" "./$name.$mode" -specs="$specs" -g -fprofile-mem-generate -fprofile-mem-mode=$mode \
      -fprofile-mem-modules=all "$@" >log 2>&1 || fail "$name does not compile ($mode): $(tail -n 5 log)"
    unset MPRT_OPTIONS
    profile=$work/$name.$mode.memprof.json
    for run in 1 2 3; do
      MPRT_OPTIONS="output=$profile" execute "$name" "./$name.$mode" >other.out 2>err || fail "$name.$mode fails: $(head -n 5 err)"
      cmp plain.out other.out || fail "$name.$mode computes something else"
      [ $run = 2 ] || "$memprof" validate "$profile" >log 2>&1 \
        || { faults=$((faults + 1)); echo "INVALID: $name $* ($mode, run $run): $(head -n 3 log)"; }
    done
    grep -q '"runs":3' "$profile" || fail "$name.$mode: three runs are not one profile"
    accesses=$(sed -n 's/.*"accesses":\([0-9]*\),"loads".*/\1/p' "$profile")
    [ "$accesses" -gt 1000 ] || fail "$name.$mode: only $accesses accesses"
    rm -rf "./$name.$mode" "./$name.$mode.d"
  done
  checked=$((checked + 1))
  ok "$name $* ($accesses accesses in three runs)"
}

checked=0 faults=0
inputs
names=" ${*:-} "
while read -r name package flags; do
  [ -n "$name" ] || continue
  case $names in *" $name "* | "  ") ;; *) continue ;; esac
  # shellcheck disable=SC2086
  check "$name" "$package" $flags </dev/null
done <<END
$table
END
[ $checked != 0 ] || { echo "SKIP: no sources:${missing-}" >&2; exit 77; }
[ $faults = 0 ] || fail "$faults profiles of $checked programs are invalid"
ok "$checked programs${missing:+; no sources of$missing}"
