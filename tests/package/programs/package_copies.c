/* Two plugins that each carry a copy of the runtime, in one process, loaded by a program that knows nothing of softlbr.
 *
 * Use: PROGRAM PLUGIN OTHER_PLUGIN PROFILE     the plugins are two files of the same content
 * While the first records, the second is refused with SOFTLBR_OTHER_RUNTIME (19) and leaves the first alone; when it
 * has ended, the second records; then the first again, which writes PROFILE. At the end both are closed, and opened and
 * closed once more.
 * Exit 0, or a number below that says what was wrong, or the status of the call that failed. */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

enum { kNotLoaded = 100, kNotRefused, kOneCopy, kSignalIsKept };
static const int kOtherRuntime = 19;

struct Plugin {
  void* handle;
  int (*begin)(const char*);
  void (*work)(void);
  int (*end)(void);
};

static int Load(const char* path, struct Plugin* plugin) {
  plugin->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (plugin->handle == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return kNotLoaded;
  }
  *(void**)&plugin->begin = dlsym(plugin->handle, "PackageBegin");
  *(void**)&plugin->work = dlsym(plugin->handle, "PackageWorkUntilSampled");
  *(void**)&plugin->end = dlsym(plugin->handle, "PackageEnd");
  return plugin->begin == NULL || plugin->work == NULL || plugin->end == NULL ? kNotLoaded : 0;
}

static int Record(const struct Plugin* plugin, const char* profile) {
  const int begun = plugin->begin(profile);
  if (begun != 0) return begun;
  plugin->work();
  return plugin->end();
}

static int Run(const char* first_path, const char* second_path, const char* profile) {
  struct Plugin first;
  struct Plugin second;
  int result = Load(first_path, &first);
  if (result == 0) result = Load(second_path, &second);
  if (result != 0) return result;
  if (first.begin == second.begin) return kOneCopy;
  result = first.begin("/dev/null");
  if (result != 0) return result;
  for (int i = 0; i < 3; ++i) {
    if (second.begin("/dev/null") != kOtherRuntime) return kNotRefused;
  }
  first.work(); /* is still sampled: PackageWorkUntilSampled ends only then, or after 5 s */
  result = first.end();
  if (result == 0) result = Record(&second, "/dev/null");
  if (result == 0) result = Record(&first, profile);
  struct sigaction action;
  sigaction(SIGTRAP, NULL, &action);
  if (result == 0 && action.sa_handler != SIG_DFL) return kSignalIsKept;
  dlclose(second.handle);
  dlclose(first.handle);
  return result;
}

int main(int count, char** arguments) {
  if (count != 4) return kNotLoaded;
  for (int i = 0; i < 2; ++i) {
    const int result = Run(arguments[1], arguments[2], arguments[3]);
    if (result != 0) return result;
  }
  return 0;
}
