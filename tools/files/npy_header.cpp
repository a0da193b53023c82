#include "files/npy_header.hpp"

#include "files/refusal.hpp"

#include <evenkeel/backends/text.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <optional>
#include <utility>

namespace evenkeel::tool {

namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::uint64_t most_header_bytes = 65536;  // NumPy itself refuses more than 10000
constexpr std::size_t most_dimensions = 64;         // NumPy's own limit
constexpr std::string_view write_anew = "Write it again with numpy.save.";

[[noreturn]] void refuse_at(const ByteSource& source, std::uint64_t byte, std::string_view problem,
                            std::string_view remedy = write_anew) {
  refuse(joined({"Byte ", std::to_string(byte), " of ", in_quotes(source.name()), ": ", problem}),
         std::string(remedy));
}

struct Preamble {
  std::uint64_t header_begin, header_bytes;
};

// The magic string, the version, and the length of the header: two bytes in version 1, else four.
Preamble read_preamble(const ByteSource& source) {
  std::array<char, 12> bytes = {};
  const std::uint64_t there = std::min<std::uint64_t>(bytes.size(), source.size());
  source.read(0, std::span(bytes).first(there));
  if (std::string_view(bytes.data(), magic.size()) != magic)
    refuse_at(source, 0, "this is not a .npy file, since it does not begin with \\x93NUMPY.");
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  if (there >= 8 && (byte(6) < 1 || byte(6) > 3 || byte(7) != 0))
    refuse_at(source, 6,
              joined({"the version of the format is ", std::to_string(byte(6)), ".",
                      std::to_string(byte(7)), "; 1.0, 2.0 and 3.0 are supported."}));
  const std::size_t length_bytes = byte(6) == 1 ? 2 : 4;
  const std::uint64_t begin = 8 + length_bytes;
  if (there < begin) refuse_at(source, there, "the file ends inside its header.");
  std::uint64_t length = 0;
  for (std::size_t i = length_bytes; i > 0; --i) length = length * 256 + byte(7 + i);
  if (length > source.size() - begin)
    refuse_at(source, 8,
              joined({"the header is said to have ", std::to_string(length), " bytes, but ",
                      std::to_string(source.size() - begin), " follow."}));
  if (length > most_header_bytes)
    refuse_at(source, 8,
              joined({"the header is said to have ", std::to_string(length),
                      " bytes, which is too long for an array of numbers."}));
  return {begin, length};
}

// Parses the kind of Python dictionary that NumPy writes as a header. Keys may come in any order,
// with any blanks between them.
class HeaderReader {
 public:
  HeaderReader(const ByteSource& source, std::string_view text, std::uint64_t begin)
      : source_(source), text_(text), begin_(begin) {}

  NpyHeader read();

 private:
  // The next character that is not blank; 0 at the end of the text.
  char peek();
  bool take(char wanted);
  void require(char wanted, std::string_view among);
  std::string_view read_string();
  bool read_boolean();
  std::uint64_t read_extent();
  std::vector<std::uint64_t> read_shape();
  void read_entry(NpyHeader& header);
  void read_type(NpyHeader& header);
  [[noreturn]] void refuse_here(std::string_view problem,
                                std::string_view remedy = write_anew) const {
    refuse_at(source_, begin_ + at_, problem, remedy);
  }

  const ByteSource& source_;
  std::string_view text_;
  std::uint64_t begin_;  // offset of the text in the source
  std::size_t at_ = 0;
  bool has_type_ = false, has_order_ = false, has_shape_ = false;
};

bool is_blank(char character) {
  return character == ' ' || character == '\t' || character == '\n' || character == '\r';
}

char HeaderReader::peek() {
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool HeaderReader::take(char wanted) {
  if (peek() != wanted || at_ == text_.size()) return false;
  ++at_;
  return true;
}

void HeaderReader::require(char wanted, std::string_view among) {
  if (!take(wanted)) refuse_here(joined({"the header should have ", among, " here."}));
}

std::string_view HeaderReader::read_string() {
  const char quote = peek();
  if (quote != '\'' && quote != '"') refuse_here("the header should have a quoted string here.");
  const std::size_t end = text_.find(quote, at_ + 1);
  if (end == std::string_view::npos) refuse_here("a string in the header has no closing quote.");
  const std::string_view text = text_.substr(at_ + 1, end - at_ - 1);
  at_ = end + 1;
  return text;
}

bool HeaderReader::read_boolean() {
  peek();
  for (const std::string_view word : {"True", "False"})
    if (text_.substr(at_).starts_with(word)) {
      at_ += word.size();
      return word == "True";
    }
  refuse_here("fortran_order should be True or False.");
}

std::uint64_t HeaderReader::read_extent() {
  if (peek() == '-') refuse_here("an extent of the shape is negative.");
  std::uint64_t extent = 0;
  const char* begin = text_.data() + at_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), extent);
  if (error == std::errc::invalid_argument)
    refuse_here("the shape should be whole numbers in parentheses.");
  if (error != std::errc()) refuse_here("an extent of the shape does not fit in 64 bits.");
  at_ += static_cast<std::size_t>(end - begin);
  if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // a long integer of Python 2
  return extent;
}

