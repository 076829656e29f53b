// The names of the spool's files, written and recognised. runtime/include/softlbr/spool.h lists them.
//
// Context: any. Cost: a pass over the name.
#ifndef SOFTLBR_RUNTIME_SPOOL_SPOOL_NAMES_H_
#define SOFTLBR_RUNTIME_SPOOL_SPOOL_NAMES_H_

#include <cstdint>

namespace softlbr::spool {

inline constexpr char kLockName[] = ".lock";
inline constexpr char kCopyName[] = ".salvage.tmp";

struct FileName {
  char text[40];  // the longest: ".0123456789abcdef.2147483647.tmp"
};

FileName NameOfFinished(uint64_t session_id, bool is_complete);
FileName NameOfTemporary(uint64_t session_id, int32_t process);

bool IsFinishedName(const char* name);
bool IsTemporaryName(const char* name);
// strcmp.
int CompareNames(const char* left, const char* right);

}  // namespace softlbr::spool

#endif  // SOFTLBR_RUNTIME_SPOOL_SPOOL_NAMES_H_
