// For tests of sessions on request: a running triggerable_program, and a connection to it that speaks the control
// protocol.
#ifndef SOFTLBR_TESTS_RUNTIME_TRIGGER_TRIGGERED_PROCESS_H_
#define SOFTLBR_TESTS_RUNTIME_TRIGGER_TRIGGERED_PROCESS_H_

#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/trigger/control_message.h"

namespace softlbr::testing {

inline constexpr int kPatienceMs = 60000;  // of a busy machine; nothing waits as long

// A new folder that only its owner may enter, removed with what is in it.
class PrivateFolder {
 public:
  PrivateFolder() {
    char name[] = "/tmp/softlbr-control-XXXXXX";
    EXPECT_NE(mkdtemp(name), nullptr);
    path_ = name;
  }
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  ~PrivateFolder() {
    for (const std::string& name : Names()) unlink((path_ + "/" + name).c_str());
    rmdir(path_.c_str());
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    DIR* folder = opendir(path_.c_str());
    while (const dirent* entry = folder != nullptr ? readdir(folder) : nullptr) {
      if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
    }
    if (folder != nullptr) closedir(folder);
    return names;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline size_t CountEntries(const std::string& path) {
  size_t count = 0;
  DIR* folder = opendir(path.c_str());
  while (folder != nullptr && readdir(folder) != nullptr) ++count;
  if (folder != nullptr) closedir(folder);
  return count;
}

inline sockaddr_un AddressOf(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  return address;
}

// Tasks and descriptors of a process, as it is between sessions.
struct Footprint {
  size_t tasks;
  size_t descriptors;
  explicit Footprint(pid_t pid)
      : tasks(CountEntries("/proc/" + std::to_string(pid) + "/task")),
        descriptors(CountEntries("/proc/" + std::to_string(pid) + "/fd")) {}
};

class TriggeredProcess {
 public:
  TriggeredProcess(const std::string& program, const std::string& folder, const char* mode) {
    int in[2];
    int out[2];
    EXPECT_EQ(pipe2(in, O_CLOEXEC), 0);
    EXPECT_EQ(pipe2(out, O_CLOEXEC), 0);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(in[0], 0);
      dup2(out[1], 1);
      execl(program.c_str(), program.c_str(), folder.c_str(), mode, nullptr);
      _exit(127);
    }
    close(in[0]);
    close(out[1]);
    input_ = in[1];
    output_ = out[0];
    char ready[6] = {};
    is_ready_ = read(output_, ready, sizeof ready) == sizeof ready;
    socket_ = folder + "/softlbr.triggerable." + std::to_string(pid_) + ".sock";
  }
  TriggeredProcess(const TriggeredProcess&) = delete;
  TriggeredProcess& operator=(const TriggeredProcess&) = delete;
  ~TriggeredProcess() { End(); }

  // Ends the program as it wishes to end; what it printed of its counters, or its exit code if that is not 0.
  std::string End() {
    if (pid_ < 0) return "";
    close(input_);
    std::string text;
    char buffer[512];
    for (ssize_t got; (got = read(output_, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<size_t>(got));
    close(output_);
    const int status = Reap();
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? text : "status " + std::to_string(status);
  }
  void Kill() const { kill(pid_, SIGKILL); }
  bool is_ready() const { return is_ready_; }
  pid_t pid() const { return pid_; }
  const std::string& socket() const { return socket_; }

 private:
  int Reap() {
    int status = -1;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return status;
  }
  pid_t pid_ = -1;
  int input_ = -1;
  int output_ = -1;
  bool is_ready_ = false;
  std::string socket_;
};

struct AdoptedSocket {
  int fd;
};

// One connection. Receive() waits for the next message.
class ControlConnectionForTest {
 public:
  explicit ControlConnectionForTest(AdoptedSocket open) : fd_(open.fd), is_open_(open.fd >= 0) {}
  explicit ControlConnectionForTest(const std::string& path) : fd_(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)) {
    const sockaddr_un address = AddressOf(path);
    is_open_ = connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ControlConnectionForTest(const ControlConnectionForTest&) = delete;
  ControlConnectionForTest& operator=(const ControlConnectionForTest&) = delete;
  ~ControlConnectionForTest() { close(fd_); }

  bool is_open() const { return is_open_; }
  void SendBytes(const void* bytes, size_t size) const { (void)!send(fd_, bytes, size, MSG_NOSIGNAL); }
  void SendRequest(MessageKind kind, const void* body = nullptr, size_t body_bytes = 0, int passed = -1) const {
    MessageHead head = MakeHead(kind, static_cast<uint32_t>(body_bytes));
    iovec parts[2] = {{&head, sizeof head}, {const_cast<void*>(body), body_bytes}};
    msghdr message = {};
    message.msg_iov = parts;
    message.msg_iovlen = 2;
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    if (passed >= 0) {
      message.msg_control = control;
      message.msg_controllen = sizeof control;
      cmsghdr* rights = CMSG_FIRSTHDR(&message);
      rights->cmsg_level = SOL_SOCKET;
      rights->cmsg_type = SCM_RIGHTS;
      rights->cmsg_len = CMSG_LEN(sizeof passed);
      std::memcpy(CMSG_DATA(rights), &passed, sizeof passed);
    }
    EXPECT_GT(sendmsg(fd_, &message, MSG_NOSIGNAL), 0);
  }
  // With a control message for each number, of as many descriptors. The message may have no bytes.
  void SendWithDescriptors(const std::string& bytes, const std::vector<size_t>& rights) const {
    std::vector<char> control;
    for (const size_t count : rights) {
      std::vector<char> one(CMSG_SPACE(count * sizeof(int)));
      auto* header = reinterpret_cast<cmsghdr*>(one.data());
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(count * sizeof(int));
      const int passed = fd_;
      for (size_t i = 0; i < count; ++i) std::memcpy(CMSG_DATA(header) + i * sizeof passed, &passed, sizeof passed);
      control.insert(control.end(), one.begin(), one.end());
    }
    iovec part = {const_cast<char*>(bytes.data()), bytes.size()};
    msghdr message = {};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    EXPECT_EQ(sendmsg(fd_, &message, MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  void Start(const StartRequest& request, int passed = -1) const {
    SendRequest(MessageKind::kStart, &request, sizeof request, passed);
  }
  // The kind of the next message, whose body body() has then; 0 if the other end has closed, or after kPatienceMs.
  uint16_t Receive() {
    pollfd waits = {fd_, POLLIN, 0};
    if (poll(&waits, 1, kPatienceMs) <= 0) return 0;
    packet_.resize(sizeof(MessageHead) + kMostChunkBytes);
    ssize_t got = recv(fd_, packet_.data(), packet_.size(), 0);
    // The other end closed without reading what we sent; its last message is still there.
    if (got < 0 && errno == ECONNRESET) got = recv(fd_, packet_.data(), packet_.size(), 0);
    packet_.resize(got > 0 ? static_cast<size_t>(got) : 0);
    return ParseReply(packet_.data(), packet_.size());
  }
  // Messages until one of the kind, or none is left.
  bool ReceiveUntil(MessageKind kind) {
    for (uint16_t got; (got = Receive()) != 0;) {
      if (got == static_cast<uint16_t>(MessageKind::kChunk))
        profile_.insert(profile_.end(), packet_.begin() + 16, packet_.end());
      if (got == static_cast<uint16_t>(kind)) return true;
    }
    return false;
  }
  template <typename Body>
  Body As() const {
    Body body = {};
    EXPECT_EQ(packet_.size(), sizeof(MessageHead) + sizeof body);
    std::memcpy(&body, packet_.data() + sizeof(MessageHead), sizeof body);
    return body;
  }
  const std::vector<uint8_t>& profile() const { return profile_; }  // of the chunks so far

 private:
  int fd_;
  bool is_open_;
  std::vector<uint8_t> packet_;
  std::vector<uint8_t> profile_;
};

}  // namespace softlbr::testing

#endif  // SOFTLBR_TESTS_RUNTIME_TRIGGER_TRIGGERED_PROCESS_H_
