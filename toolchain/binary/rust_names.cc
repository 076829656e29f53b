#include "toolchain/binary/rust_names.h"

#include <cstdint>

namespace softlbr::toolchain {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }

// The value of a hexadecimal digit in lower case, or -1.
int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

std::string_view BasicType(char tag) {
  switch (tag) {
    case 'a': return "i8";
    case 'b': return "bool";
    case 'c': return "char";
    case 'd': return "f64";
    case 'e': return "str";
    case 'f': return "f32";
    case 'h': return "u8";
    case 'i': return "isize";
    case 'j': return "usize";
    case 'l': return "i32";
    case 'm': return "u32";
    case 'n': return "i128";
    case 'o': return "u128";
    case 'p': return "_";
    case 's': return "i16";
    case 't': return "u16";
    case 'u': return "()";
    case 'v': return "...";
    case 'x': return "i64";
    case 'y': return "u64";
    case 'z': return "!";
    default: return {};
  }
}

// Recursive descent over the grammar of RFC 2603. After a syntax error every call returns at once.
class V0 {
 public:
  explicit V0(std::string_view text) : text_(text) {}  // behind "_R"

  std::optional<std::string> Demangle() {
    Path(/*is_value=*/true);
    if (!has_failed_ && at_ < text_.size() && IsUpper(text_[at_])) {  // the instantiating crate is not printed
      is_silent_ = true;
      Path(false);
      is_silent_ = false;
    }
    if (has_failed_) return std::nullopt;
    const std::string_view suffix = text_.substr(at_);
    if (!suffix.empty() && suffix[0] != '.' && suffix[0] != '$' && suffix[0] != '@') return std::nullopt;
    out_ += suffix;
    return std::move(out_);
  }

 private:
  struct Identifier {
    std::string_view name;
    uint64_t disambiguator = 0;
    bool is_punycode = false;
  };

  // Counts the nesting of paths, types and constants.
  class Nesting {
   public:
    explicit Nesting(V0* parser) : parser_(parser) {
      if (++parser_->nesting_ > kMaxRustNesting) parser_->Fail();
    }
    ~Nesting() { --parser_->nesting_; }

   private:
    V0* parser_;
  };

  void Fail() { has_failed_ = true; }
  char Peek() const { return !has_failed_ && at_ < text_.size() ? text_[at_] : '\0'; }
  char Next() {
    const char c = Peek();
    if (c == '\0') {
      Fail();
    } else {
      ++at_;
    }
    return c;
  }
  bool Eat(char wanted) {
    if (Peek() != wanted) return false;
    ++at_;
    return true;
  }
  void Print(std::string_view text) {
    if (is_silent_ || has_failed_) return;
    if (text.size() > kMaxRustNameBytes - out_.size()) return Fail();
    out_ += text;
  }

  uint64_t Append(uint64_t value, uint64_t base, uint64_t digit) {
    if (__builtin_mul_overflow(value, base, &value) || __builtin_add_overflow(value, digit, &value)) Fail();
    return value;
  }
  uint64_t Base62() {
    if (Eat('_')) return 0;
    uint64_t value = 0;
    while (!has_failed_ && !Eat('_')) {
      const char c = Next();
      if (IsDigit(c)) {
        value = Append(value, 62, static_cast<uint64_t>(c - '0'));
      } else if (IsLower(c)) {
        value = Append(value, 62, static_cast<uint64_t>(c - 'a' + 10));
      } else if (IsUpper(c)) {
        value = Append(value, 62, static_cast<uint64_t>(c - 'A' + 36));
      } else {
        Fail();
      }
    }
    return Append(value, 1, 1);
  }
  // 0 without the tag, else the number plus 1.
  uint64_t OptionalBase62(char tag) { return Eat(tag) ? Append(Base62(), 1, 1) : 0; }

  Identifier PlainIdentifier() {
    Identifier identifier;
    identifier.is_punycode = Eat('u');
    if (!IsDigit(Peek())) Fail();
    uint64_t length = 0;
    if (!Eat('0')) {
      while (IsDigit(Peek())) length = Append(length, 10, static_cast<uint64_t>(Next() - '0'));
    }
    Eat('_');
    if (has_failed_ || length > text_.size() - at_) {
      Fail();
      return identifier;
    }
    identifier.name = text_.substr(at_, length);
    at_ += length;
    return identifier;
  }
  Identifier FullIdentifier() {
    const uint64_t disambiguator = OptionalBase62('s');
    Identifier identifier = PlainIdentifier();
    identifier.disambiguator = disambiguator;
    return identifier;
  }
  void Print(const Identifier& identifier) {
    if (identifier.is_punycode) Print("punycode{");
    Print(identifier.name);
    if (identifier.is_punycode) Print("}");
  }

  // Continues at an earlier place for the length of `parse`. When nothing is printed, there is nothing to do.
  template <typename Parse>
  void BackReference(const Parse& parse) {
    const size_t tag_at = at_ - 1;
    const uint64_t target = Base62();
    if (has_failed_ || target >= tag_at) return Fail();
    if (is_silent_) return;
    const size_t resume = at_;
    at_ = target;
    parse();
    at_ = resume;
  }

