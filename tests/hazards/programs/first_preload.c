/* A preloaded library that puts itself in front of LD_PRELOAD of every program that is executed, as build recorders do.
 * Its path is in FIRST_PRELOAD. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int execve(const char* path, char* const* arguments, char* const* environment) {
  int (*next)(const char*, char* const*, char* const*) =
      (int (*)(const char*, char* const*, char* const*))dlsym(RTLD_NEXT, "execve");
  const char* own = getenv("FIRST_PRELOAD");
  static char text[8192];
  static char* entries[4096];
  int count = 0;
  snprintf(text, sizeof text, "LD_PRELOAD=%s", own);
  for (; *environment != NULL && count < 4094; ++environment) {
    if (strncmp(*environment, "LD_PRELOAD=", 11) != 0) {
      entries[count++] = *environment;
    } else if (strstr(*environment, own) == NULL) {
      snprintf(text, sizeof text, "LD_PRELOAD=%s:%s", own, *environment + 11);
    }
  }
  entries[count++] = text;
  entries[count] = NULL;
  return next(path, arguments, entries);
}