// Reads a tuple; in Python a comma must follow a single element.
std::vector<std::uint64_t> HeaderReader::read_shape() {
  std::vector<std::uint64_t> shape;
  if (!take('(')) refuse_here("the shape should be whole numbers in parentheses.");
  const std::size_t begin = at_;
  while (!take(')')) {
    shape.push_back(read_extent());
    if (shape.size() > most_dimensions) refuse_here("the shape has too many dimensions.");
    if (!take(',') && (shape.size() == 1 || peek() != ')'))
      refuse_here(shape.size() == 1 ? "the shape should have ',' here."
                                    : "the shape should have ',' or ')' here.");
  }
  if (shape.empty() || shape.size() > 2) {
    at_ = begin;
    refuse_here(joined({"the array has ", std::to_string(shape.size()),
                        " dimensions; one or two are supported."}),
                "Save an array with a row for each object.");
  }
  return shape;
}

std::optional<ElementType> type_named(std::string_view name) {
  if (name == "f4") return ElementType::real32;
  if (name == "f8") return ElementType::real64;
  if (name == "i4") return ElementType::integer32;
  if (name == "i8") return ElementType::integer64;
  return std::nullopt;
}

// Reads a byte order and a type, which is a letter with its size in bytes. '=', '|' and a missing
// order mean this machine's order.
void HeaderReader::read_type(NpyHeader& header) {
  constexpr std::string_view remedy =
      "Convert the array with astype('f8'), or astype('i8') for indices, before you save it.";
  peek();
  const std::size_t begin = at_;
  if (peek() == '[') refuse_here("the array holds records, not numbers.", remedy);
  const std::string_view name = read_string();
  std::string_view rest = name;
  char order = '=';
  if (!rest.empty() && std::string_view("<>=|").find(rest.front()) != std::string_view::npos) {
    order = rest.front();
    rest.remove_prefix(1);
  }
  const auto type = type_named(rest);
  if (!type) {
    at_ = begin;
    refuse_here(joined({"the type ", in_quotes(name), " is not supported; f4, f8, i4 and i8 are."}),
                remedy);
  }
  constexpr char other_order = std::endian::native == std::endian::little ? '>' : '<';
  header.type = *type;
  header.swapped = order == other_order;
}

void HeaderReader::read_entry(NpyHeader& header) {
  peek();
  const std::size_t begin = at_;
  const std::string_view key = read_string();
  bool* has = nullptr;
  if (key == "descr") has = &has_type_;
  if (key == "fortran_order") has = &has_order_;
  if (key == "shape") has = &has_shape_;
  if (has == nullptr || *has) {
    at_ = begin;
    refuse_here(joined({"the header has ", has == nullptr ? "an unknown key " : "a second key ",
                        in_quotes(key), "."}));
  }
  *has = true;
  require(':', "':'");
  if (has == &has_type_) read_type(header);
  if (has == &has_order_) header.fortran_order = read_boolean();
  if (has == &has_shape_) header.shape = read_shape();
}

NpyHeader HeaderReader::read() {
  NpyHeader header;
  require('{', "'{'");
  while (!take('}')) {
    read_entry(header);
    if (!take(',') && peek() != '}') refuse_here("the header should have ',' or '}' here.");
  }
  for (const auto& [has, key] :
       {std::pair(has_type_, "descr"), std::pair(has_order_, "fortran_order"),
        std::pair(has_shape_, "shape")})
    if (!has) refuse_here(joined({"the header lacks the key '", key, "'."}));
  peek();
  if (at_ != text_.size()) refuse_here("the header continues after its end.");
  header.data = begin_ + text_.size();
  return header;
}

}  // namespace

std::uint64_t bytes_of(ElementType type) noexcept {
  return type == ElementType::real32 || type == ElementType::integer32 ? 4 : 8;
}

NpyHeader read_npy_header(const ByteSource& source) {
  const Preamble preamble = read_preamble(source);
  std::string text(preamble.header_bytes, '\0');
  source.read(preamble.header_begin, text);
  return HeaderReader(source, text, preamble.header_begin).read();
}

}  // namespace evenkeel::tool
