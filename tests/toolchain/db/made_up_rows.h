// A small made-up database, of which every question of the report has an answer: tests/toolchain/db/golden.
#ifndef SOFTLBR_TESTS_TOOLCHAIN_DB_MADE_UP_ROWS_H_
#define SOFTLBR_TESTS_TOOLCHAIN_DB_MADE_UP_ROWS_H_

#include <memory>
#include <tuple>

#include "toolchain/db/store/schema.h"
#include "toolchain/db/store/table_writer.h"

namespace softlbr::testing {

// Two modules with functions of known heat; the rows follow no real code.
inline void MakeUpRows(const toolchain::Connection& connection) {
  using toolchain::ColumnsOf;
  using toolchain::TableWriter;
  const auto writer_of = [&](const char* table) {
    return std::make_unique<TableWriter>(connection, table, ColumnsOf(table));
  };
  const auto text = [](const char* value) { return std::string_view(value); };
  auto modules = writer_of("module");
  for (const auto& [id, name, is_main] : {std::tuple(1u, "prog \"one\"", true), std::tuple(2u, "libc.so.6", false)}) {
    modules->Put(id).Put(text(name)).Put(text(id == 1 ? "aa" : "bb")).Put(uint16_t{62}).Put(uint16_t{3}).Put(is_main);
    modules->Put(text("")).Put(text("")).PutNull().Put(false).Put(false).Put(uint64_t{id - 1}).EndRow();
  }
  modules->Close();
  auto opcodes = writer_of("opcode");
  const char* kinds[][3] = {{"mov", "base", "none"},          {"je", "base", "conditional"},
                            {"call", "base", "call"},         {"ret", "base", "return"},
                            {"jmp", "base", "indirect_jump"}, {"vaddpd", "avx", "none"},
                            {"call", "base", "indirect_call"}};
  for (uint32_t i = 0; i < 7; ++i) {
    opcodes->Put(i + 1)
        .Put(text(kinds[i][0]))
        .Put(text(kinds[i][1]))
        .Put(text(i == 5 ? "packed 256" : "none"))
        .Put(text("none"));
    opcodes->Put(text("reg,mem")).Put(text(kinds[i][2])).EndRow();
  }
  opcodes->Close();
  auto functions = writer_of("function");
  auto instructions = writer_of("instruction");
  auto blocks = writer_of("block");
  auto loops = writer_of("loop");
  const char* names[] = {"main", "a,b\n'c'", "memcpy", "__memcmp_avx2", "cold"};
  for (uint32_t f = 0; f < 5; ++f) {
    const uint32_t module = f < 2 ? 1 : 2;
    const uint64_t start = 0x1000u * (f + 1);
    const uint64_t rows = 16u << f;
    functions->Put(f + 1).Put(module).Put(text(names[f])).Put(start).Put(rows * 4 + 64).Put(false).Put(f % 3).EndRow();
    blocks->Put(f + 1)
        .Put(module)
        .Put(f + 1)
        .Put(start)
        .Put(rows * 4)
        .Put(static_cast<uint32_t>(rows))
        .Put(uint64_t{1000} >> f);
    blocks->Put(uint64_t{f}).Put(text("return"));
    if (f % 2 == 0) {
      blocks->Put(f + 1).Put(1u).PutNull().PutNull().EndRow();
      loops->Put(f + 1).Put(module).Put(f + 1).Put(f + 1).PutNull().Put(1u).Put(f != 2).EndRow();
    } else {
      blocks->PutNull().Put(0u).PutNull().PutNull().EndRow();
    }
    for (uint64_t i = 0; i < rows; ++i) {
      const uint64_t count = f == 4 ? 1 : (1'000'000u >> (2 * f)) / (i / 8 * i / 8 + 1) + 1;  // hot at the start
      instructions->Put(module)
          .Put(start + 4 * i)
          .Put(uint8_t{4})
          .Put(static_cast<uint32_t>(i % 7 + 1))
          .Put(f + 1)
          .Put(f + 1);
      instructions->Put(f % 2 == 0 ? 1u : 0u).Put(count).Put(count / 1000).Put(uint8_t{4}).PutNull().PutNull().EndRow();
    }
  }
  functions->Close();
  instructions->Close();
  blocks->Close();
  loops->Close();
  auto edges = writer_of("edge");
  const auto edge = [&](uint32_t from_module, uint64_t from, uint32_t to_module, uint64_t to, const char* kind,
                        uint64_t count, const char* explained) {
    edges->Put(from_module).Put(from).Put(to_module).Put(to).Put(text(kind)).Put(count).Put(text(explained)).EndRow();
  };
  edge(1, 0x1004, 1, 0x1000, "conditional", 900, "yes");
  edge(1, 0x1004, 1, 0x1040, "conditional", 100, "yes");
  edge(1, 0x1008, 1, 0x2000, "call", 50, "yes");
  edge(1, 0x1018, 2, 0x3000, "indirect_call", 40, "yes");
  edge(1, 0x1034, 2, 0x3000, "indirect_call", 30, "yes");
  edge(1, 0x1034, 2, 0x4000, "indirect_call", 20, "no_target");
  for (uint64_t i = 0; i < 5; ++i) edge(2, 0x3010, 2, 0x3020 + 16 * i, "indirect_jump", 10 + i, "yes");
  edge(2, 0x300c, 1, 0x101c, "return", 60, "yes");
  edge(2, ~uint64_t{0} - 3, 2, 0, "return", 1, "no_code");
  edge(1, 0x1000, 1, 0x1004, "fallthrough", 5000, "yes");
  edges->Close();
}

}  // namespace softlbr::testing

#endif  // SOFTLBR_TESTS_TOOLCHAIN_DB_MADE_UP_ROWS_H_
