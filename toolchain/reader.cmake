# softlbr_profile_reader: reading and writing of .slbr files for host tools and tests. Included by toolchain/CMakeLists.txt.
add_library(softlbr_profile_reader STATIC
  ${CMAKE_CURRENT_LIST_DIR}/profile_accumulator.cc
  ${CMAKE_CURRENT_LIST_DIR}/profile_decoder.cc
  ${CMAKE_CURRENT_LIST_DIR}/profile_input.cc
  ${CMAKE_CURRENT_LIST_DIR}/profile_reader.cc
  ${CMAKE_CURRENT_LIST_DIR}/profile_writer_host.cc)
target_link_libraries(softlbr_profile_reader PUBLIC softlbr_host_options PRIVATE softlbr_format ${SOFTLBR_ZSTD_ARCHIVE})
