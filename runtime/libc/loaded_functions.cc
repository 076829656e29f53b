#include "runtime/libc/loaded_functions.h"

#include <elf.h>
#include <link.h>

namespace softlbr {
namespace {

// The tables of a loaded library by which names are looked up.
struct SymbolTables {
  uint64_t base = 0;
  const Elf64_Sym* symbols = nullptr;
  const char* names = nullptr;
  const uint16_t* versions = nullptr;  // null: the library has no versions
  const uint32_t* gnu_hash = nullptr;
  const uint32_t* hash = nullptr;
};

struct Search {
  const char* name;
  uint32_t gnu_hash;
  uint32_t hash;
  bool is_past_own;
  const char* own_path;
  void* found;
};

bool HasAddress(const dl_phdr_info& info, uint64_t address) {
  for (uint32_t i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && address - info.dlpi_addr - segment.p_vaddr < segment.p_memsz) return true;
  }
  return false;
}

SymbolTables TablesOf(const dl_phdr_info& info) {
  SymbolTables tables;
  tables.base = info.dlpi_addr;
  const ElfW(Dyn)* entry = nullptr;
  for (uint32_t i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type == PT_DYNAMIC) {
      entry = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
    }
  }
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    // glibc's loader has added the base, unless the section is not writable; musl's has not.
    uint64_t address = entry->d_un.d_ptr;
    if (address < tables.base) address += tables.base;
    switch (entry->d_tag) {
      case DT_SYMTAB: tables.symbols = reinterpret_cast<const Elf64_Sym*>(address); break;
      case DT_STRTAB: tables.names = reinterpret_cast<const char*>(address); break;
      case DT_VERSYM: tables.versions = reinterpret_cast<const uint16_t*>(address); break;
      case DT_GNU_HASH: tables.gnu_hash = reinterpret_cast<const uint32_t*>(address); break;
      case DT_HASH: tables.hash = reinterpret_cast<const uint32_t*>(address); break;
      default: break;
    }
  }
  return tables;
}

bool IsSame(const char* a, const char* b) {
  for (; *a != '\0' && *a == *b; ++a) ++b;
  return *a == *b;
}

// True if the symbol is a function of this name that a library without version needs would be bound to.
bool IsWanted(const SymbolTables& tables, uint32_t index, const char* name) {
  constexpr uint16_t kHiddenVersion = 0x8000;
  const Elf64_Sym& symbol = tables.symbols[index];
  if (symbol.st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) return false;
  if (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL || !IsSame(tables.names + symbol.st_name, name)) return false;
  return tables.versions == nullptr || (tables.versions[index] & kHiddenVersion) == 0;
}

void* AddressOf(const SymbolTables& tables, uint32_t index) {
  return reinterpret_cast<void*>(tables.base + tables.symbols[index].st_value);
}

// Layout: bucket count, index of the first hashed symbol, words of the Bloom filter, its shift; the filter; buckets;
// chains.
void* LookUpByGnuHash(const SymbolTables& tables, const Search& search) {
  const uint32_t bucket_count = tables.gnu_hash[0];
  const uint32_t first = tables.gnu_hash[1];
  const uint32_t filter_words = tables.gnu_hash[2];
  if (bucket_count == 0 || filter_words == 0) return nullptr;
  const auto* filter = reinterpret_cast<const uint64_t*>(tables.gnu_hash + 4);
  const uint64_t word = filter[search.gnu_hash / 64 % filter_words];
  const uint32_t second = search.gnu_hash >> tables.gnu_hash[3];
  if ((word >> (search.gnu_hash % 64) & word >> (second % 64) & 1) == 0) return nullptr;
  const auto* buckets = reinterpret_cast<const uint32_t*>(filter + filter_words);
  const uint32_t* chains = buckets + bucket_count;
  uint32_t index = buckets[search.gnu_hash % bucket_count];
  if (index < first) return nullptr;
  for (;; ++index) {
    const uint32_t chained = chains[index - first];
    if ((chained | 1) == (search.gnu_hash | 1) && IsWanted(tables, index, search.name)) return AddressOf(tables, index);
    if ((chained & 1) != 0) return nullptr;
  }
}

void* LookUpByHash(const SymbolTables& tables, const Search& search) {
  const uint32_t bucket_count = tables.hash[0];
  if (bucket_count == 0) return nullptr;
  const uint32_t* chains = tables.hash + 2 + bucket_count;
  for (uint32_t index = tables.hash[2 + search.hash % bucket_count]; index != 0; index = chains[index]) {
    if (IsWanted(tables, index, search.name)) return AddressOf(tables, index);
  }
  return nullptr;
}

int Visit(dl_phdr_info* info, size_t, void* cookie) {
  auto* search = static_cast<Search*>(cookie);
  if (!search->is_past_own) {
    search->is_past_own = HasAddress(*info, reinterpret_cast<uint64_t>(&FindNextFunction));
    if (search->is_past_own) search->own_path = info->dlpi_name;
    return search->is_past_own && search->name == nullptr ? 1 : 0;
  }
  const SymbolTables tables = TablesOf(*info);
  if (tables.symbols == nullptr || tables.names == nullptr) return 0;
  if (tables.gnu_hash != nullptr) {
    search->found = LookUpByGnuHash(tables, *search);
  } else if (tables.hash != nullptr) {
    search->found = LookUpByHash(tables, *search);
  }
  return search->found != nullptr ? 1 : 0;
}

}  // namespace

void* FindNextFunction(const char* name) {
  Search search{name, 5381, 0, false, nullptr, nullptr};
  for (const char* at = name; *at != '\0'; ++at) {
    const auto byte = static_cast<uint8_t>(*at);
    search.gnu_hash = search.gnu_hash * 33 + byte;
    search.hash = (search.hash << 4) + byte;
    search.hash = (search.hash ^ (search.hash >> 24 & 0xf0)) & 0x0fffffff;
  }
  dl_iterate_phdr(Visit, &search);
  return search.found;
}

const char* OwnLibraryPath() {
  Search search{nullptr, 0, 0, false, nullptr, nullptr};
  dl_iterate_phdr(Visit, &search);
  return search.own_path;
}

}  // namespace softlbr
