// trace.cc - requests to memory of a recorded run, as text, JSON or binary: memprof trace.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Both sources say for each access its thread, address, kind and object. A stream is decoded as for
// a profile; a file of whole streams is expanded.
#include "runtime/backend/profile/trace.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "feedback/group_name.h"
#include "feedback/reader.h"
#include "feedback/streams/access_reader.h"
#include "runtime/backend/event/target_cursor.h"
#include "runtime/backend/modules/pages/frames.h"
#include "runtime/backend/profile/memory_trace.h"
#include "runtime/backend/profile/recorded_batches.h"
#include "runtime/backend/profile/trace_phases.h"
#include "runtime/backend/profile/trace_writer.h"

namespace memprof::backend {
namespace {

// One run: the model, and the numbers of its objects.
class Tracer {
 public:
  Tracer(const TraceOptions& options, std::FILE* out, std::uint32_t pid,
         const Frames* frames = nullptr)
      : sums_(options.phases != 0),
        first_(options.first),
        end_(options.count > ~options.first ? ~std::uint64_t{0} : options.first + options.count),
        writer_(out, options.format, pid),
        phases_(out, options.format == TraceFormat::json, options.first, options.phases),
        memory_(options.geometry, [this](const MemoryRequest& request) {
          if (request.time < first_) return;
          if (sums_)
            phases_.add(request);
          else
            writer_.write(request);
        }, frames) {
    if (sums_)
      phases_.begin();
    else
      writer_.begin();
  }
  // There will be no more accesses.
  void end() {
    if (sums_) phases_.end();
  }

  // All that was asked for is written.
  bool done() const { return memory_.time() >= end_; }
  // NAME() is that of the group.
  template <typename Name>
  void access(std::uint32_t thread, std::uint64_t address, std::uint64_t width, bool store,
              std::uint32_t group, std::uint32_t serial, Name&& name) {
    std::uint32_t object = 0;
    if (group != 0) {
      std::uint32_t& known = objects_[{group, serial}];
      if (known == 0) known = add_object(name() + " #" + std::to_string(serial));
      object = known;
    }
    memory_.access(thread, address, width, store, object);
  }

 private:
  std::uint32_t add_object(std::string name) {
    return sums_ ? phases_.add_object(std::move(name)) : writer_.add_object(std::move(name));
  }

  const bool sums_;  // phases_ and not writer_
  std::uint64_t first_, end_;
  TraceWriter writer_;
  TracePhases phases_;
  MemoryTrace memory_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> objects_;
};

bool trace_stream(StreamFile& file, const TraceOptions& options, std::FILE* out) {
  RecordedBatches batches(file);
  Tracer tracer(options, out, file.shared().program_pid);
  TargetCursor targets;
  std::uint32_t thread = 0;
  for (Batch batch; batches.next(batch);) {
    targets.for_each(batch, [&](const Event& e, std::uint64_t width, const AccessTarget& target) {
      if (e.kind == EventKind::thread) thread = e.index;
      if ((e.kind != EventKind::load && e.kind != EventKind::store) || tracer.done()) return;
      tracer.access(thread, e.address, width, e.kind == EventKind::store, target.group,
                    target.object,
                    [&] { return feedback::group_name(batches.decoder().groups().name(target.group)); });
    });
    if (tracer.done()) break;
  }
  tracer.end();
  return tracer.done() || batches.whole();
}

// Of the run that made PROFILE, if it wrote them.
feedback::Result<Frames> frames_of(const feedback::Profile& profile, const std::string& path) {
  const bool written = std::any_of(
      profile.pages.begin(), profile.pages.end(),
      [](const feedback::Pages& r) { return r.source == feedback::PageSource::pagemap; });
  return written ? read_frames(frames_path(path)) : Frames{};
}

feedback::Result<bool> trace_profile(const feedback::Profile& profile, const std::string& path,
                                     const TraceOptions& options, std::FILE* out) {
  auto file = streams::open_streams(profile, path);
  if (!file) return file.error();
  auto objects = streams::ObjectTable::read(*file);
  if (!objects) return objects.error();
  const auto frames = frames_of(profile, path);
  if (!frames) return frames.error();
  std::map<feedback::Id, const feedback::Group*> groups;
  for (const feedback::Group& group : profile.groups) groups[group.id] = &group;
  std::set<feedback::Id> stores;
  for (const feedback::Module& module : profile.modules)
    for (const feedback::Function& function : module.functions)
      for (const feedback::Site& site : function.sites)
        if (site.kind == feedback::Access::store) stores.insert(site.id);
  std::map<std::uint32_t, bool> store_p;                       // by number in the streams
  std::map<std::uint32_t, const feedback::Group*> group_of;
  for (const feedback::StreamName& name : profile.stream_names) {
    if (name.site != feedback::k_none) store_p[name.number] = stores.contains(name.site);
    if (const auto at = groups.find(name.group); at != groups.end())
      group_of[name.number] = at->second;
  }
  // Streams have no widths: an access is taken to lie in one line.
  Tracer tracer(options, out, frames->pid, &*frames);
  const auto status = streams::for_each_access(*file, *objects, [&](const streams::Access& a) {
    if (tracer.done()) return;
    tracer.access(a.thread, a.address, 1, store_p[a.site], a.group, a.object, [&] {
      const feedback::Group* const group = group_of[a.group];
      return group == nullptr ? "unknown memory" : feedback::group_name(*group);
    });
  });
  if (!status) return status.error();
  tracer.end();
  return !profile.whole_stream.front().stopped || tracer.done();
}

// A profile is JSON.
bool profile_p(const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "r");
  if (file == nullptr) return false;
  const int first = std::fgetc(file);
  std::fclose(file);
  return first == '{';
}

}  // namespace

feedback::Result<bool> write_trace(const std::string& path, const TraceOptions& options,
                                   std::FILE* out) {
  if (profile_p(path)) {
    const auto profile = feedback::read_profile(path, feedback::Input::descriptor_too);
    if (!profile) return profile.error();
    return trace_profile(*profile, path, options, out);
  }
  const auto file = StreamFile::open(path);
  if (!file) return file.error();
  return trace_stream(**file, options, out);
}

}  // namespace memprof::backend
