#include "runtime/process_tree/option_string.h"

#include "runtime/process_tree/record_protocol.h"

namespace softlbr {
namespace {

struct Text {
  const char* begin;
  const char* end;
};

bool Equals(Text text, const char* word) {
  const char* at = text.begin;
  for (; *word != '\0'; ++word, ++at) {
    if (at == text.end || *at != *word) return false;
  }
  return at == text.end;
}

bool ToNumber(Text text, uint64_t most, uint64_t* value) {
  if (text.begin == text.end) return false;
  uint64_t number = 0;
  for (const char* at = text.begin; at != text.end; ++at) {
    if (*at < '0' || *at > '9') return false;
    const uint64_t digit = static_cast<uint64_t>(*at - '0');
    if (number > (most - digit) / 10) return false;
    number = number * 10 + digit;
  }
  *value = number;
  return true;
}

template <uint64_t kSize>
bool ToPath(Text text, char (&path)[kSize]) {
  const uint64_t length = static_cast<uint64_t>(text.end - text.begin);
  if (length == 0 || length >= kSize) return false;
  for (uint64_t i = 0; i < length; ++i) path[i] = text.begin[i];
  path[length] = '\0';
  return true;
}

bool AddLabel(Text text, AttachOptions* options) {
  const uint64_t length = static_cast<uint64_t>(text.end - text.begin);
  if (length >= sizeof options->labels - options->label_bytes) return false;
  for (uint64_t i = 0; i < length; ++i) options->labels[options->label_bytes++] = text.begin[i];
  options->labels[options->label_bytes++] = '\0';
  return true;
}

bool ToEvent(Text text, uint32_t* event) {
  struct Name {
    const char* name;
    uint32_t value;
  };
  static constexpr Name kNames[] = {
#define SOFTLBR_SAMPLE_EVENT(name, c_name, key, number, is_clock, meaning) {key, number},
#include "platform/base/sample_events.def"
  };
  for (const Name& name : kNames) {
    if (Equals(text, name.name)) {
      *event = name.value;
      return true;
    }
  }
  return false;
}

bool Apply(Text key, Text value, AttachOptions* options) {
  constexpr uint64_t kMaxDescriptor = 0x7fffffff;
  uint64_t number = 0;
  if (Equals(key, "fd") || Equals(key, "status")) {
    if (!ToNumber(value, kMaxDescriptor, &number)) return false;
    (Equals(key, "fd") ? options->profile_fd : options->status_fd) = static_cast<int32_t>(number);
    return true;
  }
  if (Equals(key, "record")) {
    if (!ToNumber(value, kMaxDescriptor, &number)) return false;
    options->record_process = static_cast<int32_t>(number);
    return true;
  }
  if (Equals(key, "again")) return ToNumber(value, UINT64_MAX, &options->again);
  if (Equals(key, "out")) return ToPath(value, options->out_path);
  if (Equals(key, "label")) return AddLabel(value, options);
  if (Equals(key, "socket")) return ToPath(value, options->socket_name);
  if (Equals(key, "event")) return ToEvent(value, &options->session.event);
  if (Equals(key, "period")) return ToNumber(value, UINT64_MAX, &options->session.period);
  if (Equals(key, "freq")) return ToNumber(value, UINT64_MAX, &options->session.frequency_hz);
  struct Field {
    const char* key;
    uint32_t* value;
  };
  const Field fields[] = {
      {"branches", &options->session.branches_per_trace}, {"flags", &options->session.flags},
      {"threads", &options->session.max_threads},         {"wait", &options->waits},
      {"verify", &options->session.verify_every},         {"overhead", &options->session.max_overhead_ppm}};
  for (const Field& field : fields) {
    if (!Equals(key, field.key)) continue;
    if (!ToNumber(value, UINT32_MAX, &number)) return false;
    *field.value = static_cast<uint32_t>(number);
    return true;
  }
  if (Equals(key, "resolve")) {
    const bool is_static = Equals(value, "static");
    if (!is_static && !Equals(value, "lookahead")) return false;
    options->session.resolve_plus_one = 1 + (is_static ? SOFTLBR_RESOLVE_STATIC : SOFTLBR_RESOLVE_LOOKAHEAD);
    return true;
  }
  return true;  // an unknown key, of a later version: ignored
}

}  // namespace

void SetLabels(AttachOptions* options) {
  char* const end = options->labels + options->label_bytes;
  for (char* key = options->labels; key != end;) {
    char* value = key;
    while (*value != '\0' && *value != '=') ++value;
    char* next = value;
    while (*next != '\0') ++next;
    if (value != next) {
      *value++ = '\0';
      (void)softlbr_set_label(key, value);  // the command has checked them
    }
    key = next + 1;
  }
  options->label_bytes = 0;
}

bool ParseOptionString(const char* text, AttachOptions* options) {
  *options = AttachOptions{};
  options->session.struct_size = sizeof(softlbr_options);
  options->profile_fd = -1;
  options->status_fd = -1;
  const char* at = text;
  bool is_first = true;
  while (true) {
    const char* end = at;
    while (*end != '\0' && *end != ';') ++end;
    if (is_first) {
      if (!Equals(Text{at, end}, kRecordOptionsVersion)) return false;
      is_first = false;
    } else if (at != end) {
      const char* equals = at;
      while (equals != end && *equals != '=') ++equals;
      if (equals == end || !Apply(Text{at, equals}, Text{equals + 1, end}, options)) return false;
    }
    if (*end == '\0') return true;
    at = end + 1;
  }
}

}  // namespace softlbr
