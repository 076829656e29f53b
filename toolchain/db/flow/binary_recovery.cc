#include "toolchain/db/flow/binary_recovery.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "toolchain/base/failure.h"
#include "toolchain/base/say.h"
#include "toolchain/base/text.h"
#include "toolchain/binary/code_agreement.h"
#include "toolchain/binary/code_walker.h"
#include "toolchain/code/source_lines.h"
#include "toolchain/db/store/schema.h"

namespace softlbr::toolchain {
namespace {

constexpr size_t kKeyBytes = 15;   // the longest instruction of x86-64
constexpr size_t kKeysAhead = 16;  // whose slots are fetched together

// Source lines, or none: a machine without libdw has all other columns.
std::unique_ptr<SourceLines> OpenLines(const ModuleFiles& files, const ElfImage& image) {
  try {
    const ElfImagePtr debug = files.FindDebugFile(image, DebugUse::kLines);
    return std::make_unique<SourceLines>(debug != nullptr ? debug->path() : image.path());
  } catch (const StatedFailure& failure) {
    static const bool is_warned = (Warn(std::string(failure.what()) + "; source lines are left out"), true);
    static_cast<void>(is_warned);
    return nullptr;
  }
}

const ExecutedInstruction* InstructionAt(const ExecutedModule& code, uint64_t address) {
  const auto it = std::lower_bound(code.instructions.begin(), code.instructions.end(), address,
                                   [](const ExecutedInstruction& one, uint64_t at) { return one.address < at; });
  return it != code.instructions.end() && it->address == address ? &*it : nullptr;
}

// Whether the decoder says that this instruction can branch there.
const char* Explain(const ExecutedModule& code, const RecordedBranch& branch, const BranchInstruction& instruction,
                    bool is_outside) {
  if (instruction.kind == SOFTLBR_END_UNDECODABLE) return "no_code";
  if (BranchKindName(instruction.kind).empty()) return "no_branch";
  if (instruction.target.has_value())
    return branch.is_inside && *instruction.target == branch.to ? "yes" : "other_target";
  if (is_outside) return "outside";
  return !branch.is_inside || InstructionAt(code, branch.to) != nullptr ? "yes" : "no_target";
}

// How often each instruction was followed by the one behind it.
std::vector<uint64_t> FallThroughs(const ExecutedModule& code, const BinaryFacts& facts) {
  std::vector<uint64_t> counts;
  counts.reserve(code.instructions.size());
  auto ended = facts.ended.begin();
  for (const ExecutedInstruction& instruction : code.instructions) {
    while (ended != facts.ended.end() && ended->first < instruction.address) ++ended;
    const uint64_t left = ended != facts.ended.end() && ended->first == instruction.address ? ended->second : 0;
    counts.push_back(instruction.executions > left ? instruction.executions - left : 0);
  }
  return counts;
}

CodeNumbers::Key KeyOf(std::span<const uint8_t> bytes, const ExecutedInstruction& instruction) {
  std::array<uint8_t, 16> text{};
  size_t compared = std::min(bytes.size(), kKeyBytes);
  // The displacement of a near branch of x86-64, four bytes at its end, does not change its kind.
  const bool is_near = instruction.end == SOFTLBR_END_CONDITIONAL || instruction.end == SOFTLBR_END_JUMP ||
                       instruction.end == SOFTLBR_END_CALL;
  if (is_near && compared > sizeof(uint32_t)) compared -= sizeof(uint32_t);
  std::copy_n(bytes.begin(), compared, text.begin());
  text[kKeyBytes] = static_cast<uint8_t>(bytes.size() | static_cast<size_t>(instruction.end) << 4);
  CodeNumbers::Key key;
  static_assert(sizeof key == sizeof text);
  std::memcpy(key.data(), text.data(), sizeof key);
  return key;
}

// As the other commands do (CompareWithCode).
void WarnOfOtherCode(const RecoveredBinary& binary) {
  CodeAgreement agreement;
  for (size_t i = 0; i < binary.edges.size(); ++i) {
    const uint64_t count = binary.facts.branches[i].count;
    const std::string_view explained = binary.edges[i].explained;
    const bool is_contradicting = explained == "no_code" || explained == "no_branch" || explained == "other_target";
    agreement.branches = SaturatingAdd(agreement.branches, count);
    if (is_contradicting) agreement.contradicting = SaturatingAdd(agreement.contradicting, count);
  }
  const std::string contradiction = DescribeContradiction(agreement, *binary.code.modules[0].file);
  if (!contradiction.empty()) Warn(contradiction);
}

}  // namespace

std::string EdgeKindName(softlbr_terminator_kind kind) {
  const std::string name = BranchKindName(kind);
  return name.empty() ? "none" : name;
}

std::unique_ptr<RecoveredBinary> BinaryRecovery::RecoverFrom(BinaryFacts facts) {
  auto recovered = std::make_unique<RecoveredBinary>();
  recovered->facts = std::move(facts);
  recovered->symbolizer = std::make_unique<Symbolizer>(recovered->facts.profile, files_);
  recovered->code = DecodeExecutedCode(recovered->facts.profile, recovered->symbolizer.get());
  if (recovered->code.modules.empty()) return nullptr;
  recovered->fall_through = FallThroughs(recovered->module(), recovered->facts);
  const std::shared_ptr<Decoder> decoder = Decoder::ForMachine(recovered->module().file->machine());
  recovered->flow = RecoverFlow(recovered->module(), *decoder, recovered->facts.branches, recovered->symbolizer.get());
  ExplainEdges(recovered.get());
  WarnOfOtherCode(*recovered);
  NumberInstructions(recovered.get());
  return recovered;
}

void BinaryRecovery::ExplainEdges(RecoveredBinary* binary) const {
  const ExecutedModule& code = binary->module();
  const std::shared_ptr<Decoder> decoder = Decoder::ForMachine(code.file->machine());
  binary->edges.reserve(binary->facts.branches.size());
  for (size_t i = 0; i < binary->facts.branches.size(); ++i) {
    const RecordedBranch& branch = binary->facts.branches[i];
    const BranchInstruction instruction = DecodeBranch(*code.file, *decoder, branch.from);
    binary->edges.push_back(
        {instruction.kind, Explain(code, branch, instruction, binary->facts.to_modules[i] == kNoBinary)});
  }
}

uint32_t BinaryRecovery::OpcodeOf(const CodeNumbers::Key& key, std::span<const uint8_t> bytes,
                                  const ExecutedInstruction& instruction, const InstructionKinds& kinds) {
  uint32_t* opcode = opcode_of_code_.Of(key);
  if (*opcode == 0) {
    const InstructionKind kind = kinds.Of(bytes, instruction.address);
    *opcode = opcodes_.Of(
        {kind.mnemonic, kind.extension, kind.packing, kind.memory, kind.operands, EdgeKindName(instruction.end)});
  }
  return *opcode;
}

void BinaryRecovery::NumberInstructions(RecoveredBinary* binary) {
  const ExecutedModule& code = binary->module();
  const InstructionKinds kinds(code.file->machine(), "db");
  const std::unique_ptr<SourceLines> lines = OpenLines(files_, *code.file);
  if (machine_ != code.file->machine()) opcode_of_code_.Clear();
  machine_ = code.file->machine();
  binary->opcode.reserve(code.instructions.size());
  binary->source.reserve(code.instructions.size());
  binary->line.reserve(code.instructions.size());
  binary->inline_depth.assign(binary->flow.functions.size(), 0);
  std::string last_file;  // an instruction mostly has the source file of the one before
  uint32_t last_source = 0;
  std::array<CodeNumbers::Key, kKeysAhead> keys;
  std::array<std::span<const uint8_t>, kKeysAhead> bytes;
  for (size_t i = 0; i < code.instructions.size(); ++i) {
    if (i % kKeysAhead == 0) {
      for (size_t k = 0; k < kKeysAhead && i + k < code.instructions.size(); ++k) {
        const ExecutedInstruction& ahead = code.instructions[i + k];
        bytes[k] = code.file->CodeAt(ahead.address, ahead.bytes);
        keys[k] = KeyOf(bytes[k], ahead);
        opcode_of_code_.Prefetch(keys[k]);
      }
    }
    const ExecutedInstruction& instruction = code.instructions[i];
    binary->opcode.push_back(OpcodeOf(keys[i % kKeysAhead], bytes[i % kKeysAhead], instruction, kinds));
    const std::optional<SourceLine> line = lines != nullptr ? lines->Of(instruction.address) : std::nullopt;
    if (line.has_value() && (last_source == 0 || line->file != last_file)) {
      last_file = line->file;
      last_source = sources_.Of({last_file});
    }
    binary->source.push_back(line.has_value() ? last_source : 0);
    binary->line.push_back(line.has_value() ? static_cast<uint32_t>(line->line) : 0);
    const uint32_t function = binary->flow.function_of[i];
    if (!line.has_value() || function == kNoFunction) continue;
    binary->inline_depth[function] =
        std::max(binary->inline_depth[function], lines->InlineDepthOf(instruction.address));
  }
  binary->new_opcodes = opcodes_.TakeAdded();
  binary->new_sources = sources_.TakeAdded();
}

}  // namespace softlbr::toolchain
