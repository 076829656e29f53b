#include "toolchain/symbols/demangle.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <string_view>

#define HAVE_DECL_BASENAME 1  // libiberty.h declares it as the C library does not
#include <libiberty/demangle.h>

// The leaks that a jump out of libiberty leaves behind are bounded; LeakSanitizer need not report them.
extern "C" void __lsan_disable() __attribute__((weak));
extern "C" void __lsan_enable() __attribute__((weak));

namespace softlbr::toolchain {
namespace {

// Of one D name: its demangler builds texts on the heap, and each step that can repeat another one begins with an
// allocation.
constexpr size_t kMaxAllocations = 20000;
constexpr size_t kMaxAllocatedBytes = 1 << 20;
constexpr size_t kMaxLostBytes = 64 << 20;

// One name being demangled. libiberty is left by a jump when a bound is exceeded: its C++ demangler has everything on
// the stack; what the others have on the heap is lost, at most kMaxAllocatedBytes a name and kMaxLostBytes in all.
struct Attempt {
  sigjmp_buf give_up;
  size_t allocations = 0;
  size_t allocated_bytes = 0;
  size_t used = 0;
  char text[kMaxDemangledBytes];
};
thread_local Attempt* current_attempt = nullptr;
std::atomic<int> timeouts{0};
std::atomic<size_t> lost_bytes{0};

void TakeText(const char* text, size_t bytes, void* opaque) {
  auto* attempt = static_cast<Attempt*>(opaque);
  if (bytes > sizeof attempt->text - attempt->used) siglongjmp(attempt->give_up, 1);
  if (bytes == 0) return;
  std::memcpy(attempt->text + attempt->used, text, bytes);
  attempt->used += bytes;
}

void CountAllocation(size_t bytes) {
  Attempt* attempt = current_attempt;
  if (attempt == nullptr) return;
  ++attempt->allocations;
  if (attempt->allocations <= kMaxAllocations && bytes <= kMaxAllocatedBytes - attempt->allocated_bytes) {
    attempt->allocated_bytes += bytes;
    return;
  }
  siglongjmp(attempt->give_up, 1);
}

// A timer on the CPU time of the calling thread, which signals that thread.
class CpuTimer {
 public:
  CpuTimer() {
    static const bool has_handler = [] {
      struct sigaction action {};
      action.sa_handler = [](int) {
        if (current_attempt == nullptr) return;
        ++timeouts;
        siglongjmp(current_attempt->give_up, 1);
      };
      return sigaction(SIGVTALRM, &action, nullptr) == 0;
    }();
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGVTALRM;
    event._sigev_un._tid = static_cast<pid_t>(syscall(SYS_gettid));
    is_open_ = has_handler && timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer_) == 0;
  }
  ~CpuTimer() {
    if (is_open_) timer_delete(timer_);
  }
  CpuTimer(const CpuTimer&) = delete;
  CpuTimer& operator=(const CpuTimer&) = delete;

  bool is_open() const { return is_open_; }
  // 0: stops it.
  void Set(int microseconds) {
    const itimerspec time{{0, 0}, {microseconds / 1000000, microseconds % 1000000 * 1000L}};
    timer_settime(timer_, 0, &time, nullptr);
  }

 private:
  timer_t timer_{};
  bool is_open_ = false;
};

// Calls demangle(attempt), which returns whether the name is of its language, and returns its text. Empty: it is not,
// or is given up.
template <typename Function>
std::string Within(Attempt* attempt, CpuTimer* timer, Function demangle) {
  *attempt = Attempt{};
  volatile bool is_done = false;
  if (__lsan_disable != nullptr) __lsan_disable();
  current_attempt = attempt;
  if (sigsetjmp(attempt->give_up, 1) == 0) {
    if (timer != nullptr)
      timer->Set(std::max(kLeastDemangleCpuUs, kMostDemangleCpuUs >> std::min(timeouts.load(), 16)));
    is_done = demangle(attempt);
    current_attempt = nullptr;
  } else {
    current_attempt = nullptr;
    lost_bytes += attempt->allocated_bytes;
  }
  if (timer != nullptr) timer->Set(0);
  if (__lsan_enable != nullptr) __lsan_enable();
  return is_done ? std::string(attempt->text, attempt->used) : std::string();
}

// Hands the text on that libiberty has allocated.
bool TakeAllocated(char* text, Attempt* attempt) {
  if (text == nullptr) return false;
  const size_t bytes = std::strlen(text);
  const bool fits = bytes <= sizeof attempt->text;
  if (fits) TakeText(text, bytes, attempt);
  std::free(text);
  return fits;
}

}  // namespace

std::string Demangle(const std::string& name, bool has_ada) {
  const bool is_cpp = name.starts_with("_Z");
  const bool is_rust = is_cpp || name.starts_with("_R");
  const bool is_d = name.starts_with("_D");
  if ((!is_rust && !is_d && !has_ada) || name.size() > kMaxMangledBytes) return name;
  const bool is_short = name.size() <= kShortNameBytes;
  static thread_local const auto attempt = std::make_unique<Attempt>();
  const size_t suffix_at = name.find_first_of(".@");
  const std::string suffix = suffix_at == std::string::npos ? "" : name.substr(suffix_at);
  std::string text;
  if (is_rust) {
    // The older scheme has dots within names, so the suffix of Rust begins behind the last E.
    const std::string core = is_cpp ? name.substr(0, name.rfind('E') + 1) : name.substr(0, suffix_at);
    text = Within(attempt.get(), nullptr, [&core](Attempt* into) {
      return rust_demangle_callback(core.c_str(), DMGL_PARAMS, &TakeText, into) != 0;
    });
    if (!text.empty()) return text + name.substr(core.size());
  }
  const std::string core = name.substr(0, suffix_at);
  if (is_cpp) {
    static thread_local CpuTimer timer;
    if (!is_short && !timer.is_open()) return name;
    text = Within(attempt.get(), is_short ? nullptr : &timer, [&core](Attempt* into) {
      // names are no longer than kMaxMangledBytes
      constexpr int kOptions = DMGL_PARAMS | DMGL_ANSI | DMGL_NO_RECURSE_LIMIT;
      return cplus_demangle_v3_callback(core.c_str(), kOptions, &TakeText, into) != 0;
    });
  } else if (lost_bytes >= kMaxLostBytes) {
    return name;
  } else if (is_d) {
    text = Within(attempt.get(), nullptr,
                  [&core](Attempt* into) { return TakeAllocated(dlang_demangle(core.c_str(), 0), into); });
  } else if (has_ada) {
    text = Within(attempt.get(), nullptr,
                  [&core](Attempt* into) { return TakeAllocated(ada_demangle(core.c_str(), 0), into); });
    if (text.starts_with("<")) text.clear();  // <name>: not of Ada
  }
  return text.empty() ? name : text + suffix;
}

bool IsSignOfAda(std::string_view symbol) { return symbol.starts_with("__gnat_") || symbol.starts_with("_ada_"); }

}  // namespace softlbr::toolchain

// libiberty's allocations, in place of its own functions, which end the process when there is no memory.
extern "C" {
void* xmalloc(size_t bytes) {
  softlbr::toolchain::CountAllocation(bytes);
  void* memory = std::malloc(bytes != 0 ? bytes : 1);
  if (memory == nullptr) std::abort();
  return memory;
}
void* xrealloc(void* memory, size_t bytes) {
  softlbr::toolchain::CountAllocation(bytes);
  void* larger = std::realloc(memory, bytes != 0 ? bytes : 1);
  if (larger == nullptr) std::abort();
  return larger;
}
}
