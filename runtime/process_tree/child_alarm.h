// After how much CPU time a forked child that has executed no program is recorded (forked_child.h).
#ifndef SOFTLBR_RUNTIME_PROCESS_TREE_CHILD_ALARM_H_
#define SOFTLBR_RUNTIME_PROCESS_TREE_CHILD_ALARM_H_

#include <cstdint>

namespace softlbr {

// About the CPU time that a session's start takes, so recording costs a child at most about as much as its own work.
inline constexpr uint64_t kLeastChildAlarmNs = 1000000;
// A machine on which a child is slow to begin also takes that much longer for the start of a session, and for the
// child's way to exec.
inline constexpr uint64_t kMostChildAlarmNs = 8000000;
inline constexpr uint64_t kAlarmPerBirth = 4;
// In a process namespace made by the program, its processes may rely on the few ids, and the helper takes two. So in
// such a namespace only a child that works for long is recorded.
inline constexpr uint64_t kNamespaceAlarmNs = 100000000;

// birth_ns: the CPU time that the child has used since the fork.
constexpr uint64_t ChildAlarmNs(uint64_t birth_ns, bool is_in_new_namespace) {
  if (is_in_new_namespace) return kNamespaceAlarmNs;
  if (birth_ns > kMostChildAlarmNs / kAlarmPerBirth) return kMostChildAlarmNs;
  return birth_ns > kLeastChildAlarmNs / kAlarmPerBirth ? birth_ns * kAlarmPerBirth : kLeastChildAlarmNs;
}

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_PROCESS_TREE_CHILD_ALARM_H_
