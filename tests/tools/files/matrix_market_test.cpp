#include "files/matrix_market.hpp"

#include "support/harness.hpp"

namespace evenkeel::tool::matrix_market_test {
namespace {

using test::error_of;
using Integers = std::vector<std::int64_t>;
using Reals = std::vector<double>;

constexpr std::string_view how_to_begin =
    " Begin with %%MatrixMarket matrix coordinate, then real, integer or pattern, then general, "
    "symmetric or skew-symmetric.";
constexpr std::string_view how_to_write =
    " Write the row and the column of an entry, counted from 1, and then its finite value, unless "
    "the banner says pattern.";

GraphFile read(std::string_view text, const GraphPortion& portion = {}) {
  return read_matrix_market(MemorySource("a.mtx", text), portion);
}

void expect_refused(std::string_view text, std::string_view problem, std::string_view remedy) {
  EXPECT_EQ(error_of([&] { read(text); }),
            std::string("evenkeel: tools/files: ").append(problem).append(remedy));
}

std::string with(std::string_view kind, std::string_view below) {
  return std::string("%%MatrixMarket matrix coordinate ").append(kind).append("\n").append(below);
}

TEST(MatrixMarket, SymmetricPattern) {
  const GraphFile graph = read(with("pattern symmetric", "4 4 4\n2 1\n3 1\n3 3\n4 3\n"));
  EXPECT_EQ(graph.vertices, 4);
  EXPECT_EQ(graph.entries, 6);
  EXPECT_EQ(graph.offsets, (Integers{0, 2, 3, 5, 6}));
  EXPECT_EQ(graph.columns, (Integers{1, 2, 0, 0, 3, 2}));
  EXPECT_TRUE(graph.edge_weights.empty());
  EXPECT_EQ(graph.constraints, 0);
  EXPECT_EQ(graph.first_number, 1);
  EXPECT_FALSE(graph.declared_edges);
  EXPECT_EQ(graph.changes.loops, 1);
  EXPECT_EQ(remarks_on(graph.changes),
            (std::vector<std::string>{"1 entry on the diagonal was left out."}));
}

TEST(MatrixMarket, ValuesAreAbsolute) {
  const Reals weights = {2.5, 2.5, 7, 7};
  EXPECT_EQ(read(with("real symmetric", "3 3 2\n2 1 -2.5\n3 2 +7e0\n")).edge_weights, weights);
  EXPECT_EQ(read(with("real skew-symmetric", "3 3 2\n2 1 -2.5\n3 2 7\n")).edge_weights, weights);
  EXPECT_EQ(read(with("real general", "3 3 4\n1 2 2.5\n2 1 -2.5\n3 2 7\n2 3 -7\n")).edge_weights,
            weights);
  EXPECT_EQ(read(with("integer symmetric", "3 3 2\n2 1 -2\n3 2 +7\n")).edge_weights,
            (Reals{2, 2, 7, 7}));
  EXPECT_TRUE(remarks_on(read(with("real symmetric", "3 3 2\n2 1 -1\n3 2 1\n")).changes).empty());
}

TEST(MatrixMarket, AGeneralMatrixIsMadeSymmetric) {
  const GraphFile graph = read(with("real general", "4 4 5\n1 2 3\n2 1 -5\n4 3 1\n1 1 9\n2 4 6\n"));
  EXPECT_EQ(graph.offsets, (Integers{0, 1, 3, 4, 6}));
  EXPECT_EQ(graph.columns, (Integers{1, 0, 3, 3, 1, 2}));
  EXPECT_EQ(graph.edge_weights, (Reals{5, 5, 6, 1, 6, 1}));
  EXPECT_EQ(graph.changes.one_way, 2);
  EXPECT_EQ(graph.changes.unequal, 1);
  EXPECT_EQ(remarks_on(graph.changes),
            (std::vector<std::string>{"1 entry on the diagonal was left out.",
                                      "2 edges had entries on one side of the diagonal only.",
                                      "1 edge had two values, of which the greater counts."}));
  const GraphFile pattern = read(with("pattern general", "3 3 3\n1 2\n2 1\n3 1\n"));
  EXPECT_EQ(pattern.columns, (Integers{1, 2, 0, 0}));
  EXPECT_EQ(pattern.changes.one_way, 1);
  EXPECT_EQ(pattern.changes.unequal, 0);
}

TEST(MatrixMarket, DuplicatesAreAddedUp) {
  const GraphFile general = read(with("real general", "2 2 4\n1 2 1\n1 2 2\n2 1 -4\n1 2 3\n"));
  EXPECT_EQ(general.columns, (Integers{1, 0}));
  EXPECT_EQ(general.edge_weights, (Reals{6, 6}));
  EXPECT_EQ(general.changes.duplicates, 2);
  EXPECT_EQ(general.changes.unequal, 1);
  const GraphFile symmetric = read(with("real symmetric", "2 2 2\n2 1 1\n2 1 2\n"));
  EXPECT_EQ(symmetric.edge_weights, (Reals{3, 3}));
  EXPECT_EQ(symmetric.changes.duplicates, 1);
  const GraphFile pattern = read(with("pattern symmetric", "2 2 3\n2 1\n2 1\n2 1\n"));
  EXPECT_EQ(pattern.columns, (Integers{1, 0}));
  EXPECT_EQ(remarks_on(pattern.changes),
            (std::vector<std::string>{"2 entries were added to others in the same place."}));
}

TEST(MatrixMarket, EdgesOfValueZeroAreLeftOut) {
  const GraphFile graph =
      read(with("real general", "3 3 6\n1 2 0\n2 1 1\n1 3 0\n3 1 -0\n2 3 5\n2 3 -5\n"));
  EXPECT_EQ(graph.columns, (Integers{1, 0}));
  EXPECT_EQ(graph.edge_weights, (Reals{1, 1}));
  EXPECT_EQ(graph.changes.zeros, 2);
  EXPECT_EQ(graph.changes.unequal, 1);
  EXPECT_EQ(graph.changes.duplicates, 1);
}

TEST(MatrixMarket, EitherTriangleOfASymmetricMatrix) {
  EXPECT_EQ(read(with("pattern symmetric", "3 3 2\n1 2\n1 3\n")).columns, (Integers{1, 2, 0, 0}));
  expect_refused(with("real symmetric", "2 2 3\n1 1 1\n1 2 1\n2 1 1\n"),
                 "The matrix in 'a.mtx' is said to be symmetric, but has entries on both sides "
                 "of the diagonal, in lines 4 and 5.",
                 " Write only the entries below the diagonal, or write general in the banner.");
}

TEST(MatrixMarket, WhatIsTolerated) {
  for (const std::string_view text :
       {"%%MatrixMarket matrix coordinate integer symmetric\n3 3 1\n2 1 5\n",
        "%%MATRIXMARKET Matrix Coordinate INTEGER Symmetric\r\n%\r\n% c\r\n3 3 1\r\n2 1 5\r\n",
        "%%MatrixMarket  matrix\tcoordinate real  symmetric \n\n% c\n\n 3\t3 1 \n\n% c\n 2  1\t5 ",
        "\xEF\xBB\xBF%%MatrixMarket matrix coordinate double symmetric\n3 3 1\n2 1 .5e1\n\n\n"}) {
    const GraphFile graph = read(text);
    EXPECT_EQ(graph.vertices, 3) << text;
    EXPECT_EQ(graph.columns, (Integers{1, 0})) << text;
    EXPECT_EQ(graph.edge_weights, (Reals{5, 5})) << text;
  }
}

TEST(MatrixMarket, EmptyMatrices) {
  EXPECT_EQ(read(with("real general", "0 0 0\n")).vertices, 0);
  EXPECT_EQ(read(with("real general", "3 3 0")).offsets, (Integers{0, 0, 0, 0}));
}

TEST(MatrixMarket, Banners) {
  expect_refused("", "The file 'a.mtx' is empty.", how_to_begin);
  for (const std::string_view text :
       {"\n", "3 3 1\n", "%MatrixMarket matrix coordinate real general"})
    expect_refused(text, "Line 1 of 'a.mtx' is not the banner of a Matrix Market file.",
                   how_to_begin);
  expect_refused("%%MatrixMarket matrix coordinate real\n",
                 "Line 1 of 'a.mtx', the banner, has fewer than five words.", how_to_begin);
  expect_refused(with("real general x", ""),
                 "Line 1 of 'a.mtx', the banner, has more than five words.", how_to_begin);
  expect_refused("%%MatrixMarket vector coordinate real general\n",
                 "Line 1 of 'a.mtx', the banner, says 'vector'.", how_to_begin);
  expect_refused("%%MatrixMarket matrix array real general\n2 2\n1\n",
                 "Line 1 of 'a.mtx', the banner, says 'array'.",
                 " A dense matrix has an edge between any two vertices: write the entries that "
                 "are not 0, as coordinate.");
  expect_refused("%%MatrixMarket matrix list real general\n",
                 "Line 1 of 'a.mtx', the banner, says 'list'.", how_to_begin);
  expect_refused(with("COMPLEX general", "1 1 0\n"),
                 "Line 1 of 'a.mtx', the banner, says 'complex'.",
                 " An edge weighs one real number: write absolute values as real.");
  expect_refused(with("real hermitian", "1 1 0\n"),
                 "Line 1 of 'a.mtx', the banner, says 'hermitian'.",
                 " An edge weighs one real number: write absolute values as real symmetric.");
  expect_refused(with("quaternion general", "1 1 0\n"),
                 "Line 1 of 'a.mtx', the banner, says 'quaternion'.", how_to_begin);
}

TEST(MatrixMarket, Sizes) {
  const std::string_view remedy = " Give the numbers of rows, columns and entries.";
  expect_refused(with("real general", "% c\n"),
                 "The file 'a.mtx' ends after its banner, in line 2.",
                 " Give the numbers of rows, columns and entries below it.");
  expect_refused(with("real general", "3 3\n"),
                 "Line 2 of 'a.mtx' ends before the number of entries.", remedy);
  expect_refused(with("real general", "3 3 1 1\n"),
                 "Line 2 of 'a.mtx' has more than three numbers.", remedy);
  expect_refused(with("real general", "3 x 1\n"),
                 "Line 2 of 'a.mtx': the number of columns is 'x', which is not a whole number.",
                 remedy);
  EXPECT_ERROR(read(with("real general", "-3 3 1\n")), "which is negative");
  EXPECT_ERROR(read(with("real general", "3 3 9223372036854775808\n")), "does not fit in 63 bits");
  expect_refused(with("real general", "3 4 1\n"),
                 "Line 2 of 'a.mtx' declares 3 rows and 4 columns.",
                 " Give a square matrix: row i and column i are the same vertex.");
  expect_refused(with("real general", "1000000000000 1000000000000 0\n"),
                 "Line 2 of 'a.mtx' declares 1000000000000 rows, but the file has only 76 "
                 "bytes, so that nearly all rows would be empty.",
                 " Leave empty rows out, and renumber the others.");
}

TEST(MatrixMarket, CountsOfEntries) {
  const std::string_view remedy = " Check the declared number, and whether the file was cut off.";
  expect_refused(with("real general", "3 3 4\n1 2 1\n"),
                 "The size line of 'a.mtx' declares 4 entries, but 1 follow, 3 too few.", remedy);
  expect_refused(with("real general", "3 3 1\n1 2 1\n2 1 1\n3 3 1\n"),
                 "The size line of 'a.mtx' declares 1 entries, but 3 follow, 2 too many.", remedy);
  EXPECT_ERROR(read(with("real general", "3 3 9223372036854775807\n1 2 1\n")), "too few");
}

TEST(MatrixMarket, Places) {
  const std::string_view from_1 = " Give rows and columns from 1 to 3, as declared.";
  expect_refused(with("real general", "3 3 1\n0 2 1\n"), "Line 3 of 'a.mtx': the row is 0.",
                 from_1);
  expect_refused(with("real general", "3 3 1\n1 4 1\n"), "Line 3 of 'a.mtx': the column is 4.",
                 from_1);
  expect_refused(with("real general", "3 3 1\n1 -2 1\n"),
                 "Line 3 of 'a.mtx': the column is '-2', which is negative.", how_to_write);
  expect_refused(with("real general", "3 3 1\n1.0 2 1\n"),
                 "Line 3 of 'a.mtx': the row is '1.0', which is not a whole number.", how_to_write);
  expect_refused(with("real general", "3 3 1\n1\n"),
                 "Line 3 of 'a.mtx' ends before the column of its entry.", how_to_write);
  EXPECT_ERROR(read(with("real general", "3 3 1\n1 99999999999999999999 1\n")), "63 bits");
}

TEST(MatrixMarket, Values) {
  const auto expect_value_refused = [](const std::string& value, std::string_view problem,
                                       const std::string& kind = "real") {
    expect_refused(with(kind + " general", "3 3 1\n1 2 " + value + "\n"), problem, how_to_write);
  };
  expect_value_refused("", "Line 3 of 'a.mtx' ends before the value of its entry.");
  const std::pair<std::string, std::string> cases[] = {{"nan", "not finite"},
                                                       {"-inf", "not finite"},
                                                       {"1e999", "out of the range of a double"},
                                                       {"1e-999", "out of the range of a double"},
                                                       {"1.0D0", "not a number"},
                                                       {"x", "not a number"},
                                                       {"1,5", "not a number"}};
  for (const auto& [value, problem] : cases)
    expect_value_refused(
        value, "Line 3 of 'a.mtx': the value is '" + value + "', which is " + problem + ".");
  expect_value_refused("1.5", "Line 3 of 'a.mtx': the value is '1.5', which is not a whole number.",
                       "integer");
  expect_value_refused("1 2", "Line 3 of 'a.mtx' continues after its value with '2'.");
  expect_value_refused("1", "Line 3 of 'a.mtx' continues after its column with '1'.", "pattern");
  expect_refused(with("real symmetric", "2 2 2\n2 1 1.7e308\n2 1 1.7e308\n"),
                 "The entries of 'a.mtx' in row 1 and column 2 add up to more than a double can "
                 "hold.",
                 " Write smaller values.");
}

using Matrix = std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>;

// The text of a random matrix, and the expected result of reading it.
struct RandomMatrix {
  std::string text;
  Matrix expected;
  GraphChanges changes;

