// page.cc - one HTML file out of the page's parts and its data.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// page.html has a line @NAME@ for each part:
//
//     @title@  @style@  @data@  @verified@  @script@
//
// The parts are embedded when memprof is built (page_files.cc, made by
// consumers/report/local.mk).
#include "consumers/cli/report/page.h"

#include "consumers/cli/report/page_files.h"

namespace memprof::cli {
namespace {

std::string html_safe(std::string_view text) {
  std::string out;
  for (char c : text) switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  return out;
}

}  // namespace

std::string script_safe(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); i++) {
    const std::string_view rest = json.substr(i, 3);
    // U+2028 and U+2029 end lines of JavaScript.
    if (json[i] == '<') {
      out += "\\u003c";
    } else if (rest == "\xe2\x80\xa8" || rest == "\xe2\x80\xa9") {
      out += rest[2] == '\xa8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += json[i];
    }
  }
  return out;
}

std::string report_page(std::string_view title, std::string_view data, std::string_view verified) {
  std::string out;
  std::string_view page = k_page_html;
  for (std::size_t from; (from = page.find('@')) != page.npos;) {
    const std::size_t to = page.find('@', from + 1);
    const std::string_view name = page.substr(from + 1, to - from - 1);
    out += page.substr(0, from);
    if (name == "title")
      out += html_safe(title);
    else if (name == "style")
      out += k_style_css;
    else if (name == "data")
      out += script_safe(data);
    else if (name == "verified")
      out += script_safe(verified);
    else if (name == "script")
      out += k_script_js;
    page.remove_prefix(to + 1);
  }
  return out += page;
}

}  // namespace memprof::cli
