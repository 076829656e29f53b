#include "toolchain/upload/http_client.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <new>

#include "toolchain/base/failure.h"
#include "toolchain/base/text.h"
#include "toolchain/upload/content_digest.h"
#include "toolchain/upload/curl_library.h"

namespace softlbr::toolchain {
namespace {

using Steady = std::chrono::steady_clock;

constexpr size_t kMaxReasonBytes = 160;  // of an answer's body, for messages
// of an answer's body; what is longer is no answer of ours, and mobile data costs money
constexpr size_t kMaxAnswerBytes = 65536;

struct FreeUrl {
  void operator()(CURLU* url) const { Curl().url_cleanup(url); }
};
struct FreeHandle {
  void operator()(CURL* handle) const { Curl().easy_cleanup(handle); }
};
struct FreeList {
  void operator()(curl_slist* list) const { Curl().slist_free_all(list); }
};

using HeaderList = std::unique_ptr<curl_slist, FreeList>;

void AppendHeader(HeaderList* list, const std::string& line) {
  curl_slist* longer = Curl().slist_append(list->get(), line.c_str());
  if (longer == nullptr) throw std::bad_alloc();
  (void)list->release();  // is part of `longer`
  list->reset(longer);
}

std::string UrlPart(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  if (Curl().url_get(url, part, &text, 0) != CURLUE_OK) return {};
  std::string copy = text;
  Curl().free(text);
  return copy;
}

// The address without a slash at its end.
std::string CheckedBase(const std::string& base) {
  const std::unique_ptr<CURLU, FreeUrl> url(Curl().url());
  const std::string remedy = "; name it as in https://server/path";
  if (!base.starts_with("http://") && !base.starts_with("https://")) {
    throw StatedFailure("upload: the address is neither http:// nor https://" + remedy);
  }
  if (url == nullptr || Curl().url_set(url.get(), CURLUPART_URL, base.c_str(), 0) != CURLUE_OK) {
    throw StatedFailure("upload: the address is not valid" + remedy);
  }
  // A password in the arguments can be seen by every user of the machine.
  if (!UrlPart(url.get(), CURLUPART_USER).empty() || !UrlPart(url.get(), CURLUPART_PASSWORD).empty()) {
    throw StatedFailure("upload: the address holds credentials; put them into a file for --header-file");
  }
  if (base.find_first_of("?#") != std::string::npos) {
    throw StatedFailure("upload: the address has a query or a fragment" + remedy);
  }
  std::string checked = base;
  while (checked.ends_with('/')) checked.pop_back();
  return checked;
}

// The body of a request while libcurl reads it.
struct SentBody {
  std::span<const uint8_t> bytes;
  size_t done = 0;
};

size_t ReadBody(char* buffer, size_t size, size_t count, void* context) {
  auto* body = static_cast<SentBody*>(context);
  const size_t bytes = std::min(size * count, body->bytes.size() - body->done);
  if (bytes != 0) std::memcpy(buffer, body->bytes.data() + body->done, bytes);
  body->done += bytes;
  return bytes;
}

int SeekBody(void* context, curl_off_t offset, int origin) {
  auto* body = static_cast<SentBody*>(context);
  if (origin != SEEK_SET || offset < 0 || static_cast<size_t>(offset) > body->bytes.size()) return CURL_SEEKFUNC_FAIL;
  body->done = static_cast<size_t>(offset);
  return CURL_SEEKFUNC_OK;
}

// The body of an answer while libcurl receives it.
struct ReceivedBody {
  std::string text;  // its beginning
  size_t bytes = 0;
  std::span<const uint8_t> expected;
  bool is_as_expected = true;  // so far
  size_t most() const { return std::max(kMaxAnswerBytes, expected.size()); }
};

// The rest of a short body is read and dropped, so that the connection can be used again. A long one ends the request.
size_t ReceiveBody(char* data, size_t size, size_t count, void* context) {
  auto* body = static_cast<ReceivedBody*>(context);
  const size_t bytes = size * count;
  const auto rest = body->expected.subspan(std::min(body->bytes, body->expected.size()));
  if (bytes > rest.size() || !std::equal(data, data + bytes, reinterpret_cast<const char*>(rest.data())))
    body->is_as_expected = false;
  body->bytes += bytes;
  if (body->bytes > body->most()) return 0;
  if (body->text.size() < kMaxReasonBytes)
    body->text.append(data, std::min(bytes, kMaxReasonBytes - body->text.size()));
  return bytes;
}

// Appends the values of Repr-Digest. Headers of an answer before the last one (1xx, a proxy's to CONNECT) do not count.
size_t ReceiveHeader(char* data, size_t size, size_t count, void* context) {
  constexpr std::string_view kField = "repr-digest:";
  auto* digest = static_cast<std::string*>(context);
  const std::string_view line(data, size * count);
  if (line.starts_with("HTTP/")) digest->clear();
  const auto is_same_letter = [](char name, char given) {
    return name == std::tolower(static_cast<unsigned char>(given));
  };
  if (line.size() < kField.size() || !std::equal(kField.begin(), kField.end(), line.begin(), is_same_letter))
    return line.size();
  std::string_view value = line.substr(kField.size());
  while (value.ends_with('\n') || value.ends_with('\r')) value.remove_suffix(1);
  if (!digest->empty()) digest->push_back(',');
  if (digest->size() + value.size() <= kMaxAnswerBytes) digest->append(value);
  return line.size();
}

// Ends a request that was cancelled, or whose answer is not complete within the limit once the whole request was sent.
// libcurl's own limit is one of speed: a server that sends a byte now and then would hold the run for ever.
class RequestWatch {
 public:
  // answer_bytes: those that may take their time; at kSlowestBytes a second they do not count towards the limit.
  RequestWatch(const HttpOptions& options, size_t request_bytes, size_t answer_bytes)
      : options_(options), request_bytes_(request_bytes), limit_s_(options.timeout_s + answer_bytes / kSlowestBytes) {}

