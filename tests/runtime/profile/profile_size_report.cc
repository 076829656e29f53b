// Prints the size of a profile's rows before and after compression, for the branches of a real program:
//
//   objdump -d --no-show-raw-insn PROGRAM | awk '/\t(j[a-z]+|call) +[0-9a-f]+ </{sub(":","",$1); print $1,$3}' |
//     profile_size_report [TRACES]
//
// Traces are random walks over those branches (each taken with probability 0.6). They start at 512 hot addresses, most
// of them at a few, so that counts differ as widely as in real programs. Not a test: it computes the figures in
// docs/profile_format.md.
#include <zstd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <vector>

#include "runtime/format/byte_stream.h"
#include "runtime/format/frame_header.h"
#include "tests/runtime/profile/profile_fixture.h"

namespace {

using softlbr::BranchRecord;
using softlbr::SectionId;

constexpr uint64_t kBegin = 0x555555554000;
constexpr uint32_t kBranches = 16;
constexpr uint32_t kHotPlaces = 512;

struct Cost {
  uint64_t rows = 0;
  uint64_t raw = 0;
};

struct Sizes {
  std::map<uint32_t, Cost> sections;
  uint64_t compressed = 0;
  uint64_t headers = 0;
  uint64_t raw = 0;
};

// Sizes of a profile's sections and frames.
Sizes SizesOf(const std::vector<uint8_t>& bytes) {
  Sizes sizes;
  for (size_t at = softlbr::kFileMagicBytes; at < bytes.size();) {
    softlbr::FrameHeader header;
    if (!softlbr::DecodeFrameHeader(&bytes[at], &header)) abort();
    at += softlbr::kFrameHeaderBytes;
    std::vector<uint8_t> payload(header.uncompressed_bytes);
    ZSTD_decompress(payload.data(), payload.size(), &bytes[at], header.compressed_bytes);
    at += header.compressed_bytes;
    sizes.compressed += header.compressed_bytes;
    sizes.headers += softlbr::kFrameHeaderBytes;
    sizes.raw += payload.size();
    softlbr::ByteReader in;
    in.Reset(payload.data(), payload.size());
    while (!in.IsAtEnd()) {
      Cost& cost = sizes.sections[in.GetU32()];
      const uint32_t count = in.GetU32();
      softlbr::ByteReader body;
      body.Reset(in.GetBytes(count), count);
      cost.raw += count;
      cost.rows += body.GetVarint();
    }
  }
  return sizes;
}

}  // namespace

int main(int argc, char** argv) {
  const uint64_t traces = argc > 1 ? strtoull(argv[1], nullptr, 10) : 20000;
  std::vector<BranchRecord> code;
  unsigned long long from;
  unsigned long long to;
  while (std::scanf("%llx %llx", &from, &to) == 2) code.push_back(BranchRecord{kBegin + from, kBegin + to});
  if (code.size() < kHotPlaces) {
    std::fprintf(stderr, "profile_size_report: no branches on standard input\n");
    return 1;
  }
  const auto is_before = [](const BranchRecord& branch, uint64_t address) { return branch.from < address; };
  std::sort(code.begin(), code.end(), [](const BranchRecord& a, const BranchRecord& b) { return a.from < b.from; });
  auto modules = softlbr::test::MakeModules();
  modules->count = 1;
  modules->modules[0] = softlbr::test::MakeModule("program", kBegin, 0, code.back().from - kBegin + 4096);

  std::mt19937_64 random(1);
  std::vector<uint64_t> places;
  for (uint32_t i = 0; i < kHotPlaces; ++i) places.push_back(code[random() % code.size()].from);
  softlbr::AggregatorSizes table;
  // one flush, so that each row is written once
  table.branch_slots = table.range_slots = table.sample_slots = 1u << 20;
  softlbr::test::TestAggregator aggregator(table);
  softlbr::test::TestWriter writer(softlbr::test::MakeInfo(1));
  auto buffer = std::make_unique<softlbr::TraceBuffer>();
  for (uint64_t i = 0; i < traces; ++i) {
    const double uniform = static_cast<double>(random() % 1000000) / 1000000;
    uint64_t at = places[static_cast<size_t>(uniform * uniform * uniform * kHotPlaces)];
    const uint64_t sampled = at;
    softlbr::test::Trace trace;
    while (trace.size() < kBranches) {
      const auto next = std::lower_bound(code.begin(), code.end(), at, is_before);
      if (next == code.end()) break;
      at = next->from + 1;
      if (random() % 10 >= 6) continue;
      trace.push_back(*next);
      at = next->to;
    }
    if (!softlbr::test::AddTrace(buffer.get(), sampled, trace)) {
      aggregator->AddBuffer(*buffer);
      buffer->used = 0;
      softlbr::test::AddTrace(buffer.get(), sampled, trace);
    }
  }
  aggregator->AddBuffer(*buffer);
  writer->WriteSessionStart();
  writer->WriteCounts(&*aggregator, *modules, softlbr::SessionCounters{});
  const Sizes sizes = SizesOf(writer.sink.bytes);
  uint64_t rows = 0;
  for (const auto& [id, name] : {std::pair{SectionId::kBranches, "branches"},
                                 {SectionId::kRanges, "ranges"},
                                 {SectionId::kSamples, "samples"}}) {
    const Cost cost = sizes.sections.at(static_cast<uint32_t>(id));
    rows += cost.rows;
    std::printf("%-9s %7llu distinct, %.2f bytes each before compression\n", name,
                static_cast<unsigned long long>(cost.rows),
                static_cast<double>(cost.raw) / static_cast<double>(cost.rows));
  }
  std::printf(
      "all       %7llu rows: %.2f bytes each before, %.2f after zstd level 1, frame headers and modules included\n",
      static_cast<unsigned long long>(rows), static_cast<double>(sizes.raw) / static_cast<double>(rows),
      static_cast<double>(sizes.compressed + sizes.headers) / static_cast<double>(rows));
  std::printf("          %.2f bytes of file per distinct branch, its share of everything else included\n",
              static_cast<double>(sizes.compressed + sizes.headers) /
                  static_cast<double>(sizes.sections.at(static_cast<uint32_t>(SectionId::kBranches)).rows));
  return 0;
}
