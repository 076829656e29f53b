#include "toolchain/code/instruction_kinds.h"

#include <capstone/capstone.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "platform/base/elf_machine.h"
#include "toolchain/base/failure.h"
#include "toolchain/base/shared_library.h"

namespace softlbr::toolchain {
namespace {

// Its functions, without their prefix "cs_".
struct CapstoneLibrary {
  decltype(&::cs_open) open;
  decltype(&::cs_close) close;
  decltype(&::cs_option) option;
  decltype(&::cs_malloc) malloc;
  decltype(&::cs_free) free;
  decltype(&::cs_disasm_iter) disasm_iter;
  decltype(&::cs_group_name) group_name;
  decltype(&::cs_reg_name) reg_name;
};

CapstoneLibrary LoadCapstone(const std::string& command) {
  const SharedLibrary library(command, "libcapstone.so.4", "libcapstone4");
  CapstoneLibrary capstone{};
  library.Find("cs_open", &capstone.open);
  library.Find("cs_close", &capstone.close);
  library.Find("cs_option", &capstone.option);
  library.Find("cs_malloc", &capstone.malloc);
  library.Find("cs_free", &capstone.free);
  library.Find("cs_disasm_iter", &capstone.disasm_iter);
  library.Find("cs_group_name", &capstone.group_name);
  library.Find("cs_reg_name", &capstone.reg_name);
  return capstone;
}

const CapstoneLibrary& Capstone(const std::string& command = "mix") {
  static const CapstoneLibrary capstone = LoadCapstone(command);
  return capstone;
}

constexpr unsigned kXmmBits = 128;
constexpr unsigned kYmmBits = 256;
constexpr unsigned kZmmBits = 512;
constexpr unsigned kMmxBits = 64;

// Width of an x86 vector register by its name; 0 for any other register.
unsigned VectorBits(std::string_view name) {
  if (name.starts_with("zmm")) return kZmmBits;
  if (name.starts_with("ymm")) return kYmmBits;
  if (name.starts_with("xmm")) return kXmmBits;
  return name.starts_with("mm") ? kMmxBits : 0;
}

// SSE and AVX name their scalar floating-point forms ...ss and ...sd, moves of single integers ...d and ...q. The
// string instruction movsd has no vector register; vbroadcastss and vbroadcastsd write all elements.
bool IsScalarForm(std::string_view mnemonic) {
  if (mnemonic.starts_with("vbroadcast")) return false;
  for (const std::string_view end : {"ss", "sd", "ss2si", "sd2si", "ss2sd", "sd2ss", "si2ss", "si2sd", "ss2usi",
                                     "sd2usi", "usi2ss", "usi2sd", "tss2si", "tsd2si"}) {
    if (mnemonic.ends_with(end)) return true;
  }
  return mnemonic == "movd" || mnemonic == "movq" || mnemonic == "vmovd" || mnemonic == "vmovq";
}

std::string Packing(unsigned bits, bool is_scalar) {
  if (bits == 0) return "none";
  return is_scalar ? "scalar" : "packed " + std::to_string(bits);
}

// What the prefix of an EVEX instruction (0x62 in 64-bit mode) tells of one that Capstone does not know: bits 5 and 6
// of its fourth byte are the width; of 128 bits it may be scalar. With a register operand (mod 3) and bit 4 they are a
// rounding mode, and the width is 512.
void DescribeEvex(std::span<const uint8_t> code, InstructionKind* kind) {
  constexpr size_t kLeastBytes = 6;  // prefix, opcode, ModRM
  if (code.size() < kLeastBytes || code[0] != 0x62) return;
  kind->extension = "avx512";
  const bool is_rounding = (code[3] & 0x10) != 0 && code[5] >> 6 == 3;
  const unsigned width = is_rounding ? 2 : (code[3] >> 5) & 3;
  kind->packing = width == 2 ? "packed 512" : width == 1 ? "packed 256" : "(unknown)";
}

std::string MemoryName(bool reads, bool writes) {
  if (reads) return writes ? "read+write" : "read";
  return writes ? "write" : "none";
}

// The name of an operand's type, which Capstone numbers alike for both machines up to the memory operand.
const char* OperandName(int type) {
  switch (type) {
    case CS_OP_REG: return "reg";
    case CS_OP_IMM: return "imm";
    case CS_OP_MEM: return "mem";
    default: return "other";
  }
}

void AddOperand(int type, InstructionKind* kind) {
  kind->operands = (kind->operands == "none" ? "" : kind->operands + ",") + OperandName(type);
}

void DescribeX86(csh handle, const cs_insn& instruction, InstructionKind* kind) {
  const cs_x86& x86 = instruction.detail->x86;
  unsigned bits = 0;
  bool reads = false;
  bool writes = false;
  for (uint8_t i = 0; i < x86.op_count; ++i) {
    const cs_x86_op& operand = x86.operands[i];
    AddOperand(static_cast<int>(operand.type), kind);
    if (operand.type == X86_OP_REG) {
      const char* name = Capstone().reg_name(handle, static_cast<unsigned>(operand.reg));
      if (name != nullptr) bits = std::max(bits, VectorBits(name));
    }
    if (operand.type != X86_OP_MEM || instruction.id == X86_INS_LEA || instruction.id == X86_INS_NOP) continue;
    reads = reads || (operand.access & CS_AC_READ) != 0;
    writes = writes || (operand.access & CS_AC_WRITE) != 0;
  }
  const std::string_view mnemonic = kind->mnemonic;
  if (mnemonic.starts_with("push") || mnemonic == "call") writes = true;
  if (mnemonic.starts_with("pop") && mnemonic != "popcnt") reads = true;
  if (mnemonic.starts_with("ret") || mnemonic == "leave") reads = true;
  kind->packing = Packing(bits, IsScalarForm(mnemonic));
  kind->memory = MemoryName(reads, writes);
}

void DescribeAarch64(csh handle, const cs_insn& instruction, InstructionKind* kind) {
  const cs_arm64& arm64 = instruction.detail->arm64;
  bool has_memory = false;
  unsigned bits = 0;
  bool has_lanes = false;
  for (uint8_t i = 0; i < arm64.op_count; ++i) {
    const cs_arm64_op& operand = arm64.operands[i];
    AddOperand(static_cast<int>(operand.type), kind);
    has_memory = has_memory || operand.type == ARM64_OP_MEM;
    if (operand.type != ARM64_OP_REG) continue;
    has_lanes = has_lanes || operand.vas != ARM64_VAS_INVALID;
    const char* name = Capstone().reg_name(handle, static_cast<unsigned>(operand.reg));
    const char first = name != nullptr ? name[0] : '\0';
    const bool is_vector =
        (first == 'b' || first == 'h' || first == 's' || first == 'd' || first == 'q' || first == 'v') &&
        std::isdigit(static_cast<unsigned char>(name[1])) != 0;
    if (is_vector) bits = kXmmBits;
  }
  // prfm names an address that it may bring near, no access of the program.
  const std::string_view mnemonic = kind->mnemonic;
  const bool is_atomic = mnemonic.starts_with("cas") || mnemonic.starts_with("swp") || mnemonic.starts_with("ldadd") ||
                         mnemonic.starts_with("ldset") || mnemonic.starts_with("ldclr") ||
                         mnemonic.starts_with("ldeor");
  const bool reads = has_memory && (is_atomic || mnemonic.starts_with("ld"));
  const bool writes = has_memory && (is_atomic || mnemonic.starts_with("st"));
  kind->packing = Packing(bits, !has_lanes);
  kind->memory = MemoryName(reads, writes);
}

}  // namespace

struct InstructionKinds::Handle {
  csh capstone = 0;
  cs_insn* instruction = nullptr;
  uint16_t machine = 0;
};

InstructionKinds::InstructionKinds(uint16_t elf_machine, const std::string& command)
    : handle_(std::make_unique<Handle>()) {
  const bool is_x86 = elf_machine == kMachineX86_64;
  if (!is_x86 && elf_machine != kMachineAarch64) {
    throw StatedFailure(command + ": instructions of machine " + std::to_string(elf_machine) +
                        " are not known; leave its module out");
  }
  handle_->machine = elf_machine;
  const cs_arch arch = is_x86 ? CS_ARCH_X86 : CS_ARCH_ARM64;
  if (Capstone(command).open(arch, is_x86 ? CS_MODE_64 : CS_MODE_LITTLE_ENDIAN, &handle_->capstone) != CS_ERR_OK) {
    throw StatedFailure(command + ": Capstone does not open; install the package libcapstone4 of this system");
  }
  Capstone().option(handle_->capstone, CS_OPT_DETAIL, CS_OPT_ON);
  handle_->instruction = Capstone().malloc(handle_->capstone);
}

InstructionKinds::~InstructionKinds() {
  if (handle_->instruction != nullptr) Capstone().free(handle_->instruction, 1);
  Capstone().close(&handle_->capstone);
}

InstructionKind InstructionKinds::Of(std::span<const uint8_t> code, uint64_t address) const {
  InstructionKind kind{"(unknown)", "(unknown)", "none", "none"};
  constexpr std::array<uint8_t, 4> kEndbr64 = {0xf3, 0x0f, 0x1e, 0xfa};  // which Capstone 4 does not know
  if (handle_->machine == kMachineX86_64 && std::equal(code.begin(), code.end(), kEndbr64.begin(), kEndbr64.end())) {
    return {"endbr64", "cet", "none", "none"};
  }
  const uint8_t* bytes = code.data();
  size_t size = code.size();
  cs_insn* instruction = handle_->instruction;
  if (instruction == nullptr || !Capstone().disasm_iter(handle_->capstone, &bytes, &size, &address, instruction)) {
    if (handle_->machine == kMachineX86_64) DescribeEvex(code, &kind);
    return kind;
  }
  kind.mnemonic = instruction->mnemonic;
  kind.extension = "base";
  // Groups up to CS_GRP_BRANCH_RELATIVE say what an instruction does to control flow and privilege; the others name
  // extensions.
  for (uint8_t i = 0; i < instruction->detail->groups_count; ++i) {
    const unsigned group = instruction->detail->groups[i];
    const char* name = Capstone().group_name(handle_->capstone, group);
    if (group <= CS_GRP_BRANCH_RELATIVE || name == nullptr) continue;
    const std::string_view mode = name;
    if (mode == "mode64" || mode == "not64bitmode" || mode == "mode32") continue;
    kind.extension = name;
    break;
  }
  if (handle_->machine == kMachineX86_64) {
    DescribeX86(handle_->capstone, *instruction, &kind);
  } else {
    DescribeAarch64(handle_->capstone, *instruction, &kind);
  }
  return kind;
}

}  // namespace softlbr::toolchain