  // libcurl calls it several times a second. Another result than 0 ends the request.
  static int Watch(void* context, curl_off_t, curl_off_t, curl_off_t, curl_off_t sent_bytes) {
    return static_cast<RequestWatch*>(context)->IsOver(static_cast<size_t>(sent_bytes)) ? 1 : 0;
  }
  bool is_late() const { return is_late_; }

 private:
  static constexpr size_t kSlowestBytes = 1024;

  bool IsOver(size_t sent_bytes) {
    if (options_.is_cancelled && options_.is_cancelled()) return true;
    if (sent_bytes < request_bytes_) return false;
    const auto now = Steady::now();
    if (sent_at_ == Steady::time_point{}) sent_at_ = now;
    is_late_ = now - sent_at_ > std::chrono::seconds(limit_s_);
    return is_late_;
  }

  const HttpOptions& options_;
  const size_t request_bytes_;
  const uint64_t limit_s_;
  Steady::time_point sent_at_{};
  bool is_late_ = false;
};

// The remedy for a refused certificate; empty: the failure is another one, which may be temporary.
std::string CertificateRemedy(CURL* handle, CURLcode result) {
  // OpenSSL's results of verification, X509_V_ERR_*; other TLS libraries have others, for which the last remedy is
  // given.
  constexpr long kOk = 0;
  constexpr long kUnspecified = 1;
  constexpr long kNotYetValid = 9;
  constexpr long kExpired = 10;
  if (result == CURLE_SSL_CACERT_BADFILE) return "name a file of certificates in PEM form with --cacert";
  if (result != CURLE_PEER_FAILED_VERIFICATION) return {};
  long verified = -1;
  Curl().easy_getinfo(handle, CURLINFO_SSL_VERIFYRESULT, &verified);
  // libcurl compares names itself, before it asks OpenSSL for a result, and then leaves kUnspecified.
  if (verified == kOk || verified == kUnspecified) return "write the address by the name that its certificate has";
  if (verified == kNotYetValid || verified == kExpired)
    return "renew the server's certificate, or set this machine's clock";
  return "name the server's certificate authority with --cacert";
}

// True if the answer calls its body a page for people.
bool IsPage(CURL* handle) {
  const char* type = nullptr;
  return Curl().easy_getinfo(handle, CURLINFO_CONTENT_TYPE, &type) == CURLE_OK && type != nullptr &&
         std::string_view(type).starts_with("text/html");
}

class CurlTransport : public Transport {
 public:
  explicit CurlTransport(const HttpOptions& options) : base_(CheckedBase(options.base_url)), options_(options) {
    if (!options.ca_file.empty() && access(options.ca_file.c_str(), R_OK) != 0) {
      throw StatedFailure(SafeText(options.ca_file) + ": cannot be read: " + std::strerror(errno));
    }
    static const CURLcode is_ready = Curl().global_init(CURL_GLOBAL_DEFAULT);
    handle_.reset(is_ready == CURLE_OK ? Curl().easy_init() : nullptr);
    if (handle_ == nullptr) throw StatedFailure("upload: libcurl cannot be started; is the machine out of memory?");
    for (const std::string& header : options.headers) {
      AppendHeader(&headers_, header);
      AppendHeader(&put_headers_, header);
    }
    for (const std::string& header : options.headers) AppendHeader(&get_headers_, header);
    AppendHeader(&get_headers_, "Cache-Control: no-cache");  // what a cache has is no proof
    // libcurl would wait a second for a 100 that many servers do not send
    AppendHeader(&put_headers_, "Expect:");
    AppendHeader(&put_headers_, "If-None-Match: *");
    AppendHeader(&put_headers_, "Content-Type: application/octet-stream");
  }

