// The facts of profiles on ClickHouse servers: sent in batches of uploads, and read again for one binary.
#ifndef SOFTLBR_TOOLCHAIN_CLICKHOUSE_SERVER_FACTS_H_
#define SOFTLBR_TOOLCHAIN_CLICKHOUSE_SERVER_FACTS_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "toolchain/clickhouse/server_set.h"
#include "toolchain/db/content_hash.h"
#include "toolchain/db/flow/binary_facts.h"

namespace softlbr::toolchain {

// Collects uploads and sends them together. Memory: kMostBatchBytes and one profile.
class FactBatch {
 public:
  static constexpr size_t kMostBatchBytes = size_t{16} << 20;
  static constexpr size_t kMostUploads = 512;

  explicit FactBatch(const ServerSet& servers);

  // Whether the servers, or the batch, have the upload.
  bool HasUpload(const std::string& sha256) const;
  // Sessions of the profile that are of another upload.
  uint64_t KnownSessions(const Profile& profile, const std::string& sha256) const;
  // Sends the batch when it is large.
  void Add(const Profile& profile, const std::string& name, const FileHash& hash);
  // Sends the facts first, then the rows that make them valid. Sending rows again changes nothing.
  void Send();

 private:
  const ServerSet& servers_;
  std::vector<std::map<std::string, RowBinary>> rows_;  // of each server, by table
  std::vector<std::set<uint64_t>> known_modules_;       // on each server
  std::set<uint64_t> uploads_;                          // of the batch
  std::set<uint64_t> sessions_;
  size_t bytes_ = 0;
};

struct ServerBinary {
  uint64_t id = 0;
  uint64_t uploads = 0;  // with counts of it
  std::string label;     // for messages
};

// Those of the server with counts that its recovered rows do not have.
std::vector<ServerBinary> PendingBinaries(ServerClient* client);

struct ServerBinaryFacts {
  BinaryFacts facts;                 // its modules are numbers of `modules`; binary is number 1
  std::vector<uint64_t> modules{0};  // by these numbers
};
ServerBinaryFacts LoadServerFacts(ServerClient* client, uint64_t binary);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_CLICKHOUSE_SERVER_FACTS_H_
