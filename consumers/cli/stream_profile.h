// stream_profile.h - a profile with its file of streams.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "consumers/cli/profile_view.h"
#include "feedback/model.h"
#include "feedback/streams/access_reader.h"

namespace memprof::cli {

class StreamProfile {
 public:
  // An error if the profile has no streams, or their file is missing, damaged, or of another run.
  static feedback::Result<std::unique_ptr<StreamProfile>> read(const std::string& path);
  // The same of PROFILE, which was read from PATH.
  static feedback::Result<std::unique_ptr<StreamProfile>> of(feedback::Profile profile,
                                                             const std::string& path);

  const feedback::WholeStream& row() const { return profile_.whole_stream.front(); }
  const ProfileView& view() const { return view_; }
  const streams::StreamFile& file() const { return file_; }
  const streams::ObjectTable& objects() const { return objects_; }
  // Of a number in the stream; null if the profile has none.
  const ProfileView::SiteRef* site(std::uint32_t number) const;
  const feedback::Group* group(std::uint32_t number) const;
  // "load a.c:12:7" by number; empty: unknown.
  std::vector<std::string> site_texts() const;

  template <typename Fn>
  feedback::Status for_each_access(Fn&& fn) const {
    return streams::for_each_access(file_, objects_, fn);
  }
  template <typename Fn>
  feedback::Status for_each_piece(Fn&& fn) const {
    return streams::for_each_piece(file_, objects_, fn);
  }

 private:
  StreamProfile(feedback::Profile profile, streams::StreamFile file, streams::ObjectTable objects);

  feedback::Profile profile_;
  ProfileView view_;
  streams::StreamFile file_;
  streams::ObjectTable objects_;
  std::vector<feedback::Id> sites_, groups_;  // by number
};

}  // namespace memprof::cli
