// Contract: start_environment.h.
//
// The kernel puts the auxiliary vector behind the environment, and some programs look for it there: the pair that
// follows the null pointer after the last variable. Each variable removed moves that null pointer down and leaves a
// word behind it:
//
//   before   VAR_0 .. VAR_n-1  null                             entries of the auxiliary vector after VAR_0 .. VAR_n-3
//                                                               null (AT_IGNORE, 0) the same entries, at the same
//                                                               place, where the libc knows them
//
// An entry is two words, so this works for an even number of variables. `softlbr record` adds an even number.
#include "runtime/attach/start_environment.h"

#include <elf.h>
#include <stdint.h>
#include <sys/auxv.h>

#include "runtime/libc/loaded_functions.h"
#include "runtime/process_tree/record_protocol.h"

extern char** environ;

namespace softlbr {
namespace {

// The value of `name` if entry is "name=value", else nullptr.
char* ValueOf(char* entry, const char* name) {
  for (; *name != '\0'; ++name, ++entry) {
    if (*entry != *name) return nullptr;
  }
  return *entry == '=' ? entry + 1 : nullptr;
}

bool IsSeparator(char c) { return c == ':' || c == ' '; }

bool IsName(const char* entry, const char* end, const char* name) {
  for (; entry != end && *entry == *name; ++entry) ++name;
  return entry == end && *name == '\0';
}

// Removes our library from the value of LD_PRELOAD, in place, wherever it stands: another library may have put itself
// in front. False if no other name is left.
bool KeepOtherLibraries(char* value, const char* library) {
  bool was_removed = false;
  char* kept = value;
  for (const char* at = value;;) {
    const char* end = at;
    while (*end != '\0' && !IsSeparator(*end)) ++end;
    const bool is_ours = IsName(at, end, library);
    const bool is_last = *end == '\0';
    was_removed = was_removed || is_ours;
    if (!is_ours) {
      while (at != end) *kept++ = *at++;
      if (!is_last) *kept++ = *end;
    } else if (is_last) {  // without the separator in front of it
      if (kept == value) return false;
      --kept;
    }
    if (is_last) break;
    at = end + 1;
  }
  if (was_removed) *kept = '\0';
  return true;
}

// True if the environment is the one that the kernel made, and `end`, the word after its null pointer, the auxiliary
// vector: it lies right below the random bytes that the vector points to.
bool IsAuxiliaryVector(char** end) {
  constexpr uint64_t kMostBytes = 4096;
  const auto distance = static_cast<uint64_t>(getauxval(AT_RANDOM)) - reinterpret_cast<uint64_t>(end);
  return distance < kMostBytes;
}

}  // namespace

const char* TakeStartOptions() {
  const char* options = nullptr;
  if (environ == nullptr) return nullptr;
  for (char** entry = environ; *entry != nullptr && options == nullptr; ++entry)
    options = ValueOf(*entry, kRecordOptionsVariable);
  if (options == nullptr) return nullptr;
  char** kept = environ;
  char** entry = environ;
  const char* library = OwnLibraryPath();
  for (; *entry != nullptr; ++entry) {
    if (ValueOf(*entry, kRecordOptionsVariable) != nullptr || ValueOf(*entry, kRecordFillerVariable) != nullptr)
      continue;
    char* preload = ValueOf(*entry, "LD_PRELOAD");
    if (preload != nullptr && library != nullptr && !KeepOtherLibraries(preload, library)) continue;
    *kept++ = *entry;
  }
  ++entry;
  *kept++ = nullptr;
  if ((entry - kept) % 2 == 0 && IsAuxiliaryVector(entry)) {
    while (kept != entry) {
      *kept++ = reinterpret_cast<char*>(uintptr_t{AT_IGNORE});
      *kept++ = nullptr;
    }
  } else {
    while (kept != entry) *kept++ = nullptr;
  }
  return options;
}

}  // namespace softlbr
