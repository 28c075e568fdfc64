// ring_producer.cc - numbered events through the ring of the runtime.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// usage: MPRT_OPTIONS=backend=./ring_consumer:workers=W:output=FILE ring_producer
//
// A program as the plugin would make it (rt/hand.h), with the real runtime.
// After the last event comes the time of the first.
#include <unistd.h>

#include "events.h"
extern "C" {
#include "testsuite/e2e/rt/hand.h"
}

int main() {
  STORE(reinterpret_cast<void*>(1));  // starts the backend
  usleep(100000);
  const std::uint64_t start = now_ns();
  for (std::uint64_t i = 2; i <= k_events; i++) STORE(reinterpret_cast<void*>(i));
  STORE(reinterpret_cast<void*>(start));
  return 0;
}
