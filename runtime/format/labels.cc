#include "runtime/format/labels.h"

#include "platform/base/bytes.h"

namespace softlbr {
namespace {

// Below 0 if key a comes first.
int Compare(const Label& a, const Label& b) {
  for (uint32_t i = 0; i < a.key_bytes && i < b.key_bytes; ++i) {
    if (a.key[i] != b.key[i]) return a.key[i] < b.key[i] ? -1 : 1;
  }
  return a.key_bytes == b.key_bytes ? 0 : a.key_bytes < b.key_bytes ? -1 : 1;
}

uint32_t Put(uint8_t* body, uint32_t at, const Label& label) {
  body[at++] = static_cast<uint8_t>(label.key_bytes);
  CopyBytes(body + at, label.key, label.key_bytes);
  at += label.key_bytes;
  body[at++] = static_cast<uint8_t>(label.value_bytes);
  CopyBytes(body + at, label.value, label.value_bytes);
  return at + label.value_bytes;
}

}  // namespace

bool IsLabelKey(const char* key, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; ++i) {
    const char c = key[i];
    const bool is_kept =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    if (!is_kept) return false;
  }
  return bytes != 0 && bytes <= kMostLabelKeyBytes;
}

bool IsLabelValue(const char* value, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; ++i) {
    const char c = value[i];
    if (c < ' ' || c > '~' || c == '"' || c == ';' || c == '\\') return false;
  }
  return bytes <= kMostLabelValueBytes;
}

bool NextLabel(const uint8_t* body, uint64_t bytes, uint64_t* at, Label* label) {
  uint64_t next = *at;
  const auto take = [&](const char** text, uint32_t* count) {
    if (next >= bytes || body[next] >= bytes - next) return false;
    *count = body[next];
    *text = reinterpret_cast<const char*>(body + next + 1);
    next += 1 + *count;
    return true;
  };
  if (!take(&label->key, &label->key_bytes) || !take(&label->value, &label->value_bytes)) return false;
  if (!IsLabelKey(label->key, label->key_bytes) || !IsLabelValue(label->value, label->value_bytes)) return false;
  *at = next;
  return true;
}

bool AreLabels(const uint8_t* body, uint64_t bytes) {
  Label before = {};
  uint64_t at = 0;
  for (uint32_t count = 0; at != bytes; ++count) {
    Label label;
    if (count == kMostLabels || !NextLabel(body, bytes, &at, &label)) return false;
    if (count != 0 && Compare(before, label) >= 0) return false;
    before = label;
  }
  return true;
}

LabelChange SetLabel(uint8_t* body, uint32_t* bytes, const Label& label) {
  if (!IsLabelKey(label.key, label.key_bytes) ||
      (label.value != nullptr && !IsLabelValue(label.value, label.value_bytes))) {
    return LabelChange::kInvalid;
  }
  uint8_t changed[kMostLabelsBytes + 2 + kMostLabelKeyBytes + kMostLabelValueBytes];
  uint32_t count = 0;
  uint32_t size = 0;
  bool is_put = label.value == nullptr;
  uint64_t at = 0;
  Label old;
  while (NextLabel(body, *bytes, &at, &old)) {
    const int order = Compare(old, label);
    if (order >= 0 && !is_put) {
      size = Put(changed, size, label);
      ++count;
      is_put = true;
    }
    if (order == 0) continue;
    size = Put(changed, size, old);
    ++count;
  }
  if (!is_put) {
    size = Put(changed, size, label);
    ++count;
  }
  if (count > kMostLabels) return LabelChange::kFull;
  CopyBytes(body, changed, size);
  *bytes = size;
  return LabelChange::kDone;
}

}  // namespace softlbr
