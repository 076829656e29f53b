// Tests all its anonymous memory, as the crash report of a well-known server does: each piece of a writable mapping of
// no file is saved, filled with patterns, compared with them, and restored. The machine's memory is good, so a
// difference means that somebody else has used the piece meanwhile. Uses nothing but its stack and system calls while
// it tests. Prints the number of differences.
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hazard_program.h"

enum { kPieceWords = 32768, kMostRegions = 256, kMapsBytes = 1 << 17 };

struct Region {
  uintptr_t begin;
  uintptr_t end;
};

static uintptr_t Hex(const char** at) {
  uintptr_t value = 0;
  for (;; ++*at) {
    const char c = **at;
    if (c >= '0' && c <= '9') {
      value = value * 16 + (uintptr_t)(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      value = value * 16 + 10 + (uintptr_t)(c - 'a');
    } else {
      return value;
    }
  }
}

static int LineHas(const char* line, const char* end, const char* text) {
  for (const char* at = line; at < end; ++at) {
    const char* a = at;
    const char* b = text;
    while (a < end && *b != '\0' && *a == *b) ++a, ++b;
    if (*b == '\0') return 1;
  }
  return 0;
}

static int ListRegions(struct Region* regions) {
  char maps[kMapsBytes];
  const int fd = open("/proc/self/maps", O_RDONLY);
  MUST(fd >= 0);
  size_t bytes = 0;
  ssize_t got = 0;
  while ((got = read(fd, maps + bytes, sizeof maps - bytes)) > 0) bytes += (size_t)got;
  close(fd);
  int count = 0;
  for (const char* line = maps; line < maps + bytes;) {
    const char* end = memchr(line, '\n', (size_t)(maps + bytes - line));
    if (end == NULL) break;
    const char* at = line;
    struct Region region;
    region.begin = Hex(&at);
    ++at;
    region.end = Hex(&at);
    const int is_anonymous = LineHas(at, end, " rw") && LineHas(at, end, " 00:00 ");
    // The kernel reads the thread's rseq area whenever it preempts the thread, and kills for what the patterns say
    // there.
    const uintptr_t of_thread = (uintptr_t)pthread_self();
    const int has_thread = of_thread >= region.begin && of_thread < region.end;
    if (is_anonymous && !has_thread && !LineHas(at, end, "[stack") && !LineHas(at, end, "[v")) {
      MUST(count < kMostRegions);
      regions[count++] = region;
    }
    line = end + 1;
  }
  return count;
}

// Not by functions of the libc, whose variables are in the tested memory.
static __attribute__((noinline)) long TestPiece(volatile uint64_t* words, size_t count, uint64_t* saved) {
  static const int kPasses = 4;
  long differences = 0;
  for (size_t i = 0; i < count; ++i) saved[i] = words[i];
  for (int pass = 0; pass < kPasses; ++pass) {
    const uint64_t pattern = (pass & 1) != 0 ? 0xaaaaaaaaaaaaaaaau : 0x5555555555555555u;
    for (size_t i = 0; i < count; ++i) words[i] = pass < 2 ? pattern : (uintptr_t)&words[i] * 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < count; ++i)
      differences += words[i] != (pass < 2 ? pattern : (uintptr_t)&words[i] * 0x9e3779b97f4a7c15u);
  }
  for (size_t i = 0; i < count; ++i) words[i] = saved[i];
  return differences;
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 1;
  static char out[128];
  setvbuf(stdout, out, _IOFBF, sizeof out);
  struct Region regions[kMostRegions];
  uint64_t saved[kPieceWords];
  long differences = 0;
  for (int round = 0; round < rounds; ++round) {
    const int count = ListRegions(regions);
    for (int i = 0; i < count; ++i) {
      for (uintptr_t at = regions[i].begin; at < regions[i].end; at += sizeof saved) {
        const size_t left = (regions[i].end - at) / sizeof *saved;
        differences += TestPiece((volatile uint64_t*)at, left < kPieceWords ? left : kPieceWords, saved);
      }
    }
  }
  printf("%ld differences\n", differences);
  return differences != 0;
}
