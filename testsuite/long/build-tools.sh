#!/bin/sh
# build-tools.sh - CMake and Meson build, profile and rebuild a program as doc/build-systems.md says; the
# recipe of Spack says what configure knows.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Needs Debian's cmake, meson and ninja-build.
. "$(dirname "$0")/real-program.inc"
fail () { echo "build-tools: FAILED: $*" >&2; exit 1; }
for tool in cmake meson ninja; do
  command -v $tool >/dev/null || { echo "SKIP: $tool is not installed" >&2; exit 77; }
done
PATH=$MEMPROF_BUILDDIR:$PATH; export PATH
mkdir source
cp "$MEMPROF_SRCDIR/examples/hashjoin.c" source/
cat >source/CMakeLists.txt <<END
cmake_minimum_required (VERSION 3.18)
project (join C)
list (APPEND CMAKE_PREFIX_PATH "$MEMPROF_SRCDIR/packaging")
find_package (memprof REQUIRED PATHS "$MEMPROF_SRCDIR/packaging/cmake")
add_executable (hashjoin hashjoin.c)
memprof_targets (hashjoin)
END
cat >source/meson.build <<'END'
project ('join', 'c', default_options: ['optimization=2', 'debug=true'])
executable ('hashjoin', 'hashjoin.c')
END

cmake -S source -B cmake.gen -DCMAKE_C_COMPILER="$cc" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DMEMPROF=generate >log 2>&1 \
  && cmake --build cmake.gen >>log 2>&1 || fail "cmake: $(cat log)"
(cd cmake.gen && ./hashjoin 17 >../plain)
cmake -S source -B cmake.use -DCMAKE_C_COMPILER="$cc" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DMEMPROF=use \
  -DMEMPROF_PROFILES="$work/cmake.gen" >log 2>&1 && cmake --build cmake.use >>log 2>&1 || fail "cmake: $(cat log)"
(cd cmake.use && ./hashjoin 17 >../rebuilt)
cmp plain rebuilt || fail "the program that CMake rebuilt prints something else"
"$memprof" advise --decisions=cmake.use/hashjoin cmake.gen/hashjoin.memprof.json >advice || fail "no decisions in it"

cat >memprof.ini <<END
[binaries]
c = ['$MEMPROF_BUILDDIR/memprof-gcc']
END
CC= meson setup --native-file memprof.ini -Dc_args=-fprofile-mem-generate -Dc_link_args=-fprofile-mem-generate \
  meson.gen source >log 2>&1 && ninja -C meson.gen >>log 2>&1 || fail "meson: $(cat log)"
(cd meson.gen && ./hashjoin 17 >../by_meson)
CC= meson setup --native-file memprof.ini "-Dc_args=-fprofile-mem-use=$work/meson.gen" \
  "-Dc_link_args=-fprofile-mem-use=$work/meson.gen" meson.use source >log 2>&1 \
  && ninja -C meson.use >>log 2>&1 || fail "meson: $(cat log)"
(cd meson.use && ./hashjoin 17 >../rebuilt)
cmp by_meson rebuilt || fail "the program that Meson rebuilt prints something else"
"$memprof" advise --decisions=meson.use/hashjoin meson.gen/hashjoin.memprof.json >advice || fail "no decisions in it"

# Spack itself makes the recipe into a plan where it is installed.
recipe=$MEMPROF_SRCDIR/packaging/spack/package.py
"${MEMPROF_PYTHON:-python3}" - "$recipe" "$MEMPROF_SRCDIR/configure" >log 2>&1 <<'END' || fail "spack: $(tail -n 3 log)"
import subprocess, sys, types
class AutotoolsPackage:
    def with_or_without(self, name):
        return [f"--with-{name}", f"--without-{name}"]
stub, said = types.ModuleType("spack.package"), []
stub.AutotoolsPackage = AutotoolsPackage
for word in ("version", "variant", "depends_on", "requires", "license"):
    setattr(stub, word, lambda *a, word=word, **k: said.append((word, a)))
sys.modules["spack"], sys.modules["spack.package"] = types.ModuleType("spack"), stub
names = {}
exec(compile(open(sys.argv[1]).read(), sys.argv[1], "exec"), names)
options = subprocess.run([sys.argv[2], "--help"], capture_output=True, text=True).stdout
for option in names["Memprof"]().configure_args():
    assert option.replace("--with-", "--without-") in options or option in options, option
assert {"tbb", "nlohmann-json@3.9:"} <= {a[0] for word, a in said if word == "depends_on"}, said
END
if command -v spack >/dev/null; then
  mkdir -p repo && spack repo create repo mine >log 2>&1 || fail "spack: $(cat log)"
  packages=$(find repo -type d -name packages) && mkdir "$packages/memprof" && cp "$recipe" "$packages/memprof/"
  spack repo add "${packages%/packages}" >>log 2>&1 && spack spec memprof >>log 2>&1 || fail "spack: $(tail -n 5 log)"
  spack repo remove "${packages%/packages}" >>log 2>&1
else
  echo "spack is not installed: its recipe was compared with configure" >&2
fi
echo "build-tools: $(head -n 3 advice | tail -n 1)"
