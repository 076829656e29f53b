#include "runtime/profile/label_store.h"

#include "platform/base/attributes.h"
#include "platform/base/bytes.h"
#include "platform/thread.h"

namespace softlbr {
namespace {

constexpr uint32_t kReadAttempts = 8;
constexpr uint64_t kWaitNs = 100000;
constexpr uint32_t kMostWaits = 10000;

SOFTLBR_CONSTINIT LabelStore g_labels{};

uint32_t Length(const char* text, uint32_t most) {
  uint32_t length = 0;
  while (length <= most && text[length] != '\0') ++length;
  return length;
}

}  // namespace

LabelStore* ProcessLabels() { return &g_labels; }

bool LabelStore::Read(uint8_t* body, uint32_t* bytes) const {
  for (uint32_t i = 0; i < kReadAttempts; ++i) {
    const uint32_t version = version_.load(std::memory_order_acquire);
    const Copy& copy = copies_[version % 2];
    uint64_t words[kWords];
    for (uint32_t word = 0; word < kWords; ++word) words[word] = copy.words[word].load(std::memory_order_acquire);
    const uint32_t size = copy.bytes.load(std::memory_order_acquire);
    if (version_.load(std::memory_order_relaxed) != version || size > kMostLabelsBytes) continue;
    CopyBytes(body, words, size);
    *bytes = size;
    return true;
  }
  return false;
}

Status LabelStore::Set(const char* key, const char* value) {
  if (key == nullptr) return Status::kInvalidArgument;
  const Label label = {key, value, Length(key, kMostLabelKeyBytes),
                       value != nullptr ? Length(value, kMostLabelValueBytes) : 0};
  const int32_t self = platform::CurrentProcessId();
  int32_t holder = 0;
  for (uint32_t i = 0; !holder_.compare_exchange_strong(holder, self, std::memory_order_acquire); ++i) {
    if (holder != 0 && holder != self) continue;  // a thread of the parent, which is not here: takes its place
    holder = 0;
    if (i == kMostWaits) return Status::kSystemError;
    platform::SleepNs(kWaitNs);
  }
  alignas(8) uint8_t body[kMostLabelsBytes] = {};
  uint32_t bytes = 0;
  const uint32_t version = version_.load(std::memory_order_relaxed);
  (void)Read(body, &bytes);  // nobody changes them
  const LabelChange change = SetLabel(body, &bytes, label);
  if (change == LabelChange::kDone) {
    Copy& copy = copies_[(version + 1) % 2];
    // Release: a reader that sees one of these stores sees that the version before, which this copy was valid for, is
    // over. No fence, because the thread sanitizer does not know fences.
    for (uint32_t word = 0; word < kWords; ++word) {
      uint64_t value_of_word;
      CopyBytes(&value_of_word, body + word * sizeof value_of_word, sizeof value_of_word);
      copy.words[word].store(value_of_word, std::memory_order_release);
    }
    copy.bytes.store(bytes, std::memory_order_release);
    version_.store(version + 1, std::memory_order_release);
  }
  holder_.store(0, std::memory_order_release);
  if (change == LabelChange::kFull) return Status::kFull;
  return change == LabelChange::kDone ? Status::kOk : Status::kInvalidArgument;
}

}  // namespace softlbr
