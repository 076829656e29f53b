#include "toolchain/collect/microhttpd_library.h"

#include "toolchain/base/shared_library.h"

namespace softlbr::toolchain {
namespace {

MicrohttpdLibrary LoadMicrohttpd() {
  const SharedLibrary library("collect", "libmicrohttpd.so.12", "libmicrohttpd12");
  MicrohttpdLibrary server{};
  library.Find("MHD_add_connection", &server.add_connection);
  library.Find("MHD_add_response_header", &server.add_response_header);
  library.Find("MHD_create_response_from_buffer", &server.create_response_from_buffer);
  library.Find("MHD_create_response_from_callback", &server.create_response_from_callback);
  library.Find("MHD_create_response_from_fd64", &server.create_response_from_fd64);
  library.Find("MHD_destroy_response", &server.destroy_response);
  library.Find("MHD_get_connection_info", &server.get_connection_info);
  library.Find("MHD_lookup_connection_value", &server.lookup_connection_value);
  library.Find("MHD_queue_response", &server.queue_response);
  library.Find("MHD_start_daemon", &server.start_daemon);
  library.Find("MHD_stop_daemon", &server.stop_daemon);
  return server;
}

}  // namespace

const MicrohttpdLibrary& Microhttpd() {
  static const MicrohttpdLibrary server = LoadMicrohttpd();
  return server;
}

}  // namespace softlbr::toolchain
