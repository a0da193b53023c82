#include <evenkeel/backends/error.hpp>

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

std::string rank_prefix(int rank, int failures, int ranks) {
  std::string text = "rank " + std::to_string(rank);
  if (failures > 1)
    text +=
        " (the first of " + std::to_string(failures) + " failing of " + std::to_string(ranks) + ")";
  return text + ": ";
}

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

Error::Error(ErrorKind kind, Where where, std::string what, std::string remedy)
    : std::runtime_error(sentence("", where.stage, what, remedy)),
      kind_(kind),
      where_(std::move(where.stage)),
      problem_(std::move(what)),
      remedy_(std::move(remedy)) {}

Error::Error(const Error& error, int rank, int failures, int ranks)
    : std::runtime_error(sentence(rank_prefix(rank, failures, ranks), error.where_, error.problem_,
                                  error.remedy_)),
      kind_(error.kind_),
      rank_(rank),
      where_(error.where_),
      problem_(error.problem_),
      remedy_(error.remedy_) {}

Error Error::at_rank(int rank, int failures, int ranks) const {
  return Error(*this, rank, failures, ranks);
}

Error::Error(const Error& error, const std::string& name)
    : std::runtime_error(with_name(error.what(), name)),
      kind_(error.kind_),
      rank_(error.rank_),
      where_(error.where_),
      problem_(error.problem_),
      remedy_(error.remedy_),
      name_(name) {}

Error Error::of(const std::string& name) const { return Error(*this, name); }

Error::~Error() = default;

}  // namespace evenkeel
