// Shared libraries that only some commands need. They are loaded when such a command runs, so that other commands work
// without them, and do not pay for loading them and their dependencies.
//
// Errors: StatedFailure with the library, and the package that holds it.
#ifndef SOFTLBR_TOOLCHAIN_BASE_SHARED_LIBRARY_H_
#define SOFTLBR_TOOLCHAIN_BASE_SHARED_LIBRARY_H_

#include <string>

namespace softlbr::toolchain {

// A library that stays loaded.
class SharedLibrary {
 public:
  SharedLibrary(const std::string& command, const std::string& name, const std::string& package);

  template <typename Function>
  void Find(const char* name, Function** function) const {
    *function = reinterpret_cast<Function*>(Symbol(name));
  }

 private:
  void* Symbol(const char* name) const;
  [[noreturn]] void Fail(const std::string& what) const;

  std::string command_;
  std::string name_;
  std::string package_;
  void* handle_ = nullptr;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_BASE_SHARED_LIBRARY_H_
