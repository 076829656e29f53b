/* alone HOW: does what a program can tell the threads and processes of others by, and prints what it sees.
 *
 *   threads     counts its threads
 *   raw_exit    ends its only thread by the system call, with 3
 *   namespaces  enters a user namespace, and its own mount namespace
 *   time        (as root) enters its own time namespace, by each function for it
 *   memory      shares its memory and signal actions with nobody
 *   user        (as root) becomes another user, and looks for a child that remains root
 *   signals     sends a signal to each of its threads, and waits until each has answered
 *   children    waits for any child, and has none
 *   instances   counts the processes with its command line, and those with its name
 *   exec        executes itself by the system call, to count its threads there */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hazard_program.h"

enum { kOtherUser = 65534, kNewTime = 0x80 /* CLONE_NEWTIME */ };

static const char* error_of(int result) { return result == 0 ? "done" : strerror(errno); }

/* Calls visit with each number that names an entry of the folder. */
static void for_each_number(const char* folder, void (*visit)(int)) {
  DIR* entries = opendir(folder);
  MUST(entries != NULL);
  for (struct dirent* entry; (entry = readdir(entries)) != NULL;) {
    if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9') visit(atoi(entry->d_name));
  }
  closedir(entries);
}

static int g_count;
static void count(int unused) {
  (void)unused;
  ++g_count;
}

/* Counts the children of this process that another user owns. */
static void count_rights(int process) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/status", process);
  FILE* status = fopen(path, "r");
  int parent = 0, user = kOtherUser;
  for (char line[256]; status != NULL && fgets(line, sizeof line, status) != NULL;) {
    sscanf(line, "PPid: %d", &parent);
    sscanf(line, "Uid: %d", &user);
  }
  if (status != NULL) fclose(status);
  if (parent == getpid() && user != kOtherUser) ++g_count;
}

/* Reads a file of a process; its length. */
static size_t read_file(int process, const char* name, char* text, size_t room) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/%s", process, name);
  FILE* file = fopen(path, "r");
  if (file == NULL) return 0;
  const size_t bytes = fread(text, 1, room, file);
  fclose(file);
  return bytes;
}

static const char* g_file;
static void count_same(int process) {
  char own[512], other[512];
  const size_t bytes = read_file(getpid(), g_file, own, sizeof own);
  if (read_file(process, g_file, other, sizeof other) == bytes && memcmp(own, other, bytes) == 0) ++g_count;
}

static volatile sig_atomic_t g_answers;
static void answer(int unused) {
  (void)unused;
  __sync_fetch_and_add(&g_answers, 1);
}

static void ask(int thread) {
  if (syscall(SYS_tgkill, getpid(), thread, SIGUSR1) == 0) ++g_count;
}

static volatile int g_is_over;
static void* work(void* unused) {
  (void)unused;
  while (!g_is_over) turn(1000);
  return NULL;
}

int main(int argc, char** argv) {
  MUST(argc >= 2);
  const char* how = argv[1];
  burn_ms(30);
  if (strcmp(how, "threads") == 0) {
    for_each_number("/proc/self/task", count);
    printf("%d\n", g_count);
  } else if (strcmp(how, "raw_exit") == 0) {
    syscall(SYS_exit, 3);
  } else if (strcmp(how, "namespaces") == 0) {
    const int mounts = open("/proc/self/ns/mnt", O_RDONLY);
    printf("setns: %s\n", error_of(setns(mounts, CLONE_NEWNS)));
    printf("unshare: %s\n", error_of(unshare(CLONE_NEWUSER)));
  } else if (strcmp(how, "time") == 0) {
    const int clocks = open("/proc/self/ns/time", O_RDONLY);
    printf("setns: %s\n", error_of(setns(clocks, kNewTime)));
    burn_ms(20);
    printf("setns of any kind: %s\n", error_of(setns(clocks, 0)));
    burn_ms(20);
    printf("by syscall: %s\n", error_of((int)syscall(SYS_setns, clocks, kNewTime)));
    burn_ms(20);
    printf("another kind: %s\n", error_of(setns(clocks, CLONE_NEWNS)));
    for_each_number("/proc/self/task", count);
    printf("%d threads\n", g_count);
  } else if (strcmp(how, "memory") == 0) {
    for (int i = 0; i < 4; ++i) {
      static const int kinds[] = {CLONE_VM, CLONE_SIGHAND, CLONE_THREAD, CLONE_FILES};
      printf("unshare %#x: %s\n", (unsigned)kinds[i], error_of(unshare(kinds[i])));
      printf("by syscall: %s\n", error_of((int)syscall(SYS_unshare, kinds[i])));
      burn_ms(10);
    }
  } else if (strcmp(how, "user") == 0) {
    if (geteuid() == 0)
      MUST(setresgid(kOtherUser, kOtherUser, kOtherUser) == 0 && setresuid(kOtherUser, kOtherUser, kOtherUser) == 0);
    for (int tries = 0; tries < 500; ++tries) {
      g_count = 0;
      for_each_number("/proc", count_rights);
      if (g_count == 0) break;
      burn_ms(10);
    }
    printf("%d children keep their rights\n", g_count);
  } else if (strcmp(how, "signals") == 0) {
    signal(SIGUSR1, answer);
    pthread_t threads[3];
    for (int i = 0; i < 3; ++i) MUST(pthread_create(&threads[i], NULL, work, NULL) == 0);
    for_each_number("/proc/self/task", ask);
    for (int tries = 0; tries < 500 && g_answers != g_count; ++tries) burn_ms(10);
    printf("%d of %d answered\n", (int)g_answers, g_count);
    g_is_over = 1;
    for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  } else if (strcmp(how, "instances") == 0) {
    g_file = "cmdline";
    for_each_number("/proc", count_same);
    printf("%d by command line", g_count);
    g_count = 0;
    g_file = "comm";
    for_each_number("/proc", count_same);
    printf(", %d by name\n", g_count);
  } else if (strcmp(how, "children") == 0) {
    printf("wait: %s\n", error_of(waitpid(-1, NULL, 0)));
  } else {
    MUST(strcmp(how, "exec") == 0);
    char* arguments[] = {argv[0], (char*)"threads", NULL};
    syscall(SYS_execve, "/proc/self/exe", arguments, environ);
    return 98;
  }
  return 0;
}
