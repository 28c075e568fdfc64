// cmd_answer.cc - memprof answer: what is slow, why, and what to do.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdio>
#include <filesystem>

#include "consumers/cli/advice.h"
#include "consumers/cli/answer.h"
#include "consumers/cli/command.h"
#include "feedback/reader.h"

namespace memprof::cli {
namespace {

const Option k_options[] = {
    {"decisions", "FILE", "the rebuilt program, or what -fprofile-mem-remarks= wrote (default: the program beside the profile)"},
    {"top", "N", "at most N places (default 5)"},
};

int run(const Arguments& arguments) {
  const auto top = number_argument(arguments, "top", 5, 1000);
  if (!top) return fail(top.error());
  std::string file;
  if (!arguments.operands().empty()) {
    file = arguments.operands()[0];
  } else {
    const std::vector<std::string> profiles = profiles_here();
    if (profiles.size() != 1)
      return fail(profiles.empty() ? "answer: there is no *.memprof.json in this folder; expected PROFILE"
                                   : "answer: there are several profiles in this folder; expected PROFILE");
    file = profiles[0];
  }
  auto profile = feedback::read_profile(file, feedback::Input::descriptor_too);
  if (!profile) return fail(profile.error());
  const ProfileView view(*profile);
  const auto decisions = known_decisions(view, file, arguments.value("decisions"));
  if (!decisions) return fail(decisions.error());
  const Answer answer = answer_of(view, decisions->all, file, *top);
  if (!arguments.json()) {
    print_answer(view, answer);
    return k_ok;
  }
  feedback::JsonReport json;
  json.open_object();
  answer_json(answer, json);
  json.close_object();
  std::fputs(json.text().c_str(), stdout);
  return k_ok;
}

}  // namespace

std::vector<std::string> profiles_here() {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(".", error))
    if (const std::string name = entry.path().filename().string(); name.ends_with(".memprof.json"))
      found.push_back(name);
  return found;
}

const Command k_answer_command = {
    "answer",
    "[PROFILE]",
    "say what is slow, why, and what to do",
    "Says for how much of its time the program waits for memory, by the modelled misses\n"
    "and what overlaps, which lines make it, what they access, and what helps: what the\n"
    "rebuild does, a patch of a declaration, a change of the source. Without PROFILE:\n"
    "the one in this folder. `memprof PROFILE' is the same.",
    k_options, 0, 1, false, run};

}  // namespace memprof::cli
