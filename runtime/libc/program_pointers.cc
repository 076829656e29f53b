#include "runtime/libc/program_pointers.h"

#include "platform/safe_read.h"

namespace softlbr {
namespace {

constexpr uint64_t kSmallestPage = 4096;  // of a larger page, each part of this size is probed

uint64_t PageOf(uint64_t address) { return address & ~(kSmallestPage - 1); }

}  // namespace

bool ReadableProbe::CanReadPage(uint64_t page) {
  if (page != last_ && !platform::IsReadable(page)) return false;
  last_ = page;
  return true;
}

bool ReadableProbe::CanRead(const void* from, uint64_t bytes) {
  const auto begin = reinterpret_cast<uint64_t>(from);
  const uint64_t last = PageOf(begin + bytes - 1);
  for (uint64_t page = PageOf(begin); CanReadPage(page); page += kSmallestPage) {
    if (page == last) return true;
  }
  return false;
}

bool ReadableProbe::CanReadText(const char* text, uint32_t most) {
  for (const char* end = text + most; text != end; ++text) {
    if (!CanReadPage(PageOf(reinterpret_cast<uint64_t>(text)))) return false;
    if (*text == '\0') break;
  }
  return true;
}

}  // namespace softlbr
