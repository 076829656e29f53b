/* A per-CPU counter incremented in a critical section, in assembly, as allocators do.
 *
 * RSEQ_TABLES 1: the descriptor is in the ELF sections that tools know. 0: in plain data, where no tool finds it.
 * The section contains two branches on values that cannot be predicted, so a trace would need a breakpoint inside. */
#ifndef SOFTLBR_TESTS_HAZARDS_PROGRAMS_RSEQ_CRITICAL_SECTION_H_
#define SOFTLBR_TESTS_HAZARDS_PROGRAMS_RSEQ_CRITICAL_SECTION_H_

#include <linux/rseq.h>
#include <stddef.h>
#include <stdint.h>

#ifndef RSEQ_TABLES
#define RSEQ_TABLES 1
#endif
#if RSEQ_TABLES
#define RSEQ_SECTION ".pushsection __rseq_cs, \"aw\"\n"
#define RSEQ_POINTER ".pushsection __rseq_cs_ptr_array, \"aw\"\n .quad 91b\n .popsection\n"
#else
#define RSEQ_SECTION ".pushsection .data.rseq_hidden, \"aw\"\n"
#define RSEQ_POINTER ""
#endif

#if defined(__x86_64__)
#define RSEQ_SIGNATURE 0x53053053 /* after the opcode of a ud1 */
#define RSEQ_SCRATCH "rax"
#elif defined(__aarch64__)
#define RSEQ_SIGNATURE 0xd428bc00 /* brk #0x45e0 */
#define RSEQ_SCRATCH "x9"
#else
#error "rseq_add needs this CPU's code"
#endif

enum { kRseqDone = 0, kRseqRestart = 1, kRseqOdd = 2 };

/* Adds `step` to counters[cpu * 8]. kRseqRestart: the kernel preempted the thread and aborted the section; nothing was
 * added. kRseqOdd: parity was odd; nothing was added. */
__attribute__((noinline, unused)) static int rseq_add(struct rseq* area, uint64_t* counters, uint64_t step,
                                                      uint64_t parity) {
  const uint32_t cpu = *(volatile uint32_t*)&area->cpu_id_start;
  __asm__ goto(
      RSEQ_SECTION
      ".balign 32\n"
      "91: .long 0, 0\n"
      ".quad 92f, 93f - 92f, 94f\n"
      ".popsection\n" RSEQ_POINTER
#if defined(__x86_64__)
      "leaq 91b(%%rip), %%rax\n"
      "movq %%rax, %c[pointer](%[area])\n"
      "92:\n"
      "cmpl %[cpu], %c[id](%[area])\n"
      "jne 94f\n"
      "testq $1, %[parity]\n"
      "jne %l[odd]\n"
      "addq %[step], (%[counter])\n"
      "93:\n"
      ".pushsection __rseq_failure, \"ax\"\n"
      ".byte 0x0f, 0xb9, 0x3d\n"
      ".long 0x53053053\n"
      "94: jmp %l[restart]\n"
      ".popsection\n"
#else
      "adrp x9, 91b\n"
      "add x9, x9, :lo12:91b\n"
      "str x9, [%[area], %[pointer]]\n"
      "92:\n"
      "ldr w9, [%[area], %[id]]\n"
      "cmp w9, %w[cpu]\n"
      "b.ne 94f\n"
      "tst %[parity], #1\n"
      "b.ne %l[odd]\n"
      "ldr x9, [%[counter]]\n"
      "add x9, x9, %[step]\n"
      "str x9, [%[counter]]\n"
      "93:\n"
      ".pushsection __rseq_failure, \"ax\"\n"
      ".inst 0xd428bc00\n"
      "94: b %l[restart]\n"
      ".popsection\n"
#endif
      :
      : [area] "r"(area), [cpu] "r"(cpu), [parity] "r"(parity), [step] "r"(step), [counter] "r"(&counters[cpu * 8]),
        [pointer] "i"(__builtin_offsetof(struct rseq, rseq_cs)), [id] "i"(__builtin_offsetof(struct rseq, cpu_id))
      : RSEQ_SCRATCH, "memory", "cc"
      : odd, restart);
  return kRseqDone;
odd:
  return kRseqOdd;
restart:
  return kRseqRestart;
}

#endif
