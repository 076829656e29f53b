#include "toolchain/db/ingest.h"

#include <future>
#include <memory>
#include <optional>

#include "toolchain/base/failure.h"
#include "toolchain/base/names.h"
#include "toolchain/base/progress.h"
#include "toolchain/base/say.h"
#include "toolchain/base/text.h"
#include "toolchain/binary/module_files.h"
#include "toolchain/code/block_counts.h"
#include "toolchain/db/binary_rows.h"
#include "toolchain/db/content_hash.h"
#include "toolchain/db/flow/binary_facts.h"
#include "toolchain/db/flow/binary_recovery.h"
#include "toolchain/db/flow/recovery_queue.h"
#include "toolchain/db/store/schema.h"
#include "toolchain/db/store/table_writer.h"
#include "toolchain/profile/files.h"
#include "toolchain/profile/profile_builder.h"

namespace softlbr::toolchain {
namespace {

enum class FileOutcome { kAdded, kKnown };

uint64_t CountOf(Rows rows) { return rows.Next() ? rows.Count(0) : 0; }

// Writes the facts of one profile. Within a transaction.
class FactWriter {
 public:
  FactWriter(const Connection& connection, const Profile& profile)
      : connection_(connection), profile_(profile), binaries_(profile.modules.size(), kNoBinary) {}

  void Write(uint32_t upload, const std::string& name, const FileHash& hash) {
    uint64_t taken = 0;
    for (const BranchCount& branch : profile_.branches) taken = SaturatingAdd(taken, branch.count);
    TableWriter uploads(connection_, "upload", ColumnsOf("upload"));
    uploads.Put(upload)
        .Put(std::string_view(name))
        .Put(std::string_view(hash.sha256))
        .Put(hash.bytes)
        .Put(taken)
        .EndRow();
    uploads.Close();
    TableWriter sessions(connection_, "session", ColumnsOf("session"));
    for (const ProfileSession& session : profile_.sessions) {
      std::string labels;  // separated by what no label has
      for (const auto& [key, value] : session.labels) labels += (labels.empty() ? "" : ";") + key + "=" + value;
      sessions.Put(session.session_id)
          .Put(upload)
          .Put(std::string_view(session.program))
          .Put(std::string_view(labels))
          .EndRow();
    }
    sessions.Close();
    TableWriter ranges(connection_, "range_count", ColumnsOf("range_count"));
    for (const RangeCount& range : profile_.ranges) {
      ranges.Put(BinaryOf(range.module)).Put(range.first).Put(range.last).Put(range.count).EndRow();
    }
    ranges.Close();
    TableWriter branches(connection_, "new_branch", ColumnsOf("new_branch"));
    for (const BranchCount& branch : profile_.branches) {
      branches.Put(BinaryOf(branch.from.module)).Put(branch.from.address);
      branches.Put(BinaryOf(branch.to.module)).Put(branch.to.address).Put(branch.count).EndRow();
    }
    branches.Close();
    TableWriter samples(connection_, "sample_count", ColumnsOf("sample_count"));
    for (const SampleCount& sample : profile_.samples) {
      samples.Put(BinaryOf(sample.pc.module)).Put(sample.pc.address).Put(sample.count).EndRow();
    }
    samples.Close();
    Statement mark(connection_,
                   "UPDATE module SET is_pending = true, by_instructions = by_instructions AND $2 = 1 WHERE id = $1");
    const uint64_t by_instructions = AreSamplesByInstructions(profile_) ? 1 : 0;
    for (const uint32_t binary : binaries_) {
      if (binary != kNoBinary) mark.Bind(uint64_t{binary}).Bind(by_instructions).Execute();
    }
  }

 private:
  // The number of the module's binary, which is added if it is new.
  uint32_t BinaryOf(uint32_t module) {
    if (module >= binaries_.size()) return kNoBinary;
    if (binaries_[module] != kNoBinary) return binaries_[module];
    const ProfileModule& of = profile_.modules[module];
    Sha256 identity;
    identity.Add(ModuleIdentity(of));
    const std::string key = identity.Hex();
    Statement find(connection_, "SELECT id FROM module WHERE identity = $1");
    Rows found = find.Bind(std::string_view(key)).Execute();
    if (found.Next()) return binaries_[module] = static_cast<uint32_t>(found.Count(0));
    const uint32_t id = NextId(connection_, "module");
    const std::string build_id = HexBytes(of.build_id);
    const std::string segments = SegmentsText(of.segments);
    TableWriter writer(connection_, "module", ColumnsOf("module"));
    const std::string name = BaseName(of.name);
    writer.Put(id)
        .Put(std::string_view(name))
        .Put(std::string_view(build_id))
        .Put(of.machine)
        .Put(of.elf_type)
        .Put(of.is_main);
    writer.Put(std::string_view(key)).Put(std::string_view(segments));
    // The recorded path, until the file is found.
    of.name == name ? writer.PutNull() : writer.Put(std::string_view(of.name));
    writer.Put(true).Put(true).Put(uint64_t{0}).EndRow();
    writer.Close();
    return binaries_[module] = id;
  }

