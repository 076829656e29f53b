/* Raises SIGTRAPs of its own of every kind, also with the codes of a breakpoint hit whose mark is lost, with work in
 * between. Prints how
   many of each kind its handler got. */
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "hazard_program.h"

enum { ROUNDS = 2000, MOST_CODE = 256 };

static volatile int calls[MOST_CODE];

static void count(int number, siginfo_t* info, void* context) {
  (void)number;
  if (info->si_code > 0 && info->si_code < MOST_CODE) ++calls[info->si_code];
#if defined(__aarch64__)
  if (info->si_code == TRAP_BRKPT && info->si_addr != NULL) ((ucontext_t*)context)->uc_mcontext.pc += 4;
#else
  // Some virtual machines raise the trap of icebp before the instruction, which would then be executed again and again.
  greg_t* pc = &((ucontext_t*)context)->uc_mcontext.gregs[REG_RIP];
  if (info->si_code == TRAP_BRKPT && *(const unsigned char*)*pc == 0xf1) ++*pc;
#endif
}

static void queue(int code) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  info.si_signo = SIGTRAP;
  info.si_code = code;
  MUST(syscall(SYS_rt_tgsigqueueinfo, getpid(), (pid_t)syscall(SYS_gettid), SIGTRAP, &info) == 0);
}

int main(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = count;
  action.sa_flags = SA_SIGINFO;
  MUST(sigaction(SIGTRAP, &action, NULL) == 0);
  static const int codes[] = {1, 2, 3, 4, 5, 7, 0x80, 200};
  for (int round = 0; round < ROUNDS; ++round) {
    turn(200);
    queue(codes[round % 8]);
    turn(200);
#if defined(__x86_64__)
    __asm__ volatile("int3" ::: "memory");
    turn(100);
    __asm__ volatile(".byte 0xf1" ::: "memory"); /* icebp */
    turn(100);
    __asm__ volatile(
        "sub $128, %%rsp\n"
        "pushf\n pushf\n orl $0x100, (%%rsp)\n popf\n"
        "nop\n nop\n"
        "popf\n"
        "add $128, %%rsp\n" ::
            : "memory", "cc");
#else
    __asm__ volatile("brk #0" ::: "memory");
#endif
  }
  for (int code = 0; code < MOST_CODE; ++code) {
    if (calls[code] != 0) printf("code %d: %d\n", code, calls[code]);
  }
  return 0;
}
