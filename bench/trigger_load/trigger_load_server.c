/* A server with a thread for each connection, on the loopback, and the clients that load it. trigger_load.pl runs both.
 *
 * trigger_load_server serve FOLDER|-    Prints its port. It can be triggered by a socket in FOLDER; with "-" the
 *                                       library is never called. trigger_load_server load PORT CONNECTIONS CLIENTS
 *                                       CLIENTS threads, each with its share of the connections and one request at a
 *                                       time.
 *
 * Both read commands, a line each, and end with their input:
 *   serve: "count"      prints how many requests were answered
 *   serve: "watch"      waits for the next session and prints two times (CLOCK_MONOTONIC, ns): when its start began,
 *                       and when its first sample was seen, or 0 if it has ended without one
 *   load:  "run MS"     sends requests for so long, waits for the last answers, and prints answers, wrong answers and
 *                       the time in ns */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <softlbr/control.h>
#include <softlbr/decoders.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MUST(condition)                                              \
  do {                                                               \
    if (!(condition)) {                                              \
      fprintf(stderr, "trigger_load_server: %s (%m)\n", #condition); \
      exit(1);                                                       \
    }                                                                \
  } while (0)

enum { kLineBytes = 512, kLines = 64, kWords = 40, kRounds = 24, kMostClients = 16 };

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void make_line(unsigned number, char line[kLineBytes]) {
  uint32_t random = number * 2654435761u + 1;
  for (int i = 0; i < kLineBytes; ++i) {
    random = random * 1664525 + 1013904223;
    line[i] = (random >> 24) % 6 == 0 ? ' ' : (char)('a' + (random >> 16) % 26);
  }
}

/* Some 60 us: finds the words of a line and counts how often each hash occurs, in some rounds. Branches depend on the
 * data. */
static uint64_t answer(const char line[kLineBytes]) {
  uint64_t sum = 0;
  for (unsigned round = 0; round < kRounds; ++round) {
    unsigned counts[kWords] = {0};
    uint32_t hash = round;
    int is_in_word = 0;
    for (int i = 0; i < kLineBytes; ++i) {
      const char c = line[i];
      if (c == ' ') {
        if (is_in_word) ++counts[hash % kWords];
        is_in_word = 0;
        hash = round;
      } else {
        hash = hash * 31 + (uint32_t)c;
        if ((hash & 8) != 0) hash ^= hash >> 7;
        is_in_word = 1;
      }
    }
    for (int i = 0; i < kWords; ++i) sum = sum * 3 + counts[i];
  }
  return sum;
}

/* False at the end of the connection. */
static int receive(int fd, void* bytes, size_t size) {
  char* to = bytes;
  while (size != 0) {
    const ssize_t got = recv(fd, to, size, 0);
    if (got == 0) return 0;
    MUST(got > 0);
    to += got;
    size -= (size_t)got;
  }
  return 1;
}

static void set_undelayed(int fd) {
  const int yes = 1;
  MUST(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) == 0);
}

