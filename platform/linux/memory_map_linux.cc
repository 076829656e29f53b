// Reads mappings from /proc/thread-self/maps: unlike /proc/self/maps it stays readable after the main thread has ended.
//
// The kernel escapes a newline in a file name as "\012" and appends " (deleted)" to the name of a deleted file.
#include <asm/unistd.h>
#include <linux/mman.h>

#include "platform/base/config.h"
#include "platform/base/limits.h"
#include "platform/linux/text_lines.h"
#include "platform/memory_map.h"
#include "platform/syscall.h"

#if !SOFTLBR_OS_LINUX
#error "platform/linux is for Linux"
#endif

namespace softlbr::platform {
namespace {

// "55d0-55d8 r-xp 00001000 fe:01 1234   /path"
bool ParseMapping(const char* line, Mapping* mapping) {
  const char* at = line;
  mapping->begin = ParseHex(&at);
  if (*at++ != '-') return false;
  mapping->end = ParseHex(&at);
  if (*at++ != ' ' || mapping->end <= mapping->begin) return false;
  for (int i = 0; i < 4; ++i) {
    if (at[i] == '\0') return false;
  }
  mapping->is_readable = at[0] == 'r';
  mapping->is_writable = at[1] == 'w';
  mapping->is_executable = at[2] == 'x';
  mapping->is_private = at[3] == 'p';
  at += 4;
  SkipSpace(&at);
  mapping->file_offset = ParseHex(&at);
  SkipSpace(&at);
  const uint64_t major = ParseHex(&at);
  if (*at++ != ':') return false;
  const uint64_t minor = ParseHex(&at);
  mapping->device = static_cast<uint32_t>(major << 20 | minor);  // the kernel's internal dev_t
  SkipSpace(&at);
  mapping->inode = ParseDecimal(&at);
  SkipSpace(&at);
  mapping->path = at;
  return true;
}

}  // namespace

Status ForEachMapping(MappingVisitor visit, void* cookie) {
  char buffer[kMapLineBytes];
  TextLines lines("/proc/thread-self/maps", buffer, sizeof(buffer));
  if (!lines.IsOpen()) return Status::kUnsupported;
  while (const char* line = lines.Next()) {
    Mapping mapping;
    if (!ParseMapping(line, &mapping)) return Status::kSystemError;
    if (!visit(cookie, mapping)) return Status::kOk;
  }
  return lines.HasFailed() ? Status::kSystemError : Status::kOk;
}

void* MapMemory(uint64_t bytes, bool is_session) {
  // The kernel shows a shared mapping as one of a file ("/dev/zero").
  const int sharing = is_session ? MAP_SHARED : MAP_PRIVATE;
  const long address =
      SysCall(__NR_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE, sharing | MAP_ANONYMOUS, /*fd=*/-1, 0);
  if (address < 0 && address > -4096) return nullptr;
  void* memory = reinterpret_cast<void*>(address);
  // a core dump of the app is as large as without us
  SysCall(__NR_madvise, address, static_cast<long>(bytes), MADV_DONTDUMP);
  if (is_session && SysCall(__NR_madvise, address, static_cast<long>(bytes), MADV_DONTFORK) != 0) {
    UnmapMemory(memory, bytes);  // a child would use it, too
    return nullptr;
  }
  return memory;
}

void UnmapMemory(void* memory, uint64_t bytes) {
  SysCall(__NR_munmap, reinterpret_cast<long>(memory), static_cast<long>(bytes));
}

}  // namespace softlbr::platform
