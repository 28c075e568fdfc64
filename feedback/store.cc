// store.cc - a profile into its file, alone or added to what is there.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two instances of a program may end at once.  Each takes the file's lock, reads
// what stands there, adds its own counts and replaces the file in one step; so no
// count is lost, and a reader never sees half a file.
//
// What is at the name may not be ours, or be the only copy of many runs which just now
// cannot be read.  It stays, and the run goes to the next name that is free.
#include <filesystem>
#include <optional>
#include <utility>

#include "feedback/canonical.h"
#include "feedback/file.h"
#include "feedback/merge.h"
#include "feedback/reader.h"
#include "feedback/writer.h"

namespace memprof::feedback {
namespace {

// What a profile begins with.
constexpr char k_profile_mark[] = "{\"memprof\"";
// Names that a run tries, the first included.
constexpr unsigned k_most_beside = 9;

// Why OURS cannot be added to OLD; empty when it can.
std::string obstacle(const Profile& ours, const Profile& old) {
  if (old.program.build_id != ours.program.build_id)
    return "it belongs to another build of the program";
  if (old.run.mode != ours.run.mode) return "it was made in another mode";
  if (present_tables(old) != present_tables(ours))
    return "it was made with other profiling modules";
  if (!ours.whole_stream.empty() || !old.whole_stream.empty())
    return "whole streams cannot be merged";
  return "";
}

// What stands at a path.
struct Old {
  std::optional<Profile> profile;  // to be added to
  std::string replaced;            // why it is not added to; empty: nothing is there
  std::string stays;               // why it must stay
};

Old look_at(const Profile& ours, const std::string& path, Adding adding) {
  Old old;
  if (device_p(path)) return old;
  if (!adding.merge) {
    old.stays = foreign_file(path, k_profile_mark);
    return old;
  }
  Result<Profile> there = read_profile(path, Input::no_link);
  if (!there) {
    if (there.error().kind == Error::Kind::missing) return old;
    Error why = there.error();
    why.file.clear();
    (empty_p(path) ? old.replaced : old.stays) = why.text();
    return old;
  }
  old.replaced = obstacle(ours, *there);
  if (!old.replaced.empty() && !adding.build_known)
    old.stays = "its build cannot be compared, since the program's file could not be read";
  if (old.replaced.empty()) old.profile = std::move(*there);
  return old;
}

// a.memprof.json, 2: a.2.memprof.json.
std::string numbered(const std::string& path, unsigned number) {
  for (const std::string_view ending : {".memprof.json", ".json", ""})
    if (path.ends_with(ending))
      return path.substr(0, path.size() - ending.size()) + '.' + std::to_string(number) +
             std::string(ending);
  return path;
}

// Calls VISIT with PATH and the names beside it until it is content.
template <typename Visit>
void for_names(const std::string& path, Visit visit) {
  for (unsigned n = 1; n <= k_most_beside; n++)
    if (visit(n == 1 ? path : numbered(path, n))) return;
}

// What has no counts of earlier runs is not worth that a program waits for the disk.
Status write_run(Profile profile, Old old, const std::string& path) {
  if (!old.profile)
    return replace_file(path, to_document(std::move(profile)), false, Links::refuse);
  return replace_file(path, to_document(merge(std::move(*old.profile), std::move(profile))), true,
                      Links::refuse);
}

}  // namespace

Status write_profile(Profile profile, const std::string& path) {
  return replace_file(path, to_document(std::move(profile)));
}

std::string path_for_run(const std::string& path, Adding adding) {
  std::string chosen = path;
  for_names(path, [&](const std::string& name) {
    if (!look_at(Profile{}, name, adding).stays.empty()) return false;
    chosen = name;
    return true;
  });
  return chosen;
}

Result<Stored> merge_into_file(Profile profile, const std::string& path, Adding adding) {
  std::string stays;  // why PATH does
  Result<Stored> result = Stored{};
  for_names(path, [&](const std::string& name) {
    WriterLock lock;
    std::error_code ignored;
    const bool locked = !std::filesystem::is_symlink(name, ignored) && lock.acquire(name);
    Old old = look_at(profile, name, adding);
    if (old.stays.empty() && !replaceable_p(name)) old.stays = "it belongs to another user";
    if (!old.stays.empty()) {
      if (stays.empty()) stays = old.stays;
      return false;
    }
    std::string note;
    if (!stays.empty())
      note = "this run is in " + name.substr(name.rfind('/') + 1) + " beside " + path +
             ", which stays: " + stays;
    else if (!old.replaced.empty())
      note = path + ": replaced, not merged: " + old.replaced;
    else if (old.profile && !locked)
      note = path + ": merged without a lock on it; a run that ended at the same time may be "
             "missing";
    const Status status = write_run(std::move(profile), std::move(old), name);
    result = status ? Result<Stored>(Stored{name, note}) : status.error();
    return true;
  });
  if (result && result->path.empty())
    return Error{Error::Kind::unwritable, path, "", "it stays: " + stays +
                 "; so does what has the names beside it that a run may take"};
  return result;
}

}  // namespace memprof::feedback
