#include "toolchain/collect/collect_server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "toolchain/base/failure.h"
#include "toolchain/base/text.h"
#include "toolchain/collect/collect_listener.h"
#include "toolchain/collect/collect_request.h"
#include "toolchain/collect/connection_slots.h"
#include "toolchain/collect/microhttpd_library.h"

namespace softlbr::toolchain {
namespace {

struct ConnectionState {
  ConnectionSlots::Handle slot;
};

// One request while its body arrives.
struct PendingRequest {
  std::vector<uint8_t> body;
  uint64_t buffered = 0;  // charged to the server's bound
  int refused = 0;        // 413 or 503: the rest of the body is dropped
};

class MicroServer : public CollectServer {
 public:
  MicroServer(const CollectServerOptions& options, SegmentStore* store, MergeFunction merge)
      : options_(options), store_(*store), merge_(std::move(merge)), slots_(LimitsOf(options)), listener_(options) {
    // Connections are accepted here, not by the library, which would refuse those beyond its limit. Its limit leaves
    // room for connections that have left their slot and that it still counts.
    daemon_ = Microhttpd().start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL | MHD_USE_ITC |
            MHD_USE_NO_LISTEN_SOCKET,
        0, nullptr, nullptr, OnRequest, this, MHD_OPTION_CONNECTION_LIMIT, 2 * kMaxCollectConnections,
        MHD_OPTION_CONNECTION_TIMEOUT, static_cast<unsigned>(options.timeout_s), MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        size_t{32} << 10, MHD_OPTION_NOTIFY_CONNECTION, OnConnection, this, MHD_OPTION_NOTIFY_COMPLETED, OnCompleted,
        this, MHD_OPTION_EXTERNAL_LOGGER, Log, nullptr, MHD_OPTION_END);
    if (daemon_ == nullptr)
      throw StatedFailure(std::string("collect: cannot start the server: ") + std::strerror(errno));
    accepting_ = std::thread([this] { Accept(); });
  }
  ~MicroServer() override {
    slots_.End();
    listener_.Stop();
    accepting_.join();
    Microhttpd().stop_daemon(daemon_);
  }

  uint16_t port() const override { return listener_.port(); }

 private:
  static SlotLimits LimitsOf(const CollectServerOptions& options) {
    SlotLimits limits;
    limits.slots = kMaxCollectConnections;
    limits.timeout = std::chrono::seconds(options.timeout_s);
    return limits;
  }

  // A thread of its own. A connection stays in the listen queue until it has a slot.
  void Accept() {
    while (listener_.WaitForConnection() && slots_.WaitForSlot()) {
      sockaddr_storage peer{};
      socklen_t bytes = sizeof peer;
      const int fd = listener_.Accept(&peer, &bytes);
      if (fd < 0) continue;
      // Before the library has it: it starts the connection later, on a thread of its own, and stops for good at its
      // own limit.
      const ConnectionSlots::Handle slot = slots_.Add(fd);
      if (Microhttpd().add_connection(daemon_, fd, reinterpret_cast<sockaddr*>(&peer), bytes) != MHD_YES)
        slots_.Remove(slot);
    }
  }

  // The library's own messages are about single connections, which others cause.
  static void Log(void*, const char*, va_list) {}

  static void OnConnection(void* self, MHD_Connection* connection, void** context,
                           MHD_ConnectionNotificationCode code) {
    auto* server = static_cast<MicroServer*>(self);
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
      const int fd = Microhttpd().get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
      *context = new ConnectionState{server->slots_.Find(fd)};
    } else {
      auto* state = static_cast<ConnectionState*>(*context);
      server->slots_.Remove(state->slot);
      delete state;
    }
  }

  static ConnectionSlots::Handle Slot(MHD_Connection* connection) {
    return static_cast<ConnectionState*>(
               Microhttpd().get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context)
        ->slot;
  }

  static void OnCompleted(void* self, MHD_Connection* connection, void** context, MHD_RequestTerminationCode) {
    auto* server = static_cast<MicroServer*>(self);
    auto* pending = static_cast<PendingRequest*>(*context);
    *context = nullptr;
    if (pending == nullptr) return;
    server->buffered_ -= pending->buffered;
    delete pending;
    server->slots_.Enter(Slot(connection), ConnectionSlots::Phase::kRequest);
  }

  static MHD_Result OnRequest(void* self, MHD_Connection* connection, const char* url, const char* method, const char*,
                              const char* data, size_t* bytes, void** context) {
    auto* server = static_cast<MicroServer*>(self);
    try {
      return server->Handle(connection, url, method, data, bytes, context);
    } catch (const std::exception& error) {  // out of memory, or a merge that failed
      return server->Send(connection, {500, SafeText(error.what()) + "\n", {}, {}});
    }
  }

