// The transport of libcurl: one connection at a time, kept open between requests.
//
// TLS: the server's certificate is always verified. Redirections are not followed. The proxies of the environment are
// used.
#ifndef SOFTLBR_TOOLCHAIN_UPLOAD_HTTP_CLIENT_H_
#define SOFTLBR_TOOLCHAIN_UPLOAD_HTTP_CLIENT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "toolchain/upload/send_file.h"

namespace softlbr::toolchain {

struct HttpOptions {
  std::string base_url;
  std::string ca_file;               // empty: the system's
  std::vector<std::string> headers;  // "Name: value", added to each request
  uint64_t rate_bytes = 0;           // a second, while a body is sent; 0: no limit
  // to connect, without progress, and from the end of the request to that of the answer
  uint64_t timeout_s = 60;
  // Asked before and during requests if not empty; true: the transport throws UploadCancelled.
  std::function<bool()> is_cancelled;
};

// StatedFailure if the address is not http or https with a host and a path at most, or a file is missing. Where libcurl
// was missing when the command was built: always, naming the package.
std::unique_ptr<Transport> MakeHttpTransport(const HttpOptions& options);

// True for "Name: value" without a control character.
bool IsHeaderLine(std::string_view line);
// The lines "Name: value" of a file, for tokens, which must not be in the arguments. Empty lines and lines that begin
// with # are skipped. StatedFailure, which does not quote the file, for anything else.
std::vector<std::string> ReadHeaderFile(const std::string& path);

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_UPLOAD_HTTP_CLIENT_H_
