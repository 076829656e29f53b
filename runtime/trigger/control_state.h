// What a device remembers across restarts: the ledger of the budgets, and the nonces of the requests that it has taken.
//
// Bytes: DeviceState is the state file, in the byte order of the device; a change bumps kStateVersion. A file of
//   another version or size, or with another checksum, is damaged.
// Trust: the file is foreign until ParseState has taken it; then no value leads out of the structure.
#ifndef SOFTLBR_RUNTIME_TRIGGER_CONTROL_STATE_H_
#define SOFTLBR_RUNTIME_TRIGGER_CONTROL_STATE_H_

#include <cstdint>

#include "runtime/trigger/control_budget.h"

namespace softlbr {

inline constexpr uint32_t kStateMagic = 0x53534c53;  // "SLSS"
inline constexpr uint32_t kStateVersion = 1;
inline constexpr uint32_t kNonceBytes = 16;
inline constexpr uint32_t kMostNonces = 64;
// No request is valid for longer (control_request.h), so 64 nonces are enough for one request every two and a half
// hours.
inline constexpr uint64_t kLongestValidityS = 7 * 24 * 3600;

struct SeenNonce {
  uint8_t nonce[kNonceBytes];
  uint64_t expiry_s;  // of the request
};

struct DeviceState {
  uint32_t magic;
  uint32_t version;
  BudgetLedger ledger;
  uint64_t latest_unix_s;  // the latest time of day seen
  uint64_t nonce_floor_s;  // requests with an expiry up to this may have been seen, and their nonces forgotten
  uint32_t nonce_count;
  uint32_t checksum;  // CRC-32C of the structure with 0 here
  SeenNonce nonces[kMostNonces];
};
static_assert(sizeof(DeviceState) == 1816, "state file: bump kStateVersion");

// A device that remembers nothing.
void MakeEmptyState(DeviceState* state, const DeviceClock& now);
// For a state that was lost: every budget is spent, and each request that could be valid now may have been seen.
void MakeLostState(DeviceState* state, const DeviceClock& now);

// Takes bytes of a file. False: they are damaged; *state is unspecified.
bool ParseState(const void* bytes, uint64_t size, DeviceState* state);
// Sets the checksum.
void SealState(DeviceState* state);

// Advances the state to now. Returns the wall-clock time to compare expiries with: now, or the latest time seen if the
// clock was set back by up to a day. A clock that was set back by more must have been wrong before, so the present time
// is used.
uint64_t AdvanceState(DeviceState* state, const DeviceClock& now);

// For a request that was refused, before any other change: whether the time of `advanced` (the result of AdvanceState
// on a copy of `stored`) must be stored, so that a clock that is set back by up to a day revives no request. expiry_s:
// of a request that is refused because it has expired, else 0. Bounds the writes: one for each expiry that the stored
// time has not reached and for each clock that was set back by more than a day; otherwise one for each kLatestStepS
// that pass.
inline constexpr uint64_t kLatestStepS = 3600;
bool MustStoreTime(const DeviceState& stored, const DeviceState& advanced, uint64_t expiry_s);

// Remembers a nonce until its request expires. kReplayed: it was seen, or may have been. kTooManyRequests: there is no
// room. On both the state is unchanged. time_s: the result of AdvanceState.
Refusal RememberNonce(DeviceState* state, const uint8_t* nonce, uint64_t expiry_s, uint64_t time_s);

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_TRIGGER_CONTROL_STATE_H_
