#include "toolchain/binary/debug_files.h"

#include <elfutils/libdwfl.h>
#include <lzma.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <mutex>
#include <optional>

#include "toolchain/base/failure.h"
#include "toolchain/base/names.h"
#include "toolchain/base/say.h"
#include "toolchain/base/shared_library.h"
#include "toolchain/base/text.h"

namespace softlbr::toolchain {
namespace {

// Its functions, without their prefix "dwfl_".
struct DwflLibrary {
  decltype(&::dwfl_begin) begin;
  decltype(&::dwfl_end) end;
  decltype(&::dwfl_report_offline) report_offline;
  decltype(&::dwfl_report_end) report_end;
  decltype(&::dwfl_module_getdwarf) module_getdwarf;
  decltype(&::dwfl_standard_find_debuginfo) standard_find_debuginfo;
  decltype(&::dwfl_offline_section_address) offline_section_address;
};

// Warns once if the library is not there.
template <typename Library, typename Load>
const Library* LoadOnce(const char* without, Load load) {
  static const std::optional<Library> loaded = [&]() -> std::optional<Library> {
    try {
      return load();
    } catch (const StatedFailure& failure) {
      Warn(std::string(failure.what()) + "; " + without);
      return std::nullopt;
    }
  }();
  return loaded.has_value() ? &*loaded : nullptr;
}

const DwflLibrary* LoadDwfl() {
  return LoadOnce<DwflLibrary>("separate debug files are not searched for", [] {
    const SharedLibrary library("debug files", "libdw.so.1", "libdw1");
    DwflLibrary dwfl{};
    library.Find("dwfl_begin", &dwfl.begin);
    library.Find("dwfl_end", &dwfl.end);
    library.Find("dwfl_report_offline", &dwfl.report_offline);
    library.Find("dwfl_report_end", &dwfl.report_end);
    library.Find("dwfl_module_getdwarf", &dwfl.module_getdwarf);
    library.Find("dwfl_standard_find_debuginfo", &dwfl.standard_find_debuginfo);
    library.Find("dwfl_offline_section_address", &dwfl.offline_section_address);
    return dwfl;
  });
}

// Where libdwfl's search puts its result: the file itself is opened by us, as libdwfl would read all of it.
std::string* found_path = nullptr;

int TakeFound(Dwfl_Module* module, void** user, const char* name, Dwarf_Addr base, const char* file, const char* link,
              GElf_Word crc, char** path) {
  char* found = nullptr;
  const int fd = LoadDwfl()->standard_find_debuginfo(module, user, name, base, file, link, crc, &found);
  if (fd >= 0) close(fd);
  if (fd >= 0 && found != nullptr) *found_path = found;
  std::free(found);
  *path = nullptr;
  return -1;
}

// Lets libdebuginfod ask the servers while there is time. libdwfl asks them for each module that has no debug file
// here.
class ServerTime {
 public:
  ServerTime() {
    const std::string seconds = std::to_string(kMaxServerSeconds);
    setenv("DEBUGINFOD_TIMEOUT", "5", 0);  // seconds within which 100 KB must arrive
    setenv("DEBUGINFOD_MAXTIME", seconds.c_str(), 0);
    setenv("DEBUGINFOD_RETRY_LIMIT", "1", 0);
  }
  ~ServerTime() {
    used_ += std::chrono::steady_clock::now() - begin_;
    const char* urls = std::getenv("DEBUGINFOD_URLS");
    if (used_ < std::chrono::seconds(kMaxServerSeconds) || urls == nullptr || *urls == 0) return;
    Warn("the servers in DEBUGINFOD_URLS took " + std::to_string(kMaxServerSeconds) +
         " s; they are not asked for more debug files");
    unsetenv("DEBUGINFOD_URLS");
  }
  ServerTime(const ServerTime&) = delete;
  ServerTime& operator=(const ServerTime&) = delete;

