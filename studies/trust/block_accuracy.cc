// block_accuracy: the errors of profiles' block counts against exact counts of the same program, a line for each
// profile.
//
// Usage: see kUsage. Exit code: 0; 1 for a stated failure, 2 for wrong usage.
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include "studies/trust/reference_blocks.h"
#include "toolchain/base/failure.h"

namespace softlbr::trust {
namespace {

using toolchain::StatedFailure;
using toolchain::UsageFailure;

constexpr char kUsage[] =
    "block_accuracy [-b BINARY]... [--rows | --mnemonics] EXACT METHOD=PROFILE...\n"
    "  EXACT      profile of exact_counts\n"
    "  METHOD     ranges, samples or hybrid: what of the profile is compared\n"
    "  --rows     print instead, for each block of each profile, what the tree of the hybrid is trained with, "
    "separated by commas\n"
    "  --mnemonics  print instead, for each profile, executions by mnemonic, true and measured, separated by tabs\n"
    "Prints a line for each profile, its fields separated by tabs: METHOD=PROFILE, error by block, average weighted "
    "error by "
    "mnemonic,\n"
    "counted events, share of them in code that the reference does not have.\n";

Method MethodNamed(const std::string& name) {
  if (name == "ranges") return Method::kRanges;
  if (name == "samples") return Method::kSamples;
  if (name == "hybrid") return Method::kHybrid;
  throw UsageFailure(name + " is no method; there are ranges, samples and hybrid");
}

void PrintRows(const Reference& reference, const std::string& profile) {
  for (const TrainingRow& row : reference.TrainingRows(profile)) {
    const toolchain::BlockFeatures& features = row.features;
    std::printf("%s,%.0f,%.0f,%.6g,%d,%.6g,%.6g,%.6g,%.6g,%.6g\n", profile.c_str(), features.instructions,
                features.samples, features.starts, features.is_by_instructions ? 1 : 0, row.distance, row.aborts,
                row.exact, row.by_branches, row.by_samples);
  }
}

void PrintMnemonics(const Reference& reference, const std::string& name, const Estimate& estimate) {
  for (const auto& [mnemonic, counts] : reference.Mnemonics(estimate)) {
    std::printf("%s\t%s\t%.0f\t%.0f\n", name.c_str(), mnemonic.c_str(), counts.first, counts.second);
  }
}

int Run(int argc, char** argv) {
  std::vector<std::string> binaries, names;
  bool prints_rows = false, prints_mnemonics = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--rows") == 0) {
      prints_rows = true;
    } else if (std::strcmp(argv[i], "--mnemonics") == 0) {
      prints_mnemonics = true;
    } else if (std::strcmp(argv[i], "-b") != 0) {
      names.push_back(argv[i]);
    } else if (++i < argc) {
      binaries.push_back(argv[i]);
    } else {
      throw UsageFailure("-b needs a file");
    }
  }
  if (names.size() < 2) throw UsageFailure("there must be exact counts and a profile");
  const Reference reference(names[0], binaries);
  for (size_t i = 1; i < names.size(); ++i) {
    const size_t equals = names[i].find('=');
    if (equals == std::string::npos) throw UsageFailure(names[i] + " is not METHOD=PROFILE");
    if (prints_rows) {
      PrintRows(reference, names[i].substr(equals + 1));
      continue;
    }
    const Estimate estimate = reference.Of(names[i].substr(equals + 1), MethodNamed(names[i].substr(0, equals)));
    if (prints_mnemonics) {
      PrintMnemonics(reference, names[i], estimate);
      continue;
    }
    const Errors errors = reference.ErrorsOf(estimate);
    std::printf("%s\t%.5f\t%.5f\t%llu\t%.5f\n", names[i].c_str(), errors.by_block, errors.by_mnemonic,
                static_cast<unsigned long long>(estimate.events), estimate.unmatched);
  }
  return 0;
}

}  // namespace
}  // namespace softlbr::trust

int main(int argc, char** argv) {
  try {
    return softlbr::trust::Run(argc, argv);
  } catch (const softlbr::toolchain::UsageFailure& failure) {
    std::cerr << "block_accuracy: " << failure.what() << "\n" << softlbr::trust::kUsage;
    return softlbr::toolchain::kExitUsage;
  } catch (const softlbr::toolchain::StatedFailure& failure) {
    std::cerr << "block_accuracy: " << failure.what() << "\n";
    return failure.exit_code();
  }
}
