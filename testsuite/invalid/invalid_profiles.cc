// invalid_profiles.cc - see invalid_profiles.h.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "testsuite/invalid/invalid_profiles.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace memprof::feedback::test {
namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + ": cannot open");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// TEXT with a byte for each \xHH.
std::string with_bytes(std::string text) {
  for (std::size_t at; (at = text.find("\\x")) != std::string::npos;)
    text.replace(at, 4, 1, static_cast<char>(std::stoi(text.substr(at + 2, 2), nullptr, 16)));
  return text;
}

class Entry {
 public:
  Entry(std::istream& lines, const std::string& first, const std::string& testsuite) {
    std::istringstream words(first);
    std::string base = "every-field-1.0";
    words >> made_.name >> base;
    made_.text = contents(testsuite + "/golden/v1/" + base + ".json");
    for (std::string line; made_.message.empty();) {
      if (!std::getline(lines, line) || line.empty()) fault("no message");
      const std::size_t space = line.find(' ');
      take(line.substr(0, space), space == line.npos ? "" : line.substr(space + 1));
    }
  }

  InvalidProfile made() const { return made_; }

 private:
  void take(const std::string& word, const std::string& rest) {
    if (word == "-") {
      old_ = with_bytes(rest);
    } else if (word == "+") {
      replace(with_bytes(rest));
    } else if (word == "=") {
      made_.text = with_bytes(rest);
    } else if (word == "keep") {
      made_.text.resize(std::stoul(rest));
    } else if (word == "read" || word == "check") {
      made_.refused = word == "read";
      made_.message = rest;
    } else {
      fault("what is " + word + '?');
    }
  }

  void replace(const std::string& text) {
    const std::size_t at = made_.text.find(old_);
    if (at == std::string::npos || made_.text.find(old_, at + 1) != std::string::npos)
      fault("not once in the profile: " + old_);
    made_.text.replace(at, old_.size(), text);
  }

  [[noreturn]] void fault(const std::string& what) const {
    throw std::runtime_error("invalid/faults.txt: " + made_.name + ": " + what);
  }

  InvalidProfile made_;
  std::string old_;
};

}  // namespace

std::vector<InvalidProfile> invalid_profiles(const std::string& testsuite) {
  std::istringstream lines(contents(testsuite + "/invalid/faults.txt"));
  std::vector<InvalidProfile> made;
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && line[0] != '#') made.push_back(Entry(lines, line, testsuite).made());
  return made;
}

}  // namespace memprof::feedback::test
