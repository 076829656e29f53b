// The session's hooks in the preload library.
#ifndef SOFTLBR_RUNTIME_ATTACH_TREE_HOOKS_H_
#define SOFTLBR_RUNTIME_ATTACH_TREE_HOOKS_H_

namespace softlbr {

// In OnLoad, before the first session.
void HookSession();

}  // namespace softlbr

#endif  // SOFTLBR_RUNTIME_ATTACH_TREE_HOOKS_H_
