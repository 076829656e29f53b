// Client of GDB's remote protocol: packets with checksums and acknowledgements over a local socket.
//
// Context: host, one thread. Every call gives up after some seconds without an answer, or when the other side is gone.
#ifndef SOFTLBR_TESTS_PATHS_GDB_CONNECTION_H_
#define SOFTLBR_TESTS_PATHS_GDB_CONNECTION_H_

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace softlbr::paths {

class GdbConnection {
 public:
  GdbConnection() = default;
  ~GdbConnection();
  GdbConnection(const GdbConnection&) = delete;
  GdbConnection& operator=(const GdbConnection&) = delete;

  // Connects to the stub that listens, or soon will, at `path`. Waits for it for up to a minute, and no longer than its
  // process, a child of ours, lives: started from a slow disk, on a busy machine, it may take more than 10 s.
  bool Connect(const std::string& path, pid_t process);

  // Sends `packet` and waits for the answer.
  std::optional<std::string> Ask(const std::string& packet);
  // The two halves of Ask, for slow commands. Without an answer in `milliseconds`, the result is empty; the call may be
  // repeated.
  bool Send(const std::string& packet);
  std::optional<std::string> Receive(int milliseconds);

  // A register's bytes by its number; empty: none.
  std::vector<uint8_t> ReadRegister(uint32_t number);
  // A register of up to 8 bytes as a number.
  std::optional<uint64_t> ReadRegisterValue(uint32_t number);
  // A document of the target's description.
  std::string ReadFeatures(const std::string& name);

 private:
  bool ReceiveMore(int milliseconds);

  int socket_ = -1;
  std::string received_;
};

std::vector<uint8_t> BytesOfHex(const std::string& hex);

}  // namespace softlbr::paths

#endif  // SOFTLBR_TESTS_PATHS_GDB_CONNECTION_H_
