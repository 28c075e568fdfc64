// context_sites.h - sites by calling context, numbered as they come.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A library that knows sites counts by calling contexts when it is given other
// numbers: one for each pair of a site and a context. Its rows have these numbers
// until ContextSites::name says what they represent:
//
//     load 7 in "f < main"     1          load 7 in "g < main"     3
//     store 9 in "f < main"    2          code that is not instrumented, in "main"  4
//
// As numbers are limited (descriptor.h), what comes when nearly all are
// given away is counted in the root context. Without contexts sites keep their numbers.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "runtime/backend/base/per_site.h"
#include "runtime/backend/program/context_manager.h"

namespace memprof::backend {

class ContextSites final : public ProgramInfo {
 public:
  struct Name {
    SiteId site = 0;
    ContextId context = 0;
    bool store = false;
  };

  ContextSites(const ProgramInfo& program, bool contexts)
      : program_(program), contexts_(contexts) {}

  SiteId id(SiteId site, bool store, ContextId context) {
    if (!contexts_) return site;
    const std::size_t at = site == k_external_site ? 0 : site;
    Recent& recent = recent_[at];
    if (recent.id != 0 && recent.context == context) return recent.id;
    const bool full = names_.size() > k_max_sites - (1 << 20);
    SiteId& id = ids_[std::uint64_t{full ? 0 : context} << 32 | site];
    if (id == 0) {
      id = static_cast<SiteId>(names_.size());
      names_.push_back({site, full ? 0 : context, store});
    }
    recent = {context, id};
    return id;
  }
  Name name(SiteId id) const {
    return contexts_ ? names_[id] : Name{id, 0, id == k_external_site || program_.store_p(id)};
  }

  // To the rows of an engine.
  bool store_p(SiteId id) const override { return name(id).store; }
  feedback::GroupKind group_kind(GroupId group) const override {
    return program_.group_kind(group);
  }
  std::uint64_t executions(SiteId id) const override {
    return program_.executions(name(id).site);
  }
  std::size_t sites() const override { return contexts_ ? names_.size() - 1 : program_.sites(); }
  feedback::Id site_id(SiteId id) const override {
    return program_.site_id(name(id).site) == feedback::k_none ? feedback::k_none : id;
  }
  feedback::Id loop_id(LoopId loop) const override { return program_.loop_id(loop); }
  feedback::Id group_id(GroupId group) const override { return program_.group_id(group); }

 private:
  struct Recent {
    ContextId context = 0;
    SiteId id = 0;
  };
  const ProgramInfo& program_;
  const bool contexts_;
  std::unordered_map<std::uint64_t, SiteId> ids_;
  std::vector<Name> names_{1};
  PerSite<Recent> recent_;  // 0: external
};

}  // namespace memprof::backend
