// show_sites.cc - the tables of `memprof show' whose rows are about sites.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <cinttypes>
#include <cstdio>

#include "consumers/cli/call_path.h"
#include "consumers/cli/show_columns.h"

namespace memprof::cli {
namespace {

using namespace feedback;

using View = ProfileView;
using SiteRef = ProfileView::SiteRef;

constexpr ShowColumn<SiteRef> k_site_columns[] = {
    {0, {}, "site",
     [](const View&, const SiteRef& r) { return only_json(std::uint64_t{r.site->id}); }},
    {5, {"where"}, "where", [](const View&, const SiteRef& r) { return words(View::where(r)); }},
    {6, {"function", false, k_function}, "function",
     [](const View&, const SiteRef& r) { return Shown{printable(function_text(r)), r.function->name}; }},
    {7, {"expression", false, k_expression}, "expression",
     [](const View&, const SiteRef& r) { return words(r.site->expression); }},
    {3, {"kind"}, "kind",
     [](const View&, const SiteRef& r) { return words(kind_name(r.site->kind)); }},
    {4, {"bytes", true}, "width",
     [](const View&, const SiteRef& r) {
       return Shown{width_text(*r.site), std::uint64_t{r.site->width}};
     }},
    {2, {"executions", true}, "executions",
     [](const View&, const SiteRef& r) {
       return Shown{estimate_text(r.site->executions, r.site->error), r.site->executions};
     }},
    {0, {}, "error", [](const View&, const SiteRef& r) { return only_json(r.site->error); }},
    {1, {"share", true}, "share",
     [](const View& view, const SiteRef& r) {
       return share(ratio(r.site->executions, view.executions()));
     }},
    {8, {"stride"}, "stride",
     [](const View& view, const SiteRef& r) {
       const Stride* s = view.stride(r.site->id);
       Shown shown = only_text(stride_text(s));
       if (s) shown.json = s->dominant;
       return shown;
     }},
    {0, {}, "stride_share",
     [](const View& view, const SiteRef& r) {
       const Stride* s = view.stride(r.site->id);
       return s ? only_json(s->share) : Shown{};
     }},
    {9, {"memory", false, k_memory}, "memory",
     [](const View& view, const SiteRef& r) { return words(view.main_group(r.site->id)); }}};

std::uint64_t site_executions(const SiteRef& r) { return r.site->executions; }

// "+8 x 1,000, +16 x 20"
std::string frequent(const Stride& s) {
  constexpr std::size_t k_entries = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(k_entries, s.histogram.size()); ++i)
    text += (i ? ", " : "") + signed_bytes(s.histogram[i].stride) + " x " +
            grouped(s.histogram[i].count);
  return text;
}

constexpr ShowColumn<Stride> k_stride_columns[] = {
    site_id<Stride>(),
    where<Stride>(7),
    number<&Stride::executions>(1, "executions", "executions"),
    {2, {"dominant", true}, "dominant",
     [](const View&, const Stride& s) { return Shown{signed_bytes(s.dominant), s.dominant}; }},
    {3, {"share", true}, "share", [](const View&, const Stride& s) { return share(s.share); }},
    {4, {"class"}, "class",
     [](const View&, const Stride& s) { return words(class_name(s.klass)); }},
    {5, {"in object", true}, "within_object_dominant",
     [](const View&, const Stride& s) {
       const Stride::WithinObject& w = s.within_object;
       return Shown{w.histogram.empty() ? "-" : signed_bytes(w.dominant), w.dominant};
     }},
    {6, {"share", true}, "within_object_share",
     [](const View&, const Stride& s) {
       const Stride::WithinObject& w = s.within_object;
       return Shown{w.histogram.empty() ? "-" : percent(w.share), w.share};
     }},
    expression<Stride>(8),
    {9, {"most frequent"}, nullptr,
     [](const View&, const Stride& s) { return only_text(frequent(s)); }}};

constexpr ShowColumn<ObjectRelative> k_object_relative_columns[] = {
    site_id<ObjectRelative>(),
    where<ObjectRelative>(4),
    memory<ObjectRelative>(6),
    number<&ObjectRelative::accesses>(1, "accesses", "accesses"),
    {2, {"descriptors", true}, "lmads",
     [](const View&, const ObjectRelative& o) {
       const std::uint64_t n = o.v2.lmads.size();
       return Shown{std::to_string(n), n};
     }},
    {3, {"captured", true}, "captured",
     [](const View&, const ObjectRelative& o) {
       return Shown{percent(ratio(o.v2.captured, o.accesses)), o.v2.captured};
     }},
    expression<ObjectRelative>(5)};

// Of dead or silent stores.
template <typename Row>
constexpr ShowColumn<Row> k_store_columns[] = {
    site_id<Row>(),
    where<Row>(4),
    number<&Row::count>(1, Row::k_name, Row::k_name),
    {2, {"of", true}, nullptr,
     [](const View& view, const Row& r) { return count(executions_of(view, r.site)); }},
    {3, {"share", true}, nullptr,
     [](const View& view, const Row& r) { return share(ratio(r.count, executions_of(view, r.site))); }},
    expression<Row>(5),
    main_memory<Row>(6)};

std::string bits(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, value < 100000 ? "%" PRIu64 : "0x%" PRIx64, value);
  return text;
}

