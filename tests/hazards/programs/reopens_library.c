/* Works for MS milliseconds of CPU time and opens a library that is there anyway every two; closes it again, if asked
 * to. So no code comes or goes. Arguments: MS ["closes"]. */
#include <dlfcn.h>

#include "hazard_program.h"

int main(int argc, char** argv) {
  MUST(argc >= 2);
  const int rounds = atoi(argv[1]) / 2;
  for (int round = 0; round < rounds; ++round) {
    void* library = dlopen("libc.so.6", RTLD_NOW);
    MUST(library != NULL);
    if (argc > 2) MUST(dlclose(library) == 0);
    burn_ms(2);
  }
  return 0;
}
