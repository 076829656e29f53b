/* Loads a shared object at chosen addresses, and runs it with its stack and data beside it.
 *
 * Arguments: "high" (addresses beyond those that Linux gives by default) or "low" (chosen by mmap), the shared object
 * (high_code.c: one entry, no relocations), rounds. Output: the result of the code. Exit 77: mmap gives no high
 * address. */
#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hazard_program.h"
#include "high_code.h"

#if defined(__aarch64__)
enum { ADDRESS_BITS = 52, ORDINARY_BITS = 48 };
#else
enum { ADDRESS_BITS = 56, ORDINARY_BITS = 47 }; /* page tables of five levels */
#endif

static int is_high;
static size_t page_bytes;
/* Address of the next mapping: from 4 GiB below the end, upwards. */
static uint64_t next_high = (1ull << ADDRESS_BITS) - (1ull << 32);

static size_t whole_pages(size_t bytes) { return (bytes + page_bytes - 1) & ~(page_bytes - 1); }

/* Maps fresh memory. */
static char* reserve(size_t bytes, int protection) {
  void* hint = is_high ? (void*)next_high : NULL;
  char* memory = mmap(hint, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  MUST(memory != MAP_FAILED);
  if (is_high && (uint64_t)memory >> ORDINARY_BITS == 0) exit(77);
  next_high += whole_pages(bytes) + page_bytes;
  return memory;
}

static high_entry* load(const char* path) {
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  struct stat stat;
  MUST(fd >= 0 && fstat(fd, &stat) == 0);
  const char* file = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  MUST(file != MAP_FAILED);
  const Elf64_Ehdr* elf = (const void*)file;
  const Elf64_Phdr* headers = (const void*)(file + elf->e_phoff);
  size_t span = 0;
  for (int i = 0; i < elf->e_phnum; ++i) {
    if (headers[i].p_type == PT_LOAD) span = whole_pages(headers[i].p_vaddr + headers[i].p_memsz);
  }
  char* base = reserve(span, PROT_NONE);
  for (int i = 0; i < elf->e_phnum; ++i) {
    const Elf64_Phdr* load = &headers[i];
    if (load->p_type != PT_LOAD) continue;
    MUST(load->p_memsz == load->p_filesz); /* high_code.c has no writable data */
    const size_t in_page = load->p_vaddr & (page_bytes - 1);
    const int protection = PROT_READ | (load->p_flags & PF_X ? PROT_EXEC : 0);
    MUST(mmap(base + load->p_vaddr - in_page, load->p_filesz + in_page, protection, MAP_PRIVATE | MAP_FIXED, fd,
              (off_t)(load->p_offset - in_page)) != MAP_FAILED);
  }
  high_entry* entry = (high_entry*)(void*)(base + elf->e_entry);
  munmap((void*)file, (size_t)stat.st_size);
  close(fd);
  return entry;
}

struct job {
  high_entry* entry;
  struct high_node* nodes;
  uint64_t rounds;
  uint64_t result;
};

static void* run(void* argument) {
  struct job* job = argument;
  char on_stack = 0;
  MUST(!is_high || (uint64_t)&on_stack >> ORDINARY_BITS != 0);
  job->result = job->entry(job->nodes, job->rounds);
  return NULL;
}

int main(int argc, char** argv) {
  MUST(argc == 4);
  is_high = strcmp(argv[1], "high") == 0;
  page_bytes = (size_t)sysconf(_SC_PAGESIZE);
  struct job* job = (struct job*)reserve(sizeof *job, PROT_READ | PROT_WRITE);
  job->entry = load(argv[2]);
  job->nodes = (struct high_node*)reserve(HIGH_NODES * sizeof(struct high_node), PROT_READ | PROT_WRITE);
  job->rounds = strtoull(argv[3], NULL, 10);
  const size_t stack_bytes = 1 << 20;
  pthread_attr_t attributes;
  pthread_t thread;
  MUST(pthread_attr_init(&attributes) == 0);
  MUST(pthread_attr_setstack(&attributes, reserve(stack_bytes, PROT_READ | PROT_WRITE), stack_bytes) == 0);
  MUST(pthread_create(&thread, &attributes, run, job) == 0);
  MUST(pthread_join(thread, NULL) == 0);
  printf("%llu\n", (unsigned long long)job->result);
  return 0;
}
