// Texts for the numeric codes of a profile: events, policies, reasons, statuses. Codes have no text anywhere else.
//
// Every function accepts any number, as profiles are hostile, and returns "unknown(<n>)" or similar for an unknown one.
#ifndef SOFTLBR_TOOLCHAIN_BASE_NAMES_H_
#define SOFTLBR_TOOLCHAIN_BASE_NAMES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace softlbr::toolchain {

// Sampling events, as in `record -e` and `stats`: the keys of platform/base/sample_events.def.
std::string EventName(uint32_t event);
std::optional<uint32_t> EventFromName(std::string_view name);
std::vector<std::string> EventNames();

std::string ResolveName(uint32_t policy);       // static, lookahead
std::string MachineName(uint32_t elf_machine);  // x86_64, aarch64

std::string AbortKey(uint32_t reason);      // undecodable
std::string AbortMeaning(uint32_t reason);  // the bytes at the next pc are no known instruction
std::string LossKey(uint32_t reason);
std::string LossMeaning(uint32_t reason);

// Cause and remedy of a softlbr::Status, for the message of a failed `record`.
std::string StatusText(uint32_t status);

std::string HexBytes(std::span<const uint8_t> bytes);  // build ids; empty for none

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_BASE_NAMES_H_
