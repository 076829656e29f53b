/* Use: torture rounds N | torture seconds N | torture child SEED
 *
 * Prints one line for each part and round: "ROUND PART CHECKSUM". ROUND counts to TORTURE_ROUNDS and begins again, so
 * that a run of any length can be compared with one of TORTURE_ROUNDS without softlbr. Other lines begin with #: "#
 * resident KB" after a round.
 */
#include "torture.h"

#include <dirent.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { TORTURE_ROUNDS = 8 };

const char *torture_folder;
const char *torture_self;

static const struct part {
  const char *name;
  torture_part run;
} parts[] = {
    {"threads", torture_threads},     {"timers", torture_timers},     {"jumps", torture_jumps},
    {"blocked", torture_blocked},     {"children", torture_children}, {"libraries", torture_libraries},
    {"code", torture_generated_code}, {"memory", torture_memory},     {"sockets", torture_sockets},
};
enum { PART_COUNT = sizeof parts / sizeof parts[0] };

struct task {
  torture_part run;
  uint64_t seed, sum;
};

__attribute__((noinline)) uint64_t torture_mix(uint64_t seed, uint64_t rounds) {
  uint64_t state = seed * 0x9e3779b97f4a7c15ull | 1, odd = seed;
  for (uint64_t i = 0; i < rounds; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    if (state & 3) odd += state % 7;
    if ((state & 63) == 9) odd ^= state;
  }
  return odd;
}

static void *run_task(void *argument) {
  struct task *task = argument;
  task->sum = task->run(task->seed);
  return NULL;
}

static long resident_kb(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  MUST(file != NULL && fscanf(file, "%*d %ld", &pages) == 1);
  fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Closes perf events, which this program did not open: it has them only when it is profiled. Low numbers are left
 * alone: a perf event has one for a moment (the kernel hands out the lowest), and a socket of another part may have it
 * the next moment. */
enum { LEAST_FOREIGN = 256 };
static void close_foreign_descriptors(void) {
  int numbers[512], count = 0;
  DIR *folder = opendir("/proc/self/fd");
  MUST(folder != NULL);
  for (struct dirent *entry; (entry = readdir(folder)) != NULL && count < 512;) {
    char path[300], target[64] = "";
    snprintf(path, sizeof path, "/proc/self/fd/%s", entry->d_name);
    const int number = atoi(entry->d_name);
    if (number < LEAST_FOREIGN || readlink(path, target, sizeof target - 1) <= 0) continue;
    if (strstr(target, "perf_event") != NULL) numbers[count++] = number;
  }
  closedir(folder);
  for (int i = 0; i < count; ++i) close(numbers[i]);
}

static void run_round(uint64_t number) {
  pthread_t threads[PART_COUNT];
  struct task tasks[PART_COUNT];
  const uint64_t round = number % TORTURE_ROUNDS;
  for (int i = 0; i < PART_COUNT; ++i) {
    tasks[i] = (struct task){parts[i].run, round * 100 + (uint64_t)i + 1, 0};
    MUST(pthread_create(&threads[i], NULL, run_task, &tasks[i]) == 0);
  }
  if (number % 5 == 3) close_foreign_descriptors();
  for (int i = 0; i < PART_COUNT; ++i) MUST(pthread_join(threads[i], NULL) == 0);
  for (int i = 0; i < PART_COUNT; ++i)
    printf("%d %s %016llx\n", (int)round, parts[i].name, (unsigned long long)tasks[i].sum);
  printf("# resident %ld\n", resident_kb());
  fflush(stdout);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int main(int count, char **arguments) {
  MUST(count == 3);
  const char *unit = arguments[1];
  const unsigned long long amount = strtoull(arguments[2], NULL, 10);
  if (strcmp(unit, "child") == 0) {
    printf("%016llx\n", (unsigned long long)torture_mix(amount, 3000));
    return (int)(amount % 100);
  }
  static char self[PATH_MAX], folder[PATH_MAX];
  MUST(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
  torture_self = self;
  torture_folder = dirname(strcpy(folder, self));
  const struct rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  torture_install_handlers();
  const struct itimerval often = {{0, 3000}, {0, 3000}}; /* SIGALRM to any thread */
  setitimer(ITIMER_REAL, &often, NULL);
  const double begin = now();
  for (uint64_t round = 0; strcmp(unit, "rounds") == 0 ? round < amount : now() - begin < (double)amount; ++round)
    run_round(round);
  return 0;
}
