#include "boxes/rows/column_row.hpp"

#include <algorithm>

namespace evenkeel {

namespace {

using SpeedOf = std::function<double(std::int64_t, std::int64_t)>;

// Returns the greatest bin at which a domain can end if it begins at bin `from` and has no piece
// above the limit.
std::int64_t reach(const Columns& columns, std::int64_t from, std::int64_t domain, double limit,
                   const SpeedOf& speed_of) {
  std::int64_t to = columns.bins;
  for (std::int64_t c = 0; c < columns.count() && to > from; ++c) {
    const std::span<const double> column = columns.column(c);
    const double most = column[static_cast<std::size_t>(from)] + limit * speed_of(c, domain);
    if (column[static_cast<std::size_t>(to)] <= most) continue;
    const auto above = std::upper_bound(column.begin() + from, column.begin() + to, most);
    to = above - column.begin() - 1;
  }
  return to;
}

// Returns the least bin at which a domain can begin if it ends at bin `to` and no piece may be
// above the limit.
std::int64_t reach_back(const Columns& columns, std::int64_t to, std::int64_t domain, double limit,
                        const SpeedOf& speed_of) {
  std::int64_t from = 0;
  for (std::int64_t c = 0; c < columns.count() && from < to; ++c) {
    const std::span<const double> column = columns.column(c);
    const double least = column[static_cast<std::size_t>(to)] - limit * speed_of(c, domain);
    const auto enough = std::lower_bound(column.begin() + from, column.begin() + to, least);
    from = enough - column.begin();
  }
  return from;
}

bool fits(const Columns& columns, std::int64_t domains, double limit, const SpeedOf& speed_of) {
  std::int64_t from = 0;
  for (std::int64_t domain = 0; domain < domains && from < columns.bins; ++domain)
    from = reach(columns, from, domain, limit, speed_of);
  return from == columns.bins;
}

// Returns the first bin up to which this share of the work of all columns together is reached.
std::int64_t bin_of_share(const Columns& columns, double share) {
  const auto below = [&](std::int64_t bin) {
    double sum = 0;
    for (std::int64_t c = 0; c < columns.count(); ++c)
      sum += columns.column(c)[static_cast<std::size_t>(bin)];
    return sum;
  };
  const double wanted = share * below(columns.bins);
  std::int64_t from = 0, to = columns.bins;
  while (from < to) {
    const std::int64_t middle = from + (to - from) / 2;
    below(middle) < wanted ? from = middle + 1 : to = middle;
  }
  return from;
}

// Returns borders with which no piece exceeds a limit; there must be such borders. Each border is
// as near to an equal share of the work as the limit permits. If pieces merely kept within the
// limit, the rows of other axes would have no room to improve.
std::vector<std::int64_t> spread(const Columns& columns, std::int64_t domains, double limit,
                                 const SpeedOf& speed_of) {
  std::vector<std::int64_t> earliest(static_cast<std::size_t>(domains));
  std::int64_t to = columns.bins;
  for (std::int64_t domain = domains - 1; domain > 0; --domain)
    earliest[static_cast<std::size_t>(domain)] = to =
        reach_back(columns, to, domain, limit, speed_of);
  std::vector<std::int64_t> borders;
  std::int64_t from = 0;
  for (std::int64_t domain = 0; domain + 1 < domains; ++domain) {
    const std::int64_t latest = reach(columns, from, domain, limit, speed_of);
    const auto share = static_cast<double>(domain + 1) / static_cast<double>(domains);
    from = std::min(latest, std::max(earliest[static_cast<std::size_t>(domain) + 1],
                                     bin_of_share(columns, share)));
    borders.push_back(from);
  }
  return borders;
}

}  // namespace

double heaviest_piece(const Columns& columns, std::span<const std::int64_t> borders,
                      const SpeedOf& speed_of) {
  double heaviest = 0;
  for (std::int64_t c = 0; c < columns.count(); ++c) {
    const std::span<const double> column = columns.column(c);
    double before = 0;
    for (std::int64_t domain = 0; domain <= std::ssize(borders); ++domain) {
      const std::int64_t end =
          domain < std::ssize(borders) ? borders[static_cast<std::size_t>(domain)] : columns.bins;
      const double now = column[static_cast<std::size_t>(end)];
      heaviest = std::max(heaviest, (now - before) / speed_of(c, domain));
      before = now;
    }
  }
  return heaviest;
}

ColumnRow best_row(const Columns& columns, std::int64_t domains, const SpeedOf& speed_of) {
  ColumnRow row;
  // Borders with the same number of bins per domain give an upper bound.
  for (std::int64_t domain = 1; domain < domains; ++domain)
    row.borders.push_back(columns.bins * domain / domains);
  double above = heaviest_piece(columns, row.borders, speed_of), below = 0;
  while (above - below > above * 0x1p-40) {
    const double limit = below + (above - below) / 2;
    if (!(below < limit && limit < above)) break;  // there is no number between the two
    (fits(columns, domains, limit, speed_of) ? above : below) = limit;
  }
  std::vector<std::int64_t> spread_out = spread(columns, domains, above, speed_of);
  const double heaviest = heaviest_piece(columns, spread_out, speed_of);
  row.heaviest = heaviest_piece(columns, row.borders, speed_of);
  if (heaviest < row.heaviest) row = {std::move(spread_out), heaviest};
  return row;
}

}  // namespace evenkeel
