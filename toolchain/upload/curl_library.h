// libcurl, loaded when the first upload needs it.
//
// Why: the other commands must run where it is not installed, and must not pay for loading it and the thirty libraries that it needs.
// Errors: StatedFailure if it cannot be loaded.
#ifndef SOFTLBR_TOOLCHAIN_UPLOAD_CURL_LIBRARY_H_
#define SOFTLBR_TOOLCHAIN_UPLOAD_CURL_LIBRARY_H_

#include <curl/curl.h>

namespace softlbr::toolchain {

// Its functions, without their prefix "curl_".
struct CurlLibrary {
#define SOFTLBR_CURL_FUNCTIONS(X)                                                                                   \
  X(easy_cleanup)                                                                                                   \
  X(easy_getinfo) X(easy_init) X(easy_perform) X(easy_reset) X(easy_setopt) X(easy_strerror) X(free) X(global_init) \
      X(slist_append) X(slist_free_all) X(url) X(url_cleanup) X(url_get) X(url_set)
#define SOFTLBR_CURL_MEMBER(name) decltype(&::curl_##name) name;
  SOFTLBR_CURL_FUNCTIONS(SOFTLBR_CURL_MEMBER)
#undef SOFTLBR_CURL_MEMBER
};

const CurlLibrary& Curl();

}  // namespace softlbr::toolchain

#endif  // SOFTLBR_TOOLCHAIN_UPLOAD_CURL_LIBRARY_H_
