// A QEMU plugin that logs the path of every program in the guest that marks its begin and end (path_marks.c).
//
// Use: qemu-system-aarch64 ... -icount ... -plugin PLUGIN,log=FILE,runtime=LIBRARY     (path_log.h describes FILE)
// LIBRARY is softlbr's preload library as the guest has it: its signal handler is no part of a path.
// The path is that of the marked thread, on whatever CPU it runs. The kernel's thread switch shows which thread runs:
// cpu_switch_to loads the next thread's registers from its task, so the address of that load identifies the task.
// Needs -icount: the CPUs then take turns in one thread of QEMU, and nothing here is locked.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "tests/guest/known_code.h"
#include "tests/guest/path_follower.h"
#include "tests/guest/path_log.h"
#include "tests/guest/qemu_plugin_api.h"
#include "tests/truth/step/step_classifier_a64.h"

namespace softlbr::guest {
namespace {

constexpr uint32_t kSwitchLoad = 0xa8c1251d;     // ldp x29, x9, [x8], #16: nearly the last of cpu_switch_to
constexpr uint32_t kSetReturnCall = 0xd2801168;  // mov x8, #139: rt_sigreturn
// a signal frame takes twice as many; when it returns to the program, the kernel makes at most four other stores (rseq)
constexpr uint64_t kFrameStores = 30;
constexpr unsigned kMostVcpus = 16;

bool IsKernel(uint64_t address) { return address >> 63 != 0; }
// sttr in all its sizes: the kernel's stores into user memory.
bool IsUserStore(uint32_t word) { return (word & 0x3fe00c00) == 0x38000800; }

class LogSink final : public PathSink {
 public:
  bool Open(const char* name) { return (file_ = std::fopen(name, "wb")) != nullptr; }
  void Close() {
    if (file_ != nullptr) std::fclose(file_);
    file_ = nullptr;
  }
  void Put(PathWord kind, uint64_t value) { Write(static_cast<uint64_t>(kind) << kPathWordShift | value); }
  void Branch(uint64_t from, uint64_t to, uint64_t steps) override {
    Put(PathWord::kBranch, from);
    Write((steps < kMostPathSteps ? steps : kMostPathSteps) << kPathStepsShift | to);
  }
  void EnterHandler(uint64_t entry) override { Put(PathWord::kEnterHandler, entry); }
  void LeaveHandler(uint32_t handlers) override { Put(PathWord::kLeaveHandler, handlers); }
  void Move(uint64_t to) override { Put(PathWord::kMove, to); }
  void Lost(uint64_t to) override { Put(PathWord::kLost, to); }

