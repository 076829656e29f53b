/* After some work, executes another program by the exec function that its argument names. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "hazard_program.h"

int main(int argc, char** argv) {
  MUST(argc == 2);
  const char* how = argv[1];
  char* arguments[] = {"echo", "replaced", NULL};
  char* environment[] = {"A=b", NULL};
  burn_ms(60);
  if (strcmp(how, "execve") == 0) execve("/bin/echo", arguments, environment);
  if (strcmp(how, "execv") == 0) execv("/bin/echo", arguments);
  if (strcmp(how, "execvp") == 0) execvp("echo", arguments);
  if (strcmp(how, "execvpe") == 0) execvpe("echo", arguments, environment);
  if (strcmp(how, "fexecve") == 0) fexecve(open("/bin/echo", O_RDONLY | O_CLOEXEC), arguments, environment);
  if (strcmp(how, "execveat") == 0) execveat(AT_FDCWD, "/bin/echo", arguments, environment, 0);
  if (strcmp(how, "execl") == 0) execl("/bin/echo", "echo", "replaced", (char*)NULL);
  if (strcmp(how, "execlp") == 0) execlp("echo", "echo", "replaced", (char*)NULL);
  if (strcmp(how, "execle") == 0) execle("/usr/bin/env", "env", (char*)NULL, environment);
  if (strcmp(how, "fails") == 0) execl("/nonexistent/program", "program", (char*)NULL);
  burn_ms(30);
  puts("still here");
  return 4;
}
