// A service with a thread pool that records a session whenever its operator asks, into a spool: here, for the second
// half of its requests.
//
//   c++ -std=c++17 thread_pool.cc $(pkg-config --cflags --libs softlbr softlbr-spool) -pthread -o thread_pool &&
//   ./thread_pool FOLDER
#include <softlbr/decoders.h>
#include <softlbr/softlbr.h>
#include <softlbr/spool.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

namespace {

constexpr unsigned kThreads = 4;
constexpr unsigned kRequests = 20000;

// Parses a generated text and counts what it has: branches that depend on data.
unsigned Handle(unsigned request) {
  uint32_t random = request * 2654435761u + 1;
  unsigned words = 0;
  bool is_in_word = false;
  for (int i = 0; i < 20000; ++i) {
    random = random * 1664525 + 1013904223;
    const bool is_letter = (random >> 24) % 5 != 0;
    words += is_letter && !is_in_word;
    is_in_word = is_letter;
  }
  return words;
}

// Handles the requests [first, end) with the pool, and returns their sum.
uint64_t Serve(unsigned first, unsigned end) {
  std::atomic<unsigned> next{first};
  std::atomic<uint64_t> sum{0};
  std::vector<std::thread> pool;
  for (unsigned i = 0; i < kThreads; ++i) {
    pool.emplace_back([&] {
      for (unsigned request = next++; request < end; request = next++) sum += Handle(request);
    });
  }
  for (std::thread& thread : pool) thread.join();
  return sum;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: thread_pool FOLDER\n");
    return 2;
  }
  static softlbr_spool spool;
  softlbr_spool_options where{};
  where.struct_size = sizeof where;
  where.folder = arguments[1];
  const int opened = softlbr_spool_open(&spool, &where);
  if (opened != SOFTLBR_SPOOL_OK) std::fprintf(stderr, "thread_pool: %s\n", softlbr_spool_status_text(opened));

  uint64_t words = Serve(0, kRequests / 2);

  softlbr_options options{};
  options.struct_size = sizeof options;
  options.frequency_hz = 1999;
  options.sink = softlbr_spool_sink;
  options.sink_cookie = &spool;
  softlbr_register_decoder(SOFTLBR_HOST_DECODER());
  const int started = opened == SOFTLBR_SPOOL_OK ? softlbr_start(&options) : SOFTLBR_WRONG_STATE;
  if (started != SOFTLBR_OK) std::fprintf(stderr, "thread_pool: not recorded: %s\n", softlbr_status_text(started));
  words += Serve(kRequests / 2, kRequests);
  if (started == SOFTLBR_OK && softlbr_stop() != SOFTLBR_OK) return 1;
  if (opened == SOFTLBR_SPOOL_OK && softlbr_spool_close(&spool) != SOFTLBR_SPOOL_OK) return 1;

  std::printf("%llu words\n", static_cast<unsigned long long>(words));
  return 0;
}
