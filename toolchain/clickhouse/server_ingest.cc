#include "toolchain/clickhouse/server_ingest.h"

#include <future>

#include "toolchain/base/failure.h"
#include "toolchain/base/progress.h"
#include "toolchain/base/say.h"
#include "toolchain/base/text.h"
#include "toolchain/clickhouse/server_facts.h"
#include "toolchain/clickhouse/server_rows.h"
#include "toolchain/profile/files.h"

namespace softlbr::toolchain {
namespace {

enum class UploadOutcome { kAdded, kKnown };

UploadOutcome AddUpload(FactBatch* batch, const std::string& path, ModuleFiles* files) {
  const FileHash hash = HashFile(path);
  if (batch->HasUpload(hash.sha256)) return UploadOutcome::kKnown;
  const Profile profile = LoadProfile(path);
  const uint64_t known = batch->KnownSessions(profile, hash.sha256);
  if (known != 0 && known == profile.sessions.size()) return UploadOutcome::kKnown;
  if (known != 0) {
    throw StatedFailure(
        SafeText(path) + ": " + GroupedCount(known) + " of its " + GroupedCount(profile.sessions.size()) +
        " sessions are in the database already, and its sums cannot be told apart; ingest the sessions' own files");
  }
  files->AddFoldersOf(profile.modules);
  batch->Add(profile, path, hash);
  return UploadOutcome::kAdded;
}

struct LoadedBinary {
  ServerBinaryFacts facts;
  std::unique_ptr<RecoveredBinary> recovered;  // null: its file or decoder is missing
};

// Recovers the binaries of one server. Another thread recovers the next binary while this one sends.
class ServerRecovery {
 public:
  ServerRecovery(const ServerSet& servers, const ModuleFiles& files, IngestResult* result)
      : servers_(servers),
        recovery_(files),
        result_(result),
        opcodes_(servers, "opcode_rows", 6),
        sources_(servers, "source_rows", 1) {}

  void Run(size_t server) {
    const std::vector<ServerBinary> pending = PendingBinaries(&servers_[server]);
    if (pending.empty()) return;
    const std::unique_ptr<ServerClient> reader = servers_.ConnectAgain(server);
    const auto recover = [&](size_t i) {
      return std::async(std::launch::async, [this, &reader, id = pending[i].id] {
        LoadedBinary loaded{LoadServerFacts(reader.get(), id), nullptr};
        loaded.recovered = recovery_.RecoverFrom(std::move(loaded.facts.facts));
        return loaded;
      });
    };
    Progress progress("recovering instructions", pending.size());
    std::future<LoadedBinary> next = recover(0);
    for (size_t i = 0; i < pending.size(); ++i) {
      progress.Step(i);
      const LoadedBinary binary = next.get();
      if (i + 1 < pending.size()) next = recover(i + 1);
      if (binary.recovered == nullptr) {
        result_->pending.push_back(pending[i].label);
        continue;
      }
      opcodes_.Add(binary.recovered->new_opcodes);
      sources_.Add(binary.recovered->new_sources);
      result_->instructions +=
          SendBinary(&servers_[server], pending[i], binary.facts, *binary.recovered, opcodes_, sources_);
      ++result_->recovered;
    }
  }

 private:
  const ServerSet& servers_;
  BinaryRecovery recovery_;
  IngestResult* result_;
  ServerDictionary opcodes_;
  ServerDictionary sources_;
};

}  // namespace

IngestResult IngestToServers(const ServerSet& servers, const std::vector<std::string>& profiles,
                             const std::vector<std::string>& binaries) {
  const std::vector<std::string> paths = ListProfiles(profiles);
  ModuleFiles files(binaries, paths[0]);  // before anything is added: a wrong -b is a failure
  IngestResult result;
  {
    FactBatch batch(servers);
    Progress progress("reading profiles", paths.size());
    for (size_t i = 0; i < paths.size(); ++i) {
      progress.Step(i);
      try {
        ++(AddUpload(&batch, paths[i], &files) == UploadOutcome::kAdded ? result.added : result.known);
      } catch (const ServerFailure&) {
        throw;
      } catch (const StatedFailure& failure) {
        if (paths.size() == 1) throw;
        Warn(std::string(failure.what()) + "; it is left out");
        ++result.left_out;
      }
    }
    batch.Send();
  }
  ServerRecovery recovery(servers, files, &result);
  for (size_t i = 0; i < servers.size(); ++i) recovery.Run(i);
  for (size_t i = 0; i < servers.size(); ++i) DropOldVersions(&servers[i]);
  return result;
}

}  // namespace softlbr::toolchain
