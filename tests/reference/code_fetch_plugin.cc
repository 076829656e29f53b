// A plugin for QEMU's user-mode emulators: simulates the instruction fetch of a program, from its first instruction to
// its exit.
//
//     qemu-x86_64 -plugin build/release/bin/code_fetch_plugin.so,out=F,l1=8192 PROGRAM [ARGUMENTS...]
//
// Each thread has caches of its own (toolchain/prefetch/code_cache.h), in three machines that fetch the same code side
// by side:
//   plain   prefetches nothing
//   next    has the next-line prefetcher
//   hints   has it too, and obeys the code prefetch hints that the program executes (code_hint.h)
// A hint counts if its address is in an executable segment of a mapped file; all machines execute it as an instruction.
//
// Arguments: out=FILE (needed); of the model: l1, l1_ways, l2, l2_ways (bytes, ways), l2_cycles, l3_cycles, next_lines,
// buffer_lines, ipc; warm=N, counting begins in each thread after N instructions that are no hints (0).
//
// Output, text, at the end of the process that QEMU started (children made by fork write nothing):
//   softlbr-code-fetch 1
//   shape l1=N ...                                      the model
//   instructions N                                      executed, with the hints
//   hints N                                             executed, of them
//   other_hints N                                       of the hint instructions, those to no code: not counted above
//   plain|next|hints KEY=VALUE...                       the counts of each machine, all threads
//   module N PATH                                       a mapped file; numbers from 0 in order
//   line MODULE OFFSET EXECUTIONS PLAIN NEXT HINTS      misses of a 64-byte line; most PLAIN first, without lines of 0
//   pc MODULE OFFSET EXECUTIONS PLAIN NEXT HINTS        misses by the instruction that was to be executed
// OFFSET is a hexadecimal offset in the module's file. Module -1: code in no file, with its run-time address. A line's
// offset is that of its first byte that was executed first.
//
// Not seen: a block that an exception leaves in its middle counts as executed whole. Threads: a lock is taken once
// there are two.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "tests/guest/qemu_plugin_api.h"
#include "tests/reference/code_hint.h"
#include "tests/reference/guest_places.h"
#include "toolchain/prefetch/code_cache.h"

namespace {

using softlbr::reference::GuestPlace;
using softlbr::toolchain::CodeCache;
using softlbr::toolchain::CodeCacheCounts;
using softlbr::toolchain::CodeCacheShape;
using softlbr::toolchain::FetchResult;
using softlbr::toolchain::PrefetchCounts;

constexpr size_t kMachines = 3;
constexpr size_t kHintMachine = 2;
constexpr const char* kMachineNames[kMachines] = {"plain", "next", "hints"};

struct Misses {
  uint64_t executions = 0;
  std::array<uint64_t, kMachines> by_machine{};
  void Add(const Misses& other) {
    executions += other.executions;
    for (size_t i = 0; i < kMachines; ++i) by_machine[i] += other.by_machine[i];
  }
};

// What a block does with the caches, in order: it fetches a line, executes instructions of it, gives a hint.
struct Step {
  uint64_t line = 0;  // fetched, or of the hint
  bool is_hint = false;
  uint32_t instructions = 0;  // executed after the fetch, before the next step
  uint64_t pc = 0;            // that fetches
  GuestPlace place;           // of pc
  Misses misses;
};

struct Block {
  std::vector<Step> steps;
  uint64_t instructions = 0;
  uint64_t hints = 0;
  uint64_t other_hints = 0;
};

struct Thread {
  std::vector<CodeCache> machines;
  uint64_t instructions = 0, hints = 0, other_hints = 0;
  bool is_warm = false;
};

constexpr unsigned kMaxThreads = 4096;  // vcpu numbers of QEMU; threads beyond it are not counted

struct State {
  std::string output;
  pid_t process = 0;
  bool is_a64 = false;
  CodeCacheShape shape;
  uint64_t warm = 0;