  void ImplPath() {
    OptionalBase62('s');
    const bool was_silent = is_silent_;
    is_silent_ = true;
    Path(false);
    is_silent_ = was_silent;
  }

  // is_value: in an expression, where generic arguments are written with "::" before them.
  void Path(bool is_value) {
    const Nesting nesting(this);
    switch (Next()) {
      case 'C': Print(FullIdentifier()); break;
      case 'N': {
        const char space = Next();
        if (!IsLower(space) && !IsUpper(space)) return Fail();
        Path(is_value);
        const Identifier identifier = FullIdentifier();
        if (IsUpper(space)) {
          Print(space == 'C' ? "::{closure" : space == 'S' ? "::{shim" : "::{" + std::string(1, space));
          if (!identifier.name.empty()) Print(":");
          Print(identifier);
          Print("#" + std::to_string(identifier.disambiguator) + "}");
        } else if (!identifier.name.empty()) {
          Print("::");
          Print(identifier);
        }
        break;
      }
      case 'M':
        ImplPath();
        Print("<");
        Type();
        Print(">");
        break;
      case 'X': ImplPath(); [[fallthrough]];
      case 'Y':
        Print("<");
        Type();
        Print(" as ");
        Path(false);
        Print(">");
        break;
      case 'I':
        Path(is_value);
        Print(is_value ? "::<" : "<");
        GenericArguments();
        Print(">");
        break;
      case 'B': BackReference([&] { Path(is_value); }); break;
      default: Fail();
    }
  }

  // Up to and with the E.
  void GenericArguments() {
    for (bool is_first = true; !has_failed_ && !Eat('E'); is_first = false) {
      if (!is_first) Print(", ");
      if (Eat('L')) {
        Lifetime(Base62());
      } else if (Eat('K')) {
        Constant();
      } else {
        Type();
      }
    }
  }

  void Lifetime(uint64_t number) {
    if (number == 0) return Print("'_");
    if (number > bound_lifetimes_) return Fail();
    const uint64_t depth = bound_lifetimes_ - number;
    if (depth < 26) {
      Print("'" + std::string(1, static_cast<char>('a' + depth)));
    } else {
      Print("'_" + std::to_string(depth));
    }
  }

  // Reads an optional binder and prints "for<'a> ". Returns what to set bound_lifetimes_ back to.
  uint64_t Binder() {
    const uint64_t before = bound_lifetimes_;
    const uint64_t count = OptionalBase62('G');
    if (count > kMaxRustNesting) Fail();
    for (uint64_t i = 0; i < count && !has_failed_; ++i) {
      Print(i == 0 ? "for<" : ", ");
      ++bound_lifetimes_;
      Lifetime(1);
    }
    if (count != 0) Print("> ");
    return before;
  }

  void Type() {
    const Nesting nesting(this);
    const char tag = Next();
    if (const std::string_view basic = BasicType(tag); !basic.empty()) return Print(basic);
    switch (tag) {
      case 'A':
      case 'S':
        Print("[");
        Type();
        if (tag == 'A') {
          Print("; ");
          Constant();
        }
        Print("]");
        break;
      case 'T': {
        Print("(");
        size_t count = 0;
        for (; !has_failed_ && !Eat('E'); ++count) {
          if (count != 0) Print(", ");
          Type();
        }
        Print(count == 1 ? ",)" : ")");
        break;
      }
      case 'R':
      case 'Q':
        Print("&");
        if (Eat('L')) {
          if (const uint64_t lifetime = Base62(); lifetime != 0) {
            Lifetime(lifetime);
            Print(" ");
          }
        }
        if (tag == 'Q') Print("mut ");
        Type();
        break;
      case 'P':
      case 'O':
        Print(tag == 'P' ? "*const " : "*mut ");
        Type();
        break;
      case 'F': FunctionType(); break;
      case 'D': {
        Print("dyn ");
        const uint64_t before = Binder();
        for (bool is_first = true; !has_failed_ && !Eat('E'); is_first = false) {
          if (!is_first) Print(" + ");
          DynamicTrait();
        }
        bound_lifetimes_ = before;
        if (!Eat('L')) return Fail();
        if (const uint64_t lifetime = Base62(); lifetime != 0) {
          Print(" + ");
          Lifetime(lifetime);
        }
        break;
      }
      case 'B': BackReference([&] { Type(); }); break;
      default:
        if (has_failed_) return;
        --at_;
        Path(false);
    }
  }

  void FunctionType() {
    const uint64_t before = Binder();
    if (Eat('U')) Print("unsafe ");
    if (Eat('K')) {
      Print("extern \"");
      if (Eat('C')) {
        Print("C");
      } else {
        std::string convention(PlainIdentifier().name);
        for (char& c : convention) {
          if (c == '_') c = '-';
        }
        Print(convention);
      }
      Print("\" ");
    }
    Print("fn(");
    for (bool is_first = true; !has_failed_ && !Eat('E'); is_first = false) {
      if (!is_first) Print(", ");
      Type();
    }
    Print(")");
    if (!Eat('u')) {  // the unit type is not written
      Print(" -> ");
      Type();
    }
    bound_lifetimes_ = before;
  }

