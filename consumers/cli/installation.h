// installation.h - where the other parts of memprof are.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Found from the place of this executable, so that one binary serves three
// cases: run from the build tree (memprof.specs lies beside it), installed, and
// installed below a prefix that was moved afterwards.
#pragma once

#include <string>
#include <vector>

#include "feedback/result.h"

namespace memprof::cli {

struct Installation {
  bool build_tree = false;
  std::string folder;   // of this executable
  std::string plugins;  // holds gcc-VERSION/memprof.so for each version of GCC
  std::string specs, runtime, static_runtime, backend, masquerade;

  // The plugin for the compiler of full VERSION ("14.2.0"), which need not exist.
  std::string plugin(const std::string& version) const;
  // The versions of GCC that have a plugin, the smallest first.
  std::vector<std::string> versions() const;

  static Installation find();
  // The name of the executable SELF, which was started as CALLED. These differ if a folder is used
  // through a symbolic link. That is how a folder is used whose name has a blank: specs files and
  // command lines in them cannot hold it. Then the link is kept.
  static std::string usable_name(const std::string& self, const char* called);
  // The same for an executable at PATH; a pure function of the file names, but
  // for the test whether memprof.specs lies beside it.
  static Installation of_executable(const std::string& path);
};

// A specs file that names files which exist.  That is INSTALLATION.specs,
// except below a moved prefix: a specs file holds absolute names, and GCC has
// no way to say "beside this file", so a copy with the right names is made in
// $XDG_CACHE_HOME/memprof (~/.cache/memprof).
feedback::Result<std::string> usable_specs(const Installation& installation);

struct Compiler {
  std::string name, version;  // version: empty when it could not be asked ...
  std::string trouble;        // ... for this reason
};
Compiler ask_compiler(const std::string& name);

// Why INSTALLATION has no plugin for COMPILER, and the command that builds one; empty when
// it has.
std::string missing_plugin(const Installation& installation, const Compiler& compiler);

}  // namespace memprof::cli
