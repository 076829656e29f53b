// Runs one part of the check in a child process, and says how it ended.
//
// The child is single-threaded, dumps no core, and ends if it makes no progress: a trial calls Progress() for each
// block.
#ifndef SOFTLBR_TOOLCHAIN_PLUGIN_PLUGIN_TRIAL_H_
#define SOFTLBR_TOOLCHAIN_PLUGIN_PLUGIN_TRIAL_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace softlbr::toolchain {

// A page that cannot be accessed, with what an access to it shows: "reads beyond the window".
struct TrapPage {
  uintptr_t begin = 0;
  size_t bytes = 0;
  const char* meaning = nullptr;
};

// In the child. The functions are safe where nothing but them may be called (ForbidSystemCalls).
class Trial {
 public:
  // Call it before something is tried with this code; both are named if the trial fails.
  void Begin(const char* what, std::span<const uint8_t> code, uint64_t pc);
  // Ends the child: the plugin is at fault. printf-like, one line.
  [[noreturn]] void Fail(const char* format, ...) __attribute__((format(printf, 2, 3)));
  [[noreturn]] void Succeed();
  void AddTrapPage(const TrapPage& page);
  // Memory of at least `bytes` between two pages that cannot be accessed. It ends right before the second; its
  // beginning is aligned to `alignment`, a power of two up to the page size.
  uint8_t* MapGuarded(size_t bytes, size_t alignment, const char* before, const char* behind);
  // From here on, any system call is a fault. False if this kernel cannot do that.
  bool ForbidSystemCalls();
};

struct TrialResult {
  bool is_kept = false;
  std::string fault;  // empty if is_kept
};
// run must end by Succeed or Fail; returning is success, too.
TrialResult RunTrial(const std::function<void(Trial*)>& run);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_PLUGIN_PLUGIN_TRIAL_H_
