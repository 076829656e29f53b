#include "runtime/compact/module_union.h"

#include "platform/base/bytes.h"

#include "platform/base/handler_prelude.h"

namespace softlbr::compact {
namespace {

// As docs/profile_format.md, "3 modules", has it.
bool IsSameModule(const KnownModule& a, const KnownModule& b) {
  if (a.build_id_bytes != b.build_id_bytes || a.machine != b.machine || a.elf_type != b.elf_type ||
      a.segment_count != b.segment_count || !EqualBytes(a.build_id, b.build_id, a.build_id_bytes) ||
      !EqualBytes(a.segments, b.segments, a.segment_count * sizeof a.segments[0])) {
    return false;
  }
  return a.build_id_bytes != 0 || (a.name_bytes == b.name_bytes && EqualBytes(a.name, b.name, a.name_bytes));
}

}  // namespace

bool ModuleUnion::Add(const KnownModule& module, uint32_t* number) {
  for (uint32_t i = 0; i < count_; ++i) {
    if (!IsSameModule(modules_[i], module)) continue;
    modules_[i].is_main |= module.is_main;
    *number = i;
    return modules_[i].low == module.low && modules_[i].span == module.span;
  }
  const uint64_t base = count_ == 0 ? 1 : End(count_ - 1);
  if (count_ == kMaxModules || module.span > kMaxLinear - base) return false;
  bases_[count_] = base;
  CopyBytes(&modules_[count_], &module, sizeof module);
  *number = count_++;
  return true;
}

uint32_t ModuleUnion::ModuleOf(uint64_t address) const {
  uint32_t low = 0;
  uint32_t high = count_;  // the last base <= address lies in [low, high)
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    if (bases_[middle] <= address) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

void ModuleUnion::Describe(const void* cookie, uint32_t number, ModuleRecord* record) {
  const KnownModule& module = static_cast<const ModuleUnion*>(cookie)->modules_[number];
  *record = ModuleRecord{module.name,           module.build_id,      module.segments, module.name_bytes,
                         module.build_id_bytes, module.segment_count, module.machine,  module.elf_type,
                         module.is_main,        module.low,           module.span};
}

}  // namespace softlbr::compact
