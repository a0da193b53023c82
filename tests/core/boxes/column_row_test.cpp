#include "boxes/rows/column_row.hpp"
#include "support/harness.hpp"

namespace evenkeel::column_row_test {
namespace {

Columns random_columns(std::mt19937_64& random, std::int64_t columns, std::int64_t bins) {
  Columns made;
  made.bins = bins;
  for (std::int64_t c = 0; c < columns; ++c) {
    made.below.push_back(0);
    for (std::int64_t b = 0; b < bins; ++b)
      made.below.push_back(made.below.back() + static_cast<double>(random() % 10));
  }
  return made;
}

// Tries all ways to place the borders.
double oracle(const Columns& columns, std::int64_t domains, std::vector<std::int64_t>& borders,
              const std::function<double(std::int64_t, std::int64_t)>& speed_of) {
  if (std::ssize(borders) == domains - 1) return heaviest_piece(columns, borders, speed_of);
  double best = std::numeric_limits<double>::infinity();
  for (std::int64_t b = borders.empty() ? 0 : borders.back(); b <= columns.bins; ++b) {
    borders.push_back(b);
    best = std::min(best, oracle(columns, domains, borders, speed_of));
    borders.pop_back();
  }
  return best;
}

TEST(ColumnRow, AsTheBestOfAll) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 300; ++round) {
    const auto count = static_cast<std::int64_t>(random() % 4 + 1);
    const auto bins = static_cast<std::int64_t>(random() % 7 + 1);
    const auto domains = static_cast<std::int64_t>(random() % 4 + 1);
    const Columns columns = random_columns(random, count, bins);
    const auto speed_of = [&](std::int64_t column, std::int64_t domain) {
      return round % 2 == 0 ? 1.0 : 1.0 + static_cast<double>((3 * column + domain) % 4);
    };
    const ColumnRow row = best_row(columns, domains, speed_of);
    ASSERT_EQ(std::ssize(row.borders), domains - 1);
    ASSERT_TRUE(std::is_sorted(row.borders.begin(), row.borders.end()));
    EXPECT_EQ(row.heaviest, heaviest_piece(columns, row.borders, speed_of));
    std::vector<std::int64_t> borders;
    EXPECT_NEAR(row.heaviest, oracle(columns, domains, borders, speed_of), 1e-9) << round;
  }
}

TEST(ColumnRow, TheHeaviestPieceByHand) {
  // Two columns of three bins: 1 2 3 and 4 0 1.
  const Columns columns{3, {0, 1, 3, 6, 0, 4, 4, 5}};
  const auto alike = [](std::int64_t, std::int64_t) { return 1.0; };
  EXPECT_EQ(heaviest_piece(columns, std::vector<std::int64_t>{1}, alike), 5);
  EXPECT_EQ(heaviest_piece(columns, std::vector<std::int64_t>{2}, alike), 4);
  EXPECT_EQ(heaviest_piece(columns, {}, alike), 6);
  EXPECT_EQ(best_row(columns, 2, alike).borders, (std::vector<std::int64_t>{2}));
}

TEST(ColumnRow, NothingAtAll) {
  const auto alike = [](std::int64_t, std::int64_t) { return 1.0; };
  EXPECT_EQ(best_row(Columns{2, {0, 0, 0}}, 2, alike).heaviest, 0);
  EXPECT_EQ(best_row(Columns{2, {0, 0, 0}}, 1, alike).borders.size(), 0U);
}

// No number is between the two smallest ones, so the search has nothing to try.
TEST(ColumnRow, TheLeastNumbersThereAre) {
  constexpr double least = std::numeric_limits<double>::denorm_min();
  const auto alike = [](std::int64_t, std::int64_t) { return 1.0; };
  const ColumnRow row = best_row(Columns{4, {0, least, 2 * least, 3 * least, 4 * least}}, 2, alike);
  EXPECT_EQ(row.heaviest, 2 * least);
  EXPECT_EQ(best_row(Columns{2, {0, 1e-320, 2e-320}}, 2, alike).heaviest, 1e-320);
}

}  // namespace
}  // namespace evenkeel::column_row_test
