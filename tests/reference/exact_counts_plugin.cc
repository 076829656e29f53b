// A plugin for QEMU's user-mode emulators: counts every taken branch of a program from its first instruction to its
// exit.
//
// QEMU calls BlockStarts() before each execution of a translated block. If the block before it on the same thread did
// not end where this one begins, and ended in a branch, that branch was taken. Counts are kept by (start of the
// straight run, branch, target). Not seen: a conditional branch that is taken to its own end. A signal that arrives
// exactly behind an unconditional branch is taken for its target; everywhere else the kernel's moves are no branches.
//
// Arguments: out=FILE (needed), lbr=N, every=P, unit=instructions|branches, skid=S. With `every`, a simulated LBR of N
// branches is read at every Pth instruction (or behind every Pth taken branch) of a thread: `sampled` columns below,
// and the sampled pc. With `skid`, the interrupt comes S instructions after that event, and both are read there.
//
// Output, text, at the end of the process that QEMU started (children made by fork write nothing):
//   softlbr-exact 1
//   totals INSTRUCTIONS BRANCHES SAMPLES
//   module N PATH                                           a mapped file; numbers from 0 in order
//   run MODULE START MODULE FROM MODULE TO COUNT SAMPLED_BRANCHES SAMPLED_RUNS
//   pc MODULE ADDRESS COUNT
// Addresses are hexadecimal offsets in the module's file. Module -1: code in no file, with its run-time address.
//
// Threads: a lock is taken once the program has a second thread.
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/guest/qemu_plugin_api.h"
#include "tests/reference/guest_places.h"
#include "tests/truth/step/step_classifier.h"
#include "tests/truth/step/step_classifier_a64.h"

namespace {

using softlbr::truth::StepKind;

using Place = softlbr::reference::GuestPlace;

struct Block {
  uint64_t start = 0;
  uint64_t last = 0;    // address of the last instruction
  uint64_t end = 0;     // behind it
  uint64_t target = 0;  // of a conditional branch
  StepKind kind = StepKind::kOther;
  Place start_place, last_place;
  struct Run* recent = nullptr;
  size_t instructions = 0;
  std::vector<Place> places;      // of its instructions; only with sampling
  std::vector<uint64_t> samples;  // per instruction; empty before the first
};

// A straight run from the start of `first` to the end of `last`, followed by a branch to `to`.
struct Run {
  const Block* first;
  const Block* last;
  const Block* to;
  uint64_t count;
  uint64_t sampled_branches;
  uint64_t sampled_runs;
};

struct Thread {
  Block* before = nullptr;
  const Block* run_start = nullptr;
  uint64_t instructions = 0;
  uint64_t branches = 0;
  uint64_t next_sample = 0;
  uint64_t interrupt = 0;  // by branches: before this instruction of the thread,
  bool is_due = false;     // if an event has happened
  uint32_t newest = 0;     // position behind the newest entry of `lbr`
  std::vector<Run*> lbr;
};

constexpr unsigned kMaxThreads = 4096;  // vcpu numbers of QEMU; threads beyond it are not counted

struct State {
  std::string output;
  pid_t process = 0;
  bool is_a64 = false;
  uint64_t every = 0;
  bool by_branches = false;
  uint64_t skid = 0;
  uint32_t lbr = 16;

