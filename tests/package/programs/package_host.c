/* Loads a plugin that carries the runtime, without knowing softlbr.
 *
 * Use: PROGRAM PLUGIN PROFILE            the plugin records, from begin to end
 *      PROGRAM PLUGIN PROFILE unload     the host closes the plugin in the middle of the session, works on, opens it
 *                                        again and ends it PROGRAM PLUGIN PROFILE leave the host closes the plugin in
 *                                        the middle of the session, works on and exits
 *      PROGRAM PLUGIN PROFILE between    the plugin records and ends, is closed, opened again and records once more
 * Exit 0, or the status that the plugin returned, or 100: it could not be loaded. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef int (*BeginFunction)(const char*);
typedef int (*EndFunction)(void);
typedef void (*WorkFunction)(void);

static volatile unsigned long g_sum;
static void Work(void) {
  for (unsigned long i = 0; i < 40000000; ++i) {
    if ((i * 2654435761u & 64) != 0) g_sum += i;
  }
}

static void* Open(const char* path) {
  void* plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (plugin == NULL) fprintf(stderr, "%s\n", dlerror());
  return plugin;
}

static int Record(void* plugin, const char* profile) {
  const int begun = ((BeginFunction)dlsym(plugin, "PackageBegin"))(profile);
  if (begun == 0) ((WorkFunction)dlsym(plugin, "PackageWorkUntilSampled"))();
  return begun;
}

static int End(void* plugin) { return ((EndFunction)dlsym(plugin, "PackageEnd"))(); }

int main(int count, char** arguments) {
  const char* mode = count == 4 ? arguments[3] : "";
  void* plugin = Open(arguments[1]);
  if (plugin == NULL) return 100;
  int result = Record(plugin, arguments[2]);
  if (result != 0) return result;
  if (strcmp(mode, "between") == 0) {
    result = End(plugin);
    dlclose(plugin);
    Work();
    plugin = Open(arguments[1]);
    if (result != 0 || plugin == NULL) return 101;
    result = Record(plugin, arguments[2]);
    if (result != 0) return result;
  } else if (mode[0] != '\0') {
    dlclose(plugin);
    Work();
    if (strcmp(mode, "leave") == 0) return 0;
    plugin = Open(arguments[1]);
    if (plugin == NULL) return 100;
  }
  return End(plugin);
}
