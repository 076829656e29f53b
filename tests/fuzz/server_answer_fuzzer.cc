// Fuzzes what `softlbr db` reads of a ClickHouse server's answer: however the bytes arrive, the rows are the same.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "toolchain/clickhouse/answer_rows.h"

namespace {

using namespace softlbr::toolchain;

// Every value, and how the answer ended.
std::string ReadInPieces(std::string_view bytes, size_t piece) {
  std::string seen;
  AnswerReader reader([&](const AnswerReader::Row& row) {
    for (const AnswerField& field : row) seen += (field.is_null ? "NULL" : field.text) + "|";
    seen += "\n";
  });
  try {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) reader.Add(bytes.substr(0, piece));
    reader.Close();
    for (const std::string& name : reader.names()) seen += name + "|";
    return seen + "end";
  } catch (const ServerFailure& failure) {
    return seen + failure.what();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string whole = ReadInPieces(text, size + 1);
  for (const size_t piece : {size_t{1}, size_t{7}}) {
    if (ReadInPieces(text, piece) == whole) continue;
    std::fprintf(stderr, "requirement failed: pieces of %zu bytes are read as the whole is\n", piece);
    std::abort();
  }
  return 0;
}
