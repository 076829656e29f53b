// Replaces the rows of a binary: functions, blocks, loops, edges and instructions.
#ifndef SOFTLBR_TOOLCHAIN_DB_BINARY_ROWS_H_
#define SOFTLBR_TOOLCHAIN_DB_BINARY_ROWS_H_

#include <cstdint>

#include "toolchain/db/flow/binary_recovery.h"
#include "toolchain/db/store/database.h"

namespace softlbr::toolchain {

// In one transaction. Returns the number of instruction rows. Equal facts of several uploads become one row.
uint64_t WriteBinary(const Connection& connection, const RecoveredBinary& binary);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_DB_BINARY_ROWS_H_
