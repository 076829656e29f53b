// The modules of all frames of a session, each once, side by side on one address line (slbr_format.h).
//
// Who: source_frame.cc adds; session_compactor.cc writes frames with them. Context: control. Memory: the caller's;
// never grows.
// A module's place on the line never changes, so rows keep their order when more modules come.
#ifndef SOFTLBR_RUNTIME_COMPACT_MODULE_UNION_H_
#define SOFTLBR_RUNTIME_COMPACT_MODULE_UNION_H_

#include <cstdint>

#include "platform/base/limits.h"
#include "runtime/format/frame_builder.h"
#include "runtime/format/slbr_format.h"

namespace softlbr::compact {

struct KnownModule {
  ModuleSegment segments[kMaxProgramHeaders];
  uint64_t low;
  uint64_t span;
  uint32_t segment_count;
  uint32_t name_bytes;
  uint32_t build_id_bytes;
  uint16_t machine;
  uint16_t elf_type;
  bool is_main;
  uint8_t build_id[kMaxBuildIdBytes];
  char name[kMaxModuleNameBytes];
};

class ModuleUnion {
 public:
  void Clear() { count_ = 0; }

  // Finds the module, or adds it. False if there is no room, or if a known module has the same file but other
  // addresses.
  bool Add(const KnownModule& module, uint32_t* number);

  uint64_t Base(uint32_t number) const { return bases_[number]; }
  uint64_t End(uint32_t number) const { return bases_[number] + modules_[number].span; }
  // Of an address on the line that is not kOutside.
  uint32_t ModuleOf(uint64_t address) const;
  ModuleSource Source() const { return ModuleSource{this, count_, bases_, Describe}; }

 private:
  static void Describe(const void* cookie, uint32_t number, ModuleRecord* record);

  uint32_t count_;
  uint64_t bases_[kMaxModules];
  KnownModule modules_[kMaxModules];
};

}  // namespace softlbr::compact

#endif  // SOFTLBR_RUNTIME_COMPACT_MODULE_UNION_H_
