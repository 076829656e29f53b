// Built where libdw's headers are missing.
#include "toolchain/base/failure.h"
#include "toolchain/code/source_lines.h"

namespace softlbr::toolchain {

struct SourceLines::Handle {};

SourceLines::SourceLines(const std::string&) {
  throw StatedFailure(
      "blocks: this command was built without libdw; build it where libdw-dev is installed, or leave out --lines");
}

SourceLines::~SourceLines() = default;

std::optional<SourceLine> SourceLines::Of(uint64_t) const { return std::nullopt; }

std::vector<LineRow> SourceLines::Rows() const { return {}; }

uint32_t SourceLines::InlineDepthOf(uint64_t) const { return 0; }

}  // namespace softlbr::toolchain
