// Checks whether a decoder plugin keeps the contract of decoders/api/plugin.h and ir.h, by trying each part on real and
// random code.
//
// The plugin is foreign code: every part is tried in a separate process, which ends by itself if the plugin hangs,
// crashes or calls a forbidden function. Only the first fault of a part is reported; further ones show after it has
// been fixed.
#ifndef SOFTLBR_TOOLCHAIN_PLUGIN_PLUGIN_CONTRACT_H_
#define SOFTLBR_TOOLCHAIN_PLUGIN_PLUGIN_CONTRACT_H_

#include <cstdint>
#include <string>
#include <vector>

namespace softlbr::toolchain {

struct PluginFinding {
  std::string part;  // "memory", "stack", …: the rows of docs/decoders.md
  bool is_kept = false;
  std::string text;  // what was tried, or the fault with the code that shows it
};

struct PluginReport {
  std::string name;         // of the plugin's table; empty if it could not be read
  uint16_t arch = 0;        // ELF e_machine
  uint64_t code_bytes = 0;  // of real code that each part lifted
  std::vector<PluginFinding> findings;
  bool IsKept() const;
};

// plugin: a shared object. binaries: ELF files whose code is lifted beside random bytes and the plugin's own code,
// where that is for the plugin's CPU. A binary for another CPU, or one that cannot be read, is a StatedFailure.
PluginReport CheckPlugin(const std::string& plugin, const std::vector<std::string>& binaries);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_PLUGIN_PLUGIN_CONTRACT_H_
