/* Calls functions that execute a program, with pointers that the kernel cannot read, and prints what each call says. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hazard_program.h"

static char echo[] = "/bin/echo";
static char nothing[] = "/nonexistent/program";
static char word[] = "A=b";

/* What ends where this begins is followed by a page that cannot be read. */
static char* end_of_memory(void) {
  char* pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MUST(pages != MAP_FAILED && mprotect(pages + 4096, 4096, PROT_NONE) == 0);
  return pages + 4096;
}

static char* unterminated(const char* text) { return memcpy(end_of_memory() - strlen(text), text, strlen(text)); }

static void try(const char* what, char* path, char** environment) {
  char* arguments[] = {"echo", "executed", NULL};
  errno = 0;
  execve(path, arguments, environment);
  printf("%s: execve %s\n", what, strerror(errno));
  errno = 0;
  execveat(AT_FDCWD, path, arguments, environment, 0);
  printf("%s: execveat %s\n", what, strerror(errno));
  pid_t child = 0;
  printf("%s: posix_spawn %s\n", what, strerror(posix_spawn(&child, path, NULL, NULL, arguments, environment)));
  fflush(stdout);
  child = vfork();
  if (child == 0) {
    execve(path, arguments, environment);
    _exit(errno);
  }
  int status = 0;
  MUST(waitpid(child, &status, 0) == child && WIFEXITED(status));
  printf("%s: vfork %s\n", what, strerror(WEXITSTATUS(status)));
}

int main(void) {
  char* const invalid = (char*)-1;
  char* usual[] = {word, NULL};
  char* with_invalid_text[] = {word, invalid, NULL};
  char* with_unterminated_text[] = {word, unterminated("C=d"), NULL};
  char* with_unterminated_preload[] = {unterminated("LD_PRELOAD=/lib"), NULL};
  char** without_end = (char**)end_of_memory() - 1;
  char** split = (char**)(end_of_memory() - 4); /* of its first pointer, half can be read */
  *without_end = word;
  burn_ms(30);
  for (int exists = 0; exists < 2; ++exists) {
    char* path = exists ? echo : nothing;
    try("variable of invalid address", path, with_invalid_text);
    try("variable without end", path, with_unterminated_text);
    try("LD_PRELOAD without end", path, with_unterminated_preload);
    try("variables without end", path, without_end);
    try("variables of unaligned address", path, split);
    try("variables of invalid address", path, (char**)invalid);
  }
  try("path of invalid address", invalid, usual);
  try("path without end", unterminated("/bin/echo"), usual);
  try("path without end, variable of invalid address", unterminated("/bin/echo"), with_invalid_text);
  return 3;
}
