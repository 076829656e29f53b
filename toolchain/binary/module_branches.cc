#include "toolchain/binary/module_branches.h"

#include <utility>

#include "toolchain/binary/code_walker.h"
#include "toolchain/profile/profile_builder.h"

namespace softlbr::toolchain {
namespace {

class FileCode final : public ModuleCode {
 public:
  FileCode(ElfImagePtr image, std::shared_ptr<Decoder> decoder) : image_(std::move(image)), decoder_(std::move(decoder)) {}

  std::optional<uint64_t> DirectTarget(uint64_t address) override { return DecodeBranch(*image_, *decoder_, address).target; }

 private:
  ElfImagePtr image_;
  std::shared_ptr<Decoder> decoder_;
};

// A rewritten file may have kept the build id.
bool HasSegmentsOf(const ElfImage& image, const ProfileModule& module) {
  if (image.segments().size() != module.segments.size()) return false;
  for (size_t i = 0; i < module.segments.size(); ++i) {
    const Segment& a = image.segments()[i];
    const Segment& b = module.segments[i];
    if (a.vaddr != b.vaddr || a.file_offset != b.file_offset || a.file_bytes != b.file_bytes || a.memory_bytes != b.memory_bytes ||
        a.flags != b.flags) {
      return false;
    }
  }
  return true;
}

}  // namespace

ModuleCode* ModuleBranches::Find(const ProfileModule& module) {
  const auto [entry, is_new] = found_.try_emplace(ModuleIdentity(module));
  if (!is_new || module.build_id.empty()) return entry->second.get();
  if (!files_) files_.emplace(named_, profile_path_);
  ElfImagePtr image = files_->Find(module);
  if (image == nullptr || image->is_debug_only() || image->build_id() != module.build_id || !HasSegmentsOf(*image, module)) {
    return nullptr;
  }
  std::shared_ptr<Decoder> decoder = Decoder::ForMachine(module.machine);
  if (decoder == nullptr) return nullptr;
  entry->second = std::make_unique<FileCode>(std::move(image), std::move(decoder));
  return entry->second.get();
}

}  // namespace softlbr::toolchain
