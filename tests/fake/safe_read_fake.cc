#include "tests/fake/safe_read_fake.h"

#include <cstdlib>
#include <cstring>

#include "platform/safe_read.h"

namespace softlbr {
namespace {

constexpr uint32_t kMaxAreas = 16;
struct Area {
  uint64_t begin;
  uint64_t end;
} areas[kMaxAreas];
uint32_t area_count = 0;
uint64_t probe_count = 0;

bool Contains(uint64_t address, uint64_t bytes) {
  for (uint32_t i = 0; i < area_count; ++i) {
    if (address >= areas[i].begin && address + bytes <= areas[i].end && address + bytes >= address) return true;
  }
  return false;
}

}  // namespace

namespace fake {

void AllowReading(const void* begin, uint64_t bytes) {
  if (area_count == kMaxAreas) std::abort();
  const uint64_t address = reinterpret_cast<uint64_t>(begin);
  areas[area_count++] = Area{address, address + bytes};
}
void ForgetReadable() {
  area_count = 0;
  probe_count = 0;
}
uint64_t ProbeCount() { return probe_count; }

}  // namespace fake

namespace platform {

bool IsReadable(uint64_t address) {
  ++probe_count;
  return Contains(address, 8);
}
Status CopyFrom(uint64_t address, void* output, uint64_t bytes) {
  if (!Contains(address, bytes)) return Status::kUnreadable;
  std::memcpy(output, reinterpret_cast<const void*>(address), bytes);
  return Status::kOk;
}
Status CopyChunks(const MemoryChunk* chunks, uint32_t count, void* output, uint64_t) {
  auto* to = static_cast<uint8_t*>(output);
  for (uint32_t i = 0; i < count; to += chunks[i++].bytes) {
    if (CopyFrom(chunks[i].begin, to, chunks[i].bytes) != Status::kOk) return Status::kUnreadable;
  }
  return Status::kOk;
}
uint64_t CopyReadable(int32_t, const MemoryChunk* chunks, uint32_t count, void* output, uint64_t) {
  auto* const begin = static_cast<uint8_t*>(output);
  uint8_t* to = begin;
  for (uint32_t i = 0; i < count && CopyFrom(chunks[i].begin, to, chunks[i].bytes) == Status::kOk; ++i)
    to += chunks[i].bytes;
  return static_cast<uint64_t>(to - begin);
}
uint64_t PageBytes() { return 4096; }
uint64_t LearnPageBytes() { return PageBytes(); }

}  // namespace platform
}  // namespace softlbr
