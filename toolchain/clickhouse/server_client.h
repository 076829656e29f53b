// One ClickHouse server and one of its databases, over HTTP.
//
// One request at a time, on a connection that stays open. ServerFailure with the server's own words if a statement
// fails, or if there is no answer. Where libcurl was missing when the command was built: always, naming the package.
// TLS: the server's certificate is verified. The proxies of the environment are used.
#ifndef SOFTLBR_TOOLCHAIN_CLICKHOUSE_SERVER_CLIENT_H_
#define SOFTLBR_TOOLCHAIN_CLICKHOUSE_SERVER_CLIENT_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "toolchain/clickhouse/answer_rows.h"
#include "toolchain/clickhouse/row_binary.h"

namespace softlbr::toolchain {

// http://HOST:PORT/DATABASE or https://...
struct ServerAddress {
  std::string base;      // without the database and its slash
  std::string database;  // letters, digits and _
};

// UsageFailure if the text is none.
ServerAddress ParseServerAddress(const std::string& text);

// kReads: the server refuses statements that change anything.
enum class ServerMode { kChanges, kReads };

class ServerClient {
 public:
  virtual ~ServerClient() = default;
  // A statement without rows.
  virtual void Run(const std::string& sql) = 0;
  // A query. The server computes the whole answer before it sends the first row, so a failure comes before any row.
  virtual void Ask(const std::string& sql, AnswerReader* reader) = 0;
  // All rows of a table, in the order of its columns, or none of them.
  virtual void Insert(const std::string& table, const RowBinary& rows) = 0;

  // For small answers of so many columns.
  std::vector<AnswerReader::Row> AskAll(const std::string& sql, size_t columns);
};

// The database need not be there.
std::unique_ptr<ServerClient> ConnectToServer(const ServerAddress& address, ServerMode mode);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_CLICKHOUSE_SERVER_CLIENT_H_
