#include "toolchain/upload/curl_library.h"

#include "toolchain/base/shared_library.h"

namespace softlbr::toolchain {
namespace {

CurlLibrary LoadCurl() {
  const SharedLibrary library("upload", "libcurl.so.4", "libcurl4");
  CurlLibrary curl{};
  library.Find("curl_easy_cleanup", &curl.easy_cleanup);
  library.Find("curl_easy_getinfo", &curl.easy_getinfo);
  library.Find("curl_easy_init", &curl.easy_init);
  library.Find("curl_easy_perform", &curl.easy_perform);
  library.Find("curl_easy_reset", &curl.easy_reset);
  library.Find("curl_easy_setopt", &curl.easy_setopt);
  library.Find("curl_easy_strerror", &curl.easy_strerror);
  library.Find("curl_free", &curl.free);
  library.Find("curl_global_init", &curl.global_init);
  library.Find("curl_slist_append", &curl.slist_append);
  library.Find("curl_slist_free_all", &curl.slist_free_all);
  library.Find("curl_url", &curl.url);
  library.Find("curl_url_cleanup", &curl.url_cleanup);
  library.Find("curl_url_get", &curl.url_get);
  library.Find("curl_url_set", &curl.url_set);
  return curl;
}

}  // namespace

const CurlLibrary& Curl() {
  static const CurlLibrary curl = LoadCurl();
  return curl;
}

}  // namespace softlbr::toolchain
