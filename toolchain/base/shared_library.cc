#include "toolchain/base/shared_library.h"

#include <dlfcn.h>

#include "toolchain/base/failure.h"

namespace softlbr::toolchain {

SharedLibrary::SharedLibrary(const std::string& command, const std::string& name, const std::string& package)
    : command_(command), name_(name), package_(package), handle_(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) Fail(dlerror());
}

void* SharedLibrary::Symbol(const char* name) const {
  void* symbol = dlsym(handle_, name);
  if (symbol == nullptr) Fail(name_ + " has no function " + name);
  return symbol;
}

void SharedLibrary::Fail(const std::string& what) const {
  throw StatedFailure(command_ + ": " + what + "; install the package " + package_);
}

}  // namespace softlbr::toolchain

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
// The leak check crashes on thread-local data of libraries that are loaded late, such as libdw's.
extern "C" const char* __asan_default_options();
const char* __asan_default_options() { return "intercept_tls_get_addr=0"; }
#endif
#endif
