// Keeps the finished files of the folder within the quota.
//
// Who: settle.cc, holding the folder's lock: nobody else adds finished files meanwhile. Others may remove some.
#ifndef SOFTLBR_RUNTIME_SPOOL_QUOTA_H_
#define SOFTLBR_RUNTIME_SPOOL_QUOTA_H_

#include <cstdint>

#include "runtime/spool/settle.h"

namespace softlbr::spool {

// Removes the oldest finished files until another one of `bytes` (at most max_bytes) fits; counts them in
// place->dropped. A file named `replaced` does not count. False: a file could not be removed, or the folder could not
// be listed.
// Cost: a listing for each file removed, since the names are not kept in memory.
bool MakeRoom(SettlePlace* place, uint64_t bytes, const char* replaced);

}  // namespace softlbr::spool

#endif  // SOFTLBR_RUNTIME_SPOOL_QUOTA_H_
