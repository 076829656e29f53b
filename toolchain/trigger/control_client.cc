#include "toolchain/trigger/control_client.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <tuple>

#include "platform/base/status.h"
#include "toolchain/base/failure.h"
#include "toolchain/base/names.h"
#include "toolchain/base/text.h"

namespace softlbr::toolchain {
namespace {

constexpr char kSocketPrefix[] = "softlbr.";
constexpr char kSocketSuffix[] = ".sock";

// By number, from 1.
constexpr const char* kRefusalTexts[] = {
#define SOFTLBR_CONTROL_REFUSAL(name, counter, number, meaning, remedy) meaning "; " remedy,
#include "runtime/trigger/control_refusals.def"
};

constexpr const char* kRefusalMeanings[] = {
#define SOFTLBR_CONTROL_REFUSAL(name, counter, number, meaning, remedy) meaning,
#include "runtime/trigger/control_refusals.def"
};

std::optional<ControlSocket> SocketOfName(const std::string& folder, const std::string& name) {
  const size_t prefix = sizeof kSocketPrefix - 1;
  const size_t suffix = sizeof kSocketSuffix - 1;
  if (name.size() <= prefix + suffix || !name.starts_with(kSocketPrefix) || !name.ends_with(kSocketSuffix))
    return std::nullopt;
  const std::string middle = name.substr(prefix, name.size() - prefix - suffix);
  const size_t dot = middle.rfind('.');
  if (dot == std::string::npos || dot == 0) return std::nullopt;
  ControlSocket socket{folder + "/" + name, middle.substr(0, dot), 0};
  const char* end = middle.data() + middle.size();
  const auto [stopped, error] = std::from_chars(middle.data() + dot + 1, end, socket.pid);
  if (error != std::errc() || stopped != end || socket.pid <= 0) return std::nullopt;
  return socket;
}

// Connects by the folder's descriptor, as a path may be longer than a socket's address. 0, or errno.
int Connect(int fd, const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const int folder_fd = open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder_fd < 0) return errno;
  const std::string shown = "/proc/self/fd/" + std::to_string(folder_fd) + "/" + path.substr(slash + 1);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  int error = ENAMETOOLONG;
  if (shown.size() < sizeof address.sun_path) {
    std::copy(shown.begin(), shown.end(), address.sun_path);
    error = connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
  }
  close(folder_fd);
  return error;
}

std::string ConnectText(int error) {
  switch (error) {
    case ENOENT: return "there is no such socket; `softlbr list` shows what can be triggered";
    case ECONNREFUSED: return "nobody listens there; the program has ended, and left its socket behind";
    case EACCES: return "it belongs to another user; run as that user";
    case EPROTOTYPE:
    case ENOTSOCK: return "it is no socket of a program that can be triggered; `softlbr list` shows those";
    case EAGAIN: return "the program does not answer; it may be stopped";
    default:
      return std::string("no connection: ") + std::strerror(error) + "; `softlbr list` shows what can be triggered";
  }
}

}  // namespace

std::string DefaultControlFolder() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && runtime[0] == '/') return std::string(runtime) + "/softlbr";
  return "/tmp/softlbr-" + std::to_string(geteuid());
}

std::vector<ControlSocket> FindControlSockets(const std::string& folder) {
  std::vector<ControlSocket> sockets;
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  if (error == std::errc::no_such_file_or_directory) return sockets;
  for (; !error && entries != std::filesystem::directory_iterator(); entries.increment(error)) {
    std::optional<ControlSocket> socket = SocketOfName(folder, entries->path().filename().string());
    std::error_code ignored;
    if (socket.has_value() && std::filesystem::is_socket(entries->symlink_status(ignored)))
      sockets.push_back(std::move(*socket));
  }
  if (error)
    throw StatedFailure(SafeText(folder) + ": cannot be read: " + error.message() +
                        "; name another folder with --folder");
  std::sort(sockets.begin(), sockets.end(), [](const ControlSocket& a, const ControlSocket& b) {
    return std::tie(a.program, a.pid) < std::tie(b.program, b.pid);
  });
  return sockets;
}

