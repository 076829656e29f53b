// The module table of this process, compared with the dynamic loader's. Linked by several linkers
// (tests/runtime/profile/CMakeLists.txt).
#include "runtime/modules/module_table.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <link.h>
#include <sched.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "platform/cpu_context.h"
#include "platform/safe_read.h"
#include "runtime/modules/memory_elf.h"

namespace softlbr {
namespace {

struct Loaded {
  std::string path;
  uint64_t bias;
  std::vector<Elf64_Phdr> headers;
};

int Collect(dl_phdr_info* info, size_t, void* cookie) {
  static_cast<std::vector<Loaded>*>(cookie)->push_back(
      Loaded{info->dlpi_name, info->dlpi_addr, {info->dlpi_phdr, info->dlpi_phdr + info->dlpi_phnum}});
  return 0;
}

std::vector<Loaded> LoadedModules() {
  std::vector<Loaded> modules;
  dl_iterate_phdr(Collect, &modules);
  return modules;
}

std::unique_ptr<ModuleTable> Refresh(bool keep_paths = false) {
  auto empty = std::make_unique<ModuleTable>();
  empty->count = empty->generation = empty->dropped = empty->compared_count = 0;
  auto table = std::make_unique<ModuleTable>();
  EXPECT_TRUE(RefreshModuleTable(*empty, keep_paths, true, table.get()));
  return table;
}

const Module* Find(const ModuleTable& table, const std::string& name) {
  for (uint32_t i = 0; i < table.count; ++i) {
    if (name == table.modules[i].name) return &table.modules[i];
  }
  return nullptr;
}

// The GNU build id in this process's memory, found by the loader's headers.
std::vector<uint8_t> BuildIdOf(const Loaded& loaded) {
  for (const Elf64_Phdr& header : loaded.headers) {
    if (header.p_type != PT_NOTE) continue;
    const char* at = reinterpret_cast<const char*>(loaded.bias + header.p_vaddr);
    const char* end = at + header.p_memsz;
    const uint64_t alignment = header.p_align == 8 ? 8 : 4;
    while (at + sizeof(Elf64_Nhdr) <= end) {
      const auto* note = reinterpret_cast<const Elf64_Nhdr*>(at);
      const uint64_t name_bytes = (sizeof *note + note->n_namesz + alignment - 1) / alignment * alignment;
      const auto* content = reinterpret_cast<const uint8_t*>(at) + name_bytes;
      if (note->n_type == NT_GNU_BUILD_ID) return {content, content + note->n_descsz};
      at += (name_bytes + note->n_descsz + alignment - 1) / alignment * alignment;
    }
  }
  return {};
}

TEST(ModuleTable, AgreesWithTheDynamicLoader) {
  const auto table = Refresh();
  const std::vector<Loaded> modules = LoadedModules();
  ASSERT_GE(modules.size(), 4u);
  EXPECT_EQ(table->count, modules.size());
  EXPECT_EQ(table->dropped, 0u);
  for (const Loaded& loaded : modules) {
    SCOPED_TRACE(loaded.path);
    std::vector<const Elf64_Phdr*> loads;
    uint64_t code = 0;
    for (const Elf64_Phdr& header : loaded.headers) {
      if (header.p_type != PT_LOAD) continue;
      loads.push_back(&header);
      if ((header.p_flags & PF_X) != 0 && code == 0) code = loaded.bias + header.p_vaddr;
    }
    const Module* module = FindModule(*table, code);
    ASSERT_NE(module, nullptr);
    EXPECT_EQ(module->bias, loaded.bias);
    const uint64_t end = loaded.bias + loads.back()->p_vaddr + loads.back()->p_memsz;
    // The kernel may map the vdso between an ld.so's code and its data.
    const bool is_cut = module + 1 < table->modules + table->count && module[1].begin < end;
    EXPECT_EQ(module->end, is_cut ? module[1].begin : end);
    EXPECT_TRUE(!is_cut || std::string(module[1].name) == "[vdso]") << module[1].name;
    ASSERT_EQ(module->segment_count, loads.size());
    for (size_t i = 0; i < loads.size(); ++i) {
      EXPECT_EQ(module->segments[i].vaddr, loads[i]->p_vaddr);
      EXPECT_EQ(module->segments[i].file_offset, loads[i]->p_offset);
      EXPECT_EQ(module->segments[i].file_bytes, loads[i]->p_filesz);
      EXPECT_EQ(module->segments[i].memory_bytes, loads[i]->p_memsz);
      EXPECT_EQ(module->segments[i].flags, loads[i]->p_flags);
    }
    EXPECT_EQ(module->machine, platform::kHostMachine);
    const std::vector<uint8_t> build_id = BuildIdOf(loaded);
    EXPECT_EQ(std::vector<uint8_t>(module->build_id, module->build_id + module->build_id_bytes), build_id);
    EXPECT_FALSE(build_id.empty());
    const bool is_main = &loaded == &modules[0];
    EXPECT_EQ(module->is_main, is_main);
    EXPECT_EQ(std::string(module->name).find('/'), std::string::npos);
    if (!is_main && loaded.path.find('/') != std::string::npos) {
      char* real = realpath(loaded.path.c_str(), nullptr);
      ASSERT_NE(real, nullptr);
      EXPECT_EQ(std::string(module->name), strrchr(real, '/') + 1);
      free(real);
    }
  }
}

TEST(ModuleTable, FindsThisFunctionAtItsLinkTimeAddress) {
  const auto table = Refresh();
  const auto pc = reinterpret_cast<uint64_t>(&LoadedModules);
  const Module* module = FindModule(*table, pc);
  ASSERT_NE(module, nullptr);
  EXPECT_TRUE(module->is_main);
  EXPECT_EQ(module->bias, LoadedModules()[0].bias);
  EXPECT_EQ(module->elf_type, SOFTLBR_TEST_ELF_TYPE) << "this test was not linked as the build intends";
  // The function must be in an executable segment.
  bool is_in_code = false;
  for (uint32_t i = 0; i < module->segment_count; ++i) {
    const ModuleSegment& segment = module->segments[i];
    is_in_code |= (segment.flags & PF_X) != 0 && pc - module->bias - segment.vaddr < segment.memory_bytes;
  }
  EXPECT_TRUE(is_in_code);
}

TEST(ModuleTable, ContainsVdso) {
  const auto table = Refresh();
  const Module* module = Find(*table, "[vdso]");
  ASSERT_NE(module, nullptr);
  EXPECT_GT(module->build_id_bytes, 0);
}

TEST(ModuleTable, ModulesAscendAndDoNotOverlap) {
  const auto table = Refresh();
  for (uint32_t i = 1; i < table->count; ++i) {
    EXPECT_GE(table->modules[i].begin, table->modules[i - 1].end);
  }
  for (uint32_t i = 0; i < table->count; ++i) {
    const Module& module = table->modules[i];
    EXPECT_EQ(FindModule(*table, module.begin), &module);
    EXPECT_EQ(FindModule(*table, module.end - 1), &module);
    const Module* after = FindModule(*table, module.end);
    EXPECT_TRUE(after == nullptr || after == &module + 1);
  }
  EXPECT_EQ(FindModule(*table, 0), nullptr);
  EXPECT_EQ(FindModule(*table, ~0ull), nullptr);
  const auto none = std::make_unique<ModuleTable>();
  EXPECT_EQ(FindModule(*none, 0x1000), nullptr);
}

TEST(ModuleTable, ReportsNoChange) {
  const auto table = Refresh();
  auto next = std::make_unique<ModuleTable>();
  memset(static_cast<void*>(next.get()), 0x5a, sizeof *next);
  EXPECT_FALSE(RefreshModuleTable(*table, false, true, next.get()));
}

TEST(ModuleTable, DetectsVanishedMappings) {
  const auto empty = std::make_unique<ModuleTable>();
  constexpr size_t kBytes = 65536;
  std::unique_ptr<ModuleTable> tables[6];
  for (auto& table : tables) table = std::make_unique<ModuleTable>();
  void* memory = nullptr;
  (void)RefreshModuleTable(*empty, false, true, tables[0].get());  // maps the memory that the refresh itself needs
  for (int step = 0; step < 6; ++step) {
    if (step == 2) memory = mmap(nullptr, kBytes, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (step == 3) mprotect(memory, kBytes, PROT_NONE);
    if (step == 4) mprotect(memory, kBytes, PROT_READ);
    if (step == 5) munmap(memory, kBytes);
    (void)RefreshModuleTable(*empty, false, true, tables[step].get());
  }
  ASSERT_NE(memory, MAP_FAILED);
  const bool is_changed[] = {false, true, true, true, true}, has_vanished[] = {false, false, true, false, true};
  for (int step = 1; step < 6; ++step) {
    EXPECT_EQ(tables[step]->mapped.sum != tables[step - 1]->mapped.sum, is_changed[step - 1]) << step;
    EXPECT_EQ(HasVanished(tables[step - 1]->mapped, tables[step]->mapped), has_vanished[step - 1]) << step;
  }
  EXPECT_EQ(tables[5]->mapped.sum, tables[1]->mapped.sum);
}

TEST(ModuleTable, KeepsPathsOnlyWhenAllowed) {
  const auto table = Refresh(true);
  for (uint32_t i = 0; i < table->count; ++i) {
    const std::string name = table->modules[i].name;
    EXPECT_TRUE(name == "[vdso]" || name[0] == '/') << name;
  }
}

class LibraryCopy {
 public:
  // A copy of the test library with a unique name.
  LibraryCopy() : path_("/tmp/softlbr_module_test.XXXXXX") {
    const int fd = mkstemp(path_.data());
    if (fd >= 0) close(fd);
    std::ifstream in(SOFTLBR_TEST_LIBRARY, std::ios::binary);
    std::ofstream out(path_, std::ios::binary);
    out << in.rdbuf();
  }
  ~LibraryCopy() { unlink(path_.c_str()); }
  const std::string& path() const { return path_; }
  std::string name() const { return path_.substr(path_.rfind('/') + 1); }

 private:
  std::string path_;
};

TEST(ModuleTable, FollowsDlopenUnlinkAndDlclose) {
  const auto before = Refresh();
  LibraryCopy library;
  void* handle = dlopen(library.path().c_str(), RTLD_NOW);
  ASSERT_NE(handle, nullptr) << dlerror();
  auto with = std::make_unique<ModuleTable>();
  EXPECT_TRUE(RefreshModuleTable(*before, false, true, with.get()));
  EXPECT_EQ(with->generation, before->generation + 1);
  EXPECT_EQ(with->count, before->count + 1);
  EXPECT_NE(Find(*with, library.name()), nullptr);

  unlink(library.path().c_str());
  auto unlinked = std::make_unique<ModuleTable>();
  EXPECT_FALSE(RefreshModuleTable(*with, false, true, unlinked.get()))
      << "the kernel's \" (deleted)\" is not part of the name";

  dlclose(handle);
  auto after = std::make_unique<ModuleTable>();
  EXPECT_TRUE(RefreshModuleTable(*with, false, true, after.get()));
  EXPECT_EQ(after->count, before->count);
  EXPECT_EQ(Find(*after, library.name()), nullptr);
}

// The headers of a module that was there before are read again only if a library was unloaded since: they are
// overwritten here, to tell. A file that is rewritten in its place, and loaded again at the same address, is another
// module.
TEST(ModuleTable, ReadsHeadersAgainOnlyAfterAnUnload) {
  LibraryCopy library;
  void* handle = dlopen(library.path().c_str(), RTLD_NOW);
  ASSERT_NE(handle, nullptr) << dlerror();
  const auto before = Refresh();
  const Module* module = Find(*before, library.name());
  ASSERT_NE(module, nullptr);
  const long page = sysconf(_SC_PAGESIZE);
  auto* header = reinterpret_cast<uint8_t*>(module->begin);
  ASSERT_EQ(mprotect(header, page, PROT_READ | PROT_WRITE), 0);
  header[0] ^= 1;
  auto after = std::make_unique<ModuleTable>();
  EXPECT_FALSE(RefreshModuleTable(*before, false, true, after.get()));
  EXPECT_NE(Find(*after, library.name()), nullptr);
  EXPECT_TRUE(RefreshModuleTable(*before, false, false, after.get()));
  EXPECT_EQ(Find(*after, library.name()), nullptr);
  header[0] ^= 1;
  ASSERT_EQ(mprotect(header, page, PROT_READ), 0);
  dlclose(handle);
}

// Packages hold several libraries in one file.
TEST(ModuleTable, ReadsTheHeadersOfAnotherPartOfTheFile) {
  LibraryCopy library;
  void* handle = dlopen(library.path().c_str(), RTLD_NOW);
  ASSERT_NE(handle, nullptr) << dlerror();
  const auto before = Refresh();
  const Module* module = Find(*before, library.name());
  ASSERT_NE(module, nullptr);
  auto moved = std::make_unique<ModuleTable>();
  memcpy(static_cast<void*>(moved.get()), before.get(), sizeof *before);
  Module& other = moved->modules[module - before->modules];
  ++other.file_page;
  other.build_id[0] ^= 1;  // of the part that was mapped there before
  auto after = std::make_unique<ModuleTable>();
  EXPECT_TRUE(RefreshModuleTable(*moved, false, true, after.get()));
  const Module* read = Find(*after, library.name());
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(read->file_page, module->file_page);
  EXPECT_EQ(read->build_id[0], module->build_id[0]);
  dlclose(handle);
}

// The state in which the table lists an address.
PageState ListedAs(const ModuleTable& table, const void* memory) {
  const auto address = reinterpret_cast<uint64_t>(memory);
  for (uint32_t i = 0; i < table.special.count; ++i) {
    const SpecialRanges::Range& range = table.special.ranges[i];
    if (address >= range.begin && address < range.end) return range.state;
  }
  return PageState::kReadable;
}

TEST(ModuleTable, ListsMappingsOfFilesThatMayShrink) {
  const long page = sysconf(_SC_PAGESIZE);
  const int file = memfd_create("file", 0);
  ASSERT_EQ(ftruncate(file, page), 0);
  void* shared = mmap(nullptr, page, PROT_READ, MAP_SHARED, file, 0);
  void* own = mmap(nullptr, page, PROT_READ, MAP_PRIVATE, file, 0);
  void* anonymous = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  const auto table = Refresh();
  const auto is_listed = [&table](const void* memory) { return MustGuard(ListedAs(*table, memory)); };
  EXPECT_TRUE(is_listed(shared));
  EXPECT_TRUE(is_listed(own));
  static int data = 1;
  for (const void* memory : {static_cast<const void*>(&data), reinterpret_cast<const void*>(&Refresh),
                             static_cast<const void*>(&page), reinterpret_cast<const void*>(&printf),
                             static_cast<const void*>(table.get()), static_cast<const void*>(anonymous)}) {
    EXPECT_FALSE(is_listed(memory)) << memory;
  }
  // A file mapping more or less is noticed although the modules are the same.
  munmap(shared, page);
  munmap(own, page);
  auto next = std::make_unique<ModuleTable>();
  EXPECT_FALSE(RefreshModuleTable(*table, false, true, next.get()));
  EXPECT_NE(next->special.sum, table->special.sum);
  munmap(anonymous, page);
  close(file);
}

TEST(ModuleTable, ListsSharedMemoryThatIsMappedTwice) {
  const long page = sysconf(_SC_PAGESIZE);
  const int file = memfd_create("ring", 0);
  ASSERT_EQ(ftruncate(file, 4 * page), 0);
  const auto map = [page, file](int flags, long first, long pages) {
    return mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, flags, file, first * page);
  };
  void* low = map(MAP_SHARED, 0, 2);
  void* high = map(MAP_SHARED, 2, 2);
  void* anonymous = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto table = Refresh();
  for (const void* memory : {low, high})
    EXPECT_EQ(ListedAs(*table, memory), PageState::kOfFile) << "no part of it twice";
  EXPECT_EQ(ListedAs(*table, anonymous), PageState::kReadable);
  void* middle = map(MAP_SHARED, 1, 2);
  void* again = mremap(anonymous, 0, page, MREMAP_MAYMOVE);  // a second mapping of the same memory
  ASSERT_NE(again, MAP_FAILED);
  table = Refresh();
  for (const void* memory : {low, high, middle, anonymous, again})
    EXPECT_EQ(ListedAs(*table, memory), PageState::kTwice) << memory;
  munmap(middle, 2 * page);
  munmap(again, page);
  void* own = map(MAP_PRIVATE, 1, 1);
  table = Refresh();
  EXPECT_EQ(ListedAs(*table, low), PageState::kTwice) << "seen in the private mapping";
  EXPECT_EQ(ListedAs(*table, own), PageState::kOfFile) << "a store there is seen nowhere else";
  EXPECT_EQ(ListedAs(*table, high), PageState::kOfFile);
  EXPECT_EQ(ListedAs(*table, anonymous), PageState::kReadable);
  munmap(own, page);
  munmap(low, 2 * page);
  munmap(high, 2 * page);
  munmap(anonymous, page);
  close(file);
}

TEST(ModuleTable, DoesNotReadSharedMappings) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const int file = memfd_create("sparse", MFD_CLOEXEC);
  ASSERT_GE(file, 0);
  ASSERT_EQ(ftruncate(file, static_cast<off_t>(page)), 0);
  void* shared = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ASSERT_NE(shared, MAP_FAILED);
  (void)Refresh();
  struct stat info {};
  ASSERT_EQ(fstat(file, &info), 0);
  EXPECT_EQ(info.st_blocks, 0) << "a read gives the hole a page";
  // The measure itself: a read does show.
  EXPECT_EQ(*static_cast<volatile char*>(shared), 0);
  ASSERT_EQ(fstat(file, &info), 0);
  EXPECT_GT(info.st_blocks, 0);
  munmap(shared, page);
  close(file);
}

// The first System V segment of a namespace has the number 0, which is shown as its inode.
TEST(ModuleTable, ListsTheFirstSystemVSegmentThatIsAttachedTwice) {
  const pid_t child = fork();
  if (child == 0) {
    if (unshare(CLONE_NEWIPC) != 0) _exit(77);
    const int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    void* once = shmat(id, nullptr, 0);
    const bool is_listed_once = ListedAs(*Refresh(), once) == PageState::kTwice;
    void* again = shmat(id, nullptr, 0);
    shmctl(id, IPC_RMID, nullptr);
    const auto table = Refresh();
    const bool are_listed = ListedAs(*table, once) == PageState::kTwice && ListedAs(*table, again) == PageState::kTwice;
    _exit(id == 0 && !is_listed_once && are_listed ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "needs CAP_SYS_ADMIN, to unshare the IPC namespace";
  EXPECT_EQ(status, 0);
}

TEST(ModuleTable, FileMappedOnlyForReadingIsNoModule) {
  const auto before = Refresh();
  LibraryCopy library;
  const int fd = open(library.path().c_str(), O_RDONLY);
  ASSERT_GE(fd, 0);
  struct stat file;
  ASSERT_EQ(fstat(fd, &file), 0);
  void* data = mmap(nullptr, static_cast<size_t>(file.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
  ASSERT_NE(data, MAP_FAILED);
  auto next = std::make_unique<ModuleTable>();
  EXPECT_FALSE(RefreshModuleTable(*before, false, true, next.get()));
  munmap(data, static_cast<size_t>(file.st_size));
  close(fd);
}

// The test library's headers in memory, of which a test changes one field.
class MemoryElf : public testing::Test {
 protected:
  void SetUp() override {
    std::ifstream in(SOFTLBR_TEST_LIBRARY, std::ios::binary);
    page_ = static_cast<char*>(mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(page_, MAP_FAILED);
    in.read(page_, 4096);
    header_ = reinterpret_cast<Elf64_Ehdr*>(page_);
    headers_ = reinterpret_cast<Elf64_Phdr*>(page_ + header_->e_phoff);
    for (int i = 0; i < header_->e_phnum; ++i) {
      if (headers_[i].p_type == PT_LOAD && load_ == nullptr) load_ = &headers_[i];
    }
    ASSERT_NE(load_, nullptr);
  }
  void TearDown() override { munmap(page_, 8192); }
  bool Read() {
    Module module{};
    return ReadMemoryElf(reinterpret_cast<uint64_t>(page_), &module);
  }
  char* page_ = nullptr;
  Elf64_Ehdr* header_ = nullptr;
  Elf64_Phdr* headers_ = nullptr;
  Elf64_Phdr* load_ = nullptr;
};

TEST_F(MemoryElf, AcceptsUnmodifiedHeaders) { EXPECT_TRUE(Read()); }

// As llvm-bolt leaves them: in a segment of their own, far behind the others.
TEST_F(MemoryElf, AcceptsProgramHeadersFarBehind) {
  constexpr size_t kDistance = 64 << 20;
  auto* area = static_cast<char*>(
      mmap(nullptr, kDistance + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  ASSERT_NE(area, MAP_FAILED);
  memcpy(area, page_, 4096);
  auto* header = reinterpret_cast<Elf64_Ehdr*>(area);
  memcpy(area + kDistance, headers_, header->e_phnum * sizeof(Elf64_Phdr));
  memset(area + header->e_phoff, 0, header->e_phnum * sizeof(Elf64_Phdr));
  header->e_phoff = kDistance;
  Module module{};
  EXPECT_TRUE(ReadMemoryElf(reinterpret_cast<uint64_t>(area), &module));
  EXPECT_NE(module.segment_count, 0u);
  munmap(area, kDistance + 4096);
}

TEST_F(MemoryElf, RefusesInconsistentHeaders) {
  const auto refuses = [this](auto* field, uint64_t value) {
    const auto kept = *field;
    *field = static_cast<std::remove_reference_t<decltype(*field)>>(value);
    EXPECT_FALSE(Read());
    *field = kept;
    EXPECT_TRUE(Read());
  };
  refuses(&header_->e_ident[EI_MAG2], 'X');
  refuses(&header_->e_ident[EI_CLASS], ELFCLASS32);
  refuses(&header_->e_ident[EI_DATA], ELFDATA2MSB);
  refuses(&header_->e_type, ET_REL);
  refuses(&header_->e_type, ET_EXEC);  // not at its link-time address
  refuses(&header_->e_phentsize, 32);
  refuses(&header_->e_phnum, 0);
  refuses(&header_->e_phnum, 0xffff);
  refuses(&header_->e_phoff, ~0ull);
  refuses(&header_->e_phoff, 8192 - 8);  // the table would extend beyond the mapping
  refuses(&load_->p_memsz, ~0ull);
  refuses(&load_->p_vaddr, ~0ull - 16);
  refuses(&load_->p_filesz, ~0ull);
  refuses(&load_->p_offset, 1 << 20);
}

TEST_F(MemoryElf, SurvivesEveryFlippedBitOfTheHeaders) {
  const size_t bytes = header_->e_phoff + header_->e_phnum * sizeof(Elf64_Phdr);
  for (size_t bit = 0; bit < bytes * 8; ++bit) {
    page_[bit / 8] = static_cast<char>(page_[bit / 8] ^ (1 << (bit % 8)));
    Module module{};
    if (ReadMemoryElf(reinterpret_cast<uint64_t>(page_), &module)) {
      ASSERT_LT(module.begin, module.end);
      ASSERT_LE(module.segment_count, kMaxProgramHeaders);
      ASSERT_LE(module.build_id_bytes, kMaxBuildIdBytes);
    }
    page_[bit / 8] = static_cast<char>(page_[bit / 8] ^ (1 << (bit % 8)));
  }
}

TEST_F(MemoryElf, UnmappedAddressIsNoModule) {
  Module module{};
  EXPECT_FALSE(ReadMemoryElf(0, &module));
  EXPECT_FALSE(ReadMemoryElf(0xffffffffff600000 + 4096, &module));
}

}  // namespace
}  // namespace softlbr