 private:
  static inline std::chrono::steady_clock::duration used_{};
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// What libdebuginfod has fetched before; it looks there itself only if there are servers.
std::string FindInServerCache(const ElfImage& image) {
  const std::string file = "/" + HexBytes(image.build_id()) + "/debuginfo";
  const auto try_below = [&file](const char* folder, const char* below) {
    const std::string path = folder != nullptr && *folder != 0 ? folder + std::string(below) + file : "";
    return !path.empty() && access(path.c_str(), R_OK) == 0 ? path : std::string();
  };
  if (image.build_id().empty()) return "";
  std::string path = try_below(std::getenv("DEBUGINFOD_CACHE_PATH"), "");
  if (path.empty()) path = try_below(std::getenv("XDG_CACHE_HOME"), "/debuginfod_client");
  if (path.empty()) path = try_below(std::getenv("HOME"), "/.cache/debuginfod_client");
  if (path.empty()) path = try_below(std::getenv("HOME"), "/.debuginfod_client_cache");
  return path;
}

// Its functions, without their prefix "lzma_".
struct LzmaLibrary {
  decltype(&::lzma_stream_buffer_decode) stream_buffer_decode;
};

const LzmaLibrary* LoadLzma() {
  return LoadOnce<LzmaLibrary>("symbols in .gnu_debugdata are not read", [] {
    const SharedLibrary library("debug files", "liblzma.so.5", "liblzma5");
    LzmaLibrary lzma{};
    library.Find("lzma_stream_buffer_decode", &lzma.stream_buffer_decode);
    return lzma;
  });
}

}  // namespace

std::string FindSeparateDebugFile(const ElfImage& image, const std::vector<std::string>& folders) {
  const bool may_have_one = !image.build_id().empty() || image.FindSection(".gnu_debuglink") != nullptr;
  if (!may_have_one || access(image.path().c_str(), R_OK) != 0) return "";
  const DwflLibrary* dwfl = LoadDwfl();
  if (dwfl == nullptr) return "";
  std::string search = "+:.debug";
  for (const std::string& folder : folders) search += ":" + folder;
  if (const char* root = std::getenv("SOFTLBR_DEBUG_DIR")) search += std::string(":") + root;
  search += ":/usr/lib/debug";
  char* debug_path = search.data();
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const Dwfl_Callbacks callbacks = {nullptr, TakeFound, dwfl->offline_section_address, &debug_path};
  std::string found;
  {
    const ServerTime time;
    Dwfl* session = dwfl->begin(&callbacks);
    if (session == nullptr) return "";
    found_path = &found;
    Dwfl_Module* module = dwfl->report_offline(session, "", image.path().c_str(), -1);
    dwfl->report_end(session, nullptr, nullptr);
    Dwarf_Addr bias = 0;
    if (module != nullptr) static_cast<void>(dwfl->module_getdwarf(module, &bias));
    dwfl->end(session);
  }
  return !found.empty() ? found : FindInServerCache(image);
}

ElfImagePtr ReadMiniDebugInfo(const ElfImage& image) {
  const ElfSection* section = image.FindSection(".gnu_debugdata");
  if (section == nullptr) return nullptr;
  const std::span<const uint8_t> packed = image.SectionBytes(*section);
  const LzmaLibrary* lzma = packed.empty() ? nullptr : LoadLzma();
  if (lzma == nullptr) return nullptr;
  std::vector<uint8_t> content;
  // The size is not known before: in steps, so that small ones, which they all are, take little memory.
  for (size_t room = 1 << 20; room <= kMaxMiniDebugBytes; room *= 4) {
    content.resize(room);
    uint64_t memory_limit = kMaxMiniDebugBytes;
    size_t read = 0;
    size_t written = 0;
    const lzma_ret status = lzma->stream_buffer_decode(&memory_limit, 0, nullptr, packed.data(), &read, packed.size(),
                                                       content.data(), &written, room);
    if (status == LZMA_BUF_ERROR) continue;
    if (status != LZMA_OK) return nullptr;
    content.resize(written);
    content.shrink_to_fit();
    auto opened = ElfImage::FromContent(std::move(content), image.path());
    return std::holds_alternative<ElfImagePtr>(opened) ? std::get<ElfImagePtr>(opened) : nullptr;
  }
  return nullptr;
}

}  // namespace softlbr::toolchain
