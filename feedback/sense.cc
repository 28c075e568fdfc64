// sense.cc - whether the counts of a profile agree with each other.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What must hold, by table (E = executions of the row's site or sink):
//
//   run              accesses = loads + stores = sum of E (mode full); external_calls = sum
//                    of those of its functions
//   modules          a site has been executed; functions are distinct; invocations of a loop <=
//                    iterations + invocations of the one around it (give or take their errors)
//   groups           span <= bytes, resident <= large <= bytes; accesses <= those of the run
//   object_relative  one row per (site, group); their accesses <= E; in each
//                    stream the LMADs' counts make up `captured', which with
//                    the overflow's makes up the accesses (<=, once merged)
//   mdf              0 <= lo <= est <= hi <= 1
//   never_met        loads and stores of the loop; no pair twice, or in mdf, too
//   strides          one row per site; executions = E; the histogram is sorted
//                    and, with `other', less than E; dominant and share are its
//                    first entry's
//   dependences      one row per key; kind fits source and sink; count <= E;
//                    frequency = count / E; the parts of count cover it
//   inferred_dependences  one row per (source, sink), a store and a load; those of a
//                    sink together <= E; frequency = count / E
//   points_to        one row per site, one entry per group, together <= E
//   dead_stores      one row per site, a store; dead <= E
//   values           one row per site; counts add up to executions <= E; at most 4
//                    values, by value, from min to max; repeats < executions
//   regularity       one row per site; regular <= references <= E in full mode; streams
//                    by length and step, of at least three elements; no period twice
//   whole_stream     one row; bytes and symbols are those of the grammars; rasg_a <= rasg_ia
//   stream_names     each number is one site or one group; no number twice
//   pages            one row per group, object, thread and source; walk_dram <= walk_refs
//   co_access        one row per set of groups, each once and visited; llc <= l2 <= l1 <= visits
//   silent_stores    one row per site, a store; silent <= E
//   sharing          one row per (site, source); source is a store
//   privatisation    one row per (loop, group); exposed <= loads, rewritten <= stores
//   pointers         one row per place, context and target; count <= E; ends <= count
//   lifetimes        one row per (group, loop, function, context); min <= max <= total
//   types            below 1 TiB; fields lie inside the record, aligned, in order
//   fields           one row per (type, field)
//   cache            one row per (site, group); llc <= l2 <= l1 <= lines that E can touch
//   reuse            one row per (site, group); sizes rise, misses do not
#include "feedback/reuse_curve.h"
#include "feedback/sense.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "feedback/derive.h"
#include "feedback/never_met.h"
#include "feedback/sense_faults.h"

namespace memprof::feedback {
namespace {

// No compiler makes objects of a TiB.
constexpr Count k_most_record_bytes = (Count{1} << 40) - 1;

// Estimates are multiplied by whole factors.
constexpr double k_rounding = 1.02;
constexpr std::uint32_t k_line = 64;

class Checker : RowFaults {
 public:
  Checker(const Profile& profile, const IdTable& ids, Faults& faults)
      : RowFaults(faults), profile_(profile), ids_(ids), faults_(faults) {}

