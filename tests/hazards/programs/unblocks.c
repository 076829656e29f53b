/* Unblocks every signal, and says that it lives. Linked statically, so that it is not recorded. */
#include <signal.h>
#include <stdio.h>

int main(void) {
  sigset_t none;
  sigemptyset(&none);
  if (sigprocmask(SIG_SETMASK, &none, NULL) != 0) return 1;
  puts("alive");
  return 4;
}
