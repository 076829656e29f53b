// `softlbr request`: writes and signs a request that a server sends to devices (docs/sessions_on_request.md), and makes
// keys for that.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <iostream>

#include "toolchain/base/failure.h"
#include "toolchain/base/names.h"
#include "toolchain/base/result_file.h"
#include "toolchain/base/text.h"
#include "toolchain/binary/elf_image.h"
#include "toolchain/commands/commands.h"
#include "toolchain/record/record_output.h"
#include "toolchain/trigger/request_writer.h"

namespace softlbr::toolchain {
namespace {

constexpr uint64_t kSlowClockS = 300;  // devices whose clocks are behind take it too

std::vector<uint8_t> BuildIdOf(const std::string& path) {
  const auto opened = ElfImage::Open(path);
  if (const auto* failure = std::get_if<std::string>(&opened)) throw StatedFailure(*failure);
  const auto& id = std::get<std::shared_ptr<const ElfImage>>(opened)->build_id();
  if (id.empty()) throw StatedFailure(SafeText(path) + ": has no build id; link it with -Wl,--build-id");
  return id;
}

}  // namespace

int RunRequest(const RequestOptions& options) {
  if (!options.new_key.empty()) {
    if (!options.key.empty() || !options.app.empty())
      throw UsageFailure("request: --new-key makes a key and no request; use it alone");
    WriteNewKey(options.new_key);
    return 0;
  }
  if (options.key.empty() || options.app.empty()) {
    throw UsageFailure("request: name the key with --key and the program with --app, or make a key with --new-key");
  }
  RefuseInputAsOutput(options.output, {options.key, options.binary});
  RequestContent content;
  content.app = options.app;
  if (!options.binary.empty()) content.build_id = BuildIdOf(options.binary);
  const auto now_s = static_cast<uint64_t>(std::time(nullptr));
  content.not_before_s = now_s - kSlowClockS;
  content.expiry_s = now_s + options.valid_s;
  content.start.event = EventFromName(options.event).value_or(0);
  content.start.branches = options.branches;
  content.start.period = options.period;
  content.start.frequency_hz = options.frequency_hz;
  content.start.duration_ms = static_cast<uint32_t>(options.seconds * 1000 + 0.5);
  if (!options.max_overhead.empty()) content.start.max_overhead_ppm = PartsPerMillion(options.max_overhead);
  if (!options.skip.empty()) content.skip_ppm = PartsPerMillion(options.skip);
  const std::string bytes = SignRequest(content, options.key);
  RecordOutput output(options.output);
  if (write(output.descriptor(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
    throw StatedFailure(output.shown() + ": cannot be written: " + std::strerror(errno) + "; free space there");
  }
  output.Keep();
  return 0;
}

}  // namespace softlbr::toolchain
