// Fuzzes the inputs that start a session: the option string, the options of the C API, and a decoder plugin's table.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "decoders/api/plugin.h"
#include "platform/base/elf_machine.h"
#include "platform/base/limits.h"
#include "runtime/api/decoder_registry.h"
#include "runtime/process_tree/option_string.h"
#include "runtime/session/session.h"
#include "tests/fuzz/guarded_window.h"

namespace softlbr {
namespace {

void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "requirement failed: %s\n", what);
  std::abort();
}

void CheckOptions(const uint8_t* data, size_t size) {
  static uint8_t text[65536];
  if (size >= sizeof text) return;
  if (size != 0) std::memcpy(text, data, size);
  text[size] = 0;
  const testing::GuardedWindow window(text, size + 1);
  static AttachOptions options;
  std::memset(&options, 0xa5, sizeof options);
  if (!ParseOptionString(reinterpret_cast<const char*>(window.data()), &options)) return;
  Require(std::memchr(options.out_path, 0, sizeof options.out_path) != nullptr, "paths end");
  Require(options.session.struct_size == sizeof(softlbr_options), "options are of this version");
  Require(options.session.sink == nullptr && options.session.region == nullptr, "no pointer comes from a text");
  SessionSettings settings;
  if (ResolveSettings(options.session, &settings) != Status::kOk) return;
  Require(settings.options.branches_per_trace >= 1 && settings.options.branches_per_trace <= kMaxBranchesPerTrace,
          "traces fit");
  Require(settings.max_threads >= 1 && settings.max_threads <= kMaxThreads, "threads fit");
}

// Options of another version may be shorter or longer than ours: nothing may be read beyond the size that they state.
void CheckOptionStruct(const uint8_t* data, size_t size) {
  uint32_t stated = 0;
  if (size < sizeof stated) return;
  std::memcpy(&stated, data, sizeof stated);
  if (stated > size || stated < sizeof stated) return;  // a wrong size that cannot be detected
  const testing::GuardedWindow window(data, stated);
  if (reinterpret_cast<uintptr_t>(window.data()) % alignof(softlbr_options) != 0) return;
  const auto& options = *reinterpret_cast<const softlbr_options*>(window.data());
  SessionSettings settings;
  const bool is_valid = ResolveSettings(options, &settings) == Status::kOk;
  Require((softlbr_region_bytes(&options) != 0) == is_valid, "the size of a region is known exactly for valid options");
  if (!is_valid) return;
  Require(settings.options.branches_per_trace >= 1 && settings.options.branches_per_trace <= kMaxBranchesPerTrace,
          "traces fit");
  Require(settings.max_threads >= 1 && settings.max_threads <= kMaxThreads, "threads fit");
  Require(settings.budget_ppm < 1000000, "a share, or no limit");
}

// A table of another version may be shorter than ours: nothing may be read beyond its end.
void CheckTable(const uint8_t* data, size_t size) {
  if (size < 2 * sizeof(uint32_t)) return;
  if (size > sizeof(softlbr_decoder_plugin)) size = sizeof(softlbr_decoder_plugin);
  const testing::GuardedWindow window(data, size);
  uint32_t head[2];
  std::memcpy(head, window.data(), sizeof head);
  const bool says_whole = head[0] == SOFTLBR_DECODER_ABI_VERSION && head[1] == sizeof(softlbr_decoder_plugin);
  if (says_whole && size < sizeof(softlbr_decoder_plugin)) return;  // a wrong size that cannot be detected
  if (reinterpret_cast<uintptr_t>(window.data()) % alignof(softlbr_decoder_plugin) != 0) return;
  const auto* table = reinterpret_cast<const softlbr_decoder_plugin*>(window.data());
  if (CheckDecoder(table, kMachineX86_64) != Status::kOk) return;
  Require(table->arch == kMachineX86_64 && table->arena_bytes <= kDecoderArenaBytes,
          "an accepted table is of this machine, and fits");
  Require(table->open != nullptr && table->close != nullptr && table->lift != nullptr,
          "an accepted table has its functions");
}

}  // namespace
}  // namespace softlbr

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  softlbr::CheckOptions(data, size);
  softlbr::CheckOptionStruct(data, size);
  softlbr::CheckTable(data, size);
  return 0;
}
