#include "toolchain/clickhouse/server_set.h"

#include <set>

#include "toolchain/base/failure.h"
#include "toolchain/clickhouse/server_schema.h"
#include "toolchain/db/content_hash.h"
#include "toolchain/profile/profile_builder.h"

namespace softlbr::toolchain {

bool IsServerList(const std::string& database) {
  return database.starts_with("http://") || database.starts_with("https://");
}

ServerSet::ServerSet(const std::string& list, ServerMode mode) : mode_(mode) {
  std::set<std::pair<std::string, std::string>> seen;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    addresses_.push_back(ParseServerAddress(list.substr(begin, end - begin)));
    if (!seen.emplace(addresses_.back().base, addresses_.back().database).second) {
      throw UsageFailure("db: an address is named twice; each server's database holds a part of the rows");
    }
    begin = end + 1;
  }
  for (size_t i = 0; i < addresses_.size(); ++i) {
    CheckAnswers(ConnectToServer({addresses_[i].base, "default"}, mode).get());
    if (mode == ServerMode::kChanges) {
      // The database that is asked for need not be there yet.
      const auto first = ConnectToServer({addresses_[i].base, "default"}, mode);
      first->Run("CREATE DATABASE IF NOT EXISTS " + addresses_[i].database);
    }
    clients_.push_back(ConnectToServer(addresses_[i], mode));
    if (mode == ServerMode::kChanges) {
      PrepareServer(clients_[i].get(), i, addresses_.size());
    } else {
      CheckServer(clients_[i].get(), i, addresses_.size());
    }
  }
}

std::unique_ptr<ServerClient> ServerSet::ConnectAgain(size_t server) const {
  return ConnectToServer(addresses_[server], mode_);
}

uint64_t NumberOfHash(std::string_view hex) {
  const uint64_t number = std::stoull(std::string(hex.substr(0, 16)), nullptr, 16);
  return number != 0 ? number : 1;
}

ServerModule ServerModuleOf(const ProfileModule& module, size_t servers) {
  Sha256 identity;
  identity.Add(ModuleIdentity(module));
  ServerModule of;
  of.id = NumberOfHash(identity.Hex());
  if (module.build_id.empty()) {
    of.server = of.id % servers;
    return of;
  }
  Sha256 build;
  build.Add(std::string_view(reinterpret_cast<const char*>(module.build_id.data()), module.build_id.size()));
  of.server = NumberOfHash(build.Hex()) % servers;
  return of;
}

}  // namespace softlbr::toolchain
