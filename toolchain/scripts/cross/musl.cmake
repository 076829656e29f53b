# Cross-compilation against musl without a C++ library, the smallest supported target. Presets musl-aarch64 and
# musl-x86_64.
#
# SOFTLBR_MUSL_ARCH (a CMake variable): aarch64 or x86_64. toolchain/scripts/cross/setup.sh puts headers and libraries
# under build/cross; of the C++ library (LLVM's) only the headers. The compiler is clang-19, as Android's NDK has clang.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SOFTLBR_MUSL_ARCH)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${SOFTLBR_MUSL_ARCH})
if(NOT SOFTLBR_MUSL_ARCH MATCHES "^(aarch64|x86_64)$")
  message(FATAL_ERROR "SOFTLBR_MUSL_ARCH must be aarch64 or x86_64, not '${SOFTLBR_MUSL_ARCH}'")
endif()
get_filename_component(softlbr_cross ${CMAKE_CURRENT_LIST_DIR}/../../../build/cross ABSOLUTE)
set(softlbr_libraries ${softlbr_cross}/musl-${SOFTLBR_MUSL_ARCH}-libraries)
if(NOT EXISTS ${softlbr_libraries}/lib)
  message(FATAL_ERROR "${softlbr_libraries} holds no libraries: run sh toolchain/scripts/cross/setup.sh")
endif()

set(CMAKE_C_COMPILER ${softlbr_cross}/musl-${SOFTLBR_MUSL_ARCH}-clang)
set(CMAKE_CXX_COMPILER ${softlbr_cross}/musl-${SOFTLBR_MUSL_ARCH}-clang++)
set(CMAKE_ASM_COMPILER ${CMAKE_C_COMPILER})
set(CMAKE_AR llvm-ar-19)
set(CMAKE_RANLIB llvm-ranlib-19)
set(CMAKE_OBJCOPY llvm-objcopy-19)
set(CMAKE_C_FLAGS_INIT "-isystem ${softlbr_libraries}/include")
set(CMAKE_CXX_FLAGS_INIT "-isystem ${softlbr_libraries}/include")

set(CMAKE_FIND_ROOT_PATH ${softlbr_libraries} ${softlbr_cross}/musl-${SOFTLBR_MUSL_ARCH})
set(CMAKE_LIBRARY_ARCHITECTURE ${SOFTLBR_MUSL_ARCH}-linux-musl)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
