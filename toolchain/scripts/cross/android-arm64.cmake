# Cross-compilation for Android on AArch64, API level 29 and later, with the NDK's own toolchain file. Preset
# android-arm64.
#
# ANDROID_NDK (a CMake or environment variable): the unpacked NDK. SOFTLBR_ANDROID_LIBRARIES (likewise): a folder with
# include/ and lib/ of liburcu (liburcu-cds.a, liburcu-common.a) and zstd (libzstd.a), built for Android by
# build_dependencies.sh. ANDROID_PLATFORM: another API level (default android-29, the oldest whose bionic has all that
# the runtime needs).
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ANDROID_NDK SOFTLBR_ANDROID_LIBRARIES)
if(NOT ANDROID_NDK)
  set(ANDROID_NDK $ENV{ANDROID_NDK})
endif()
if(NOT ANDROID_NDK)
  set(ANDROID_NDK $ENV{ANDROID_NDK_HOME})
endif()
if(NOT EXISTS "${ANDROID_NDK}/build/cmake/android.toolchain.cmake")
  message(FATAL_ERROR "ANDROID_NDK must name an unpacked Android NDK; '${ANDROID_NDK}' holds no build/cmake/android.toolchain.cmake")
endif()
if(NOT SOFTLBR_ANDROID_LIBRARIES AND DEFINED ENV{SOFTLBR_ANDROID_LIBRARIES})
  set(SOFTLBR_ANDROID_LIBRARIES $ENV{SOFTLBR_ANDROID_LIBRARIES})
endif()

set(ANDROID_ABI arm64-v8a)
if(NOT ANDROID_PLATFORM)
  set(ANDROID_PLATFORM android-29)
endif()
# Device code uses headers of the C++ library but does not link it. "none" would remove the headers as well.
set(ANDROID_STL c++_static)
include(${ANDROID_NDK}/build/cmake/android.toolchain.cmake)

foreach(kind EXE SHARED MODULE)
  string(APPEND CMAKE_${kind}_LINKER_FLAGS " -nostdlib++")
endforeach()
if(SOFTLBR_ANDROID_LIBRARIES)
  list(APPEND CMAKE_FIND_ROOT_PATH ${SOFTLBR_ANDROID_LIBRARIES})
  include_directories(SYSTEM ${SOFTLBR_ANDROID_LIBRARIES}/include)
endif()
