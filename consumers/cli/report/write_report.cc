// write_report.cc - a profile, and what belongs to it, becomes a page in a file.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/report/write_report.h"

#include "consumers/cli/advice.h"
#include "consumers/cli/command.h"
#include "consumers/cli/report/page.h"
#include "consumers/cli/report/report_data.h"
#include "feedback/file.h"
#include "feedback/reader.h"

namespace memprof::cli {

feedback::Result<std::string> make_report(const ReportRequest& request) {
  auto profile = feedback::read_profile(request.profile, feedback::Input::descriptor_too);
  if (!profile) return profile.error();
  const ProfileView view(*profile);
  const auto decisions = request.decisions ? KnownDecisions{*request.decisions, true}
                                           : *known_decisions(view, request.profile, "");
  std::optional<feedback::Changes> changes;
  if (!request.against.empty()) {
    auto old = feedback::read_profile(request.against, feedback::Input::descriptor_too);
    if (!old) return old.error();
    changes = feedback::changes(*old, *profile);
  }
  SourceFiles sources(request.sources, request.profile);
  ReportInput in{.view = view,
                 .decisions = decisions.all,
                 .compiled = decisions.compiled,
                 .sources = sources,
                 .changes = changes ? &*changes : nullptr,
                 .profile = request.profile,
                 .old_profile = request.against};
  std::unique_ptr<StreamProfile> streams;
  if (!profile->whole_stream.empty()) {
    auto opened = StreamProfile::of(*profile, request.profile);
    if (opened)
      streams = std::move(*opened);
    else
      in.no_streams = opened.error().text();
    in.streams = streams.get();
  }
  const std::string data = report_data(in);
  note(sources.note());
  return report_page(profile->program.name, data, request.verified);
}

std::string page_name(std::string profile) {
  return feedback::path_beside(std::move(profile), ".html");
}

feedback::Status write_page(const std::string& output, const std::string& page) {
  return feedback::replace_file(output, {"", page}, false);
}

}  // namespace memprof::cli
