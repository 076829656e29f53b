#include "runtime/modules/own_code.h"

#include "platform/memory_map.h"

// Bounds of section softlbr_text. The linker defines them because the section's name is a C identifier. Weak: a build
// that does not gather our code there (unit tests) has none.
extern "C" {
extern const uint8_t __start_softlbr_text[] __attribute__((weak, visibility("hidden")));
extern const uint8_t __stop_softlbr_text[] __attribute__((weak, visibility("hidden")));
}

namespace softlbr {
namespace {

SOFTLBR_CONSTINIT bool g_owns_whole_library = false;

struct Search {
  uint64_t address;
  AddressRange found;
};

bool VisitMapping(void* cookie, const platform::Mapping& mapping) {
  auto* search = static_cast<Search*>(cookie);
  if (!mapping.is_executable || search->address < mapping.begin || search->address >= mapping.end) return true;
  search->found = AddressRange{mapping.begin, mapping.end};
  return false;
}

// The executable mapping that holds the address; end is 0 if there is none.
AddressRange MappingOf(uint64_t address) {
  Search search{address, AddressRange{0, 0}};
  (void)platform::ForEachMapping(VisitMapping, &search);
  return search.found;
}

}  // namespace

void OwnWholeLibrary() { g_owns_whole_library = true; }

uint32_t ListOwnCode(const softlbr_decoder_plugin* plugin, AddressRange* ranges) {
  uint32_t count = 0;
  auto own_begin = reinterpret_cast<uint64_t>(&__start_softlbr_text[0]);
  auto own_end = reinterpret_cast<uint64_t>(&__stop_softlbr_text[0]);
  const auto here = reinterpret_cast<uint64_t>(&ListOwnCode);
  if (g_owns_whole_library) {
    const AddressRange whole = MappingOf(here);
    if (whole.end != 0) {
      own_begin = whole.begin;
      own_end = whole.end;
    }
  }
  if (own_begin != 0 && own_begin < own_end) ranges[count++] = AddressRange{own_begin, own_end};
  const auto lift = reinterpret_cast<uint64_t>(plugin->lift);
  if (lift >= own_begin && lift < own_end) return count;
  const AddressRange decoder = MappingOf(lift);
  // If the plugin is linked into the app's own text, that text must not become forbidden.
  if (decoder.end != 0 && (here < decoder.begin || here >= decoder.end)) ranges[count++] = decoder;
  return count;
}

}  // namespace softlbr
