// show_pairs.cc - the tables of `memprof show' whose rows are pairs of accesses.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/show_columns.h"

namespace memprof::cli {
namespace {

using namespace feedback;

using View = ProfileView;

// Measured rows and inferred ones in one table.
struct DependenceRow {
  Id source, sink;
  std::uint64_t count;
  double frequency;
  const Dependence* measured;  // or null
  const char* kind() const { return measured ? kind_name(measured->kind) : k_inferred; }
};

std::vector<DependenceRow> all_dependences(const ProfileView& view) {
  std::vector<DependenceRow> rows;
  for (const Dependence& d : view.profile().dependences)
    rows.push_back({d.source, d.sink, d.count, d.frequency, &d});
  for (const InferredDependence& d : view.profile().inferred_dependences)
    rows.push_back({d.source, d.sink, d.count, d.frequency, nullptr});
  return rows;
}

std::string distance_text(const Dependence& d) {
  if (d.loop == k_none) return "-";
  if (d.distance.min == d.distance.max) return std::to_string(d.distance.min);
  return std::to_string(d.distance.min) + ".." + grouped(d.distance.max);
}

Shown measured(const DependenceRow& r, std::uint64_t Dependence::*member) {
  return r.measured ? count(r.measured->*member) : only_text("-");
}

constexpr ShowColumn<DependenceRow> k_dependence_columns[] = {
    {3, {"kind"}, "kind", [](const View&, const DependenceRow& r) { return words(r.kind()); }},
    {4, {"source"}, "source",
     [](const View& view, const DependenceRow& r) { return words(view.site_name(r.source)); }},
    {5, {"sink"}, "sink",
     [](const View& view, const DependenceRow& r) { return words(view.site_name(r.sink)); }},
    number<&DependenceRow::count>(2, "count", "count"),
    {1, {"frequency", true}, "frequency",
     [](const View&, const DependenceRow& r) { return share(r.frequency); }},
    {6, {"loop"}, "loop",
     [](const View& view, const DependenceRow& r) {
       return r.measured ? words(view.loop_name(r.measured->loop)) : only_text("-");
     }},
    {7, {"intra", true}, "intra",
     [](const View&, const DependenceRow& r) { return measured(r, &Dependence::intra); }},
    {8, {"carried", true}, "carried",
     [](const View&, const DependenceRow& r) { return measured(r, &Dependence::carried); }},
    {9, {"no loop", true}, "no_loop",
     [](const View&, const DependenceRow& r) { return measured(r, &Dependence::no_loop); }},
    {0, {}, "concurrent",
     [](const View&, const DependenceRow& r) { return measured(r, &Dependence::concurrent); }},
    {10, {"distance", true}, "distance_min",
     [](const View&, const DependenceRow& r) {
       return r.measured ? Shown{distance_text(*r.measured), r.measured->distance.min} : only_text("-");
     }},
    {0, {}, "distance_max", [](const View&, const DependenceRow& r) {
       return r.measured ? only_json(r.measured->distance.max) : Shown{};
     }}};
constexpr Listing<DependenceRow, std::vector<DependenceRow>> k_dependences = {
    "Dependences", "; frequency = share of the sink's executions", all_dependences,
    most<&DependenceRow::count>, k_dependence_columns};

constexpr ShowColumn<Mdf> k_mdf_columns[] = {
    {4, {"source"}, "source",
     [](const View& view, const Mdf& r) { return words(view.site_name(r.source)); }},
    {5, {"sink"}, "sink",
     [](const View& view, const Mdf& r) { return words(view.site_name(r.sink)); }},
    {2, {"at least", true}, "lo", [](const View&, const Mdf& r) { return share(r.lo); }},
    {1, {"estimate", true}, "est", [](const View&, const Mdf& r) { return share(r.est); }},
    {3, {"at most", true}, "hi", [](const View&, const Mdf& r) { return share(r.hi); }}};
constexpr Listing<Mdf> k_mdf = {"Loads that read what a store has ever written",
                                "; share of the sink's executions", table_of<&Profile::mdf>,
                                most<&Mdf::est>, k_mdf_columns};

// "a.c:3:7 a.c:4:9 and 12 more"
Shown places(const ProfileView& view, const std::vector<Id>& sites) {
  constexpr std::size_t k_most = 4;
  std::vector<std::string> names;
  for (const Id site : sites) names.push_back(view.site_name(site));
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < k_most; i++) text += (i == 0 ? "" : " ") + names[i];
  if (names.size() > k_most) text += " and " + grouped(names.size() - k_most) + " more";
  return {text, names};
}

std::size_t pairs_of(const NeverMet& r) { return r.sinks.size() * r.sources.size(); }

constexpr ShowColumn<NeverMet> k_never_met_columns[] = {
    {3, {"loop"}, "loop",
     [](const View& view, const NeverMet& r) { return words(view.loop_name(r.loop)); }},
    {2, {"at most", true}, "hi",
     [](const View&, const NeverMet& r) { return Shown{r.hi == 0 ? "never" : percent(r.hi), r.hi}; }},
    {4, {"loads"}, "loads",
     [](const View& view, const NeverMet& r) { return places(view, r.sinks); }},
    {5, {"stores"}, "stores",
     [](const View& view, const NeverMet& r) { return places(view, r.sources); }},
    {1, {"pairs", true}, nullptr,
     [](const View&, const NeverMet& r) { return count(pairs_of(r)); }}};
constexpr Listing<NeverMet> k_never_met = {
    "Loads and stores of a loop that were compared and did not meet",
    "; at most: share of the load's executions", table_of<&Profile::never_met>, most<pairs_of>,
    k_never_met_columns};

}  // namespace

constinit const ShowTable show_dependences = shown<k_dependences>("dependences", "dependences", "dependence");
constinit const ShowTable show_mdf = shown<k_mdf>("mdf", "mdf", "mdf");
constinit const ShowTable show_never_met = shown<k_never_met>("never-met", "never_met", "mdf");

}  // namespace memprof::cli
