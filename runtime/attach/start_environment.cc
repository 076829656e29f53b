// Contract: start_environment.h.
//
// The kernel puts the auxiliary vector behind the environment, and some programs look for it there: the pair that follows the null
// pointer after the last variable. Each variable removed moves that null pointer down and leaves a word behind it:
//
//   before   VAR_0 .. VAR_n-1  null                             entries of the auxiliary vector
//   after    VAR_0 .. VAR_n-3  null  (AT_IGNORE, 0)             the same entries, at the same place, where the libc knows them
//
// An entry is two words, so this works for an even number of variables. `softlbr record` adds an even number.
#include "runtime/attach/start_environment.h"

#include <elf.h>
#include <stdint.h>
#include <sys/auxv.h>

#include "runtime/attach/record_protocol.h"

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

// Removes our library from the value of LD_PRELOAD, in place: it is the first name, up to the first ':' or ' '. False if no other
// name is left.
bool KeepOtherLibraries(char* value) {
  const char* rest = value;
  while (*rest != '\0' && *rest != ':' && *rest != ' ') ++rest;
  if (*rest == '\0') return false;
  ++rest;
  while ((*value++ = *rest++) != '\0') {
  }
  return true;
}

// True if the environment is the one that the kernel made, and `end`, the word after its null pointer, the auxiliary vector: it lies
// right below the random bytes that the vector points to.
bool IsAuxiliaryVector(char** end) {
  constexpr uint64_t kMostBytes = 4096;
  const auto distance = static_cast<uint64_t>(getauxval(AT_RANDOM)) - reinterpret_cast<uint64_t>(end);
  return distance < kMostBytes;
}

}  // namespace

const char* TakeStartOptions() {
  const char* options = nullptr;
  if (environ == nullptr) return nullptr;
  for (char** entry = environ; *entry != nullptr && options == nullptr; ++entry) options = ValueOf(*entry, kRecordOptionsVariable);
  if (options == nullptr) return nullptr;
  char** kept = environ;
  char** entry = environ;
  bool is_preload_done = false;
  for (; *entry != nullptr; ++entry) {
    if (ValueOf(*entry, kRecordOptionsVariable) != nullptr || ValueOf(*entry, kRecordFillerVariable) != nullptr) continue;
    char* preload = is_preload_done ? nullptr : ValueOf(*entry, "LD_PRELOAD");
    if (preload != nullptr) {
      is_preload_done = true;
      if (!KeepOtherLibraries(preload)) continue;
    }
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
