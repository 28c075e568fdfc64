// server.cc - the language server protocol: messages of an editor, answered from a profile.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A message is a head and JSON-RPC 2.0:
//
//     Content-Length: 58\r\n\r\n{"jsonrpc":"2.0","id":1,"method":"textDocument/hover",...}
//
// What is offered: hover, code lenses, diagnostics of open files, and a code action that puts the
// fields of a record into the proposed order.  Documents are kept as the editor sends them, whole: the word
// below the cursor is theirs, and a fix is offered only where the declaration is still that of the file.
// The profile is read again when its file has changed.
//
// Protocol: Language Server Protocol 3.17.
#include "consumers/cli/lsp/server.h"

#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "consumers/cli/lsp/code_facts.h"
#include "memprof-config.h"

namespace memprof::cli {
namespace {

using Json = nlohmann::json;

constexpr int k_method_not_found = -32601, k_invalid_params = -32602;
constexpr std::size_t k_most_bytes = std::size_t{64} << 20;  // of a message
constexpr int k_information = 3, k_warning = 2;              // severities of diagnostics
constexpr double k_warning_share = 0.05;

// The body of the next message; nothing: the editor has gone, or what it sends is no message.
std::optional<std::string> read_message(std::FILE* in) {
  std::size_t bytes = 0;
  for (std::string line;;) {
    const int c = std::getc(in);
    if (c == EOF) return std::nullopt;
    line += static_cast<char>(c);
    if (line.size() > 1000) return std::nullopt;
    if (!line.ends_with("\r\n")) continue;
    if (line == "\r\n") break;
    constexpr std::string_view k_length = "Content-Length:";
    if (line.starts_with(k_length)) bytes = std::strtoul(line.c_str() + k_length.size(), nullptr, 10);
    line.clear();
  }
  if (bytes == 0 || bytes > k_most_bytes) return std::nullopt;
  std::string body(bytes, '\0');
  if (std::fread(body.data(), 1, bytes, in) != bytes) return std::nullopt;
  return body;
}

std::string path_of(const std::string& uri) {
  constexpr std::string_view k_file = "file://";
  if (!uri.starts_with(k_file)) return uri;
  std::string path;
  for (std::size_t i = k_file.size(); i < uri.size(); i++)
    if (uri[i] == '%' && i + 2 < uri.size()) {
      path += static_cast<char>(std::strtoul(uri.substr(i + 1, 2).c_str(), nullptr, 16));
      i += 2;
    } else {
      path += uri[i];
    }
  return path;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// The name at byte COLUMN of LINE.
std::string word_at(const std::string& line, std::size_t column) {
  const auto in_word = [&](std::size_t i) {
    return i < line.size() && (std::isalnum(static_cast<unsigned char>(line[i])) || line[i] == '_');
  };
  std::size_t first = std::min(column, line.size()), last = first;
  while (first > 0 && in_word(first - 1)) first--;
  while (in_word(last)) last++;
  return line.substr(first, last - first);
}

Json position(std::size_t line, std::size_t column) { return {{"line", line}, {"character", column}}; }
// From the first to before the last of lines counted from 1.
Json lines_range(std::size_t first, std::size_t end) {
  return {{"start", position(first - 1, 0)}, {"end", position(end - 1, 0)}};
}

class Server {
 public:
  Server(std::FILE* out, std::string profile) : out_(out), profile_(std::move(profile)) {}

  // Returns whether there is more to come.
  bool handle(const Json& message) {
    const std::string method = message.value("method", "");
    const Json params = message.contains("params") ? message["params"] : Json::object();
    if (method == "exit") return false;
    if (!message.contains("id")) {
      notified(method, params);
      return true;
    }
    try {
      const std::optional<Json> result = answer(method, params);
      if (result)
        send({{"jsonrpc", "2.0"}, {"id", message["id"]}, {"result", *result}});
      else
        send_error(message["id"], k_method_not_found, "no method " + method);
    } catch (const Json::exception& wrong) {
      send_error(message["id"], k_invalid_params, wrong.what());
    }
    return true;
  }

  bool shut_down() const { return shut_down_; }

 private:
  void send(const Json& message) {
    const std::string body = message.dump(-1, ' ', false, Json::error_handler_t::replace);
    std::fprintf(out_, "Content-Length: %zu\r\n\r\n%s", body.size(), body.c_str());
    std::fflush(out_);
  }
  void send_error(const Json& id, int code, const std::string& text) {
    send({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", text}}}});
  }
  void show(const std::string& text) {
    send({{"jsonrpc", "2.0"}, {"method", "window/showMessage"}, {"params", {{"type", 2}, {"message", "memprof: " + text}}}});
  }

  std::optional<Json> answer(const std::string& method, const Json& params) {
    if (method == "initialize") return initialize(params);
    if (method == "shutdown") return shut_down_ = true, Json();
    if (method == "textDocument/hover") return hover(params);
    if (method == "textDocument/codeLens") return lenses(params);
    if (method == "textDocument/codeAction") return actions(params);
    return std::nullopt;
  }

  void notified(const std::string& method, const Json& params) {
    try {
      if (method == "textDocument/didOpen") {
        const Json& document = params.at("textDocument");
        texts_[document.at("uri")] = document.at("text");
        diagnose(document.at("uri"));
      } else if (method == "textDocument/didChange") {
        texts_[params.at("textDocument").at("uri")] = params.at("contentChanges").back().at("text");
      } else if (method == "textDocument/didSave") {
        diagnose(params.at("textDocument").at("uri"));
      } else if (method == "textDocument/didClose") {
        texts_.erase(params.at("textDocument").at("uri").get<std::string>());
      }
    } catch (const Json::exception&) {
      // A notification has no answer.
    }
  }

  Json initialize(const Json& params) {
    if (params.contains("initializationOptions") && params["initializationOptions"].is_object())
      profile_ = params["initializationOptions"].value("profile", profile_);
    if (params.contains("rootUri") && params["rootUri"].is_string()) root_ = path_of(params["rootUri"]);
    return {{"capabilities",
             {{"textDocumentSync", {{"openClose", true}, {"change", 1}, {"save", true}}},
              {"hoverProvider", true},
              {"codeLensProvider", {{"resolveProvider", false}}},
              {"codeActionProvider", {{"codeActionKinds", {"refactor.rewrite"}}}}}},
            {"serverInfo", {{"name", "memprof"}, {"version", PACKAGE_VERSION}}}};
  }

  // The profile, read again if it has changed; null: there is none.
  const CodeFacts* facts() {
    std::string file = profile_;
    if (file.empty()) {
      std::error_code error;
      for (const auto& entry : std::filesystem::directory_iterator(root_.empty() ? "." : root_, error))
        if (entry.path().string().ends_with(".memprof.json")) file = entry.path().string();
    } else if (!root_.empty() && !file.starts_with('/')) {
      file = root_ + "/" + file;
    }
    struct stat about = {};
    if (file.empty() || stat(file.c_str(), &about) != 0) return nullptr;
    const auto stamp = std::tuple(file, about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
    if (stamp == stamp_) return facts_.get();
    stamp_ = stamp;
    auto read = CodeFacts::read(file);
    if (!read) show(read.error().text());
    facts_ = read ? std::move(*read) : nullptr;
    return facts_.get();
  }

  Json hover(const Json& params) {
    const std::string uri = params.at("textDocument").at("uri");
    const std::size_t line = params.at("position").at("line");
    const std::size_t column = params.at("position").at("character");
    const CodeFacts* const known = facts();
    if (!known) return nullptr;
    const std::vector<std::string> lines = lines_of(texts_[uri]);
    const std::string word = line < lines.size() ? word_at(lines[line], column) : "";
    const std::string text = known->hover(path_of(uri), static_cast<std::uint32_t>(line + 1), word);
    if (text.empty()) return nullptr;
    return {{"contents", {{"kind", "markdown"}, {"value", text}}}};
  }

  Json lenses(const Json& params) {
    Json all = Json::array();
    if (const CodeFacts* const known = facts())
      for (const Lens& lens : known->lenses(path_of(params.at("textDocument").at("uri"))))
        all.push_back({{"range", lines_range(lens.line, lens.line)}, {"command", {{"title", lens.text}, {"command", ""}}}});
    return all;
  }

  Json actions(const Json& params) {
    const std::string uri = params.at("textDocument").at("uri");
    const std::size_t first = params.at("range").at("start").at("line").get<std::size_t>() + 1;
    const std::size_t last = params.at("range").at("end").at("line").get<std::size_t>() + 1;
    Json all = Json::array();
    const CodeFacts* const known = facts();
    if (!known) return all;
    for (const LayoutFix* fix : known->fixes(path_of(uri))) {
      if (last < fix->first || first > fix->last || !unchanged(uri, *fix)) continue;
      const Json edit = {{"range", lines_range(fix->first, fix->last + 1)}, {"newText", fix->text}};
      all.push_back({{"title", "memprof: fields of " + fix->type->name + " in the proposed order"},
                     {"kind", "refactor.rewrite"},
                     {"edit", {{"changes", {{uri, Json::array({edit})}}}}}});
    }
    return all;
  }

  // Whether the editor's text has the lines that FIX replaces.
  bool unchanged(const std::string& uri, const LayoutFix& fix) {
    SourceFiles files({std::filesystem::path(fix.path).parent_path().string()}, "");
    const SourceText* const source = files.find(fix.path);
    const std::vector<std::string> lines = lines_of(texts_[uri]);
    if (!source || lines.size() < fix.last || source->lines.size() < fix.last) return false;
    for (std::size_t n = fix.first - 1; n < fix.last; n++)
      if (lines[n] != source->lines[n]) return false;
    return true;
  }

  void diagnose(const std::string& uri) {
    const CodeFacts* const known = facts();
    if (!known) return;
    Json all = Json::array();
    for (const Cause* cause : known->causes(path_of(uri))) {
      const std::size_t line = std::max(cause->site->site->line, 1u);
      all.push_back({{"range", lines_range(line, line + 1)},
                     {"severity", cause->share >= k_warning_share ? k_warning : k_information},
                     {"source", "memprof"},
                     {"message", CodeFacts::cause_text(*cause)}});
    }
    send({{"jsonrpc", "2.0"}, {"method", "textDocument/publishDiagnostics"}, {"params", {{"uri", uri}, {"diagnostics", all}}}});
  }

  std::FILE* out_;
  std::string profile_, root_;
  std::map<std::string, std::string> texts_;  // of open documents
  std::tuple<std::string, off_t, time_t, long> stamp_;
  std::unique_ptr<CodeFacts> facts_;
  bool shut_down_ = false;
};

}  // namespace

int serve_editor(std::FILE* in, std::FILE* out, const std::string& profile) {
  Server server(out, profile);
  while (const std::optional<std::string> body = read_message(in)) {
    const Json message = Json::parse(*body, nullptr, false);
    if (!message.is_object()) continue;
    if (!server.handle(message)) break;
  }
  return server.shut_down() ? 0 : 1;
}

}  // namespace memprof::cli
