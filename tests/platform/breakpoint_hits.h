// Whether this machine hits hardware breakpoints. On some virtual machines they can be set, but none ever is hit.
#ifndef SOFTLBR_TESTS_PLATFORM_BREAKPOINT_HITS_H_
#define SOFTLBR_TESTS_PLATFORM_BREAKPOINT_HITS_H_

namespace softlbr::platform::testing {

// By the kernel's own count of the hits, without anything of ours that the tests are about.
bool HasBreakpointHits();

}  // namespace softlbr::platform::testing

#define SOFTLBR_NEEDS_BREAKPOINT_HITS() \
  if (!::softlbr::platform::testing::HasBreakpointHits()) GTEST_SKIP() << "needs hardware breakpoints that are hit"

#endif  // SOFTLBR_TESTS_PLATFORM_BREAKPOINT_HITS_H_
