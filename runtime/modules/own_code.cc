#include "runtime/modules/own_code.h"

#include "platform/memory_map.h"

// Bounds of section softlbr_text. The linker defines them because the section's name is a C identifier. Weak: a build that does
// not gather our code there (unit tests) has none.
extern "C" {
extern const uint8_t __start_softlbr_text[] __attribute__((weak, visibility("hidden")));
extern const uint8_t __stop_softlbr_text[] __attribute__((weak, visibility("hidden")));
}

namespace softlbr {
namespace {

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

}  // namespace

uint32_t ListOwnCode(const softlbr_decoder_plugin* plugin, AddressRange* ranges) {
  uint32_t count = 0;
  const auto own_begin = reinterpret_cast<uint64_t>(&__start_softlbr_text[0]);
  const auto own_end = reinterpret_cast<uint64_t>(&__stop_softlbr_text[0]);
  if (own_begin != 0 && own_begin < own_end) ranges[count++] = AddressRange{own_begin, own_end};
  const auto lift = reinterpret_cast<uint64_t>(plugin->lift);
  if (lift >= own_begin && lift < own_end) return count;
  Search search{lift, AddressRange{0, 0}};
  if (platform::ForEachMapping(VisitMapping, &search) == Status::kOk && search.found.end != 0) {
    // If the plugin is linked into the app's own text, that text must not become forbidden.
    const bool is_shared_with_runtime = reinterpret_cast<uint64_t>(&ListOwnCode) >= search.found.begin &&
                                        reinterpret_cast<uint64_t>(&ListOwnCode) < search.found.end;
    if (!is_shared_with_runtime) ranges[count++] = search.found;
  }
  return count;
}

}  // namespace softlbr
