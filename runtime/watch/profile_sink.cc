#include "runtime/watch/profile_sink.h"

#include "platform/file.h"
#include "runtime/session/session.h"
#include "runtime/session/session_hooks.h"

namespace softlbr {

int WriteToSink(void* cookie, const void* bytes, size_t size) {
  auto* session = static_cast<Session*>(cookie);
  const softlbr_options& options = session->settings.options;
  const auto write_to_file = [&] {
    return platform::FileIdentity(options.sink_fd) == session->sink_identity &&
           g_session_hooks.write_frame(options.sink_fd, bytes, size) == Status::kOk;
  };
  const bool is_taken = options.sink != nullptr ? options.sink(options.sink_cookie, bytes, size) == 0 : write_to_file();
  if (!is_taken) CountLoss(session, LossReason::kSinkFailed);
  return is_taken ? 0 : 1;
}

}  // namespace softlbr
