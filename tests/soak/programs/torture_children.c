/* Children by fork, vfork and posix_spawn, while eight other threads work. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "torture.h"

extern char **environ;

static int wait_for(pid_t child) {
  int status = 0;
  pid_t got;
  while ((got = waitpid(child, &status, 0)) < 0 && errno == EINTR) {
  }
  MUST(got == child);
  return status;
}

static uint64_t forked(uint64_t seed) {
  int ends[2];
  MUST(pipe2(ends, O_CLOEXEC) == 0);
  const pid_t child = fork();
  MUST(child >= 0);
  if (child == 0) {
    const uint64_t value = torture_mix(seed, 20000);
    if (write(ends[1], &value, sizeof value) != sizeof value) _exit(98);
    if (seed % 5 == 2) kill(getpid(), SIGKILL);
    _exit((int)(seed % 90));
  }
  uint64_t value = 0;
  ssize_t got;
  while ((got = read(ends[0], &value, sizeof value)) < 0 && errno == EINTR) {
  }
  MUST(got == sizeof value);
  const int status = wait_for(child);
  close(ends[0]);
  close(ends[1]);
  return value * 31 + (uint64_t)(unsigned)status;
}

static uint64_t vforked(uint64_t seed) {
  static _Thread_local volatile uint64_t value; /* the child writes ours */
  const pid_t child = vfork();
  MUST(child >= 0);
  if (child == 0) {
    value = torture_mix(seed, 3000);
    _exit((int)(seed % 80));
  }
  const int status = wait_for(child);
  return value * 31 + (uint64_t)(unsigned)status;
}

/* Starts a child by posix_spawn, or by fork and exec. Between fork and exec nothing may wait for another thread: there
 * is none. */
static pid_t start(const posix_spawn_file_actions_t *actions, int output, char **arguments, int is_forked) {
  pid_t child = -1;
  if (!is_forked) {
    MUST(posix_spawn(&child, torture_self, actions, NULL, arguments, environ) == 0);
    return child;
  }
  child = fork();
  MUST(child >= 0);
  if (child == 0) {
    dup2(output, 1);
    execv(torture_self, arguments);
    _exit(97);
  }
  return child;
}

static uint64_t spawned(uint64_t seed, int is_forked) {
  int ends[2];
  char number[32], program[] = "torture", word[] = "child";
  char *arguments[] = {program, word, number, NULL};
  snprintf(number, sizeof number, "%llu", (unsigned long long)seed);
  MUST(pipe2(ends, O_CLOEXEC) == 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  const pid_t child = start(&actions, ends[1], arguments, is_forked);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  char text[64] = "";
  size_t used = 0;
  for (ssize_t got; (got = read(ends[0], text + used, sizeof text - 1 - used)) != 0;) {
    MUST(got > 0 || errno == EINTR);
    if (got > 0) used += (size_t)got;
  }
  close(ends[0]);
  const int status = wait_for(child);
  return strtoull(text, NULL, 16) * 31 + (uint64_t)(unsigned)status;
}

uint64_t torture_children(uint64_t seed) {
  uint64_t sum = seed;
  for (uint64_t i = 0; i < 8; ++i) {
    sum = sum * 31 + forked(seed + i);
    for (uint64_t k = 0; k < 4; ++k) sum = sum * 31 + vforked(seed + i + k);
    sum = sum * 31 + spawned(seed + i, i % 2 == 0);
  }
  return sum;
}
