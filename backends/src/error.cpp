#include <evenkeel/backends/error.hpp>

#include <utility>

namespace evenkeel {

namespace {

std::string sentence(const std::string& prefix, const std::string& where,
                     const std::string& problem, const std::string& remedy) {
  std::string text = "evenkeel: " + prefix + where + ": " + problem;
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

Error::~Error() = default;

}  // namespace evenkeel
