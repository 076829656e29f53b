// In place of curl_library.cc in libsoftlbr_upload.a: apps link libcurl.
#include "toolchain/upload/curl_library.h"

namespace softlbr::toolchain {

const CurlLibrary& Curl() {
  static const CurlLibrary curl = {
      curl_easy_cleanup,   curl_easy_getinfo,  curl_easy_init,   curl_easy_perform, curl_easy_reset,
      curl_easy_setopt,    curl_easy_strerror, curl_free,        curl_global_init,  curl_slist_append,
      curl_slist_free_all, curl_url,           curl_url_cleanup, curl_url_get,      curl_url_set,
  };
  return curl;
}

}  // namespace softlbr::toolchain
