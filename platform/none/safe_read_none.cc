// No guarded reads on this target: no address counts as readable.
#include "platform/safe_read.h"

namespace softlbr::platform {

bool IsReadable(uint64_t) { return false; }
Status CopyFrom(uint64_t, void*, uint64_t) { return Status::kUnsupported; }
Status CopyChunks(const MemoryChunk*, uint32_t, void*, uint64_t) { return Status::kUnsupported; }
uint64_t CopyReadable(int32_t, const MemoryChunk*, uint32_t, void*, uint64_t) { return 0; }
uint64_t LearnPageBytes() { return PageBytes(); }
uint64_t PageBytes() { return 4096; }  // not 0, because callers divide by it

}  // namespace softlbr::platform
