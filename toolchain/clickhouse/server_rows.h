// Recovered binaries as rows of ClickHouse servers.
#ifndef SOFTLBR_TOOLCHAIN_CLICKHOUSE_SERVER_ROWS_H_
#define SOFTLBR_TOOLCHAIN_CLICKHOUSE_SERVER_ROWS_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "toolchain/clickhouse/server_facts.h"
#include "toolchain/db/flow/binary_recovery.h"

namespace softlbr::toolchain {

// The numbers of texts that all servers share. A number is a hash of the texts, or the next one that is free.
class ServerDictionary {
 public:
  // texts: columns of the table behind `id`.
  ServerDictionary(const ServerSet& servers, std::string table, size_t texts);

  // Numbers entries of a Dictionary, and sends those that are new to all servers. If an interrupted run sent entries
  // only to some of the servers, the constructor sends them to the others.
  void Add(const std::vector<Dictionary::Entry>& entries);
  uint32_t Of(uint32_t dictionary_id) const { return ids_.at(dictionary_id); }

 private:
  const ServerSet& servers_;
  std::string table_;
  std::map<std::vector<std::string>, uint32_t> known_;
  std::set<uint32_t> used_;
  std::map<uint32_t, uint32_t> ids_;  // by Dictionary::Entry's
};

// Sends the rows of a binary in parts, and then makes them valid in place of those of earlier versions. Returns the
// number of instructions. opcodes, sources: hold those of the binary.
uint64_t SendBinary(ServerClient* client, const ServerBinary& of, const ServerBinaryFacts& facts,
                    const RecoveredBinary& binary, const ServerDictionary& opcodes, const ServerDictionary& sources);

// Deletes the rows of versions that are no longer valid or never became so. The server does it later. One ingest at a
// time.
void DropOldVersions(ServerClient* client);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_CLICKHOUSE_SERVER_ROWS_H_
