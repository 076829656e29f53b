/* Keeps Capstone's ten other architectures out of the shared object: its archive refers to each of them from one table.
 * With these here the linker has no reason to take their members: 7.1 MB become 1.9 MB, and 1.6 MB of data that the
 * loader would relocate are gone. Only in the shared object, never in the static form, where another plugin may want
 * them. */

enum { kUnsupportedArchitecture = 2 }; /* CS_ERR_ARCH */

#define SOFTLBR_NO_ARCHITECTURE(name)                              \
  int name##_global_init(void* handle);                            \
  int name##_global_init(void* handle) {                           \
    (void)handle;                                                  \
    return kUnsupportedArchitecture;                               \
  }                                                                \
  int name##_option(void* handle, int type, unsigned long value);  \
  int name##_option(void* handle, int type, unsigned long value) { \
    (void)handle;                                                  \
    (void)type;                                                    \
    (void)value;                                                   \
    return kUnsupportedArchitecture;                               \
  }

SOFTLBR_NO_ARCHITECTURE(AArch64)
SOFTLBR_NO_ARCHITECTURE(ARM)
SOFTLBR_NO_ARCHITECTURE(EVM)
SOFTLBR_NO_ARCHITECTURE(M680X)
SOFTLBR_NO_ARCHITECTURE(M68K)
SOFTLBR_NO_ARCHITECTURE(Mips)
SOFTLBR_NO_ARCHITECTURE(PPC)
SOFTLBR_NO_ARCHITECTURE(Sparc)
SOFTLBR_NO_ARCHITECTURE(SystemZ)
SOFTLBR_NO_ARCHITECTURE(TMS320C64x)
SOFTLBR_NO_ARCHITECTURE(XCore)
