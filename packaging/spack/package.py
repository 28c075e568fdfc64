# package.py - the recipe of memprof for Spack.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   spack repo create mine && mkdir -p mine/packages/memprof && cp package.py mine/packages/memprof/
#   spack repo add mine && spack dev-build --source-path memprof-source memprof@0.1.0 %gcc@14
#
# A plugin fits one version of GCC: that of the compiler that the package is built with, whose
# plugin headers must be installed (Spack's own gcc has them).
from spack.package import *


class Memprof(AutotoolsPackage):
    """Memory-profile-guided optimisation with stock GCC: a plugin, its runtime and the command memprof."""

    homepage = "https://example.org/memprof"
    license("GPL-3.0-or-later")

    version("0.1.0")

    variant("mpi", default=False, description="Build memprof-mpi-merge (Open MPI)")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("autoconf@2.71:", type="build")
    depends_on("automake@1.16:", type="build")
    depends_on("libtool", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("nlohmann-json@3.9:", type="build")
    depends_on("tbb")
    depends_on("openmpi", when="+mpi")

    requires("%gcc@12:16", msg="memprof is a plugin of GCC 12 to 16")

    def configure_args(self):
        return self.with_or_without("mpi")
