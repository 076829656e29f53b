# Debian packages, by the command
#   cpack --config build/release/CPackConfig.cmake -B FOLDER
#     libsoftlbr-dev   what an app links: archives, headers, files for CMake and pkg-config
#     softlbr          the command, with the preload library and the decoder plugins that it loads
# The libraries are under /usr/lib, or under /usr/lib/<triplet> if the build was configured with
# -DCMAKE_INSTALL_PREFIX=/usr.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME softlbr)
set(CPACK_PACKAGE_CONTACT "softlbr developers <softlbr@localhost>" CACHE STRING "Maintainer of the Debian packages")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "last branch records in software")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)  # the archives too, which package/CMakeLists.txt strips: no path of the build remains
set(CPACK_COMPONENTS_ALL development command)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
else()
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE amd64)
endif()

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libsoftlbr-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS libc6-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS softlbr)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
  "Libraries that record the taken branches of the program that they are linked into.")
set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME softlbr)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION devel)
set(CPACK_COMPONENT_COMMAND_DESCRIPTION
  "Records the taken branches of unmodified programs; reads, merges and converts profiles.")
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS
   # loaded by mix, upload, blocks, collect and request; gnuplot draws pictures
  "gnuplot-nox, libcapstone4, libcurl4, libdw1, liblzma5, libdebuginfod1, libmicrohttpd12, libsodium23")
# The libraries that the command needs. In a cross build dpkg-shlibdeps finds none of them.
if(CMAKE_CROSSCOMPILING)
  set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS "libc6, libgcc-s1, libstdc++6")
else()
  set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
endif()
include(CPack)
