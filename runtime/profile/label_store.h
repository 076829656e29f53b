// The labels of this process's sessions, set by any thread at any time and read by the writer of a profile.
//
// Memory: static. Context: Set, a thread of the app, not in a handler: it waits, a second at most, for another thread
//   that is in Set. Read, any: it waits for nobody.
// fork: the child has a copy of the labels, whole even if the parent was in Set.
#ifndef SOFTLBR_RUNTIME_PROFILE_LABEL_STORE_H_
#define SOFTLBR_RUNTIME_PROFILE_LABEL_STORE_H_

#include <atomic>
#include <cstdint>

#include "platform/base/status.h"
#include "runtime/format/labels.h"

namespace softlbr {

class LabelStore {
 public:
  // value nullptr: removes the label. kInvalidArgument: outside the limits of labels.h. kFull: kMostLabels others are
  // set. kSystemError: another thread stays in Set.
  Status Set(const char* key, const char* value);
  // Fills body (kMostLabelsBytes) and *bytes. False: they change too fast, and nothing was filled in.
  bool Read(uint8_t* body, uint32_t* bytes) const;

 private:
  static constexpr uint32_t kWords = kMostLabelsBytes / sizeof(uint64_t);
  static_assert(kWords * sizeof(uint64_t) == kMostLabelsBytes);
  struct Copy {
    std::atomic<uint32_t> bytes;
    std::atomic<uint64_t> words[kWords];
  };
  std::atomic<int32_t> holder_;    // the process whose thread is in Set; 0: none
  std::atomic<uint32_t> version_;  // copies_[version_ % 2] is valid; the other one may be changing
  Copy copies_[2];
};

LabelStore* ProcessLabels();

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_PROFILE_LABEL_STORE_H_
