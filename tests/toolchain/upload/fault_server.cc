#include "tests/toolchain/upload/fault_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <utility>

#include "toolchain/upload/content_digest.h"

namespace softlbr::testing {
namespace {

// Reads one request; nothing at the end of the connection.
std::optional<HttpRequest> ReadRequest(int fd, std::string* buffer) {
  const auto more = [&] {
    char bytes[65536];
    const ssize_t got = recv(fd, bytes, sizeof bytes, 0);
    if (got > 0) buffer->append(bytes, static_cast<size_t>(got));
    return got > 0;
  };
  size_t end;
  while ((end = buffer->find("\r\n\r\n")) == std::string::npos) {
    if (!more()) return {};
  }
  HttpRequest request;
  const std::string head = buffer->substr(0, end + 2);
  buffer->erase(0, end + 4);
  const size_t first = head.find(' ');
  const size_t second = head.find(' ', first + 1);
  request.method = head.substr(0, first);
  request.path = head.substr(first + 1, second - first - 1);
  for (size_t at = head.find("\r\n") + 2; at < head.size();) {
    const size_t line_end = head.find("\r\n", at);
    const size_t colon = head.find(": ", at);
    if (colon != std::string::npos && colon < line_end) {
      std::string name = head.substr(at, colon - at);
      std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
      request.headers[name] = head.substr(colon + 2, line_end - colon - 2);
    }
    at = line_end + 2;
  }
  const size_t bytes = std::strtoull(request.headers["content-length"].c_str(), nullptr, 10);
  while (buffer->size() < bytes) {
    if (!more()) return {};
  }
  request.body = buffer->substr(0, bytes);
  buffer->erase(0, bytes);
  return request;
}

}  // namespace

FaultServer::FaultServer(Fault fault, Proof proof) : fault_(std::move(fault)), proof_(proof) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes = sizeof address;
  if (bind(listener_, reinterpret_cast<sockaddr*>(&address), bytes) != 0 || listen(listener_, 64) != 0 ||
      getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &bytes) != 0) {
    std::abort();
  }
  port_ = ntohs(address.sin_port);
  accepting_ = std::thread([this] {
    for (;;) {
      const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      const std::lock_guard lock(mutex_);
      if (is_ending_ || fd < 0) {
        if (fd >= 0) close(fd);
        return;
      }
      open_.push_back(fd);
      threads_.emplace_back([this, fd] { Serve(fd); });
    }
  });
}

FaultServer::~FaultServer() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    shutdown(listener_, SHUT_RDWR);
    for (const int fd : open_) shutdown(fd, SHUT_RDWR);
  }
  accepting_.join();
  for (std::thread& thread : threads_) thread.join();
  close(listener_);
}

void FaultServer::Serve(int fd) {
  std::string buffer;
  for (;;) {
    const std::optional<HttpRequest> request = ReadRequest(fd, &buffer);
    if (!request) break;
    const HttpReply reply = Answer(*request);
    const std::string text = !reply.raw.empty()
                                 ? reply.raw
                                 : "HTTP/1.1 " + std::to_string(reply.status) + " x\r\n" + reply.headers +
                                       (reply.headers.find("Content-Length") == std::string::npos
                                            ? "Content-Length: " + std::to_string(reply.body.size()) + "\r\n"
                                            : "") +
                                       "\r\n" + reply.body;
    if (reply.raw.empty() && reply.status == 0) break;
    const auto sends = [fd](const std::string& bytes) {
      return send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
    };
    if (!sends(text)) break;
    while (!reply.tail.empty() && sends(reply.tail)) {
      tail_bytes_ += reply.tail.size();
      usleep(static_cast<useconds_t>(reply.tail_pause_ms) * 1000);
    }
    if (!reply.raw.empty()) break;
  }
  const std::lock_guard lock(mutex_);
  std::erase(open_, fd);
  close(fd);
}

HttpReply FaultServer::Answer(const HttpRequest& request) {
  const std::lock_guard lock(mutex_);
  HttpRequest numbered = request;
  numbered.number = requests_++;
  const HttpReply fault = fault_ ? fault_(numbered) : NoFault();
  numbered.body.clear();
  log_.push_back(numbered);
  if (fault.status != -1) {
    if (fault.keeps_body) Store(request);
    return fault;
  }
  const std::string path = request.path.substr(std::min<size_t>(6, request.path.size()));
  const auto found = stored_.find(path);
  const bool is_there = found != stored_.end();
  if (request.method == "HEAD") {
    if (!is_there) return {404, {}, {}, false};
    return {200, "Content-Length: " + std::to_string(found->second.size()) + "\r\n" + DigestOf(path), {}, false};
  }
  if (request.method == "GET" && proof_ != Proof::kNone) {
    if (!is_there) return {404, {}, {}, false};
    HttpReply reply{200, DigestOf(path), {}, false};
    reply.body = found->second;
    return reply;
  }
  if (request.method == "MKCOL") return {201, {}, {}, false};
  if (request.method != "PUT") return {405, {}, {}, false};
  if (is_there && request.headers.contains("if-none-match")) return {412, DigestOf(path), {}, false};
  Store(request);
  return {201, DigestOf(path), {}, false};
}

std::string FaultServer::DigestOf(const std::string& path) const {
  const auto found = stored_.find(path);
  if (proof_ != Proof::kDigest || found == stored_.end()) return {};
  const std::string& body = found->second;
  return "Repr-Digest: " + toolchain::ContentDigest({reinterpret_cast<const uint8_t*>(body.data()), body.size()}) +
         "\r\n";
}

void FaultServer::Plant(const std::string& path, const std::string& body) {
  const std::lock_guard lock(mutex_);
  stored_[path] = body;
}

void FaultServer::Store(const HttpRequest& request) {
  if (!request.path.starts_with("/base/")) return;
  stored_[request.path.substr(6)] = request.body;
  ++stores_;
}

std::map<std::string, std::string> FaultServer::stored() const {
  const std::lock_guard lock(mutex_);
  return stored_;
}
uint64_t FaultServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}
uint64_t FaultServer::stores() const {
  const std::lock_guard lock(mutex_);
  return stores_;
}
std::vector<HttpRequest> FaultServer::log() const {
  const std::lock_guard lock(mutex_);
  return log_;
}

}  // namespace softlbr::testing
