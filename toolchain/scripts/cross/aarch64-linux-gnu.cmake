# Cross-compilation for AArch64 Linux with Debian's g++-aarch64-linux-gnu. Preset release-aarch64.
#
# Libraries come from the folder of arm64 packages that toolchain/scripts/cross/setup.sh unpacks; SOFTLBR_SYSROOT (a
# CMake or environment variable) names another folder. If qemu-aarch64 is installed, tests that do not need an arm64
# kernel run under it; tests with breakpoints run in a guest (toolchain/scripts/arm64-guest.sh).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)

set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SOFTLBR_SYSROOT)
if(NOT SOFTLBR_SYSROOT)
  if(DEFINED ENV{SOFTLBR_SYSROOT})
    set(SOFTLBR_SYSROOT $ENV{SOFTLBR_SYSROOT})
  else()
    get_filename_component(SOFTLBR_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../../../build/cross/arm64 ABSOLUTE)
  endif()
endif()
if(NOT EXISTS ${SOFTLBR_SYSROOT}/usr/include)
  message(FATAL_ERROR "${SOFTLBR_SYSROOT} holds no arm64 libraries: run sh toolchain/scripts/cross/setup.sh")
endif()

if(NOT CMAKE_C_COMPILER)
  set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
  set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
endif()
# Searched before the compiler's own folders, which may contain the build machine's headers. The sysroot contains no
# libc.
set(softlbr_flags "-isystem ${SOFTLBR_SYSROOT}/usr/include -isystem ${SOFTLBR_SYSROOT}/usr/include/aarch64-linux-gnu")
set(CMAKE_C_FLAGS_INIT "${softlbr_flags}")
set(CMAKE_CXX_FLAGS_INIT "${softlbr_flags}")

set(CMAKE_FIND_ROOT_PATH ${SOFTLBR_SYSROOT} /usr/aarch64-linux-gnu)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

find_program(SOFTLBR_QEMU_USER NAMES qemu-aarch64 qemu-aarch64-static)
mark_as_advanced(SOFTLBR_QEMU_USER)
if(SOFTLBR_QEMU_USER)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${SOFTLBR_QEMU_USER} -L /usr/aarch64-linux-gnu)
endif()
# List the tests of a program when tests are run: during the build it may not be executable.
set(CMAKE_GTEST_DISCOVER_TESTS_DISCOVERY_MODE PRE_TEST)