  RandomMatrix(const std::string& kind, std::mt19937_64& random) {
    const bool symmetric = kind.ends_with(" symmetric"), pattern = kind.starts_with("pattern");
    constexpr std::int64_t n = 40, entries = 300;
    text = with(kind,
                std::to_string(n) + " " + std::to_string(n) + " " + std::to_string(entries) + "\n");
    Matrix sums;
    for (std::int64_t e = 0; e < entries; ++e) {
      auto row = static_cast<std::int64_t>(random() % n),
           column = static_cast<std::int64_t>(random() % n);
      if (symmetric && row < column) std::swap(row, column);
      const auto value = static_cast<std::int64_t>(random() % 5) - 2;
      text.append(std::to_string(row + 1)).append(" ").append(std::to_string(column + 1));
      text.append(pattern ? "" : " " + std::to_string(value)).append("\n");
      if (row == column) {
        ++changes.loops;
        continue;
      }
      changes.duplicates += sums.contains({row, column}) ? 1 : 0;
      sums[{row, column}] += pattern ? 1 : value;
    }
    for (const auto& [place, sum] : sums) {
      if (sum == 0) continue;
      for (const auto& one : {place, std::pair(place.second, place.first)})
        expected[one] = std::max(expected[one], std::abs(sum));
    }
  }
};

void add_to(Matrix& matrix, const GraphFile& graph) {
  for (std::int64_t row = 0; row < graph.rows(); ++row) {
    const auto r = static_cast<std::size_t>(row);
    const auto begin = graph.columns.begin();
    EXPECT_TRUE(std::is_sorted(begin + graph.offsets[r], begin + graph.offsets[r + 1]));
    for (auto e = static_cast<std::size_t>(graph.offsets[r]);
         e < static_cast<std::size_t>(graph.offsets[r + 1]); ++e) {
      const std::int64_t value =
          graph.edge_weights.empty() ? 1 : static_cast<std::int64_t>(graph.edge_weights[e]);
      EXPECT_TRUE(matrix.insert({{graph.first + row, graph.columns[e]}, value}).second);
    }
  }
}

// Reads matrices in portions, and compares them with sums in maps. Matrices have duplicates, empty
// rows and entries on the diagonal. The values are small integers, so that sums are exact.
TEST(MatrixMarket, RandomMatricesInPortions) {
  std::mt19937_64 random(7);
  for (const std::string kind : {"integer general", "integer symmetric", "pattern general"}) {
    RandomMatrix matrix(kind, random);
    if (kind.starts_with("pattern"))
      for (auto& [place, value] : matrix.expected) value = 1;
    for (const std::int64_t of : {1, 3, 50}) {
      Matrix found;
      GraphChanges changes;
      for (std::int64_t index = 0; index < of; ++index) {
        const GraphFile graph = read(matrix.text, {index, of});
        changes.loops += graph.changes.loops;
        changes.duplicates += graph.changes.duplicates;
        add_to(found, graph);
      }
      EXPECT_EQ(found, matrix.expected) << kind << ", " << of;
      EXPECT_EQ(changes.loops, matrix.changes.loops);
      EXPECT_EQ(changes.duplicates, matrix.changes.duplicates);
    }
  }
}

}  // namespace
}  // namespace evenkeel::tool::matrix_market_test
