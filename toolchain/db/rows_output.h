// Prints the rows of a result as a table, as CSV (RFC 4180) or as JSON.
//
// Texts come from profiles and binaries: tables and CSV print them as SafeText, JSON as JSON's texts. Numbers are exact
// in CSV and JSON; tables round fractions to two digits.
#ifndef SOFTLBR_TOOLCHAIN_DB_ROWS_OUTPUT_H_
#define SOFTLBR_TOOLCHAIN_DB_ROWS_OUTPUT_H_

#include <ostream>
#include <string>

#include "toolchain/db/store/database.h"

namespace softlbr::toolchain {

enum class RowFormat { kTable, kCsv, kJson };

// top: rows of a table, after which only their number is printed; CSV and JSON have all. indent: before each line of
// JSON, an array.
void PrintRows(Rows* rows, RowFormat format, uint64_t top, const std::string& indent, std::ostream& out);

// The shortest text from which the number can be read back; "null" for NaN and infinities.
std::string NumberText(double value);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_DB_ROWS_OUTPUT_H_
