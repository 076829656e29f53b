// Fuzzes the state file of budgets and nonces: its bytes, also with a right checksum, then what is done with a state
// that was taken.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/trigger/control_state.h"
#include "tests/fuzz/guarded_window.h"

namespace softlbr {
namespace {

void RequireOfState(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "requirement failed: %s\n", what);
  std::abort();
}

uint64_t WeekOf(const BudgetLedger& ledger) {
  uint64_t sum = 0;
  for (const uint32_t ms : ledger.week_ms) sum += ms;
  return sum;
}

// The clocks of a device whose owner sets them as the bytes say.
void UseState(DeviceState state, const uint8_t* bytes, size_t size) {
  const ControlBudgets budgets{60000, 300000, 1000000};
  for (size_t i = 0; i + 4 <= size && i < 256; i += 4) {
    DeviceClock now = state.ledger.seen;
    now.boot_id = bytes[i] & 1 ? now.boot_id : bytes[i];
    now.boot_s += bytes[i + 1];
    now.unix_s += static_cast<uint64_t>(static_cast<int8_t>(bytes[i + 2])) * 3600;
    const uint64_t time_before = state.ledger.time_s;
    const uint64_t time_s = AdvanceState(&state, now);
    RequireOfState(state.ledger.time_s >= time_before, "the ledger's time never goes back");
    RequireOfState(time_s >= now.unix_s, "the clock never seems to have been set forward");
    const DeviceState before = state;
    uint64_t left_ms = 0;
    if (SpendBudget(&state.ledger, budgets, 1000 * (bytes[i + 3] + 1u), &left_ms) == Refusal::kNone) {
      RequireOfState(WeekOf(state.ledger) <= budgets.week_ms, "no more is spent than the budget");
      SettleBudget(&state.ledger, 1000 * (bytes[i + 3] + 1u), 500);
      RequireOfState(WeekOf(state.ledger) == WeekOf(before.ledger) + 500, "what was not used comes back");
    } else {
      RequireOfState(std::memcmp(&state, &before, sizeof state) == 0, "a refusal changes nothing");
    }
    uint8_t nonce[kNonceBytes] = {bytes[i], bytes[i + 1]};
    const uint64_t expiry_s = time_s + bytes[i + 3];
    const DeviceState earlier = state;
    if (RememberNonce(&state, nonce, expiry_s, time_s) == Refusal::kNone) {
      const Refusal again = RememberNonce(&state, nonce, expiry_s, time_s + 100 * kLongestValidityS);
      RequireOfState(again == Refusal::kReplayed, "what was taken is never taken again");
    } else {
      RequireOfState(std::memcmp(&state, &earlier, sizeof state) == 0, "a refusal changes nothing");
    }
    RequireOfState(state.nonce_count <= kMostNonces, "the nonces have their place");
  }
}

}  // namespace
}  // namespace softlbr

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace softlbr;
  if (size > 65536) return 0;
  const testing::GuardedWindow window(data, size);
  DeviceState state;
  const bool is_taken = ParseState(window.data(), size, &state);
  RequireOfState(!is_taken || size == sizeof state, "a state has one size");
  DeviceState sealed;
  std::memset(&sealed, 0, sizeof sealed);
  if (size != 0) std::memcpy(&sealed, data, size < sizeof sealed ? size : sizeof sealed);
  sealed.magic = kStateMagic;
  sealed.version = kStateVersion;
  sealed.ledger.reserved = 0;
  SealState(&sealed);
  RequireOfState(ParseState(&sealed, sizeof sealed, &state) == (sealed.nonce_count <= kMostNonces),
                 "too many nonces are refused");
  if (sealed.nonce_count <= kMostNonces) UseState(state, data, size);
  DeviceState empty;
  MakeEmptyState(&empty, DeviceClock{1700000000, 1000, 1});
  UseState(empty, data, size);
  return 0;
}
