/* Preloaded into a program in the guest: marks for path_plugin.cc where its path begins and ends, and saves its
 * mappings.
 *
 * It follows softlbr's own preload library in LD_PRELOAD, so its constructor runs before that library's, and its
 * destructor after. It acts only in a program that softlbr records. SOFTLBR_PATH_MAPS names the file for the mappings,
 * as they are at the end.
 * The marks are instructions without effect (path_log.h). */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int IsRecorded;

__attribute__((constructor)) static void Begin(void) {
  const char* preloaded = getenv("LD_PRELOAD");
  if (getenv("SOFTLBR_PATH_MAPS") == NULL || preloaded == NULL || strstr(preloaded, "libsoftlbr_preload") == NULL)
    return;
  IsRecorded = 1;
  __asm__ volatile("movz xzr, #0x5b1e");
}

__attribute__((destructor)) static void End(void) {
  char text[4096];
  ssize_t size;
  if (!IsRecorded) return;
  __asm__ volatile("movz xzr, #0x5b1f");
  const int from = open("/proc/self/maps", O_RDONLY);
  const int to = open(getenv("SOFTLBR_PATH_MAPS"), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  while ((size = read(from, text, sizeof text)) > 0) {
    if (write(to, text, (size_t)size) != size) _exit(99);
  }
  close(to);
  close(from);
}
