#include "partition/speeds.hpp"

#include "files/array.hpp"
#include "files/refusal.hpp"

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/text.hpp>

#include <cmath>

namespace evenkeel::tool {

namespace {

std::vector<double> speeds_in(const ArrayFile& file, int parts) {
  if (file.columns() != 1)
    refuse_partition(
        joined({in_quotes(file.name()), " has ", std::to_string(file.columns()), " columns."}),
        "Give one speed in each row.");
  if (file.rows() != static_cast<std::uint64_t>(parts))
    refuse_partition(joined({in_quotes(file.name()), " has ", std::to_string(file.rows()),
                             " rows for ", std::to_string(parts), " parts."}),
                     "Give one speed per part.");
  std::vector<double> speeds = file.read(0, file.rows());
  for (std::size_t part = 0; part < speeds.size(); ++part)
    if (!std::isfinite(speeds[part]) || !(speeds[part] > 0))
      refuse_partition(joined({"In ", in_quotes(file.name()), ", row ", std::to_string(part),
                               " is ", text_of(speeds[part]), "."}),
                       "Give speeds that are finite and positive.");
  return speeds;
}

}  // namespace

std::vector<double> read_speeds(const Communicator& communicator,
                                const std::optional<std::string>& file, int parts) {
  std::vector<double> speeds;
  vote(communicator, attempt(refuse_partition.stage, [&] {
         if (file) speeds = speeds_in(*open_array(*file), parts);
       }));
  return speeds;
}

}  // namespace evenkeel::tool
