// `softlbr list`: the programs in which `softlbr trigger` can start a session.
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "toolchain/commands/commands.h"
#include "toolchain/control/control_client.h"
#include "toolchain/host/failure.h"
#include "toolchain/host/json_text.h"
#include "toolchain/host/text.h"

namespace softlbr::toolchain {
namespace {

constexpr int kPatienceMs = 2000;  // for each program; one that is stopped never answers

// What a program says of itself; nothing if it does not answer.
std::optional<InfoReply> Ask(const std::string& path) {
  try {
    ControlClient client(path);
    client.Send(MessageKind::kAsk);
    while (client.Receive(kPatienceMs) == ControlClient::Event::kMessage) {
      if (client.kind() == MessageKind::kInfo) return client.As<InfoReply>();
    }
  } catch (const StatedFailure&) {  // it has ended meanwhile, or is another user's
  }
  return std::nullopt;
}

}  // namespace

int RunList(const ListOptions& options, std::ostream& out) {
  const std::string folder = options.folder.empty() ? DefaultControlFolder() : options.folder;
  TextTable table({{"pid", TextTable::Align::kRight}, {"program"}, {"session"}, {"socket"}});
  nlohmann::ordered_json programs = nlohmann::ordered_json::array();
  for (const ControlSocket& socket : FindControlSockets(folder)) {
    const std::optional<InfoReply> info = Ask(socket.path);
    if (!info.has_value() && !IsSocketAlive(socket.path)) continue;
    const std::string session = !info.has_value() ? "no answer" : info->is_running != 0 ? "running" : "none";
    table.AddRow({std::to_string(socket.pid), SafeText(socket.program), session, SafeText(socket.path)});
    nlohmann::ordered_json program = {
        {"pid", socket.pid}, {"program", socket.program}, {"socket", socket.path}, {"answers", info.has_value()}};
    if (info.has_value()) {
      program["is_running"] = info->is_running != 0;
      program["sessions"] = info->sessions;
      program["longest_session_ms"] = info->longest_session_ms;
      program["largest_overhead_ppm"] = info->largest_overhead_ppm;
      program["densest_period"] = info->densest_period;
      program["highest_frequency_hz"] = info->highest_frequency_hz;
    }
    programs.push_back(std::move(program));
  }
  if (options.json) {
    out << JsonText({{"folder", folder}, {"programs", programs}}) << '\n';
  } else if (table.empty()) {
    std::cerr << "softlbr: no program can be triggered in " << SafeText(folder) << '\n';
  } else {
    table.Print(out);
  }
  return 0;
}

}  // namespace softlbr::toolchain
