// box_distance POINTS: distances from points to a box, inside and outside, by two functions with an even share. Prints
// a sum.
//
// Stands for the paper's G4Box test: chains of comparisons and branches on the data make short basic blocks.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

struct Point {
  double x, y, z;
};

class Box {
 public:
  Box(double x, double y, double z) : x_(x), y_(y), z_(z) {}

  // Distance along `d` from a point outside to the box; a large number if it is missed.
  [[gnu::noinline]] double DistanceToIn(const Point& p, const Point& d) const {
    double nearest = 0, farthest = 1e30;
    if (!Clip(p.x, d.x, x_, &nearest, &farthest)) return 1e30;
    if (!Clip(p.y, d.y, y_, &nearest, &farthest)) return 1e30;
    if (!Clip(p.z, d.z, z_, &nearest, &farthest)) return 1e30;
    if (nearest > farthest) return 1e30;
    return nearest < 1e-9 ? 0 : nearest;
  }

  // Distance from a point to the nearest face, from inside.
  [[gnu::noinline]] double DistanceToOut(const Point& p, const Point& d) const {
    double distance = 1e30;
    if (d.x > 0) {
      if (x_ - p.x < distance * d.x) distance = (x_ - p.x) / d.x;
    } else if (d.x < 0) {
      if (x_ + p.x < distance * -d.x) distance = (x_ + p.x) / -d.x;
    }
    if (d.y > 0) {
      if (y_ - p.y < distance * d.y) distance = (y_ - p.y) / d.y;
    } else if (d.y < 0) {
      if (y_ + p.y < distance * -d.y) distance = (y_ + p.y) / -d.y;
    }
    if (d.z > 0) {
      if (z_ - p.z < distance * d.z) distance = (z_ - p.z) / d.z;
    } else if (d.z < 0) {
      if (z_ + p.z < distance * -d.z) distance = (z_ + p.z) / -d.z;
    }
    return distance < 0 ? 0 : distance;
  }

 private:
  static bool Clip(double p, double d, double half, double* nearest, double* farthest) {
    if (d == 0) return p >= -half && p <= half;
    double in = (-half - p) / d, out = (half - p) / d;
    if (in > out) {
      const double other = in;
      in = out;
      out = other;
    }
    if (in > *nearest) *nearest = in;
    if (out < *farthest) *farthest = out;
    return out >= 0;
  }

  double x_, y_, z_;
};

uint32_t g_state = 12345;

double Random() {  // in [-1, 1)
  g_state = g_state * 1664525u + 1013904223u;
  return static_cast<double>(static_cast<int32_t>(g_state)) / 2147483648.0;
}

}  // namespace

int main(int argc, char** argv) {
  const long points = argc > 1 ? std::atol(argv[1]) : 10000;
  const Box box(1, 2, 3);
  double sum = 0;
  for (long i = 0; i < points; ++i) {
    const Point d{Random(), Random(), Random()};
    const Point outside{4 * Random(), 5 * Random(), 6 * Random()};
    const Point inside{Random(), 2 * Random(), 3 * Random()};
    const double in = box.DistanceToIn(outside, d);
    if (in < 1e29) sum += in;
    const double out = box.DistanceToOut(inside, d);
    if (out < 1e29) sum += out;
  }
  std::printf("%.6g\n", sum);
}
