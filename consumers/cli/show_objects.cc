// show_objects.cc - the tables of `memprof show' whose rows are about objects.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/container_name.h"
#include "consumers/cli/show_columns.h"

namespace memprof::cli {
namespace {

using namespace feedback;

using View = ProfileView;

constexpr ShowColumn<Group> k_group_columns[] = {
    {0, {}, "group", [](const View&, const Group& g) { return only_json(std::uint64_t{g.id}); }},
    {8, {"memory", false, k_memory}, "name",
     [](const View&, const Group& g) { return words(View::group_name(g)); }},
    {6, {"kind"}, "kind", [](const View&, const Group& g) { return words(kind_name(g.kind)); }},
    {7, {"type", false, k_function}, "type",
     [](const View&, const Group& g) { return Shown{g.type.empty() ? "-" : container_name(g.type), g.type}; }},
    number<&Group::objects>(3, "objects", "objects"),
    {4, {"bytes", true}, "bytes",
     [](const View&, const Group& g) { return Shown{size_text(g.bytes), g.bytes}; }},
    {5, {"at most", true}, "span",
     [](const View&, const Group& g) { return Shown{size_text(g.span), g.span}; }},
    {2, {"accesses", true}, "accesses",
     [](const View&, const Group& g) { return Shown{estimate_text(g.accesses, g.error), g.accesses}; }},
    {0, {}, "error", [](const View&, const Group& g) { return only_json(g.error); }},
    {1, {"share", true}, nullptr,
     [](const View& view, const Group& g) {
       return share(ratio(g.accesses, view.profile().run.accesses));
     }},
    {9, {"function", false, k_function}, nullptr, [](const View&, const Group& g) {
       return only_text(g.kind == GroupKind::global || g.function.empty() ? "-" : g.function);
     }}};
constexpr Listing<Group> k_groups = {
    "Groups of objects", "; at most = greatest number of bytes alive at a time",
    table_of<&Profile::groups>, most<&Group::accesses>, k_group_columns};

std::uint64_t all_objects(const Lifetime& l) { return l.objects + l.alive; }

constexpr ShowColumn<Lifetime> k_lifetime_columns[] = {
    {8, {"memory", false, k_memory}, "group",
     [](const View& view, const Lifetime& l) {
       const std::string group = view.group_name(l.group);
       return Shown{group + (l.context.empty() ? "" : " from " + printable(l.context)), group};
     }},
    {6, {"in one iteration of"}, "loop",
     [](const View& view, const Lifetime& l) {
       const std::string loop = view.loop_name(l.loop);
       return Shown{loop + (l.always ? ", always" : ""), loop};
     }},
    number<&Lifetime::objects>(1, "objects", "objects"),
    number<&Lifetime::alive>(2, "still alive", "alive"),
    number<&Lifetime::min>(3, "shortest", "min"),
    number<&Lifetime::max>(5, "longest", "max"),
    {4, {"mean", true}, "total",
     [](const View&, const Lifetime& l) { return Shown{decimal(ratio(l.total, l.objects)), l.total}; }},
    {0, {}, "always", [](const View&, const Lifetime& l) { return only_json(l.always); }},
    {7, {"in one call of", false, k_function}, "function",
     [](const View&, const Lifetime& l) {
       return Shown{l.function.empty() ? "-" : printable(l.function), l.function};
     }},
    {0, {}, "context", [](const View&, const Lifetime& l) { return only_json(l.context); }}};
constexpr Listing<Lifetime> k_lifetimes = {
    "Lifetimes", "; in ", table_of<&Profile::lifetimes>, most<all_objects>, k_lifetime_columns,
    [](const View& view) -> std::string {
      return view.profile().run.mode == "objects" ? "births of objects" : "accesses of the program";
    }};

const char* verdict(const Privatisation& r) {
  if (r.exposed != 0) return "no: reads what comes in";
  if (r.rewritten == 0) return "not needed";
  return r.live_out != 0 ? "candidate; the last one is used" : "candidate";
}
std::uint64_t all_executions(const Privatisation& r) { return r.loads + r.stores; }

constexpr ShowColumn<Privatisation> k_privatisation_columns[] = {
    {7, {"loop"}, "loop",
     [](const View& view, const Privatisation& r) { return words(view.loop_name(r.loop)); }},
    memory<Privatisation>(8),
    number<&Privatisation::loads>(1, "loads", "loads"),
    number<&Privatisation::exposed>(2, "exposed", "exposed"),
    number<&Privatisation::stores>(3, "stores", "stores"),
    number<&Privatisation::rewritten>(4, "rewritten", "rewritten"),
    number<&Privatisation::live_out>(5, "live out", "live_out"),
    {6, {"own copies"}, "verdict",
     [](const View&, const Privatisation& r) { return words(verdict(r)); }}};
constexpr Listing<Privatisation> k_privatisation = {
    "Privatisation", "; seen in these runs, never a proof", table_of<&Profile::privatisation>,
    most<all_executions>, k_privatisation_columns};

std::string place_of(const ProfileView& view, const PointerUse& r) {
  if (r.at != k_none) {
    const ProfileView::SiteRef* ref = view.site(r.at);
    return view.site_name(r.at) + (ref ? " " + printable(ref->site->expression) : "");
  }
  return (r.argument ? "argument " + std::to_string(r.argument) : std::string("result")) +
         " of " + printable(r.function);
}

std::string target_of(const ProfileView& view, const PointerUse& r) {
  switch (r.target) {
    case PointerTarget::null: return "null";
    case PointerTarget::unknown: return "unknown";
    case PointerTarget::many: return "many";
    default:
      return view.group_name(r.group) +
             (r.allocated.empty() ? "" : " from " + printable(r.allocated));
  }
}

constexpr ShowColumn<PointerUse> k_pointer_columns[] = {
    {3, {"where"}, "where",
     [](const View& view, const PointerUse& r) { return words(place_of(view, r)); }},
    {4, {"in", false, k_function}, "context",
     [](const View&, const PointerUse& r) {
       return Shown{r.context.empty() ? "-" : printable(r.context), r.context};
     }},
    {5, {"to", false, k_memory}, "target",
     [](const View& view, const PointerUse& r) { return words(target_of(view, r)); }},
    number<&PointerUse::count>(1, "count", "count"),
    number<&PointerUse::ends>(2, "at the end", "ends")};
constexpr Listing<PointerUse> k_pointers = {"Pointers", "", table_of<&Profile::pointers>,
                                            most<&PointerUse::count>, k_pointer_columns};

}  // namespace

constinit const ShowTable show_groups = shown<k_groups>("groups", nullptr, nullptr);
constinit const ShowTable show_lifetimes = shown<k_lifetimes>("lifetimes", "lifetimes", "lifetime");
constinit const ShowTable show_privatisation = shown<k_privatisation>("privatisation", "privatisation", "privatisation");
constinit const ShowTable show_pointers = shown<k_pointers>("pointers", "pointers", "pointers");

}  // namespace memprof::cli
