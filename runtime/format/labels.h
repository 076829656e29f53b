// Labels of a session: what the app or `softlbr record --label` says of it (version of the app, arm of an experiment,
// ...), as the body of a labels section: for each label u8 bytes of the key, the key, u8 bytes of the value, the value;
// ascending by key, each key once.
//
// Who: the runtime's store of labels, the compactor, the host's reader and writer. Any context. No system call.
// Trust: the bytes may be foreign; nothing beyond their end is read, and AreLabels accepts only what SetLabel could
// have made.
#ifndef SOFTLBR_RUNTIME_FORMAT_LABELS_H_
#define SOFTLBR_RUNTIME_FORMAT_LABELS_H_

#include <cstdint>

namespace softlbr {

// A profile is small, and every frame has the labels: they must not outweigh it.
inline constexpr uint32_t kMostLabels = 8;  // their store is in the data of every app, twice
inline constexpr uint32_t kMostLabelKeyBytes = 32;
inline constexpr uint32_t kMostLabelValueBytes = 64;
inline constexpr uint32_t kMostLabelsBytes = kMostLabels * (2 + kMostLabelKeyBytes + kMostLabelValueBytes);

// Points into the bytes.
struct Label {
  const char* key;
  const char* value;
  uint32_t key_bytes;
  uint32_t value_bytes;
};

// 1 to kMostLabelKeyBytes letters, digits, '_', '-' and '.'.
bool IsLabelKey(const char* key, uint64_t bytes);
// Up to kMostLabelValueBytes printable ASCII characters, but no '"', ';' or '\'.
bool IsLabelValue(const char* value, uint64_t bytes);

// Reads the label at *at, and advances *at behind it. False: the rest is none.
bool NextLabel(const uint8_t* body, uint64_t bytes, uint64_t* at, Label* label);
bool AreLabels(const uint8_t* body, uint64_t bytes);

enum class LabelChange : uint8_t { kDone, kInvalid, kFull };
// Sets, replaces or (value == nullptr) removes a label of the body, whose room is kMostLabelsBytes. Unless the result
// is kDone, nothing has changed.
LabelChange SetLabel(uint8_t* body, uint32_t* bytes, const Label& label);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_FORMAT_LABELS_H_
