#include <algorithm>

#include "toolchain/base/failure.h"
#include "toolchain/base/text.h"
#include "toolchain/clickhouse/server_client.h"

namespace softlbr::toolchain {

ServerAddress ParseServerAddress(const std::string& text) {
  const std::string remedy = "; name it as in http://127.0.0.1:8123/softlbr";
  const size_t scheme = text.find("://");
  const size_t slash = text.find('/', scheme == std::string::npos ? 0 : scheme + 3);
  if ((!text.starts_with("http://") && !text.starts_with("https://")) || slash == std::string::npos) {
    throw UsageFailure("db: " + SafeText(text) + " is no address of a server's database" + remedy);
  }
  ServerAddress address{text.substr(0, slash), text.substr(slash + 1)};
  // A password in the arguments can be seen by every user of the machine.
  if (address.base.find('@') != std::string::npos)
    throw UsageFailure("db: the server's address holds credentials" + remedy);
  const auto is_letter = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  const bool is_name = !address.database.empty() && address.database.size() <= 64 &&
                       (address.database[0] < '0' || address.database[0] > '9') &&
                       std::all_of(address.database.begin(), address.database.end(), is_letter);
  if (!is_name || address.base.find_first_of("?#, '\"") != std::string::npos) {
    throw UsageFailure("db: " + SafeText(text) + ": the name of a server's database has letters, digits and _ only" +
                       remedy);
  }
  return address;
}

std::vector<AnswerReader::Row> ServerClient::AskAll(const std::string& sql, size_t columns) {
  std::vector<AnswerReader::Row> rows;
  AnswerReader reader([&](const AnswerReader::Row& row) { rows.push_back(row); }, columns);
  Ask(sql, &reader);
  return rows;
}

}  // namespace softlbr::toolchain
