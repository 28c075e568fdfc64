// main.cc - memprof-backend: from an event stream to prog.memprof.json.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Started by the runtime of an instrumented program, with the shared memory as
// a descriptor and with nothing else: no standard streams, no environment but what
// asks malloc for huge pages.
// What is worth saying goes into the shared memory, for the runtime to print.
// With --from it is an ordinary command.
#include <getopt.h>
#include <malloc.h>
#include <signal.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>
#include <string>

#include "memprof-config.h"
#include "runtime/backend/base/bounded_text.h"
#include "runtime/backend/modules/cache_model.h"
#include "runtime/backend/profile/accesses.h"
#include "runtime/backend/profile/dump.h"
#include "runtime/backend/profile/stream_counts.h"
#include "runtime/backend/profile/trace.h"
#include "runtime/backend/run_options.h"
#include "runtime/backend/session.h"
#include "runtime/backend/stream/file_source.h"
#include "runtime/backend/stream/shm_source.h"

namespace {

using namespace memprof;

enum ExitCode { k_complete = 0, k_partial = 1, k_no_profile = 2 };

struct CommandLine {
  int attach = -1;
  std::string from, run_options, dump, counts, accesses, trace, output;
  backend::TraceOptions options;  // of trace
};

constexpr char k_usage[] =
    "Usage: memprof-backend --from FILE [--options LIST] [--output PROFILE]\n"
    "       memprof-backend --dump FILE\n"
    "       memprof-backend --counts FILE\n"
    "       memprof-backend --accesses FILE\n"
    "       memprof-backend --trace FILE [--first N] [--count N] [--pages SIZES] [--phases N]\n"
    "                       [--json|--binary]\n"
    "       memprof-backend --machine\n"
    "       memprof-backend --attach FD\n"
    "\n"
    "Makes a profile from the event stream of an instrumented program, which\n"
    "starts this program by itself; by hand it is needed for streams in files\n"
    "(MPRT_OPTIONS=file=FILE).\n"
    "\n"
    "  --from FILE       read a stream from a file\n"
    "  --options LIST    of MPRT_OPTIONS, after those of the run\n"
    "  --output PROFILE  write the profile there, not to PROGRAM.memprof.json here\n"
    "  --dump FILE       print the records of a stream as text\n"
    "  --counts FILE     print how many records of what a stream holds\n"
    "  --accesses FILE   print every access: thread, load or store, place, address\n"
    "  --trace FILE      print the requests to memory of a stream, or of a profile with whole streams\n"
    "  --first N         of the access before which there are N\n"
    "  --count N         ... and of those after it, N in all\n"
    "  --pages SIZES     in a model of this TLB and cache, as in MPRT_OPTIONS=pages=\n"
    "  --phases N        add them up by object and interval of N accesses\n"
    "  --json            as an object of JSON in each line\n"
    "  --binary          in records of 40 bytes\n"
    "  --machine         print the caches and the TLB of this machine\n"
    "  --attach FD       read the shared memory of a running program\n"
    "  --version         print the version\n"
    "  --help            print this\n"
    "\n"
    "Exit status: 0 complete, 1 partial, 2 no profile.\n";

[[noreturn]] void wrong_use(const char* what) {
  std::fprintf(stderr, "memprof-backend: %s; --help says what there is\n", what);
  std::exit(k_no_profile);
}

// The option's argument.
std::uint64_t number(const char* option) {
  char* end = nullptr;
  errno = 0;
  const std::uint64_t value = std::strtoull(optarg, &end, 10);
  if (*optarg < '0' || *optarg > '9' || *end != 0 || errno != 0)
    wrong_use((std::string(option) + " wants a number, found '" + optarg + "'").c_str());
  return value;
}

CommandLine parse_command_line(int argc, char** argv) {
  enum { k_attach = 256, k_from, k_options, k_output, k_dump, k_counts, k_accesses, k_trace,
         k_first, k_count, k_pages, k_phases, k_binary, k_json, k_machine, k_version, k_help };
  static const option options[] = {
      {"attach", required_argument, nullptr, k_attach},
      {"from", required_argument, nullptr, k_from},
      {"options", required_argument, nullptr, k_options},
      {"output", required_argument, nullptr, k_output},
      {"dump", required_argument, nullptr, k_dump},
      {"counts", required_argument, nullptr, k_counts},
      {"accesses", required_argument, nullptr, k_accesses},
      {"trace", required_argument, nullptr, k_trace},
      {"first", required_argument, nullptr, k_first},
      {"count", required_argument, nullptr, k_count},
      {"pages", required_argument, nullptr, k_pages},
      {"phases", required_argument, nullptr, k_phases},
      {"binary", no_argument, nullptr, k_binary},
      {"json", no_argument, nullptr, k_json},
      {"machine", no_argument, nullptr, k_machine},
      {"version", no_argument, nullptr, k_version},
      {"help", no_argument, nullptr, k_help},
      {nullptr, 0, nullptr, 0}};
  CommandLine line;
  line.options.geometry = backend::machine_pages();
  line.options.geometry.sample = line.options.geometry.window = 1;
  char* end = nullptr;
  for (int c; (c = getopt_long(argc, argv, "", options, nullptr)) != -1;) {
    switch (c) {
      case k_attach:
        line.attach = static_cast<int>(std::strtol(optarg, &end, 10));
        if (*end || end == optarg || line.attach < 0)
          wrong_use("--attach wants a descriptor number");
        break;
      case k_from: line.from = optarg; break;
      case k_options: line.run_options = optarg; break;
      case k_output: line.output = optarg; break;
      case k_dump: line.dump = optarg; break;
      case k_counts: line.counts = optarg; break;
      case k_accesses: line.accesses = optarg; break;
      case k_trace: line.trace = optarg; break;
      case k_first: line.options.first = number("--first"); break;
      case k_count: line.options.count = number("--count"); break;
      case k_phases:
        line.options.phases = number("--phases");
        if (line.options.phases == 0) wrong_use("--phases wants a number of accesses");
        break;
      case k_binary: line.options.format = backend::TraceFormat::binary; break;
      case k_json: line.options.format = backend::TraceFormat::json; break;
      case k_pages:
        if (!backend::parse_geometry(optarg, line.options.geometry)) wrong_use("--pages makes no sense");
        break;
      case k_machine:
        std::printf("%s\n", backend::sizes_text(backend::machine_geometry()).c_str());
        std::exit(k_complete);
      case k_version:
        std::printf("memprof-backend %s\n", PACKAGE_VERSION);
        std::exit(k_complete);
      case k_help:
        std::fputs(k_usage, stdout);
        std::exit(k_complete);
      default:
        std::exit(k_no_profile);
    }
  }
  if (optind != argc) wrong_use("too many arguments");
  if ((line.attach >= 0) + !line.from.empty() + !line.dump.empty() +
          !line.counts.empty() + !line.accesses.empty() + !line.trace.empty() != 1)
    wrong_use("one of --from, --dump, --counts, --accesses, --trace and --attach is needed");
  if (line.options.phases != 0 && line.options.format == backend::TraceFormat::binary)
    wrong_use("--phases has no binary format");
  return line;
}

// The program's limits are not meant for us.
void lift_limits() {
  for (const auto resource : {RLIMIT_AS, RLIMIT_DATA, RLIMIT_CPU, RLIMIT_FSIZE}) {
    rlimit limit;
    if (getrlimit(resource, &limit) == 0) {
      limit.rlim_cur = limit.rlim_max;
      setrlimit(resource, &limit);
    }
  }
}

// A page that is touched first is cleared, which may take as long as what is done with it: what is
// freed is used again. Other arenas than the first grow page by page, and have no huge pages.
void keep_memory() {
  constexpr int k_most = 32 << 20;  // that malloc takes from its heap; larger blocks come and go
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, k_most);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

int report(const std::string& text, int code) {
  std::fprintf(stderr, "memprof-backend: %s\n", text.c_str());
  return code;
}

int print(const std::string& path,
          bool (*what)(backend::StreamFile&, std::FILE*)) {
  auto file = backend::StreamFile::open(path);
  if (!file) return report(file.error().text(), k_no_profile);
  return what(**file, stdout) ? k_complete : k_partial;
}

int print_trace(const CommandLine& line) {
  const auto whole = backend::write_trace(line.trace, line.options, stdout);
  if (!whole) return report(whole.error().text(), k_no_profile);
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    return report("the trace could not be written", k_no_profile);
  if (!*whole) return report(line.trace + ": not all of the run is there", k_partial);
  return k_complete;
}

int read_file(const CommandLine& line) {
  auto file = backend::StreamFile::open(line.from);
  if (!file) return report(file.error().text(), k_no_profile);
  backend::FileSource source(**file);
  backend::ProfilePlace place;
  place.output = line.output;
  place.options = line.run_options;
  place.names_files = false;
  place.executable = backend::bounded_text((*file)->shared().program);
  const backend::Outcome outcome = backend::profile_stream(source, place);
  if (!outcome.message.empty()) report(outcome.message, 0);
  if (outcome.result == backend::Outcome::partial)
    report(outcome.path + ": the stream is not complete, and the profile says so",
           k_partial);
  return outcome.result;
}

int read_program(const CommandLine& line) {
  auto source = backend::ShmSource::attach(line.attach);
  if (!source) return report(source.error().text(), k_no_profile);
  backend::ProfilePlace place;
  place.output = line.output;
  place.pid = (*source)->about().program_pid;
  place.executable = "/proc/" + std::to_string(place.pid) + "/exe";
  const auto tell = [&source](const backend::Outcome& outcome) {
    (*source)->finish(outcome.result == backend::Outcome::no_profile
                          ? MPRT_FAILED
                          : MPRT_FINISHED,
                      outcome.message);
    // The program goes on; to take our tables apart would only take its time.
    std::exit(outcome.result);
  };
  try {
    return backend::profile_stream(**source, place, tell).result;
  } catch (const std::bad_alloc&) {
    tell({backend::Outcome::no_profile, "", "memprof-backend is out of memory"});
    return k_no_profile;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const CommandLine line = parse_command_line(argc, argv);
  keep_memory();
  signal(SIGPIPE, SIG_IGN);
  lift_limits();
  try {
    if (!line.dump.empty()) return print(line.dump, backend::dump_stream);
    if (!line.counts.empty()) return print(line.counts, backend::count_stream);
    if (!line.accesses.empty()) return print(line.accesses, backend::print_accesses);
    if (!line.trace.empty()) return print_trace(line);
    if (!line.from.empty()) return read_file(line);
    return read_program(line);
  } catch (const std::bad_alloc&) {
    return report("out of memory", k_no_profile);
  }
}