  // A path whose generic arguments stay open for the bindings: "Iterator<Item = u8>". Returns true if "<" is open.
  bool OpenPath() {
    const Nesting nesting(this);
    bool is_open = false;
    if (Eat('B')) {
      BackReference([&] { is_open = OpenPath(); });
    } else if (Eat('I')) {
      Path(false);
      Print("<");
      is_open = true;
      GenericArguments();
    } else {
      Path(false);
    }
    return is_open;
  }

  void DynamicTrait() {
    bool is_open = OpenPath();
    while (Eat('p')) {
      Print(is_open ? ", " : "<");
      is_open = true;
      Print(PlainIdentifier());
      Print(" = ");
      Type();
    }
    if (is_open) Print(">");
  }

  void Constant() {
    const Nesting nesting(this);
    const char type = Next();
    if (type == 'p') return Print("_");
    if (type == 'B') return BackReference([&] { Constant(); });
    const bool is_negative = Eat('n');
    uint64_t value = 0;
    const size_t start = at_;
    bool is_wide = false;
    while (!has_failed_ && !Eat('_')) {
      const int digit = HexValue(Next());
      if (digit < 0) return Fail();
      is_wide |= value >> 60 != 0;
      value = value << 4 | static_cast<uint64_t>(digit);
    }
    if (has_failed_) return;
    if (type == 'b' && value <= 1) return Print(value != 0 ? "true" : "false");
    if (BasicType(type).empty()) return Fail();
    if (is_negative) Print("-");
    if (is_wide || type == 'c') {
      Print("0x");
      Print(text_.substr(start, at_ - 1 - start));
    } else {
      Print(std::to_string(value));
    }
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string out_;
  uint64_t bound_lifetimes_ = 0;
  int nesting_ = 0;
  bool is_silent_ = false;
  bool has_failed_ = false;
};

constexpr size_t kHashBytes = 17;  // h and 16 hexadecimal digits

bool IsHash(std::string_view part) {
  if (part.size() != kHashBytes || part[0] != 'h') return false;
  for (const char c : part.substr(1)) {
    if (HexValue(c) < 0) return false;
  }
  return true;
}

// One component of a legacy name: "$LT$" is "<", ".." is "::", and an underscore protects a leading "$".
std::optional<std::string> LegacyPart(std::string_view part) {
  static constexpr struct {
    std::string_view code;
    char character;
  } kCodes[] = {{"SP", '@'}, {"BP", '*'}, {"RF", '&'}, {"LT", '<'}, {"GT", '>'}, {"LP", '('}, {"RP", ')'}, {"C", ','}};
  if (part.starts_with("_$")) part.remove_prefix(1);
  std::string text;
  while (!part.empty()) {
    if (part.starts_with("..")) {
      text += "::";
      part.remove_prefix(2);
    } else if (part[0] == '$') {
      const size_t end = part.find('$', 1);
      if (end == std::string_view::npos) return std::nullopt;
      const std::string_view code = part.substr(1, end - 1);
      part.remove_prefix(end + 1);
      char character = '\0';
      for (const auto& known : kCodes) {
        if (code == known.code) character = known.character;
      }
      if (code.size() == 3 && code[0] == 'u' && HexValue(code[1]) >= 0 && HexValue(code[2]) >= 0) {
        character = static_cast<char>(HexValue(code[1]) * 16 + HexValue(code[2]));
      }
      if (character < ' ') return std::nullopt;
      text += character;
    } else {
      text += part[0];
      part.remove_prefix(1);
    }
  }
  return text;
}

std::optional<std::string> Legacy(std::string_view text) {  // behind "_ZN"
  std::string out;
  std::string_view last;
  while (!text.empty() && text[0] != 'E') {
    size_t length = 0;
    size_t digits = 0;
    for (; digits < text.size() && IsDigit(text[digits]) && digits < 6; ++digits) {
      length = length * 10 + static_cast<size_t>(text[digits] - '0');
    }
    if (digits == 0 || length == 0 || length > text.size() - digits) return std::nullopt;
    if (!last.empty()) {
      const std::optional<std::string> part = LegacyPart(last);
      if (!part.has_value()) return std::nullopt;
      out += (out.empty() ? "" : "::") + *part;
    }
    last = text.substr(digits, length);
    text.remove_prefix(digits + length);
  }
  if (text.empty() || !IsHash(last) || out.empty()) return std::nullopt;
  text.remove_prefix(1);
  if (!text.empty() && text[0] != '.' && text[0] != '@') return std::nullopt;
  return out + std::string(text);
}

}  // namespace

std::optional<std::string> DemangleRust(std::string_view name) {
  if (name.starts_with("_ZN")) return Legacy(name.substr(3));
  // A digit would be the number of a later version of the encoding.
  if (!name.starts_with("_R") || name.size() < 3 || !IsUpper(name[2])) return std::nullopt;
  return V0(name.substr(2)).Demangle();
}

}  // namespace softlbr::toolchain
