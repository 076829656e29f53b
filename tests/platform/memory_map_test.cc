#include "platform/memory_map.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "platform/safe_read.h"

namespace softlbr::platform {
namespace {

struct Copy {
  Mapping mapping;
  std::string path;
};

bool Collect(void* cookie, const Mapping& mapping) {
  static_cast<std::vector<Copy>*>(cookie)->push_back({mapping, mapping.path});
  return true;
}

std::vector<Copy> Mappings() {
  std::vector<Copy> all;
  all.reserve(4096);  // growing during the visit would change the map being read
  EXPECT_EQ(ForEachMapping(Collect, &all), Status::kOk);
  return all;
}

const Copy* Find(const std::vector<Copy>& all, uint64_t address) {
  for (const Copy& each : all) {
    if (address >= each.mapping.begin && address < each.mapping.end) return &each;
  }
  return nullptr;
}

TEST(MemoryMap, IsInAddressOrder) {
  const auto all = Mappings();
  ASSERT_GT(all.size(), 5u);
  for (size_t i = 1; i < all.size(); ++i) EXPECT_GE(all[i].mapping.begin, all[i - 1].mapping.end);
}

TEST(MemoryMap, HoldsEveryLoadedSegment) {
  const auto all = Mappings();
  struct Seen {
    const std::vector<Copy>* all;
    int segments;
  } seen = {&all, 0};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* cookie) {
        auto* counted = static_cast<Seen*>(cookie);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& header = info->dlpi_phdr[i];
          if (header.p_type != PT_LOAD || std::strstr(info->dlpi_name, "vdso") != nullptr) continue;
          const uint64_t begin = info->dlpi_addr + header.p_vaddr;
          const Copy* mapping = Find(*counted->all, begin);
          EXPECT_NE(mapping, nullptr);
          if (mapping == nullptr) continue;
          ++counted->segments;
          EXPECT_EQ(mapping->mapping.is_executable, (header.p_flags & PF_X) != 0);
          EXPECT_TRUE(mapping->mapping.is_private);
          if ((header.p_flags & PF_X) == 0) continue;
          const uint64_t page_offset = begin - mapping->mapping.begin;
          EXPECT_EQ(mapping->mapping.file_offset + page_offset, header.p_offset);
          EXPECT_EQ(mapping->path.front(), '/');
          struct stat file = {};
          EXPECT_EQ(stat(mapping->path.c_str(), &file), 0);
          EXPECT_EQ(file.st_ino, mapping->mapping.inode);
        }
        return 0;
      },
      &seen);
  EXPECT_GE(seen.segments, 2);
}

TEST(MemoryMap, ReportsNamesAndProtections) {
  const long page = sysconf(_SC_PAGESIZE);
  const std::string path = "/tmp/softlbr map test " + std::to_string(getpid()) + " \n[x]";
  const int fd = open(path.c_str(), O_CREAT | O_RDWR, 0600);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(ftruncate(fd, 3 * page), 0);
  struct stat file = {};
  fstat(fd, &file);
  void* shared = mmap(nullptr, static_cast<size_t>(page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 2 * page);
  void* none = mmap(nullptr, static_cast<size_t>(page), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  unlink(path.c_str());
  const auto all = Mappings();

  const Copy* found = Find(all, reinterpret_cast<uint64_t>(shared));
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->path, "/tmp/softlbr map test " + std::to_string(getpid()) + " \\012[x] (deleted)");
  EXPECT_TRUE(found->mapping.is_readable && found->mapping.is_writable);
  EXPECT_FALSE(found->mapping.is_executable || found->mapping.is_private);
  EXPECT_EQ(found->mapping.file_offset, static_cast<uint64_t>(2 * page));
  EXPECT_EQ(found->mapping.inode, file.st_ino);
  EXPECT_EQ(found->mapping.device >> 20, major(file.st_dev));
  EXPECT_EQ(found->mapping.device & 0xfffff, minor(file.st_dev));

  found = Find(all, reinterpret_cast<uint64_t>(none));
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->path, "");
  EXPECT_FALSE(found->mapping.is_readable || found->mapping.is_writable || found->mapping.is_executable);

  int stack_variable = 0;
  EXPECT_EQ(Find(all, reinterpret_cast<uint64_t>(&stack_variable))->path, "[stack]");
  munmap(shared, static_cast<size_t>(page));
  munmap(none, static_cast<size_t>(page));
  close(fd);
}

