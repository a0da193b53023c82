#include "files/lines.hpp"

#include "files/refusal.hpp"

#include <evenkeel/backends/text.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace evenkeel::tool {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}  // namespace

std::string place_of_line(const ByteSource& source, std::uint64_t line) {
  return joined({"Line ", std::to_string(line + 1), " of ", in_quotes(source.name())});
}

std::string miscount(std::int64_t declared, std::int64_t found) {
  return found < declared ? std::to_string(declared - found) + " too few"
                          : std::to_string(found - declared) + " too many";
}

std::uint64_t begin_of_text(const ByteSource& source) {
  std::array<char, byte_order_mark.size()> start = {};
  const auto read = std::span(start).first(std::min<std::uint64_t>(start.size(), source.size()));
  source.read(0, read);
  const bool marked = std::string_view(read.data(), read.size()) == byte_order_mark;
  return marked ? byte_order_mark.size() : 0;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size(); begin += parts.back().size() + 1)
    parts.push_back(text.substr(begin, text.find(separator, begin) - begin));
  return parts;
}

LineReader::LineReader(const ByteSource& source, std::uint64_t offset, std::uint64_t line,
                       LineOptions options)
    : source_(source), read_to_(offset), line_(line), options_(std::move(options)) {}

std::optional<std::string_view> LineReader::next() {
  for (std::size_t searched = 0;;) {
    const char* unread = buffer_.data() + begin_;
    const std::size_t bytes = end_ - begin_;
    const void* found = bytes == searched ? nullptr  // memchr must not get a null pointer
                                          : std::memchr(unread + searched, '\n', bytes - searched);
    if (found != nullptr)
      return take(static_cast<std::size_t>(static_cast<const char*>(found) - unread), 1);
    if (bytes > options_.most_bytes)
      refuse(joined({place_of_line(source_, line_), " is longer than ",
                     std::to_string(options_.most_bytes >> 20U), " MiB."}),
             std::string(options_.remedy));
    searched = bytes;
    if (fill()) continue;
    if (bytes == 0) return std::nullopt;
    return take(bytes, 0);
  }
}

std::string_view LineReader::take(std::size_t bytes, std::size_t bytes_of_end) {
  std::string_view line(buffer_.data() + begin_, bytes);
  begin_ += bytes + bytes_of_end;
  ++line_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Returns false at the end of the source. The buffer grows only if one long line fills it.
bool LineReader::fill() {
  const std::uint64_t ahead = source_.size() - read_to_;
  if (ahead == 0) return false;
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
            buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
  end_ -= begin_;
  begin_ = 0;
  if (end_ == buffer_.size()) buffer_.resize(end_ + std::min<std::uint64_t>(ahead, chunk_bytes));
  const std::size_t bytes = std::min<std::uint64_t>(ahead, buffer_.size() - end_);
  source_.read(read_to_, std::span(buffer_).subspan(end_, bytes));
  read_to_ += bytes;
  end_ += bytes;
  if (options_.progress) options_.progress(read_to_, source_.size());
  return true;
}

}  // namespace evenkeel::tool
