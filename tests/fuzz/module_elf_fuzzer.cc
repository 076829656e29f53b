// Fuzzes the runtime's reading of modules with arbitrary bytes as a mapped ELF file and as the file it was mapped from:
// headers, build id and tables of critical sections must be read consistently, in bounded time and without touching
// memory beyond the mapping.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "platform/base/limits.h"
#include "runtime/modules/memory_elf.h"
#include "runtime/modules/rseq_sections.h"

namespace softlbr {
namespace {

constexpr size_t kMostBytes = 1 << 20;
constexpr size_t kPageBytes = 4096;

void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "requirement failed: %s\n", what);
  std::abort();
}

void CheckModule(const Module& module) {
  Require(module.segment_count >= 1 && module.segment_count <= kMaxProgramHeaders, "segments fit");
  Require(module.build_id_bytes <= kMaxBuildIdBytes, "build ids fit");
  Require(module.end > module.begin, "a module is not empty");
}

void CheckCriticalSections(const Module& module, const CodeMap& map) {
  Require(map.critical_section_count <= kMaxCriticalSections, "critical sections fit");
  for (uint32_t i = 0; i < map.critical_section_count; ++i) {
    Require(map.critical_sections[i].begin < map.critical_sections[i].end, "critical sections are not empty");
    Require(i == 0 || map.critical_sections[i - 1].end < map.critical_sections[i].begin,
            "critical sections are sorted and disjoint");
    Require(map.critical_sections[i].begin >= module.begin && map.critical_sections[i].end <= module.end,
            "critical sections are in the module");
  }
}

}  // namespace
}  // namespace softlbr

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace softlbr;
  if (size > kMostBytes) return 0;
  static const int file = memfd_create("module", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  Require(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == static_cast<ssize_t>(size), "the file is written");
  // The file as a loader maps it, in whole pages, zero-filled at the end; followed by an inaccessible page.
  const size_t pages = (size + kPageBytes - 1) / kPageBytes * kPageBytes;
  void* memory = mmap(nullptr, pages + kPageBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  Require(memory != MAP_FAILED, "there is memory");
  if (pages != 0) {
    Require(mprotect(memory, pages, PROT_READ | PROT_WRITE) == 0, "mprotect succeeds");
    std::memcpy(memory, data, size);
  }
  static Module module;
  static CodeMap map;
  std::memset(&module, 0, sizeof module);
  if (ReadMemoryElf(reinterpret_cast<uint64_t>(memory), &module)) {
    CheckModule(module);
    map.critical_section_count = 0;
    map.has_unsettled_critical_sections = 0;
    AddCriticalSections(module, path.c_str(), &map);
    CheckCriticalSections(module, map);
  }
  ForEachRseqTable(
      file, [](void*, const RseqTable&) {}, nullptr);
  munmap(memory, pages + kPageBytes);
  return 0;
}
