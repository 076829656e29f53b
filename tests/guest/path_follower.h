// From the blocks an emulated CPU executes to the taken branches of one thread, in order.
//
// An emulator says which block begins, which branch or system call in it is reached, and whether the kernel ran in between. From
// that the follower tells what the thread did: went on, branched, entered a signal handler, came back from one. A handler of
// the runtime's own is silent: to the path it is nothing but a while in the kernel.
// Exact, given that the emulator ends a block at every branch; what fits nowhere is a move (the kernel's doing) or lost
// (nobody's: a fault of this code), never guessed.
#ifndef SOFTLBR_TESTS_GUEST_PATH_FOLLOWER_H_
#define SOFTLBR_TESTS_GUEST_PATH_FOLLOWER_H_

#include <cstdint>
#include <set>
#include <vector>

namespace softlbr::guest {

// What becomes of it. Addresses are the program's own.
class PathSink {
 public:
  virtual ~PathSink() = default;
  virtual void Branch(uint64_t from, uint64_t to, uint64_t steps) = 0;  // steps: instructions since the one before
  virtual void EnterHandler(uint64_t entry) = 0;                        // the interrupted flow goes on behind LeaveHandler
  virtual void LeaveHandler(uint32_t handlers) = 0;                     // so many at once
  virtual void Move(uint64_t to) = 0;
  virtual void Lost(uint64_t to) = 0;
};

struct BlockStart {
  uint64_t address = 0;
  uint32_t instructions = 0;
  bool kernel_ran = false;     // since the thread's last block
  bool frame_written = false;  // and it stored as much into user memory as a signal frame takes
  bool is_runtime = false;     // the block lies in the runtime's library
};

class PathFollower {
 public:
  // Begins within a block, at `address`; the block ends before `block_end`.
  PathFollower(PathSink* sink, uint64_t address, uint64_t block_end);

  void EnterBlock(const BlockStart& block);
  // A branch is about to run: it is the last instruction of its block and cannot fault.
  void ReachBranch(uint64_t address, uint32_t word);
  // The thread sets the number of rt_sigreturn; the call comes next.
  void ReachReturnFromSignal();

 private:
  // One flow of control: the program's, or a signal handler's on top of it.
  struct Flow {
    uint64_t from = 0;    // the thread has run from here on, straight
    uint64_t end = 0;     // and will not get behind this without a new block
    uint64_t steps = 0;   // before that, since the last taken branch
    uint64_t branch = 0;  // that has run; 0: none
    uint32_t word = 0;
    bool is_silent = false;
    bool is_returning = false;
  };

  static bool IsIndirect(uint32_t word);
  static bool CanGoOnAt(const Flow& flow, uint64_t address);
  void EnterHandler(const BlockStart& block);
  bool LeaveHandlers(uint64_t address);
  void GoOnAt(Flow* flow, const BlockStart& block);
  static void Restart(Flow* flow, const BlockStart& block);

  PathSink& sink_;
  std::vector<Flow> flows_;
  std::set<uint64_t> entries_;  // of handlers seen
};

}  // namespace softlbr::guest

#endif  // SOFTLBR_TESTS_GUEST_PATH_FOLLOWER_H_
