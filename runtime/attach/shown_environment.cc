// Contract: shown_environment.h.
//
// The kernel shows the strings as it has put them on the stack, whatever `environ` points to:
//
//   ARGUMENTS  VAR_1 ... VAR_n (the program's)  LD_PRELOAD  SOFTLBR_OPTIONS  (ours)  path of the program
//              ^ env_start                                                         ^ env_end, AT_EXECFN
//
// Ours are the last ones, so they are cut off by a lower env_end. Where the kernel does not allow that (without
// CONFIG_CHECKPOINT_RESTORE), zeros are shown in their place.
#include "runtime/attach/shown_environment.h"

#include <linux/prctl.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

#include <cstdint>

#include "platform/base/bytes.h"
#include "platform/file.h"
#include "platform/syscall.h"
#include "runtime/interpose/replaced_functions.h"
#include "runtime/process_tree/record_protocol.h"

extern char** environ;

namespace softlbr {
namespace {

constexpr uint64_t kMostBytes = 1 << 20;  // of the variables behind a program's LD_PRELOAD

bool IsVariable(const char* entry, const char* name) {
  for (; *name != '\0'; ++name, ++entry) {
    if (*entry != *name) return false;
  }
  return *entry == '=';
}

bool IsOurs(const char* entry) {
  return IsVariable(entry, kRecordOptionsVariable) || IsVariable(entry, kRecordFillerVariable) ||
         IsVariable(entry, "LD_PRELOAD");
}

char* EndOf(char* text) {
  while (*text != '\0') ++text;
  return text + 1;
}

// The start of the string that `text` points into, or to its end. A string stands in front of each of the environment:
// the arguments.
char* StartOf(char* text) {
  while (text[-1] != '\0') --text;
  return text;
}

bool IsPointedTo(const char* text) {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (*entry == text) return true;
  }
  return false;
}

// Replaces the end of the environment among what the kernel keeps about this process, all of which it wants to be told
// (proc(5): stat).
void SetEnd(char* end) {
  const long address = reinterpret_cast<long>(end);
  if (platform::SysCall(SYS_prctl, PR_SET_MM, PR_SET_MM_ENV_END, address, 0, 0) == 0) return;  // with CAP_SYS_RESOURCE
  constexpr uint32_t kFields = 51;
  char text[1024];
  const long fd = platform::OpenForRead("/proc/self/stat");
  if (fd < 0) return;
  const long bytes = platform::ReadAt(static_cast<int>(fd), 0, text, sizeof text - 1);
  platform::CloseFile(static_cast<int>(fd));
  if (bytes <= 0) return;
  text[bytes] = '\0';
  const char* at = text + bytes;
  while (at != text && *at != ')') --at;  // the name in front of it may hold any byte
  uint64_t fields[kFields + 1] = {};
  for (uint32_t field = 3; field <= kFields && *at != '\0'; ++field) {
    while (*at != ' ' && *at != '\0') ++at;
    while (*at == ' ') ++at;
    for (const char* digit = at; *digit >= '0' && *digit <= '9'; ++digit) {
      fields[field] = fields[field] * 10 + static_cast<uint64_t>(*digit - '0');
    }
  }
  prctl_mm_map map{};
  map.start_code = fields[26];
  map.end_code = fields[27];
  map.start_stack = fields[28];
  map.start_data = fields[45];
  map.end_data = fields[46];
  map.start_brk = fields[47];
  map.arg_start = fields[48];
  map.arg_end = fields[49];
  map.env_start = fields[50];
  map.env_end = static_cast<uint64_t>(address);
  map.exe_fd = ~uint32_t{0};
  if (fields[51] <= map.env_end || map.env_start > map.env_end) return;
  map.brk = static_cast<uint64_t>(platform::SysCall(SYS_brk, 0));
  platform::SysCall(SYS_prctl, PR_SET_MM, PR_SET_MM_MAP, reinterpret_cast<long>(&map), sizeof map, 0);
}

}  // namespace

char* EndOfEnvironment() { return reinterpret_cast<char*>(getauxval(AT_EXECFN)); }

void HideOwnVariables(char* options, char* end) {
  if (EndOf(options) != end || !IsSingleThreaded()) return;  // not the order in which recorded programs are started
  char* begin = StartOf(options);
  bool has_filler = false;
  for (char* before = StartOf(begin - 1); IsOurs(before) && !IsPointedTo(before); before = StartOf(begin - 1)) {
    has_filler |= IsVariable(before, kRecordFillerVariable);
    begin = before;
  }
  FillBytes(begin, 0, static_cast<uint64_t>(end - begin));
  SetEnd(begin);
  if (!has_filler) return;
  // The program has a LD_PRELOAD of its own, in which our library's name stood: the value has become shorter, and its
  // old end is behind it.
  for (char** entry = environ; *entry != nullptr; ++entry) {
    char* const rest = EndOf(*entry);
    if (!IsVariable(*entry, "LD_PRELOAD") || rest >= begin || static_cast<uint64_t>(begin - rest) > kMostBytes)
      continue;
    if (!IsPointedTo(rest)) FillBytes(rest, 0, static_cast<uint64_t>(EndOf(rest) - rest));
  }
}

}  // namespace softlbr
