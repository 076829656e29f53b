// The spool and compaction use no heap: opening, salvaging, a session, a commit with files dropped.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "runtime/include/softlbr/compact.h"
#include "runtime/include/softlbr/spool.h"
#include "tests/checks/heap_guard.h"
#include "tests/toolchain/profile/profile_samples.h"

namespace softlbr::checks {
namespace {

TEST(NoHeap, SpoolAllocatesNothing) {
  std::string folder = std::filesystem::temp_directory_path().string() + "/softlbr-spool.XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  std::vector<size_t> starts;
  const std::vector<uint8_t> bytes = test::SampleProfile({.session_id = 5, .flushes = 20}, &starts);
  std::ofstream(folder + "/.0000000000000001.1.tmp", std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size() - 1));
  softlbr_spool spool;
  softlbr_spool_options options{};
  options.struct_size = sizeof options;
  options.folder = folder.c_str();
  options.max_files = 1;
  options.compact = softlbr_compact;
  softlbr_spool_counts counts{};
  counts.struct_size = sizeof counts;

  StartHeapGuard();
  const int opened = softlbr_spool_open(&spool, &options);
  int refused = 0;
  for (size_t i = 0; i < starts.size(); ++i) {
    const size_t end = i + 1 < starts.size() ? starts[i + 1] : bytes.size();
    refused += softlbr_spool_sink(&spool, bytes.data() + starts[i], end - starts[i]);
  }
  const int closed = softlbr_spool_close(&spool);
  const int counted = softlbr_spool_counters(&spool, &counts);
  const HeapUse use = StopHeapGuard();

  uint64_t kept_bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) kept_bytes += entry.file_size();
  std::filesystem::remove_all(folder);
  EXPECT_EQ(opened + refused + closed + counted, 0);
  EXPECT_EQ(counts.written, 1u);
  EXPECT_EQ(counts.salvaged, 1u);
  EXPECT_EQ(counts.dropped, 1u);
  EXPECT_LT(kept_bytes, bytes.size() / 2) << "not compact";
  EXPECT_EQ(use.calls, 0u) << use.first_function;
}

}  // namespace
}  // namespace softlbr::checks
