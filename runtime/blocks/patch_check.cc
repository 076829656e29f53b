#include "runtime/blocks/patch_check.h"

#include "platform/base/limits.h"
#include "platform/safe_read.h"
#include "platform/thread.h"

namespace softlbr {

bool IsCachedCodeStale(BlockCache* cache, uint32_t* next) {
  platform::MemoryChunk chunks[kCheckedBlocks];
  uint32_t sums[kCheckedBlocks];
  uint8_t code[kCheckedBlocks * kCodeWindowBytes];
  const uint32_t count = ListCachedCode(cache, next, kCheckedBlocks, chunks, sums);
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < count; ++i) bytes += chunks[i].bytes;
  // The first call is five times as fast. If it does not copy everything, the second one tells why.
  if (platform::CopyReadable(platform::CurrentThreadId(), chunks, count, code, bytes) != bytes) {
    const Status status = platform::CopyChunks(chunks, count, code, bytes);
    if (status != Status::kOk) return status == Status::kUnreadable;
  }
  const uint8_t* at = code;
  for (uint32_t i = 0; i < count; at += chunks[i++].bytes) {
    if (CodeSum(at, chunks[i].bytes) != sums[i]) return true;
  }
  return false;
}

}  // namespace softlbr
