// The C API of runtime/include/softlbr/compact.h.
#include "platform/file.h"
#include "platform/folder.h"
#include "platform/memory_map.h"
#include "runtime/compact/session_compactor.h"
#include "softlbr/compact.h"

#include "platform/base/handler_prelude.h"

namespace {

namespace platform = softlbr::platform;
using softlbr::compact::CompactorMemory;
using softlbr::compact::CompactResult;

static_assert(sizeof(CompactorMemory) <= 14u << 20, "compact.h states how much is mapped");

struct Descriptors {
  int source;
  int target;
  uint64_t written;
};

long ReadSource(void* cookie, uint64_t offset, void* output, uint64_t bytes) {
  return platform::ReadAt(static_cast<const Descriptors*>(cookie)->source, offset, output, bytes);
}

bool WriteTarget(void* cookie, const void* bytes, uint64_t count) {
  auto* files = static_cast<Descriptors*>(cookie);
  if (platform::WriteAt(files->target, files->written, bytes, count) != 0) return false;
  files->written += count;
  return true;
}

}  // namespace

extern "C" int softlbr_compact(int source, int target) {
  void* memory = platform::MapMemory(sizeof(CompactorMemory), /*is_session=*/false);
  if (memory == nullptr) return SOFTLBR_COMPACT_FAILED;
  Descriptors files = {source, target, 0};
  softlbr::compact::SessionCompactor compactor(static_cast<CompactorMemory*>(memory),
                                               {ReadSource, WriteTarget, &files});
  const CompactResult result = compactor.Run();
  platform::UnmapMemory(memory, sizeof(CompactorMemory));
  return result == CompactResult::kDone   ? SOFTLBR_COMPACT_OK
         : result == CompactResult::kKept ? SOFTLBR_COMPACT_KEPT
                                          : SOFTLBR_COMPACT_FAILED;
}
