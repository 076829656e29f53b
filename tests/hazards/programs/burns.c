/* Uses CPU time, prints its environment if asked to, and ends with the exit code that it is given: MS [CODE [env]]. */
#include <stdlib.h>
#include <string.h>

#include "hazard_program.h"

extern char** environ;

int main(int argc, char** argv) {
  MUST(argc >= 2);
  burn_ms((unsigned)atoi(argv[1]));
  if (argc > 3 && strcmp(argv[3], "env") == 0) {
    for (char** entry = environ; entry != NULL && *entry != NULL; ++entry) puts(*entry);
  }
  return argc > 2 ? atoi(argv[2]) : 0;
}
