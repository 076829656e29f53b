// The libc's own version of a function that the preload library interposes.
//
// Who calls: interposed functions call Get, on the program's threads; the library's constructor calls Learn.
// Why Learn: without it, the first Get would look the function up. The program may call these functions in a signal
//   handler, where the loader's lock must not be taken, or between fork and exec, where a thread that does not exist in
//   the child may hold it. Also, the branches of the search would be recorded as the program's.
// Memory: constant-initialised, the caller's. Cost: a load.
#ifndef SOFTLBR_RUNTIME_LIBC_NEXT_FUNCTION_H_
#define SOFTLBR_RUNTIME_LIBC_NEXT_FUNCTION_H_

#include <atomic>

#include "runtime/libc/loaded_functions.h"

namespace softlbr {

template <typename Function>
class NextFunction {
 public:
  // last_resort: used where there is no other version of the function, as in a static program. Without one Get is null
  // there.
  explicit constexpr NextFunction(const char* name, Function* last_resort = nullptr)
      : name_(name), last_resort_(last_resort) {}

  Function* Get() {
    void* function = address_.load(std::memory_order_relaxed);
    if (function == nullptr) {  // a constructor that runs before ours has called the function
      function = FindNextFunction(name_);
      if (function == nullptr) function = reinterpret_cast<void*>(last_resort_);
      address_.store(function, std::memory_order_relaxed);
    }
    return reinterpret_cast<Function*>(function);
  }
  void Learn() { (void)Get(); }
  // Null: not known yet. Never looks it up.
  Function* Known() const { return reinterpret_cast<Function*>(address_.load(std::memory_order_relaxed)); }

 private:
  const char* name_;
  Function* last_resort_;
  std::atomic<void*> address_{nullptr};
};

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_LIBC_NEXT_FUNCTION_H_
