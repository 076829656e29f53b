// An app as phones have it: an event loop, background threads, exceptions, a crash handler of its own on an alternate
// stack. It records sessions into a spool, and serves `softlbr trigger` from its event loop, without a thread of
// softlbr's.
//
//  c++ -pthread mobile_app.cc $(pkg-config --cflags --libs softlbr-control softlbr-spool softlbr-compact) -o mobile_app
//  ./mobile_app FOLDER
//
// FOLDER is private to the user: FOLDER/spool keeps the sessions, FOLDER has the control socket. Without FOLDER nothing
// is recorded. Standard input has a command a line. Each is answered by lines on standard output, of which the last is
// "ok":
//   job N   a background thread works         fork N   a forked child works          begin, end   a session
//   crash   writes through a null pointer     quit
#include <fcntl.h>
#include <poll.h>
#include <softlbr/compact.h>
#include <softlbr/control.h>
#include <softlbr/decoders.h>
#include <softlbr/softlbr.h>
#include <softlbr/spool.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

// Work whose branches depend on data, with an exception now and then.
uint64_t Step(uint64_t n) {
  if (n % 4093 == 0) throw std::runtime_error("unlucky");
  return (n & 1) != 0 ? 3 * n + 1 : n / 2;
}

uint64_t Work(uint64_t seed) {
  uint64_t sum = 0;
  for (uint64_t start = seed; start < seed + 20000; ++start) {
    uint64_t n = start;
    try {
      for (; n > 1; ++sum) n = Step(n);
    } catch (const std::runtime_error&) {
      sum += 1000003;
    }
  }
  return sum;
}

// Crash reporters run on a stack of their own, because the thread's may be the cause. This one leaves softlbr alone:
// what the session had recorded is kept by the spool's next open.
alignas(16) char g_crash_stack[64 << 10];

void OnCrash(int signal) {
  constexpr char kText[] = "crashed\n";
  (void)!write(1, kText, sizeof kText - 1);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void InstallCrashHandler() {
  stack_t stack{};
  stack.ss_sp = g_crash_stack;
  stack.ss_size = sizeof g_crash_stack;
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_handler = OnCrash;
  action.sa_flags = SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT}) sigaction(signal, &action, nullptr);
}

// Background threads. Results wake the event loop through a descriptor.
class Workers {
 public:
  explicit Workers(unsigned count) {
    for (unsigned i = 0; i < count; ++i) threads_.emplace_back([this] { Run(); });
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      is_ending_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    close(done_fd_);
  }
  void Post(uint64_t seed) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      seeds_.push_back(seed);
    }
    changed_.notify_one();
  }
  int done_fd() const { return done_fd_; }
  uint64_t TakeResult() {
    uint64_t ignored = 0;
    (void)!read(done_fd_, &ignored, sizeof ignored);
    const std::lock_guard<std::mutex> lock(mutex_);
    return result_;
  }

 private:
  void Run() {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return is_ending_ || !seeds_.empty(); });
      if (is_ending_) return;
      const uint64_t seed = seeds_.front();
      seeds_.pop_front();
      lock.unlock();
      const uint64_t result = Work(seed);
      lock.lock();
      result_ = result;
      const uint64_t one = 1;
      (void)!write(done_fd_, &one, sizeof one);
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<uint64_t> seeds_;
  uint64_t result_ = 0;
  bool is_ending_ = false;
  int done_fd_ = eventfd(0, EFD_CLOEXEC);
  std::vector<std::thread> threads_;
};

// All that the app does with softlbr. Its errors go to standard error; the app works on.
class Recorder {
 public:
  explicit Recorder(const char* folder) {
    if (folder == nullptr) return;
    const std::string spool_folder = std::string(folder) + "/spool";
    softlbr_spool_options where{};
    where.struct_size = sizeof where;
    where.folder = spool_folder.c_str();
    where.max_files = 1000;
    where.compact = softlbr_compact;
    Say("spool", softlbr_spool_open(&spool_, &where), softlbr_spool_status_text);
    Say("decoder", softlbr_register_decoder(SOFTLBR_HOST_DECODER()), softlbr_status_text);
    softlbr_control_options control{};
    control.struct_size = sizeof control;
    control.flags = SOFTLBR_CONTROL_NO_THREAD;
    control.folder = folder;
    Say("control", softlbr_control_start(&control), softlbr_status_text);
    is_on_ = true;
  }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder() {
    if (!is_on_) return;
    (void)softlbr_control_stop();
    (void)softlbr_spool_close(&spool_);
  }
  int fd() const { return is_on_ ? softlbr_control_descriptor() : -1; }
  void Serve() { (void)softlbr_control_poll(); }
  void Begin() {
    if (!is_on_) return;
    // The descriptor, not the sink: so the end of the profile is kept even if the app crashes.
    softlbr_options options{};
    options.struct_size = sizeof options;
    options.frequency_hz = 1999;
    Say("spool", softlbr_spool_descriptor(&spool_, &options.sink_fd), softlbr_spool_status_text);
    Say("start", softlbr_start(&options), softlbr_status_text);
  }
  void End() {
    if (!is_on_) return;
    Say("stop", softlbr_stop(), softlbr_status_text);
    Say("commit", softlbr_spool_commit(&spool_), softlbr_spool_status_text);
  }

 private:
  static void Say(const char* what, int status, const char* (*text)(int)) {
    if (status != 0) std::fprintf(stderr, "mobile_app: %s: %s\n", what, text(status));
  }
  softlbr_spool spool_{};
  bool is_on_ = false;
};

int Forked(uint64_t seed) {
  const pid_t child = fork();
  if (child == 0) _exit(static_cast<int>(Work(seed) % 100));
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

class App {
 public:
  explicit App(const char* folder) : recorder_(folder) {}

  int Run() {
    for (;;) {
      pollfd sources[] = {{is_busy_ ? -1 : 0, POLLIN, 0}, {workers_.done_fd(), POLLIN, 0}, {recorder_.fd(), POLLIN, 0}};
      if (poll(sources, 3, -1) < 0) continue;
      if (sources[2].revents != 0) recorder_.Serve();
      if (sources[1].revents != 0) {
        std::printf("job = %llu\n", static_cast<unsigned long long>(workers_.TakeResult()));
        is_busy_ = false;
        Answer();
      }
      if (sources[0].revents == 0) continue;
      char line[64];
      size_t bytes = 0;
      while (bytes + 1 < sizeof line && read(0, line + bytes, 1) == 1 && line[bytes] != '\n') ++bytes;
      line[bytes] = '\0';
      if (bytes == 0 || std::strcmp(line, "quit") == 0) return 0;
      Do(line);
    }
  }

 private:
  static void Answer() {
    std::puts("ok");
    std::fflush(stdout);
  }
  void Do(const std::string& line) {
    if (line.rfind("job ", 0) == 0) {
      is_busy_ = true;
      workers_.Post(std::stoull(line.substr(4)));
      return;
    }
    if (line == "begin") recorder_.Begin();
    if (line == "end") recorder_.End();
    if (line.rfind("fork ", 0) == 0) std::printf("child = %d\n", Forked(std::stoull(line.substr(5))));
    if (line == "crash") *static_cast<volatile int*>(nothing_) = 1;
    Answer();
  }

  Recorder recorder_;
  Workers workers_{2};
  bool is_busy_ = false;
  void* volatile nothing_ = nullptr;
};

}  // namespace

int main(int count, char** arguments) {
  InstallCrashHandler();
  return App(count > 1 ? arguments[1] : nullptr).Run();
}
