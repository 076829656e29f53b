#include "toolchain/plugin/plugin_contract.h"

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <set>

#include "decoders/api/plugin.h"
#include "toolchain/base/failure.h"
#include "toolchain/base/names.h"
#include "toolchain/base/text.h"
#include "toolchain/binary/elf_image.h"
#include "toolchain/plugin/lift_parts.h"
#include "toolchain/plugin/plugin_trial.h"

namespace softlbr::toolchain {
namespace {

// In a child: loads the plugin. The check itself never does.
const softlbr_decoder_plugin* Load(Trial* trial, const std::string& path) {
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) trial->Fail("cannot be loaded: %s", dlerror());
  void* symbol = dlsym(library, SOFTLBR_DECODER_PLUGIN_SYMBOL);
  if (symbol == nullptr) trial->Fail("does not export %s", SOFTLBR_DECODER_PLUGIN_SYMBOL);
  const softlbr_decoder_plugin* plugin = reinterpret_cast<softlbr_decoder_plugin_function>(symbol)();
  if (plugin == nullptr) trial->Fail("%s() returns NULL", SOFTLBR_DECODER_PLUGIN_SYMBOL);
  return plugin;
}

void CheckTable(Trial* trial, const softlbr_decoder_plugin& plugin) {
  if (plugin.abi_version != SOFTLBR_DECODER_ABI_VERSION) {
    trial->Fail("abi_version is %u; this softlbr has %u", plugin.abi_version, SOFTLBR_DECODER_ABI_VERSION);
  }
  if (plugin.struct_size != sizeof plugin)
    trial->Fail("struct_size is %u; it must be %zu", plugin.struct_size, sizeof plugin);
  if (plugin.arch != EM_X86_64 && plugin.arch != EM_AARCH64) {
    trial->Fail("arch is %u; softlbr records on EM_X86_64 (62) and EM_AARCH64 (183)", plugin.arch);
  }
  if (plugin.stack_pointer_slot < SOFTLBR_REG_GENERAL ||
      plugin.stack_pointer_slot >= SOFTLBR_REG_GENERAL + SOFTLBR_GENERAL_SLOTS) {
    trial->Fail("stack_pointer_slot is %u, which is no general register slot", plugin.stack_pointer_slot);
  }
  constexpr uint32_t kAll = SOFTLBR_DECODER_BRANCHES | SOFTLBR_DECODER_SEMANTICS;
  if ((plugin.capabilities & SOFTLBR_DECODER_BRANCHES) == 0 || (plugin.capabilities & ~kAll) != 0) {
    trial->Fail("capabilities is 0x%x; SOFTLBR_DECODER_BRANCHES is required, and bits beyond 0x%x are not defined",
                plugin.capabilities, kAll);
  }
  if (plugin.name == nullptr || plugin.name[0] == '\0') trial->Fail("name is missing");
  if (plugin.arena_bytes == 0 || plugin.arena_bytes > kMostArenaBytes) {
    trial->Fail("arena_bytes is %u; it must be 1 to %u", plugin.arena_bytes, kMostArenaBytes);
  }
  if (plugin.stack_bytes == 0 || plugin.stack_bytes > kMostStackBytes) {
    trial->Fail("stack_bytes is %u; a handler has 1 to %u to spare", plugin.stack_bytes, kMostStackBytes);
  }
  if (plugin.max_instruction_bytes == 0 || plugin.max_instruction_bytes > 255) {
    trial->Fail("max_instruction_bytes is %u; it must be 1 to 255", plugin.max_instruction_bytes);
  }
  const uint32_t alignment = plugin.instruction_alignment;
  if (alignment == 0 || (alignment & (alignment - 1)) != 0 || alignment > plugin.max_instruction_bytes) {
    trial->Fail("instruction_alignment is %u; it must be a power of two up to max_instruction_bytes", alignment);
  }
  if (plugin.open == nullptr || plugin.close == nullptr || plugin.lift == nullptr ||
      plugin.instruction_length == nullptr) {
    trial->Fail("a function of the table is NULL");
  }
}

// The plugin's table, read in a child, because loading the plugin runs its code, and stored in memory shared with the
// child.
struct TableText {
  char name[64];
  uint16_t arch;
};

class SharedTableText {
 public:
  SharedTableText()
      : memory_(mmap(nullptr, sizeof(TableText), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (memory_ == MAP_FAILED) throw StatedFailure("no memory for the check; free some");
  }
  SharedTableText(const SharedTableText&) = delete;
  SharedTableText& operator=(const SharedTableText&) = delete;
  ~SharedTableText() { munmap(memory_, sizeof(TableText)); }
  TableText* operator->() const { return static_cast<TableText*>(memory_); }

 private:
  void* memory_;
};

// What is wrong with the exported names; empty if only the entry point is exported. Does not run the plugin's code.
std::string WrongExports(const ElfImage& image) {
  std::set<std::string> extra;
  bool has_entry = false;
  for (const ElfSymbol& symbol : image.Symbols(true)) {
    if (symbol.section == SHN_UNDEF || symbol.binding == STB_LOCAL) continue;
    if (symbol.type != STT_FUNC && symbol.type != STT_OBJECT && symbol.type != STT_GNU_IFUNC) continue;
    if (symbol.name == SOFTLBR_DECODER_PLUGIN_SYMBOL) {
      has_entry = true;
    } else {
      extra.insert(SafeText(symbol.name));
    }
  }
  if (!has_entry)
    return "does not export " SOFTLBR_DECODER_PLUGIN_SYMBOL "; name a shared object that is a decoder plugin";
  if (extra.empty()) return {};
  return "exports " + *extra.begin() + (extra.size() > 1 ? " and " + std::to_string(extra.size() - 1) + " more" : "") +
         " beside " SOFTLBR_DECODER_PLUGIN_SYMBOL "; link with a version script or -fvisibility=hidden";
}

ElfImagePtr OpenElf(const std::string& path) {
  auto opened = ElfImage::Open(path);
  if (const auto* error = std::get_if<std::string>(&opened)) throw StatedFailure(*error);
  return std::get<ElfImagePtr>(opened);
}

void AddCode(const ElfImage& image, std::vector<CodeRun>* runs) {
  for (const ElfSection& section : image.sections()) {
    if ((section.flags & SHF_EXECINSTR) == 0 || section.type != SHT_PROGBITS) continue;
    const std::span<const uint8_t> bytes = image.SectionBytes(section);
    if (!bytes.empty()) runs->push_back({{bytes.begin(), bytes.end()}, section.vaddr});
  }
}

}  // namespace

bool PluginReport::IsKept() const {
  return std::all_of(findings.begin(), findings.end(), [](const PluginFinding& finding) { return finding.is_kept; });
}

PluginReport CheckPlugin(const std::string& path, const std::vector<std::string>& binaries) {
  PluginReport report;
  const ElfImagePtr file = OpenElf(path);
  const uint16_t host = OpenElf("/proc/self/exe")->machine();
  if (file->machine() != host) {
    throw StatedFailure(SafeText(path) + ": is for " + MachineName(file->machine()) +
                        "; build the plugin for this machine (" + MachineName(host) +
                        ") to check it here: what it decodes may be for another CPU");
  }
  const auto add = [&](const char* part, const std::string& tried, const std::function<void(Trial*)>& run) {
    const TrialResult result = RunTrial(run);
    report.findings.push_back({part, result.is_kept, result.is_kept ? tried : result.fault});
    return result.is_kept;
  };
  const SharedTableText shared;
  const bool is_usable = add("table", "the entry point and its fields are valid", [&](Trial* trial) {
    const softlbr_decoder_plugin* plugin = Load(trial, path);
    CheckTable(trial, *plugin);
    shared->arch = plugin->arch;
    snprintf(shared->name, sizeof(TableText::name), "%s", plugin->name);
  });
  report.arch = shared->arch;
  report.name = shared->name;
  const std::string wrong = WrongExports(*file);
  report.findings.push_back({"exports", wrong.empty(), wrong.empty() ? "nothing but the entry point" : wrong});
  if (!is_usable) return report;

  std::vector<CodeRun> runs;
  if (file->machine() == report.arch) AddCode(*file, &runs);
  for (const std::string& binary : binaries) {
    const ElfImagePtr image = OpenElf(binary);
    if (image->machine() != report.arch) {
      throw StatedFailure(SafeText(binary) + ": is for " + MachineName(image->machine()) + ", and the plugin decodes " +
                          MachineName(report.arch) + "; name a binary for that CPU");
    }
    AddCode(*image, &runs);
  }
  for (const LiftPart& part : kLiftParts) {
    const bool is_kept = add(part.name, part.tried, [&](Trial* trial) { part.run(trial, *Load(trial, path), runs); });
    // All further parts lift as well, and would each wait as long again.
    if (!is_kept && report.findings.back().text.find("does not return") != std::string::npos) break;
  }
  report.code_bytes = 0;
  for (const CodeRun& run : runs) report.code_bytes += run.bytes.size();
  return report;
}

}  // namespace softlbr::toolchain
