/* Short-lived threads, locks, condition variables, sockets between threads. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "torture.h"

struct work {
  uint64_t seed, sum;
};

static void *do_work(void *argument) {
  struct work *work = argument;
  work->sum = torture_mix(work->seed, work->seed % 16 == 0 ? 100000 : 200);
  return NULL;
}

struct counted {
  pthread_mutex_t lock;
  pthread_cond_t turn;
  uint64_t value;
  unsigned next;
};
struct counter {
  struct counted *shared;
  unsigned number;
};

enum { COUNTERS = 4, TURNS = 60 };

static void *count_in_turn(void *argument) {
  const struct counter *counter = argument;
  struct counted *shared = counter->shared;
  for (int i = 0; i < TURNS; ++i) {
    pthread_mutex_lock(&shared->lock);
    while (shared->next != counter->number) pthread_cond_wait(&shared->turn, &shared->lock);
    shared->value = shared->value * 31 + torture_mix(counter->number + 1, 100);
    shared->next = (shared->next + 1) % COUNTERS;
    pthread_cond_broadcast(&shared->turn);
    pthread_mutex_unlock(&shared->lock);
  }
  return NULL;
}

uint64_t torture_threads(uint64_t seed) {
  uint64_t sum = 0;
  pthread_attr_t small;
  pthread_attr_init(&small);
  MUST(pthread_attr_setstacksize(&small, 65536) == 0);
  for (int i = 0; i < 150; ++i) {
    pthread_t threads[6];
    struct work work[6];
    for (unsigned t = 0; t < 6; ++t) {
      work[t] = (struct work){seed * 1000 + (uint64_t)i * 6 + t, 0};
      MUST(pthread_create(&threads[t], t % 2 ? &small : NULL, do_work, &work[t]) == 0);
    }
    for (unsigned t = 0; t < 6; ++t) {
      MUST(pthread_join(threads[t], NULL) == 0);
      sum = sum * 31 + work[t].sum;
    }
  }
  pthread_attr_destroy(&small);
  struct counted shared = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, seed, 0};
  pthread_t threads[COUNTERS];
  struct counter counters[COUNTERS];
  for (unsigned t = 0; t < COUNTERS; ++t) {
    counters[t] = (struct counter){&shared, t};
    MUST(pthread_create(&threads[t], NULL, count_in_turn, &counters[t]) == 0);
  }
  for (unsigned t = 0; t < COUNTERS; ++t) MUST(pthread_join(threads[t], NULL) == 0);
  return sum ^ shared.value;
}

static ssize_t read_fully(int fd, void *to, size_t size) {
  ssize_t got;
  while ((got = read(fd, to, size)) < 0 && errno == EINTR) {
  }
  return got;
}

struct echo {
  int fd;
  uint64_t seed;
};

enum { MESSAGES = 300 };

static void *answer(void *argument) {
  const struct echo *echo = argument;
  for (int i = 0; i < MESSAGES; ++i) {
    uint64_t value = 0;
    MUST(read_fully(echo->fd, &value, sizeof value) == sizeof value);
    value = torture_mix(value ^ echo->seed, 60);
    MUST(write(echo->fd, &value, sizeof value) == sizeof value);
  }
  return NULL;
}

uint64_t torture_sockets(uint64_t seed) {
  int ends[2];
  MUST(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
  struct echo echo = {ends[1], seed};
  pthread_t thread;
  MUST(pthread_create(&thread, NULL, answer, &echo) == 0);
  const int set = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event wanted = {.events = EPOLLIN};
  MUST(set >= 0 && epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &wanted) == 0);
  uint64_t value = seed, sum = 0;
  for (int i = 0; i < MESSAGES; ++i) {
    MUST(write(ends[0], &value, sizeof value) == sizeof value);
    if (i % 3 == 1) {
      struct pollfd entry = {ends[0], POLLIN, 0};
      while (poll(&entry, 1, -1) < 0 && errno == EINTR) {
      }
    } else if (i % 3 == 2) {
      struct epoll_event got;
      while (epoll_wait(set, &got, 1, -1) < 0 && errno == EINTR) {
      }
    }
    MUST(read_fully(ends[0], &value, sizeof value) == sizeof value);
    sum = sum * 31 + value;
  }
  MUST(pthread_join(thread, NULL) == 0);
  close(set);
  close(ends[0]);
  close(ends[1]);
  return sum;
}