  std::mutex mutex;
  bool has_threads = false;
  std::vector<std::unique_ptr<Thread>> threads{kMaxThreads};
  std::vector<std::unique_ptr<Block>> blocks;
  softlbr::reference::GuestPlaces places;
};

State* state;  // never freed: QEMU calls back until the process is gone

class Lock {
 public:
  Lock() : is_locked_(state->has_threads) {
    if (is_locked_) state->mutex.lock();
  }
  ~Lock() {
    if (is_locked_) state->mutex.unlock();
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  bool is_locked_;
};

void BlockStarts(unsigned vcpu, void* data) {
  if (vcpu >= kMaxThreads) return;
  const Lock lock;
  Thread* thread = state->threads[vcpu].get();
  if (thread == nullptr) return;
  auto* block = static_cast<Block*>(data);
  if (!thread->is_warm && thread->instructions - thread->hints >= state->warm) {
    thread->is_warm = true;
    thread->instructions = thread->hints = thread->other_hints = 0;
    for (CodeCache& machine : thread->machines) machine.ForgetCounts();
  }
  thread->instructions += block->instructions;
  thread->hints += block->hints;
  thread->other_hints += block->other_hints;
  for (Step& step : block->steps) {
    if (step.is_hint) {
      thread->machines[kHintMachine].Hint(step.line);
    } else if (thread->is_warm) {
      ++step.misses.executions;
    }
    for (size_t i = 0; i < kMachines; ++i) {
      CodeCache& machine = thread->machines[i];
      if (!step.is_hint && machine.Fetch(step.line) == FetchResult::kMiss && thread->is_warm)
        ++step.misses.by_machine[i];
      machine.Execute(step.instructions);
    }
  }
}

void BlockIsTranslated(qemu_plugin_id_t, qemu_plugin_tb* tb) {
  const size_t count = qemu_plugin_tb_n_insns(tb);
  if (count == 0) return;
  const Lock lock;
  auto block = std::make_unique<Block>();  // as long as the process: QEMU never says when it drops a block
  uint64_t line = ~uint64_t{0};
  for (size_t i = 0; i < count; ++i) {
    const qemu_plugin_insn* insn = qemu_plugin_tb_get_insn(tb, i);
    const uint64_t pc = qemu_plugin_insn_vaddr(insn);
    const size_t bytes = qemu_plugin_insn_size(insn);
    const void* host = qemu_plugin_insn_haddr(insn);
    const uint64_t guest_base = host == nullptr ? 0 : reinterpret_cast<uint64_t>(host) - pc;
    // An instruction across two lines is executed when both are there.
    for (const uint64_t fetched :
         {softlbr::toolchain::CodeLineOf(pc), softlbr::toolchain::CodeLineOf(pc + bytes - 1)}) {
      if (fetched == line) continue;
      line = fetched;
      block->steps.push_back({line, false, 0, pc, state->places.Of(pc, guest_base), {}});
    }
    ++block->instructions;
    ++block->steps.back().instructions;
    const auto target = softlbr::reference::HintTarget(static_cast<const uint8_t*>(qemu_plugin_insn_data(insn)), bytes,
                                                       pc, state->is_a64);
    if (!target.has_value()) continue;
    if (!state->places.IsCode(*target, guest_base)) {
      ++block->other_hints;
      continue;
    }
    ++block->hints;
    block->steps.push_back({softlbr::toolchain::CodeLineOf(*target), true, 0, pc, {}, {}});
  }
  qemu_plugin_register_vcpu_tb_exec_cb(tb, BlockStarts, QEMU_PLUGIN_CB_NO_REGS, block.get());
  state->blocks.push_back(std::move(block));
}

void ThreadStarts(qemu_plugin_id_t, unsigned vcpu) {
  if (vcpu >= kMaxThreads) return;
  // The creating thread is in a system call, so outside Lock.
  if (vcpu != 0) state->has_threads = true;
  const Lock lock;
  // A number is used again after its thread has ended; its totals are kept, and its caches as on a core.
  if (state->threads[vcpu] != nullptr) return;
  state->threads[vcpu] = std::make_unique<Thread>();
  CodeCacheShape plain = state->shape;
  plain.next_lines = 0;
  state->threads[vcpu]->machines = {CodeCache(plain), CodeCache(state->shape), CodeCache(state->shape)};
}

// Any call that may change the mappings makes the next translation read them again.
void SystemCallStarts(qemu_plugin_id_t, unsigned, int64_t number, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                      uint64_t, uint64_t, uint64_t) {
  if (!softlbr::reference::GuestPlaces::ChangesMappings(number, state->is_a64)) return;
  const Lock lock;
  state->places.Forget();
}

void AddPrefetch(const PrefetchCounts& from, PrefetchCounts* to) {
  to->issued += from.issued;
  to->useful += from.useful;
  to->late += from.late;
  to->evicted += from.evicted;
}

CodeCacheCounts SumOfThreads(size_t machine) {
  CodeCacheCounts sum;
  for (const auto& thread : state->threads) {
    if (thread == nullptr) continue;
    const CodeCacheCounts& counts = thread->machines[machine].counts();
    sum.fetches += counts.fetches;
    sum.misses += counts.misses;
    sum.late += counts.late;
    sum.l2_misses += counts.l2_misses;
    sum.hints += counts.hints;
    sum.stall_cycles += counts.stall_cycles;
    sum.cycles += counts.cycles;
    AddPrefetch(counts.next_line, &sum.next_line);
    AddPrefetch(counts.hint, &sum.hint);
  }
  return sum;
}

void PrintPrefetch(std::FILE* file, const char* kind, const PrefetchCounts& counts) {
  std::fprintf(file, " %s_issued=%" PRIu64 " %s_useful=%" PRIu64 " %s_late=%" PRIu64 " %s_evicted=%" PRIu64, kind,
               counts.issued, kind, counts.useful, kind, counts.late, kind, counts.evicted);
}

struct Row {
  GuestPlace place;
  Misses misses;
};

void PrintRows(std::FILE* file, const char* kind, bool by_line) {
  std::unordered_map<uint64_t, Row> rows;
  for (const auto& block : state->blocks) {
    for (const Step& step : block->steps) {
      if (step.is_hint) continue;
      auto [row, is_new] = rows.try_emplace(by_line ? step.line : step.pc, Row{step.place, {}});
      row->second.misses.Add(step.misses);
    }
  }
  std::vector<std::pair<uint64_t, Row>> sorted;
  for (const auto& row : rows) {
    if (row.second.misses.by_machine[0] != 0) sorted.push_back(row);
  }
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    const uint64_t misses_a = a.second.misses.by_machine[0], misses_b = b.second.misses.by_machine[0];
    return misses_a != misses_b ? misses_a > misses_b : a.first < b.first;
  });
  for (const auto& [key, row] : sorted) {
    std::fprintf(file, "%s %d %" PRIx64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", kind, row.place.module,
                 row.place.offset, row.misses.executions, row.misses.by_machine[0], row.misses.by_machine[1],
                 row.misses.by_machine[2]);
  }
}

