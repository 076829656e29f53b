// Contract: mirrored_memory.h, and platform/safe_read.h over it.
#include "tests/paths/mirrored_memory.h"

#include <sys/mman.h>
#include <sys/personality.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <unordered_set>

#include "platform/safe_read.h"

namespace softlbr::paths {
namespace {

constexpr uint64_t kPageBytes = 4096;
constexpr char kAttemptVariable[] = "SOFTLBR_PATHS_ATTEMPT";
constexpr int kMaxAttempts = 20;

struct Window {
  uint64_t begin, end;
};
// Address ranges of programs without randomisation: fixed ones, position-independent ones with their heap, mappings,
// stack. The first array is the kernel's layout, the second QEMU's.
constexpr Window kProgramWindows[] = {{0x400000, 0x80000000},
                                      {0x4000000000, 0x5600000000},
                                      {0x555555554000, 0x555700000000},
                                      {0x7fff70000000, 0x7ffffffff000}};

const SteppedProgram* mirrored = nullptr;
std::unordered_set<uint64_t> mapped_pages;
uint64_t collision_count = 0;

template <typename Visit>
void ForEachMappingOf(const std::string& pid, Visit visit) {
  std::ifstream maps("/proc/" + pid + "/maps");
  for (std::string line; std::getline(maps, line);) {
    uint64_t begin = 0, end = 0;
    int path_at = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %*s %*s %*s %*s %n", &begin, &end, &path_at) < 2) continue;
    visit(begin, end, path_at > 0 ? line.substr(static_cast<size_t>(path_at)) : std::string());
  }
}

bool Overlaps() {
  bool result = false;
  ForEachMappingOf("self", [&result](uint64_t begin, uint64_t end, const std::string&) {
    for (const Window& window : kProgramWindows) result |= begin < window.end && end > window.begin;
  });
  return result;
}

}  // namespace

bool EnsureFreeAddresses(char** arguments) {
  if (!Overlaps()) return true;
  const char* text = std::getenv(kAttemptVariable);
  const int attempt = text != nullptr ? std::atoi(text) : 0;
  if (attempt < kMaxAttempts) {
    setenv(kAttemptVariable, std::to_string(attempt + 1).c_str(), 1);
    const int persona = personality(0xffffffff);
    if (persona >= 0) personality(static_cast<unsigned>(persona) & ~static_cast<unsigned>(ADDR_NO_RANDOMIZE));
    execv("/proc/self/exe", arguments);
  }
  std::fprintf(stderr,
               "this process lies where the programs do; it needs address randomisation "
               "(/proc/sys/kernel/randomize_va_space)\n");
  return false;
}

void MirrorMemoryOf(const SteppedProgram* program) {
  ForgetMirror();
  mirrored = program;
}

void ForgetMirror() {
  for (const uint64_t page : mapped_pages) munmap(reinterpret_cast<void*>(page), kPageBytes);
  mapped_pages.clear();
}

uint64_t MirrorCollisions() { return collision_count; }

void ReadSpecialRangesOf(pid_t pid, SpecialRanges* ranges) {
  ranges->count = 0;
  ranges->is_incomplete = 0;
  ForEachMappingOf(std::to_string(pid), [ranges](uint64_t begin, uint64_t end, const std::string& path) {
    const bool is_device =
        path.starts_with("/dev/") && !path.starts_with("/dev/shm/") && !path.starts_with("/dev/zero");
    if (!is_device && !path.starts_with("[vvar")) return;
    if (ranges->count == kMaxSpecialRanges) {
      ranges->is_incomplete = 1;
    } else {
      ranges->ranges[ranges->count++] = {begin, end, PageState::kSpecial};
    }
  });
}

std::string DescribeAddressOf(pid_t pid, uint64_t pc) {
  std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
  char text[64];
  for (std::string line; std::getline(maps, line);) {
    uint64_t begin = 0, end = 0, offset = 0;
    int path_at = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %*s %lx %*s %*s %n", &begin, &end, &offset, &path_at) < 3) continue;
    if (pc < begin || pc >= end) continue;
    std::string path = path_at > 0 ? line.substr(static_cast<size_t>(path_at)) : std::string();
    path.erase(0, path.rfind('/') + 1);
    std::snprintf(text, sizeof text, "+0x%lx", pc - begin + offset);
    return path + text;
  }
  std::snprintf(text, sizeof text, "0x%lx", pc);
  return text;
}

}  // namespace softlbr::paths

namespace softlbr::platform {

bool IsReadable(uint64_t address) {
  using namespace softlbr::paths;
  const uint64_t page = address & ~(kPageBytes - 1);
  if (mapped_pages.contains(page)) return true;
  uint8_t bytes[kPageBytes];
  if (mirrored == nullptr || !mirrored->ReadMemory(page, bytes, kPageBytes)) return false;
  void* const wanted = reinterpret_cast<void*>(page);
  void* const got =
      mmap(wanted, kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (got != wanted) {
    if (got != MAP_FAILED) munmap(got, kPageBytes);
    ++collision_count;
    return false;
  }
  std::memcpy(wanted, bytes, kPageBytes);
  mapped_pages.insert(page);
  return true;
}

Status CopyFrom(uint64_t address, void* output, uint64_t bytes) {
  const bool is_read = paths::mirrored != nullptr && paths::mirrored->ReadMemory(address, output, bytes);
  return is_read ? Status::kOk : Status::kUnreadable;
}

uint64_t CopyReadable(int32_t, const MemoryChunk* chunks, uint32_t count, void* output, uint64_t) {
  auto* const begin = static_cast<uint8_t*>(output);
  uint8_t* to = begin;
  for (uint32_t i = 0; i < count && CopyFrom(chunks[i].begin, to, chunks[i].bytes) == Status::kOk; ++i)
    to += chunks[i].bytes;
  return static_cast<uint64_t>(to - begin);
}

uint64_t PageBytes() { return paths::kPageBytes; }

}  // namespace softlbr::platform
