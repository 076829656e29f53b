// The part of QEMU's plugin interface, version 1 (QEMU 4.2 to 8.2), that the plugins of tests/guest and tests/reference
// use: Debian ships no header for it.
//
// QEMU defines the functions and resolves them when it loads the plugin. A QEMU that no longer supports version 1
// refuses to load it and says so.
#ifndef SOFTLBR_TESTS_GUEST_QEMU_PLUGIN_API_H_
#define SOFTLBR_TESTS_GUEST_QEMU_PLUGIN_API_H_

#include <cstddef>
#include <cstdint>

extern "C" {

using qemu_plugin_id_t = uint64_t;
struct qemu_plugin_tb;    // a translated block, valid while it is being translated
struct qemu_plugin_insn;  // an instruction of it, likewise

struct qemu_info_t {
  const char* target_name;  // "x86_64", "aarch64"
  struct {
    int min;
    int cur;
  } version;
  bool system_emulation;
  struct {
    int smp_vcpus;
    int max_vcpus;
  } system;
};

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
// Only this value: QEMU 7.2 never calls a plugin that asks for loads alone.
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_RW = 3 };
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };

using qemu_plugin_translated = void (*)(qemu_plugin_id_t id, qemu_plugin_tb* tb);
using qemu_plugin_executed = void (*)(unsigned vcpu, void* userdata);
using qemu_plugin_accessed = void (*)(unsigned vcpu, uint32_t kind, uint64_t vaddr, void* userdata);
using qemu_plugin_vcpu_changed = void (*)(qemu_plugin_id_t id, unsigned vcpu);
using qemu_plugin_called = void (*)(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t, uint64_t, uint64_t,
                                    uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
using qemu_plugin_ended = void (*)(qemu_plugin_id_t id, void* userdata);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_translated callback);
void qemu_plugin_register_vcpu_tb_exec_cb(qemu_plugin_tb* tb, qemu_plugin_executed callback, qemu_plugin_cb_flags flags,
                                          void* userdata);
void qemu_plugin_register_vcpu_tb_exec_inline(qemu_plugin_tb* tb, qemu_plugin_op op, void* counter, uint64_t add);
void qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_insn* insn, qemu_plugin_executed callback,
                                            qemu_plugin_cb_flags flags, void* userdata);
void qemu_plugin_register_vcpu_mem_cb(qemu_plugin_insn* insn, qemu_plugin_accessed callback, qemu_plugin_cb_flags flags,
                                      qemu_plugin_mem_rw rw, void* userdata);
// User mode only: a thread begins, a system call begins.
void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t id, qemu_plugin_vcpu_changed callback);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t id, qemu_plugin_called callback);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_ended callback, void* userdata);
size_t qemu_plugin_tb_n_insns(const qemu_plugin_tb* tb);
uint64_t qemu_plugin_tb_vaddr(const qemu_plugin_tb* tb);
qemu_plugin_insn* qemu_plugin_tb_get_insn(const qemu_plugin_tb* tb, size_t index);
const void* qemu_plugin_insn_data(const qemu_plugin_insn* insn);
size_t qemu_plugin_insn_size(const qemu_plugin_insn* insn);
uint64_t qemu_plugin_insn_vaddr(const qemu_plugin_insn* insn);
void* qemu_plugin_insn_haddr(const qemu_plugin_insn* insn);  // where this process has it mapped

}  // extern "C"

#endif  // SOFTLBR_TESTS_GUEST_QEMU_PLUGIN_API_H_
