// Small profiles written by the runtime's profile writer, for the reader's tests and the fuzzer's corpus.
#ifndef SOFTLBR_TESTS_TOOLCHAIN_PROFILE_PROFILE_SAMPLES_H_
#define SOFTLBR_TESTS_TOOLCHAIN_PROFILE_PROFILE_SAMPLES_H_

#include <memory>
#include <vector>

#include "tests/runtime/profile/profile_fixture.h"

namespace softlbr::test {

struct SampleOptions {
  uint64_t session_id = 1;
  uint32_t seed = 1;
  uint32_t flushes = 2;
  uint32_t traces = 6;  // per flush
  bool keep_traces = false;
  bool has_end = true;
};

// Returns the file's bytes. Sets *starts, unless it is null, to the offsets of the magic and of each frame.
inline std::vector<uint8_t> SampleProfile(const SampleOptions& options, std::vector<size_t>* starts = nullptr) {
  const auto modules = MakeModules();
  AggregatorSizes sizes;
  sizes.trace_entries = options.keep_traces ? static_cast<uint32_t>(kTraceLogEntries) : 0;
  TestAggregator aggregator(sizes);
  TestWriter writer(MakeInfo(options.session_id));
  RandomTraces random(*modules, 500, options.seed);
  auto buffer = std::make_unique<TraceBuffer>();
  writer->WriteSessionStart();
  for (uint32_t flush = 0; flush < options.flushes; ++flush) {
    buffer->used = 0;
    for (uint32_t i = 0; i < options.traces; ++i) AddTrace(buffer.get(), random.Address(), random.Make(16));
    aggregator->AddBuffer(*buffer);
    writer->WriteCounts(&*aggregator, *modules, MakeCounters(flush));
  }
  if (options.has_end) writer->WriteEnd(*aggregator, MakeCounters(100));
  if (starts != nullptr) *starts = writer.sink.starts;
  return writer.sink.bytes;
}

}  // namespace softlbr::test

#endif  // SOFTLBR_TESTS_TOOLCHAIN_PROFILE_PROFILE_SAMPLES_H_
