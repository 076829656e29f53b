/* odd_execs WAY PROGRAM
 *
 *   blocked        works with every signal blocked, and becomes PROGRAM
 *   blocked_child  the same in a forked child
 *   fifo           tries to execute a FIFO, for which somebody waits who wants to write there
 *   preloads       a forked child becomes PROGRAM, with two values of LD_PRELOAD */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hazard_program.h"

static void become(char* program) {
  sigset_t all;
  sigfillset(&all);
  MUST(sigprocmask(SIG_BLOCK, &all, NULL) == 0);
  burn_ms(60);
  execl(program, program, NULL);
  MUST(0);
}

static void become_with_two_preloads(char* program) {
  char* arguments[] = {program, NULL};
  char* environment[] = {"LD_PRELOAD=", "A=b", "LD_PRELOAD=libm.so.6", NULL};
  burn_ms(20);
  execve(program, arguments, environment);
  MUST(0);
}

static int end_of(pid_t child) {
  int status = 0;
  MUST(waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void execute_fifo(void) {
  char folder[] = "/tmp/softlbr_odd_exec.XXXXXX", path[64];
  MUST(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/fifo", folder);
  MUST(mkfifo(path, 0700) == 0);
  const pid_t writer = fork();
  MUST(writer >= 0);
  if (writer == 0) {
    open(path, O_WRONLY); /* until somebody reads */
    _exit(9);
  }
  usleep(100000);
  execl(path, path, NULL);
  printf("exec: %s\n", strerror(errno));
  usleep(100000);
  kill(writer, SIGKILL);
  printf("writer: %d\n", end_of(writer));
  unlink(path);
  rmdir(folder);
}

int main(int argc, char** argv) {
  MUST(argc == 3);
  if (strcmp(argv[1], "blocked") == 0) become(argv[2]);
  if (strcmp(argv[1], "fifo") == 0) {
    execute_fifo();
    return 3;
  }
  burn_ms(20);
  const pid_t child = fork();
  MUST(child >= 0);
  if (child == 0 && strcmp(argv[1], "preloads") == 0) become_with_two_preloads(argv[2]);
  if (child == 0) become(argv[2]);
  printf("child: %d\n", end_of(child));
  return 3;
}