ControlClient::ControlClient(const std::string& path)
    : fd_(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  const int error = fd_ < 0 ? errno : Connect(fd_, path);
  std::string cause = error != 0 ? ConnectText(error) : "";
  ucred peer{};
  socklen_t size = sizeof peer;
  if (cause.empty() && getsockopt(fd_, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) cause = ConnectText(errno);
  // We would pass our profile's descriptor to this process, and trust what it sends.
  if (cause.empty() && geteuid() != 0 && peer.uid != geteuid() && peer.uid != 0) cause = ConnectText(EACCES);
  if (cause.empty()) return;
  if (fd_ >= 0) close(fd_);
  throw StatedFailure(SafeText(path) + ": " + cause);
}

ControlClient::~ControlClient() { close(fd_); }

bool ControlClient::Send(MessageKind kind, const void* body, uint32_t body_bytes, int passed) {
  MessageHead head = MakeHead(kind, body_bytes);
  iovec parts[2] = {{&head, sizeof head}, {const_cast<void*>(body), body_bytes}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof passed)] = {};
  if (passed >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof passed);
    std::memcpy(CMSG_DATA(rights), &passed, sizeof passed);
  }
  return sendmsg(fd_, &message, MSG_NOSIGNAL) >= 0;
}

ControlClient::Event ControlClient::Receive(int timeout_ms) {
  for (;;) {
    packet_.resize(sizeof(MessageHead) + kMostChunkBytes);
    const ssize_t got = recv(fd_, packet_.data(), packet_.size(), 0);
    if (got > 0) {
      packet_.resize(static_cast<size_t>(got));
      kind_ = static_cast<MessageKind>(ParseReply(packet_.data(), packet_.size()));
      if (kind_ != MessageKind{}) return Event::kMessage;
      continue;
    }
    if (got == 0) return Event::kClosed;
    // The program closed without having read what we sent. Its last messages can be read after this error.
    if (errno == ECONNRESET || errno == EINTR) continue;
    if (errno != EAGAIN) return Event::kClosed;
    pollfd waits{fd_, POLLIN, 0};
    const int ready = poll(&waits, 1, timeout_ms);
    if (ready == 0) return Event::kTimeout;
  }
}

bool IsSocketAlive(const std::string& path) {
  const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int error = fd < 0 ? errno : Connect(fd, path);
  if (fd >= 0) close(fd);
  return error != ECONNREFUSED && error != ENOENT;
}

std::string RefusalMeaning(uint32_t code) {
  return code >= 1 && code <= std::size(kRefusalMeanings) ? kRefusalMeanings[code - 1] : "code " + std::to_string(code);
}

std::string RefusalText(const RefusedReply& reply) {
  switch (static_cast<Refusal>(reply.code)) {
    case Refusal::kNotStarted:
      if (reply.status == static_cast<uint32_t>(Status::kNoDecoder))
        return "the program has registered no decoder (softlbr_register_decoder)";
      return "the session could not be started: " + StatusText(reply.status);
    case Refusal::kTooLong:
      return "the program permits no session longer than " + Duration(reply.limit * 1000000) + "; ask for less with -d";
    case Refusal::kTooDense:
      return "the program permits no period below " + GroupedCount(reply.limit) + "; ask for a longer one with -c";
    case Refusal::kTooFrequent:
      return "the program permits at most " + GroupedCount(reply.limit) + " samples a second; ask for fewer with -F";
    case Refusal::kTooCostly: {
      char percent[32];
      std::snprintf(percent, sizeof percent, "%g%%", static_cast<double>(reply.limit) / 10000);
      return std::string("the program permits an overhead of at most ") + percent +
             "; ask for less with --max-overhead";
    }
    default: break;
  }
  if (reply.code >= 1 && reply.code <= std::size(kRefusalTexts)) return kRefusalTexts[reply.code - 1];
  return "the request was refused, with code " + std::to_string(reply.code) + "; use a softlbr of the same version";
}

}  // namespace softlbr::toolchain