  const Connection& connection_;
  const Profile& profile_;
  std::vector<uint32_t> binaries_;
};

// How many of the profile's sessions the database has.
uint64_t KnownSessions(const Connection& connection, const Profile& profile) {
  Statement find(connection, "SELECT count(*)::UBIGINT FROM session WHERE id = $1");
  uint64_t known = 0;
  for (const ProfileSession& session : profile.sessions) {
    if (CountOf(find.Bind(session.session_id).Execute()) != 0) ++known;
  }
  return known;
}

bool IsKnownUpload(const Connection& connection, const FileHash& hash) {
  Statement find(connection, "SELECT count(*)::UBIGINT FROM upload WHERE sha256 = $1");
  return CountOf(find.Bind(std::string_view(hash.sha256)).Execute()) != 0;
}

struct LoadedUpload {
  FileHash hash;
  std::optional<Profile> profile;  // none if the database has the file
};

LoadedUpload LoadUpload(const Connection& connection, const std::string& path) {
  LoadedUpload file{HashFile(path), std::nullopt};
  if (IsKnownUpload(connection, file.hash)) return file;
  file.profile = LoadProfile(path);
  return file;
}

FileOutcome WriteUpload(const Connection& connection, const std::string& path, const LoadedUpload& file) {
  if (!file.profile.has_value()) return FileOutcome::kKnown;
  const Profile& profile = *file.profile;
  Transaction transaction(connection);
  if (IsKnownUpload(connection, file.hash)) return FileOutcome::kKnown;  // written since it was loaded
  const uint64_t known = KnownSessions(connection, profile);
  if (known != 0 && known == profile.sessions.size()) return FileOutcome::kKnown;
  if (known != 0) {
    throw StatedFailure(
        SafeText(path) + ": " + GroupedCount(known) + " of its " + GroupedCount(profile.sessions.size()) +
        " sessions are in the database already, and its sums cannot be told apart; ingest the sessions' own files");
  }
  FactWriter(connection, profile).Write(NextId(connection, "upload"), path, file.hash);
  transaction.Commit();
  return FileOutcome::kAdded;
}

void RecoverPending(const Database& database, const Connection& connection, const ModuleFiles& files,
                    IngestResult* result) {
  std::vector<std::pair<uint32_t, std::string>> pending;
  {
    Rows rows = connection.Query(
        "SELECT b.id, b.name, b.build_id FROM module b WHERE b.is_pending AND EXISTS (FROM range_count r WHERE "
        "r.module = b.id)"
        " ORDER BY b.id");
    while (rows.Next()) {
      pending.emplace_back(
          static_cast<uint32_t>(rows.Count(0)),
          SafeText(rows.Text(1)) +
              (rows.Text(2).empty() ? " (no build id)" : " (build id " + std::string(rows.Text(2)) + ")"));
    }
  }
  // Another thread recovers the next binaries while this one writes.
  const Connection reader(database);
  BinaryRecovery recovery(reader, files);
  std::vector<uint32_t> numbers;
  for (const auto& [number, name] : pending) numbers.push_back(number);
  Progress progress("recovering instructions", pending.size());
  RecoveryQueue queue(&recovery, numbers);
  bool has_all_threads = false;
  for (size_t i = 0; i < pending.size(); ++i) {
    progress.Step(i);
    const std::unique_ptr<RecoveredBinary> binary = queue.Next();
    if (!has_all_threads && queue.IsDone()) {
      UseAllProcessors(connection);
      has_all_threads = true;
    }
    if (binary == nullptr) {
      result->pending.push_back(pending[i].second);
      continue;
    }
    ++result->recovered;
    result->instructions += WriteBinary(connection, *binary);
  }
}

}  // namespace

IngestResult Ingest(const Database& database, const std::vector<std::string>& profiles,
                    const std::vector<std::string>& binaries) {
  const std::vector<std::string> paths = ListProfiles(profiles);
  const ModuleFiles files(binaries, paths[0]);  // before anything is added: a wrong -b is a failure
  const Connection connection(database);
  PrepareSchema(connection);
  IngestResult result;
  {
    // Another thread loads the next profile while this one writes.
    const Connection reader(database);
    const auto load = [&](size_t i) {
      return std::async(std::launch::async, [&reader, &path = paths[i]] { return LoadUpload(reader, path); });
    };
    Progress progress("reading profiles", paths.size());
    std::future<LoadedUpload> next = load(0);
    for (size_t i = 0; i < paths.size(); ++i) {
      progress.Step(i);
      try {
        std::future<LoadedUpload> current = std::move(next);
        current.wait();
        if (i + 1 < paths.size()) next = load(i + 1);
        ++(WriteUpload(connection, paths[i], current.get()) == FileOutcome::kAdded ? result.added : result.known);
      } catch (const StatedFailure& failure) {
        if (paths.size() == 1) throw;
        Warn(std::string(failure.what()) + "; it is left out");
        ++result.left_out;
      }
    }
  }
  RecoverPending(database, connection, files, &result);
  return result;
}

}  // namespace softlbr::toolchain
