// The servers that a database is divided over. Each module's rows are on one of them, which its build id chooses.
#ifndef SOFTLBR_TOOLCHAIN_CLICKHOUSE_SERVER_SET_H_
#define SOFTLBR_TOOLCHAIN_CLICKHOUSE_SERVER_SET_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "toolchain/clickhouse/server_client.h"
#include "toolchain/profile/profile.h"

namespace softlbr::toolchain {

// True if a command's database is on servers: its address begins with http:// or https://.
bool IsServerList(const std::string& database);

class ServerSet {
 public:
  // list: addresses, separated by commas. kChanges makes the databases and their tables; kReads demands them.
  ServerSet(const std::string& list, ServerMode mode);

  size_t size() const { return clients_.size(); }
  ServerClient& operator[](size_t server) const { return *clients_[server]; }
  // One more connection, for another thread.
  std::unique_ptr<ServerClient> ConnectAgain(size_t server) const;

 private:
  std::vector<ServerAddress> addresses_;
  ServerMode mode_;
  std::vector<std::unique_ptr<ServerClient>> clients_;
};

// The first 64 bits of a SHA-256 in hexadecimal digits, and never 0.
uint64_t NumberOfHash(std::string_view hex);

// A module as the servers know it.
struct ServerModule {
  uint64_t id = 0;  // 0: code in no module
  size_t server = 0;
};
ServerModule ServerModuleOf(const ProfileModule& module, size_t servers);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_CLICKHOUSE_SERVER_SET_H_