void ProgramEnds(qemu_plugin_id_t, void*) {
  if (getpid() != state->process) return;
  const Lock lock;
  std::FILE* file = std::fopen(state->output.c_str(), "we");
  if (file == nullptr) {
    std::perror(state->output.c_str());
    return;
  }
  uint64_t instructions = 0, hints = 0, other_hints = 0;
  for (const auto& thread : state->threads) {
    if (thread == nullptr) continue;
    instructions += thread->instructions;
    hints += thread->hints;
    other_hints += thread->other_hints;
  }
  const CodeCacheShape& shape = state->shape;
  std::fprintf(file,
               "softlbr-code-fetch 1\nshape l1=%u l1_ways=%u l2=%u l2_ways=%u l2_cycles=%u l3_cycles=%u next_lines=%u "
               "buffer_lines=%u ipc=%g\n",
               shape.l1_bytes, shape.l1_ways, shape.l2_bytes, shape.l2_ways, shape.l2_cycles, shape.l3_cycles,
               shape.next_lines, shape.buffer_lines, shape.ipc);
  std::fprintf(file, "instructions %" PRIu64 "\nhints %" PRIu64 "\nother_hints %" PRIu64 "\n", instructions, hints,
               other_hints);
  for (size_t i = 0; i < kMachines; ++i) {
    const CodeCacheCounts counts = SumOfThreads(i);
    std::fprintf(file,
                 "%s fetches=%" PRIu64 " misses=%" PRIu64 " late=%" PRIu64 " l2_misses=%" PRIu64
                 " stall_cycles=%.0f cycles=%.0f hints=%" PRIu64,
                 kMachineNames[i], counts.fetches, counts.misses, counts.late, counts.l2_misses, counts.stall_cycles,
                 counts.cycles, counts.hints);
    PrintPrefetch(file, "next_line", counts.next_line);
    PrintPrefetch(file, "hint", counts.hint);
    std::fputc('\n', file);
  }
  for (size_t i = 0; i < state->places.modules().size(); ++i) {
    std::fprintf(file, "module %zu %s\n", i, state->places.modules()[i].c_str());
  }
  PrintRows(file, "line", true);
  PrintRows(file, "pc", false);
  if (std::fclose(file) != 0) std::perror(state->output.c_str());
}

