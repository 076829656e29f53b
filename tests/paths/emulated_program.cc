// Contract: emulated_program.h.
#include "tests/paths/emulated_program.h"

#include <signal.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "decoders/api/ir.h"
#include "platform/base/registers_aarch64.h"
#include "tests/paths/mirrored_memory.h"

namespace softlbr::paths {
namespace {

// QEMU's register numbers: x0..x30, sp, pc, cpsr, 32 vectors, fpsr, fpcr; with SVE also p0..p15, ffr and vg.
constexpr uint32_t kSpRegister = 31;
constexpr uint32_t kPcRegister = 32;
constexpr uint32_t kFlagsRegister = 33;
constexpr uint32_t kVectorRegister = 34;
constexpr uint32_t kFpcrRegister = 67;
constexpr uint32_t kPredicateRegister = 68;  // followed by the first-fault register
constexpr uint32_t kPredicates = 17;
constexpr uint32_t kGranulesRegister = 85;  // vg: the vectors' length in 8 bytes
constexpr uint32_t kFpcrFlushToZero = 1u << 24;
constexpr uint64_t kMostBytesAtOnce = 1024;
constexpr uint32_t kReadZeroingBlock = 0xd53b00e0;  // mrs x0, dczid_el0
constexpr int kTrap = 5;                            // SIGTRAP, the end of a step
constexpr int kUser1 = 30;                          // SIGUSR1 in GDB's numbers
constexpr int kStopMilliseconds = 20000;

// Number of a register in the target's description; 0: none of that name.
uint32_t NumberOf(const std::string& features, const std::string& name) {
  const size_t place = features.find("name=\"" + name + "\"");
  const size_t number = place == std::string::npos ? place : features.find("regnum=\"", place);
  return number == std::string::npos ? 0
                                     : static_cast<uint32_t>(std::strtoul(features.c_str() + number + 8, nullptr, 10));
}

}  // namespace

std::string FindEmulator() {
  for (const char* path : {"/usr/bin/qemu-aarch64", "/usr/bin/qemu-aarch64-static"}) {
    if (access(path, X_OK) == 0) return path;
  }
  return "";
}

std::unique_ptr<EmulatedProgram> EmulatedProgram::Start(const EmulatedLaunch& launch, std::string* error) {
  static int serial = 0;
  const std::string socket_path = launch.folder + "/stub-" + std::to_string(getpid()) + "-" + std::to_string(++serial);
  const std::string command = "cd '" + launch.folder + "' && exec " + FindEmulator() + " -L '" + launch.root +
                              "' -cpu " + launch.cpu + " -g '" + socket_path + "' '" + launch.root + "'/" +
                              launch.command + " >/dev/null 2>/dev/null </dev/null";
  const pid_t pid = fork();
  if (pid == 0) {
    // The same layout each time: the emulator does not start where its own mappings lie in the place of the program's.
    (void)personality(ADDR_NO_RANDOMIZE);
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  if (pid < 0) {
    *error = "fork failed";
    return nullptr;
  }
  std::unique_ptr<EmulatedProgram> program(new EmulatedProgram(pid));
  static std::map<std::string, std::optional<uint64_t>> zeroing_blocks;
  program->zeroing_block_ = &zeroing_blocks[launch.cpu];
  program->socket_path_ = socket_path;
  if (!program->stub_.Connect(socket_path, pid)) {
    siginfo_t end{};
    const bool has_ended =
        waitid(P_PID, static_cast<id_t>(pid), &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_pid == pid;
    const std::string what =
        has_ended ? "the emulator ended with status " + std::to_string(end.si_status) : "its stub does not answer";
    *error = what + ": " + command;
    return nullptr;
  }
  const auto answer = program->stub_.Ask("?");
  program->stub_.ReadFeatures("target.xml");  // QEMU answers for single registers only after this
  if (!answer || !program->NoteStop(*answer) || !program->ReadPc()) {
    *error = "the emulator's stub says nothing";
    return nullptr;
  }
  program->signal_ = 0;
  const std::string features = program->stub_.ReadFeatures("system-registers.xml");
  program->thread_pointer_register_ = NumberOf(features, "TPIDR_EL0");
  return program;
}

EmulatedProgram::~EmulatedProgram() {
  kill(pid_, SIGKILL);
  int status;
  waitpid(pid_, &status, 0);
  unlink(socket_path_.c_str());
}

bool EmulatedProgram::ReadPc() {
  const std::optional<uint64_t> pc = stub_.ReadRegisterValue(kPcRegister);
  if (!pc) return !(has_ended_ = true);
  pc_ = *pc;
  return true;
}

bool EmulatedProgram::NoteStop(const std::string& answer) {
  const bool is_stop = answer.size() >= 3 && (answer[0] == 'T' || answer[0] == 'S');
  if (!is_stop) return !(has_ended_ = true);
  signal_ = static_cast<int>(std::strtoul(answer.substr(1, 2).c_str(), nullptr, 16));
  return true;
}

bool EmulatedProgram::RunFor(uint64_t microseconds) {
  if (has_ended_) return false;
  char go_on[8] = "c";
  if (signal_ != 0 && signal_ != kTrap) std::snprintf(go_on, sizeof go_on, "C%02x", signal_);
  if (!stub_.Send(go_on)) return !(has_ended_ = true);
  const timespec time = {static_cast<time_t>(microseconds / 1000000), static_cast<long>(microseconds % 1000000 * 1000)};
  nanosleep(&time, nullptr);
  kill(pid_, SIGUSR1);
  for (;;) {
    const auto answer = stub_.Receive(kStopMilliseconds);
    if (!answer || !NoteStop(*answer)) return !(has_ended_ = true);
    if (signal_ == kUser1) break;
    // The program's own signal: deliver it.
    std::snprintf(go_on, sizeof go_on, "C%02x", signal_);
    if (!stub_.Send(go_on)) return !(has_ended_ = true);
  }
  signal_ = 0;
  return ReadPc();
}

uint32_t EmulatedProgram::WordAt(uint64_t address) {
  const auto known = words_.find(address);
  if (known != words_.end()) return known->second;
  uint32_t word = 0;
  if (!ReadMemory(address, &word, sizeof word)) return 0;
  return words_[address] = word;
}

bool EmulatedProgram::RunTo(const std::vector<uint64_t>& places) {
  const auto set = [this, &places](char command) {
    for (const uint64_t place : places) {
      char packet[40];
      std::snprintf(packet, sizeof packet, "%c0,%lx,4", command, place);
      if (!stub_.Ask(packet)) return false;
    }
    return true;
  };
  if (!set('Z')) return false;
  const auto answer = stub_.Ask("c");
  return answer && NoteStop(*answer) && set('z') && ReadPc();
}

StepOutcome EmulatedProgram::StepOverExclusive(const truth::A64ExclusivePair& exclusive, Branch* branch) {
  const uint64_t begin = pc_;
  const uint64_t behind = begin + 4 * exclusive.instructions;
  std::vector<uint64_t> places = {behind};
  for (uint32_t i = 0; i < exclusive.branch_count; ++i) {
    const uint64_t target = begin + static_cast<uint64_t>(int64_t{exclusive.branches[i].distance});
    if (target != behind) places.push_back(target);
  }
  if (!RunTo(places)) return StepOutcome::kEnded;
  if (signal_ != kTrap) return StepOutcome::kMoved;
  if (pc_ == behind) return StepOutcome::kStepped;
  for (uint32_t i = 0; i < exclusive.branch_count; ++i) {
    if (pc_ != begin + static_cast<uint64_t>(int64_t{exclusive.branches[i].distance})) continue;
    *branch = Branch{begin + 4 * exclusive.branches[i].at, pc_};
    return StepOutcome::kBranchTaken;
  }
  return StepOutcome::kMoved;
}

StepOutcome EmulatedProgram::Step(Branch* branch) {
  if (has_ended_) return StepOutcome::kEnded;
  const uint64_t from = pc_;
  const uint32_t word = WordAt(from);
  const truth::StepClass step = truth::ClassifyA64Step(word);
  bool is_condition_true = false;
  if (step.kind == truth::StepKind::kConditional && step.displacement == 0) {
    const uint32_t tested = truth::TestedA64Register(word);
    const uint64_t flags = stub_.ReadRegisterValue(kFlagsRegister).value_or(0);
    const uint64_t value = tested == 31 ? 0 : stub_.ReadRegisterValue(tested).value_or(0);
    is_condition_true = truth::IsA64ConditionTrue(word, flags, value);
  }
  const int delivered = signal_ == kTrap ? 0 : signal_;
  uint32_t words[truth::A64ExclusivePair::kMaxInstructions] = {word};
  if (delivered == 0 && truth::IsA64LoadExclusive(word) && ReadMemory(from, words, sizeof words)) {
    const auto exclusive = truth::FindA64ExclusivePair(words, truth::A64ExclusivePair::kMaxInstructions);
    if (exclusive.instructions != 0) return StepOverExclusive(exclusive, branch);
  }
  if (step.kind == truth::StepKind::kSystemCall && delivered == 0) {
    // The stub's own step would also run the instruction after the call.
    if (!RunTo({pc_ + 4})) return StepOutcome::kEnded;
    words_.clear();  // it may have mapped other code
  } else {
    char packet[8] = "s";
    if (delivered != 0) std::snprintf(packet, sizeof packet, "S%02x", delivered);
    const auto answer = stub_.Ask(packet);
    if (!answer || !NoteStop(*answer) || !ReadPc()) return StepOutcome::kEnded;
  }
  if (delivered != 0 || signal_ != kTrap) return StepOutcome::kMoved;
  if ((word & ~31u) == kReadZeroingBlock && (word & 31) != 31) *zeroing_block_ = stub_.ReadRegisterValue(word & 31);
  const uint64_t next = from + step.length;
  switch (step.kind) {
    case truth::StepKind::kConditional: {
      const uint64_t target = next + static_cast<uint64_t>(static_cast<int64_t>(step.displacement));
      if (pc_ != next && pc_ != target) return StepOutcome::kMoved;
      if (!(target == next ? is_condition_true : pc_ == target)) return StepOutcome::kStepped;
      break;
    }
    case truth::StepKind::kUnconditional: break;
    default: return pc_ == next ? StepOutcome::kStepped : StepOutcome::kMoved;
  }
  *branch = Branch{from, pc_};
  return StepOutcome::kBranchTaken;
}

bool EmulatedProgram::ReadMemory(uint64_t address, void* out, uint64_t bytes) const {
  auto* to = static_cast<uint8_t*>(out);
  while (bytes != 0) {
    const uint64_t part = bytes < kMostBytesAtOnce ? bytes : kMostBytesAtOnce;
    char packet[48];
    std::snprintf(packet, sizeof packet, "m%lx,%lx", address, part);
    const auto answer = stub_.Ask(packet);
    const std::vector<uint8_t> got = answer ? BytesOfHex(*answer) : std::vector<uint8_t>();
    if (got.size() != part) return false;
    std::memcpy(to, got.data(), part);
    to += part;
    address += part;
    bytes -= part;
  }
  return true;
}

bool EmulatedProgram::LoadContext(MachineContext* context) const {
  const auto general = stub_.Ask("g");
  const std::vector<uint8_t> bytes = general ? BytesOfHex(*general) : std::vector<uint8_t>();
  if (bytes.size() < 33 * 8 + 4) return false;
  std::memset(static_cast<void*>(context), 0, sizeof *context);
  auto set = [context](uint32_t slot, uint64_t value) {
    context->regs[slot] = value;
    context->known[slot] = kAllKnown;
  };
  auto value_at = [&bytes](uint32_t number) {
    uint64_t value;
    std::memcpy(&value, bytes.data() + 8 * number, sizeof value);
    return value;
  };
  set(SOFTLBR_REG_ZERO, 0);
  for (uint32_t i = 0; i < kSpRegister; ++i) set(SOFTLBR_A64_X0 + i, value_at(i));
  set(SOFTLBR_A64_SP, value_at(kSpRegister));
  context->sp = value_at(kSpRegister);
  context->pc = value_at(kPcRegister);
  uint32_t pstate;
  std::memcpy(&pstate, bytes.data() + 8 * kFlagsRegister, sizeof pstate);
  context->flags = static_cast<uint8_t>(
      ((pstate >> 29 & 1) != 0 ? SOFTLBR_FLAG_C : 0) | ((pstate >> 30 & 1) != 0 ? SOFTLBR_FLAG_Z : 0) |
      ((pstate >> 31 & 1) != 0 ? SOFTLBR_FLAG_S : 0) | ((pstate >> 28 & 1) != 0 ? SOFTLBR_FLAG_V : 0));
  context->flags_known = SOFTLBR_FLAG_C | SOFTLBR_FLAG_Z | SOFTLBR_FLAG_S | SOFTLBR_FLAG_V;
  if (thread_pointer_register_ != 0) {
    const std::optional<uint64_t> pointer = stub_.ReadRegisterValue(thread_pointer_register_);
    if (pointer) set(SOFTLBR_A64_TPIDR, *pointer);
  }
  if (zeroing_block_->has_value()) set(SOFTLBR_A64_DCZID, **zeroing_block_);
  const std::optional<uint64_t> fpcr = stub_.ReadRegisterValue(kFpcrRegister);
  if (!fpcr) return false;
  set(SOFTLBR_A64_FPCR, *fpcr);
  context->rounding_is_default = *fpcr == 0;
  context->flushes_denormals = *fpcr == kFpcrFlushToZero;
  uint64_t length = 16;
  uint32_t regs = 2;
  auto set_bytes = [&set](uint32_t slot, const std::vector<uint8_t>& from, uint64_t used, uint32_t count) {
    uint64_t values[SOFTLBR_SLOTS_PER_VECTOR] = {};
    std::memcpy(values, from.data(), used);
    for (uint32_t i = 0; i < count; ++i) set(slot + i, values[i]);
  };
  if (stub_.ReadRegister(kVectorRegister).size() > 16) {
    const uint64_t vector_bytes = 8 * stub_.ReadRegisterValue(kGranulesRegister).value_or(0);
    // else nothing is known beyond the low 16 bytes, as in a signal frame
    if (vector_bytes >= 16 && vector_bytes <= 64) {
      length = vector_bytes;
      regs = SOFTLBR_SLOTS_PER_VECTOR;
      set(SOFTLBR_A64_SVE_LENGTH, length);
      set(SOFTLBR_A64_SVE_BYTES, ~uint64_t{0} >> (64 - length));
      for (uint32_t p = 0; p < kPredicates; ++p) {
        const std::vector<uint8_t> predicate = stub_.ReadRegister(kPredicateRegister + p);
        if (predicate.size() < length / 8) return false;
        set_bytes(SOFTLBR_A64_P0 + p, predicate, length / 8, 1);
      }
    }
  }
  for (uint32_t r = 0; r < SOFTLBR_VECTOR_REGISTERS; ++r) {
    const std::vector<uint8_t> vector = stub_.ReadRegister(kVectorRegister + r);
    if (vector.size() < length) return false;
    set_bytes(SOFTLBR_REG_VECTOR + SOFTLBR_SLOTS_PER_VECTOR * r, vector, length, regs);
  }
  return true;
}

void EmulatedProgram::ReadSpecialRanges(SpecialRanges* ranges) const { ReadSpecialRangesOf(pid_, ranges); }

std::string EmulatedProgram::Describe(uint64_t pc) const { return DescribeAddressOf(pid_, pc); }

}  // namespace softlbr::paths
