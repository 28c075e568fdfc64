// whole_stream.cc - profiling module: every access, lossless, as grammars (WHOMP).
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Feeds feedback/streams/recorder.h with each access, birth and death, and tells the profile what is in the
// file that the recorder writes beside it. The file names sites and groups by numbers, in the
// order in which they come; rows of `stream_names' say which site or group of the profile each is.
//
// Ranges, nests and runs are expanded: their accesses enter in the order of time.
//
// Paper: Wu, Pyatakov, Spiridonov, Raman, Clark, August, CGO 2004.
#include <memory>
#include <vector>

#include "runtime/backend/base/per_site.h"
#include "runtime/backend/event/module.h"
#include "runtime/backend/event/target_cursor.h"
#include "runtime/backend/modules/stream_options.h"
#include "feedback/streams/recorder.h"

namespace memprof::backend {
namespace {

// Numbers from 1, in the order in which ids come.
class Numbers {
 public:
  std::uint32_t of(std::uint32_t id) {
    std::uint32_t& number = numbers_[id];
    if (number == 0) {
      ids_.push_back(id);
      number = static_cast<std::uint32_t>(ids_.size());
    }
    return number;
  }
  const std::vector<std::uint32_t>& ids() const { return ids_; }  // of number i + 1

 private:
  PerSite<std::uint32_t> numbers_;
  std::vector<std::uint32_t> ids_;
};

StreamOptions options_of(const ProgramInfo& program) {
  std::string wrong;
  const StreamOptions options = parse_stream_options(program.option("streams"), &wrong);
  if (!wrong.empty()) program.note("streams=" + wrong + " makes no sense");
  return options;
}

class WholeStreamModule final : public Module {
 public:
  explicit WholeStreamModule(const ProgramInfo& program)
      : program_(program),
        options_(options_of(program)),
        path_(program.profile_path().empty() ? "" : streams::streams_path(program.profile_path())),
        out_(path_),
        recorder_(options_.recorder, out_) {}

  void consume(const Batch& batch) override {
    cursor_.for_each(batch, [this, &batch](const Event& e, std::uint64_t width,
                                           const AccessTarget& target) {
      event(batch, e, width, target);
    });
  }

  void settle() override { recorder_.finish(); }

  void finish(feedback::Profile& profile) override {
    if (!out_.error().empty()) program_.note(out_.error());
    add_names(profile);
    profile.whole_stream.push_back(row());
  }

 private:
  void event(const Batch& batch, const Event& e, std::uint64_t width, const AccessTarget& target) {
    switch (e.kind) {
      case EventKind::load:
      case EventKind::store: access(e, target); break;
      case EventKind::birth:
      case EventKind::global_birth: {
        const Target& born = batch.targets[e.index];
        recorder_.birth(thread_, name(born), e.address, width);
        break;
      }
      case EventKind::death: recorder_.death(name(batch.targets[e.index])); break;
      case EventKind::thread: thread_ = e.index; break;
      default: break;
    }
  }

  void access(const Event& e, const AccessTarget& target) {
    if (!options_.stack && target.group != 0 &&
        program_.group_kind(target.group) == feedback::GroupKind::stack)
      return;
    streams::ObjectName object{0, 0};
    if (target.group != 0) {
      object = {groups_.of(target.group), target.object};
      if (object.group >= accessed_.size()) accessed_.resize(object.group + 1);
      accessed_[object.group] = true;
    }
    recorder_.access(thread_, sites_.of(e.site), object, e.address - target.base, e.address);
  }
  streams::ObjectName name(const Target& target) {
    return {groups_.of(target.group), target.object};
  }

  // Groups that were never accessed have no rows in the profile.
  void add_names(feedback::Profile& profile) const {
    for (std::uint32_t i = 0; i < sites_.ids().size(); i++)
      profile.stream_names.push_back({i + 1, program_.site_id(sites_.ids()[i]), feedback::k_none});
    for (std::uint32_t i = 0; i < groups_.ids().size(); i++)
      if (i + 1 < accessed_.size() && accessed_[i + 1])
        profile.stream_names.push_back(
            {i + 1, feedback::k_none, program_.group_id(groups_.ids()[i])});
  }

  feedback::WholeStream row() const {
    using streams::Dimension;
    const streams::RecorderTotals& totals = recorder_.totals();
    const auto bytes = [&](Dimension d) { return totals.sizes[static_cast<unsigned>(d)].bytes; };
    feedback::WholeStream row;
    row.file = path_.substr(path_.rfind('/') + 1);
    row.hash = out_.hash();
    row.error = out_.error();
    row.file_bytes = out_.bytes();
    row.accesses = totals.accesses;
    row.objects = totals.objects;
    row.threads = totals.threads;
    row.segments = totals.segments;
    row.stopped = totals.stopped;
    row.stack = options_.stack;
    row.object_differences = options_.recorder.object_differences;
    for (unsigned d = 0; d < streams::k_dimensions; d++) {
      const streams::GrammarSizes& s = totals.sizes[d];
      if (s.rules == 0) continue;
      row.grammars.push_back({streams::name(Dimension(d)), s.symbols, s.rules, s.ascii, s.bytes});
      if (d >= streams::k_omsg_dimensions) continue;
      row.omsg_bytes += s.bytes;
      row.symbols += s.symbols;
      row.rules += s.rules;
    }
    row.lifetime_bytes = totals.object_bytes;
    if (options_.recorder.addresses) {
      row.rasg_a_bytes = bytes(Dimension::address);
      row.rasg_ia_bytes = row.rasg_a_bytes + bytes(Dimension::site);
    }
    return row;
  }

  const ProgramInfo& program_;
  const StreamOptions options_;
  const std::string path_;
  streams::StreamWriter out_;
  streams::Recorder recorder_;
  TargetCursor cursor_;
  std::uint32_t thread_ = 0;
  Numbers sites_, groups_;
  std::vector<bool> accessed_;  // by number of a group
};

}  // namespace

std::unique_ptr<Module> make_whole_stream(const ProgramInfo& program) {
  return std::make_unique<WholeStreamModule>(program);
}

}  // namespace memprof::backend
