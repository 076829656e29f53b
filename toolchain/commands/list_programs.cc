// `softlbr list`: the programs in which `softlbr trigger` can start a session.
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <vector>

#include "toolchain/base/failure.h"
#include "toolchain/base/json_text.h"
#include "toolchain/base/say.h"
#include "toolchain/base/text.h"
#include "toolchain/commands/commands.h"
#include "toolchain/trigger/control_client.h"

namespace softlbr::toolchain {
namespace {

constexpr int kPatienceMs = 2000;  // for each program; one that is stopped never answers

// What a program says of itself. A library that does not know the second question answers the first.
struct Answers {
  std::optional<InfoReply> info;
  std::optional<CountsReply> counts;
};

Answers Ask(const std::string& path) {
  Answers answers;
  try {
    ControlClient client(path);
    client.Send(MessageKind::kAsk);
    client.Send(MessageKind::kCount);
    while (!answers.counts.has_value() && client.Receive(kPatienceMs) == ControlClient::Event::kMessage) {
      if (client.kind() == MessageKind::kInfo) answers.info = client.As<InfoReply>();
      if (client.kind() == MessageKind::kCounts) answers.counts = client.As<CountsReply>();
      if (client.kind() == MessageKind::kRefused) break;
    }
  } catch (const StatedFailure&) {  // it has ended meanwhile, or is another user's
  }
  return answers;
}

uint64_t RefusedOf(const CountsReply& counts) {
  return std::accumulate(std::begin(counts.refused), std::end(counts.refused), uint64_t{0});
}

nlohmann::ordered_json JsonOf(const CountsReply& counts) {
  nlohmann::ordered_json refused = nlohmann::ordered_json::object();
  for (uint32_t code = 1; code < kCountedRefusals; ++code) {
    if (counts.refused[code] != 0) refused[std::to_string(code)] = counts.refused[code];
  }
  return {{"connections", counts.connections}, {"accepted", counts.sessions},        {"cancelled", counts.cancelled},
          {"skipped", counts.skipped},         {"refused_total", RefusedOf(counts)}, {"refused", refused}};
}

// Why requests were refused, a line for each reason.
std::vector<std::string> DescribeRefusals(const ControlSocket& socket, const CountsReply& counts) {
  std::vector<std::string> lines;
  for (uint32_t code = 1; code < kCountedRefusals; ++code) {
    if (counts.refused[code] == 0) continue;
    lines.push_back(SafeText(socket.program) + " (" + std::to_string(socket.pid) + ") refused " +
                    GroupedCount(counts.refused[code]) + ": " + RefusalMeaning(code));
  }
  return lines;
}

}  // namespace

int RunList(const ListOptions& options, std::ostream& out) {
  const std::string folder = options.folder.empty() ? DefaultControlFolder() : options.folder;
  constexpr auto kToTheRight = TextTable::Align::kRight;
  TextTable table({{"pid", kToTheRight},
                   {"program"},
                   {"session"},
                   {"accepted", kToTheRight},
                   {"refused", kToTheRight},
                   {"socket"}});
  std::vector<std::string> refusals;
  nlohmann::ordered_json programs = nlohmann::ordered_json::array();
  for (const ControlSocket& socket : FindControlSockets(folder)) {
    const auto [info, counts] = Ask(socket.path);
    if (!info.has_value() && !IsSocketAlive(socket.path)) continue;
    const std::string session = !info.has_value() ? "no answer" : info->is_running != 0 ? "running" : "none";
    table.AddRow({std::to_string(socket.pid), SafeText(socket.program), session,
                  counts.has_value() ? GroupedCount(counts->sessions) : "",
                  counts.has_value() ? GroupedCount(RefusedOf(*counts)) : "", SafeText(socket.path)});
    if (counts.has_value()) {
      for (std::string& line : DescribeRefusals(socket, *counts)) refusals.push_back(std::move(line));
    }
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
    if (counts.has_value()) program["requests"] = JsonOf(*counts);
    programs.push_back(std::move(program));
  }
  if (options.json) {
    out << JsonText({{"folder", folder}, {"programs", programs}}) << '\n';
  } else if (table.empty()) {
    Say("no program can be triggered in " + SafeText(folder));
  } else {
    table.Print(out);
    for (const std::string& line : refusals) out << line << '\n';
  }
  return 0;
}

}  // namespace softlbr::toolchain
