#include "tell/control_desk.hpp"

#include <evenkeel/backends/text.hpp>

#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>

namespace evenkeel {

namespace {

struct AddressedLine {
  std::string to;  // empty for all readers
  std::string command;
};

bool is_command(const std::string& text) {
  return command_from_text(text).has_value() ||
         (text.starts_with(journal_command) && text.size() > journal_command.size());
}

// Splits "NAME: command". A line that begins with a command has no name, because the path in
// "journal PATH" may have a colon.
AddressedLine addressed(const std::string& line) {
  const std::size_t colon = line.find(':');
  if (is_command(line) || colon == std::string::npos || colon == 0) return {{}, line};
  const std::size_t begin = line.find_first_not_of(' ', colon + 1);
  return {line.substr(0, colon), begin == std::string::npos ? "" : line.substr(begin)};
}

// Empty if the line is a command for some Balancer.
std::string problem_with_grammar(const std::string& line, const AddressedLine& said) {
  if (is_command(said.command)) return {};
  return in_quotes(line) +
         " is not a command: give pause, resume, rebalance, or journal and a path";
}

}  // namespace

std::string problem_with_commands(const std::string& content) {
  return ControlFile::problem_with(
      content, [](const std::string& line) { return problem_with_grammar(line, addressed(line)); });
}

class ControlDesk {
 public:
  explicit ControlDesk(const std::string& path) : file_(path) {}

  // The desk of the file at `path`. The map of desks is the only state that all Balancers of a
  // process use: the Balancer that removes a file must reach the others that watch it.
  static std::shared_ptr<ControlDesk> of(const std::string& path) {
    static std::mutex mutex;
    static std::map<std::string, std::weak_ptr<ControlDesk>> desks;
    std::error_code error;
    const auto whole = std::filesystem::absolute(path, error);
    const auto place = error ? whole : std::filesystem::weakly_canonical(whole, error);
    const std::lock_guard lock(mutex);
    std::erase_if(desks, [](const auto& entry) { return entry.second.expired(); });
    std::weak_ptr<ControlDesk>& known = desks[error ? path : place.string()];
    std::shared_ptr<ControlDesk> desk = known.lock();
    if (desk == nullptr) known = desk = std::make_shared<ControlDesk>(path);
    return desk;
  }

  void join(ControlReader& reader) {
    const std::lock_guard lock(mutex_);
    readers_.push_back(&reader);
  }
  void leave(ControlReader& reader) noexcept {
    const std::lock_guard lock(mutex_);
    std::erase(readers_, &reader);
  }

  ControlText listen(ControlReader& reader) {
    const std::lock_guard lock(mutex_);
    ControlText found = file_.take([&](const std::string& line) { return problem_with(line); });
    for (const std::string& line : found.lines) hand_out(addressed(line));
    return {std::exchange(reader.waiting_, {}), std::move(found.problem)};
  }

 private:
  std::string problem_with(const std::string& line) const {
    const AddressedLine said = addressed(line);
    if (std::string problem = problem_with_grammar(line, said); !problem.empty()) return problem;
    if (said.to.empty())
      return readers_.size() > 1 && said.command.starts_with(journal_command)
                 ? "several Balancers read the file, but a journal is for one: write the name of "
                   "the Balancer, a colon and the command"
                 : "";
    return std::ranges::any_of(readers_, [&](const auto* r) { return r->name_ == said.to; })
               ? ""
               : "no Balancer of this process that reads the file has the name " +
                     in_quotes(said.to);
  }

  void hand_out(const AddressedLine& said) {
    for (ControlReader* const reader : readers_)
      if (said.to.empty() || said.to == reader->name_) reader->waiting_.push_back(said.command);
  }

  std::mutex mutex_;
  ControlFile file_;
  std::vector<ControlReader*> readers_;
};

ControlReader::ControlReader(const std::string& path, std::string name)
    : desk_(ControlDesk::of(path)), name_(std::move(name)) {
  desk_->join(*this);
}

ControlReader::~ControlReader() { desk_->leave(*this); }

ControlText ControlReader::listen() { return desk_->listen(*this); }

}  // namespace evenkeel
