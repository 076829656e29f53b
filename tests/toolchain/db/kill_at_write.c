// Preloaded into a process: ends it with SIGKILL at the call of that number that changes a file or sends to a server,
// KILL_AT. A write is then half done.
// Calls on standard output and error are not counted. If the process ends by itself, the number of calls is written to
// KILL_COUNT.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_long calls;

static int IsLast(void) {
  const char* at = getenv("KILL_AT");
  return at != NULL && atomic_fetch_add(&calls, 1) + 1 == atol(at);
}

static void End(void) { kill(getpid(), SIGKILL); }

ssize_t write(int fd, const void* bytes, size_t count) {
  if (fd > 2 && IsLast()) {
    syscall(SYS_write, fd, bytes, count / 2);
    End();
  }
  return syscall(SYS_write, fd, bytes, count);
}

ssize_t pwrite(int fd, const void* bytes, size_t count, off_t offset) {
  if (IsLast()) {
    syscall(SYS_pwrite64, fd, bytes, count / 2, offset);
    End();
  }
  return syscall(SYS_pwrite64, fd, bytes, count, offset);
}

ssize_t send(int fd, const void* bytes, size_t count, int flags) {
  if (IsLast()) {
    syscall(SYS_sendto, fd, bytes, count / 2, flags, NULL, 0);
    End();
  }
  return syscall(SYS_sendto, fd, bytes, count, flags, NULL, 0);
}

int fsync(int fd) {
  if (IsLast()) End();
  return (int)syscall(SYS_fsync, fd);
}

int ftruncate(int fd, off_t bytes) {
  if (IsLast()) End();
  return (int)syscall(SYS_ftruncate, fd, bytes);
}

int unlink(const char* path) {
  if (IsLast()) End();
  return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int rename(const char* from, const char* to) {
  if (IsLast()) End();
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

__attribute__((destructor)) static void WriteCount(void) {
  const char* path = getenv("KILL_COUNT");
  FILE* file = path != NULL ? fopen(path, "w") : NULL;
  if (file == NULL) return;
  fprintf(file, "%ld", atomic_load(&calls));
  fclose(file);
}
