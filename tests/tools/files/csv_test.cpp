#include "files/csv.hpp"

#include <evenkeel/backends/text.hpp>

#include "support/harness.hpp"
#include "support/scratch.hpp"

#include <clocale>

namespace evenkeel::tool::csv_test {
namespace {

using test::error_of;

constexpr std::string_view remedy =
    " Write one object per line, as finite numbers separated by commas, after at most one header "
    "line.";

CsvFile open(std::string_view text) {
  return CsvFile(std::make_unique<MemorySource>("points.csv", text));
}

std::vector<double> numbers_of(std::string_view text) {
  const CsvFile file = open(text);
  return file.read(0, file.rows());
}

void expect_refused(std::string_view text, std::string_view problem) {
  EXPECT_EQ(error_of([&] { numbers_of(text); }),
            std::string("evenkeel: tools/files: ").append(problem).append(remedy));
}

TEST(Csv, RowsAndColumns) {
  const CsvFile file = open("1,2,3\n4,5,6\n");
  EXPECT_EQ(file.rows(), 2U);
  EXPECT_EQ(file.columns(), 3U);
  EXPECT_EQ(file.read(0, 2), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(file.read(1, 2), (std::vector<double>{4, 5, 6}));
}

TEST(Csv, WhatIsTolerated) {
  const std::vector<double> numbers = {1.5, -2, 3, 4};
  for (const std::string_view text :
       {"1.5,-2\n3,4\n", "1.5,-2\n3,4", "1.5,-2\r\n3,4\r\n", "1.5,-2\r\n3,4\r",
        " 1.5 ,\t-2\t\n3 , 4 \n", "1.5,-2\n3,4\n\n", "1.5,-2\n3,4\n \r\n\t\n\n",
        "\xEF\xBB\xBF+1.5,-2\n3,4\n", "+1.5,-2.0\n3.,4e0\n", "x,y\n1.5,-2\n3,4\n",
        "\xEF\xBB\xBFx,y\r\n1.5,-2\r\n3,4\r\n", "\"x\", \"y\" \n15e-1,-.2E+1\n3,4\n",
        ",y\n1.5,-2\n3,4\n", "information,nancy\n1.5,-2\n3,4\n", "-,.\n1.5,-2\n3,4\n"}) {
    EXPECT_EQ(numbers_of(text), numbers) << text;
    EXPECT_EQ(open(text).columns(), 2U) << text;
  }
}

TEST(Csv, NumbersAreTheNearestDoubles) {
  EXPECT_EQ(numbers_of("0.1\n5e-324\n1.7976931348623157e308\n9007199254740993\n"),
            (std::vector<double>{0.1, 5e-324, 1.7976931348623157e308, 9007199254740992}));
  EXPECT_TRUE(std::signbit(numbers_of("-0\n")[0]));
  EXPECT_EQ(numbers_of("0.000e999\n-0.0e-999\n"), (std::vector<double>{0, -0.0}));
  std::mt19937_64 random(3);
  std::string text;
  std::vector<double> numbers;
  while (numbers.size() < 3000) {
    const auto number = std::bit_cast<double>(random());
    if (!std::isfinite(number)) continue;
    numbers.push_back(number);
    text.append(text_of(number)).append(numbers.size() % 3 == 0 ? "\n" : ",");
  }
  EXPECT_EQ(numbers_of(text), numbers);
}

TEST(Csv, TheLocaleHasNoSay) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8"})
    if (std::setlocale(LC_ALL, name) != nullptr) break;
  EXPECT_EQ(numbers_of("1.5,2\n"), (std::vector<double>{1.5, 2}));
  std::setlocale(LC_ALL, before.c_str());
}

// The file has more lines than there are between two marks, more bytes than one read, and lines of
// all sizes.
TEST(Csv, AnyShareOfALongFile) {
  std::string text = "a,b\n";
  std::vector<double> numbers;
  std::mt19937_64 random(5);
  constexpr std::uint64_t rows = 5000;
  for (std::uint64_t row = 0; row < rows; ++row) {
    numbers.push_back(static_cast<double>(row));
    numbers.push_back(-0.5);
    text.append(std::to_string(row)).append(random() % 1000, ' ').append(",-0.5\n");
  }
  ASSERT_GT(text.size(), std::size_t{2} << 20U);
  const CsvFile file = open(text);
  ASSERT_EQ(file.rows(), rows);
  for (const std::uint64_t first : {0U, 1U, 1022U, 1023U, 1024U, 1025U, 3000U, 4999U})
    for (const std::uint64_t last : {1U, 1023U, 1024U, 2047U, 4999U, 5000U}) {
      if (last < first) continue;
      const auto begin = numbers.begin();
      EXPECT_EQ(file.read(first, last),
                std::vector<double>(begin + static_cast<std::ptrdiff_t>(2 * first),
                                    begin + static_cast<std::ptrdiff_t>(2 * last)))
          << first << " to " << last;
    }
}

TEST(Csv, ALineMayBeLongerThanWhatIsReadAtOnce) {
  std::string text = "1,2\n3,";
  text.append(std::size_t{5} << 20U, ' ').append("4\n5,6\n");
  EXPECT_EQ(numbers_of(text), (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

TEST(Csv, ALineMayNotBeEndless) {
  std::string text = "1,2\n3,";
  text.append(std::size_t{18} << 20U, ' ').append("4\n");
  expect_refused(text, "Line 2 of 'points.csv' is longer than 16 MiB.");
}

TEST(Csv, FilesWithoutObjects) {
  for (const std::string_view text : {"", "\n", " \n\t\r\n", "\xEF\xBB\xBF", "\xEF\xBB\xBF\n"})
    expect_refused(text, "The file 'points.csv' is empty.");
  for (const std::string_view text : {"x,y", "x\n", "x,y\r\n\r\n"})
    expect_refused(text, "The file 'points.csv' ends after its header, in line 1.");
}

TEST(Csv, RaggedLines) {
  expect_refused("1,2\n3,4\n5\n6,7\n", "Line 3 of 'points.csv' has 1 columns, but line 1 has 2.");
  expect_refused("x,y,z\n1,2\n", "Line 2 of 'points.csv' has 2 columns, but line 1 has 3.");
  expect_refused("1\n2,3\n", "Line 2 of 'points.csv' has 2 columns, but line 1 has 1.");
  expect_refused("1,2\n\n3,4\n", "Line 2 of 'points.csv' is empty, but other lines follow.");
  expect_refused("\n1,2\n", "Line 1 of 'points.csv' is empty, but other lines follow.");
}

// The first line has a million columns, and as many lines have one column. The product of both
// numbers must never be allocated.
TEST(Csv, AWideFirstLineTakesNoMemoryForTheOthers) {
  std::string text = "1";
  for (int i = 0; i < 1 << 20; ++i) text.append(",1");
  for (int i = 0; i < 1 << 20; ++i) text.append("\n1");
  expect_refused(text, "Line 2 of 'points.csv' has 1 columns, but line 1 has 1048577.");
}

TEST(Csv, CellsThatAreNoNumbers) {
  const std::vector<std::pair<std::string, std::string>> cells = {
      {"", " is empty."},
      {"  ", " is empty."},
      {"four", " is 'four', which is not a number."},
      {"1 2", " is '1 2', which is not a number."},
      {"1.O", " is '1.O', which is not a number."},
      {"1e", " is '1e', which is not a number."},
      {"0x10", " is '0x10', which is not a number."},
      {"--1", " is '--1', which is not a number."},
      {"+-1", " is '+-1', which is not a number."},
      {"+", " is '+', which is not a number."},
      {"\"4\"", " is '\"4\"', which is not a number."},
      {"#4", " is '#4', which is not a number."},
      {"1d5", " is '1d5', which is not a number."},
      {"1;2", " is '1;2', which is not a number."},
      {"\xC3\xA4", " is '\xC3\xA4', which is not a number."},
      {"nan", " is 'nan', which is not finite."},
      {"NaN", " is 'NaN', which is not finite."},
      {"-nan", " is '-nan', which is not finite."},
      {"inf", " is 'inf', which is not finite."},
      {"-Infinity", " is '-Infinity', which is not finite."},
      {"1e309", " is '1e309', which is out of the range of a double."},
      {"-1e99999", " is '-1e99999', which is out of the range of a double."},
      {"1e-400", " is '1e-400', which is out of the range of a double."},
      {"1\r2", " holds bytes that are not text."},
      {std::string("\0\1", 2), " holds bytes that are not text."}};
  for (const auto& [cell, problem] : cells) {
    const std::string expected = std::string("Column 2 in line 3 of 'points.csv'").append(problem);
    const std::string start = "x,y,z\n1,2,3\n4,";
    expect_refused(start + cell + ",6\n7,8,9\n", expected);
    expect_refused(start + ' ' + cell + "\t,6\r\n", expected);
  }
  expect_refused("1,2\n3,", "Column 2 in line 2 of 'points.csv' is empty.");
}

// If the first line has numbers with a typing error, it must not be skipped as a header.
TEST(Csv, AHeaderHasNoNumbers) {
  expect_refused("1.O\n2\n", "Column 1 in line 1 of 'points.csv' is '1.O', which is not a number.");
  expect_refused("1;2\n3;4\n",
                 "Column 1 in line 1 of 'points.csv' is '1;2', which is not a number.");
  expect_refused("x,1,z\n2,3,4\n",
                 "Column 1 in line 1 of 'points.csv' is 'x', which is not a number.");
  expect_refused("-.5x\n2\n",
                 "Column 1 in line 1 of 'points.csv' is '-.5x', which is not a number.");
  expect_refused("nan,inf\n2,3\n",
                 "Column 1 in line 1 of 'points.csv' is 'nan', which is not finite.");
  expect_refused(",,\n2,3,4\n", "Column 1 in line 1 of 'points.csv' is empty.");
  expect_refused("x\ny\n1\n", "Column 1 in line 2 of 'points.csv' is 'y', which is not a number.");
}

TEST(Csv, AFileThatChangesIsRefused) {
  const test::ScratchDirectory directory;
  const std::string path = directory.with_file("points.csv", "1\n2\n3\n");
  const CsvFile file(std::make_unique<FileSource>(path));
  directory.with_file("points.csv", "1,2,3\n");
  EXPECT_EQ(error_of([&] { file.read(1, 3); }),
            "evenkeel: tools/files: Line 2 of '" + path +
                "' no longer exists. Run again when no program writes to it.");
  std::filesystem::resize_file(path, 3);
  EXPECT_ERROR(file.read(0, 3), "now ends at byte 3; it had 6 bytes when it was opened.");
}

TEST(Csv, TellsHowMuchItHasRead) {
  std::string text;
  for (int line = 0; line < 400'000; ++line) text += "1.25,2.5\n";  // more than three MiB
  std::vector<double> told;
  const CsvFile file(std::make_unique<MemorySource>("points.csv", text),
                     [&](std::uint64_t done, std::uint64_t of) {
                       told.push_back(static_cast<double>(done) / static_cast<double>(of));
                     });
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.back(), 0.1) << "the lines are found";
  const auto found = static_cast<std::ptrdiff_t>(told.size());
  file.read(0, file.rows());
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_EQ(told.back(), 1);
  told.erase(told.begin(), told.begin() + found);
  EXPECT_GE(told.size(), 3U);
  EXPECT_LT(told.front(), 0.5);
}

}  // namespace
}  // namespace evenkeel::tool::csv_test
