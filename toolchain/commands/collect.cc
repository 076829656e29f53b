// `softlbr collect`: receives what `softlbr upload` sends, and merges it by build.
#include <pthread.h>

#include <charconv>
#include <csignal>
#include <iostream>

#include "toolchain/base/failure.h"
#include "toolchain/base/say.h"
#include "toolchain/base/text.h"
#include "toolchain/collect/collect_server.h"
#include "toolchain/collect/merged_builds.h"
#include "toolchain/commands/commands.h"

namespace softlbr::toolchain {
namespace {

// "127.0.0.1:8080", "[::1]:8080".
void ParseListen(const std::string& text, CollectServerOptions* options) {
  const size_t colon = text.rfind(':');
  const std::string port = colon == std::string::npos ? "" : text.substr(colon + 1);
  std::string address = text.substr(0, std::min(colon, text.size()));
  if (address.starts_with('[') && address.ends_with(']')) address = address.substr(1, address.size() - 2);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), options->port);
  if (port.empty() || error != std::errc() || end != port.data() + port.size() || address.empty()) {
    throw UsageFailure("collect: --listen " + SafeText(text) + " is not ADDRESS:PORT; write --listen 127.0.0.1:8080");
  }
  options->address = address;
}

}  // namespace

int RunCollect(const CollectOptions& options, std::ostream& out) {
  CollectServerOptions server;
  ParseListen(options.listen, &server);
  server.max_body_bytes = options.max_body_bytes;
  server.timeout_s = options.timeout_s;
  // Blocks the signals that end the command, which are waited for here, before there are threads: all of them inherit
  // the mask.
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  FolderStore store(options.folder, options.max_bytes);
  MergedBuilds merged(&store, [&out](const std::vector<std::string>& profiles, const std::string& sum) {
    MergeOptions merge;
    merge.profiles = profiles;
    merge.output = sum;
    RunMerge(merge, out);
  });
  const auto running =
      StartCollectServer(server, &store, [&merged](const std::string& build_id) { return merged.Open(build_id); });
  if (!server.address.starts_with("127.") && server.address != "::1") {
    Warn("collect: everybody who reaches " + server.address +
         " can store and read profiles; put a server that checks credentials in front");
  }
  const bool is_v6 = server.address.find(':') != std::string::npos;
  out << "listening on http://" << (is_v6 ? "[" + server.address + "]" : server.address) << ':' << running->port()
      << '\n'
      << std::flush;
  int signal_number = 0;
  sigwait(&ends, &signal_number);
  return 0;
}

}  // namespace softlbr::toolchain
