// session.cc - one program's stream, from the first record to the profile.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/session.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <utility>

#include "feedback/writer.h"
#include "memprof-config.h"
#include "runtime/backend/base/bounded_text.h"
#include "runtime/backend/base/fault.h"
#include "runtime/backend/decode/decoder.h"
#include "runtime/backend/decode/sequencer.h"
#include "runtime/backend/driver.h"
#include "runtime/backend/modules/cache_model.h"
#include "runtime/backend/modules/pages/page_geometry.h"
#include "runtime/backend/modules/regularity/regularity_options.h"
#include "runtime/backend/profile/convergence.h"
#include "runtime/backend/profile/extrapolate.h"
#include "runtime/backend/profile/profile_builder.h"
#include "runtime/backend/profile/residency.h"
#include "runtime/backend/program/code_names.h"
#include "runtime/backend/program/elf_file.h"
#include "runtime/backend/run_options.h"

namespace memprof::backend {

namespace {

// The first text that SAY finds in a unit of the executable, or in any.
template <typename Say>
std::string first_said(const LoadedUnits& units,
                       const std::string& executable, Say&& say) {
  for (const bool own : {true, false})
    for (const auto& unit : units.all())
      if ((unit->image.path == executable) == own)
        if (const char* text = unit->image.text(say(unit->image.header()));
            *text)
          return text;
  return {};
}

// The arguments, NUL-separated up to an empty one, as one line.
std::string command_line(const mprt_shared& about) {
  std::string line;
  const char* p = about.command;
  const char* const end = p + sizeof about.command;
  while (p < end && *p) {
    const std::size_t n = strnlen(p, static_cast<std::size_t>(end - p));
    if (!line.empty()) line += ' ';
    line.append(p, n);
    p += n + 1;
  }
  return line;
}

double seconds_since(std::uint64_t start_ns) {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const auto ns = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
                  static_cast<std::uint64_t>(now.tv_nsec);
  return start_ns && ns > start_ns ? static_cast<double>(ns - start_ns) * 1e-9
                                   : 0;
}

// Makes the folders above PATH. Says what is wrong if one cannot be made.
std::string make_folders(const std::string& path) {
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    const std::string folder = path.substr(0, slash);
    struct stat st;
    if (mkdir(folder.c_str(), 0777) == 0 || errno == EEXIST) continue;
    const int error = errno;
    if (stat(folder.c_str(), &st) != 0)
      return path + ": cannot make the folder " + folder + ": " +
             std::strerror(error);
  }
  return {};
}

// The most memory that this process has had, in kB; 0 if unknown. Not
// getrusage's: that counts the program too, from which this process was forked.
long peak_kilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:"))
      return std::strtol(line.c_str() + 6, nullptr, 10);
  return 0;
}

// Of all our threads, in this process alone.
long cpu_milliseconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<long>(used.tv_sec * 1000 + used.tv_nsec / 1000000);
}

// Whether PLACE's executable, a link in /proc, is the program. It is not where
// /proc belongs to another name space, and it is not known where the program has
// given up its rights.
bool running_program(const ProfilePlace& place, const mprt_shared& about) {
  if (!place.pid) return true;
  char link[sizeof about.program + 1] = {};
  if (readlink(place.executable.c_str(), link, sizeof link - 1) < 0) return false;
  const std::string program = bounded_text(about.program);
  return link == program || link == program + " (deleted)";
}

class Session {
 public:
  Session(StreamSource& source, const ProfilePlace& place)
      : source_(source),
        place_(place),
        about_(source.about()),
        options_(parse_run_options(bounded_text(about_.options) + " " + place.options)),
        names_(running_program(place, about_) ? place.pid : 0),
        builder_(decoder_.units(), decoder_.groups()),
        convergence_(options_.converge),
        sequencer_(source, decoder_),
        driver_(sequencer_, builder_, options_.workers,
                [this] { return choose_modules(); }) {
    decoder_.executable = bounded_text(about_.program);
    decoder_.snapshot = [this](std::uint32_t token) {
      source_.give_snapshot(token, decoder_.live_objects());
    };
    decoder_.burst_begins = [this] {
      const std::uint64_t bursts = decoder_.counts().bursts;
      if (bursts == 0) return;
      builder_.note_burst();
      if (bursts == 1) builder_.note_first_burst(decoder_.counts().in_bursts);
      if (convergence_.due(bursts) &&
          convergence_.note(decoder_.units().site_executions()))
        source_.enough();
    };
    decoder_.name_code = [this](std::uint64_t a) { return names_.name(a); };
  }

