// What kind of instruction some code bytes are: mnemonic, extension of the instruction set, packing, memory access,
// operands. By Capstone, which is loaded with the first use.
//
// Errors: StatedFailure if Capstone is not installed, or does not know the machine.
#ifndef SOFTLBR_TOOLCHAIN_CODE_INSTRUCTION_KINDS_H_
#define SOFTLBR_TOOLCHAIN_CODE_INSTRUCTION_KINDS_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace softlbr::toolchain {

struct InstructionKind {
  std::string mnemonic;   // "vaddpd"; "(unknown)" if Capstone cannot decode the bytes
  std::string extension;  // "base", or Capstone's group in lower case: "sse2", "avx", "neon"
  std::string packing;    // "none": no vector register; "scalar"; "packed 128", by the widest register
  std::string memory;     // "none", "read", "write", "read+write"; an address that is only computed is none
  // the written ones in Capstone's order: "reg,mem", "reg,imm"; "other" is none of these
  std::string operands = "none";
};

class InstructionKinds {
 public:
  // command: for the text of a failure.
  explicit InstructionKinds(uint16_t elf_machine, const std::string& command = "mix");
  ~InstructionKinds();
  InstructionKinds(const InstructionKinds&) = delete;
  InstructionKinds& operator=(const InstructionKinds&) = delete;

  InstructionKind Of(std::span<const uint8_t> code, uint64_t address) const;

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_CODE_INSTRUCTION_KINDS_H_
