// decoder_hooks.h - what the decoder asks, and tells, those around it.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace memprof::backend {

struct DecoderHooks {
  // How to name the code at a return address (group.function).
  std::function<std::string(std::uint64_t)> name_code;
  // The file that is the program's executable: its globals outlive its destructors.
  std::string executable;
  // A burst begins: what was decoded so far belongs to earlier bursts.
  std::function<void()> burst_begins;
  // The program is about to fork and waits for the live objects.
  std::function<void(std::uint32_t token)> snapshot;
};

}  // namespace memprof::backend
