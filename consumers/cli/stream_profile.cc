// stream_profile.cc - a profile with its file of streams.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/stream_profile.h"

#include "feedback/reader.h"

namespace memprof::cli {
namespace {

using feedback::Id;

// Numbers below MOST, which are those in the file.
void note(std::vector<Id>& ids, std::uint32_t number, Id id, std::uint64_t most) {
  if (id == feedback::k_none || number >= most) return;
  if (number >= ids.size()) ids.resize(number + 1, feedback::k_none);
  ids[number] = id;
}

Id find(const std::vector<Id>& ids, std::uint32_t number) {
  return number < ids.size() ? ids[number] : feedback::k_none;
}

}  // namespace

StreamProfile::StreamProfile(feedback::Profile profile, streams::StreamFile file,
                             streams::ObjectTable objects)
    : profile_(std::move(profile)), view_(profile_), file_(std::move(file)),
      objects_(std::move(objects)) {
  for (const feedback::StreamName& name : profile_.stream_names) {
    note(sites_, name.number, name.site, file_.most_names());
    note(groups_, name.number, name.group, file_.most_names());
  }
}

feedback::Result<std::unique_ptr<StreamProfile>> StreamProfile::read(const std::string& path) {
  auto profile = feedback::read_profile(path, feedback::Input::descriptor_too);
  if (!profile) return profile.error();
  return of(std::move(*profile), path);
}

feedback::Result<std::unique_ptr<StreamProfile>> StreamProfile::of(feedback::Profile profile,
                                                                   const std::string& path) {
  auto file = streams::open_streams(profile, path);
  if (!file) return file.error();
  auto objects = streams::ObjectTable::read(*file);
  if (!objects) return objects.error();
  return std::unique_ptr<StreamProfile>(
      new StreamProfile(std::move(profile), std::move(*file), std::move(*objects)));
}

const ProfileView::SiteRef* StreamProfile::site(std::uint32_t number) const {
  return view_.site(find(sites_, number));
}

const feedback::Group* StreamProfile::group(std::uint32_t number) const {
  return view_.group(find(groups_, number));
}

std::vector<std::string> StreamProfile::site_texts() const {
  std::vector<std::string> texts(sites_.size());
  for (std::uint32_t i = 0; i < sites_.size(); i++)
    if (const ProfileView::SiteRef* ref = site(i))
      texts[i] = std::string(kind_name(ref->site->kind)) + ' ' + ProfileView::where(*ref);
  return texts;
}

}  // namespace memprof::cli
