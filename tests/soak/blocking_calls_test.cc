// Blocking calls of every kind end as they would without sampling (hazard 23): none returns EINTR.
//
// SA_RESTART hides interruptions of calls that the kernel restarts; of these the test checks the result. Calls that are
// never restarted (nanosleep, poll, epoll, select, futex with a timeout, sigtimedwait, System V queues and semaphores,
// sockets with a timeout) show an interruption as EINTR.
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <functional>
#include <map>
#include <semaphore>
#include <thread>

#include "tests/soak/soak_session.h"

namespace softlbr {
namespace {

constexpr long kWaitNs = 400000;

timespec After(clockid_t clock, long ns) {
  timespec time;
  clock_gettime(clock, &time);
  time.tv_nsec += ns;
  time.tv_sec += time.tv_nsec / 1000000000;
  time.tv_nsec %= 1000000000;
  return time;
}

void BurnUs(uint64_t us) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(us);
  while (std::chrono::steady_clock::now() < end) (void)Work(200);
}

// One kind of call: blocks once for about kWaitNs and tells whether it ended as it should.
struct Blocking {
  std::string name;
  std::function<bool()> call;
};

// A thread that does what the caller's next call waits for, a little after it was asked to. It is sampled too.
class Helper {
 public:
  Helper() : thread_([this] { Run(); }) {}
  ~Helper() {
    Ask({});
    thread_.join();
  }
  void Ask(std::function<void()> what) {
    what_ = std::move(what);
    asked_.release();
  }

 private:
  void Run() {
    for (;;) {
      asked_.acquire();
      if (!what_) return;
      BurnUs(static_cast<uint64_t>(kWaitNs) / 1000);
      what_();
    }
  }
  std::counting_semaphore<> asked_{0};
  std::function<void()> what_;
  std::thread thread_;
};

class BlockingCalls : public SoakSession {
 protected:
  ~BlockingCalls() override {
    for (const int fd : descriptors_) close(fd);
    if (queue_ >= 0) msgctl(queue_, IPC_RMID, nullptr);
    if (semaphores_ >= 0) semctl(semaphores_, 0, IPC_RMID);
  }
  int Keep(int fd) {
    EXPECT_GE(fd, 0);
    descriptors_.push_back(fd);
    return fd;
  }
  // In the running session, which it stops.
  void ExpectNoInterruption(uint64_t least_calls);
  std::vector<Blocking> AllKinds(Helper* helper);
  void AddTimeouts(std::vector<Blocking>* kinds);
  void AddDescriptors(std::vector<Blocking>* kinds, Helper* helper);
  void AddMessages(std::vector<Blocking>* kinds, Helper* helper);

  std::vector<int> descriptors_;
  int queue_ = -1;
  int semaphores_ = -1;
  uint32_t word_ = 0;
  uint64_t samples_ = 0;
};

// Calls that end by their own timeout.
void BlockingCalls::AddTimeouts(std::vector<Blocking>* kinds) {
  const timespec wait = {0, kWaitNs};
  const int never = Keep(eventfd(0, EFD_CLOEXEC));
  const int set = Keep(epoll_create1(EPOLL_CLOEXEC));
  epoll_event event = {};
  event.events = EPOLLIN;
  epoll_ctl(set, EPOLL_CTL_ADD, never, &event);
  kinds->push_back({"nanosleep", [=] { return nanosleep(&wait, nullptr) == 0; }});
  kinds->push_back({"clock_nanosleep", [] {
                      const timespec until = After(CLOCK_MONOTONIC, kWaitNs);
                      return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == 0;
                    }});
  kinds->push_back({"poll", [=] {
                      pollfd entry = {never, POLLIN, 0};
                      return poll(&entry, 1, 1) == 0;
                    }});
  kinds->push_back({"ppoll", [=] {
                      pollfd entry = {never, POLLIN, 0};
                      return ppoll(&entry, 1, &wait, nullptr) == 0;
                    }});
  kinds->push_back({"select", [=] {
                      timeval time = {0, kWaitNs / 1000};
                      fd_set read_set;
                      FD_ZERO(&read_set);
                      FD_SET(never, &read_set);
                      return select(never + 1, &read_set, nullptr, nullptr, &time) == 0;
                    }});
  kinds->push_back({"epoll_wait", [=] {
                      epoll_event got;
                      return epoll_wait(set, &got, 1, 1) == 0;
                    }});
  kinds->push_back({"futex with a timeout", [=, this] {
                      return syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, 0, &wait, nullptr, 0) == -1 &&
                             errno == ETIMEDOUT;
                    }});
  kinds->push_back({"sigtimedwait", [=] {
                      sigset_t set_of_one;
                      sigemptyset(&set_of_one);
                      sigaddset(&set_of_one, SIGUSR2);
                      return sigtimedwait(&set_of_one, nullptr, &wait) == -1 && errno == EAGAIN;
                    }});
  kinds->push_back({"sem_timedwait", [] {
                      sem_t semaphore;
                      sem_init(&semaphore, 0, 0);
                      const timespec until = After(CLOCK_REALTIME, kWaitNs);
                      return sem_timedwait(&semaphore, &until) == -1 && errno == ETIMEDOUT;
                    }});
  semaphores_ = semget(IPC_PRIVATE, 1, 0600);
  kinds->push_back({"semtimedop", [=, this] {
                      sembuf take = {0, -1, 0};
                      return semtimedop(semaphores_, &take, 1, &wait) == -1 && errno == EAGAIN;
                    }});
  int pair[2];
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair), 0);
  for (const int fd : pair) Keep(fd);
  const timeval limit = {0, kWaitNs / 1000};
  setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  kinds->push_back({"recv with SO_RCVTIMEO", [=] {
                      char byte;
                      return recv(pair[0], &byte, 1, 0) == -1 && errno == EAGAIN;
                    }});
}

