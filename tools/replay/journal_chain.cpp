#include "replay/journal_chain.hpp"

#include "files/array.hpp"
#include "files/refusal.hpp"
#include "replay/record.hpp"
#include "replay/refusal.hpp"

#include <evenkeel/backends/text.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>

namespace evenkeel::tool {

namespace {

using nlohmann::json;

class ChainReader {
 public:
  explicit ChainReader(const RecordedStart& start) : last_step_(start.state.step) {
    table_.bins = static_cast<std::uint64_t>(start.ranks);
  }

  void add(const RecordPlace& place, const RecordedLine& line, const json& members) {
    if (!line.totals) return;
    const std::int64_t steps = line.step - last_step_;
    last_step_ = line.step;
    if (members.contains("histogram"))
      refuse_replay(joined({place.text(), " does not tell what single ranks took."}),
                    "Give a journal of 256 ranks at the most.");
    const json& per_rank = members.at("per_rank");
    const auto is_number = [](const json& value) { return value.is_number(); };
    if (per_rank.size() != table_.bins || !std::ranges::all_of(per_rank, is_number)) return;
    require_same_domains(place, line.generation);
    for (std::int64_t step = 0; step < steps; ++step)
      for (const json& seconds : per_rank) table_.costs.push_back(seconds.get<double>());
  }

  CostTable result(const std::string& path) && {
    if (table_.costs.empty())
      refuse_replay(joined({"The journal ", in_quotes(path), " has measured nothing."}),
                    "Give one of a run with a look at least.");
    return std::move(table_);
  }

 private:
  void require_same_domains(const RecordPlace& place, std::int64_t generation) {
    if (generation_.value_or(generation) != generation)
      refuse_replay(joined({place.text(), " is of other domains than the lines before it."}),
                    "Give a journal of a run that moved nothing, with trigger = never.");
    generation_ = generation;
  }

  CostTable table_;
  std::int64_t last_step_;
  std::optional<std::int64_t> generation_;
};

}  // namespace

CostTable chain_of_journal(const std::string& path, const Progress& progress) {
  std::optional<ChainReader> reader;
  read_journal(
      path, [&](const RecordedStart& start) { reader.emplace(start); },
      [&](const RecordPlace& place, const RecordedLine& line, const json& members) {
        reader->add(place, line, members);
      },
      progress);
  return std::move(*reader).result(path);
}

CostTable chain_in_file(const std::string& path) {
  const auto file = open_array(path);
  return {file->read(0, file->rows()), file->columns()};
}

}  // namespace evenkeel::tool
