// Walks straight runs of a module's code with a decoder plugin: instruction counts, conditional branches passed,
// checks.
//
// The plugin is the one linked into the command or, for other CPUs, the shared object in the library folder. Host code.
// Memory: one summary per distinct block start, kept while the object lives.
#ifndef SOFTLBR_TOOLCHAIN_BINARY_CODE_WALKER_H_
#define SOFTLBR_TOOLCHAIN_BINARY_CODE_WALKER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "decoders/api/plugin.h"
#include "toolchain/binary/elf_image.h"

namespace softlbr::toolchain {

// A decoder plugin opened in an arena of its own, for a processor of any maker. nullptr if there is none for the machine.
class Decoder {
 public:
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
  kOk,             // `last` is an instruction of the run, and nothing before it leaves the run for certain
  kUnknown,        // code bytes are missing or undecodable: nothing is claimed
  kNotContiguous,  // an unconditional transfer lies before `last`, or `last` is inside an instruction
};

struct WalkedRange {
  WalkResult result = WalkResult::kUnknown;
  uint64_t instructions = 0;                              // from first to last, both counted
  uint64_t bytes = 0;                                     // to the end of the last instruction
  softlbr_terminator_kind end = SOFTLBR_END_FALLTHROUGH;  // what the instruction at `last` is; FALLTHROUGH: no branch
  std::vector<uint64_t> not_taken;                        // conditional branches before `last`
};

class CodeWalker {
 public:
  // image: of the decoder's machine. Both non-null.
  CodeWalker(ElfImagePtr image, std::shared_ptr<Decoder> decoder) : image_(std::move(image)), decoder_(std::move(decoder)) {}

  // Runs that are no ranges of a profile (slbr_format.h) are kNotContiguous without a walk.
  WalkedRange Walk(uint64_t first, uint64_t last);
  // What the instruction at `address` is, for naming branches; FALLTHROUGH if it is none or not decodable.
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

// conditional, jump, call, return, indirect_jump, indirect_call, or empty.
std::string BranchKindName(softlbr_terminator_kind kind);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_BINARY_CODE_WALKER_H_
