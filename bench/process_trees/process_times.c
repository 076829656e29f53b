/* Runs a command and writes what the kernel says about each process of it: CPU time, parent and name, when the process
 * ends
   (taskstats, include/linux/taskstats.h). Use: process_times FILE COMMAND [ARGUMENT...], as root.

   A line in FILE for each process: process id, parent's process id, ns of CPU time, name. The command's processes are
   those that descend from it; orphans become children of this program, which waits for all of them.
   Exit code: the command's; 120 if the times are incomplete or cannot be had. */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kFailed = 120, kSilenceMs = 300 };

struct process {
  int parent; /* 0: no task of it has ended */
  uint64_t ns;
  char name[TS_COMM_LEN];
};

static struct process* processes;
static int most_processes;

static void fail(const char* what) {
  fprintf(stderr, "process_times: %s: %s\n", what, strerror(errno));
  exit(kFailed);
}

/* Sends a request with one attribute. */
static void ask(int fd, int family, int command, int attribute, const char* text) {
  union {
    struct nlmsghdr header;
    char bytes[256];
  } message;
  memset(&message, 0, sizeof message);
  struct genlmsghdr* generic = NLMSG_DATA(&message.header);
  generic->cmd = (uint8_t)command;
  generic->version = 1;
  struct nlattr* value = (struct nlattr*)((char*)generic + GENL_HDRLEN);
  value->nla_type = (uint16_t)attribute;
  value->nla_len = (uint16_t)(NLA_HDRLEN + strlen(text) + 1);
  strcpy((char*)value + NLA_HDRLEN, text);
  message.header.nlmsg_len = (uint32_t)(NLMSG_LENGTH(GENL_HDRLEN) + NLA_ALIGN(value->nla_len));
  message.header.nlmsg_type = (uint16_t)family;
  message.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
  if (send(fd, &message, message.header.nlmsg_len, 0) < 0) fail("netlink");
}

typedef void visit_attribute(int type, const char* value, int bytes);

static void for_each(const char* at, int bytes, visit_attribute* visit) {
  while (bytes >= NLA_HDRLEN) {
    struct nlattr header;
    memcpy(&header, at, sizeof header);
    if (header.nla_len < NLA_HDRLEN || header.nla_len > bytes) return;
    visit(header.nla_type & NLA_TYPE_MASK, at + NLA_HDRLEN, header.nla_len - NLA_HDRLEN);
    const int step = NLA_ALIGN(header.nla_len);
    at += step;
    bytes -= step;
  }
}

static void add_task(int type, const char* value, int bytes) {
  if (type != TASKSTATS_TYPE_STATS) return;
  struct taskstats task;
  memset(&task, 0, sizeof task);
  memcpy(&task, value, (size_t)bytes < sizeof task ? (size_t)bytes : sizeof task);
  if (task.version < 12) {
    fprintf(stderr, "process_times: needs a kernel that tells a task's process (5.19)\n");
    exit(kFailed);
  }
  if (task.ac_tgid >= (uint32_t)most_processes) return;
  struct process* process = &processes[task.ac_tgid];
  process->ns += task.cpu_run_virtual_total;
  if (process->parent == 0 || task.ac_pid == task.ac_tgid) {
    process->parent = (int)task.ac_ppid;
    memcpy(process->name, task.ac_comm, sizeof process->name);
    process->name[sizeof process->name - 1] = '\0';
  }
}

static void add_ended(int type, const char* value, int bytes) {
  if (type == TASKSTATS_TYPE_AGGR_PID) for_each(value, bytes, add_task);
}

static int family_id;

static void find_family(int type, const char* value, int bytes) {
  uint16_t id = 0;
  if (type != CTRL_ATTR_FAMILY_ID || bytes < (int)sizeof id) return;
  memcpy(&id, value, sizeof id);
  family_id = id;
}

/* Handles what has come. False if nothing came for `wait_ms`. */
static int receive(int fd, int wait_ms, visit_attribute* visit) {
  struct pollfd wait = {fd, POLLIN, 0};
  if (poll(&wait, 1, wait_ms) <= 0) return 0;
  static char buffer[65536] __attribute__((aligned(8)));
  const ssize_t got = recv(fd, buffer, sizeof buffer, 0);
  if (got < 0 && errno == EINTR) return 1;
  if (got < 0) fail("messages of the kernel were lost");
  int left = (int)got;
  for (struct nlmsghdr* header = (struct nlmsghdr*)buffer; NLMSG_OK(header, left); header = NLMSG_NEXT(header, left)) {
    if (header->nlmsg_type == NLMSG_ERROR) {
      errno = -((struct nlmsgerr*)NLMSG_DATA(header))->error;
      if (errno != 0) fail("the kernel tells no times of processes");
      continue;
    }
    for_each((char*)NLMSG_DATA(header) + GENL_HDRLEN, (int)header->nlmsg_len - (int)NLMSG_LENGTH(GENL_HDRLEN), visit);
  }
  return 1;
}

static int open_listener(void) {
  const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
  struct sockaddr_nl address = {.nl_family = AF_NETLINK};
  if (fd < 0 || bind(fd, (struct sockaddr*)&address, sizeof address) != 0) fail("netlink");
  const int room = 64 << 20;
  if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) != 0) fail("receive buffer");
  ask(fd, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, TASKSTATS_GENL_NAME);
  while (receive(fd, kSilenceMs, find_family)) continue;
  if (family_id == 0) fail("the kernel has no taskstats");
  char cpus[32];
  snprintf(cpus, sizeof cpus, "0-%ld", sysconf(_SC_NPROCESSORS_CONF) - 1);
  ask(fd, family_id, TASKSTATS_CMD_GET, TASKSTATS_CMD_ATTR_REGISTER_CPUMASK, cpus);
  return fd;
}

/* A process whose parent has ended before it hangs below this program. */
static int descends(int process, int from) {
  for (int depth = 0; depth < 1000 && process > 0 && process < most_processes; ++depth) {
    if (process == from) return 1;
    process = processes[process].parent;
  }
  return 0;
}

int main(int argc, char** argv) {
  if (argc < 3) return kFailed;
  FILE* limit = fopen("/proc/sys/kernel/pid_max", "r");
  if (limit == NULL || fscanf(limit, "%d", &most_processes) != 1) fail("pid_max");
  fclose(limit);
  processes = calloc((size_t)most_processes, sizeof *processes);
  FILE* out = fopen(argv[1], "we");
  if (processes == NULL || out == NULL) fail(argv[1]);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const int fd = open_listener();
  const pid_t command = fork();
  if (command < 0) fail("fork");
  if (command == 0) {
    execvp(argv[2], argv + 2);
    fprintf(stderr, "process_times: %s: %s\n", argv[2], strerror(errno));
    _exit(127);
  }
  int code = kFailed;
  for (;;) {
    (void)receive(fd, 20, add_ended);
    int status = 0;
    const pid_t ended = waitpid(-1, &status, WNOHANG);
    if (ended == command) code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (ended < 0 && errno == ECHILD) break;
  }
  while (receive(fd, kSilenceMs, add_ended)) continue;
  for (int process = 1; process < most_processes; ++process) {
    const struct process* entry = &processes[process];
    if (entry->parent == 0 || !descends(process, getpid())) continue;
    fprintf(out, "%d %d %llu %s\n", process, entry->parent, (unsigned long long)entry->ns, entry->name);
  }
  if (fclose(out) != 0) fail(argv[1]);
  return code;
}