// False for an unknown key.
bool TakeArgument(const std::string& key, const std::string& value) {
  CodeCacheShape& shape = state->shape;
  const std::map<std::string, uint32_t*> numbers = {
      {"l1", &shape.l1_bytes},           {"l1_ways", &shape.l1_ways},          {"l2", &shape.l2_bytes},
      {"l2_ways", &shape.l2_ways},       {"l2_cycles", &shape.l2_cycles},      {"l3_cycles", &shape.l3_cycles},
      {"next_lines", &shape.next_lines}, {"buffer_lines", &shape.buffer_lines}};
  if (const auto number = numbers.find(key); number != numbers.end()) {
    *number->second = static_cast<uint32_t>(std::strtoul(value.c_str(), nullptr, 10));
  } else if (key == "ipc") {
    shape.ipc = std::strtod(value.c_str(), nullptr);
  } else if (key == "warm") {
    state->warm = std::strtoull(value.c_str(), nullptr, 10);
  } else if (key == "out") {
    state->output = value;
  } else {
    return false;
  }
  return true;
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] extern const int qemu_plugin_version;
const int qemu_plugin_version = 1;

[[gnu::visibility("default")]] int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int argc,
                                                       char** argv) {
  const std::string target = info->target_name;
  if (info->system_emulation || (target != "x86_64" && target != "aarch64")) {
    std::fprintf(stderr, "code_fetch_plugin: needs qemu-x86_64 or qemu-aarch64, not %s\n", info->target_name);
    return 1;
  }
  state = new State;
  state->is_a64 = target == "aarch64";
  state->process = getpid();
  for (int i = 0; i < argc; ++i) {
    const std::string argument = argv[i];
    const size_t equals = argument.find('=');
    if (equals == std::string::npos || !TakeArgument(argument.substr(0, equals), argument.substr(equals + 1))) {
      std::fprintf(stderr, "code_fetch_plugin: unknown argument %s\n", argument.c_str());
      return 1;
    }
  }
  if (state->output.empty() || !state->shape.IsValid()) {
    std::fprintf(stderr, "code_fetch_plugin: needs out=FILE, caches of a power of two of sets, and ipc above 0\n");
    return 1;
  }
  qemu_plugin_register_vcpu_init_cb(id, ThreadStarts);
  qemu_plugin_register_vcpu_tb_trans_cb(id, BlockIsTranslated);
  qemu_plugin_register_vcpu_syscall_cb(id, SystemCallStarts);
  qemu_plugin_register_atexit_cb(id, ProgramEnds, nullptr);
  return 0;
}

}  // extern "C"