std::string pattern(const Value& r) {
  if (r.values.size() == 1) return "always " + bits(r.min);
  if (r.affine)
    return bits(r.first) + ", " + (r.step < 0 ? "" : "+") + std::to_string(r.step) + " each time";
  std::string text;
  for (const Value::Entry& e : r.values)
    text += (text.empty() ? "" : ", ") + bits(e.value) + " (" +
            percent(ratio(e.count, r.executions)) + ")";
  return text.empty() ? bits(r.min) + " to " + bits(r.max) : text;
}

// Constant values first, then those that are seldom another one.
auto how_constant(const Value& r) {
  return std::pair(r.values.size() == 1 || r.affine ? r.executions : r.repeats, r.executions);
}

constexpr ShowColumn<Value> k_value_columns[] = {
    site_id<Value>(),
    where<Value>(5),
    number<&Value::executions>(1, "executions", "executions"),
    {2, {"as before", true}, "repeats",
     [](const View&, const Value& r) {
       return Shown{percent(ratio(r.repeats, r.executions)), r.repeats};
     }},
    {0, {}, "min", [](const View&, const Value& r) { return only_json(r.min); }},
    {0, {}, "max", [](const View&, const Value& r) { return only_json(r.max); }},
    {3, {"value", false, k_memory}, "pattern",
     [](const View&, const Value& r) { return words(pattern(r)); }},
    {4, {"kind"}, nullptr,
     [](const View& view, const Value& r) {
       const SiteRef* site = view.site(r.site);
       return only_text(site && site->site->kind == Access::store ? "store" : "load");
     }},
    expression<Value>(6)};

// False sharing first: it can go.
auto how_shared(const Sharing& r) { return std::pair(r.other_bytes, r.same_bytes); }

constexpr ShowColumn<Sharing> k_sharing_columns[] = {
    site_id<Sharing>(),
    where<Sharing>(3),
    {5, {"written at"}, "written_at",
     [](const View& view, const Sharing& r) { return words(view.site_name(r.source)); }},
    number<&Sharing::other_bytes>(1, "false", "false"),
    number<&Sharing::same_bytes>(2, "true", "true"),
    expression<Sharing>(4),
    {6, {"expression", false, k_expression}, nullptr,
     [](const View& view, const Sharing& r) {
       const SiteRef* source = view.site(r.source);
       return only_text(source ? source->site->expression : "");
     }},
    main_memory<Sharing>(7)};

// A miss of the last level counts like 16 in the first level, one in the second like 4, one in the
// TLB like 4.
std::uint64_t miss_cost(const Cache& r) { return r.l1 + 4 * r.l2 + 16 * r.llc + 4 * r.tlb; }

