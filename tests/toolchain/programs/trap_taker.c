/* Keeps SIGTRAP from the sampler, as its first argument says, and then computes for some hundred milliseconds.
 *   block     by a signal mask
 *   replace   by a handler of its own, installed by an instruction that no library sees (x86-64) */
#include <signal.h>
#include <string.h>

#if defined(__x86_64__)
static void ignore(int number) { (void)number; }
void return_from_handler(void);
__asm__("return_from_handler: mov $15, %eax\n syscall\n");

static void replace(void) {
  const struct {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    unsigned long mask;
  } action = {ignore, 0x04000000, return_from_handler, 0};
  register long mask_bytes __asm__("r10") = 8;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(13), "D"(SIGTRAP), "S"(&action), "d"(0), "r"(mask_bytes)
                   : "rcx", "r11", "memory");
}
#endif

int main(int count, char** arguments) {
  if (count > 1 && strcmp(arguments[1], "block") == 0) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTRAP);
    sigprocmask(SIG_BLOCK, &set, NULL);
  }
#if defined(__x86_64__)
  if (count > 1 && strcmp(arguments[1], "replace") == 0) replace();
#endif
  volatile unsigned long sum = 0;
  for (unsigned long i = 0; i < 600000000ul; ++i) sum += i;
  return 0;
}
