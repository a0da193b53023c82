#include "partition/objects.hpp"

#include "files/array.hpp"
#include "files/refusal.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/launch.hpp>
#include <evenkeel/backends/text.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace evenkeel::tool {

namespace {

struct RowShare {
  std::uint64_t first, last;
};

RowShare share_of(const Communicator& communicator, std::int64_t rows) {
  const auto [begin, end] = exec::share_of(rows, communicator.size(), communicator.rank());
  return {static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(end)};
}

std::unique_ptr<const ArrayFile> open_shown(const std::string& path, const ProgressOf& progress) {
  return open_array(path, progress ? progress(path) : Progress());
}

std::unique_ptr<const ArrayFile> open_points(const PartitionOptions& options,
                                             const ProgressOf& progress) {
  auto points = open_shown(options.points, progress);
  if (points->columns() != 2 && points->columns() != 3)
    refuse_partition(joined({"The points in ", in_quotes(points->name()), " have ",
                             std::to_string(points->columns()), " columns."}),
                     "Give the 2 or 3 coordinates of an object in each row.");
  if (points->rows() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    refuse_partition(joined({"There are too many rows in ", in_quotes(points->name()), "."}),
                     "Give fewer than 2^63.");
  return points;
}

// Reads a number for each object. `name` is that of one number in Errors.
std::vector<double> read_column(const std::string& path, const std::string& name,
                                const ArrayFile& points, RowShare share,
                                const ProgressOf& progress) {
  const auto file = open_shown(path, progress);
  if (file->columns() != 1)
    refuse_partition(joined({"The ", name, "s in ", in_quotes(file->name()), " have ",
                             std::to_string(file->columns()), " columns."}),
                     joined({"Give one ", name, " in each row."}));
  if (file->rows() != points.rows())
    refuse_partition(joined({"There are ", std::to_string(file->rows()), " ", name, "s in ",
                             in_quotes(file->name()), ", but ", std::to_string(points.rows()),
                             " points in ", in_quotes(points.name()), "."}),
                     joined({"Give as many ", name, "s as points."}));
  std::vector<double> numbers = file->read(share.first, share.last);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (!std::isfinite(numbers[i]) || numbers[i] < 0)
      refuse_partition(joined({"The ", name, " of object ", std::to_string(share.first + i), " in ",
                               in_quotes(file->name()), " is ", text_of(numbers[i]), "."}),
                       joined({"Give ", name, "s that are finite and not negative."}));
  return numbers;
}

// The shape of the file as this rank sees it. A reduction by `least` of a negated value finds the
// greatest value.
struct Sight {
  std::int64_t least_rows, minus_greatest_rows, least_columns, minus_greatest_columns;
};

void combine(Sight& into, const Sight& from) noexcept {
  into.least_rows = std::min(into.least_rows, from.least_rows);
  into.minus_greatest_rows = std::min(into.minus_greatest_rows, from.minus_greatest_rows);
  into.least_columns = std::min(into.least_columns, from.least_columns);
  into.minus_greatest_columns = std::min(into.minus_greatest_columns, from.minus_greatest_columns);
}

}  // namespace

FileObjects read_objects(const Communicator& communicator, const PartitionOptions& options,
                         const ProgressOf& progress) {
  FileObjects objects;
  const Status read = attempt(refuse_partition.stage, [&] {
    const auto points = open_points(options, progress);
    objects.dimensions = static_cast<int>(points->columns());
    objects.everywhere = static_cast<std::int64_t>(points->rows());
    const RowShare share = share_of(communicator, objects.everywhere);
    if (points->has_floats())
      objects.float_places = points->read_floats(share.first, share.last);
    else
      objects.places = points->read(share.first, share.last);
    if (options.weights)
      objects.weights = read_column(*options.weights, "weight", *points, share, progress);
    if (options.bytes)
      objects.bytes = read_column(*options.bytes, "size", *points, share, progress);
    if (options.work_is_count) objects.weights.clear();
  });
  const Sight mine = {objects.everywhere, -objects.everywhere, objects.dimensions,
                      -objects.dimensions};
  const Sight all = vote<&combine>(communicator, read, mine);
  if (all.least_rows != -all.minus_greatest_rows ||
      all.least_columns != -all.minus_greatest_columns)
    refuse_partition(
        joined({"The ranks do not see the same file ", in_quotes(options.points), "."}),
        "Put it where all of them read the same file.");
  return objects;
}

}  // namespace evenkeel::tool
