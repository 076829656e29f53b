// Profiles for the programs of other users that a recorded program of root starts (su, setpriv, servers that give up
// root's rights and then execute a program).
//
// Why: such a program may not open root's profile and RecordTree, and must not be able to: with them it could forge the
//   sessions of root's processes, end them, or name process ids that this command signals. So each user gets a profile
//   and a tree of their own.
// How: a thread waits at an abstract Unix socket. It asks the kernel which user has connected, and passes the two
//   descriptors of that user. When the recording has ended, Gather() adds the frames of sessions that no other user's
//   profile has.
// What users can do with their descriptors: forge their own sessions, and fill the temporary folder up to their quota.
#ifndef SOFTLBR_TOOLCHAIN_RECORD_RECORD_USERS_H_
#define SOFTLBR_TOOLCHAIN_RECORD_RECORD_USERS_H_

#include <pthread.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "toolchain/record/record_output.h"
#include "toolchain/record/record_tree.h"

namespace softlbr::toolchain {

class OtherUsers {
 public:
  // Listens if this command runs as root. main: the tree of root's processes, which stays.
  explicit OtherUsers(const RecordTree* main);
  OtherUsers(const OtherUsers&) = delete;
  OtherUsers& operator=(const OtherUsers&) = delete;
  ~OtherUsers();

  // The name for the option `socket`; empty: this command does not listen.
  const std::string& socket_name() const { return socket_name_; }
  // From now on no user gets descriptors. The functions below may be called afterwards.
  void Stop();
  // The trees of all users that got one.
  std::vector<TreeFile> Trees() const;
  // The first process, if it has become a program of another user; else nullptr.
  const RecordStatus* FirstProgram() const;
  // Appends what the users have recorded to the profile. Messages for the user of this command: what could not be
  // added.
  std::vector<std::string> Gather(const RecordOutput& output);

 private:
  struct User {
    Descriptor profile;          // for reading
    Descriptor profile_to_pass;  // for appending
    Descriptor tree_file;
    RecordTree* tree = nullptr;
  };

  void Serve();
  void Answer(int connection);
  User* FindOrMake(uint32_t user_id);

  const RecordTree* main_;
  std::string socket_name_;
  Descriptor listener_;
  Descriptor stop_;
  std::map<uint32_t, User> users_;  // the thread's, until it has ended
  bool is_serving_ = false;         // thread_ is to be joined
  pthread_t thread_ = {};
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_RECORD_RECORD_USERS_H_
