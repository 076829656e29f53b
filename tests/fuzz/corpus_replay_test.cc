// Calls each fuzzer's function for each file of its corpus and for truncated copies, without a fuzzing engine.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

// In this program the function LLVMFuzzerTestOneInput of NAME_fuzzer.cc is called NAME_fuzzer (CMakeLists.txt).
using FuzzerFunction = int(const uint8_t* data, size_t size);
extern "C" {
FuzzerFunction collect_request_fuzzer, compact_fuzzer, control_message_fuzzer, control_request_fuzzer,
    control_state_fuzzer, decoder_aarch64_fuzzer, decoder_x86_64_fuzzer, demangle_fuzzer, exact_counts_fuzzer,
    module_elf_fuzzer, profile_reader_fuzzer, profile_split_fuzzer, profile_use_fuzzer, server_answer_fuzzer,
    site_list_fuzzer, spool_scan_fuzzer, start_input_fuzzer, upload_input_fuzzer;
}

namespace {

void Replay(FuzzerFunction* fuzzer, const std::string& corpus) {
  const std::string folder = SOFTLBR_CORPUS "/" + corpus;
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path().string());
    std::ifstream in(entry.path(), std::ios::binary);
    const std::vector<char> text{std::istreambuf_iterator<char>(in), {}};
    std::vector<uint8_t> bytes(text.begin(), text.end());
    ++files;
    EXPECT_EQ(fuzzer(bytes.data(), bytes.size()), 0);
    const size_t step = std::max<size_t>(1, bytes.size() / 64);
    for (size_t size = 0; size < bytes.size(); size += step) {
      const std::vector<uint8_t> shorter(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size));
      EXPECT_EQ(fuzzer(shorter.data(), shorter.size()), 0);
    }
  }
  EXPECT_GT(files, 0u) << "no corpus at " << folder;
}

TEST(collect_request, EveryFileAndEveryShorterOneIsHandled) { Replay(collect_request_fuzzer, "collect_request"); }
TEST(compact, EveryFileAndEveryShorterOneIsHandled) { Replay(compact_fuzzer, "profile_reader"); }
TEST(control_message, EveryFileAndEveryShorterOneIsHandled) { Replay(control_message_fuzzer, "control_message"); }
TEST(control_request, EveryFileAndEveryShorterOneIsHandled) { Replay(control_request_fuzzer, "control_request"); }
TEST(control_state, EveryFileAndEveryShorterOneIsHandled) { Replay(control_state_fuzzer, "control_state"); }
TEST(decoder_aarch64, EveryFileAndEveryShorterOneIsHandled) { Replay(decoder_aarch64_fuzzer, "decoder_aarch64"); }
TEST(decoder_x86_64, EveryFileAndEveryShorterOneIsHandled) { Replay(decoder_x86_64_fuzzer, "decoder_x86_64"); }
TEST(demangle, EveryFileAndEveryShorterOneIsHandled) { Replay(demangle_fuzzer, "demangle"); }
TEST(exact_counts, EveryFileAndEveryShorterOneIsHandled) { Replay(exact_counts_fuzzer, "exact_counts"); }
TEST(module_elf, EveryFileAndEveryShorterOneIsHandled) { Replay(module_elf_fuzzer, "module_elf"); }
TEST(profile_reader, EveryFileAndEveryShorterOneIsHandled) { Replay(profile_reader_fuzzer, "profile_reader"); }
TEST(profile_split, EveryFileAndEveryShorterOneIsHandled) { Replay(profile_split_fuzzer, "profile_reader"); }
TEST(profile_use, EveryFileAndEveryShorterOneIsHandled) { Replay(profile_use_fuzzer, "profile_reader"); }
TEST(server_answer, EveryFileAndEveryShorterOneIsHandled) { Replay(server_answer_fuzzer, "server_answer"); }
TEST(site_list, EveryFileAndEveryShorterOneIsHandled) { Replay(site_list_fuzzer, "site_list"); }
TEST(spool_scan, EveryFileAndEveryShorterOneIsHandled) { Replay(spool_scan_fuzzer, "spool_scan"); }
TEST(spool_scan, ProfilesAreHandledToo) { Replay(spool_scan_fuzzer, "profile_reader"); }
TEST(start_input, EveryFileAndEveryShorterOneIsHandled) { Replay(start_input_fuzzer, "start_input"); }
TEST(upload_input, EveryFileAndEveryShorterOneIsHandled) { Replay(upload_input_fuzzer, "upload_input"); }

}  // namespace
