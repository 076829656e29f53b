/* Walks what the kernel put on the stack of a new program, as runtimes do that have no libc to ask: arguments, environment, auxiliary
 * vector. Prints what does not differ between two runs. Argument "print": the number and the names of the variables, too. */
#include <elf.h>
#include <string.h>
#include <sys/auxv.h>

#include "hazard_program.h"

int main(int argc, char** argv, char** environment) {
  MUST(argv[argc] == NULL && environment == argv + argc + 1);
  char** at = environment;
  for (; *at != NULL; ++at) {
    if (argc > 1) printf("%.*s\n", (int)strcspn(*at, "="), *at);
  }
  const Elf64_auxv_t* entry = (const Elf64_auxv_t*)(at + 1);
  int entries = 0;
  for (; entry->a_type != AT_NULL; ++entry) {
    if (entry->a_type == AT_IGNORE) continue;
    ++entries;
    if (entry->a_type == AT_RANDOM || entry->a_type == AT_PHDR) MUST(getauxval(entry->a_type) == entry->a_un.a_val);
  }
  printf("%d entries, page %lu, program headers %d\n", entries, getauxval(AT_PAGESZ), getauxval(AT_PHDR) != 0);
  burn_ms(20);
  return entries > 10 ? 3 : 1;
}
