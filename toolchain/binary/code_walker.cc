#include "toolchain/binary/code_walker.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>

#include "platform/base/elf_machine.h"
#include "runtime/format/slbr_format.h"
#include "toolchain/base/install_layout.h"

#ifndef SOFTLBR_STATIC_DECODER_X86_64
#define SOFTLBR_STATIC_DECODER_X86_64 0
#endif

#if SOFTLBR_STATIC_DECODER_X86_64
extern "C" const softlbr_decoder_plugin* softlbr_decoder_plugin_x86_64(void);
#endif

namespace softlbr::toolchain {
namespace {

constexpr size_t kMaxArenaBytes = 16 << 20;
constexpr size_t kArenaAlignment = 64;

const softlbr_decoder_plugin* LoadPlugin(uint16_t machine) {
#if SOFTLBR_STATIC_DECODER_X86_64
  if (machine == kMachineX86_64) return softlbr_decoder_plugin_x86_64();
#endif
  const std::string path = FindLibrary(DecoderLibraryName(machine));
  if (path.empty()) return nullptr;
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  const auto function =
      reinterpret_cast<softlbr_decoder_plugin_function>(dlsym(library, SOFTLBR_DECODER_PLUGIN_SYMBOL));
  return function != nullptr ? function() : nullptr;
}

}  // namespace

std::shared_ptr<Decoder> Decoder::ForMachine(uint16_t elf_machine) {
  const softlbr_decoder_plugin* plugin = LoadPlugin(elf_machine);
  if (plugin == nullptr || plugin->abi_version != SOFTLBR_DECODER_ABI_VERSION ||
      plugin->struct_size != sizeof(softlbr_decoder_plugin) || plugin->arch != elf_machine ||
      plugin->arena_bytes > kMaxArenaBytes) {
    return nullptr;
  }
  std::shared_ptr<Decoder> decoder(new Decoder);
  decoder->plugin_ = plugin;
  const size_t bytes =
      (std::max<size_t>(plugin->arena_bytes, 1) + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
  decoder->arena_ = std::aligned_alloc(kArenaAlignment, bytes);
  if (decoder->arena_ == nullptr) return nullptr;
  // Profiles do not record the CPU's vendor.
  if (plugin->open(decoder->arena_, bytes, SOFTLBR_DECODER_VARIANT_UNKNOWN, &decoder->handle_) != SOFTLBR_DECODER_OK) {
    decoder->handle_ = nullptr;
    return nullptr;
  }
  return decoder;
}

Decoder::~Decoder() {
  if (handle_ != nullptr) plugin_->close(handle_);
  std::free(arena_);
}

bool Decoder::Lift(std::span<const uint8_t> code, uint64_t pc, softlbr_block* block) const {
  return plugin_->lift(handle_, code.data(), code.size(), pc, block) == SOFTLBR_DECODER_OK &&
         block->instruction_count <= SOFTLBR_BLOCK_MAX_INSTRUCTIONS;
}

const CodeWalker::Block& CodeWalker::BlockAt(uint64_t pc) {
  auto [it, is_new] = blocks_.try_emplace(pc);
  Block& summary = it->second;
  if (!is_new) return summary;
  const size_t window = size_t{SOFTLBR_BLOCK_MAX_INSTRUCTIONS} * decoder_->plugin().max_instruction_bytes;
  const std::span<const uint8_t> code = image_->CodeAt(pc, window);
  softlbr_block block;
  if (code.empty() || !decoder_->Lift(code, pc, &block)) return summary;
  summary.lengths.assign(block.length, block.length + block.instruction_count);
  summary.end = static_cast<softlbr_terminator_kind>(block.end.kind);
  return summary;
}

WalkedRange CodeWalker::Walk(uint64_t first, uint64_t last, std::vector<uint64_t>* addresses) {
  WalkedRange range;
  if (!IsRange(first, last)) {
    range.result = WalkResult::kNotContiguous;
    return range;
  }
  uint64_t pc = first;
  while (true) {
    const Block& block = BlockAt(pc);
    const bool has_terminator = block.end != SOFTLBR_END_FALLTHROUGH && block.end != SOFTLBR_END_UNDECODABLE;
    uint64_t address = pc;
    for (size_t i = 0; i < block.lengths.size(); ++i) {
      if (address > last) {
        range.result = WalkResult::kNotContiguous;
        return range;
      }
      const bool is_terminator = has_terminator && i + 1 == block.lengths.size();
      ++range.instructions;
      if (addresses != nullptr) addresses->push_back(address);
      if (address == last) {
        range.result = WalkResult::kOk;
        range.bytes = address + block.lengths[i] - first;
        range.end = is_terminator ? block.end : SOFTLBR_END_FALLTHROUGH;
        return range;
      }
      if (is_terminator) {
        if (block.end == SOFTLBR_END_CONDITIONAL) {
          range.not_taken.push_back(address);
        } else if (block.end != SOFTLBR_END_SYSCALL) {
          range.result = WalkResult::kNotContiguous;
          return range;
        }
      }
      address += block.lengths[i];
    }
    if (address == pc || block.end == SOFTLBR_END_UNDECODABLE) {
      range.result = address > last ? WalkResult::kNotContiguous : WalkResult::kUnknown;
      return range;
    }
    pc = address;
  }
}

BranchInstruction DecodeBranch(const ElfImage& image, const Decoder& decoder, uint64_t address) {
  const std::span<const uint8_t> code = image.CodeAt(address, decoder.plugin().max_instruction_bytes);
  softlbr_block block;
  BranchInstruction branch;
  if (code.empty() || !decoder.Lift(code, address, &block) || block.instruction_count == 0) {
    branch.kind = SOFTLBR_END_UNDECODABLE;
    return branch;
  }
  if (block.instruction_count != 1) return branch;
  const softlbr_terminator& end = block.end;
  branch.kind = static_cast<softlbr_terminator_kind>(end.kind);
  // only what comes after the instruction
  if (branch.kind == SOFTLBR_END_UNDECODABLE) branch.kind = SOFTLBR_END_FALLTHROUGH;
  const bool is_direct =
      end.kind == SOFTLBR_END_CONDITIONAL || end.kind == SOFTLBR_END_JUMP || end.kind == SOFTLBR_END_CALL;
  if (is_direct && end.base == SOFTLBR_REG_BLOCK && end.index == SOFTLBR_REG_ZERO && end.load_bytes == 0) {
    branch.target = address + static_cast<uint64_t>(end.disp);
  }
  return branch;
}

std::string BranchKindName(softlbr_terminator_kind kind) {
  switch (kind) {
    case SOFTLBR_END_CONDITIONAL: return "conditional";
    case SOFTLBR_END_JUMP: return "jump";
    case SOFTLBR_END_CALL: return "call";
    case SOFTLBR_END_RETURN: return "return";
    case SOFTLBR_END_INDIRECT_JUMP: return "indirect_jump";
    case SOFTLBR_END_INDIRECT_CALL: return "indirect_call";
    default: return "";
  }
}

}  // namespace softlbr::toolchain