// Calls that end when a descriptor becomes ready.
void BlockingCalls::AddDescriptors(std::vector<Blocking>* kinds, Helper* helper) {
  auto read_one = [](int fd) {
    char byte;
    return read(fd, &byte, 1) == 1;
  };
  auto write_one = [](int fd) { (void)!write(fd, "x", 1); };
  int ends[2];
  EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const int from = Keep(ends[0]);
  const int to = Keep(ends[1]);
  kinds->push_back({"read of a pipe", [=] {
                      helper->Ask([=] { write_one(to); });
                      return read_one(from);
                    }});
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const int here = Keep(ends[0]);
  const int there = Keep(ends[1]);
  kinds->push_back({"read of a socket", [=] {
                      helper->Ask([=] { write_one(there); });
                      return read_one(here);
                    }});
  const int listener = Keep(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  EXPECT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(listen(listener, 4), 0);
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length);
  kinds->push_back({"accept", [=] {
                      helper->Ask([=] {
                        const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
                        (void)!connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address);
                        close(client);
                      });
                      const int accepted = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
                      return accepted >= 0 && close(accepted) == 0;
                    }});
  const int event = Keep(eventfd(0, EFD_CLOEXEC));
  kinds->push_back({"read of an eventfd", [=] {
                      helper->Ask([=] { eventfd_write(event, 3); });
                      eventfd_t value = 0;
                      return eventfd_read(event, &value) == 0 && value == 3;
                    }});
  const int timer = Keep(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC));
  kinds->push_back({"read of a timerfd", [=] {
                      const itimerspec once = {{0, 0}, {0, kWaitNs}};
                      timerfd_settime(timer, 0, &once, nullptr);
                      uint64_t expirations = 0;
                      return read(timer, &expirations, sizeof expirations) == sizeof expirations;
                    }});
  char path[] = "/tmp/softlbr_lock_XXXXXX";
  const int holder = Keep(mkstemp(path));
  const int taker = Keep(open(path, O_RDWR | O_CLOEXEC));
  unlink(path);
  kinds->push_back({"flock", [=] {
                      flock(holder, LOCK_EX);
                      helper->Ask([=] { flock(holder, LOCK_UN); });
                      return flock(taker, LOCK_EX) == 0 && flock(taker, LOCK_UN) == 0;
                    }});
}