TEST(MemoryMap, HoldsLongPaths) {
  std::string path = "/tmp/softlbr_long_" + std::to_string(getpid());
  std::vector<std::string> made;
  ASSERT_EQ(mkdir(path.c_str(), 0700), 0);
  made.push_back(path);
  for (int i = 0; i < 15; ++i) {
    path += "/" + std::string(250, static_cast<char>('a' + i));
    ASSERT_EQ(mkdir(path.c_str(), 0700), 0);
    made.push_back(path);
  }
  path += "/" + std::string(200, 'f');
  const int fd = open(path.c_str(), O_CREAT | O_RDWR, 0600);
  ASSERT_GE(fd, 0) << path.size();
  ASSERT_EQ(ftruncate(fd, 4096), 0);
  void* memory = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const auto all = Mappings();
  const Copy* found = Find(all, reinterpret_cast<uint64_t>(memory));
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->path, path);
  EXPECT_TRUE(Find(all, reinterpret_cast<uint64_t>(&Mappings))->mapping.is_executable)
      << "the lines after it are complete";
  munmap(memory, 4096);
  close(fd);
  unlink(path.c_str());
  for (auto each = made.rbegin(); each != made.rend(); ++each) rmdir(each->c_str());
}

TEST(MemoryMap, VisitorCanStop) {
  int calls = 0;
  const auto visit = [](void* cookie, const Mapping&) { return ++*static_cast<int*>(cookie) < 3; };
  EXPECT_EQ(ForEachMapping(visit, &calls), Status::kOk);
  EXPECT_EQ(calls, 3);
}

TEST(MemoryMap, WorksAfterTheMainThreadHasEnded) {
  const pid_t child = fork();
  if (child == 0) {
    pthread_t thread;
    pthread_create(
        &thread, nullptr,
        [](void*) -> void* {
          usleep(20000);
          int count = 0;
          const auto visit = [](void* cookie, const Mapping&) { return ++*static_cast<int*>(cookie) > 0; };
          const Status status = ForEachMapping(visit, &count);
          _exit(status == Status::kOk && count > 5 ? 0 : 1);
        },
        nullptr);
    syscall(SYS_exit, 0);  // ends this thread only
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(MemoryMap, MapsAndUnmapsZeroedMemory) {
  auto* memory = static_cast<char*>(MapMemory(3 * 4096 + 1, false));
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(reinterpret_cast<uint64_t>(memory) % 4096, 0u);
  for (int i = 0; i < 3 * 4096 + 1; ++i) ASSERT_EQ(memory[i], 0);
  memory[3 * 4096] = 1;
  UnmapMemory(memory, 3 * 4096 + 1);
  // Checked at once: a later allocation could reuse the address.
  EXPECT_EQ(msync(memory, 4096, MS_ASYNC), -1);
  EXPECT_EQ(MapMemory(uint64_t{1} << 62, false), nullptr);
}

TEST(MemoryMap, MemoryOfASessionIsNotInAForkedChild) {
  auto* own = static_cast<char*>(MapMemory(4096, true));
  auto* kept = static_cast<char*>(MapMemory(4096, false));
  ASSERT_NE(own, nullptr);
  ASSERT_NE(kept, nullptr);
  *own = *kept = 1;
  const pid_t child = fork();
  if (child == 0) _exit(!IsReadable(reinterpret_cast<uint64_t>(own)) && *kept == 1 ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(*own, 1);
  UnmapMemory(own, 4096);
  UnmapMemory(kept, 4096);
}

// Programs that test all their anonymous memory find it as a private mapping without a device and a file.
TEST(MemoryMap, MemoryOfASessionIsNoAnonymousMemory) {
  void* own = MapMemory(4096, true);
  ASSERT_NE(own, nullptr);
  struct Cookie {
    uint64_t address;
    bool is_found;
  } cookie = {reinterpret_cast<uint64_t>(own), false};
  const auto visit = [](void* argument, const Mapping& mapping) {
    auto* found = static_cast<Cookie*>(argument);
    if (found->address < mapping.begin || found->address >= mapping.end) return true;
    found->is_found = !mapping.is_private && mapping.device != 0 && mapping.inode != 0;
    return false;
  };
  EXPECT_EQ(ForEachMapping(visit, &cookie), Status::kOk);
  EXPECT_TRUE(cookie.is_found);
  UnmapMemory(own, 4096);
}

}  // namespace
}  // namespace softlbr::platform
