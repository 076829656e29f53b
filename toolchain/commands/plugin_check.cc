// `softlbr plugin-check`: tries a decoder plugin against the contract, part by part.
#include "toolchain/base/failure.h"
#include "toolchain/base/json_text.h"
#include "toolchain/base/names.h"
#include "toolchain/base/text.h"
#include "toolchain/commands/commands.h"
#include "toolchain/plugin/plugin_contract.h"

namespace softlbr::toolchain {

int RunPluginCheck(const PluginCheckOptions& options, std::ostream& out) {
  const PluginReport report = CheckPlugin(options.plugin, options.binaries);
  if (options.json) {
    nlohmann::ordered_json parts = nlohmann::ordered_json::array();
    for (const PluginFinding& finding : report.findings) {
      parts.push_back({{"part", finding.part}, {"is_kept", finding.is_kept}, {"text", finding.text}});
    }
    const nlohmann::ordered_json json = {
        {"plugin", options.plugin},
        {"name", report.name},
        {"arch", report.arch == 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(MachineName(report.arch))},
        {"code_bytes", report.code_bytes},
        {"is_kept", report.IsKept()},
        {"parts", parts}};
    out << JsonText(json) << '\n';
    return report.IsKept() ? 0 : kExitFailure;
  }
  TextTable table({{"part", TextTable::Align::kLeft}, {"", TextTable::Align::kLeft}, {"", TextTable::Align::kLeft}});
  for (const PluginFinding& finding : report.findings) {
    table.AddRow({finding.part, finding.is_kept ? "ok" : "FAULT", SafeText(finding.text)});
  }
  table.Print(out);
  if (!report.IsKept()) {
    out << "The plugin breaks its contract: decoders/api/plugin.h and ir.h state it.\n";
    return kExitFailure;
  }
  if (report.code_bytes == 0) {
    out << "Tried with random bytes only: name binaries for " << MachineName(report.arch)
        << " by -b to try real code.\n";
  } else {
    out << "Tried with " << ByteSize(report.code_bytes) << " of code and with random bytes.\n";
  }
  return 0;
}

}  // namespace softlbr::toolchain
