// cmd_streams.cc - memprof streams: the whole sequence of accesses of a run, and hot data streams.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>

#include "consumers/cli/command.h"
#include "consumers/cli/stream_analysis.h"
#include "consumers/cli/stream_distribution.h"
#include "consumers/cli/stream_levels_report.h"
#include "consumers/cli/stream_profile.h"
#include "consumers/cli/streams_report.h"
#include "consumers/cli/table.h"
#include "feedback/json_report.h"

namespace memprof::cli {
namespace {

constexpr unsigned long k_default_rows = 10;
constexpr std::uint64_t k_paper_cache = 8192;
constexpr unsigned long k_most_levels = 20;

const Option k_options[] = {
    {"expand", nullptr, "print every access: thread, load or store, place, address"},
    {"sizes", nullptr, "sizes of the grammars: OMSG, and RASG if there is one"},
    {"sfg", nullptr, "print the stream flow graph, for dot"},
    {"cdf", nullptr, "print how long the streams are and how well packed, as cumulative distributions"},
    {"level", "N", "hot streams of streams: 1 of the text of streams, 2 of the text of those, ..."},
    {"potential", nullptr, "misses of caches that hot streams could save"},
    {"skew", nullptr, "how few names and sites get 90 % of the references"},
    {"name", "NAMING", "what a reference is: field (default), object (site-birth), group (site-ctx3), address"},
    {"thread", "N", "of this thread (default: that with the most accesses)"},
    {"coverage", "PERCENT", "share of the references that streams must cover (default 90)"},
    {"wps", nullptr, "also sizes of WPS0 and WPS1, which takes longer than all the rest"},
    {"fast", nullptr, "only whole rules of the grammar as streams"},
    {"cache", "SIZES", "with --potential: sizes in bytes, with commas (default 8192)"},
    {"against", "PROFILE", "how much of the heat is in streams of that profile as well"},
    {"top", "N", "streams that are shown (default 10, 0 = all)"},
};

int expand(const StreamProfile& streams) {
  const std::vector<std::string> sites = streams.site_texts();
  const auto status = streams.for_each_access([&](const streams::Access& a) {
    const bool known = a.site < sites.size() && !sites[a.site].empty();
    std::printf("%u %s 0x%" PRIx64 "\n", a.thread, known ? sites[a.site].c_str() : "? ?",
                a.address);
  });
  return status ? k_ok : fail(status.error());
}

double saving(std::uint64_t omsg, std::uint64_t rasg) {
  return 1 - static_cast<double>(omsg) / static_cast<double>(rasg);
}

std::string size_line(const char* what, std::uint64_t omsg, std::uint64_t rasg) {
  char text[160];
  std::snprintf(text, sizeof text, "%s: %s bytes; the OMSG is %.1f %% smaller\n", what,
                grouped(rasg).c_str(), 100 * saving(omsg, rasg));
  return text;
}

void print_sizes(const feedback::WholeStream& row) {
  Table table({{"sequence"}, {"symbols", true}, {"rules", true}, {"ASCII", true}, {"bytes", true}});
  for (const auto& g : row.grammars)
    table.add_row({printable(g.of), grouped(g.symbols), grouped(g.rules), grouped(g.ascii),
                   grouped(g.bytes)});
  std::printf("%s of %s in %s and %s%s\n\n%s\n", counted(row.accesses, "access", "accesses").c_str(),
              counted(row.objects, "object").c_str(), counted(row.threads, "thread").c_str(),
              counted(row.segments, "segment").c_str(),
              row.stopped ? "; recording stopped there" : "",
              table.text(Style::of(stdout)).c_str());
  std::printf("OMSG (site, group, object, offset): %s bytes; with objects' lifetimes %s\n",
              grouped(row.omsg_bytes).c_str(),
              grouped(row.omsg_bytes + row.lifetime_bytes).c_str());
  if (row.rasg_a_bytes == 0) return;
  std::fputs(size_line("RASG of addresses", row.omsg_bytes, row.rasg_a_bytes).c_str(), stdout);
  std::fputs(size_line("RASG of addresses and sites", row.omsg_bytes, row.rasg_ia_bytes).c_str(),
             stdout);
}

void add_json(const feedback::WholeStream& row, feedback::JsonReport& json) {
  json.key("whole_stream");
  json.open_object();
  json.member("file", row.file);
  json.member("accesses", row.accesses);
  json.member("objects", row.objects);
  json.member("threads", row.threads);
  json.member("segments", row.segments);
  json.member("stopped", row.stopped);
  json.member("stack", row.stack);
  json.member("symbols", row.symbols);
  json.member("rules", row.rules);
  json.member("omsg_bytes", row.omsg_bytes);
  json.member("lifetime_bytes", row.lifetime_bytes);
  json.member("rasg_a_bytes", row.rasg_a_bytes);
  json.member("rasg_ia_bytes", row.rasg_ia_bytes);
  json.member("file_bytes", row.file_bytes);
  json.close_object();
}

feedback::Result<StreamQuestion> question_of(const Arguments& arguments) {
  StreamQuestion question;
  const auto wrong = [](const std::string& what) {
    return feedback::Error{feedback::Error::Kind::usage, "", "", "streams: " + what};
  };
  if (const std::string text = arguments.value("name"); !text.empty()) {
    const auto naming = streams::naming_of(text);
    if (!naming) return wrong("--name=" + text + ": expected field, object, group, address, site-birth or site-ctx3");
    question.naming = *naming;
  }
  if (arguments.has("thread")) {
    const auto thread = number_argument(arguments, "thread", 0, ~0u);
    if (!thread) return thread.error();
    question.thread = static_cast<std::uint32_t>(*thread);
  }
  const auto coverage = number_argument(arguments, "coverage", 90, 100);
  if (!coverage) return coverage.error();
  question.coverage = static_cast<double>(*coverage) / 100;
  question.fast = arguments.has("fast");
  const auto levels = number_argument(arguments, "level", 0, k_most_levels);
  if (!levels) return levels.error();
  question.levels = *levels;
  question.grammars = arguments.has("wps") || arguments.json() || question.levels != 0;
  question.addresses = arguments.has("skew") || arguments.json();
  return question;
}

// Of --cache; empty: it makes no sense.
std::vector<std::uint64_t> cache_sizes(const Arguments& arguments) {
  std::vector<std::uint64_t> sizes;
  std::string text = arguments.value("cache");
  if (text.empty()) return {k_paper_cache};
  for (text += ','; !text.empty(); text.erase(0, text.find(',') + 1)) {
    const std::string word = text.substr(0, text.find(','));
    char* end = nullptr;
    const std::uint64_t size = std::strtoull(word.c_str(), &end, 10);
    if (end == word.c_str() || *end != 0 || size < streams::k_block) return {};
    sizes.push_back(size);
  }
  return sizes;
}

// Prints them, or puts them into JSON.
int potential(const StreamProfile& profile, const StreamAnalysis& analysis,
              const Arguments& arguments, feedback::JsonReport* json) {
  const std::vector<std::uint64_t> sizes = cache_sizes(arguments);
  if (sizes.empty()) return fail("streams: --cache wants sizes of at least 64, with commas");
  if (analysis.naming == streams::Naming::group)
    return fail("streams: a group has no place: --potential needs another --name");
  auto misses = cache_potential(profile, analysis, sizes);
  if (!misses) return fail(misses.error());
  if (json == nullptr)
    print_potential(sizes, *misses);
  else
    cli::add_json(sizes, *misses, *json);
  return k_ok;
}

int compare(const StreamProfile& profile, const StreamAnalysis& analysis,
            const std::string& other, const StreamQuestion& question) {
  auto second = StreamProfile::read(other);
  if (!second) return fail(second.error());
  auto streams = analyse_streams(**second, question);
  if (!streams) return fail(streams.error());
  std::printf("%s of the heat is in streams of %s as well\n",
              percent(stability(profile, analysis, **second, *streams)).c_str(),
              printable(other).c_str());
  return k_ok;
}

// The stream that the second operand names, or an error.
feedback::Result<unsigned long> stream_number(const StreamAnalysis& analysis, const std::string& text) {
  char* end = nullptr;
  const unsigned long number = std::strtoul(text.c_str(), &end, 10);
  if (*end == 0 && number != 0 && number <= analysis.rows.size()) return number;
  return feedback::Error{feedback::Error::Kind::usage, "", "", "streams: there is no stream " + text + "; there are " +
                         std::to_string(analysis.rows.size())};
}

// `whole_stream', `hot_streams', `locality'; with --potential, --sfg or a stream that as well.
int print_json(const StreamProfile& profile, const StreamAnalysis& analysis, std::size_t top,
               const Arguments& arguments) {
  feedback::JsonReport json;
  json.open_object();
  add_json(profile.row(), json);
  add_json(profile, analysis, top, json);
  if (arguments.has("potential"))
    if (const int status = potential(profile, analysis, arguments, &json); status != k_ok) return status;
  const std::size_t all = analysis.rows.size();
  if (arguments.has("sfg")) add_graph_json(analysis.graph, top == 0 ? all : std::min(top, all), json);
  if (arguments.has("cdf")) add_distributions_json(analysis, json);
  if (!analysis.levels.empty()) add_levels_json(analysis, top, json);
  if (arguments.operands().size() == 2) {
    const auto number = stream_number(analysis, arguments.operands()[1]);
    if (!number) return fail(number.error());
    add_members_json(profile, analysis, *number, json);
  }
  json.close_object();
  std::fputs(json.text().c_str(), stdout);
  return k_ok;
}

int run(const Arguments& arguments) {
  const auto question = question_of(arguments);
  if (!question) return fail(question.error());
  const auto top = number_argument(arguments, "top", k_default_rows, 1000000000);
  if (!top) return fail(top.error());
  for (const char* option : {"expand", "against"})
    if (arguments.json() && arguments.has(option)) return fail(std::string("streams: --") + option + " prints text");
  if (question->levels != 0 && !arguments.json())
    if (arguments.operands().size() == 2 || arguments.has("potential") || arguments.has("against") || arguments.has("skew"))
      return fail("streams: --level prints streams of streams, and with --sfg which follows which");
  auto profile = StreamProfile::read(arguments.operands()[0]);
  if (!profile) return fail(profile.error());
  if (arguments.has("expand")) return expand(**profile);
  if (arguments.has("sizes") && !arguments.json()) {
    print_sizes((*profile)->row());
    return k_ok;
  }
  auto analysis = analyse_streams(**profile, *question);
  if (!analysis) return fail(analysis.error());
  if (arguments.json()) return print_json(**profile, *analysis, *top, arguments);
  if (arguments.operands().size() == 2) {
    const auto number = stream_number(*analysis, arguments.operands()[1]);
    if (!number) return fail(number.error());
    print_members(**profile, *analysis, *number);
    return k_ok;
  }
  if (arguments.has("potential")) return potential(**profile, *analysis, arguments, nullptr);
  if (arguments.has("against"))
    return compare(**profile, *analysis, arguments.value("against"), *question);
  if (!analysis->levels.empty())
    (arguments.has("sfg") ? print_level_graph : print_levels)(*analysis, *top);
  else if (arguments.has("cdf"))
    print_distributions(*analysis);
  else if (arguments.has("sfg"))
    print_flow_graph(**profile, *analysis, *top);
  else if (arguments.has("skew"))
    print_skew(*analysis);
  else
    print_streams(**profile, *analysis, *top);
  return k_ok;
}

}  // namespace

const Command k_streams_command = {
    "streams",
    "PROFILE [N]",
    "hot data streams: references that come again and again in the same order",
    "Reads PROFILE, of a program that ran with -fprofile-mem-modules=whole_stream, and\n"
    "the file of streams beside it.  A hot data stream is a short sequence of\n"
    "references that comes often; those are printed whose threshold is the highest\n"
    "at which they still cover 90 % of all references.  N: the members of stream N.\n"
    "Accesses to stacks are left out.",
    k_options, 1, 2, false, run};

}  // namespace memprof::cli
