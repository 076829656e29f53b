// `softlbr collect`: receives what `softlbr upload` sends, and merges it by build.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>

#include "toolchain/base/failure.h"
#include "toolchain/base/names.h"
#include "toolchain/base/say.h"
#include "toolchain/base/text.h"
#include "toolchain/collect/collect_server.h"
#include "toolchain/commands/commands.h"
#include "toolchain/profile/profile_reader.h"

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

// A folder that is removed with its content.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& parent) : path_(parent + "/" + FolderStore::kScratchPrefix + "XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) throw StatedFailure(std::string("no folder for the merge: ") + std::strerror(errno));
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The segments of a session one after the other: the file as it was before the upload, except for the magics between them.
void JoinSegments(const std::vector<std::string>& segments, const std::string& path) {
  std::ofstream joined(path, std::ios::binary);
  for (const std::string& segment : segments) joined << std::ifstream(segment, std::ios::binary).rdbuf();
  if (!joined.flush()) throw StatedFailure("the sessions cannot be copied; free space");
}

bool IsOfBuild(const std::string& path, const std::string& build_id) {
  const auto read = ReadProfileFile(path, [](const Trace&) {});
  if (!std::holds_alternative<Profile>(read)) return false;
  for (const ProfileModule& module : std::get<Profile>(read).modules) {
    if (module.is_main && HexBytes(module.build_id) == build_id) return true;
  }
  return false;
}

// A descriptor of the merge of all sessions whose program has this build id, in order of session ids; -1 if there is none.
int MergeBuild(FolderStore* store, const std::string& build_id) {
  const ScratchFolder scratch(store->folder());
  MergeOptions merge;
  for (const auto& [session, segments] : store->Sessions()) {
    const std::string path = scratch.path() + "/" + SessionText(session) + ".slbr";
    JoinSegments(segments, path);
    if (IsOfBuild(path, build_id)) {
      merge.profiles.push_back(path);
    } else {
      unlink(path.c_str());
    }
  }
  if (merge.profiles.empty()) return -1;
  merge.output = scratch.path() + "/sum";
  RunMerge(merge, std::cout);
  return open(merge.output.c_str(), O_RDONLY | O_CLOEXEC);
}

}  // namespace

int RunCollect(const CollectOptions& options, std::ostream& out) {
  CollectServerOptions server;
  ParseListen(options.listen, &server);
  server.max_body_bytes = options.max_body_bytes;
  server.timeout_s = options.timeout_s;
  // Blocks the signals that end the command, which are waited for here, before there are threads: all of them inherit the mask.
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  FolderStore store(options.folder, options.max_bytes);
  const auto running =
      StartCollectServer(server, &store, [&store](const std::string& build_id) { return MergeBuild(&store, build_id); });
  if (!server.address.starts_with("127.") && server.address != "::1") {
    Warn("collect: everybody who reaches " + server.address +
         " can store and read profiles; put a server that checks credentials in front");
  }
  const bool is_v6 = server.address.find(':') != std::string::npos;
  out << "listening on http://" << (is_v6 ? "[" + server.address + "]" : server.address) << ':' << running->port() << '\n'
      << std::flush;
  int signal_number = 0;
  sigwait(&ends, &signal_number);
  return 0;
}

}  // namespace softlbr::toolchain
