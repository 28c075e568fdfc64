// registry.cc - the list of all profiling modules.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/event/module.h"

namespace memprof::backend {

const std::vector<ModuleEntry>& module_registry() {
  static const std::vector<ModuleEntry> registry = {
#define MODULE(name, section, flags, make, events, help) \
  {name, section, flags, make, events, help},
#include "runtime/wire/modules.def"
#undef MODULE
  };
  return registry;
}

}  // namespace memprof::backend
