// cmd_doctor.cc - memprof doctor: does everything work on this machine?
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Ends with the real thing: a small program is compiled with the plugin, run,
// and its profile read.  What only costs speed or accuracy is a warning.
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "consumers/cli/command.h"
#include "consumers/cli/installation.h"
#include "consumers/cli/process.h"
#include "consumers/cli/table.h"
#include "feedback/json_report.h"
#include "feedback/reader.h"
#include "memprof-config.h"

namespace memprof::cli {
namespace {

enum class Verdict { good, warning, bad };

struct Check {
  std::string name;
  Verdict verdict;
  std::string finding;
};

using Checks = std::vector<Check>;

const Option k_options[] = {
    {"compiler", "PROGRAM", "the compiler to check (default gcc)"},
    {"machine", nullptr, "only print this machine's caches, for -fprofile-mem-caches= elsewhere"},
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// Of a compiler's output, the line that says why.
std::string error_line(const std::string& text) {
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (line.find("error") != line.npos) return line;
  return first_line(text);
}

std::string file_text(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

void check_file(Checks& checks, const char* name, const std::string& path, int mode) {
  bool good = access(path.c_str(), mode) == 0;
  checks.push_back({name, good ? Verdict::good : Verdict::bad,
                    good ? path : path + ": " + std::strerror(errno) +
                                      "; is memprof completely installed?"});
}

void check_compiler(Checks& checks, const Installation& installation, const std::string& name) {
  const Compiler compiler = ask_compiler(name);
  if (!compiler.trouble.empty()) {
    checks.push_back({"compiler", Verdict::bad, compiler.trouble + "; on Debian: apt-get install gcc"});
    return;
  }
  checks.push_back({"compiler", Verdict::good, compiler.name + " " + compiler.version});
  const std::string missing = missing_plugin(installation, compiler);
  checks.push_back({"plugin", missing.empty() ? Verdict::good : Verdict::bad,
                    missing.empty() ? installation.plugin(compiler.version) : missing});
}

void check_backend(Checks& checks, const Installation& installation) {
  check_file(checks, "backend", installation.backend, X_OK);
  if (checks.back().verdict != Verdict::good) return;
  ProcessEnd end = run_captured({installation.backend, "--version"});
  std::string found = first_line(end.output);
  if (end.error || end.status || found.find(PACKAGE_VERSION) == found.npos)
    checks.back() = {"backend", Verdict::bad,
                     installation.backend + " says '" + found + "', expected version " PACKAGE_VERSION};
}

void check_memfd(Checks& checks) {
  int fd = memfd_create("memprof doctor", MFD_CLOEXEC);
  bool good = fd >= 0 && ftruncate(fd, 65536) == 0;
  checks.push_back({"memfd", good ? Verdict::good : Verdict::warning,
                    good ? "works"
                         : std::string("memfd_create: ") + std::strerror(errno) +
                               "; use MPRT_OPTIONS=file=PATH and memprof-backend --from"});
  if (fd >= 0) close(fd);
}

void check_machine(Checks& checks) {
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  checks.push_back({"processors", processors > 1 ? Verdict::good : Verdict::warning,
                    counted(static_cast<std::uint64_t>(processors), "processor") +
                        (processors > 1 ? "" : "; the analysis runs beside the program, a second one helps")});
  std::string thp = file_text("/sys/kernel/mm/transparent_hugepage/enabled");
  bool off = thp.empty() || thp.find("[never]") != thp.npos;
  checks.push_back({"huge pages", off ? Verdict::warning : Verdict::good,
                    thp.empty() ? "not offered by this kernel" : thp});
  const std::string caches = "/sys/devices/system/cpu/cpu0/cache/index";
  const std::string l2 = file_text(caches + "2/size"), l3 = file_text(caches + "3/size");
  if (!l2.empty())
    checks.push_back({"caches", Verdict::good, "L2 " + l2 + (l3.empty() ? "" : ", L3 " + l3)});
}

constexpr const char* k_program =
    "int a[64];\n"
    "int main (int argc, char **argv)\n"
    "{\n"
    "  for (int i = 0; i < 64; i++) a[(i * argc) & 63] += i;\n"
    "  return argv[0] == 0;\n"
    "}\n";

// Compiles, runs and reads the profile of k_program; the first step that fails
// is the finding.
Check whole_way(const std::string& compiler, const std::string& specs) {
  Check check{"whole way", Verdict::bad, ""};
  TemporaryFolder folder;
  if (folder.path().empty()) {
    check.finding = "no temporary folder; set TMPDIR";
    return check;
  }
  std::string source = folder.path() + "/doctor.c", program = folder.path() + "/doctor";
  std::ofstream(source) << k_program;
  ProcessEnd end = run_captured({compiler, "-specs=" + specs, "-O1", "-g",
                                 "-fprofile-mem-generate=" + folder.path(), source, "-o", program});
  if (end.error || end.status) {
    check.finding = "compiling: " + error_line(end.output);
    return check;
  }
  unsetenv("MPRT_OPTIONS");
  end = run_captured({program});
  if (end.error || end.status) {
    check.finding = "running: exit status " + std::to_string(end.status) + " " + first_line(end.output);
    return check;
  }
  auto profile = feedback::read_profile(program + ".memprof.json");
  if (!profile) {
    check.finding = end.output.empty() ? profile.error().text() : first_line(end.output);
    return check;
  }
  check.verdict = profile->run.complete && profile->run.accesses >= 64 ? Verdict::good : Verdict::warning;
  check.finding = "a test program gave a profile of " +
                  counted(profile->run.accesses, "access", "accesses");
  return check;
}

Check plugin_loads(const std::string& compiler, const std::string& specs) {
  ProcessEnd end = run_captured({compiler, "-specs=" + specs, "-fprofile-mem-generate", "-x", "c",
                                 "-fsyntax-only", "/dev/null"});
  bool good = !end.error && end.status == 0;
  return {"plugin loads", good ? Verdict::good : Verdict::bad, good ? "yes" : error_line(end.output)};
}

// Whether COMPILER alone, as PATH has it, knows the options: GCC's driver refuses what no specs
// file names before it loads a plugin, and nothing that is installed can change that.
Check plain_command(const std::string& compiler) {
  ProcessEnd end = run_captured({compiler, "-fprofile-mem-generate", "-x", "c", "-fsyntax-only",
                                 "/dev/null"});
  if (!end.error && end.status == 0)
    return {"plain command", Verdict::good, compiler + " -fprofile-mem-generate works as it is"};
  const bool refused = end.output.find("unrecognized command") != end.output.npos;
  return {"plain command", refused ? Verdict::good : Verdict::warning,
          refused ? compiler + " alone refuses -fprofile-mem-generate (\"unrecognized command-line option\"): "
                    "add -specs=$(memprof --specs), call memprof-gcc, or put $(memprof --masquerade-dir) first in PATH"
                  : error_line(end.output)};
}

const char* word(Verdict v) {
  return v == Verdict::good ? "ok" : v == Verdict::warning ? "warning" : "FAILED";
}

Tint tint(Verdict v) {
  return v == Verdict::good ? Tint::good : v == Verdict::warning ? Tint::none : Tint::bad;
}

void print(const Arguments& arguments, const Checks& checks) {
  if (arguments.json()) {
    feedback::JsonReport json;
    json.open_object();
    json.member("version", PACKAGE_VERSION);
    json.key("checks");
    json.open_array();
    for (const Check& c : checks) {
      json.open_object();
      json.member("name", c.name);
      json.member("verdict", c.verdict == Verdict::bad ? "failed" : word(c.verdict));
      json.member("finding", c.finding);
      json.close_object();
    }
    json.close_array();
    json.close_object();
    std::fputs(json.text().c_str(), stdout);
    return;
  }
  Table table({{"check"}, {"result"}, {"finding"}});
  for (const Check& c : checks) table.add_row({c.name, Cell(word(c.verdict), tint(c.verdict)), c.finding});
  std::fputs(table.text(Style::of(stdout)).c_str(), stdout);
}

// What -fprofile-mem-caches= of a compile elsewhere wants to know.
int print_machine(const Installation& installation) {
  const ProcessEnd end = run_captured({installation.backend, "--machine"});
  if (end.error || end.status)
    return fail(installation.backend + ": " + (end.error ? std::strerror(end.error) : "failed"));
  std::fputs(end.output.c_str(), stdout);
  return k_ok;
}

int run(const Arguments& arguments) {
  std::string compiler = arguments.value("compiler", "gcc");
  Installation installation = Installation::find();
  if (arguments.has("machine")) return print_machine(installation);
  Checks checks;
  check_compiler(checks, installation, compiler);
  auto specs = usable_specs(installation);
  checks.push_back({"specs", specs ? Verdict::good : Verdict::bad, specs ? *specs : specs.error().text()});
  check_file(checks, "runtime", installation.runtime, R_OK);
  check_file(checks, "static runtime", installation.static_runtime, R_OK);
  check_backend(checks, installation);
  check_memfd(checks);
  check_machine(checks);
  if (specs) {
    checks.push_back(plugin_loads(compiler, *specs));
    if (checks.back().verdict == Verdict::good) {
      checks.push_back(whole_way(compiler, *specs));
      checks.push_back(plain_command(compiler));
    }
  }
  print(arguments, checks);
  for (const Check& c : checks)
    if (c.verdict == Verdict::bad) return k_negative;
  return k_ok;
}

}  // namespace

const Command k_doctor_command = {
    "doctor",
    "",
    "check that compiler, plugin, runtime and machine work together",
    "Prints one line per check; exit status 1 when one failed.",
    k_options, 0, 0, false, run};

}  // namespace memprof::cli
