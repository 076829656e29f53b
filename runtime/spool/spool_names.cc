#include "runtime/spool/spool_names.h"

namespace softlbr::spool {
namespace {

constexpr int kIdDigits = 16;
constexpr int kMostProcessDigits = 10;

bool IsDecimal(char digit) { return digit >= '0' && digit <= '9'; }
bool IsHexadecimal(char digit) { return IsDecimal(digit) || (digit >= 'a' && digit <= 'f'); }

char* PutText(char* at, const char* text) {
  while (*text != '\0') *at++ = *text++;
  *at = '\0';
  return at;
}

char* PutId(char* at, uint64_t id) {
  for (int shift = 4 * (kIdDigits - 1); shift >= 0; shift -= 4) *at++ = "0123456789abcdef"[id >> shift & 15];
  return at;
}

// Behind the id; nullptr if the name does not begin with one.
const char* SkipId(const char* name) {
  for (int i = 0; i < kIdDigits; ++i) {
    if (!IsHexadecimal(name[i])) return nullptr;
  }
  return name + kIdDigits;
}

}  // namespace

FileName NameOfFinished(uint64_t session_id, bool is_complete) {
  FileName name;
  PutText(PutId(name.text, session_id), is_complete ? ".slbr" : ".truncated.slbr");
  return name;
}

FileName NameOfTemporary(uint64_t session_id, int32_t process) {
  FileName name;
  char* at = PutId(PutText(name.text, "."), session_id);
  at = PutText(at, ".");
  uint32_t divisor = 1;
  const uint32_t number = static_cast<uint32_t>(process);
  while (number / divisor >= 10) divisor *= 10;
  for (; divisor != 0; divisor /= 10) *at++ = static_cast<char>('0' + number / divisor % 10);
  PutText(at, ".tmp");
  return name;
}

bool IsFinishedName(const char* name) {
  const char* rest = SkipId(name);
  return rest != nullptr && (CompareNames(rest, ".slbr") == 0 || CompareNames(rest, ".truncated.slbr") == 0);
}

bool IsTemporaryName(const char* name) {
  if (*name != '.') return false;
  const char* rest = SkipId(name + 1);
  if (rest == nullptr || *rest++ != '.') return false;
  int digits = 0;
  while (digits <= kMostProcessDigits && IsDecimal(rest[digits])) ++digits;
  return digits != 0 && CompareNames(rest + digits, ".tmp") == 0;
}

int CompareNames(const char* left, const char* right) {
  while (*left != '\0' && *left == *right) {
    ++left;
    ++right;
  }
  return static_cast<unsigned char>(*left) - static_cast<unsigned char>(*right);
}

}  // namespace softlbr::spool
