/* Keeps Capstone's ten other architectures out of the shared object. A table in Capstone's archive refers to each of
 * them; with the definitions below the linker does not pull in their members. That reduces the object from 7.1 MB to
 * 1.9 MB and saves 1.6 MB of relocated data. Used only in the shared object: in the static form, another plugin may
 * need those architectures. */

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
