#include <evenkeel/monitor/options.hpp>

#include "options/entries.hpp"
#include "options/first_state.hpp"
#include "options/place_options.hpp"
#include "options/table.hpp"
#include "tell/files.hpp"

#include <evenkeel/backends/comm/vote.hpp>

#include <fcntl.h>

namespace evenkeel {

using detail::apply;
using detail::Descriptor;
using detail::entries_of;
using detail::options_stage;
using detail::refuse_option;

namespace {

std::string content_of(const std::string& path) {
  constexpr std::size_t most_bytes = std::size_t{1} << 20;
  const detail::OpenedFile opened = detail::open_regular(path, O_RDONLY);
  std::string content = opened ? detail::read_from(opened.file, 0, most_bytes + 1) : std::string();
  if (!opened || content.size() > most_bytes)
    refuse_option(
        "The options file " + in_quotes(path) + " cannot be read.",
        "Name a file that exists and that you may read, in code or in EVENKEEL_OPTIONS_FILE.");
  return content;
}

void require_a_part_each(const Options& options, int ranks) {
  const std::int64_t named = std::ssize(options.rank_of_part);
  if (named != 0 && named != ranks)
    refuse_option("rank_of_part names " + std::to_string(named) + " ranks, and there are " +
                      std::to_string(ranks) + '.',
                  "Name each rank once, or no rank.");
}

void require_probe(const Options& options) {
  if (options.probe_share > 0 && (options.own_probe || may_use_built_in_probe(options))) return;
  refuse_option("speeds is learned, but no rank measures its pace.",
                "Set probe_share above 0 and, in a deterministic run or with a clock of your own, "
                "give own_probe.");
}

void require_speeds_for(const Options& options, int ranks) {
  if (learns_speeds(options)) return require_probe(options);
  const std::int64_t speeds = std::ssize(options.speeds);
  if (speeds != 0 && speeds != ranks)
    refuse_option("speeds has " + std::to_string(speeds) + " numbers, and there are " +
                      std::to_string(ranks) + " ranks.",
                  "Give one speed per rank, or no speeds.");
}

void require_memory_for(const Options& options, int ranks) {
  const std::int64_t limits = std::ssize(options.memory);
  if (limits > 1 && limits != ranks)
    refuse_option("memory has " + std::to_string(limits) + " numbers, and there are " +
                      std::to_string(ranks) + " ranks.",
                  "Give one number for all ranks, one per rank, or no limit.");
}

// Throws an Error if two paths lead to the same file: writing one would destroy the other.
void refuse_equal_paths(const Options& options, const std::string& options_file) {
  const std::array<std::pair<const char*, const std::string&>, 4> files = {
      {{"journal", options.journal},
       {"state", options.state},
       {"control", options.control},
       {"options_file", options_file}}};
  for (std::size_t i = 0; i < files.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (detail::lead_to_one_file(files[i].second, files[j].second))
        refuse_option(std::string(files[j].first) + " is " + in_quotes(files[j].second) + " and " +
                          files[i].first + " is " + in_quotes(files[i].second) +
                          ", which is the same file.",
                      "Give each a file of its own.");
}

}  // namespace

// The order is that of to_text: the two most important options come first.
const std::vector<Descriptor>& detail::all_options() {
  static const std::vector<Descriptor> all = [] {
    const auto placing = placing_options(), deciding = deciding_options();
    std::vector<Descriptor> rows = {placing.front(), deciding.front()};
    for (const auto& rest : {placing.subspan(1), deciding.subspan(1), running_options()})
      rows.insert(rows.end(), rest.begin(), rest.end());
    return rows;
  }();
  return all;
}

void check(const Options& options) {
  for (const Descriptor& descriptor : detail::all_options())
    if (!descriptor.makes_sense(options))
      refuse_option(
          std::string(descriptor.key) + " is " + in_quotes(descriptor.print(options)) + '.',
          std::string("Give ") + descriptor.allowed + '.');
  if (options.box) return check(*options.box, options.periodic);
  if (options.periodic != std::array<bool, 3>{})
    refuse_option(
        "periodic is " + in_quotes(detail::print(options.periodic)) + ", but no box is given.",
        "Give the box whose opposite faces meet.");
}

DecisionState first_state(const Options& options) {
  DecisionState state;
  state.trigger = options.trigger;
  state.floor_percent = options.floor_percent;
  state.least_coverage = options.least_coverage;
  state.cooldown_steps = options.cooldown_steps;
  state.horizon = options.horizon;
  state.expected_cost = options.expected_cost;
  state.epoch_steps = options.epoch_steps;
  state.shift_rounds = options.deterministic ? 0 : options.shift.rounds;
  state.shift_penalty = options.shift.penalty;
  state.latency_steps = 2 * protocol_latency_steps + 1;
  state.ledger.cost.method = 1 + static_cast<std::int64_t>(options.method.index());
  return state;
}

std::string to_text(const Options& options) {
  std::string text;
  for (const Descriptor& descriptor : detail::all_options())
    text += std::string(descriptor.key) + " = " + descriptor.print(options) + '\n';
  return text;
}

Options from_text(const std::string& text, const Options& base, const std::string& source) {
  Options options = base;
  apply(entries_of(text, source), options, base);
  return options;
}

Options resolve(const Options& code, const Variables& variables) {
  Options options = code;
  const std::string file = detail::options_file_of(code, variables);
  if (!file.empty()) apply(entries_of(content_of(file), file), options, code);
  apply(entries_of(variables), options, code);
  check(options);
  refuse_equal_paths(options, file);
  return options;
}

namespace {

// A Monitor does not use the options of domains and moves.
void require_no_placing(const Options& code) {
  static const Options unset;
  for (const Descriptor& descriptor : detail::placing_options())
    if (descriptor.print(code) != descriptor.print(unset))
      refuse_option(std::string(descriptor.key) + " is " + in_quotes(descriptor.print(code)) +
                        ", but a Monitor places no objects.",
                    "Give it to a Balancer, or leave it out.");
}

}  // namespace

Options agree(const Communicator& communicator, const Options& code, bool places_objects) {
  std::string text;
  vote(communicator, attempt(options_stage, [&] {
         if (communicator.rank() != 0) return;
         if (!places_objects) require_no_placing(code);
         const Options chosen = resolve(code, environment_options());
         require_a_part_each(chosen, communicator.size());
         require_speeds_for(chosen, communicator.size());
         require_memory_for(chosen, communicator.size());
         text = to_text(chosen);
       }));
  const auto bytes = static_cast<std::size_t>(communicator.broadcast(std::ssize(text), 0));
  vote(communicator, attempt(options_stage, [&] { text.resize(bytes); }));
  communicator.broadcast(std::span<char>(text), 0);
  Options agreed;
  vote(communicator,
       attempt(options_stage, [&] { agreed = from_text(text, code, "the options of rank 0"); }));
  return agreed;
}

}  // namespace evenkeel
