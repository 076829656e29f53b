// A small HTTP server on a loopback socket that stores what is PUT to it, and fails as a test tells it to.
//
// It follows docs/uploads.md without the checks of `softlbr collect`. One thread for each connection; port chosen by
// the kernel.
#ifndef SOFTLBR_TESTS_TOOLCHAIN_UPLOAD_FAULT_SERVER_H_
#define SOFTLBR_TESTS_TOOLCHAIN_UPLOAD_FAULT_SERVER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace softlbr::testing {

struct HttpRequest {
  std::string method;
  std::string path;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  uint64_t number = 0;  // of the request, from 0
};

struct HttpReply {
  int status = 0;           // 0: the connection is closed without an answer
  std::string headers;      // whole lines
  std::string raw;          // sent in place of an answer if not empty
  bool keeps_body = false;  // stores the body of a PUT although the answer tells otherwise
  std::string tail{};       // sent after `raw` again and again, until the client has gone
  int tail_pause_ms = 0;    // between two of them
  std::string body{};       // of an answer that is not raw
};

class FaultServer {
 public:
  // How it shows what it has.
  enum class Proof { kDigest, kContent, kNone };
  // Consulted for each request first; an answer with status -1 leaves it to the store.
  using Fault = std::function<HttpReply(const HttpRequest&)>;
  static HttpReply NoFault() { return {-1, {}, {}, false}; }

  explicit FaultServer(Fault fault = {}, Proof proof = Proof::kDigest);
  FaultServer(const FaultServer&) = delete;
  FaultServer& operator=(const FaultServer&) = delete;
  ~FaultServer();

  // As if somebody had PUT it.
  void Plant(const std::string& path, const std::string& body);

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/base"; }
  // Bodies by path below "/base/".
  std::map<std::string, std::string> stored() const;
  uint64_t requests() const;
  uint64_t stores() const;  // PUTs that stored
  uint64_t tail_bytes() const { return tail_bytes_; }
  std::vector<HttpRequest> log() const;  // without bodies

 private:
  void Serve(int fd);
  HttpReply Answer(const HttpRequest& request);
  void Store(const HttpRequest& request);

  std::string DigestOf(const std::string& path) const;

  Fault fault_;
  const Proof proof_;
  int listener_ = -1;
  uint16_t port_ = 0;
  mutable std::mutex mutex_;
  bool is_ending_ = false;
  uint64_t requests_ = 0;
  uint64_t stores_ = 0;
  std::atomic<uint64_t> tail_bytes_{0};
  std::vector<HttpRequest> log_;
  std::map<std::string, std::string> stored_;
  std::list<std::thread> threads_;
  std::vector<int> open_;
  std::thread accepting_;
};

}  // namespace softlbr::testing

#endif  // SOFTLBR_TESTS_TOOLCHAIN_UPLOAD_FAULT_SERVER_H_
