// Walks the code of fall-through ranges with a decoder plugin: checks them, counts instructions, finds branches not
// taken.
//
// The plugin is linked into the command or, for other CPUs, loaded from the library folder. Host code.
// Memory: one summary per distinct block start, kept for the object's lifetime.
#ifndef SOFTLBR_TOOLCHAIN_BINARY_CODE_WALKER_H_
#define SOFTLBR_TOOLCHAIN_BINARY_CODE_WALKER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "decoders/api/plugin.h"
#include "toolchain/binary/elf_image.h"

namespace softlbr::toolchain {

// An opened decoder plugin and its arena. The CPU vendor is left open, as profiles do not record it.
class Decoder {
 public:
  // nullptr if there is no usable plugin for the machine.
  static std::shared_ptr<Decoder> ForMachine(uint16_t elf_machine);
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder();

  const softlbr_decoder_plugin& plugin() const { return *plugin_; }
  bool Lift(std::span<const uint8_t> code, uint64_t pc, softlbr_block* block) const;

 private:
  Decoder() = default;
  const softlbr_decoder_plugin* plugin_ = nullptr;
  softlbr_decoder* handle_ = nullptr;
  void* arena_ = nullptr;
};

enum class WalkResult {
  kOk,             // execution can fall through from `first` to the instruction at `last`
  kUnknown,        // code bytes are missing or undecodable
  kNotContiguous,  // an unconditional branch comes before `last`, or `last` is inside an instruction
};

struct WalkedRange {
  WalkResult result = WalkResult::kUnknown;
  uint64_t instructions = 0;  // from `first` to `last`, inclusive
  uint64_t bytes = 0;         // from `first` to the end of the instruction at `last`
  // kind of the instruction at `last`; FALLTHROUGH: not a branch
  softlbr_terminator_kind end = SOFTLBR_END_FALLTHROUGH;
  std::vector<uint64_t> not_taken;  // conditional branches before `last`
};

class CodeWalker {
 public:
  // Both non-null; the image is for the decoder's machine.
  CodeWalker(ElfImagePtr image, std::shared_ptr<Decoder> decoder)
      : image_(std::move(image)), decoder_(std::move(decoder)) {}

  // kNotContiguous without decoding if a profile may not hold this range (IsRange, slbr_format.h). addresses: also gets
  // those of the instructions, unless it is null.
  WalkedRange Walk(uint64_t first, uint64_t last, std::vector<uint64_t>* addresses = nullptr);
  // Kind of the instruction at `address`; FALLTHROUGH if it is not a branch or not decodable.
  softlbr_terminator_kind KindAt(uint64_t address) { return Walk(address, address).end; }

 private:
  struct Block {
    std::vector<uint8_t> lengths;
    softlbr_terminator_kind end = SOFTLBR_END_UNDECODABLE;
  };
  const Block& BlockAt(uint64_t pc);

  ElfImagePtr image_;
  std::shared_ptr<Decoder> decoder_;
  std::unordered_map<uint64_t, Block> blocks_;
};

// The instruction at an address, alone.
struct BranchInstruction {
  softlbr_terminator_kind kind = SOFTLBR_END_FALLTHROUGH;  // FALLTHROUGH: no branch; UNDECODABLE: no instruction
  std::optional<uint64_t> target;                          // of a direct branch
};
BranchInstruction DecodeBranch(const ElfImage& image, const Decoder& decoder, uint64_t address);

// "conditional", "jump", "call", "return", "indirect_jump", "indirect_call"; empty for any other kind.
std::string BranchKindName(softlbr_terminator_kind kind);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_BINARY_CODE_WALKER_H_
