#include "toolchain/clickhouse/server_client.h"

#include <exception>

#include "toolchain/base/failure.h"
#include "toolchain/base/text.h"
#include "toolchain/upload/curl_library.h"

namespace softlbr::toolchain {
namespace {

constexpr size_t kMostErrorBytes = 2000;  // of an answer that is no success
constexpr long kOkStatus = 200;
constexpr long kConnectSeconds = 20;

// No session: a setting holds for the request. An answer is sent only when it is complete, so its status is that of the
// whole statement. Joins are as in SQL; beyond a bound of memory the server uses the disk.
constexpr char kSettings[] =
    "&wait_end_of_query=1&buffer_size=1048576&join_use_nulls=1&join_default_strictness=ALL"
    "&max_bytes_before_external_group_by=1500000000&max_query_size=1000000000&max_ast_elements=100000000&max_expanded_"
    "ast_"
    "elements=100000000";

std::string PercentEncoded(std::string_view text) {
  constexpr char kHexDigits[] = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_') {
      encoded += c;
    } else {
      encoded += {'%', kHexDigits[byte >> 4], kHexDigits[byte & 15]};
    }
  }
  return encoded;
}

struct FreeHandle {
  void operator()(CURL* handle) const { Curl().easy_cleanup(handle); }
};

// What receives an answer. Exceptions must not pass through libcurl.
struct Receiver {
  CURL* handle = nullptr;
  AnswerReader* reader = nullptr;  // null: a success has no rows
  std::string error;
  std::exception_ptr failure;
};

size_t Receive(char* data, size_t size, size_t count, void* context) {
  auto* receiver = static_cast<Receiver*>(context);
  const std::string_view bytes(data, size * count);
  long status = 0;
  Curl().easy_getinfo(receiver->handle, CURLINFO_RESPONSE_CODE, &status);
  if (status != kOkStatus) {
    receiver->error += bytes.substr(0, kMostErrorBytes - std::min(kMostErrorBytes, receiver->error.size()));
    return bytes.size();
  }
  if (receiver->reader == nullptr) return bytes.size();
  try {
    receiver->reader->Add(bytes);
  } catch (...) {
    receiver->failure = std::current_exception();
    return 0;  // ends the request
  }
  return bytes.size();
}

// The remedy for an answer that is no success.
std::string Remedy(const std::string& answer, bool is_question) {
  if (!answer.starts_with("Code: ")) return "; is the address that of a ClickHouse server?";
  return is_question ? "; docs/cli.md lists the tables" : "; the server's log says more";
}

// "Code: 62, e.displayText() = DB::Exception: Syntax error: ..., e.what() = DB::Exception": the middle.
std::string ServerError(std::string text) {
  text = text.substr(0, text.find('\n'));
  for (const char* before : {"e.displayText() = ", "DB::Exception: "}) {
    if (const size_t at = text.find(before); at != std::string::npos)
      text = text.substr(at + std::string_view(before).size());
  }
  text = text.substr(0, text.find(", e.what() ="));
  return SafeText(text.substr(0, 400));
}

class CurlServerClient : public ServerClient {
 public:
  CurlServerClient(const ServerAddress& address, ServerMode mode)
      : name_(address.base),
        url_(address.base + "/?database=" + address.database + kSettings +
             (mode == ServerMode::kReads ? "&readonly=2" : "")) {
    static const CURLcode is_ready = Curl().global_init(CURL_GLOBAL_DEFAULT);
    handle_.reset(is_ready == CURLE_OK ? Curl().easy_init() : nullptr);
    if (handle_ == nullptr) throw ServerFailure("db: libcurl cannot be started; is the machine out of memory?");
  }

  void Run(const std::string& sql) override { Send(url_, sql, nullptr); }

  void Ask(const std::string& sql, AnswerReader* reader) override {
    Send(url_ + "&default_format=TabSeparatedWithNamesAndTypes", sql, reader);
    reader->Close();
  }

  void Insert(const std::string& table, const RowBinary& rows) override {
    if (rows.empty()) return;
    // A body of one block: the server stores all of it or nothing.
    Send(url_ + "&max_insert_block_size=100000000&min_insert_block_size_rows=0&min_insert_block_size_bytes=0&query=" +
             PercentEncoded("INSERT INTO " + table + " FORMAT RowBinary"),
         rows.bytes(), nullptr);
  }

 private:
  void Send(const std::string& url, const std::string& body, AnswerReader* reader) {
    CURL* handle = handle_.get();
    Curl().easy_reset(handle);  // keeps the connection
    char error[CURL_ERROR_SIZE] = "";
    Receiver receiver{handle, reader, {}, {}};
    const std::unique_ptr<curl_slist, void (*)(curl_slist*)> headers(
        Curl().slist_append(nullptr, "Expect:"), [](curl_slist* list) { Curl().slist_free_all(list); });
    Curl().easy_setopt(handle, CURLOPT_URL, url.c_str());
    Curl().easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    Curl().easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
    Curl().easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, 1L);
    Curl().easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, 2L);
    Curl().easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
    // a machine that is gone ends a request that waits for its answer
    Curl().easy_setopt(handle, CURLOPT_TCP_KEEPALIVE, 1L);
    Curl().easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    Curl().easy_setopt(handle, CURLOPT_ERRORBUFFER, error);
    Curl().easy_setopt(handle, CURLOPT_USERAGENT, "softlbr");
    Curl().easy_setopt(handle, CURLOPT_HTTPHEADER, headers.get());
    Curl().easy_setopt(handle, CURLOPT_POST, 1L);
    Curl().easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
    Curl().easy_setopt(handle, CURLOPT_POSTFIELDS, body.data());
    Curl().easy_setopt(handle, CURLOPT_WRITEFUNCTION, Receive);
    Curl().easy_setopt(handle, CURLOPT_WRITEDATA, &receiver);
    const CURLcode result = Curl().easy_perform(handle);
    if (receiver.failure) std::rethrow_exception(receiver.failure);
    if (result != CURLE_OK) {
      throw ServerFailure("db: " + SafeText(name_) + ": " +
                          SafeText(error[0] != 0 ? error : Curl().easy_strerror(result)) +
                          "; is a ClickHouse server there?");
    }
    long status = 0;
    Curl().easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    if (status != kOkStatus) {
      throw ServerFailure("db: " + SafeText(name_) + ": status " + std::to_string(status) + ": " +
                          ServerError(receiver.error) + Remedy(receiver.error, reader != nullptr));
    }
  }

  const std::string name_;
  const std::string url_;
  std::unique_ptr<CURL, FreeHandle> handle_;
};

}  // namespace

std::unique_ptr<ServerClient> ConnectToServer(const ServerAddress& address, ServerMode mode) {
  return std::make_unique<CurlServerClient>(address, mode);
}

}  // namespace softlbr::toolchain
