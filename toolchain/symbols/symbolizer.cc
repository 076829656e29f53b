#include "toolchain/symbols/symbolizer.h"

#include "toolchain/base/text.h"
#include "toolchain/binary/debug_files.h"
#include "toolchain/symbols/demangle.h"

namespace softlbr::toolchain {
namespace {

const std::string kOutside = "(outside)";

}  // namespace

std::vector<std::string> ModuleLabels(const Profile& profile) {
  std::map<std::string, int> uses;
  std::vector<std::string> labels;
  for (const ProfileModule& module : profile.modules) {
    const std::string base = BaseName(module.name);
    labels.push_back(SafeWord(base.empty() ? "(unnamed)" : base));
    ++uses[labels.back()];
  }
  for (size_t i = 0; i < labels.size(); ++i) {
    if (uses[labels[i]] > 1) labels[i] += "#" + std::to_string(i);
  }
  return labels;
}

Symbolizer::Symbolizer(const Profile& profile, const ModuleFiles& files)
    : profile_(profile), files_(files), labels_(ModuleLabels(profile)), entries_(profile.modules.size()) {}

Symbolizer::Entry& Symbolizer::Load(uint32_t module) {
  Entry& entry = entries_.at(module);
  if (!entry.is_loaded) {
    entry.is_loaded = true;
    entry.file = files_.Find(profile_.modules[module]);
    if (entry.file != nullptr) {
      ElfImagePtr debug = files_.FindDebugFile(*entry.file, DebugUse::kNames);
      if (debug == nullptr) debug = ReadMiniDebugInfo(*entry.file);
      entry.symbols = SymbolTable(*entry.file, debug.get());
    }
  }
  return entry;
}

const ElfImagePtr& Symbolizer::File(uint32_t module) { return Load(module).file; }
const SymbolTable& Symbolizer::Symbols(uint32_t module) { return Load(module).symbols; }

const FunctionSymbol* Symbolizer::Function(const Location& location) {
  if (location.module >= entries_.size()) return nullptr;
  Entry& entry = Load(location.module);
  const FunctionSymbol* function = entry.symbols.Find(location.address);
  if (function != nullptr) return function;
  const std::optional<FrameTable::Function> frame = entry.symbols.frames().Find(location.address);
  if (!frame.has_value()) return nullptr;
  auto [it, is_new] = entry.unnamed.try_emplace(frame->start);
  if (is_new)
    it->second = {"[" + labels_[location.module] + "+" + Hex(frame->start) + "]", frame->start, frame->end, true,
                  false};
  return &it->second;
}

std::optional<std::string> Symbolizer::FunctionName(const Location& location) {
  const FunctionSymbol* function = Function(location);
  if (function == nullptr) return std::nullopt;
  auto [it, is_new] = entries_[location.module].demangled.try_emplace(function->start);
  if (is_new) it->second = SafeText(Demangle(function->name, Symbols(location.module).has_ada()));
  return it->second;
}

std::string Symbolizer::SourceOfLocal(const Location& location) {
  const FunctionSymbol* function = Function(location);
  return function != nullptr ? SafeText(Symbols(location.module).FileName(function->file)) : "";
}

std::string Symbolizer::Describe(const Location& location) {
  if (location.module >= entries_.size()) return kOutside;
  const FunctionSymbol* function = Function(location);
  if (function == nullptr) return labels_[location.module] + "+" + Hex(location.address);
  std::string text = *FunctionName(location);
  if (location.address != function->start) text += "+" + Hex(location.address - function->start);
  return text;
}

const std::string& Symbolizer::ModuleLabel(uint32_t module) const {
  return module < labels_.size() ? labels_[module] : kOutside;
}

}  // namespace softlbr::toolchain
