// common_folder.cc - two profiles of one program that was built in two folders.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/common_folder.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace memprof::feedback {

std::string common_folder(const Profile& profile) {
  std::string common;
  bool first = true;
  for (const Module& module : profile.modules) {
    const std::string folder = module.file.substr(0, module.file.rfind('/') + 1);
    if (first) common = folder;
    first = false;
    const auto differ = std::mismatch(common.begin(), common.end(), folder.begin(), folder.end());
    common.erase(differ.first, common.end());
    common.erase(common.rfind('/') + 1);
  }
  return common == "/" ? "" : common;
}

void shorten(const std::string& folder, std::string& text) {
  if (folder.empty()) return;
  for (std::size_t at = 0; (at = text.find(folder, at)) != std::string::npos;)
    if (at == 0 || text[at - 1] == ' ')
      text.erase(at, folder.size());
    else
      at += folder.size();
}

namespace {

void shorten_names(const std::string& folder, Profile& profile) {
  if (folder.empty()) return;
  for (Module& module : profile.modules) {
    shorten(folder, module.file);
    for (Function& function : module.functions) {
      shorten(folder, function.file);
      for (Loop& loop : function.loops) shorten(folder, loop.file);
      for (HeaderCall& call : function.calls) shorten(folder, call.file);
      for (Frame& frame : function.frames) shorten(folder, frame.file);
      for (Site& site : function.sites)
        for (std::string* text : {&site.file, &site.inlined_at}) shorten(folder, *text);
    }
  }
  for (Group& group : profile.groups)
    for (std::string* text : {&group.file, &group.context}) shorten(folder, *text);
}

}  // namespace

void make_comparable(Profile& a, Profile& b) {
  std::set<std::string_view> files;
  for (const Module& module : a.modules) files.insert(module.file);
  for (const Module& module : b.modules)
    if (files.contains(module.file)) return;
  shorten_names(common_folder(a), a);
  shorten_names(common_folder(b), b);
}

}  // namespace memprof::feedback
