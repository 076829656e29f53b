// softlbr_load_decoder: a decoder from a shared object.
//
// A separate archive member, because it alone needs the dynamic loader: a static program that registers its decoder
// does not link dlopen, which would cause a linker warning.
#include "decoders/api/plugin.h"
#include "platform/base/attributes.h"
#include "platform/dynamic_library.h"
#include "runtime/include/softlbr/softlbr.h"

extern "C" SOFTLBR_EXPORT int softlbr_load_decoder(const char* path) {
  using softlbr::Status;
  if (path == nullptr) return static_cast<int>(Status::kInvalidArgument);
  void* symbol = nullptr;
  const Status status = softlbr::platform::LoadSymbol(path, SOFTLBR_DECODER_PLUGIN_SYMBOL, &symbol);
  if (status != Status::kOk) return static_cast<int>(status);
  return softlbr_register_decoder(reinterpret_cast<softlbr_decoder_plugin_function>(symbol)());
}
