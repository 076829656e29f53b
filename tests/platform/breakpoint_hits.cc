#include "tests/platform/breakpoint_hits.h"

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace softlbr::platform::testing {
namespace {

__attribute__((noinline)) void Target() { __asm__ volatile(""); }

bool CountsAHit() {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_BREAKPOINT;
  attributes.size = sizeof attributes;
  attributes.bp_type = HW_BREAKPOINT_X;
  attributes.bp_addr = reinterpret_cast<uint64_t>(&Target);
#ifdef __aarch64__
  attributes.bp_len = HW_BREAKPOINT_LEN_4;
#else
  attributes.bp_len = sizeof(long);
#endif
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  const auto event = static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
  if (event < 0) return false;
  Target();
  uint64_t hits = 0;
  const bool is_read = read(event, &hits, sizeof hits) == sizeof hits;
  close(event);
  return is_read && hits == 1;
}

}  // namespace

bool HasBreakpointHits() {
  static const bool has_them = CountsAHit();
  return has_them;
}

}  // namespace softlbr::platform::testing
