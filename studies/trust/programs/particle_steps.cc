// particle_steps PARTICLES: electrons fly through layers of material; each step asks small virtual methods. Prints the
// energy deposited.
//
// Stands for the paper's Geant4 test40: many short methods, called depending on where the particle is and what matter
// it meets.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

namespace {

uint32_t g_random = 2463534242u;

double Uniform() {
  g_random ^= g_random << 13;
  g_random ^= g_random >> 17;
  g_random ^= g_random << 5;
  return (g_random >> 8) * (1.0 / 16777216.0);
}

struct Material {
  double density, number;
};

class Track {
 public:
  double energy = 0, depth = 0, direction = 1;
  bool is_alive = true;
  void Lose(double part) { energy = part >= energy ? 0 : energy - part; }
  void Turn(double by) {
    direction += by;
    if (direction > 1) direction = 2 - direction;
    if (direction < -1) direction = -2 - direction;
  }
};

class Process {
 public:
  virtual ~Process() = default;
  virtual double Length(const Track&, const Material&) const = 0;
  virtual double Apply(Track*, const Material&) const = 0;  // energy deposited
};

class Ionisation : public Process {
 public:
  double Length(const Track& track, const Material& material) const override {
    return (0.1 + track.energy * 0.02) / material.density;
  }
  double Apply(Track* track, const Material& material) const override {
    const double lost = material.density * (0.02 + 0.05 * Uniform());
    track->Lose(lost);
    return lost;
  }
};

class Scattering : public Process {
 public:
  double Length(const Track& track, const Material& material) const override {
    return (0.3 + track.energy * 0.01) / (material.density * 0.5);
  }
  double Apply(Track* track, const Material& material) const override {
    track->Turn((Uniform() - 0.5) * material.number / (1 + 4 * track->energy));
    return 0;
  }
};

class Bremsstrahlung : public Process {
 public:
  double Length(const Track& track, const Material& material) const override {
    if (track.energy < 1) return 1e9;
    return 8 / (material.density * material.number * 0.05 * track.energy);
  }
  double Apply(Track* track, const Material&) const override {
    track->Lose(track->energy * 0.3 * Uniform());
    return 0;
  }
};

class Decay : public Process {
 public:
  double Length(const Track&, const Material&) const override { return 400 * Uniform() + 1; }
  double Apply(Track* track, const Material&) const override {
    track->is_alive = false;
    return track->energy;
  }
};

class Volume {
 public:
  Volume(double begin, double end) : begin_(begin), end_(end) {}
  virtual ~Volume() = default;
  virtual const Material& Matter() const = 0;
  virtual bool IsSensitive() const { return false; }
  bool Contains(double depth) const { return depth >= begin_ && depth < end_; }
  double ToBoundary(const Track& track) const {
    if (track.direction > 0.001) return (end_ - track.depth) / track.direction;
    if (track.direction < -0.001) return (begin_ - track.depth) / track.direction;
    return 1e9;
  }

 private:
  double begin_, end_;
};

class Absorber : public Volume {
 public:
  using Volume::Volume;
  const Material& Matter() const override {
    static const Material lead{11.3, 0.82};
    return lead;
  }
};

class Scintillator : public Volume {
 public:
  using Volume::Volume;
  const Material& Matter() const override {
    static const Material argon{1.4, 0.18};
    return argon;
  }
  bool IsSensitive() const override { return true; }
};

class Detector {
 public:
  Detector() {
    for (int i = 0; i < 24; ++i) {
      const double begin = i * 0.5;
      if (i % 2 == 0) {
        volumes_.push_back(std::make_unique<Absorber>(begin, begin + 0.5));
      } else {
        volumes_.push_back(std::make_unique<Scintillator>(begin, begin + 0.5));
      }
    }
    processes_.push_back(std::make_unique<Ionisation>());
    processes_.push_back(std::make_unique<Scattering>());
    processes_.push_back(std::make_unique<Bremsstrahlung>());
    processes_.push_back(std::make_unique<Decay>());
  }

  [[gnu::noinline]] const Volume* Find(double depth) const {
    for (const auto& volume : volumes_) {
      if (volume->Contains(depth)) return volume.get();
    }
    return nullptr;
  }

  [[gnu::noinline]] double Step(Track* track) const {
    const Volume* volume = Find(track->depth);
    if (volume == nullptr) {
      track->is_alive = false;
      return 0;
    }
    const Process* chosen = nullptr;
    double length = volume->ToBoundary(*track) + 1e-6;
    for (const auto& process : processes_) {
      const double wanted = process->Length(*track, volume->Matter()) * (0.5 + Uniform());
      if (wanted >= length) continue;
      length = wanted;
      chosen = process.get();
    }
    track->depth += length * track->direction;
    if (chosen == nullptr) return 0;
    const double deposited = chosen->Apply(track, volume->Matter());
    return volume->IsSensitive() ? deposited : 0;
  }

 private:
  std::vector<std::unique_ptr<Volume>> volumes_;
  std::vector<std::unique_ptr<Process>> processes_;
};

}  // namespace

int main(int argc, char** argv) {
  const long particles = argc > 1 ? std::atol(argv[1]) : 100;
  const Detector detector;
  double sum = 0;
  for (long i = 0; i < particles; ++i) {
    Track track;
    track.energy = 10 + 40 * Uniform();
    for (int step = 0; step < 10000 && track.is_alive && track.energy > 0.01; ++step) sum += detector.Step(&track);
  }
  std::printf("%.6g\n", sum);
}
