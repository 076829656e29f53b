/* Loads a plugin that carries the runtime and can be triggered, without knowing softlbr: opens it, lets it be
 * triggered, closes it, and all of it once more.
 *
 * Use: PROGRAM PLUGIN FOLDER
 * Exit 0, or what the plugin returned, or 100: it could not be loaded, or 103: it left a task behind. */
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>

static int CountTasks(void) {
  int count = 0;
  DIR* folder = opendir("/proc/self/task");
  while (folder != NULL && readdir(folder) != NULL) ++count;
  if (folder != NULL) closedir(folder);
  return count;
}

int main(int count, char** arguments) {
  static const char* const kNames[] = {"round1", "round2"};
  if (count != 3) return 100;
  for (int round = 0; round < 2; ++round) {
    const int tasks = CountTasks();
    void* plugin = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (plugin == NULL) {
      fprintf(stderr, "%s\n", dlerror());
      return 100;
    }
    int (*be_triggered)(const char*, const char*);
    *(void**)&be_triggered = dlsym(plugin, "PackageBeTriggered");
    const int result = be_triggered != NULL ? be_triggered(arguments[2], kNames[round]) : 100;
    dlclose(plugin);
    if (result != 0) return result;
    if (CountTasks() != tasks) return 103;
  }
  return 0;
}
