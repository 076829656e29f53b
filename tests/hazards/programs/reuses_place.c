/* Calls a library, closes it, and calls code that it writes into the library's place, again and again; the code changes
 * before each call. Argument: rounds. */
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "hazard_program.h"

__attribute__((noinline)) void never_called(void);
__attribute__((noinline)) void never_called(void) { __asm__ volatile(""); }

static void write_number(volatile uint32_t* code, uint32_t number) {
#if defined(__x86_64__)
  code[0] = 0xb8909090; /* three nops, and mov $number, %eax */
  code[1] = number;
  code[2] = 0xc3; /* ret */
#else
  code[0] = 0x52800000 | (number & 0xffff) << 5; /* mov w0, #number */
  code[1] = 0xd65f03c0;                          /* ret */
  __builtin___clear_cache((char*)code, (char*)code + 8);
#endif
}

int main(int argc, char** argv) {
  MUST(argc == 3);
  const int rounds = atoi(argv[2]);
  uint32_t number = 0;
  for (int round = 0; round < rounds; ++round) {
    void* library = dlopen(argv[1], RTLD_NOW);
    MUST(library != NULL);
    uint64_t (*mix)(uint64_t, uint64_t) = NULL;
    void* symbol = dlsym(library, "mix");
    memcpy(&mix, &symbol, sizeof mix);
    for (int i = 0; i < 60; ++i) (void)mix((uint64_t)i, 1000000);
    void* page = (void*)((uintptr_t)symbol & ~(uintptr_t)4095);
    MUST(dlclose(library) == 0);
    if (mmap(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
             0) != page)
      continue;
    uint32_t (*read_number)(void) = NULL;
    memcpy(&read_number, &symbol, sizeof read_number);
    for (int i = 0; i < 2000000; ++i) {
      number = (number + 1) & 0xffff;
      write_number((volatile uint32_t*)symbol, number);
      if (read_number() != number) never_called();
    }
    MUST(munmap(page, 4096) == 0);
  }
  return 0;
}
