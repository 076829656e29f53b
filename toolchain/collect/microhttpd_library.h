// libmicrohttpd, loaded when a server starts (toolchain/base/shared_library.h).
#ifndef SOFTLBR_TOOLCHAIN_COLLECT_MICROHTTPD_LIBRARY_H_
#define SOFTLBR_TOOLCHAIN_COLLECT_MICROHTTPD_LIBRARY_H_

#include <microhttpd.h>

namespace softlbr::toolchain {

// Its functions, without their prefix "MHD_".
struct MicrohttpdLibrary {
  decltype(&::MHD_add_connection) add_connection;
  decltype(&::MHD_add_response_header) add_response_header;
  decltype(&::MHD_create_response_from_buffer) create_response_from_buffer;
  decltype(&::MHD_create_response_from_callback) create_response_from_callback;
  decltype(&::MHD_create_response_from_fd64) create_response_from_fd64;
  decltype(&::MHD_destroy_response) destroy_response;
  decltype(&::MHD_get_connection_info) get_connection_info;
  decltype(&::MHD_lookup_connection_value) lookup_connection_value;
  decltype(&::MHD_queue_response) queue_response;
  decltype(&::MHD_start_daemon) start_daemon;
  decltype(&::MHD_stop_daemon) stop_daemon;
};

const MicrohttpdLibrary& Microhttpd();

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_COLLECT_MICROHTTPD_LIBRARY_H_
