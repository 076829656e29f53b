// Finds profiles whose shares differ wildly from those of the other profiles of the same build. Host code.
//
// Each profile is reduced to shares of kOutlierBuckets buckets, to which branches belong by a hash of their modules'
// identities and their addresses; of a profile its kOutlierTop largest shares are kept, of a build the sum of all
// shares. A profile's figure is the part of its largest shares that the mean of the other profiles of its build has as
// well: 1 if it has as much of each, 0 if nothing. An outlier is below the median of its build's figures by more than
// kOutlierDrop and by more than kOutlierSpreads times their spread (the median distance from the median): where users
// do different things, figures spread, and nothing is an outlier.
// Not judged: profiles of fewer than kFewestOutlierTraces traces, whose shares are chance, and builds of fewer than
// kFewestOutlierProfiles others. Memory: 4 bytes for each kept share, 32 KiB for each build.
#ifndef SOFTLBR_TOOLCHAIN_WEIGHTS_OUTLIERS_H_
#define SOFTLBR_TOOLCHAIN_WEIGHTS_OUTLIERS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "toolchain/profile/profile.h"

namespace softlbr::toolchain {

inline constexpr size_t kOutlierBuckets = 4096;
inline constexpr size_t kOutlierTop = 128;
inline constexpr uint64_t kFewestOutlierTraces = 64;
inline constexpr size_t kFewestOutlierProfiles = 8;
inline constexpr double kOutlierDrop = 0.3;
inline constexpr double kOutlierSpreads = 8;

struct Outlier {
  size_t number = 0;  // of the profile, as Add() was told
  double figure = 0;
  double median = 0;  // of its build
};

class OutlierFinder {
 public:
  // A profile's build is that of its main program; of several, of the one with the most branches.
  void Add(size_t number, const Profile& profile);
  // In the order of numbers.
  std::vector<Outlier> Find() const;

 private:
  struct Share {
    uint16_t bucket;
    uint16_t share;  // of 65535
  };
  struct Sketch {
    size_t number;
    std::vector<Share> top;
  };
  struct Build {
    std::vector<Sketch> sketches;
    std::vector<uint64_t> sums = std::vector<uint64_t>(kOutlierBuckets);  // of shares, over all sketches; of 2^32
  };

  std::map<std::string, Build> builds_;  // by the identity of the main module
};

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_WEIGHTS_OUTLIERS_H_
