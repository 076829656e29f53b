// libcurl, loaded with the first upload (toolchain/base/shared_library.h).
#ifndef SOFTLBR_TOOLCHAIN_UPLOAD_CURL_LIBRARY_H_
#define SOFTLBR_TOOLCHAIN_UPLOAD_CURL_LIBRARY_H_

#include <curl/curl.h>

namespace softlbr::toolchain {

// Its functions, without their prefix "curl_".
struct CurlLibrary {
  decltype(&::curl_easy_cleanup) easy_cleanup;
  decltype(&::curl_easy_getinfo) easy_getinfo;
  decltype(&::curl_easy_init) easy_init;
  decltype(&::curl_easy_perform) easy_perform;
  decltype(&::curl_easy_reset) easy_reset;
  decltype(&::curl_easy_setopt) easy_setopt;
  decltype(&::curl_easy_strerror) easy_strerror;
  decltype(&::curl_free) free;
  decltype(&::curl_global_init) global_init;
  decltype(&::curl_slist_append) slist_append;
  decltype(&::curl_slist_free_all) slist_free_all;
  decltype(&::curl_url) url;
  decltype(&::curl_url_cleanup) url_cleanup;
  decltype(&::curl_url_get) url_get;
  decltype(&::curl_url_set) url_set;
};

const CurlLibrary& Curl();

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_UPLOAD_CURL_LIBRARY_H_
