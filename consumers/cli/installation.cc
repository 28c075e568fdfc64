// installation.cc - where the other parts of memprof are.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/installation.h"

#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "consumers/cli/process.h"

namespace memprof::cli {
namespace {

namespace fs = std::filesystem;
using feedback::Error;

// Installed places, as configured: how one gets from bindir to the others.
std::string from_bindir(const std::string& bindir, const char* configured) {
  fs::path step = fs::path(configured).lexically_relative(MEMPROF_BINDIR);
  return (fs::path(bindir) / step).lexically_normal().string();
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
    text.replace(at, from.size(), to);
}

Error trouble(Error::Kind kind, const std::string& file, const std::string& what) {
  Error error;
  error.kind = kind;
  error.file = file;
  error.what = what;
  return error;
}

// Whether a specs file and a command line can hold PATH as it is; bootstrap has the same characters.
bool usable_p(const std::string& path) {
  return std::ranges::all_of(path, [](unsigned char c) {
    return std::isalnum(c) || std::strchr("_./+,:@%=~-", c);
  });
}

std::string cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache && *cache == '/') return std::string(cache) + "/memprof";
  const char* home = std::getenv("HOME");
  if (home && *home == '/') return std::string(home) + "/.cache/memprof";
  return "";
}

// Writes through a temporary: two builds may ask at the same time.
bool write_file(const std::string& path, const std::string& text) {
  std::string temporary = path + "." + std::to_string(getpid());
  {
    std::ofstream out(temporary, std::ios::binary);
    out << text;
    if (!out.flush()) return false;
  }
  std::error_code failed;
  fs::rename(temporary, path, failed);
  if (failed) fs::remove(temporary, failed);
  return !failed;
}

}  // namespace

Installation Installation::of_executable(const std::string& path) {
  Installation r;
  r.folder = fs::path(path).parent_path().string();
  const std::string& folder = r.folder;
  r.build_tree = access((folder + "/memprof.specs").c_str(), F_OK) == 0;
  if (r.build_tree) {
    r.specs = folder + "/memprof.specs";
    r.plugins = folder;
    r.runtime = folder + "/runtime/target/.libs/libmemprof_rt.so";
    r.static_runtime = folder + "/runtime/target/libmemprof_rt_static.a";
    r.backend = folder + "/memprof-backend";
    r.masquerade = folder + "/masquerade";
  } else {
    std::string lib = from_bindir(folder, MEMPROF_LIBDIR);
    std::string libexec = from_bindir(folder, MEMPROF_LIBEXECDIR);
    r.specs = lib + "/memprof.specs";
    r.plugins = lib;
    r.runtime = lib + "/libmemprof_rt.so";
    r.static_runtime = lib + "/libmemprof_rt_static.a";
    r.backend = libexec + "/memprof-backend";
    r.masquerade = libexec + "/masquerade";
  }
  return r;
}

std::string Installation::usable_name(const std::string& self, const char* called) {
  if (usable_p(self) || !called) return self;
  std::error_code failed;
  fs::path name = fs::absolute(called, failed);
  // The other parts are beside the file that links to the command lead to.
  for (int links = 0; links < 40 && fs::is_symlink(name, failed); links++)
    name = name.parent_path() / fs::read_symlink(name, failed);
  name = name.lexically_normal();
  return usable_p(name.string()) && fs::equivalent(name, self, failed) ? name.string() : self;
}

Installation Installation::find() {
  std::error_code failed;
  const fs::path self = fs::read_symlink("/proc/self/exe", failed);
  if (failed) return of_executable(MEMPROF_BINDIR "/memprof");
  return of_executable(
      usable_name(self.string(), reinterpret_cast<const char*>(getauxval(AT_EXECFN))));
}

std::string Installation::plugin(const std::string& version) const {
  return plugins + "/gcc-" + version + "/memprof.so";
}

std::vector<std::string> Installation::versions() const {
  std::vector<std::string> found;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(plugins, failed)) {
    std::string name = entry.path().filename().string();
    if (name.starts_with("gcc-") && fs::exists(entry.path() / "memprof.so", failed))
      found.push_back(name.substr(4));
  }
  std::sort(found.begin(), found.end(), [](const std::string& a, const std::string& b) {
    return strverscmp(a.c_str(), b.c_str()) < 0;
  });
  return found;
}

Compiler ask_compiler(const std::string& name) {
  ProcessEnd end = run_captured({name, "-dumpfullversion"});
  Compiler compiler{name, end.output.substr(0, end.output.find('\n')), ""};
  if (end.error || end.status) {
    compiler.version.clear();
    compiler.trouble = name + ": " + (end.error ? std::strerror(end.error) : "failed");
  }
  return compiler;
}

std::string missing_plugin(const Installation& installation, const Compiler& compiler) {
  if (access(installation.plugin(compiler.version).c_str(), R_OK) == 0) return "";
  std::string text = "there is no plugin for " + compiler.name + " " + compiler.version;
  std::string others;
  for (const std::string& version : installation.versions())
    others += (others.empty() ? "" : ", ") + version;
  if (!others.empty()) text += " but for " + others;
  return text + "; to build one: " +
         (installation.build_tree
              ? "make -C " + installation.folder + " plugin-for GCC=" + compiler.name
              : "in the sources of memprof, ./configure --prefix=" MEMPROF_PREFIX
                " --with-gcc=" + compiler.name + " && make && make install");
}

feedback::Result<std::string> usable_specs(const Installation& installation) {
  std::ifstream in(installation.specs, std::ios::binary);
  if (!in)
    return trouble(Error::Kind::missing, installation.specs,
                   "no such file; is memprof completely installed?");
  if (installation.build_tree) return installation.specs;
  std::ostringstream buffer;
  buffer << in.rdbuf();
  std::string text = buffer.str();
  std::string plugin = "-fplugin=" + installation.plugin("%(version)") + " ";
  if (text.find(plugin) != text.npos) return installation.specs;

  replace_all(text, MEMPROF_LIBEXECDIR, fs::path(installation.backend).parent_path().string());
  replace_all(text, MEMPROF_LIBDIR, installation.plugins);
  std::string folder = cache_folder();
  if (folder.empty())
    return trouble(Error::Kind::unwritable, "",
                   "this installation was moved and needs a folder for a specs file; "
                   "set XDG_CACHE_HOME");
  std::string path = folder + "/" + std::to_string(std::hash<std::string>()(text)) + ".specs";
  if (access(path.c_str(), R_OK) == 0) return path;
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed || !write_file(path, text))
    return trouble(Error::Kind::unwritable, path,
                   "cannot write a specs file for the moved installation; "
                   "set XDG_CACHE_HOME to a writable folder");
  return path;
}

}  // namespace memprof::cli
