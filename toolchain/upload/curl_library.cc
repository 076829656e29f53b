#include "toolchain/upload/curl_library.h"

#include <dlfcn.h>

#include "toolchain/host/failure.h"

namespace softlbr::toolchain {
namespace {

constexpr char kLibraryName[] = "libcurl.so.4";  // of every version since 7.16

CurlLibrary Load() {
  const std::string remedy = "; install the package libcurl4";
  void* handle = dlopen(kLibraryName, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw StatedFailure("upload: " + std::string(dlerror()) + remedy);
  CurlLibrary library;
#define SOFTLBR_CURL_LOAD(name)                                                                   \
  library.name = reinterpret_cast<decltype(library.name)>(dlsym(handle, "curl_" #name));          \
  if (library.name == nullptr) {                                                                  \
    throw StatedFailure("upload: " + std::string(kLibraryName) + " has no curl_" #name + remedy); \
  }
  SOFTLBR_CURL_FUNCTIONS(SOFTLBR_CURL_LOAD)
#undef SOFTLBR_CURL_LOAD
  return library;
}

}  // namespace

const CurlLibrary& Curl() {
  static const CurlLibrary library = Load();
  return library;
}

}  // namespace softlbr::toolchain