  Answer Send(Method method, const std::string& path, std::span<const uint8_t> bytes) override {
    if (options_.is_cancelled && options_.is_cancelled()) throw UploadCancelled();
    CURL* handle = handle_.get();
    Curl().easy_reset(handle);  // keeps the connection
    Answer answer;
    const bool is_read = method == Method::kGet;
    const std::span<const uint8_t> body = is_read ? std::span<const uint8_t>() : bytes;
    SentBody sent{body};
    ReceivedBody received;
    if (is_read) received.expected = bytes;
    RequestWatch watch(options_, body.size(), received.expected.size());
    HeaderList digest_headers;
    char error[CURL_ERROR_SIZE] = "";
    const std::string url = base_ + "/" + path;
    Curl().easy_setopt(handle, CURLOPT_URL, url.c_str());
    Curl().easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    Curl().easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
    Curl().easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, 1L);
    Curl().easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, 2L);
    if (!options_.ca_file.empty()) Curl().easy_setopt(handle, CURLOPT_CAINFO, options_.ca_file.c_str());
    Curl().easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, static_cast<long>(options_.timeout_s));
    Curl().easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
    Curl().easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, static_cast<long>(options_.timeout_s));
    Curl().easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);  // in an app: no SIGALRM, and its action for SIGPIPE stays
    Curl().easy_setopt(handle, CURLOPT_ERRORBUFFER, error);
    Curl().easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
    Curl().easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, RequestWatch::Watch);
    Curl().easy_setopt(handle, CURLOPT_XFERINFODATA, &watch);
    Curl().easy_setopt(handle, CURLOPT_USERAGENT, "softlbr");
    Curl().easy_setopt(handle, CURLOPT_WRITEFUNCTION, ReceiveBody);
    Curl().easy_setopt(handle, CURLOPT_WRITEDATA, &received);
    Curl().easy_setopt(handle, CURLOPT_HEADERFUNCTION, ReceiveHeader);
    Curl().easy_setopt(handle, CURLOPT_HEADERDATA, &answer.digest);
    Curl().easy_setopt(handle, CURLOPT_HTTPHEADER, is_read ? get_headers_.get() : headers_.get());
    switch (method) {
      case Method::kPut:
        for (const curl_slist* line = put_headers_.get(); line != nullptr; line = line->next)
          AppendHeader(&digest_headers, line->data);
        AppendHeader(&digest_headers, "Repr-Digest: " + ContentDigest(body));
        Curl().easy_setopt(handle, CURLOPT_HTTPHEADER, digest_headers.get());
        Curl().easy_setopt(handle, CURLOPT_UPLOAD, 1L);
        Curl().easy_setopt(handle, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(body.size()));
        Curl().easy_setopt(handle, CURLOPT_READFUNCTION, ReadBody);
        Curl().easy_setopt(handle, CURLOPT_READDATA, &sent);
        Curl().easy_setopt(handle, CURLOPT_SEEKFUNCTION, SeekBody);
        Curl().easy_setopt(handle, CURLOPT_SEEKDATA, &sent);
        Curl().easy_setopt(handle, CURLOPT_MAX_SEND_SPEED_LARGE, static_cast<curl_off_t>(options_.rate_bytes));
        break;
      case Method::kHead: Curl().easy_setopt(handle, CURLOPT_NOBODY, 1L); break;
      case Method::kGet: Curl().easy_setopt(handle, CURLOPT_HTTPGET, 1L); break;
      case Method::kMakeCollection: Curl().easy_setopt(handle, CURLOPT_CUSTOMREQUEST, "MKCOL"); break;
    }
    const CURLcode result = Curl().easy_perform(handle);
    if (result == CURLE_ABORTED_BY_CALLBACK && !watch.is_late()) throw UploadCancelled();
    long status = 0;
    Curl().easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    // An answer without its end says what its status says; to a GET, only if what has come is enough to say so.
    const bool is_late = watch.is_late() && (!is_read || !received.is_as_expected);
    const bool is_cut_off = (is_late || received.bytes > received.most()) && status >= 200;
    if (result != CURLE_OK && !is_cut_off) {
      answer.failure = watch.is_late() ? "no answer within " + std::to_string(options_.timeout_s) + " s"
                       : error[0] != 0 ? error
                                       : Curl().easy_strerror(result);
      answer.remedy = CertificateRemedy(handle, result);
      answer.is_permanent = !answer.remedy.empty();
      return answer;
    }
    answer.status = static_cast<int>(status);
    if (status == 0) answer.failure = "the answer is not HTTP";
    answer.text = received.text.substr(0, received.text.find_first_of("\r\n"));
    if (answer.text.starts_with('<')) answer.text.clear();  // a page for people
    answer.is_page = IsPage(handle);
    answer.is_same_content = is_read && result == CURLE_OK && received.is_as_expected && received.bytes == bytes.size();
    curl_off_t number = 0;
    if (Curl().easy_getinfo(handle, CURLINFO_RETRY_AFTER, &number) == CURLE_OK && number > 0) {
      answer.retry_after_s = static_cast<uint64_t>(number);
    }
    if (Curl().easy_getinfo(handle, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &number) == CURLE_OK && number >= 0) {
      answer.content_length = static_cast<uint64_t>(number);
    }
    return answer;
  }

 private:
  const std::string base_;
  const HttpOptions options_;
  HeaderList headers_;
  HeaderList get_headers_;
  HeaderList put_headers_;
  std::unique_ptr<CURL, FreeHandle> handle_;
};

}  // namespace

std::unique_ptr<Transport> MakeHttpTransport(const HttpOptions& options) {
  return std::make_unique<CurlTransport>(options);
}

}  // namespace softlbr::toolchain
