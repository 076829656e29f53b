/* An app that takes requests of a server, signed by `softlbr request`, and compares the signatures by libsodium.
 *
 * Use: PROGRAM KEY.pub REQUEST FOLDER PROFILE      FOLDER, a private one, keeps what the app remembers
 * The request with one bit changed anywhere that is signed, with one bit of its signature changed, and with another key
 * is refused; then it is taken and PROFILE written; then it is refused, because it was taken before. Exit 0, the status
 * of the call that failed, or a number below. */
#include <fcntl.h>
#include <poll.h>
#include <softlbr/control.h>
#include <softlbr/decoders.h>
#include <softlbr/verify_ed25519.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "package_recording.h"

enum { kNoFile = 101, kBadOneTaken, kOtherKeyTaken, kNotTaken, kNoEnd, kTakenTwice, kNotCounted };
enum { kMostRequestBytes = 664, kPatienceS = 60 };

static unsigned char g_key[SOFTLBR_ED25519_KEY_BYTES];
static int g_profile;
static int g_has_ended;

static int Keep(void* cookie, const void* bytes, size_t size) {
  (void)cookie;
  return write(g_profile, bytes, size) == (ssize_t)size ? 0 : 1;
}
static void Ended(void* cookie, int status) {
  (void)cookie;
  g_has_ended = status == SOFTLBR_OK;
}

static size_t ReadFile(const char* path, void* to, size_t most) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) return 0;
  const size_t got = fread(to, 1, most, file);
  fclose(file);
  return got;
}

static uint32_t RefusalOf(const unsigned char* bytes, size_t size) {
  uint32_t refusal = 0;
  const int status = softlbr_control_request(bytes, size, &refusal);
  return status == SOFTLBR_OK ? 0 : refusal != 0 ? refusal : 1000u + (uint32_t)status;
}

static int TakeOnlyWhatIsSigned(unsigned char* request, size_t size) {
  size_t bad = 0;
  for (size_t at = 8; at < size; at += 5, ++bad) { /* the head has refusals of its own */
    const unsigned char bit = (unsigned char)(1u << at % 8);
    request[at] ^= bit;
    const uint32_t refusal = RefusalOf(request, size);
    request[at] ^= bit;
    if (refusal != SOFTLBR_CONTROL_BAD_SIGNATURE && refusal != SOFTLBR_CONTROL_OUT_OF_RANGE &&
        refusal != SOFTLBR_CONTROL_MALFORMED)
      return kBadOneTaken;
  }
  g_key[7] ^= 16;
  const uint32_t other_key = RefusalOf(request, size);
  g_key[7] ^= 16;
  if (other_key != SOFTLBR_CONTROL_BAD_SIGNATURE) return kOtherKeyTaken;
  const uint32_t refusal = RefusalOf(request, size);
  if (refusal != 0) {
    fprintf(stderr, "refused: %u\n", refusal);
    return kNotTaken;
  }
  const time_t end = time(NULL) + kPatienceS;
  while (!g_has_ended && time(NULL) < end) {
    PackageWork(2000);
    struct pollfd waits = {softlbr_control_descriptor(), POLLIN, 0};
    if (poll(&waits, 1, 0) == 1) (void)softlbr_control_poll();
  }
  if (!g_has_ended) return kNoEnd;
  if (RefusalOf(request, size) != SOFTLBR_CONTROL_REPLAYED) return kTakenTwice;
  struct softlbr_control_counters counters;
  memset(&counters, 0, sizeof(counters));
  counters.struct_size = sizeof(counters);
  const int status = softlbr_control_get_counters(&counters);
  if (status != SOFTLBR_OK) return status;
  uint64_t refused = 0;
  for (int i = 0; i < SOFTLBR_CONTROL_REFUSALS; ++i) refused += counters.refused[i];
  return counters.sessions == 1 && refused == bad + 2 ? 0 : kNotCounted;
}

int main(int count, char** arguments) {
  unsigned char request[kMostRequestBytes];
  char state[600];
  if (count != 5 || ReadFile(arguments[1], g_key, sizeof(g_key)) != sizeof(g_key)) return kNoFile;
  const size_t size = ReadFile(arguments[2], request, sizeof(request));
  g_profile = open(arguments[4], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (size == 0 || g_profile < 0) return kNoFile;
  snprintf(state, sizeof(state), "%s/state", arguments[3]);
  struct softlbr_control_options options;
  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  options.flags = SOFTLBR_CONTROL_NO_THREAD;
  options.folder = arguments[3];
  options.program = "signed";
  options.largest_overhead_ppm = 1000000; /* samples enough on a machine that gives the program a tenth of a CPU */
  options.state_file = state;
  options.sink = Keep;
  options.ended = Ended;
  options.verify = softlbr_verify_ed25519;
  options.verify_cookie = g_key;
  int status = softlbr_register_decoder(SOFTLBR_HOST_DECODER());
  if (status == SOFTLBR_OK) status = softlbr_control_start(&options);
  if (status != SOFTLBR_OK) return status;
  const int result = TakeOnlyWhatIsSigned(request, size);
  status = softlbr_control_stop();
  close(g_profile);
  return result != 0 ? result : status;
}
