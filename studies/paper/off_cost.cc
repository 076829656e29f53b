// What a session leaves behind: two children of one process do the same slices of work in turn, one of which has
// started and stopped a session before. Prints the median ratio of their CPU times, its quartiles and the number of
// pairs.
//
// Use: off_cost PAIRS
#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "softlbr/decoders.h"
#include "softlbr/softlbr.h"

namespace {

double ThreadCpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

uint64_t g_sum;

// Some milliseconds of branches, calls and system calls.
__attribute__((noinline)) void Slice() {
  uint64_t x = 88172645463325252u;
  for (int i = 0; i < 2000000; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    if ((x & 7) == 3) g_sum += x;
    if ((i & 0xffff) == 0) g_sum += static_cast<uint64_t>(getppid());
  }
}

bool RecordASession() {
  const int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
  softlbr_options options = {};
  options.struct_size = sizeof options;
  options.sink_fd = fd;
  if (softlbr_start(&options) != SOFTLBR_OK) return false;
  for (int i = 0; i < 10; ++i) Slice();
  return softlbr_stop() == SOFTLBR_OK;
}

struct Child {
  pid_t pid = -1;
  int ask = -1;
  int answer = -1;
};

// A child that does a slice for each byte it reads, and answers with the CPU time.
bool Start(bool has_session, Child* child) {
  int ask[2];
  int answer[2];
  if (pipe(ask) != 0 || pipe(answer) != 0) return false;
  child->pid = fork();
  if (child->pid < 0) return false;
  if (child->pid == 0) {
    close(ask[1]);
    close(answer[0]);
    const char is_ready = !has_session || RecordASession() ? 1 : 0;
    // The kernel keeps its code for events switched on for a second after the last is closed.
    if (has_session) sleep(2);
    if (write(answer[1], &is_ready, 1) != 1) _exit(1);
    for (char byte; read(ask[0], &byte, 1) == 1;) {
      const double begin = ThreadCpuSeconds();
      Slice();
      const double seconds = ThreadCpuSeconds() - begin;
      if (write(answer[1], &seconds, sizeof(seconds)) != sizeof(seconds)) _exit(1);
    }
    _exit(0);
  }
  close(ask[0]);
  close(answer[1]);
  child->ask = ask[1];
  child->answer = answer[0];
  char is_ready = 0;
  return read(child->answer, &is_ready, 1) == 1 && is_ready == 1;
}

double Ask(const Child& child) {
  double seconds = 0;
  const char byte = 1;
  if (write(child.ask, &byte, 1) != 1 || read(child.answer, &seconds, sizeof(seconds)) != sizeof(seconds)) return -1;
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  const int pairs = argc > 1 ? std::atoi(argv[1]) : 200;
  softlbr_register_decoder(SOFTLBR_HOST_DECODER());
  Child without;
  Child with;
  if (pairs < 1 || !Start(false, &without) || !Start(true, &with)) {
    std::fprintf(stderr, "off_cost: no session can be started here\n");
    return 1;
  }
  std::vector<double> ratios;
  for (int i = 0; i < pairs; ++i) {
    const bool is_first = i % 2 == 0;
    const double one = Ask(is_first ? without : with);
    const double other = Ask(is_first ? with : without);
    if (one <= 0 || other <= 0) return 1;
    ratios.push_back(is_first ? other / one : one / other);
  }
  close(without.ask);
  close(with.ask);
  waitpid(without.pid, nullptr, 0);
  waitpid(with.pid, nullptr, 0);
  std::sort(ratios.begin(), ratios.end());
  const size_t count = ratios.size();
  std::printf("%.6f %.6f %.6f %zu\n", ratios[count / 2], ratios[count / 4], ratios[count * 3 / 4], count);
  return 0;
}