template <auto misses, auto error>
Shown estimated(const View&, const Cache& r) {
  return {count_text(r.*misses, r.errors.*error), r.*misses};
}
template <auto error>
Shown error_of(const View&, const Cache& r) {
  return only_json(r.errors.*error);
}

constexpr ShowColumn<Cache> k_miss_columns[] = {
    site_id<Cache>(),
    where<Cache>(6),
    {8, {"memory", false, k_memory}, "group",
     [](const View& view, const Cache& r) { return words(memory_text(view, r)); }},
    {1, {"executions", true}, nullptr,
     [](const View& view, const Cache& r) {
       const SiteRef* site = view.site(r.site);
       return only_text(site ? estimate_text(site->site->executions, site->site->error) : "");
     }},
    {2, {"L1", true}, "l1", estimated<&Cache::l1, &Cache::Errors::l1>},
    {3, {"L2", true}, "l2", estimated<&Cache::l2, &Cache::Errors::l2>},
    {4, {"last level", true}, "llc", estimated<&Cache::llc, &Cache::Errors::llc>},
    {5, {"TLB", true}, "tlb", estimated<&Cache::tlb, &Cache::Errors::tlb>},
    {0, {}, "l1_error", error_of<&Cache::Errors::l1>},
    {0, {}, "l2_error", error_of<&Cache::Errors::l2>},
    {0, {}, "llc_error", error_of<&Cache::Errors::llc>},
    {0, {}, "tlb_error", error_of<&Cache::Errors::tlb>},
    expression<Cache>(7)};

constexpr Listing<SiteRef> k_sites = {
    "Access sites", "", [](const View& view) -> const auto& { return view.sites(); },
    most<site_executions>, k_site_columns};
constexpr Listing<Stride> k_strides = {
    "Strides", "; bytes between consecutive executions of a site", table_of<&Profile::strides>,
    most<&Stride::executions>, k_stride_columns};
constexpr Listing<ObjectRelative> k_object_relative = {
    "Linear descriptors of (object, offset)", "", table_of<&Profile::object_relative>,
    most<&ObjectRelative::accesses>, k_object_relative_columns};
constexpr Listing<DeadStore> k_dead_stores = {
    "Dead stores", "; overwritten or freed before instrumented code read them",
    table_of<&Profile::dead_stores>, most<&DeadStore::count>, k_store_columns<DeadStore>};
constexpr Listing<SilentStore> k_silent_stores = {
    "Silent stores", "; of the value that was there already", table_of<&Profile::silent_stores>,
    most<&SilentStore::count>, k_store_columns<SilentStore>};
constexpr Listing<Value> k_values = {"Values", "; as unsigned bits", table_of<&Profile::values>,
                                           most<how_constant>, k_value_columns};
constexpr Listing<Sharing> k_sharing = {
    "Sharing", "; lines that another thread has written since: other bytes, the same",
    table_of<&Profile::sharing>, most<how_shared>, k_sharing_columns};
constexpr Listing<Cache> k_misses = {
    "Cache misses", "; estimates for ", table_of<&Profile::cache>, most<miss_cost>, k_miss_columns,
    [](const View& view) { return printable(view.profile().run.caches); }};

}  // namespace

constinit const ShowTable show_sites = shown<k_sites>("sites", nullptr, nullptr);
constinit const ShowTable show_strides = shown<k_strides>("strides", "strides", "stride");
constinit const ShowTable show_object_relative = shown<k_object_relative>("object-relative", "object_relative", "object_relative");
constinit const ShowTable show_dead_stores = shown<k_dead_stores>("dead-stores", "dead_stores", "dead_store");
constinit const ShowTable show_silent_stores = shown<k_silent_stores>("silent-stores", "silent_stores", "silent_store");
constinit const ShowTable show_values = shown<k_values>("values", "values", "value");
constinit const ShowTable show_sharing = shown<k_sharing>("sharing", "sharing", "sharing");
constinit const ShowTable show_misses = shown<k_misses>("misses", "cache", "cache");

}  // namespace memprof::cli