static struct sockaddr_in address_of(unsigned port) {
  struct sockaddr_in address;
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_port = htons((uint16_t)port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

/* --- server
 * ------------------------------------------------------------------------------------------------------------ */
static atomic_ullong g_answers;

static void* serve_connection(void* argument) {
  const int fd = (int)(intptr_t)argument;
  char line[kLineBytes];
  while (receive(fd, line, sizeof line)) {
    const uint64_t result = answer(line);
    MUST(send(fd, &result, sizeof result, MSG_NOSIGNAL) == sizeof result);
    atomic_fetch_add_explicit(&g_answers, 1, memory_order_relaxed);
  }
  close(fd);
  return NULL;
}

static void* accept_connections(void* argument) {
  for (;;) {
    const int fd = accept4((int)(intptr_t)argument, NULL, NULL, SOCK_CLOEXEC);
    MUST(fd >= 0);
    set_undelayed(fd);
    pthread_t thread;
    MUST(pthread_create(&thread, NULL, serve_connection, (void*)(intptr_t)fd) == 0);
    pthread_detach(thread);
  }
  return NULL;
}

/* Asked just before each softlbr_start, on the thread that calls it. */
static atomic_ullong g_start_ns;

static int note_start(void* unused) {
  (void)unused;
  atomic_store(&g_start_ns, now_ns());
  return 1;
}

static void start_control(const char* folder) {
  struct softlbr_control_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.folder = folder;
  options.highest_frequency_hz = 100000;
  options.condition = note_start;
  MUST(softlbr_register_decoder(SOFTLBR_HOST_DECODER()) == SOFTLBR_OK);
  MUST(softlbr_control_start(&options) == SOFTLBR_OK);
}
static void watch(void) {
  struct softlbr_counters counters;
  memset(&counters, 0, sizeof counters);
  counters.struct_size = sizeof counters;
  puts("watching");
  int has_begun = 0;
  for (;;) {
    const int status = softlbr_get_counters(&counters);
    if (status == SOFTLBR_OK && counters.samples != 0) break;
    if (status != SOFTLBR_OK && has_begun) {
      printf("%llu 0\n", (unsigned long long)atomic_load(&g_start_ns));
      return;
    }
    has_begun |= status == SOFTLBR_OK;
    usleep(200);
  }
  const unsigned long long seen_ns = now_ns();
  printf("%llu %llu\n", (unsigned long long)atomic_load(&g_start_ns), seen_ns);
}

static int serve(const char* folder) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct sockaddr_in address = address_of(0);
  socklen_t bytes = sizeof address;
  MUST(bind(listener, (struct sockaddr*)&address, bytes) == 0 && listen(listener, 512) == 0);
  MUST(getsockname(listener, (struct sockaddr*)&address, &bytes) == 0);
  pthread_t acceptor;
  MUST(pthread_create(&acceptor, NULL, accept_connections, (void*)(intptr_t)listener) == 0);
  const int can_be_triggered = strcmp(folder, "-") != 0;
  if (can_be_triggered) start_control(folder);
  printf("%u\n", ntohs(address.sin_port));
  char command[64];
  while (fgets(command, sizeof command, stdin) != NULL) {
    if (strcmp(command, "watch\n") == 0) {
      watch();
    } else {
      printf("%llu\n", atomic_load(&g_answers));
    }
  }
  if (can_be_triggered) MUST(softlbr_control_stop() == SOFTLBR_OK);
  return 0;
}

/* --- clients
 * ----------------------------------------------------------------------------------------------------------- */
struct Client {
  pthread_t thread;
  int first; /* of g_connections */
  int end;
  unsigned next_line;
  uint64_t answers;
  uint64_t wrong;
};
static int* g_connections;
static char g_lines[kLines][kLineBytes];
static uint64_t g_expected[kLines];
static uint64_t g_end_ns;

static void* ask(void* argument) {
  struct Client* client = argument;
  int at = client->first;
  while (now_ns() < g_end_ns) {
    const unsigned line = client->next_line++ % kLines;
    uint64_t result;
    MUST(send(g_connections[at], g_lines[line], kLineBytes, MSG_NOSIGNAL) == kLineBytes);
    MUST(receive(g_connections[at], &result, sizeof result));
    ++client->answers;
    client->wrong += result != g_expected[line];
    if (++at == client->end) at = client->first;
  }
  return NULL;
}

static int load(unsigned port, int connections, int clients) {
  MUST(clients >= 1 && clients <= kMostClients && connections >= clients);
  for (unsigned i = 0; i < kLines; ++i) {
    make_line(i, g_lines[i]);
    g_expected[i] = answer(g_lines[i]);
  }
  g_connections = malloc((size_t)connections * sizeof *g_connections);
  const struct sockaddr_in address = address_of(port);
  for (int i = 0; i < connections; ++i) {
    g_connections[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    MUST(connect(g_connections[i], (const struct sockaddr*)&address, sizeof address) == 0);
    set_undelayed(g_connections[i]);
  }
  puts("ready");
  struct Client all[kMostClients];
  memset(all, 0, sizeof all);
  for (int i = 0; i < clients; ++i) {
    all[i].first = connections * i / clients;
    all[i].end = connections * (i + 1) / clients;
    all[i].next_line = (unsigned)i;
  }
  unsigned ms;
  while (scanf(" run %u", &ms) == 1) {
    const uint64_t begin = now_ns();
    uint64_t answers = 0;
    uint64_t wrong = 0;
    g_end_ns = begin + ms * 1000000ull;
    for (int i = 0; i < clients; ++i) MUST(pthread_create(&all[i].thread, NULL, ask, &all[i]) == 0);
    for (int i = 0; i < clients; ++i) {
      MUST(pthread_join(all[i].thread, NULL) == 0);
      answers += all[i].answers;
      wrong += all[i].wrong;
      all[i].answers = all[i].wrong = 0;
    }
    printf("%llu %llu %llu\n", (unsigned long long)answers, (unsigned long long)wrong,
           (unsigned long long)(now_ns() - begin));
  }
  return 0;
}

int main(int count, char** arguments) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (count == 3 && strcmp(arguments[1], "serve") == 0) return serve(arguments[2]);
  if (count == 5 && strcmp(arguments[1], "load") == 0)
    return load((unsigned)atoi(arguments[2]), atoi(arguments[3]), atoi(arguments[4]));
  fprintf(stderr, "use: trigger_load_server serve FOLDER | load PORT CONNECTIONS CLIENTS\n");
  return 2;
}
