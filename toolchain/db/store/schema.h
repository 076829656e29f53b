// The tables of a database of instructions (docs/cli.md, "db", lists their columns).
//
// Two kinds. Facts are what was ingested: uploads, sessions, binaries, and the counts of ranges, branches and samples.
// Recovered tables are made of the facts and the binaries' files: functions, blocks, loops, edges and instructions. A
// binary's recovered rows are replaced as a whole whenever it has new facts (module.is_pending until then).
//
// A taken branch is kept once: in `new_branch` as a fact until its binary is recovered, then in `edge`. The view
// `branch_count` has both.
#ifndef SOFTLBR_TOOLCHAIN_DB_STORE_SCHEMA_H_
#define SOFTLBR_TOOLCHAIN_DB_STORE_SCHEMA_H_

#include <cstdint>
#include <string>
#include <vector>

#include "toolchain/db/store/database.h"

namespace softlbr::toolchain {

inline constexpr uint64_t kSchemaVersion = 6;
inline constexpr uint32_t kNoBinary = 0;  // of code in no module; binaries count from 1

// Makes the tables if there are none. StatedFailure if the file holds other tables, or those of another version (the
// message says which, and what to do).
void PrepareSchema(const Connection& connection);
// The check alone, for databases opened to be read.
void CheckSchema(const Connection& connection);

// The types of a table's columns, for TableWriter. table: one of schema.cc.
const std::vector<DuckType>& ColumnsOf(const std::string& table);

// The smallest number that no row of the table has as its id, at least 1.
uint32_t NextId(const Connection& connection, const std::string& table);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_DB_STORE_SCHEMA_H_
