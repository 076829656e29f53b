/* Code and data that come, change and go: libraries, generated code, mappings, the heap. */
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "torture.h"

uint64_t torture_libraries(uint64_t seed) {
  uint64_t sum = seed;
  for (int i = 0; i < 24; ++i) {
    char path[PATH_MAX + 40];
    snprintf(path, sizeof path, "%s/torture_library_%c.so", torture_folder, i % 2 ? 'b' : 'a');
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    MUST(library != NULL);
    uint64_t (*work)(uint64_t, uint64_t) = (uint64_t(*)(uint64_t, uint64_t))dlsym(library, "torture_library_work");
    MUST(work != NULL);
    sum = sum * 31 + work(seed + (uint64_t)i, 8000);
    MUST(dlclose(library) == 0);
  }
  return sum;
}

#if defined(__x86_64__)
enum { CODE_BYTES = 16, FACTOR_AT = 7 };
/* uint32_t f(uint32_t n): value = start; do value *= factor; while (--n); */
static void write_code(unsigned char *at, uint32_t start, uint32_t factor) {
  static const unsigned char code[CODE_BYTES] = {0xb8, 0, 0, 0,    0,    0x69, 0xc0, 0,
                                                 0,    0, 0, 0xff, 0xcf, 0x75, 0xf6, 0xc3};
  memcpy(at, code, CODE_BYTES);
  memcpy(at + 1, &start, 4);
  memcpy(at + FACTOR_AT, &factor, 4);
}
#elif defined(__aarch64__)
enum { CODE_BYTES = 32 };
/* The same: movz and movk of both numbers; mul w1, w1, w2; subs w0, w0, #1; b.ne to the mul; mov w0, w1; ret. */
static void write_code(unsigned char *at, uint32_t start, uint32_t factor) {
  const uint32_t code[CODE_BYTES / 4] = {0x52800001 | (start & 0xffff) << 5,
                                         0x72a00001 | (start >> 16) << 5,
                                         0x52800002 | (factor & 0xffff) << 5,
                                         0x1b027c21,
                                         0x71000400,
                                         0x54ffffc1,
                                         0x2a0103e0,
                                         0xd65f03c0};
  memcpy(at, code, CODE_BYTES);
  __builtin___clear_cache((char *)at, (char *)at + CODE_BYTES);
}
#else
#error "torture_generated_code needs this CPU's code"
#endif

uint64_t torture_generated_code(uint64_t seed) {
  uint64_t sum = seed;
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  for (uint32_t i = 0; i < 60; ++i) {
    const int is_writable = i % 3 == 0; /* some programs keep code writable, most do not */
    unsigned char *code =
        mmap(NULL, page, PROT_READ | PROT_WRITE | (is_writable ? PROT_EXEC : 0), MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(code != MAP_FAILED);
    unsigned char *at = code + i * 32 % (page - CODE_BYTES);
    for (uint32_t k = 0; k < 4; ++k) {
      if (!is_writable && k != 0) MUST(mprotect(code, page, PROT_READ | PROT_WRITE) == 0);
      write_code(at, (uint32_t)seed + i, 2 * (i + k) + 3);
      if (!is_writable) MUST(mprotect(code, page, PROT_READ | PROT_EXEC) == 0);
      sum = sum * 31 + ((uint32_t(*)(uint32_t))at)(8000 + k);
    }
    MUST(munmap(code, page) == 0);
  }
  return sum;
}

uint64_t torture_memory(uint64_t seed) {
  uint64_t sum = seed;
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  for (uint64_t i = 0; i < 80; ++i) {
    const size_t size = page * (3 + torture_mix(seed + i, 5) % 40);
    unsigned char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    MUST(memory != MAP_FAILED);
    MUST(mprotect(memory + size - page, page, PROT_NONE) == 0); /* look-ahead must not read there */
    for (size_t at = 0; at + page < size; at += 64) memory[at] = (unsigned char)(at / 64 * (i + 1));
    const size_t more = size + page * (i % 9);
    MUST(mprotect(memory + size - page, page, PROT_READ | PROT_WRITE) == 0);
    memory = mremap(memory, size, more, MREMAP_MAYMOVE);
    MUST(memory != MAP_FAILED);
    for (size_t at = 0; at < more; at += 64) sum = sum * 31 + memory[at];
    MUST(munmap(memory, more) == 0);
    void *blocks[50];
    for (size_t k = 0; k < 50; ++k) {
      blocks[k] = malloc(16 + (k * 7919 + i) % 3000);
      MUST(blocks[k] != NULL);
      memset(blocks[k], (int)k, 16);
    }
    for (size_t k = 0; k < 50; ++k) {
      sum += ((unsigned char *)blocks[k])[k % 16];
      free(blocks[k]);
    }
  }
  return sum;
}
