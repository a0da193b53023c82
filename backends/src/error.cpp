#include <evenkeel/backends/error.hpp>

#include <array>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <string_view>
#include <utility>

namespace evenkeel {

namespace {

constexpr std::string_view library = "evenkeel: ";

std::string with_name(std::string_view text, const std::string& name) {
  text.remove_prefix(library.size());
  return std::string(library) + name + ": " + std::string(text);
}

std::string sentence(const std::string& prefix, const std::string& where,
                     const std::string& problem, const std::string& remedy) {
  std::string text = std::string(library) + prefix + where + ": " + problem;
  if (!remedy.empty()) text += ' ' + remedy;
  return text;
}

// A text such as "rank 3 (the first of 2 failed ranks of 8): ", made without allocating memory.
class RankPrefix {
 public:
  RankPrefix(int rank, int failures, int ranks) noexcept {
    if (failures > 1)
      std::snprintf(text_, sizeof(text_), "rank %d (the first of %d failed ranks of %d): ", rank,
                    failures, ranks);
    else
      std::snprintf(text_, sizeof(text_), "rank %d: ", rank);
  }
  const char* text() const noexcept { return text_; }

 private:
  char text_[96] = "";
};

// The text of the base class is not used. All Errors copy this object, because a copy needs no
// memory.
const std::runtime_error& base() {
  static const auto* const none = new std::runtime_error("evenkeel");
  return *none;
}

constexpr const char* refused = "Memory was refused.";
constexpr const char* fewer_objects = "Use more ranks or fewer objects.";

}  // namespace

const char* name_of(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::bad_input: return "bad input";
    case ErrorKind::out_of_memory: return "out of memory";
    case ErrorKind::communication: return "communication";
    case ErrorKind::disagreement: return "disagreement";
    case ErrorKind::application: return "application";
    case ErrorKind::internal: return "internal";
  }
  return "unknown";
}

struct Error::Text {
  std::string where, problem, remedy, all, name = {};
};

// Texts that are allocated in advance, each as long as any text of a vote. They are used when
// memory is refused.
class Error::Reserve {
 public:
  // Never destroyed, because programs may report Errors while they end.
  static Reserve& instance() {
    static Reserve* const reserve = new Reserve;
    return *reserve;
  }

  // A text is in use as long as an Error that refers to it lives.
  std::shared_ptr<const Text> take(const Told& told) noexcept {
    const std::lock_guard lock(mutex_);
    for (const std::shared_ptr<Text>& text : texts_)
      if (text.use_count() == 1) {
        write(told, *text);
        return text;
      }
    return last_;
  }
  std::shared_ptr<const Text> last() const noexcept { return last_; }

 private:
  static constexpr std::size_t room = 1024;  // bytes for each of where, problem and remedy

  Reserve() : last_(std::make_shared<const Text>(last_text())) {
    for (std::shared_ptr<Text>& text : texts_) {
      text = std::make_shared<Text>();
      for (std::string* part : {&text->where, &text->problem, &text->remedy}) part->reserve(room);
      text->all.reserve(4 * room);
    }
    static_cast<void>(base());
  }
  static void write(const Told& told, Text& text) {
    const RankPrefix prefix(told.rank, told.failures, told.ranks);
    text.where.assign(std::string_view(told.where).substr(0, room));
    text.problem.assign(std::string_view(told.problem).substr(0, room));
    text.remedy.assign(std::string_view(told.remedy).substr(0, room));
    text.all.assign("evenkeel: ").append(prefix.text()).append(text.where).append(": ");
    text.all.append(text.problem);
    if (!text.remedy.empty()) text.all.append(" ").append(text.remedy);
  }
  static Text last_text() {
    const std::string where = "backends/error", problem = "Memory was refused, even for a message.";
    return {where, problem, fewer_objects, sentence("", where, problem, fewer_objects)};
  }

  std::mutex mutex_;
  std::array<std::shared_ptr<Text>, 4> texts_;
  std::shared_ptr<const Text> last_;  // used if all texts_ are in use
};

Error::Error(ErrorKind kind, Where where, std::string what, std::string remedy)
    : std::runtime_error(base()), kind_(kind) {
  std::string all = sentence("", where.stage, what, remedy);
  text_ = std::make_shared<const Text>(
      Text{std::move(where.stage), std::move(what), std::move(remedy), std::move(all)});
}

Error::Error(ErrorKind kind, int rank, std::shared_ptr<const Text> text) noexcept
    : std::runtime_error(base()), kind_(kind), rank_(rank), text_(std::move(text)) {}

const std::string& Error::where() const noexcept { return text_->where; }
const std::string& Error::problem() const noexcept { return text_->problem; }
const std::string& Error::remedy() const noexcept { return text_->remedy; }
const std::string& Error::name() const noexcept { return text_->name; }
const char* Error::what() const noexcept { return text_->all.c_str(); }

Error Error::at_rank(int rank, int failures, int ranks) const {
  Text text = *text_;
  text.all = sentence(RankPrefix(rank, failures, ranks).text(), where(), problem(), remedy());
  return Error(kind_, rank, std::make_shared<const Text>(std::move(text)));
}

Error Error::of(const std::string& name) const noexcept {
  try {
    Text text = *text_;
    text.all = with_name(text.all, name);
    text.name = name;
    return Error(kind_, rank_, std::make_shared<const Text>(std::move(text)));
  } catch (...) {  // memory was refused
    return *this;
  }
}

Error Error::told(const Told& told) noexcept {
  try {
    const RankPrefix prefix(told.rank, told.failures, told.ranks);
    return Error(told.kind, told.rank,
                 std::make_shared<const Text>(
                     Text{told.where, told.problem, told.remedy,
                          sentence(prefix.text(), told.where, told.problem, told.remedy)}));
  } catch (...) {  // memory was refused
    return Error(told.kind, told.rank, Reserve::instance().take(told));
  }
}

Error Error::out_of_memory(const char* stage) noexcept {
  try {
    return Error(ErrorKind::out_of_memory, Where{stage}, refused, fewer_objects);
  } catch (...) {
    return Error(ErrorKind::out_of_memory, no_rank, Reserve::instance().last());
  }
}

void Error::make_reserve() { static_cast<void>(Reserve::instance()); }

Error::~Error() = default;

void Refusal::operator()(std::string problem, std::string remedy) const {
  throw Error(ErrorKind::bad_input, Where{stage}, std::move(problem), std::move(remedy));
}

}  // namespace evenkeel