  std::mutex mutex;
  bool has_threads = false;
  std::vector<std::unique_ptr<Thread>> threads{kMaxThreads};
  std::vector<Block*> blocks;
  std::vector<Run*> table = std::vector<Run*>(1u << 16);  // open addressing; a power of two
  size_t runs = 0;
  uint64_t samples = 0;

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

size_t Slot(const std::vector<Run*>& table, const Block* first, const Block* last, const Block* to) {
  uint64_t hash = reinterpret_cast<uint64_t>(last) * 0x9e3779b97f4a7c15u;
  hash = (hash ^ (hash >> 29) ^ reinterpret_cast<uint64_t>(to)) * 0xbf58476d1ce4e5b9u;
  hash = (hash ^ (hash >> 29) ^ reinterpret_cast<uint64_t>(first)) * 0x94d049bb133111ebu;
  size_t slot = (hash >> 32) & (table.size() - 1);
  while (table[slot] != nullptr &&
         (table[slot]->first != first || table[slot]->last != last || table[slot]->to != to)) {
    slot = (slot + 1) & (table.size() - 1);
  }
  return slot;
}

Run* FindRun(const Block* first, Block* last, const Block* to) {
  Run* run = last->recent;
  if (run != nullptr && run->first == first && run->to == to) return run;
  std::vector<Run*>& table = state->table;
  size_t slot = Slot(table, first, last, to);
  if (table[slot] == nullptr) {
    if (++state->runs * 2 > table.size()) {
      std::vector<Run*> larger(table.size() * 2);
      for (Run* old : table) {
        if (old != nullptr) larger[Slot(larger, old->first, old->last, old->to)] = old;
      }
      table.swap(larger);
      slot = Slot(table, first, last, to);
    }
    table[slot] = new Run{first, last, to, 0, 0, 0};
  }
  last->recent = table[slot];
  return table[slot];
}

void ReadLbr(Thread* thread, Block* block, uint64_t instruction) {
  ++state->samples;
  if (block->samples.empty()) block->samples.resize(block->instructions);
  ++block->samples[instruction];
  // Oldest first: only a run behind another entry of the LBR is known from its start.
  for (uint32_t i = 0; i < state->lbr; ++i) {
    Run* run = thread->lbr[(thread->newest + i) % state->lbr];
    if (run == nullptr) continue;
    ++run->sampled_branches;
    const bool is_oldest = i == 0 || thread->lbr[(thread->newest + i - 1) % state->lbr] == nullptr;
    if (!is_oldest) ++run->sampled_runs;
  }
}

void TakeBranch(Thread* thread, Block* block) {
  Run* run = FindRun(thread->run_start, thread->before, block);
  ++run->count;
  ++thread->branches;
  thread->run_start = block;
  if (state->every != 0) {
    thread->lbr[thread->newest] = run;
    thread->newest = (thread->newest + 1) % state->lbr;
  }
}

// Whether execution came to `block` from the block before it by a taken branch. Otherwise *is_cut says that it did not
// come from there at all: the kernel moved the thread.
bool IsTaken(const Block& before, const Block& block, bool* is_cut) {
  *is_cut = false;
  if (before.kind == StepKind::kUnconditional) return true;
  if (block.start == before.end) return false;
  if (before.kind == StepKind::kConditional && block.start == before.target) return true;
  // A repeated string instruction comes back to itself.
  *is_cut = !(before.kind == StepKind::kOther && block.start == before.last);
  return false;
}

// Takes from `before` a last instruction that it does not execute. QEMU 7.2 gives an x86-64 instruction across a page
// boundary a block of its own. Behind others it is translated, taken back and left to the next block, but plugins are
// told of it, and of some of its bytes, in both blocks. Without this a jump there is a branch to itself and then one to
// its target. Whether one was taken away: it was counted in the execution of `before` that has just ended.
bool TrimTakenBack(Block* before, const Block& block) {
  constexpr uint64_t kPageBytes = 4096;
  if (before->instructions < 2 || block.start != before->last || block.instructions != 1) return false;
  if (block.start / kPageBytes == (block.end - 1) / kPageBytes) return false;
  --before->instructions;
  before->end = before->last;
  before->kind = StepKind::kOther;
  before->last = before->start;  // the true one is not known; a block that ends in no branch does not need it
  return true;
}

void BlockStarts(unsigned vcpu, void* data) {
  if (vcpu >= kMaxThreads) return;
  const Lock lock;
  Thread* thread = state->threads[vcpu].get();
  if (thread == nullptr) return;
  auto* block = static_cast<Block*>(data);
  if (thread->before != nullptr && TrimTakenBack(thread->before, *block)) --thread->instructions;
  if (thread->before == nullptr) {
    thread->run_start = block;
  } else {
    bool is_cut = false;
    if (IsTaken(*thread->before, *block, &is_cut)) {
      TakeBranch(thread, block);
    } else if (is_cut) {
      thread->run_start = block;
    }
  }
  thread->before = block;
  const uint64_t executed = thread->instructions;
  thread->instructions += block->instructions;
  if (state->every == 0) return;
  if (state->by_branches) {
    if (thread->branches >= thread->next_sample) {
      thread->interrupt = executed + state->skid;
      thread->is_due = true;
      thread->next_sample += state->every;
    }
    if (thread->is_due && thread->interrupt < thread->instructions) {
      ReadLbr(thread, block, thread->interrupt - executed);
      thread->is_due = false;
    }
    return;
  }
  while (thread->next_sample + state->skid < thread->instructions) {
    ReadLbr(thread, block, thread->next_sample + state->skid - executed);
    thread->next_sample += state->every;
  }
}

void BlockIsTranslated(qemu_plugin_id_t, qemu_plugin_tb* tb) {
  const size_t count = qemu_plugin_tb_n_insns(tb);
  if (count == 0) return;
  const Lock lock;
  auto* block = new Block;  // as long as the process: QEMU never says when it drops a block
  const qemu_plugin_insn* first = qemu_plugin_tb_get_insn(tb, 0);
  const qemu_plugin_insn* last = qemu_plugin_tb_get_insn(tb, count - 1);
  block->start = qemu_plugin_insn_vaddr(first);
  block->last = qemu_plugin_insn_vaddr(last);
  block->end = block->last + qemu_plugin_insn_size(last);
  const void* host = qemu_plugin_insn_haddr(first);
  const uint64_t guest_base = host == nullptr ? 0 : reinterpret_cast<uint64_t>(host) - block->start;
  block->start_place = state->places.Of(block->start, guest_base);
  block->last_place = state->places.Of(block->last, guest_base);
  softlbr::truth::StepClass step;
  if (state->is_a64) {
    uint32_t word = 0;
    std::memcpy(&word, qemu_plugin_insn_data(last), sizeof word);
    step = softlbr::truth::ClassifyA64Step(word);
  } else {
    step = softlbr::truth::ClassifyStep(static_cast<const uint8_t*>(qemu_plugin_insn_data(last)),
                                        qemu_plugin_insn_size(last));
  }
  block->kind = step.kind;
  block->target = block->end + static_cast<uint64_t>(static_cast<int64_t>(step.displacement));
  block->instructions = count;
  for (size_t i = 0; i < count && state->every != 0; ++i) {
    block->places.push_back(state->places.Of(qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, i)), guest_base));
  }
  state->blocks.push_back(block);
  qemu_plugin_register_vcpu_tb_exec_cb(tb, BlockStarts, QEMU_PLUGIN_CB_NO_REGS, block);
}

