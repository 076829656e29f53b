/* Loads two libraries by turns, each at the other's place, and calls only the second. The first one is loaded for
 * longer, so that most
   looks at the program find it. Arguments: first library, second library, rounds. */
#include <dlfcn.h>

#include "hazard_program.h"

typedef uint64_t (*Mix)(uint64_t, uint64_t);

int main(int argc, char** argv) {
  MUST(argc == 4);
  const unsigned rounds = (unsigned)atoi(argv[3]);
  uint64_t state = 88172645463325252ull;
  void* place = NULL;
  for (unsigned round = 0; round < rounds; ++round) {
    for (unsigned which = 0; which < 2; ++which) {
      void* library = dlopen(argv[1 + which], RTLD_NOW);
      MUST(library != NULL);
      const Mix mix = (Mix)dlsym(library, "mix");
      MUST(mix != NULL);
      if (place == NULL) place = (void*)mix;
      MUST(place == (void*)mix);
      if (which == 0) {
        burn_ms(20);
      } else {
        const uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + 5000000;
        while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end) state = mix(state, 2000);
      }
      MUST(dlclose(library) == 0);
    }
  }
  printf("%d\n", state != 0);
  return 0;
}
