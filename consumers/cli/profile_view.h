// profile_view.h - a profile with its ids resolved, and how its rows are named.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "feedback/model.h"

namespace memprof::cli {

class ProfileView {
 public:
  struct SiteRef {
    const feedback::Module* module = nullptr;
    const feedback::Function* function = nullptr;
    const feedback::Site* site = nullptr;
    const std::string& file() const { return site->file.empty() ? module->file : site->file; }
  };
  struct LoopRef {
    const feedback::Module* module = nullptr;
    const feedback::Function* function = nullptr;
    const feedback::Loop* loop = nullptr;
    std::uint64_t executions = 0;  // of the sites whose innermost loop it is
    std::size_t sites = 0;
    const std::string& file() const { return loop->file.empty() ? module->file : loop->file; }
  };

  // PROFILE must outlive the view.
  explicit ProfileView(const feedback::Profile& profile);

  const feedback::Profile& profile() const { return profile_; }
  // All sites and loops, in document order.
  const std::vector<SiteRef>& sites() const { return sites_; }
  const std::vector<LoopRef>& loops() const { return loops_; }
  std::uint64_t executions() const { return executions_; }

  // Null when there is no such row; the reader guarantees that ids resolve.
  const SiteRef* site(feedback::Id id) const { return find(site_index_, sites_, id); }
  const LoopRef* loop(feedback::Id id) const { return find(loop_index_, loops_, id); }
  const feedback::Group* group(feedback::Id id) const {
    return find(group_index_, profile_.groups, id);
  }
  const feedback::Stride* stride(feedback::Id site) const {
    return find(stride_index_, profile_.strides, site);
  }
  const feedback::PointsTo* points_to(feedback::Id site) const {
    return find(points_to_index_, profile_.points_to, site);
  }
  bool has_section(const char* name) const;

  // Names for people.
  static std::string where(const SiteRef& ref);           // "a.c:12:7"
  static std::string where(const LoopRef& ref);           // "a.c:10"
  std::string site_name(feedback::Id id) const;           // "a.c:12:7", "external code"
  std::string loop_name(feedback::Id id) const;           // "a.c:10", "-"
  static std::string group_name(const feedback::Group&);  // "malloc at a.c:3"
  std::string group_name(feedback::Id id) const;
  // Groups accessed by SITE, most accessed first: "malloc at a.c:3 (98.0 %)".
  std::string main_group(feedback::Id site) const;

 private:
  using Index = std::unordered_map<feedback::Id, std::size_t>;
  template <typename T>
  static const T* find(const Index& index, const std::vector<T>& rows, feedback::Id id) {
    auto at = index.find(id);
    return at == index.end() ? nullptr : &rows[at->second];
  }

  const feedback::Profile& profile_;
  std::vector<SiteRef> sites_;
  std::vector<LoopRef> loops_;
  Index site_index_, loop_index_, group_index_, stride_index_, points_to_index_;
  std::uint64_t executions_ = 0;
};

// "2026-11-30T01:55:54Z on node7; commit=1f3a, input=large"; empty: nothing of it is known.
std::string started_text(const feedback::Run& run);
const char* kind_name(feedback::Access);           // "load", "store"
const char* kind_name(feedback::GroupKind);        // "heap", ...
const char* kind_name(feedback::DependenceKind);   // "RAW", ...
inline constexpr const char* k_inferred = "inferred";  // the kind of InferredDependence
const char* class_name(feedback::StrideClass);     // "ssst", ...
// What a stride class says, in words: "strongly strided".
const char* class_meaning(feedback::StrideClass);
std::string width_text(const feedback::Site&);     // "8", "var"

}  // namespace memprof::cli
