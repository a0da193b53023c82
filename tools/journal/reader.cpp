#include "journal/reader.hpp"

#include "files/refusal.hpp"

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/text.hpp>

#include <nlohmann/json.hpp>

#include <array>
#include <exception>
#include <new>
#include <stdexcept>

namespace evenkeel::tool {

namespace {

constexpr std::size_t most_told = 5;            // broken lines
constexpr std::uint64_t most_bytes = 64 << 20;  // of a line
constexpr const char* remedy = "Give a journal that this version of evenkeel has written.";

// The message of the exception. If the JSON library threw it, the name of the exception and the
// text of the bad line are left out.
std::string said_by(const std::exception& error) {
  if (const auto* own = dynamic_cast<const Error*>(&error)) return own->problem();
  std::string_view text = error.what();
  text = text.substr(0, text.find("; last read"));
  const std::size_t name = text.find("] ");
  return std::string(text.substr(name == text.npos ? 0 : name + 2).substr(0, 100));
}

bool ends_with_line_feed(const ByteSource& source) {
  if (source.size() == 0) return true;
  std::array<char, 1> last = {};
  source.read(source.size() - 1, last);
  return last[0] == '\n';
}

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;  // Clang before 17 does not deduce it

}  // namespace

std::string JournalPlace::text() const {
  return joined({"Line ", std::to_string(line), " of ", in_quotes(name)});
}

// A replay needs a header as the first line. A report needs the looks in the order of their steps,
// and the rebalances without a look in theirs. The line of a look comes some steps late, so a
// rebalance after it may have its line before it.
AnyLine LineTaker::understood(std::string_view text) const {
  AnyLine line = line_from(text, care_);
  const auto* const look = std::get_if<JournalLine>(&line);
  if (care_ == Care::exact) {
    if (std::holds_alternative<JournalHeader>(line) != (reading_.lines == 1))
      throw std::invalid_argument("only the first line must be a header");
  } else if (look != nullptr && look->step < (look->totals ? last_look_ : last_rebalance_)) {
    throw std::invalid_argument("its step is before that of an earlier line");
  }
  return line;
}

void LineTaker::take(std::string_view text) {
  ++reading_.lines;
  AnyLine line;
  try {
    line = understood(text);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return note_broken(said_by(error));
  }
  ++understood_;
  std::visit(Overloaded{[&](const JournalHeader& header) { handlers_.start(header); },
                        [&](const JournalLine& look) {
                          (look.totals ? last_look_ : last_rebalance_) = look.step;
                          handlers_.line({name_, reading_.lines}, look);
                        },
                        [&](const JournalFinish& finish) {
                          handlers_.finish(finish);
                          reading_.is_finished = true;
                        },
                        [&](const JournalUnfinished&) { reading_.is_unfinished = true; },
                        [&](const JournalLeftOut& first) {
                          if (!reading_.left_out_from) reading_.left_out_from = first.step;
                        }},
             line);
}

void LineTaker::note_broken(std::string reason) {
  if (care_ == Care::exact)
    refuse(joined({JournalPlace{name_, reading_.lines}.text(),
                   " is not a line of a journal: ", reason, reason.ends_with('.') ? "" : "."}),
           remedy);
  ++reading_.broken;
  if (reading_.first.size() < most_told)
    reading_.first.push_back({reading_.lines, std::move(reason)});
}

Reading read_journal(const ByteSource& source, Care care, JournalHandlers handlers,
                     Progress progress) {
  LineTaker taker(source.name(), care, std::move(handlers));
  const bool is_whole = ends_with_line_feed(source);
  LineReader lines(source, 0, 0,
                   {most_bytes, "Give a journal that evenkeel has written.", std::move(progress)});
  while (const auto line = lines.next())
    if (is_whole || lines.offset() < source.size()) taker.take(*line);
  if (!taker.has_understood())
    refuse(joined({"The file ", in_quotes(source.name()), " is not a journal: ",
                   source.size() == 0 ? "it is empty." : "no line in it is from a journal."}),
           "Give a journal that a run has written, by its option journal.");
  Reading reading = taker.reading();
  reading.is_cut_off = !is_whole;
  return reading;
}

std::string name_of_journal(const std::string& version, std::int64_t ranks,
                            const Reading& reading) {
  return joined({"of evenkeel ", version.empty() ? "unknown" : version, ", on ",
                 std::to_string(ranks), ranks == 1 ? " rank" : " ranks",
                 reading.is_cut_off      ? ", cut off in its last line"
                 : reading.is_unfinished ? ", which was not finished"
                                         : "",
                 reading.left_out_from ? ", with lines left out" : ""});
}

}  // namespace evenkeel::tool
