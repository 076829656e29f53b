// The libc's own version of a function that the preload library stands in front of.
//
// Who calls: the program's threads, by way of the function of ours that it called; Learn, the library's constructor.
// Why learnt beforehand: a program may call these in its signal handlers, where dlsym is not allowed, and between fork
// and exec,
//   where dlsym's lock may have been held by a thread that the child does not have; what dlsym does is none of its
//   branches either.
// Memory: constant-initialised, the caller's. Cost: a load.
#ifndef SOFTLBR_RUNTIME_ATTACH_NEXT_FUNCTION_H_
#define SOFTLBR_RUNTIME_ATTACH_NEXT_FUNCTION_H_

#include <dlfcn.h>

#include <atomic>

namespace softlbr {

template <typename Function>
class NextFunction {
 public:
  explicit constexpr NextFunction(const char* name) : name_(name) {}

  Function* Get() {
    void* function = address_.load(std::memory_order_relaxed);
    if (function == nullptr) {  // called by a constructor that runs before ours
      function = dlsym(RTLD_NEXT, name_);
      address_.store(function, std::memory_order_relaxed);
    }
    return reinterpret_cast<Function*>(function);
  }
  void Learn() { (void)Get(); }

 private:
  const char* name_;
  std::atomic<void*> address_{nullptr};
};

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_ATTACH_NEXT_FUNCTION_H_
