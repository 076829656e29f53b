// The bytes that may be sent in a day, counted in a small file so that the count survives a kill.
//
// File: "softlbr-upload-budget 1 START USED\n", START in seconds since 1970, USED in bytes, decimal. It is replaced by
//   rename, so a reader finds the old or the new text. A text of any other form is refused (its parser is fuzzed).
// Day: the 24 hours from the first byte. Bytes are charged before they are sent, and again for each repetition: a kill
//   or a failure may waste budget and never exceeds it.
// Clock: one that is set back never frees budget. The day then lasts until the clock has reached its end again; if that
//   would be more than two days ahead, the day begins at the new time, with its bytes kept.
#ifndef SOFTLBR_TOOLCHAIN_UPLOAD_DAILY_BUDGET_H_
#define SOFTLBR_TOOLCHAIN_UPLOAD_DAILY_BUDGET_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace softlbr::toolchain {

struct BudgetState {
  uint64_t start_s = 0;
  uint64_t used_bytes = 0;
  bool operator==(const BudgetState&) const = default;
};

inline constexpr char kBudgetFile[] = ".upload-budget";
inline constexpr uint64_t kDaySeconds = 86400;

std::optional<BudgetState> ParseBudget(std::string_view text);
std::string BudgetText(const BudgetState& state);
// The state at a time: a new day if the old one is over.
BudgetState BudgetAt(const BudgetState& state, uint64_t now_s);

class DailyBudget {
 public:
  // limit_bytes 0: no limit, and no file. StatedFailure if the file cannot be read or is damaged.
  DailyBudget(const std::string& folder, uint64_t limit_bytes);

  // Charges `bytes`, and has written that to the file on return. False, and nothing is charged, if they exceed what is
  // left. StatedFailure if the file cannot be written.
  bool Take(uint64_t bytes, uint64_t now_s);
  // When the day ends; after Take().
  uint64_t EndSeconds() const { return state_.start_s + kDaySeconds; }

 private:
  std::string path_;
  uint64_t limit_;
  BudgetState state_;
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_UPLOAD_DAILY_BUDGET_H_
