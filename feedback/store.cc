// store.cc - a profile into its file, alone or added to what is there.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two instances of a program may end at once.  Each takes the file's lock, reads
// what stands there, adds its own counts and replaces the file in one step; so no
// count is lost, and a reader never sees half a file.
#include <utility>

#include "feedback/canonical.h"
#include "feedback/file.h"
#include "feedback/merge.h"
#include "feedback/reader.h"
#include "feedback/writer.h"

namespace memprof::feedback {
namespace {

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

// What has no counts of earlier runs is not worth that a program waits for the disk.
Status write_alone(Profile profile, const std::string& path) {
  return replace_file(path, to_document(std::move(profile)), false);
}

}  // namespace

Status write_profile(Profile profile, const std::string& path) {
  return replace_file(path, to_document(std::move(profile)));
}

Status merge_into_file(Profile profile, const std::string& path, bool merge_wanted,
                       std::string* note) {
  WriterLock lock;
  const bool locked = lock.acquire(path);
  if (!merge_wanted) return write_alone(std::move(profile), path);

  Result<Profile> old = read_profile(path);
  std::string reason;
  if (!old) {
    if (old.error().kind == Error::Kind::missing) return write_alone(std::move(profile), path);
    reason = old.error().text();
  } else {
    reason = obstacle(profile, *old);
    if (reason.empty()) {
      if (!locked && note)
        *note = path + ": merged without a lock on it; a run that ended "
                       "at the same time may be missing";
      return write_profile(merge(std::move(*old), std::move(profile)), path);
    }
  }
  if (note) *note = path + ": replaced, not merged: " + reason;
  return write_alone(std::move(profile), path);
}

}  // namespace memprof::feedback