 private:
  void Write(uint64_t word) {
    if (file_ != nullptr) std::fwrite(&word, sizeof word, 1, file_);
  }
  std::FILE* file_ = nullptr;
};

struct Block {
  uint64_t address;
  uint32_t instructions;
  bool is_runtime;
};
struct Place {
  uint64_t address;
  uint64_t block_end;
  uint32_t word;
};

// A marked thread. The kernel may work for it on more than one CPU.
struct Followed {
  PathFollower follower;
  uint64_t kernel_blocks;    // count of kernel blocks at its last block outside the kernel
  uint64_t user_stores = 0;  // the kernel's stores into user memory since then
};

struct Vcpu {
  uint64_t task = 0;
  Followed* followed = nullptr;  // if the task is followed
};

LogSink g_log;
KnownCode g_runtime;
Vcpu g_vcpus[kMostVcpus];
uint64_t g_kernel_blocks;
std::unordered_map<uint64_t, std::unique_ptr<Followed>>
    g_followed;              // by task; one at a time, because the log holds one path after the other
std::deque<Block> g_blocks;  // one per translation: QEMU keeps pointers to them
std::deque<Place> g_places;

void OnBlock(unsigned vcpu, void* data) {
  Followed* followed = g_vcpus[vcpu].followed;
  if (followed == nullptr) return;
  const Block& block = *static_cast<const Block*>(data);
  followed->follower.EnterBlock({block.address, block.instructions, followed->kernel_blocks != g_kernel_blocks,
                                 followed->user_stores >= kFrameStores, block.is_runtime});
  followed->kernel_blocks = g_kernel_blocks;
  followed->user_stores = 0;
}

void OnBranch(unsigned vcpu, void* data) {
  if (Followed* followed = g_vcpus[vcpu].followed; followed != nullptr) {
    const Place& place = *static_cast<const Place*>(data);
    followed->follower.ReachBranch(place.address, place.word);
  }
}

void OnReturnFromSignal(unsigned vcpu, void*) {
  if (Followed* followed = g_vcpus[vcpu].followed; followed != nullptr) followed->follower.ReachReturnFromSignal();
}

void OnBegin(unsigned vcpu, void* data) {
  if (!g_followed.empty()) return;
  const Place& place = *static_cast<const Place*>(data);
  Vcpu& cpu = g_vcpus[vcpu];
  auto& followed = g_followed[cpu.task];
  followed.reset(new Followed{PathFollower(&g_log, place.address, place.block_end), g_kernel_blocks});
  cpu.followed = followed.get();
  g_log.Put(PathWord::kBegin, place.address);
}

void OnEnd(unsigned vcpu, void*) {
  Vcpu& cpu = g_vcpus[vcpu];
  if (cpu.followed == nullptr) return;
  g_log.Put(PathWord::kEnd, 0);
  cpu.followed = nullptr;
  g_followed.clear();
}

void OnUserStore(unsigned vcpu, uint32_t, uint64_t address, void*) {
  if (Followed* followed = g_vcpus[vcpu].followed; followed != nullptr && !IsKernel(address)) ++followed->user_stores;
}

void OnSwitch(unsigned vcpu, uint32_t, uint64_t address, void*) {
  Vcpu& cpu = g_vcpus[vcpu];
  cpu.task = address;
  const auto known = g_followed.find(address);
  cpu.followed = known == g_followed.end() ? nullptr : known->second.get();
}

void TranslateKernel(qemu_plugin_tb* tb, const std::vector<uint32_t>& words) {
  qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_PLUGIN_INLINE_ADD_U64, &g_kernel_blocks, 1);
  for (size_t i = 0; i < words.size(); ++i) {
    qemu_plugin_insn* instruction = qemu_plugin_tb_get_insn(tb, i);
    if (words[i] == kSwitchLoad) {
      qemu_plugin_register_vcpu_mem_cb(instruction, OnSwitch, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, nullptr);
    } else if (IsUserStore(words[i])) {
      qemu_plugin_register_vcpu_mem_cb(instruction, OnUserStore, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, nullptr);
    }
  }
}

void TranslateProgram(qemu_plugin_tb* tb, uint64_t address, const std::vector<uint32_t>& words) {
  g_blocks.push_back(
      {address, static_cast<uint32_t>(words.size()), g_runtime.Contains(address, words.data(), words.size())});
  qemu_plugin_register_vcpu_tb_exec_cb(tb, OnBlock, QEMU_PLUGIN_CB_NO_REGS, &g_blocks.back());
  for (size_t i = 0; i < words.size(); ++i) {
    const truth::StepKind kind = truth::ClassifyA64Step(words[i]).kind;
    qemu_plugin_executed callback = nullptr;
    if (kind == truth::StepKind::kConditional || kind == truth::StepKind::kUnconditional) callback = OnBranch;
    if (words[i] == kSetReturnCall) callback = OnReturnFromSignal;
    if (words[i] == kBeginMark) callback = OnBegin;
    if (words[i] == kEndMark) callback = OnEnd;
    if (callback == nullptr) continue;
    g_places.push_back({address + 4 * i, address + 4 * words.size(), words[i]});
    qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, i), callback, QEMU_PLUGIN_CB_NO_REGS,
                                           &g_places.back());
  }
}

void OnTranslated(qemu_plugin_id_t, qemu_plugin_tb* tb) {
  std::vector<uint32_t> words(qemu_plugin_tb_n_insns(tb));
  for (size_t i = 0; i < words.size(); ++i) {
    std::memcpy(&words[i], qemu_plugin_insn_data(qemu_plugin_tb_get_insn(tb, i)), sizeof words[i]);
  }
  const uint64_t address = qemu_plugin_tb_vaddr(tb);
  if (IsKernel(address)) {
    TranslateKernel(tb, words);
  } else {
    TranslateProgram(tb, address, words);
  }
}

void OnExit(qemu_plugin_id_t, void*) { g_log.Close(); }

}  // namespace
}  // namespace softlbr::guest

extern "C" {

__attribute__((visibility("default"))) extern const int qemu_plugin_version;
const int qemu_plugin_version = 1;

__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t*, int count,
                                                               char** arguments) {
  using namespace softlbr::guest;
  for (int i = 0; i < count; ++i) {
    const std::string argument = arguments[i];
    bool is_good = false;
    if (argument.starts_with("log=")) is_good = g_log.Open(argument.c_str() + 4);
    if (argument.starts_with("runtime=")) is_good = g_runtime.Read(argument.substr(8));
    if (is_good) continue;
    std::fprintf(stderr, "path plugin: cannot use %s\n", argument.c_str());
    return 1;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, OnTranslated);
  qemu_plugin_register_atexit_cb(id, OnExit, nullptr);
  return 0;
}

}  // extern "C"
