/* locks_memory: locks its memory under limits that it keeps alone, and under one that it does not. As root it first
 * becomes another user, whom the limits bind. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hazard_program.h"

enum { kOtherUser = 65534, kMiB = 1 << 20, kEnough = 7 * kMiB, kLittle = 64 << 10, kMore = 2 * kMiB };

static void limit(unsigned long bytes) {
  struct rlimit now;
  MUST(getrlimit(RLIMIT_MEMLOCK, &now) == 0);
  now.rlim_cur = bytes;
  MUST(setrlimit(RLIMIT_MEMLOCK, &now) == 0);
}

static void say(const char* what, int result) {
  printf("%s: %s\n", what, result == 0 ? "done" : strerror(errno));
  fflush(stdout);
}

/* Maps memory that fits into the limit beside the program's own, which is less than half of the rest. */
static void map_more(const char* what) {
  void* more = mmap(NULL, kMore, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  say(what, more == MAP_FAILED ? -1 : 0);
  if (more != MAP_FAILED) munmap(more, kMore);
}

int main(void) {
  burn_ms(20);
  limit(kEnough);
  if (geteuid() == 0)
    MUST(setresgid(kOtherUser, kOtherUser, kOtherUser) == 0 && setresuid(kOtherUser, kOtherUser, kOtherUser) == 0);
  errno = 0;
  say("current", mlockall(MCL_CURRENT));
  MUST(errno == 0);
  map_more("more, unlocked");
  say("current and future", mlockall(MCL_CURRENT | MCL_FUTURE));
  map_more("more, locked");
  say("on fault", mlockall(MCL_CURRENT | MCL_ONFAULT));
  say("by number", (int)syscall(SYS_mlockall, MCL_CURRENT));
  MUST(munlockall() == 0);
  burn_ms(50);
  limit(kLittle);
  say("little", mlockall(MCL_CURRENT));
  limit(0);
  say("nothing", mlockall(MCL_CURRENT));
  say("no flag", mlockall(0));
  return 0;
}
