// Recovers binaries on a thread of its own, in order, ahead of the thread that writes them.
//
// The writer takes one after another with Next(). Meanwhile the thread recovers the following ones: always one ahead,
// and more while the binaries in memory have few instructions in total, so that a large binary overlaps with several
// small ones.
// Memory: the binary being written, those that wait for it, and the one being recovered.
#ifndef SOFTLBR_TOOLCHAIN_DB_FLOW_RECOVERY_QUEUE_H_
#define SOFTLBR_TOOLCHAIN_DB_FLOW_RECOVERY_QUEUE_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "toolchain/db/flow/binary_recovery.h"

namespace softlbr::toolchain {

class RecoveryQueue {
 public:
  // The recovery is used by the thread alone, until the queue is destroyed.
  RecoveryQueue(BinaryRecovery* recovery, std::vector<uint32_t> binaries);
  RecoveryQueue(const RecoveryQueue&) = delete;
  RecoveryQueue& operator=(const RecoveryQueue&) = delete;
  ~RecoveryQueue();  // waits for the end of the binary that is being recovered

  // The next binary, as BinaryRecovery::Recover returned or threw it. Call it at most once for each binary, after the
  // one before it has been written and destroyed.
  std::unique_ptr<RecoveredBinary> Next();
  // Whether the thread has recovered all of them, and uses no processor any more.
  bool IsDone();

 private:
  struct Result {
    std::unique_ptr<RecoveredBinary> binary;
    std::exception_ptr failure;
    uint64_t instructions = 0;
  };

  void RecoverAll();
  bool MayRecover() const { return results_.empty() || InMemory() <= kMostAhead; }
  uint64_t InMemory() const;

  // Instructions in memory beyond which only one binary is recovered ahead. An instruction takes some 100 bytes.
  static constexpr uint64_t kMostAhead = 5'000'000;

  BinaryRecovery& recovery_;
  const std::vector<uint32_t> binaries_;
  std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  std::deque<Result> results_;
  uint64_t being_written_ = 0;  // instructions
  bool is_ended_ = false;
  bool is_done_ = false;
  std::thread thread_;  // the last member: it uses the others
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_DB_FLOW_RECOVERY_QUEUE_H_
