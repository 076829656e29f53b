#include "runtime/trigger/control_state.h"

#include "platform/base/bytes.h"
#include "runtime/format/crc32c.h"

namespace softlbr {
namespace {

constexpr uint64_t kDayS = 24 * 3600;

uint32_t ChecksumOf(DeviceState* state) {
  const uint32_t kept = state->checksum;
  state->checksum = 0;
  const uint32_t checksum = Crc32c(state, sizeof *state);
  state->checksum = kept;
  return checksum;
}

bool IsSameNonce(const uint8_t* a, const uint8_t* b) {
  uint32_t difference = 0;
  for (uint32_t i = 0; i < kNonceBytes; ++i) difference |= static_cast<uint32_t>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace

void MakeEmptyState(DeviceState* state, const DeviceClock& now) {
  FillBytes(state, 0, sizeof *state);
  state->magic = kStateMagic;
  state->version = kStateVersion;
  state->ledger.seen = now;
  state->latest_unix_s = now.unix_s;
}

void MakeLostState(DeviceState* state, const DeviceClock& now) {
  MakeEmptyState(state, now);
  ExhaustBudgets(&state->ledger);
  state->nonce_floor_s = now.unix_s + kLongestValidityS;
}

bool ParseState(const void* bytes, uint64_t size, DeviceState* state) {
  if (size != sizeof *state) return false;
  CopyBytes(state, bytes, sizeof *state);
  return state->magic == kStateMagic && state->version == kStateVersion && state->checksum == ChecksumOf(state) &&
         state->ledger.reserved == 0 && state->nonce_count <= kMostNonces;
}

void SealState(DeviceState* state) { state->checksum = ChecksumOf(state); }

uint64_t AdvanceState(DeviceState* state, const DeviceClock& now) {
  AdvanceLedger(&state->ledger, now);
  const bool is_set_back = now.unix_s < state->latest_unix_s && state->latest_unix_s - now.unix_s <= kDayS;
  if (!is_set_back) state->latest_unix_s = now.unix_s;
  return state->latest_unix_s;
}

bool MustStoreTime(const DeviceState& stored, const DeviceState& advanced, uint64_t expiry_s) {
  if (advanced.latest_unix_s < stored.latest_unix_s)
    return true;  // else the clock, set back a little more, would be believed again
  return stored.latest_unix_s < expiry_s || advanced.latest_unix_s - stored.latest_unix_s >= kLatestStepS;
}

Refusal RememberNonce(DeviceState* state, const uint8_t* nonce, uint64_t expiry_s, uint64_t time_s) {
  if (expiry_s <= state->nonce_floor_s) return Refusal::kReplayed;
  uint32_t place = state->nonce_count;
  for (uint32_t i = 0; i < state->nonce_count; ++i) {
    const SeenNonce& seen = state->nonces[i];
    if (IsSameNonce(seen.nonce, nonce)) return Refusal::kReplayed;
    // If no place is free, the nonce that expired first is forgotten.
    if (state->nonce_count != kMostNonces || seen.expiry_s > time_s) continue;
    if (place == kMostNonces || seen.expiry_s < state->nonces[place].expiry_s) place = i;
  }
  if (place == kMostNonces) return Refusal::kTooManyRequests;
  if (place == state->nonce_count) {
    ++state->nonce_count;
  } else if (state->nonces[place].expiry_s > state->nonce_floor_s) {
    // A nonce was forgotten: no request that expires as early is accepted any more, whatever the clock says later.
    if (expiry_s <= state->nonces[place].expiry_s) return Refusal::kReplayed;
    state->nonce_floor_s = state->nonces[place].expiry_s;
  }
  CopyBytes(state->nonces[place].nonce, nonce, kNonceBytes);
  state->nonces[place].expiry_s = expiry_s;
  return Refusal::kNone;
}

}  // namespace softlbr
