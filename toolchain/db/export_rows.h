// Writes all instructions, with names, to a Parquet or CSV file.
#ifndef SOFTLBR_TOOLCHAIN_DB_EXPORT_ROWS_H_
#define SOFTLBR_TOOLCHAIN_DB_EXPORT_ROWS_H_

#include <string>

#include "toolchain/db/database.h"

namespace softlbr::toolchain {

// file ends in .parquet or .csv; it is replaced as a whole or left as it was. UsageFailure for another ending.
void ExportInstructions(const Connection& connection, const std::string& file);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_DB_EXPORT_ROWS_H_
