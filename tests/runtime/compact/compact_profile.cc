// Compacts a file as an app does: with libsoftlbr_compact.a.  Use: compact_profile SOURCE TARGET
// Prints the bytes of both and the time it took. Exit 3: TARGET is not written, because SOURCE stays as it is.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "runtime/include/softlbr/compact.h"

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const int source = open(arguments[1], O_RDONLY | O_CLOEXEC);
  const int target = open(arguments[2], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (source < 0 || target < 0) {
    std::perror("compact_profile");
    return 1;
  }
  rusage before{};
  rusage after{};
  getrusage(RUSAGE_SELF, &before);
  const auto start = std::chrono::steady_clock::now();
  const int result = softlbr_compact(source, target);
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  getrusage(RUSAGE_SELF, &after);
  struct stat from {};
  struct stat to {};
  fstat(source, &from);
  fstat(target, &to);
  if (result != SOFTLBR_COMPACT_OK) unlink(arguments[2]);
  std::printf("%lld to %lld bytes, %.1f ms, %ld KiB of memory touched, result %d\n",
              static_cast<long long>(from.st_size), static_cast<long long>(to.st_size), time.count(),
              (after.ru_minflt - before.ru_minflt) * 4, result);
  return result == SOFTLBR_COMPACT_OK ? 0 : result == SOFTLBR_COMPACT_KEPT ? 3 : 1;
}