  Outcome run() {
    builder_.executable = decoder_.executable;
    builder_.memory = &decoder_.memory();
    // Now, while the file is what runs.
    builder_.executable_file = ElfFile(
        running_program(place_, about_) ? place_.executable : decoder_.executable);
    if (!options_.fault.empty() && !set_fault(options_.fault))
      note("unknown fault " + options_.fault);
    if (!options_.windows) decoder_.leave_out_windows();
    builder_.options = options_.all;
    builder_.say = [this](const std::string& text) { note(text); };
    if (place_.pid && running_program(place_, about_))
      builder_.process_folder = "/proc/" + std::to_string(place_.pid);
    driver_.run();
    if (decoder_.counts().unwanted) return {Outcome::complete, "", notes_};
    builder_.residency =
        find_residency(builder_.process_folder, decoder_.objects(), decoder_.groups());
    feedback::Profile profile;
    describe_program(profile.program);
    describe_run(profile.run);
    profile.tool = "memprof " PACKAGE_VERSION;
    if (decoder_.counts().bursts != 0) builder_.note_burst();
    builder_.note_loop_samples(decoder_.samples());
    builder_.note_early_entries(decoder_.early_entries());
    builder_.count(decoder_.counts());
    driver_.settle([&] { builder_.build(profile); });
    driver_.finish(profile);
    builder_.add_groups(profile);
    describe_bursts(profile.run);
    extrapolate(profile, builder_.factors());
    driver_.derive(profile);
    builder_.add_groups_of_windows(profile);
    return write(std::move(profile));
  }

 private:
  std::vector<const ModuleEntry*> choose_modules();
  void describe_program(feedback::Program& program);
  void describe_run(feedback::Run& run);
  void describe_bursts(feedback::Run& run);
  Outcome write(feedback::Profile profile);
  // The profile's path; empty: there is no name for it. The units are known.
  std::string path() const;
  feedback::Adding adding() const {
    return {options_.merge, builder_.executable_file.known()};
  }
  // Several modules may say the same.
  void note(const std::string& text) {
    if (notes_.find(text) != notes_.npos) return;
    if (!notes_.empty()) notes_ += "; ";
    notes_ += text;
  }

  StreamSource& source_;
  const ProfilePlace& place_;
  const mprt_shared& about_;
  const RunOptions options_;
  CodeNames names_;
  Decoder decoder_;
  ProfileBuilder builder_;
  Convergence convergence_;
  Sequencer sequencer_;
  Driver driver_;
  std::string notes_;
};

// How the units were compiled, as `run.mode' says it.
const char* mode_of(const LoadedUnits& units) {
  static constexpr const char* names[] = {"full", "objects", "sample"};
  const char* mode = nullptr;
  for (const auto& unit : units.all()) {
    const std::uint32_t number = unit->image.header().mode;
    const char* name = number < std::size(names) ? names[number] : "mixed";
    if (!mode) mode = name;
    if (std::strcmp(mode, name) != 0) mode = "mixed";
  }
  return mode ? mode : names[0];
}

std::vector<const ModuleEntry*> Session::choose_modules() {
  const std::string list =
      options_.modules ? *options_.modules
                       : first_said(decoder_.units(), decoder_.executable,
                                    [](const mprt_blob& b) {
                                      return b.module_names;
                                    });
  std::vector<std::string> unknown;
  const auto select = [&](const std::string& names) {
    unknown.clear();
    return select_modules(names, builder_.objects_only() ? MPRT_OBJECTS_DEFAULT : MPRT_BY_DEFAULT,
                          &unknown);
  };
  auto selected = select(list);
  const auto any = [&selected](const char* section) {
    return std::any_of(selected.begin(), selected.end(), [section](const ModuleEntry* entry) {
      return std::string_view(entry->section) == section;
    });
  };
  // Of samples, what comes from memory is only known from windows (sampled_pages.h).
  if (builder_.sampled() && any("pages") && !any("cache")) selected = select(list + ",cache");
  for (const std::string& name : unknown)
    note("there is no profiling module '" + name + "'");
  if (builder_.objects_only())
    std::erase_if(selected, [this](const ModuleEntry* entry) {
      if ((entry->flags & MPRT_BY_NAME) == 0) return false;
      note(std::string("module ") + entry->name + " cannot work without accesses");
      return true;
    });
  if (builder_.sampled())
    std::erase_if(selected, [this](const ModuleEntry* entry) {
      if ((entry->flags & MPRT_SAMPLES) != 0) return false;
      note(std::string("module ") + entry->name + " cannot work with samples");
      return true;
    });
  std::uint32_t left_out = 0;
  for (const auto& unit : decoder_.units().all())
    left_out |= unit->image.header().left_out;
  for (const ModuleEntry* entry : selected)
    if ((entry->events & left_out) && !builder_.objects_only())
      note(std::string("module ") + entry->name +
           " needs events that the program does not report: compile it with"
           " -fprofile-mem-modules=" + entry->name);
  // A module may write its own file beside the profile, and begin now.
  if (std::any_of(selected.begin(), selected.end(), [](const ModuleEntry* entry) {
        return (entry->flags & MPRT_BY_NAME) != 0;
      })) {
    builder_.path = feedback::path_for_run(path(), adding());
    if (const std::string trouble = make_folders(builder_.path); !trouble.empty()) note(trouble);
  }
  return selected;
}

