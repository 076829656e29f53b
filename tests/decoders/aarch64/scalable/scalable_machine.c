/* Runs SVE cases: reads states and instructions from standard input, writes the resulting states to standard output.
 *
 * Use: scalable_machine VECTOR_BYTES     exit 3: this vector length is not available
 * Started by scalable_oracle_test under qemu-aarch64. The instructions run on a page of their own, between a load of
 * x30, which held the page's address, and a jump back. A signal ends a case at that jump, with the registers as they
 * were then. */
#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <ucontext.h>
#include <unistd.h>

#include "scalable_case.h"

_Static_assert(offsetof(struct scalable_case, sp) == 248 && offsetof(struct scalable_case, nzcv) == 256 &&
                   offsetof(struct scalable_case, z) == 288 && offsetof(struct scalable_case, p) == 2336,
               "scalable_machine_state.S");

enum { kX30Literal = 64, kBackLiteral = 66 }; /* words of the code page */

extern void softlbr_run_case(void);
extern char softlbr_case_back[];
struct scalable_case* softlbr_case;
uint32_t* softlbr_code;
static uint32_t back_word;

static void on_signal(int number, siginfo_t* info, void* context) {
  (void)info;
  softlbr_case->outcome = number == SIGILL ? SCALABLE_UNDEFINED : SCALABLE_FAULTED;
  ((ucontext_t*)context)->uc_mcontext.pc = (uint64_t)(softlbr_code + back_word);
}

static uint32_t load_literal(uint32_t number, uint32_t from, uint32_t to) {
  return 0x58000000 | (to - from) << 5 | number;
}

static void write_code(const struct scalable_case* one) {
  uint64_t literal = one->x[30];
  memcpy(&softlbr_code[kX30Literal], &literal, sizeof literal);
  literal = (uint64_t)softlbr_case_back;
  memcpy(&softlbr_code[kBackLiteral], &literal, sizeof literal);
  uint32_t at = 0;
  softlbr_code[at] = load_literal(30, at, kX30Literal);
  ++at;
  for (uint32_t i = 0; i < one->word_count; ++i) softlbr_code[at++] = one->words[i];
  back_word = at;
  softlbr_code[at++] = 0xd51bd040; /* msr tpidr_el0, x0 */
  softlbr_code[at] = load_literal(0, at, kBackLiteral);
  ++at;
  softlbr_code[at++] = 0xd61f0000; /* br x0 */
  __builtin___clear_cache((char*)softlbr_code, (char*)(softlbr_code + at));
}

static int transfer(int is_write, void* bytes, size_t count) {
  char* at = bytes;
  while (count != 0) {
    const ssize_t done = is_write ? write(1, at, count) : read(0, at, count);
    if (done <= 0) return 0;
    at += done;
    count -= (size_t)done;
  }
  return 1;
}

int main(int argc, char** argv) {
  const unsigned long length = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
  if (length == 0 || (prctl(PR_SVE_SET_VL, length) & PR_SVE_VL_LEN_MASK) != (int)length) return 3;
  uint8_t* page = mmap((void*)SCALABLE_PAGE_ADDRESS, SCALABLE_PAGE_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  softlbr_code =
      mmap(NULL, SCALABLE_PAGE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  softlbr_case = malloc(sizeof *softlbr_case);
  stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};
  if (page != (void*)SCALABLE_PAGE_ADDRESS || softlbr_code == MAP_FAILED || softlbr_case == NULL || stack.ss_sp == NULL)
    return 4;
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  if (sigaltstack(&stack, NULL) != 0) return 4;
  for (int i = 0; i < 3; ++i) {
    if (sigaction((int[]){SIGSEGV, SIGBUS, SIGILL}[i], &action, NULL) != 0) return 4;
  }
  uint8_t* window = page + SCALABLE_PAGE_BYTES - SCALABLE_WINDOW_BYTES;
  while (transfer(0, softlbr_case, sizeof *softlbr_case)) {
    memset(page, 0, SCALABLE_PAGE_BYTES - SCALABLE_WINDOW_BYTES);
    memcpy(window, softlbr_case->window, SCALABLE_WINDOW_BYTES);
    softlbr_case->outcome = SCALABLE_RAN;
    write_code(softlbr_case);
    softlbr_run_case();
    memcpy(softlbr_case->window, window, SCALABLE_WINDOW_BYTES);
    if (!transfer(1, softlbr_case, sizeof *softlbr_case)) return 4;
  }
  return 0;
}
