// show_pages.cc - memprof show --pages: which objects walk page tables and ask memory.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Of one profile, its objects by walks: shares of all requests to memory and of all walks, and
// the same of each thread. Of several profiles of runs with other numbers of threads, how walks
// and requests grow beside what threads gain (Chen et al., ISPASS 2012):
//
//     reduced speedup    threads / (time of one / time): 1 is a perfect gain
//     normalised walks   walks / walks of the first profile
//
// What depends on the order of threads in the shared cache is shown where both orders that the
// module has modelled agree within 5 %.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "consumers/cli/show_pages.h"
#include "consumers/cli/show_rows.h"
#include "feedback/model.h"

namespace memprof::cli {
namespace {

using namespace feedback;

constexpr double k_agree = 0.05;
constexpr std::uint32_t k_all_threads = ~0u;

std::uint64_t traffic(const Pages::Memory& m) { return m.requests + m.write_backs + m.left; }

// Whether two orders of threads make about as many.
bool agree(std::uint64_t a, std::uint64_t b) {
  return std::abs(static_cast<double>(a) - static_cast<double>(b)) <=
         k_agree * static_cast<double>(std::max(a, b));
}
std::string ordered(std::uint64_t dealt, std::uint64_t as_read) {
  return agree(dealt, as_read) ? grouped(dealt) : grouped(dealt) + " or " + grouped(as_read);
}

// An object, or what a thread does with it.
struct PagesRow {
  Pages sum;
  std::uint32_t thread = k_all_threads;
};

// That the rows of a profile have, of the most exact one.
PageSource source_of(const Profile& profile) {
  PageSource best = PageSource::model;
  for (const Pages& r : profile.pages) best = std::max(best, r.source);
  return best;
}

// Each object, by walks and then by requests, and after it its threads if they are several.
std::vector<PagesRow> rows_of(const ProfileView& view, std::size_t top, std::size_t* all) {
  std::vector<ObjectPages> order = pages_of_objects(view.profile());
  *all = order.size();
  if (top != 0 && order.size() > top) order.resize(top);
  std::vector<PagesRow> rows;
  for (const auto& [sum, threads] : order) {
    rows.push_back({sum});
    if (threads.size() > 1)
      for (const Pages* r : threads) rows.push_back({*r, r->thread});
  }
  return rows;
}

std::string object_text(const Pages& r) {
  return r.object == 0 ? "others" : "number " + std::to_string(r.object);
}
std::string thread_text(const PagesRow& row) {
  return row.thread == k_all_threads ? "all" : std::to_string(row.thread);
}
// Within which share of the walks 95 % lie.
double bound(const Pages& r) {
  return r.walks == 0 ? 0
                      : 2 * std::sqrt(static_cast<double>(r.variance)) / static_cast<double>(r.walks);
}

double seconds_of_a_run(const Run& run) {
  return run.duration_s / static_cast<double>(std::max<std::uint64_t>(run.runs, 1));
}

std::string two_places(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

// The walks of a run, by what objects are called.
std::map<std::string, std::uint64_t> walks_by_group(const ProfileView& view) {
  std::map<std::string, std::uint64_t> walks;
  for (const Pages& r : view.profile().pages)
    if (r.source == source_of(view.profile())) walks[memory_text(view, r)] += r.walks;
  return walks;
}

}  // namespace

std::map<PageSource, Pages> pages_by_source(const Profile& profile) {
  std::map<PageSource, Pages> all;
  for (const Pages& r : profile.pages) add_row(all[r.source], r);
  return all;
}

const char* page_source_text(PageSource source) { return k_page_source_names[unsigned(source)]; }

std::vector<ObjectPages> pages_of_objects(const Profile& profile) {
  std::map<std::tuple<Id, std::uint64_t, PageSource>, ObjectPages> objects;
  for (const Pages& r : profile.pages) {
    ObjectPages& object = objects[{r.group, r.object, r.source}];
    std::tie(object.sum.group, object.sum.object, object.sum.source) =
        std::tie(r.group, r.object, r.source);
    add_row(object.sum, r);
    object.threads.push_back(&r);
  }
  std::vector<ObjectPages> order;
  for (auto& [key, object] : objects) order.push_back(std::move(object));
  std::stable_sort(order.begin(), order.end(), [](const ObjectPages& a, const ObjectPages& b) {
    return std::pair(a.sum.walks, traffic(a.sum.memory)) >
           std::pair(b.sum.walks, traffic(b.sum.memory));
  });
  return order;
}

namespace {

std::string pages_text(const ProfileView& view, std::size_t top, const Style& style) {
  Table table({{"walks", true}, {"share", true}, {"within", true}, {"references", true},
               {"from memory", true}, {"requests", true}, {"written back", true},
               {"of traffic", true}, {"source"}, {"thread", true}, {"object"}, {"memory", false, k_memory}});
  std::size_t all = 0;
  const auto rows = rows_of(view, top, &all);
  std::map<PageSource, Pages> all_rows = pages_by_source(view.profile());
  std::size_t objects = 0;
  for (const PagesRow& row : rows) {
    const Pages& r = row.sum;
    const Pages& sum = all_rows[r.source];
    objects += row.thread == k_all_threads;
    table.add_row({grouped(r.walks), percent(ratio(r.walks, sum.walks)), percent(bound(r)),
                   grouped(r.walk_refs), ordered(r.memory.walk_dram, r.as_read.walk_dram),
                   ordered(r.memory.requests, r.as_read.requests),
                   ordered(r.memory.write_backs + r.memory.left,
                           r.as_read.write_backs + r.as_read.left),
                   percent(ratio(traffic(r.memory), traffic(sum.memory))), page_source_text(r.source),
                   thread_text(row),
                   object_text(r), memory_text(view, r)});
  }
  const std::string model = "; estimates for " + printable(view.profile().run.pages);
  return section(title("Walks of page tables and requests to memory", objects, all, model.c_str()),
                 table, style);
}

void pages_json(const ProfileView& view, std::size_t top, JsonReport& json) {
  std::size_t all = 0;
  std::map<PageSource, Pages> all_rows = pages_by_source(view.profile());
  for (const PagesRow& row : rows_of(view, top, &all)) {
    const Pages& r = row.sum;
    const Pages& sum = all_rows[r.source];
    json.open_object();
    json.member("group", memory_text(view, r));
    json.member("object", r.object);
    json.member("thread", thread_text(row));
    json.member("source", page_source_text(r.source));
    json.member("reads", r.reads);
    json.member("writes", r.writes);
    json.member("walks", r.walks);
    json.member("walks_share", ratio(r.walks, sum.walks));
    json.member("walks_within", bound(r));
    json.member("walk_refs", r.walk_refs);
    json.member("walk_dram", r.memory.walk_dram);
    json.member("walk_dram_share", ratio(r.memory.walk_dram, sum.memory.walk_dram));
    json.member("requests", r.memory.requests);
    json.member("write_backs", r.memory.write_backs);
    json.member("left", r.memory.left);
    json.member("traffic_share", ratio(traffic(r.memory), traffic(sum.memory)));
    json.member("orders_agree", agree(traffic(r.memory), traffic(r.as_read)) &&
                                    agree(r.memory.walk_dram, r.as_read.walk_dram));
    json.close_object();
  }
}

}  // namespace

constinit const ShowTable show_pages = {"pages", "pages", "pages", pages_text, pages_json};

namespace {

std::string growth_text(const std::vector<ProfileView>& views, const Style& style) {
  Table table({{"threads", true}, {"seconds", true}, {"speedup", true},
               {"reduced speedup", true}, {"walks", true}, {"normalised", true},
               {"traffic", true}, {"normalised", true}});
  const auto total_of = [](const ProfileView& view) {
    return pages_by_source(view.profile())[source_of(view.profile())];
  };
  const Pages first = total_of(views.front());
  const double first_seconds = seconds_of_a_run(views.front().profile().run);
  for (const ProfileView& view : views) {
    const Run& run = view.profile().run;
    const Pages sum = total_of(view);
    const double seconds = seconds_of_a_run(run);
    const double speedup = seconds > 0 ? first_seconds / seconds : 0;
    const bool known = agree(traffic(sum.memory), traffic(sum.as_read));
    const double threads = static_cast<double>(run.threads) /
                           static_cast<double>(views.front().profile().run.threads);
    table.add_row({grouped(run.threads), two_places(seconds), two_places(speedup),
                   speedup > 0 ? two_places(threads / speedup) : "-", grouped(sum.walks),
                   two_places(ratio(sum.walks, first.walks)),
                   ordered(traffic(sum.memory), traffic(sum.as_read)),
                   known ? two_places(ratio(traffic(sum.memory), traffic(first.memory))) : "-"});
  }
  return section("Growth over threads; times are those of the profiled runs", table, style);
}

}  // namespace

std::string pages_growth_text(const std::vector<ProfileView>& views, std::size_t top,
                              const Style& style) {
  std::vector<std::map<std::string, std::uint64_t>> walks;
  for (const ProfileView& view : views) walks.push_back(walks_by_group(view));
  std::vector<std::pair<std::uint64_t, std::string>> order;
  for (const auto& [name, count] : walks.front()) order.emplace_back(count, name);
  std::stable_sort(order.rbegin(), order.rend());
  const std::size_t all = order.size();
  if (top != 0 && order.size() > top) order.resize(top);
  std::vector<std::string> titles;
  for (const ProfileView& view : views)
    titles.push_back(counted(view.profile().run.threads, "thread"));
  std::vector<Column> columns{{"walks", true}};
  for (std::size_t i = 1; i < views.size(); i++) columns.push_back({titles[i].c_str(), true});
  columns.push_back({"memory", false, k_memory});
  Table objects(columns);
  for (const auto& [count, name] : order) {
    std::vector<Cell> cells{grouped(count)};
    for (std::size_t i = 1; i < walks.size(); i++)
      cells.push_back(count == 0 ? "-" : two_places(ratio(walks[i][name], count)));
    cells.push_back(name);
    objects.add_row(std::move(cells));
  }
  return growth_text(views, style) + "\n" +
         section(title("Walks of objects, normalised", order.size(), all), objects,
                 style);
}

}  // namespace memprof::cli
