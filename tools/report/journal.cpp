#include "report/journal.hpp"

#include "files/refusal.hpp"

#include <evenkeel/backends/text.hpp>

#include <nlohmann/json.hpp>

#include <array>
#include <exception>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace evenkeel::tool::report {

namespace {

using nlohmann::json;

constexpr std::size_t most_told = 5;            // broken lines
constexpr std::uint64_t most_bytes = 64 << 20;  // of a line

class Reader {
 public:
  explicit Reader(const Readers& readers) : readers_(readers) {}

  void read(std::string_view line) {
    ++reading_.lines;
    try {
      take(json::parse(line));
      ++understood_;
    } catch (const json::exception& error) {
      note_broken(said_by(error));
    } catch (const std::invalid_argument& error) {
      note_broken(error.what());
    }
  }

  bool has_understood() const noexcept { return understood_ > 0; }
  Reading result() && { return std::move(reading_); }

 private:
  void take(const json& line) {
    if (line.is_object() && line.contains("unfinished")) {
      reading_.is_unfinished = true;
    } else if (line.is_object() && line.contains("finished")) {
      readers_.finish(finish_from(line));
      reading_.is_finished = true;
    } else if (line.is_object() && line.contains("version")) {
      readers_.start(start_from(line));
    } else {
      take_look(look_from(line));
    }
  }

  void take_look(const Look& look) {
    if (look.step < last_step_) throw std::invalid_argument("its step is before the last one");
    last_step_ = look.step;
    readers_.look(look);
  }

  // Without the name of the exception, and without what of the line could not be read.
  static std::string said_by(const json::exception& error) {
    const std::string_view text = error.what();
    const std::size_t name = text.find("] "), rest = text.find("; last read");
    return std::string(text.substr(name == text.npos ? 0 : name + 2, rest).substr(0, 100));
  }

  void note_broken(std::string reason) {
    ++reading_.broken;
    if (reading_.first.size() < most_told)
      reading_.first.push_back({reading_.lines, std::move(reason)});
  }

  const Readers& readers_;
  Reading reading_;
  std::int64_t understood_ = 0, last_step_ = 0;
};

bool ends_with_line_feed(const ByteSource& source) {
  if (source.size() == 0) return true;
  std::array<char, 1> last = {};
  source.read(source.size() - 1, last);
  return last[0] == '\n';
}

}  // namespace

Reading read_journal(const ByteSource& source, const Readers& readers, Progress progress) {
  Reader reader(readers);
  const bool is_whole = ends_with_line_feed(source);
  LineReader lines(source, 0, 0,
                   {most_bytes, "Give a journal that evenkeel has written.", std::move(progress)});
  while (const auto line = lines.next())
    if (is_whole || lines.offset() < source.size()) reader.read(*line);
  if (!reader.has_understood())
    refuse(joined({"The file ", in_quotes(source.name()), " is not a journal: ",
                   source.size() == 0 ? "it is empty." : "no line of it is one of a journal."}),
           "Give a journal that a run has written, by its option journal.");
  Reading reading = std::move(reader).result();
  reading.is_cut_off = !is_whole;
  return reading;
}

}  // namespace evenkeel::tool::report
