// Turns the blocks that an emulated CPU executes into the taken branches of one thread, in order.
//
// The emulator reports each block, each branch or system call in it that is reached, and whether the kernel ran in
// between. From this the follower derives what the thread did: continued, branched, entered a signal handler, returned
// from one. The runtime's own handler is silent: for the path it is only time spent in the kernel.
// The result is exact if the emulator ends a block at every branch. A transition that nothing explains is a move (by
// the kernel) or lost (an error in this code), never guessed.
#ifndef SOFTLBR_TESTS_GUEST_PATH_FOLLOWER_H_
#define SOFTLBR_TESTS_GUEST_PATH_FOLLOWER_H_

#include <cstdint>
#include <set>
#include <vector>

namespace softlbr::guest {

// Receives the path. Addresses are the program's run-time addresses.
class PathSink {
 public:
  virtual ~PathSink() = default;
  virtual void Branch(uint64_t from, uint64_t to, uint64_t steps) = 0;  // steps: instructions since the one before
  // the interrupted flow continues after LeaveHandler
  virtual void EnterHandler(uint64_t entry) = 0;
  virtual void LeaveHandler(uint32_t handlers) = 0;  // so many at once
  virtual void Move(uint64_t to) = 0;
  virtual void Lost(uint64_t to) = 0;
};

struct BlockStart {
  uint64_t address = 0;
  uint32_t instructions = 0;
  bool kernel_ran = false;     // since the thread's last block
  bool frame_written = false;  // the kernel stored as much into user memory as a signal frame takes
  bool is_runtime = false;     // the block is in the runtime's library
};

class PathFollower {
 public:
  // Begins inside a block, at `address`; the block ends before `block_end`.
  PathFollower(PathSink* sink, uint64_t address, uint64_t block_end);

  void EnterBlock(const BlockStart& block);
  // A branch is about to run: it is the last instruction of its block and cannot fault.
  void ReachBranch(uint64_t address, uint32_t word);
  // The thread sets the number of rt_sigreturn; the call follows.
  void ReachReturnFromSignal();

 private:
  // One flow of control: the program's, or a signal handler's on top of it.
  struct Flow {
    uint64_t from = 0;    // the thread has run straight from here
    uint64_t end = 0;     // end of the block
    uint64_t steps = 0;   // instructions before `from`, since the last taken branch
    uint64_t branch = 0;  // the branch that has run; 0: none
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
  std::set<uint64_t> entries_;  // of handlers seen so far
};

}  // namespace softlbr::guest

#endif  // SOFTLBR_TESTS_GUEST_PATH_FOLLOWER_H_