  void check() {
    check_program(profile_, faults_);
    check_groups();
#define TABLE(name, Row) \
    for_each(#name, profile_.name, [this](const Row& r) { check_row(r); });
#include "feedback/tables.def"
#undef TABLE
    check_sums();
  }

 private:
  template <typename Row, typename Fn>
  void for_each(const char* table, const std::vector<Row>& rows, Fn fn) {
    for (std::size_t i = 0; i < rows.size() && !full(); i++) {
      at(std::string("/") + table + '/' + num(i));
      fn(rows[i]);
    }
  }

  const Site* site(Id id) const {
    const auto it = ids_.sites.find(id);
    return it == ids_.sites.end() ? nullptr : it->second.site;
  }

  void check_groups() {
    for_each("groups", profile_.groups, [this](const Group& g) {
      if (double(g.accesses) * (1 - g.error) > double(profile_.run.accesses) * k_rounding &&
          !saturated(g.accesses))
        fault("accesses", num(g.accesses) + " are more than the program's, " +
                              num(profile_.run.accesses));
      at_most("span", g.span, g.bytes, "the group's bytes");
      at_most("large", g.large, g.bytes, "the group's bytes");
      at_most("resident", g.resident, g.large, "the bytes of large objects");
    });
  }

  template <int D>
  void check_stream(const char* name, const LmadStream<D>& stream, Count accesses) {
    Count captured = 0;
    for (std::size_t i = 0; i < stream.lmads.size(); i++) {
      if (stream.lmads[i].count == 0)
        fault(std::string(name) + "/lmads", "descriptor " + num(i) + " has count 0");
      captured = sum(captured, stream.lmads[i].count);
    }
    const std::string field = std::string(name) + "/captured";
    if (captured != stream.captured)
      fault(field, num(stream.captured) + " is not the sum of the descriptors' counts, " +
                       num(captured));
    const Count all = sum(stream.captured, stream.overflow.count);
    at_most(field, all, accesses, "(with the overflow) the accesses");
    if (profile_.run.runs == 1 && all < accesses)
      fault(field, num(all) + " (with the overflow) is less than the accesses, " +
                       num(accesses));
    for (int d = 0; d < D; d++)
      if (stream.overflow.min[d] > stream.overflow.max[d])
        fault(std::string(name) + "/overflow/min/" + num(d), "min is more than max");
  }

  void check_row(const ObjectRelative& r) {
    if (!pairs_.emplace(r.site, r.group).second) fault("", "a second row with this site and group");
    check_stream("v3", r.v3, r.accesses);
    check_stream("v2", r.v2, r.accesses);
    check_stream("v1", r.v1, r.accesses);
    check_stream("o1", r.o1, r.accesses);
    Count& all = accesses_[r.site];
    all = sum(all, r.accesses);
  }

  // Over the groups of each site.
  void check_sums() {
    at("/object_relative");
    for (const auto& [id, accesses] : accesses_)
      if (const Site* s = site(id))
        at_most("", accesses, s->executions,
                ("the executions of site " + num(id)).c_str());
  }

  void check_row(const Mdf& r) {
    if (!(r.lo <= r.est + k_tolerance && r.est <= r.hi + k_tolerance &&
          r.hi <= 1 + k_tolerance))
      fault("", "expected lo <= est <= hi <= 1");
    if (const Site* sink = site(r.sink); sink && r.counts != decltype(r.counts){}) {
      const char* const names[] = {"lo", "est", "hi"};
      const double shares[] = {r.lo, r.est, r.hi};
      for (unsigned i = 0; i < 3; i++)
        check_ratio(names[i], shares[i], r.counts[i], sink->executions);
    }
    if (!mdf_.emplace(r.source, r.sink).second) fault("", "a second row with this source and sink");
    const Site* sink = site(r.sink);
    if (sink && sink->kind != Access::load) fault("sink", "expected a load");
    const Site* source = site(r.source);
    if (source && source->kind != Access::store) fault("source", "expected a store");
  }

  void check_row(const NeverMet& r) {
    if (r.hi > 1) fault("hi", "expected 1 or less");
    check_members("sinks", r.sinks, Access::load, r.loop);
    check_members("sources", r.sources, Access::store, r.loop);
    for (const Id sink : r.sinks)
      for (const Id source : r.sources)
        if (mdf_.contains({source, sink}))
          fault("", "site " + num(sink) + " met site " + num(source) + " in mdf");
        else if (!never_met_.emplace(source, sink).second)
          fault("", "sites " + num(sink) + " and " + num(source) + " are in a row before");
  }
  void check_members(const char* field, const std::vector<Id>& members, Access kind, Id loop) {
    if (members.empty()) fault(field, "expected a site");
    for (std::size_t i = 0; i < members.size(); i++) {
      const Site* const s = site(members[i]);
      if (!s) continue;
      const std::string place = std::string(field) + '/' + num(i);
      if (s->kind != kind) fault(place, kind == Access::load ? "expected a load" : "expected a store");
      const auto parent = [this](Id id) {
        const auto it = ids_.loops.find(id);
        return it == ids_.loops.end() ? k_none : it->second->parent;
      };
      if (innermost_common(s->loop, loop, parent) != loop)
        fault(place, "site " + num(s->id) + " is not in loop " + num(loop));
    }
  }

  void check_row(const Stride& r) {
    if (!strided_.insert(r.site).second) fault("site", "a second row with this site");
    if (const Site* s = site(r.site); s && s->executions != r.executions)
      fault("executions", num(r.executions) + " is not the site's, " +
                              num(s->executions));
    check_histogram("", r, r.executions);
    at_most("repeats", r.repeats, r.executions, "the executions");
    if (!r.within_object.histogram.empty() || r.within_object.other != 0)
      check_histogram("within_object/", r.within_object, r.executions);
  }

  void check_kind(const Dependence& r, const Site* source, const Site* sink) {
    const Access first =
        r.kind == DependenceKind::war ? Access::load : Access::store;
    const Access second =
        r.kind == DependenceKind::raw ? Access::load : Access::store;
    const char* const names[] = {"a load", "a store"};
    if (source && source->kind != first) fault("source", std::string("expected ") + names[unsigned(first)]);
    if (sink && sink->kind != second) fault("sink", std::string("expected ") + names[unsigned(second)]);
  }

  void check_row(const Dependence& r) {
    if (!dependences_.emplace(r.source, r.sink, r.kind, r.loop, r.context).second)
      fault("", "a second row with this source, sink, kind, loop and context");
    const Site* sink = site(r.sink);
    check_kind(r, site(r.source), sink);
    if (r.count == 0) fault("count", "expected 1 or more");
    if (sink) {
      at_most("count", r.count, sink->executions, "the sink's executions");
      check_ratio("frequency", r.frequency, r.count, sink->executions);
    }
    at_most("iters", r.iters, r.count, "the count");
    at_most("intra", r.intra, r.count, "the count");
    at_most("carried", r.carried, r.count, "the count");
    at_most("no_loop", r.no_loop, r.count, "the count");
    at_most("concurrent", r.concurrent, r.no_loop, "no_loop");
    at_most("uncertain", r.uncertain, r.count, "the count");
    if (r.loop != k_none && r.no_loop != 0) fault("no_loop", "the row has a loop");
    if (r.loop == k_none && sum(r.intra, r.carried) != 0)
      fault(r.intra ? "intra" : "carried", "the row has no loop");
    const Count parts = sum(sum(r.intra, r.carried), r.no_loop);
    if (parts != r.count)
      fault("count", "intra + carried + no_loop is " + num(parts) + ", not the count, " +
                         num(r.count));
    if (r.distance.min > r.distance.max) fault("distance/min", "min is more than max");
    for (std::size_t i = 0; i < r.distance.histogram.size(); i++)
      at_most("distance/histogram/" + num(i), r.distance.histogram[i], r.count,
              "the count");
  }

  void check_row(const InferredDependence& r) {
    if (!inferred_.emplace(r.source, r.sink).second) fault("", "a second row with this source and sink");
    const Site* sink = site(r.sink);
    const Site* source = site(r.source);
    if (source && source->kind != Access::store) fault("source", "expected a store");
    if (sink && sink->kind != Access::load) fault("sink", "expected a load");
    if (r.count == 0) fault("count", "expected 1 or more");
    if (!sink) return;
    Count& all = shared_out_[r.sink];
    all = sum(all, r.count);
    at_most("count", all, sink->executions, "(with the rows before) the sink's executions");
    check_ratio("frequency", r.frequency, r.count, sink->executions);
  }

  void check_row(const PointsTo& r) {
    if (!pointing_.insert(r.site).second) fault("site", "a second row with this site");
    std::set<Id> groups;
    Count all = 0;
    for (std::size_t i = 0; i < r.groups.size(); i++) {
      if (!groups.insert(r.groups[i].group).second)
        fault("groups/" + num(i) + "/0", "a second entry for this group");
      if (r.groups[i].count == 0)
        fault("groups/" + num(i) + "/1", "expected 1 or more");
      all = sum(all, r.groups[i].count);
    }
    if (const Site* s = site(r.site))
      at_most("groups", all, s->executions, "the site's executions");
  }

  void check_row(const RecordType& r) {
    at_most("bytes", r.bytes, k_most_record_bytes, "what a structure can have");
    Count before = 0;
    for (std::size_t i = 0; i < r.fields.size(); i++) {
      const Field& f = r.fields[i];
      const std::string field = "fields/" + num(i) + "/offset";
      if (f.offset < before) fault(field, "not after the field before");
      at_most(field, sum(f.offset, f.bytes), r.bytes, "the bytes of the type");
      before = f.offset;
    }
  }

  void check_row(const FieldUse& r) {
    if (!used_.emplace(r.type, r.field).second) fault("", "a second row with this type and field");
  }

  void check_row(const Lifetime& r) {
    if (!living_.emplace(r.group, r.loop, r.function, r.context).second)
      fault("", "a second row with this group, loop, function and context");
    at_most("min", r.min, r.max, "max");
    at_most("max", r.max, r.total, "the total");
    if (r.always && (r.loop == k_none || r.alive != 0)) fault("always", "not local to a loop");
  }

  void check_row(const DeadStore& r) {
    if (!dead_.insert(r.site).second) fault("site", "a second row with this site");
    const Site* s = site(r.site);
    if (s && s->kind != Access::store) fault("site", "expected a store");
    if (s) at_most("dead", r.dead, s->executions, "the site's executions");
  }

  void check_row(const Value& r) {
    if (!valued_.insert(r.site).second) fault("site", "a second row with this site");
    if (const Site* s = site(r.site))
      at_most("executions", r.executions, s->executions, "the site's executions");
    if (r.executions == 0) fault("executions", "expected 1 or more");
    if (r.repeats != 0 && !saturated(r.executions))
      at_most("repeats", r.repeats, r.executions - 1, "executions - 1");
    if (r.min > r.max) fault("min", "more than max");
    if (r.affine && r.executions < 2) fault("affine", "of one value");
    if (r.values.empty()) return;
    if (r.values.size() > k_most_values) fault("values", "more than 4");
    Count all = 0;
    for (std::size_t i = 0; i < r.values.size(); i++) {
      all = sum(all, r.values[i].count);
      if (i != 0 && r.values[i].value <= r.values[i - 1].value)
        fault("values/" + num(i), "not after the value before");
    }
    if (all != r.executions) fault("values", "the counts do not add up to executions");
    if (r.values.front().value != r.min || r.values.back().value != r.max)
      fault("values", "min and max are others");
  }

  void check_row(const SilentStore& r) {
    if (!silent_.insert(r.site).second) fault("site", "a second row with this site");
    const Site* s = site(r.site);
    if (s && s->kind != Access::store) fault("site", "expected a store");
    if (s) at_most("silent", r.silent, s->executions, "the site's executions");
  }

  void check_row(const Regularity& r) {
    if (!regular_.insert(r.site).second) fault("site", "a second row with this site");
    at_most("regular", r.regular, r.references, "references");
    at_most("looked", r.looked, r.references, "references");
    at_most("before", r.before, r.references, "references");
    const Site* s = site(r.site);
    if (s && profile_.run.mode == "full")
      at_most("references", r.references, s->executions, "the site's executions");
    for (std::size_t i = 0; i < r.streams.size(); i++) {
      const StreamClass& c = r.streams[i];
      if (i != 0 && std::tie(c.length, c.step) <=
                        std::tie(r.streams[i - 1].length, r.streams[i - 1].step))
        fault("streams/" + num(i), "not after the class before");
      if (c.elements / 3 < c.streams && !saturated(c.elements))
        fault("streams/" + num(i), "of less than three elements");
    }
    for (std::size_t i = 1; i < r.periods.size(); i++)
      if (r.periods[i].period <= r.periods[i - 1].period)
        fault("periods/" + num(i), "not after the period before");
  }

  void check_row(const WholeStream& r) {
    if (&r != &profile_.whole_stream.front()) fault("", "a second row");
    if (r.file.find('/') != std::string::npos) fault("file", "expected a name without a folder");
    Count bytes = 0;
    for (const WholeStream::Sizes& g : r.grammars)
      if (g.of != "address") bytes = sum(bytes, g.bytes);
    if (bytes != r.omsg_bytes)
      fault("omsg_bytes", num(r.omsg_bytes) + " is not the sum of the grammars', " + num(bytes));
    at_most("rasg_a_bytes", r.rasg_a_bytes, r.rasg_ia_bytes, "rasg_ia_bytes");
    if (profile_.run.mode == "full")
      at_most("accesses", r.accesses, profile_.run.accesses, "the run's accesses");
  }
  void check_row(const StreamName& r) {
    if ((r.site == k_none) == (r.group == k_none)) fault("", "expected a site or a group");
    if (!stream_names_.emplace(r.number, r.site == k_none).second)
      fault("number", "a second row with this number");
  }

  void check_row(const Pages& r) {
    if (!paged_.emplace(r.group, r.object, r.thread, r.source).second)
      fault("", "a second row with this group, object, thread and source");
    at_most("memory/walk_dram", r.memory.walk_dram, r.walk_refs, "walk_refs");
    at_most("as_read/walk_dram", r.as_read.walk_dram, r.walk_refs, "walk_refs");
  }

  void check_row(const CoAccess& r) {
    Count visits = 0;
    std::set<Id> groups;
    for (std::size_t i = 0; i < r.groups.size(); i++) {
      if (!groups.insert(r.groups[i].group).second)
        fault("groups/" + num(i) + "/0", "a second entry for this group");
      if (r.groups[i].visits == 0) fault("groups/" + num(i) + "/1", "expected 1 or more");
      visits = sum(visits, r.groups[i].visits);
    }
    if (groups.empty()) fault("groups", "expected at least one");
    if (!together_.insert(groups).second) fault("groups", "a second row with these groups");
    const auto check = [&](const std::string& of, const CoAccess::Misses& m) {
      at_most(of + "/l1", m.l1, visits, "the visits");
      at_most(of + "/l2", m.l2, m.l1, "l1");
      at_most(of + "/llc", m.llc, m.l2, "l2");
    };
    check("before", r.before);
    check("after", r.after);
    check("ordered", r.ordered);
  }
  std::set<std::set<Id>> together_;

  void check_row(const Sharing& r) {
    if (!shared_.emplace(r.site, r.source).second) fault("", "a second row with this site and source");
    const Site* source = site(r.source);
    if (source && source->kind != Access::store) fault("source", "expected a store");
    if (sum(r.same_bytes, r.other_bytes) == 0) fault("same_bytes", "nothing was counted");
  }

  void check_row(const Privatisation& r) {
    if (!private_.emplace(r.loop, r.group).second) fault("", "a second row with this loop and group");
    if (r.stores == 0) fault("stores", "expected 1 or more");
    at_most("exposed", r.exposed, r.loads, "the loads");
    at_most("rewritten", r.rewritten, r.stores, "the stores");
  }

  void check_row(const PointerUse& r) {
    if (!pointers_.emplace(std::make_tuple(r.at, r.function, r.argument, r.context),
                           std::make_tuple(r.target, r.group, r.allocated)).second)
      fault("", "a second row with this place, context and target");
    if (r.count == 0) fault("count", "expected 1 or more");
    at_most("ends", r.ends, r.count, "the count");
    if ((r.at == k_none) == r.function.empty()) fault("site", "expected a site or a function, and not both");
    if ((r.target == PointerTarget::object) != (r.group != k_none))
      fault("group", "expected for an object, and only there");
    if (const Site* s = site(r.at))
      at_most("count", r.count, s->executions, "the site's executions");
  }

  void check_row(const Reuse& r) {
    if (!reused_.emplace(r.site, r.group).second) fault("", "a second row with this site and group");
    if (!falls_p(r.lines) || !falls_p(r.pages)) fault("", "expected larger sizes and no more misses from point to point");
  }

  void check_row(const Cache& r) {
    if (!cached_.emplace(r.site, r.group).second) fault("", "a second row with this site and group");
    at_most("l2", r.l2, r.l1, "l1");
    at_most("llc", r.llc, r.l2, "l2");
    const Site* s = site(r.site);
    if (!s || s->width == 0 || s->width > k_line || saturated(r.l1)) return;
    if (double(r.l1) > 2 * double(s->executions) * (1 + s->error) * k_rounding)
      fault("l1", num(r.l1) + " misses of " + num(s->executions) +
                      " executions, each of at most two lines");
  }

  const Profile& profile_;
  const IdTable& ids_;
  Faults& faults_;
  std::set<std::pair<Id, Id>> pairs_, mdf_, never_met_, cached_, reused_, private_, shared_, inferred_;
  std::set<std::tuple<Id, Id, std::string, std::string>> living_;
  std::set<std::tuple<Id, Count, std::uint32_t, PageSource>> paged_;
  std::set<std::pair<std::tuple<Id, std::string, std::uint32_t, std::string>,
                     std::tuple<PointerTarget, Id, std::string>>> pointers_;
  std::map<Id, Count> accesses_, shared_out_;
  std::set<std::pair<std::uint32_t, bool>> stream_names_;
  std::set<std::pair<std::string, std::string>> used_;
  std::set<Id> strided_, pointing_, dead_, valued_, silent_, regular_;
  std::set<std::tuple<Id, Id, DependenceKind, Id, std::string>> dependences_;
};

}  // namespace

void check_sense(const Profile& profile, const IdTable& ids, Faults& faults) {
  Checker(profile, ids, faults).check();
}

}  // namespace memprof::feedback
