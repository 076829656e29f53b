#include "toolchain/db/flow/recovery_queue.h"

#include <utility>

namespace softlbr::toolchain {

RecoveryQueue::RecoveryQueue(BinaryRecovery* recovery, std::vector<uint32_t> binaries)
    : recovery_(*recovery), binaries_(std::move(binaries)), thread_([this] { RecoverAll(); }) {}

RecoveryQueue::~RecoveryQueue() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::unique_ptr<RecoveredBinary> RecoveryQueue::Next() {
  std::unique_lock<std::mutex> lock(mutex_);
  being_written_ = 0;
  changed_.notify_all();
  changed_.wait(lock, [&] { return !results_.empty(); });
  Result result = std::move(results_.front());
  results_.pop_front();
  being_written_ = result.instructions;
  changed_.notify_all();
  if (result.failure != nullptr) std::rethrow_exception(result.failure);
  return std::move(result.binary);
}

bool RecoveryQueue::IsDone() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return is_done_;
}

uint64_t RecoveryQueue::InMemory() const {
  uint64_t instructions = being_written_;
  for (const Result& result : results_) instructions += result.instructions;
  return instructions;
}

void RecoveryQueue::RecoverAll() {
  for (const uint32_t binary : binaries_) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [&] { return is_ended_ || MayRecover(); });
      if (is_ended_) return;
    }
    Result result;
    try {
      result.binary = recovery_.Recover(binary);
      if (result.binary != nullptr) result.instructions = result.binary->module().instructions.size();
    } catch (...) {
      result.failure = std::current_exception();
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    results_.push_back(std::move(result));
    is_done_ = &binary == &binaries_.back();
    changed_.notify_all();
  }
}

}  // namespace softlbr::toolchain
