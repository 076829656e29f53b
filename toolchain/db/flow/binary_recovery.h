// Recovers a binary's functions, blocks, loops, edges and instructions from its facts and its file, without changing
// the database.
#ifndef SOFTLBR_TOOLCHAIN_DB_FLOW_BINARY_RECOVERY_H_
#define SOFTLBR_TOOLCHAIN_DB_FLOW_BINARY_RECOVERY_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "toolchain/binary/module_files.h"
#include "toolchain/code/executed_code.h"
#include "toolchain/code/instruction_kinds.h"
#include "toolchain/db/flow/binary_facts.h"
#include "toolchain/db/flow/binary_flow.h"
#include "toolchain/db/flow/code_numbers.h"
#include "toolchain/db/store/dictionary.h"
#include "toolchain/symbols/symbolizer.h"

namespace softlbr::toolchain {

struct RecoveredEdge {
  softlbr_terminator_kind kind = SOFTLBR_END_FALLTHROUGH;
  const char* explained = "";
};

struct RecoveredBinary {
  BinaryFacts facts;
  std::unique_ptr<Symbolizer> symbolizer;  // of the facts' profile
  ExecutedCode code;                       // of one module
  BinaryFlow flow;
  std::vector<RecoveredEdge> edges;  // of each recorded branch
  // Of each instruction:
  std::vector<uint64_t> fall_through;  // how often it was followed by the one behind it
  std::vector<uint32_t> opcode;
  std::vector<uint32_t> source;  // 0: none
  std::vector<uint32_t> line;
  // of each function: the most of its executed instructions; 0 without debug information
  std::vector<uint32_t> inline_depth;
  // To be written with the rows.
  std::vector<Dictionary::Entry> new_opcodes;
  std::vector<Dictionary::Entry> new_sources;

  const ExecutedModule& module() const { return code.modules[0]; }
};

// Recovers binaries one after another. Numbers given for one binary may be used for the next, so write them in this
// order.
class BinaryRecovery {
 public:
  BinaryRecovery(const Connection& connection, const ModuleFiles& files)
      : connection_(&connection), files_(files), opcodes_(connection, "opcode", 6), sources_(connection, "source", 1) {}
  // For facts that are not in a database of this engine: opcodes and sources are numbered from 1.
  explicit BinaryRecovery(const ModuleFiles& files) : files_(files) {}

  // Null if the binary's file or decoder is missing.
  std::unique_ptr<RecoveredBinary> Recover(uint32_t binary) { return RecoverFrom(LoadFacts(*connection_, binary)); }
  std::unique_ptr<RecoveredBinary> RecoverFrom(BinaryFacts facts);

 private:
  uint32_t OpcodeOf(const CodeNumbers::Key& key, std::span<const uint8_t> bytes, const ExecutedInstruction& instruction,
                    const InstructionKinds& kinds);
  void ExplainEdges(RecoveredBinary* binary) const;
  void NumberInstructions(RecoveredBinary* binary);

  const Connection* connection_ = nullptr;
  const ModuleFiles& files_;
  Dictionary opcodes_;
  Dictionary sources_;
  // So that an instruction that was seen is not decoded again. For one machine at a time.
  CodeNumbers opcode_of_code_;
  uint16_t machine_ = 0;
};

std::string EdgeKindName(softlbr_terminator_kind kind);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_DB_FLOW_BINARY_RECOVERY_H_
