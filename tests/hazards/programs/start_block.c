/* Walks what the kernel put on the stack of a new program, as runtimes do that have no libc to ask: arguments,
 * environment, auxiliary vector. Prints what does not differ between two runs. Argument "print": the names of the
 * variables, too, and what /proc/self/environ shows. */
#include <elf.h>
#include <string.h>
#include <sys/auxv.h>

#include "hazard_program.h"

/* The variables that others see of this process. */
static void print_shown(void) {
  static char text[1 << 18];
  FILE* file = fopen("/proc/self/environ", "r");
  MUST(file != NULL);
  const size_t bytes = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  for (size_t at = 0; at < bytes; at += strlen(text + at) + 1) {
    if (text[at] != '\0') printf("shown: %s\n", text + at);
  }
}

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
  if (argc > 1) print_shown();
  printf("%d entries, page %lu, program headers %d\n", entries, getauxval(AT_PAGESZ), getauxval(AT_PHDR) != 0);
  burn_ms(20);
  return entries > 10 ? 3 : 1;
}
