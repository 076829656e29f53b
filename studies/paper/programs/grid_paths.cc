// Shortest paths over a grid of random costs by A*, as 473.astar does: a heap, data-dependent conditions, loads that
// miss the caches.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <queue>
#include <vector>

namespace {

constexpr int kSize = 400;

struct Open {
  int estimate;
  int place;
  bool operator<(const Open& other) const { return estimate > other.estimate; }
};

int Distance(const std::vector<uint8_t>& cost, int from, int to) {
  std::vector<int> best(cost.size(), 1 << 30);
  std::priority_queue<Open> open;
  best[from] = 0;
  open.push({0, from});
  while (!open.empty()) {
    const Open now = open.top();
    open.pop();
    if (now.place == to) return best[to];
    const int x = now.place % kSize;
    const int y = now.place / kSize;
    if (now.estimate > best[now.place] + std::abs(x - to % kSize) + std::abs(y - to / kSize)) continue;
    const int steps[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    for (const auto& step : steps) {
      const int nx = x + step[0];
      const int ny = y + step[1];
      if (nx < 0 || ny < 0 || nx >= kSize || ny >= kSize) continue;
      const int next = ny * kSize + nx;
      const int length = best[now.place] + cost[next];
      if (length >= best[next]) continue;
      best[next] = length;
      open.push({length + std::abs(nx - to % kSize) + std::abs(ny - to / kSize), next});
    }
  }
  return -1;
}

}  // namespace

int main(int argc, char** argv) {
  const int searches = argc > 1 ? std::atoi(argv[1]) : 12;
  std::vector<uint8_t> cost(kSize * kSize);
  uint32_t state = 1;
  const auto draw = [&state](int below) {
    state = state * 1664525u + 1013904223u;
    return static_cast<int>((state >> 8) % static_cast<uint32_t>(below));
  };
  for (uint8_t& one : cost) one = static_cast<uint8_t>(1 + (draw(4) == 0 ? 40 : draw(4)));
  long sum = 0;
  for (int i = 0; i < searches; ++i) {
    const int from = draw(kSize * kSize);
    const int to = draw(kSize * kSize);
    sum += Distance(cost, from, to);
  }
  std::printf("%ld\n", sum);
  return 0;
}
