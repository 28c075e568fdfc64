// registry.cc - the list of all profiling modules.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/event/module.h"

namespace memprof::backend {

#define MODULE(name, section, by_default, make, events, help) \
  std::unique_ptr<Module> make(const ProgramInfo&);
#include "runtime/wire/modules.def"
#undef MODULE

const std::vector<ModuleEntry>& module_registry() {
  static const std::vector<ModuleEntry> registry = {
#define MODULE(name, section, by_default, make, events, help) \
  {name, section, by_default, make, events, help},
#include "runtime/wire/modules.def"
#undef MODULE
  };
  return registry;
}

}  // namespace memprof::backend
