/* Receives signals by waiting for them, after using CPU time with SIGTRAP blocked, so that a sample is pending; and
 * sends its
   process SIGTRAP. Prints the result of each wait. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "hazard_program.h"

enum { ROUNDS = 10, BURN_MS = 8 };

static volatile sig_atomic_t calls, own_codes;
static void count(int number, siginfo_t* info, void* context) {
  (void)number, (void)context;
  ++calls;
  own_codes += info->si_code == SI_TKILL || info->si_code == SI_USER;
}

static void by_kill(void) { MUST(kill(getpid(), SIGTRAP) == 0); }
static void blocked(const char* what, void (*send)(void)) {
  sigset_t trap, before;
  sigemptyset(&trap);
  sigaddset(&trap, SIGTRAP);
  calls = own_codes = 0;
  for (int i = 0; i < ROUNDS; ++i) {
    MUST(pthread_sigmask(SIG_BLOCK, &trap, &before) == 0);
    burn_ms(BURN_MS);
    send();
    burn_ms(BURN_MS);
    MUST(pthread_sigmask(SIG_SETMASK, &before, NULL) == 0);
  }
  printf("%s: %d calls, %d of our own\n", what, (int)calls, (int)own_codes);
}

/* Like the signal thread of a daemon: blocks all signals and waits for one after the other. */
static void* take_all(void* way) {
  sigset_t all;
  sigfillset(&all);
  MUST(pthread_sigmask(SIG_BLOCK, &all, NULL) == 0);
  int sum = 0, trap_codes = 0;
  const struct timespec second = {10, 0};
  for (int i = 0; i < ROUNDS; ++i) {
    const int sent = i % 3 == 0 ? SIGTRAP : SIGUSR1;
    burn_ms(BURN_MS);
    /* The kernel keeps only one pending SIGTRAP for a thread, so SIGTRAP is sent to the process. */
    MUST((sent == SIGTRAP ? kill(getpid(), sent) : pthread_kill(pthread_self(), sent)) == 0);
    siginfo_t info;
    memset(&info, 0, sizeof info);
    int taken = 0;
    if (way == NULL) {
      MUST(sigwait(&all, &taken) == 0);
    } else if (*(const char*)way == 'i') {
      taken = sigwaitinfo(&all, &info);
    } else {
      taken = sigtimedwait(&all, &info, &second);
    }
    sum += taken == sent;
    if (taken == SIGTRAP && way != NULL) trap_codes += info.si_code == SI_TKILL || info.si_code == SI_USER;
  }
  /* No signal is left. */
  burn_ms(BURN_MS);
  const struct timespec none = {0, 0};
  MUST(sigtimedwait(&all, NULL, &none) == -1 && errno == EAGAIN);
  const struct timespec a_little = {0, 50000000};
  const uint64_t begin = clock_ns(CLOCK_MONOTONIC);
  burn_ms(BURN_MS);
  MUST(sigtimedwait(&all, NULL, &a_little) == -1 && errno == EAGAIN);
  const uint64_t took = clock_ns(CLOCK_MONOTONIC) - begin;
  printf("%s: %d as sent, %d traps of our own, waited %s\n", way == NULL ? "sigwait" : (const char*)way, sum,
         trap_codes, took >= 50000000u ? "its time" : "too short");
  return NULL;
}

int main(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = count;
  action.sa_flags = SA_SIGINFO;
  MUST(sigaction(SIGTRAP, &action, NULL) == 0);
  blocked("kill", by_kill);
  sigset_t trap;
  sigemptyset(&trap);
  sigaddset(&trap, SIGTRAP);
  MUST(pthread_sigmask(SIG_BLOCK, &trap, NULL) == 0); /* otherwise this thread would receive them */
  char* const ways[] = {NULL, "info", "timed"};
  for (int i = 0; i < 3; ++i) {
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, take_all, ways[i]) == 0);
    MUST(pthread_join(thread, NULL) == 0);
  }
  MUST(pthread_sigmask(SIG_UNBLOCK, &trap, NULL) == 0);
  burn_ms(100); /* the thread is sampled again */
  return 0;
}
