// Puts a profile into an order that depends on its content only, not on the order in which it was added up. Host code.
//
// Why: the same uploads, merged in any order and by way of any intermediate sums, then give the same bytes.
#ifndef SOFTLBR_TOOLCHAIN_PROFILE_CANONICAL_ORDER_H_
#define SOFTLBR_TOOLCHAIN_PROFILE_CANONICAL_ORDER_H_

#include <cstdint>
#include <vector>

#include "toolchain/profile/profile.h"

namespace softlbr::toolchain {

// The main program first, then by name and identity.
bool IsBeforeInCanonicalOrder(const ProfileModule& a, const ProfileModule& b);

// Sorts the modules, the sessions (by id) and all rows. Modules without a row are removed unless the profile has whole
// traces, which may refer to them; traces must be in a file. Result: the new number of each module, kNoModule for those
// removed.
std::vector<uint32_t> PutInCanonicalOrder(Profile* profile);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_PROFILE_CANONICAL_ORDER_H_
