#include "runtime/code_check.h"

#include "platform/safe_read.h"
#include "runtime/base/limits.h"

namespace softlbr {

bool IsCachedCodeStale(BlockCache* cache, uint32_t* next) {
  platform::MemoryPiece pieces[kCheckedBlocks];
  uint32_t sums[kCheckedBlocks];
  uint8_t code[kCheckedBlocks * kCodeWindowBytes];
  const uint32_t count = ListCachedCode(cache, next, kCheckedBlocks, pieces, sums);
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < count; ++i) bytes += pieces[i].bytes;
  const Status status = platform::CopyPieces(pieces, count, code, bytes);
  if (status != Status::kOk) return status == Status::kUnreadable;
  const uint8_t* at = code;
  for (uint32_t i = 0; i < count; at += pieces[i++].bytes) {
    if (CodeSum(at, pieces[i].bytes) != sums[i]) return true;
  }
  return false;
}

}  // namespace softlbr