// Calls that another thread or a child ends.
void BlockingCalls::AddMessages(std::vector<Blocking>* kinds, Helper* helper) {
  struct Message {
    long type;
    char text[8];
  };
  queue_ = msgget(IPC_PRIVATE, 0600);
  kinds->push_back({"msgrcv", [=, this] {
                      helper->Ask([=, this] {
                        const Message message = {1, "hello"};
                        msgsnd(queue_, &message, sizeof message.text, 0);
                      });
                      Message message = {};
                      return msgrcv(queue_, &message, sizeof message.text, 0, 0) == sizeof message.text;
                    }});
  kinds->push_back({"futex", [=, this] {
                      __atomic_store_n(&word_, 0u, __ATOMIC_SEQ_CST);
                      helper->Ask([this] {
                        __atomic_store_n(&word_, 1u, __ATOMIC_SEQ_CST);
                        syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
                      });
                      bool is_right = true;
                      while (__atomic_load_n(&word_, __ATOMIC_SEQ_CST) == 0 && is_right) {
                        const long result = syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, 0, nullptr, nullptr, 0);
                        is_right = result == 0 || errno == EAGAIN;
                      }
                      __atomic_store_n(&word_, 0u, __ATOMIC_SEQ_CST);
                      return is_right;
                    }});
  kinds->push_back({"sem_wait", [=] {
                      static sem_t semaphore;
                      sem_init(&semaphore, 0, 0);
                      helper->Ask([] { sem_post(&semaphore); });
                      return sem_wait(&semaphore) == 0;
                    }});
  kinds->push_back({"waitpid", [] {
                      const pid_t child = fork();
                      if (child == 0) {
                        usleep(kWaitNs / 1000);
                        _exit(5);
                      }
                      int status = 0;
                      return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 5;
                    }});
}

std::vector<Blocking> BlockingCalls::AllKinds(Helper* helper) {
  std::vector<Blocking> kinds;
  AddTimeouts(&kinds);
  AddDescriptors(&kinds, helper);
  AddMessages(&kinds, helper);
  return kinds;
}

void BlockingCalls::ExpectNoInterruption(uint64_t least_calls) {
  sigset_t user_signal;
  sigemptyset(&user_signal);
  sigaddset(&user_signal, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &user_signal, nullptr);
  {
    Helper helper;
    const std::vector<Blocking> kinds = AllKinds(&helper);
    const uint64_t rounds = (least_calls + kinds.size() - 1) / kinds.size();
    std::map<std::string, uint64_t> wrong;
    uint64_t calls = 0;
    for (uint64_t round = 0; round < rounds; ++round) {
      for (const Blocking& kind : kinds) {
        BurnUs(300);  // one or two samples between any two calls, sometimes one during the entry of a call
        errno = 0;
        ++calls;
        if (!kind.call()) ++wrong[kind.name + ": " + std::strerror(errno)];
      }
    }
    EXPECT_GE(calls, least_calls);
    for (const auto& [what, count] : wrong) ADD_FAILURE() << count << " times " << what;
    samples_ = Counters().samples;
    RecordProperty("calls", static_cast<int>(calls));
    RecordProperty("samples", static_cast<int>(samples_));
  }
  ASSERT_EQ(softlbr_stop(), SOFTLBR_OK);
  ExpectEverySampleAccounted(Read().counters);
  pthread_sigmask(SIG_UNBLOCK, &user_signal, nullptr);
}

TEST_F(BlockingCalls, NoneOf3200FailsWithEintr) {
  constexpr uint64_t kCalls = 3200;
  options_.period = 200003;  // 5 kHz
  START_OR_SKIP();
  ExpectNoInterruption(kCalls);
  EXPECT_GT(samples_, kCalls) << "more than one sample a call";
}

// A counter's interrupt may come a few instructions late, when the thread has already entered the kernel: where that
// would show, the best event is a clock.
TEST_F(BlockingCalls, NoneFailsWithEintrByTheBestEvent) {
  constexpr uint64_t kCalls = 640;
  options_.event = SOFTLBR_EVENT_BEST;
  options_.period = 200003;
  options_.max_overhead_ppm = 1000000;
  START_OR_SKIP();
  softlbr_options chosen{};
  chosen.struct_size = sizeof chosen;
  ASSERT_EQ(softlbr_get_options(&chosen), SOFTLBR_OK);
  if (chosen.event == SOFTLBR_EVENT_THREAD_TIMER) GTEST_SKIP() << "needs perf_event_open";
  ExpectNoInterruption(kCalls);
  EXPECT_GT(samples_, 0u);
}

}  // namespace
}  // namespace softlbr
