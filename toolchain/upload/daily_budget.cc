#include "toolchain/upload/daily_budget.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>

#include "toolchain/base/failure.h"
#include "toolchain/base/result_file.h"
#include "toolchain/base/text.h"

namespace softlbr::toolchain {
namespace {

constexpr std::string_view kBudgetPrefix = "softlbr-upload-budget 1 ";
constexpr size_t kMaxBudgetFileBytes = 100;

// Takes a number and the character after it off *text.
std::optional<uint64_t> TakeNumber(std::string_view* text, char after) {
  const size_t end = text->find(after);
  if (end == 0 || end == std::string_view::npos) return {};
  uint64_t number = 0;
  const auto [stop, error] = std::from_chars(text->data(), text->data() + end, number);
  if (error != std::errc() || stop != text->data() + end) return {};
  text->remove_prefix(end + 1);
  return number;
}

}  // namespace

std::optional<BudgetState> ParseBudget(std::string_view text) {
  if (!text.starts_with(kBudgetPrefix)) return {};
  text.remove_prefix(kBudgetPrefix.size());
  const std::optional<uint64_t> start = TakeNumber(&text, ' ');
  const std::optional<uint64_t> used = start ? TakeNumber(&text, '\n') : std::nullopt;
  if (!used || !text.empty()) return {};
  return BudgetState{*start, *used};
}

std::string BudgetText(const BudgetState& state) {
  return std::string(kBudgetPrefix) + std::to_string(state.start_s) + " " + std::to_string(state.used_bytes) + "\n";
}

BudgetState BudgetAt(const BudgetState& state, uint64_t now_s) {
  if (state.start_s > now_s) {
    // The clock was set back. By up to a day: wait until it is where it was.
    return state.start_s - now_s <= kDaySeconds ? state : BudgetState{now_s, state.used_bytes};
  }
  return now_s - state.start_s < kDaySeconds ? state : BudgetState{now_s, 0};
}

DailyBudget::DailyBudget(const std::string& folder, uint64_t limit_bytes)
    : path_(folder + "/" + kBudgetFile), limit_(limit_bytes) {
  if (limit_ == 0) return;
  std::ifstream file(path_, std::ios::binary);
  if (!file) {
    if (errno != ENOENT) throw StatedFailure(SafeText(path_) + ": cannot be read: " + std::strerror(errno));
    return;
  }
  std::string text(kMaxBudgetFileBytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  const std::optional<BudgetState> state = ParseBudget(text);
  if (!state) throw StatedFailure(SafeText(path_) + ": is damaged; delete it, which begins a new day of --daily-bytes");
  state_ = *state;
}

bool DailyBudget::Take(uint64_t bytes, uint64_t now_s) {
  if (limit_ == 0) return true;
  state_ = BudgetAt(state_, now_s);
  if (state_.used_bytes > limit_ || bytes > limit_ - state_.used_bytes) return false;
  state_.used_bytes += bytes;
  WriteResult(path_, BudgetText(state_));
  return true;
}

}  // namespace softlbr::toolchain