  MHD_Result Handle(MHD_Connection* connection, const char* url, const char* method, const char* data, size_t* bytes,
                    void** context) {
    auto* pending = static_cast<PendingRequest*>(*context);
    if (pending == nullptr) {
      *context = pending = new PendingRequest;
      std::optional<CollectReply> early = ReplyBeforeBody(method, url);
      const char* length =
          Microhttpd().lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
      if (!early && length != nullptr && std::strtoull(length, nullptr, 10) > options_.max_body_bytes)
        early = TooLarge();
      return early ? Send(connection, *early) : MHD_YES;
    }
    if (*bytes != 0) {
      Take(pending, {reinterpret_cast<const uint8_t*>(data), *bytes});
      *bytes = 0;
      return MHD_YES;
    }
    slots_.Enter(Slot(connection), ConnectionSlots::Phase::kWork);
    if (pending->refused == 413) return Send(connection, TooLarge());
    if (pending->refused != 0) return Send(connection, {503, "too much is being received; try again\n", {}, {}});
    const auto header = [connection](const char* name) {
      const char* value = Microhttpd().lookup_connection_value(connection, MHD_HEADER_KIND, name);
      return std::string(value == nullptr ? "" : value);
    };
    const std::string condition = header(MHD_HTTP_HEADER_IF_NONE_MATCH);
    const std::string digests = header("Repr-Digest") + "," + header("Content-Digest");
    const std::string range = header(MHD_HTTP_HEADER_CONTENT_RANGE);
    const CollectReply reply = Reply({method, url, condition, digests, range, pending->body}, &store_);
    return reply.merge_build_id.empty() ? Send(connection, reply) : SendMerge(connection, reply.merge_build_id);
  }

  CollectReply TooLarge() const {
    return {413,
            "the body is larger than " + std::to_string(options_.max_body_bytes) + " bytes; send smaller segments\n",
            {},
            {}};
  }

  void Take(PendingRequest* pending, std::span<const uint8_t> more) {
    if (pending->refused != 0) return;
    if (pending->body.size() + more.size() > options_.max_body_bytes) {
      pending->refused = 413;
    } else if (buffered_.fetch_add(more.size()) + more.size() > kMaxBufferedBytes) {
      buffered_ -= more.size();
      pending->refused = 503;
    } else {
      pending->buffered += more.size();
      pending->body.insert(pending->body.end(), more.begin(), more.end());
      return;
    }
    pending->body = {};
    buffered_ -= pending->buffered;
    pending->buffered = 0;
  }

  MHD_Result SendMerge(MHD_Connection* connection, const std::string& build_id) {
    const std::unique_lock lock(merging_, std::try_to_lock);  // one at a time: a merge takes hundreds of MiB
    if (!lock.owns_lock()) return Send(connection, {503, "another merge is running; try again\n", {}, {}});
    const int fd = merge_(build_id);
    if (fd < 0) return Send(connection, {404, "no session of this build id\n", {}, {}});
    const off_t bytes = lseek(fd, 0, SEEK_END);
    MHD_Response* response = Microhttpd().create_response_from_fd64(static_cast<uint64_t>(bytes), fd);  // closes fd
    return Queue(connection, 200, response, "application/octet-stream");
  }

  MHD_Result Send(MHD_Connection* connection, const CollectReply& reply) {
    const bool has_content = !reply.content.empty();
    MHD_Response* response =
        has_content ? Microhttpd().create_response_from_buffer(
                          reply.content.size(), const_cast<uint8_t*>(reply.content.data()), MHD_RESPMEM_MUST_COPY)
        : reply.content_bytes ? Microhttpd().create_response_from_callback(
                                    *reply.content_bytes, 1024,
                                    [](void*, uint64_t, char*, size_t) -> ssize_t {
                                      return MHD_CONTENT_READER_END_WITH_ERROR;  // HEAD has no body
                                    },
                                    nullptr, nullptr)
                              : Microhttpd().create_response_from_buffer(
                                    reply.text.size(), const_cast<char*>(reply.text.data()), MHD_RESPMEM_MUST_COPY);
    if (response != nullptr && reply.status == 503) Microhttpd().add_response_header(response, "Retry-After", "1");
    if (response != nullptr && !reply.digest.empty())
      Microhttpd().add_response_header(response, "Repr-Digest", reply.digest.c_str());
    return Queue(connection, reply.status, response,
                 has_content ? "application/octet-stream" : "text/plain; charset=utf-8");
  }

  MHD_Result Queue(MHD_Connection* connection, int status, MHD_Response* response, const char* type) {
    if (response == nullptr) return MHD_NO;
    Microhttpd().add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    const MHD_Result result = Microhttpd().queue_response(connection, static_cast<unsigned>(status), response);
    Microhttpd().destroy_response(response);
    slots_.Enter(Slot(connection), ConnectionSlots::Phase::kAnswer);
    return result;
  }

  const CollectServerOptions options_;
  SegmentStore& store_;
  const MergeFunction merge_;
  ConnectionSlots slots_;
  CollectListener listener_;
  std::atomic<uint64_t> buffered_ = 0;
  std::mutex merging_;
  MHD_Daemon* daemon_ = nullptr;
  std::thread accepting_;
};

}  // namespace

std::unique_ptr<CollectServer> StartCollectServer(const CollectServerOptions& options, SegmentStore* store,
                                                  MergeFunction merge) {
  return std::make_unique<MicroServer>(options, store, std::move(merge));
}

}  // namespace softlbr::toolchain
