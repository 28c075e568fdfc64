// types_view.cc - where the hot fields of each record lie, now and in the proposed order.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <map>

#include "consumers/cli/report/report_data.h"
#include "consumers/decide/field_order.h"
#include "consumers/decide/machine.h"
#include "consumers/decide/record_order.h"
#include "feedback/model.h"

namespace memprof::cli {
namespace {

using namespace feedback;

struct Entry {
  decide::TypeFacts facts;
  std::uint64_t accesses = 0;
};

// False sharing by (type, field): accesses to a line that another thread wrote elsewhere.
using Sharers = std::map<std::pair<std::string, std::string>, std::pair<std::uint64_t, std::uint64_t>>;

Sharers sharers(const ProfileView& view) {
  Sharers all;
  for (const Sharing& r : view.profile().sharing)
    if (const auto* ref = view.site(r.site); ref && !ref->site->type.empty()) {
      const std::string& field = ref->site->field;
      auto& sums = all[{ref->site->type, field.substr(0, field.find_first_of(".["))}];
      add_count(sums.first, r.same_bytes);
      add_count(sums.second, r.other_bytes);
    }
  return all;
}

void put_order(JsonReport& json, const char* key, const decide::RecordOrder& order) {
  json.key(key);
  json.open_object();
  json.member("bytes", order.bytes);
  json.member("padding", order.padding);
  json.member("lines", order.lines);
  json.member("hot_lines", order.hot_lines);
  json.key("places");  // [index in fields, offset]
  json.open_array();
  for (const decide::Placed& p : order.fields) {
    json.open_array();
    json.value(p.field);
    json.value(p.offset);
    json.close_array();
  }
  json.close_array();
  json.close_object();
}

void put_fields(JsonReport& json, const Entry& e, const Sharers& sharing) {
  json.key("fields");
  json.open_array();
  for (const Field& f : e.facts.type->fields) {
    const auto at = e.facts.heat.find(f.name);
    const decide::FieldHeat heat = at == e.facts.heat.end() ? decide::FieldHeat() : at->second;
    const auto shared = sharing.find({e.facts.type->name, f.name});
    json.open_object();
    json.member("name", brief(f.name));
    json.member("declaration", brief(f.declaration));
    json.member("offset", f.offset);
    json.member("bytes", f.bytes ? f.bytes : (f.bit_offset + f.bits + 7) / 8);
    json.member("bits", f.bits);
    json.member("loads", heat.loads);
    json.member("stores", heat.stores);
    json.member("misses", heat.misses);
    json.member("true_sharing", shared == sharing.end() ? 0 : shared->second.first);
    json.member("false_sharing", shared == sharing.end() ? 0 : shared->second.second);
    json.close_object();
  }
  json.close_array();
}

void put_type(JsonReport& json, const Entry& e, const Sharers& sharing,
              const decide::CostModel& model) {
  const RecordType& type = *e.facts.type;
  const auto decision =
      decide::decide_field_order(decide::candidate_of(type), e.facts, nullptr, model);
  const auto proposal = decide::propose_order(type, e.facts.heat);
  json.open_object();
  json.member("name", brief(type.name));
  json.member("file", brief(type.file));
  json.member("line", type.line);
  json.member("bytes", type.bytes);
  json.member("accesses", e.accesses);
  json.member("take", decision.take());
  json.member("reason", decide::name(decision.reason));
  json.member("text", brief(decision.text));
  json.member("better", proposal.better);
  json.member("proposal", proposal.reason);
  json.key("obstacles");
  json.open_array();
  for (const auto& o : type.obstacles) json.value(brief(decide::obstacle_text(o)));
  json.close_array();
  put_fields(json, e, sharing);
  put_order(json, "present", decide::present_order(type, e.facts.heat));
  if (proposal.better) put_order(json, "proposed", proposal.order);
  json.close_object();
}

}  // namespace

void types_view(JsonReport& json, const ReportInput& in) {
  std::vector<Entry> types;
  for (decide::TypeFacts& facts : decide::type_facts(in.view.profile())) {
    Entry e{std::move(facts)};
    for (const auto& [name, heat] : e.facts.heat) add_count(e.accesses, heat.all());
    if (e.accesses) types.push_back(std::move(e));
  }
  std::stable_sort(types.begin(), types.end(),
                   [](const Entry& a, const Entry& b) { return a.accesses > b.accesses; });
  json.key("types");
  json.open_object();
  json.member("all", types.size());
  if (types.size() > k_report_types) types.erase(types.begin() + k_report_types, types.end());
  const Sharers sharing = sharers(in.view);
  const decide::CostModel model = decide::model_of(in.view.profile());
  json.key("rows");
  json.open_array();
  for (const Entry& e : types) put_type(json, e, sharing, model);
  json.close_array();
  json.close_object();
}

}  // namespace memprof::cli
