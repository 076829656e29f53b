// Contract: gdb_connection.h.
#include "tests/paths/gdb_connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace softlbr::paths {
namespace {

constexpr int kConnectAttempts = 6000;
constexpr long kConnectPauseNs = 10000000;
constexpr int kAnswerMilliseconds = 20000;

int ValueOf(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return -1;
}

bool SendAll(int socket, const std::string& text) {
  size_t sent = 0;
  while (sent < text.size()) {
    const ssize_t n = send(socket, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) return false;
    sent += static_cast<size_t>(n);
  }
  return true;
}

}  // namespace

std::vector<uint8_t> BytesOfHex(const std::string& hex) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    const int high = ValueOf(hex[i]);
    const int low = ValueOf(hex[i + 1]);
    if (high < 0 || low < 0) return {};
    bytes.push_back(static_cast<uint8_t>(high << 4 | low));
  }
  return bytes;
}

GdbConnection::~GdbConnection() {
  if (socket_ >= 0) close(socket_);
}

bool GdbConnection::Connect(const std::string& path, pid_t process) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  for (int attempt = 0; attempt < kConnectAttempts; ++attempt) {
    socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket_ < 0) return false;
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return true;
    close(socket_);
    socket_ = -1;
    siginfo_t end{};
    if (waitid(P_PID, static_cast<id_t>(process), &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_pid == process)
      return false;
    const timespec pause = {0, kConnectPauseNs};
    nanosleep(&pause, nullptr);
  }
  return false;
}

bool GdbConnection::ReceiveMore(int milliseconds) {
  pollfd waited = {socket_, POLLIN, 0};
  if (poll(&waited, 1, milliseconds) <= 0) return false;
  char bytes[8192];
  const ssize_t n = recv(socket_, bytes, sizeof bytes, 0);
  if (n <= 0) return false;
  received_.append(bytes, static_cast<size_t>(n));
  return true;
}

bool GdbConnection::Send(const std::string& packet) {
  uint8_t sum = 0;
  for (const char c : packet) sum = static_cast<uint8_t>(sum + static_cast<uint8_t>(c));
  char tail[4];
  std::snprintf(tail, sizeof tail, "#%02x", sum);
  return SendAll(socket_, "$" + packet + tail);
}

std::optional<std::string> GdbConnection::Receive(int milliseconds) {
  for (;;) {
    const size_t begin = received_.find('$');
    const size_t end = begin == std::string::npos ? begin : received_.find('#', begin);
    if (end != std::string::npos && received_.size() >= end + 3) {
      const std::string packet = received_.substr(begin + 1, end - begin - 1);
      received_.erase(0, end + 3);
      if (!SendAll(socket_, "+")) return std::nullopt;
      return packet;
    }
    if (!ReceiveMore(milliseconds)) return std::nullopt;
  }
}

std::optional<std::string> GdbConnection::Ask(const std::string& packet) {
  if (!Send(packet)) return std::nullopt;
  return Receive(kAnswerMilliseconds);
}

std::vector<uint8_t> GdbConnection::ReadRegister(uint32_t number) {
  char packet[16];
  std::snprintf(packet, sizeof packet, "p%x", number);
  const std::optional<std::string> answer = Ask(packet);
  return answer ? BytesOfHex(*answer) : std::vector<uint8_t>();
}

std::optional<uint64_t> GdbConnection::ReadRegisterValue(uint32_t number) {
  const std::vector<uint8_t> bytes = ReadRegister(number);
  if (bytes.empty() || bytes.size() > 8) return std::nullopt;
  uint64_t value = 0;
  std::memcpy(&value, bytes.data(), bytes.size());
  return value;
}

std::string GdbConnection::ReadFeatures(const std::string& name) {
  std::string text;
  for (;;) {
    char range[32];
    std::snprintf(range, sizeof range, ":%zx,ff0", text.size());
    const std::optional<std::string> part = Ask("qXfer:features:read:" + name + range);
    if (!part || part->empty() || (part->front() != 'm' && part->front() != 'l')) return text;
    text += part->substr(1);
    if (part->front() == 'l') return text;
  }
}

}  // namespace softlbr::paths
