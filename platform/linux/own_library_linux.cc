// Contract: own_library.h. A library's name is compared with those of the loaded ones, so the loader neither searches
// nor allocates.
#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstdint>

#include "platform/base/attributes.h"
#include "platform/base/config.h"
#include "platform/linux/auxiliary_vector.h"
#include "platform/own_library.h"

#if !SOFTLBR_OS_LINUX
#error "platform/linux is for Linux"
#endif

// A static program has no loader, and an old C library has it in another library. dlopen is looked up: where a static
// program refers to it, linkers warn.
#pragma weak dladdr
#pragma weak dlsym

extern "C" {
// The linker's own: the ELF header of the file that this code was linked into, if it is mapped.
extern const ElfW(Ehdr) __ehdr_start __attribute__((weak, visibility("hidden")));
}

namespace softlbr::platform {
namespace {

SOFTLBR_CONSTINIT std::atomic<bool> g_is_kept{false};

bool IsNeverDeleted(const ElfW(Ehdr) & header) {
  const auto file = reinterpret_cast<uint64_t>(&header);
  const auto* segments = reinterpret_cast<const ElfW(Phdr)*>(file + header.e_phoff);
  for (uint32_t i = 0; i < header.e_phnum; ++i) {
    if (segments[i].p_type != PT_DYNAMIC) continue;
    // Libraries are linked at address 0, where the header is.
    for (const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(file + segments[i].p_vaddr); entry->d_tag != DT_NULL;
         ++entry) {
      if (entry->d_tag == DT_FLAGS_1) return (entry->d_un.d_val & DF_1_NODELETE) != 0;
    }
  }
  return false;
}

}  // namespace

void KeepOwnLibrary() {
  const ElfW(Ehdr)* header = &__ehdr_start;
  if (header == nullptr || dlsym == nullptr || dladdr == nullptr || g_is_kept.exchange(true, std::memory_order_relaxed))
    return;
  const uint64_t program = AuxiliaryValue(AT_PHDR);
  if (program == reinterpret_cast<uint64_t>(header) + header->e_phoff || IsNeverDeleted(*header)) return;
  Dl_info info;
  if (dladdr(header, &info) == 0 || info.dli_fname == nullptr) return;
  const auto open = reinterpret_cast<decltype(&dlopen)>(dlsym(RTLD_DEFAULT, "dlopen"));
  if (open != nullptr) (void)open(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

}  // namespace softlbr::platform
