/* epoll_server REQUESTS: a server thread answers REQUESTS requests of 16 connections, each a line to be counted and
 * sent back; two client threads of the same process send them. Prints the sum of the answers. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { kConnections = 16, kClients = 2, kLine = 240 };
static int g_pairs[kConnections][2];
static long g_requests;
static unsigned long g_sums[kClients];

static unsigned count(const char* line, long bytes) {
  unsigned sum = 0;
  for (long i = 0; i < bytes; ++i) {
    const char c = line[i];
    if (c >= 'a' && c <= 'm')
      sum = sum * 31 + (unsigned)c;
    else if (c == ' ')
      sum ^= 0x55;
    else
      sum += 7;
  }
  return sum;
}

static void* serve(void* unused) {
  const int set = epoll_create1(EPOLL_CLOEXEC);
  for (int i = 0; i < kConnections; ++i) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = g_pairs[i][0]};
    if (epoll_ctl(set, EPOLL_CTL_ADD, g_pairs[i][0], &event) != 0) abort();
  }
  for (long answered = 0; answered < g_requests;) {
    struct epoll_event events[kConnections];
    const int ready = epoll_wait(set, events, kConnections, -1);
    if (ready < 0) abort(); /* EINTR too: nothing here makes it happen */
    for (int i = 0; i < ready; ++i) {
      char line[kLine];
      const long bytes = recv(events[i].data.fd, line, sizeof line, 0);
      if (bytes != kLine) abort();
      const unsigned sum = count(line, bytes);
      if (send(events[i].data.fd, &sum, sizeof sum, 0) != sizeof sum) abort();
      ++answered;
    }
  }
  return unused;
}

static void* ask(void* index) {
  const long client = (long)index;
  char line[kLine];
  for (int i = 0; i < kLine; ++i) line[i] = (char)(i % 7 == 0 ? ' ' : 'a' + i % 26);
  for (long i = 0; i < g_requests / kConnections; ++i) {
    for (long c = client; c < kConnections; c += kClients) {
      line[(i + c) % kLine] ^= 1;
      if (send(g_pairs[c][1], line, kLine, 0) != kLine) abort();
    }
    for (long c = client; c < kConnections; c += kClients) {
      unsigned sum = 0;
      if (recv(g_pairs[c][1], &sum, sizeof sum, 0) != sizeof sum) abort();
      g_sums[client] += sum;
    }
  }
  return NULL;
}

int main(int argc, char** argv) {
  g_requests = (argc == 2 ? atol(argv[1]) : 200000) / kConnections * kConnections;
  for (int i = 0; i < kConnections; ++i) {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, g_pairs[i]) != 0) abort();
  }
  pthread_t threads[kClients + 1];
  pthread_create(&threads[kClients], NULL, serve, NULL);
  for (long i = 0; i < kClients; ++i) pthread_create(&threads[i], NULL, ask, (void*)i);
  for (int i = 0; i <= kClients; ++i) pthread_join(threads[i], NULL);
  printf("%lu\n", g_sums[0] + g_sums[1]);
  return 0;
}
