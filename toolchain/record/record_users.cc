#include "toolchain/record/record_users.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>

#include "toolchain/base/failure.h"
#include "toolchain/profile/profile_gather.h"

namespace softlbr::toolchain {
namespace {

constexpr size_t kMostUsers = 64;
constexpr int kBacklog = 64;

std::string RandomName() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return "";
  std::string name = "softlbr-record-";
  for (const unsigned char byte : bytes) {
    name += "0123456789abcdef"[byte >> 4];
    name += "0123456789abcdef"[byte & 15];
  }
  return name;
}

Descriptor ListenAt(const std::string& name) {
  Descriptor fd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address{};  // of an abstract socket: a zero byte, then the name
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (fd.get() < 0 || bind(fd.get(), reinterpret_cast<sockaddr*>(&address), bytes) != 0 ||
      listen(fd.get(), kBacklog) != 0) {
    return Descriptor();
  }
  return MoveHigh(std::move(fd));
}

// Process ids in a tree are those of this command's namespace.
bool IsInOurNamespace(pid_t process) {
  struct stat ours {};
  struct stat theirs {};
  return stat("/proc/self/ns/pid", &ours) == 0 &&
         stat(("/proc/" + std::to_string(process) + "/ns/pid").c_str(), &theirs) == 0 && ours.st_dev == theirs.st_dev &&
         ours.st_ino == theirs.st_ino;
}

void PassFiles(int connection, int profile, int tree) {
  const int passed[] = {profile, tree};
  char byte = 0;
  iovec part{&byte, sizeof byte};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof passed)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof passed);
  std::memcpy(CMSG_DATA(header), passed, sizeof passed);
  (void)sendmsg(connection, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace

OtherUsers::OtherUsers(const RecordTree* main) : main_(main) {
  if (geteuid() != 0) return;
  const std::string name = RandomName();
  stop_ = MoveHigh(Descriptor(eventfd(0, EFD_CLOEXEC)));
  if (name.empty() || stop_.get() < 0) return;
  listener_ = ListenAt(name);
  if (listener_.get() < 0) return;
  // Signals must reach the thread that waits for the program, so the new thread inherits a mask that blocks all.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  // Not std::thread, which throws where the limit of processes is reached.
  const auto serve = [](void* users) -> void* {
    static_cast<OtherUsers*>(users)->Serve();
    return nullptr;
  };
  is_serving_ = pthread_create(&thread_, nullptr, serve, this) == 0;
  if (is_serving_) socket_name_ = name;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

OtherUsers::~OtherUsers() {
  Stop();
  for (const auto& [user_id, user] : users_) munmap(user.tree, sizeof(RecordTree));
}

void OtherUsers::Stop() {
  if (!is_serving_) return;
  is_serving_ = false;
  eventfd_write(stop_.get(), 1);
  pthread_join(thread_, nullptr);
  listener_ = Descriptor();
}

void OtherUsers::Serve() {
  for (;;) {
    std::array<pollfd, 2> waits = {{{stop_.get(), POLLIN, 0}, {listener_.get(), POLLIN, 0}}};
    if (poll(waits.data(), waits.size(), -1) < 0) continue;
    if (waits[0].revents != 0) return;
    const Descriptor connection(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (connection.get() < 0) continue;
    try {
      Answer(connection.get());
    } catch (const std::exception&) {
      // The requester gets nothing and runs unrecorded.
    }
  }
}

void OtherUsers::Answer(int connection) {
  ucred peer{};
  socklen_t bytes = sizeof peer;
  if (getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) != 0 || bytes != sizeof peer) return;
  if (peer.uid == geteuid() || peer.pid <= 0 || !IsInOurNamespace(peer.pid)) return;
  if (const User* user = FindOrMake(peer.uid))
    PassFiles(connection, user->profile_to_pass.get(), user->tree_file.get());
}

OtherUsers::User* OtherUsers::FindOrMake(uint32_t user_id) {
  const auto found = users_.find(user_id);
  if (found != users_.end()) return &found->second;
  if (users_.size() == kMostUsers) return nullptr;
  User user;
  std::string name = (std::filesystem::temp_directory_path() / "softlbr-XXXXXX").string();
  user.profile = MoveHigh(Descriptor(mkostemp(name.data(), O_CLOEXEC)));
  if (user.profile.get() < 0) return nullptr;
  const std::string path = "/proc/self/fd/" + std::to_string(user.profile.get());
  user.profile_to_pass = MoveHigh(Descriptor(open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC)));
  unlink(name.c_str());
  // What the user writes counts against the user's quota.
  if (user.profile_to_pass.get() < 0 || fchown(user.profile.get(), user_id, static_cast<gid_t>(-1)) != 0)
    return nullptr;
  // Sealed, so that no user can shorten the file and make this command read missing memory.
  Descriptor tree(memfd_create(kRecordTreeName, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (tree.get() < 0 || ftruncate(tree.get(), sizeof(RecordTree)) != 0 ||
      fcntl(tree.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return nullptr;
  }
  void* mapping = mmap(nullptr, sizeof(RecordTree), PROT_READ | PROT_WRITE, MAP_SHARED, tree.get(), 0);
  if (mapping == MAP_FAILED) return nullptr;
  user.tree = static_cast<RecordTree*>(mapping);
  user.tree_file = MoveHigh(std::move(tree));
  std::memcpy(user.tree->program.magic, kRecordStatusMagic, sizeof kRecordStatusMagic);
  user.tree->process_namespace = main_->process_namespace;
  user.tree->program_id = __atomic_load_n(&main_->program_id, __ATOMIC_RELAXED);
  if (__atomic_load_n(&main_->costs.state, __ATOMIC_ACQUIRE) == 1) user.tree->costs = main_->costs;
  if (__atomic_load_n(&main_->has_ended, __ATOMIC_RELAXED) != 0) user.tree->has_ended = 1;
  return &users_.emplace(user_id, std::move(user)).first->second;
}

std::vector<TreeFile> OtherUsers::Trees() const {
  std::vector<TreeFile> trees;
  for (const auto& [user_id, user] : users_) trees.push_back({user.tree, user.tree_file.get()});
  return trees;
}

const RecordStatus* OtherUsers::FirstProgram() const {
  if (__atomic_load_n(&main_->program.state, __ATOMIC_ACQUIRE) != static_cast<uint32_t>(RecordState::kReplaced))
    return nullptr;
  constexpr auto kNotStarted = static_cast<uint32_t>(RecordState::kNotStarted);
  for (const auto& [user_id, user] : users_) {
    if (__atomic_load_n(&user.tree->program.state, __ATOMIC_ACQUIRE) != kNotStarted) return &user.tree->program;
  }
  return nullptr;
}

std::vector<std::string> OtherUsers::Gather(const RecordOutput& output) {
  std::vector<std::string> messages;
  const bool has_any = std::any_of(users_.begin(), users_.end(), [](const auto& entry) {
    struct stat info {};
    return fstat(entry.second.profile.get(), &info) == 0 && info.st_size != 0;
  });
  if (!has_any || !output.is_file()) return messages;
  std::set<uint64_t> taken = SessionsIn(output.content_path());
  for (const auto& [user_id, user] : users_) {
    try {
      AppendNewSessions(user.profile.get(), output.descriptor(), &taken);
    } catch (const StatedFailure& failure) {
      messages.push_back("not all that user " + std::to_string(user_id) +
                         " recorded could be added: " + failure.what());
    }
  }
  return messages;
}

}  // namespace softlbr::toolchain
