#include "toolchain/plugin/forbidden_calls.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace softlbr::toolchain {
namespace {

constexpr const char* kForbidden[] = {
    "malloc",
    "calloc",
    "realloc",
    "free",
    "aligned_alloc",
    "posix_memalign",
    "_Znwm",
    "_Znam",
    "_ZdlPv",
    "_ZdlPvm",
    "_ZdaPv",
    "pthread_mutex_lock",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock",
    "pthread_once",
    "__cxa_throw",
    "__cxa_guard_acquire",
    "__cxa_allocate_exception",
    "__tls_get_addr",
};
constexpr size_t kForbiddenCount = sizeof kForbidden / sizeof kForbidden[0];

void (*g_on_call)(const char*) = nullptr;

template <size_t index>
void Called() {
  g_on_call(kForbidden[index]);
  abort();
}

template <size_t... indices>
constexpr std::array<void (*)(), sizeof...(indices)> Stubs(std::index_sequence<indices...>) {
  return {Called<indices>...};
}
constexpr auto kStubs = Stubs(std::make_index_sequence<kForbiddenCount>());

// The relocations that hold the address of an imported function. The numbers of one CPU are none of the other's.
bool IsFunctionSlot(uint64_t type) {
  return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT || type == R_AARCH64_JUMP_SLOT ||
         type == R_AARCH64_GLOB_DAT;
}

struct Tables {
  const Elf64_Sym* symbols = nullptr;
  const char* names = nullptr;
  const Elf64_Rela* relocations[2] = {};
  size_t bytes[2] = {};
};

bool Replace(uintptr_t base, const Tables& tables, const Elf64_Rela& relocation) {
  if (!IsFunctionSlot(ELF64_R_TYPE(relocation.r_info))) return true;
  const char* name = tables.names + tables.symbols[ELF64_R_SYM(relocation.r_info)].st_name;
  for (size_t i = 0; i < kForbiddenCount; ++i) {
    if (strcmp(name, kForbidden[i]) != 0) continue;
    auto* slot = reinterpret_cast<uintptr_t*>(base + relocation.r_offset);
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    void* begin = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(slot) / page * page);
    if (mprotect(begin, page, PROT_READ | PROT_WRITE) != 0) return false;
    *slot = reinterpret_cast<uintptr_t>(kStubs[i]);
    return true;
  }
  return true;
}

}  // namespace

bool ReplaceForbiddenImports(const void* address, void (*on_call)(const char*)) {
  Dl_info info;
  link_map* object = nullptr;
  if (dladdr1(address, &info, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) == 0 || object == nullptr)
    return false;
  g_on_call = on_call;
  Tables tables;
  for (const ElfW(Dyn)* entry = object->l_ld; entry->d_tag != DT_NULL; ++entry) {
    const auto pointer = entry->d_un.d_ptr;  // relocated by the dynamic loader of glibc
    switch (entry->d_tag) {
      case DT_SYMTAB: tables.symbols = reinterpret_cast<const Elf64_Sym*>(pointer); break;
      case DT_STRTAB: tables.names = reinterpret_cast<const char*>(pointer); break;
      case DT_RELA: tables.relocations[0] = reinterpret_cast<const Elf64_Rela*>(pointer); break;
      case DT_RELASZ: tables.bytes[0] = entry->d_un.d_val; break;
      case DT_JMPREL: tables.relocations[1] = reinterpret_cast<const Elf64_Rela*>(pointer); break;
      case DT_PLTRELSZ: tables.bytes[1] = entry->d_un.d_val; break;
      default: break;
    }
  }
  if (tables.symbols == nullptr || tables.names == nullptr) return false;
  for (int kind = 0; kind < 2; ++kind) {
    for (size_t i = 0; i < tables.bytes[kind] / sizeof(Elf64_Rela); ++i) {
      if (!Replace(object->l_addr, tables, tables.relocations[kind][i])) return false;
    }
  }
  return true;
}

}  // namespace softlbr::toolchain
