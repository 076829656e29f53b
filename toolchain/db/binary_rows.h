// Replaces the recovered rows of a binary: functions, blocks, loops, edges and instructions, from its facts and its file.
#ifndef SOFTLBR_TOOLCHAIN_DB_BINARY_ROWS_H_
#define SOFTLBR_TOOLCHAIN_DB_BINARY_ROWS_H_

#include <cstdint>
#include <optional>

#include "toolchain/binary/module_files.h"
#include "toolchain/db/database.h"

namespace softlbr::toolchain {

// In one transaction. Number of instruction rows; nothing, and no change, if the binary's file or decoder is missing. Equal facts of
// several uploads become one row.
std::optional<uint64_t> RecoverBinary(const Connection& connection, uint32_t binary, const ModuleFiles& files);

// Segments as a text of the table `module`, and back.
std::string SegmentsText(const std::vector<Segment>& segments);
std::vector<Segment> SegmentsOf(std::string_view text);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_DB_BINARY_ROWS_H_