void Session::describe_program(feedback::Program& program) {
  program.name = program_name(decoder_.executable);
  program.build_id = builder_.executable_file.build_id();
  if (program.build_id.empty()) program.build_id = hash_of_tables(decoder_.units());
  program.compiler =
      first_said(decoder_.units(), decoder_.executable,
                 [](const mprt_blob& b) { return b.compiler; });
  program.target = k_machine;
  program.command = command_line(about_);
}

void Session::describe_run(feedback::Run& run) {
  const StreamCounts& counts = decoder_.counts();
  run.mode = mode_of(decoder_.units());
  // The runtime counts what it could not record; a LOST record repeats it.
  run.events_lost = std::max(source_.events_lost(), counts.lost);
  run.external_functions = decoder_.units().external_calls().rows();
  for (const feedback::ExternalFunction& f : run.external_functions)
    run.external_calls += f.calls;
  run.threads = std::max<std::uint64_t>(counts.threads, 1);
  run.labels = options_.labels;
  // A recording that is read later says neither when nor where it was made.
  if (place_.pid) {
    run.duration_s = seconds_since(about_.start_ns);
    run.start = static_cast<std::uint64_t>(std::max(static_cast<double>(time(nullptr)) - run.duration_s, 0.0));
    run.host = host_name();
  }
  run.complete = counts.ended && !counts.ended_early && run.events_lost == 0 &&
                 counts.corrupt == 0 && source_.intact() &&
                 sequencer_.in_order();
}

void Session::describe_bursts(feedback::Run& run) {
  const StreamCounts& counts = decoder_.counts();
  if (counts.bursts == 0) return;
  const std::uint64_t seen = counts.seen();
  const std::uint64_t all = seen + counts.between_bursts;
  run.bursts = counts.bursts;
  run.burst_length = seen / counts.bursts;
  run.burst_period = all / counts.bursts;
  run.share = static_cast<double>(seen) / static_cast<double>(all);
}

// `memprof run' reads the names when the program has ended. O_APPEND: a program
// that forks has several backends. A failure costs only the name.
void report(const std::string& file, const std::string& profile) {
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0) return;
  const std::string line = profile + "\n";
  if (::write(fd, line.data(), line.size()) < 0) {
  }
  close(fd);
}

std::string Session::path() const {
  if (!place_.output.empty()) return place_.output;
  if (!place_.names_files) return profile_name(about_);
  const std::string folder = first_said(decoder_.units(), decoder_.executable,
                                        [](const mprt_blob& b) { return b.output_dir; });
  return output_path(about_, options_, folder);
}

Outcome Session::write(feedback::Profile profile) {
  Outcome outcome;
  outcome.path = path();
  if (place_.output.empty()) {
    if (outcome.path.empty()) {
      outcome.message =
          "the folder in which the program began has no name (it is gone, or the "
          "name is too long); say where the profile goes: MPRT_OPTIONS=output=/PATH";
      return outcome;
    }
    outcome.message = make_folders(outcome.path);
    if (!outcome.message.empty()) return outcome;
  }
  const bool complete = profile.run.complete;
  source_.writing();
  const auto stored =
      feedback::merge_into_file(std::move(profile), outcome.path, adding());
  if (!stored) {
    outcome.message = stored.error().text();
    return outcome;
  }
  outcome.path = stored->path;
  if (!stored->note.empty()) note(stored->note);
  if (place_.names_files && !options_.report.empty()) report(options_.report, outcome.path);
  if (options_.verbose)
    note("memprof-backend used " + std::to_string(peak_kilobytes()) +
         " kB of memory at most and " + std::to_string(cpu_milliseconds()) +
         " ms of processor time");
  outcome.message = notes_;
  outcome.result = complete ? Outcome::complete : Outcome::partial;
  return outcome;
}

}  // namespace

Outcome profile_stream(StreamSource& source, const ProfilePlace& place,
                       const std::function<void(const Outcome&)>& tell) {
  // Too large for the stack of a program that has limited it.
  const auto session = std::make_unique<Session>(source, place);
  Outcome outcome = session->run();
  if (tell) tell(outcome);
  return outcome;
}

}  // namespace memprof::backend