void ThreadStarts(qemu_plugin_id_t, unsigned vcpu) {
  if (vcpu >= kMaxThreads) return;
  // The creating thread is in a system call, so outside Lock.
  if (vcpu != 0) state->has_threads = true;
  const Lock lock;
  // A number is used again after its thread has ended; its totals are kept.
  if (state->threads[vcpu] == nullptr) state->threads[vcpu] = std::make_unique<Thread>();
  Thread& thread = *state->threads[vcpu];
  thread.before = nullptr;
  thread.lbr.assign(state->lbr, nullptr);
  thread.newest = 0;
  if (thread.next_sample == 0) thread.next_sample = state->every;
}

// Any call that may change the mappings makes the next translation read them again.
void SystemCallStarts(qemu_plugin_id_t, unsigned, int64_t number, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                      uint64_t, uint64_t, uint64_t) {
  if (!softlbr::reference::GuestPlaces::ChangesMappings(number, state->is_a64)) return;
  const Lock lock;
  state->places.Forget();
}

void ProgramEnds(qemu_plugin_id_t, void*) {
  if (getpid() != state->process) return;
  const Lock lock;
  std::FILE* file = std::fopen(state->output.c_str(), "we");
  if (file == nullptr) {
    std::perror(state->output.c_str());
    return;
  }
  uint64_t instructions = 0, branches = 0;
  for (const auto& thread : state->threads) {
    if (thread == nullptr) continue;
    instructions += thread->instructions;
    branches += thread->branches;
  }
  std::fprintf(file, "softlbr-exact 1\ntotals %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", instructions, branches,
               state->samples);
  for (size_t i = 0; i < state->places.modules().size(); ++i) {
    std::fprintf(file, "module %zu %s\n", i, state->places.modules()[i].c_str());
  }
  for (const Run* run : state->table) {
    if (run == nullptr) continue;
    const Place& start = run->first->start_place;
    const Place& from = run->last->last_place;
    const Place& to = run->to->start_place;
    std::fprintf(file, "run %d %" PRIx64 " %d %" PRIx64 " %d %" PRIx64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
                 start.module, start.offset, from.module, from.offset, to.module, to.offset, run->count,
                 run->sampled_branches, run->sampled_runs);
  }
  for (const Block* block : state->blocks) {
    for (size_t i = 0; i < block->samples.size(); ++i) {
      if (block->samples[i] == 0) continue;
      std::fprintf(file, "pc %d %" PRIx64 " %" PRIu64 "\n", block->places[i].module, block->places[i].offset,
                   block->samples[i]);
    }
  }
  if (std::fclose(file) != 0) std::perror(state->output.c_str());
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] extern const int qemu_plugin_version;
const int qemu_plugin_version = 1;

[[gnu::visibility("default")]] int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int argc,
                                                       char** argv) {
  const std::string target = info->target_name;
  if (info->system_emulation || (target != "x86_64" && target != "aarch64")) {
    std::fprintf(stderr, "exact_counts_plugin: needs qemu-x86_64 or qemu-aarch64, not %s\n", info->target_name);
    return 1;
  }
  state = new State;
  state->is_a64 = target == "aarch64";
  state->process = getpid();
  for (int i = 0; i < argc; ++i) {
    const std::string argument = argv[i];
    const size_t equals = argument.find('=');
    const std::string key = argument.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
    if (key == "out") {
      state->output = value;
    } else if (key == "lbr") {
      state->lbr = static_cast<uint32_t>(std::strtoul(value.c_str(), nullptr, 10));
    } else if (key == "every") {
      state->every = std::strtoull(value.c_str(), nullptr, 10);
    } else if (key == "unit") {
      state->by_branches = value == "branches";
    } else if (key == "skid") {
      state->skid = std::strtoull(value.c_str(), nullptr, 10);
    } else {
      std::fprintf(stderr, "exact_counts_plugin: unknown argument %s\n", argument.c_str());
      return 1;
    }
  }
  if (state->output.empty() || state->lbr == 0) {
    std::fprintf(stderr, "exact_counts_plugin: needs out=FILE, and lbr=N above 0\n");
    return 1;
  }
  qemu_plugin_register_vcpu_init_cb(id, ThreadStarts);
  qemu_plugin_register_vcpu_tb_trans_cb(id, BlockIsTranslated);
  qemu_plugin_register_vcpu_syscall_cb(id, SystemCallStarts);
  qemu_plugin_register_atexit_cb(id, ProgramEnds, nullptr);
  return 0;
}

}  // extern "C"
