#include "fit/counts.hpp"
#include "support/harness.hpp"
#include "support/scratch.hpp"

#include <nlohmann/json.hpp>

namespace evenkeel::tool::counts_test {
namespace {

class FitCounts : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& content) const {
    return directory_.with_file(name, content);
  }
  CountTable seed() const {
    return read_counts(file("A.csv", "flow,sound\n10,7\n13,4\n12,2\n5,8\n"),
                       file("t.csv", "1.2\n0.9\n0.8\n1.1\n"));
  }

 private:
  test::ScratchDirectory directory_;
};

TEST_F(FitCounts, TheExampleOfTheLeastNorm) {
  const WorkEstimate fit = fit_counts(seed(), FitMethod::minimum_norm);
  EXPECT_NEAR(fit.costs[0], 0.0420, 5e-5);
  EXPECT_NEAR(fit.costs[1], 0.1097, 5e-5);
  const auto json = nlohmann::json::parse(report_of(seed(), fit, FitMethod::minimum_norm, true));
  EXPECT_EQ(json["method"], "minimum_norm");
  EXPECT_EQ(json["measurements"], 4);
  EXPECT_NEAR(json["ratios"][1].get<double>(), 2.61, 5e-3);
  EXPECT_NEAR(json["lambda"].get<double>(), 1.2, 1e-12);
  EXPECT_FALSE(json.contains("fixed"));
}

TEST_F(FitCounts, OursIsPositiveAndSaysHowSureItIs) {
  const WorkEstimate fit = fit_counts(seed(), FitMethod::robust);
  const auto json = nlohmann::json::parse(report_of(seed(), fit, FitMethod::robust, true));
  for (const char* numbers : {"costs", "errors"})
    for (const auto& number : json[numbers]) EXPECT_GT(number.get<double>(), 0);
  EXPECT_GE(json["fixed"].get<double>(), 0);
  EXPECT_EQ(json["types"], 2);
  const std::string text = report_of(seed(), fit, FitMethod::robust, false);
  EXPECT_TRUE(text.starts_with("method   robust, 4 measurements, noise")) << text;
}

// The counts are the same in several looks, and each rank has a fixed cost.
TEST_F(FitCounts, SeveralLooks) {
  std::string counts, seconds;
  for (int rank = 0; rank < 12; ++rank) {
    const int a = 100 + 37 * rank % 90, b = 50 + 53 * rank % 70;
    counts += std::to_string(a) + ',' + std::to_string(b) + '\n';
    for (int look = 0; look < 3; ++look)
      seconds += std::to_string(20 + 2 * a + 7 * b) + (look < 2 ? "," : "\n");
  }
  const CountTable table = read_counts(file("A.csv", counts), file("t.csv", seconds));
  EXPECT_EQ(table.seconds.size(), 36U);
  const WorkEstimate fit = fit_counts(table, FitMethod::robust);
  EXPECT_NEAR(fit.costs[0], 2, 0.1);
  EXPECT_NEAR(fit.costs[1], 7, 0.1);
  EXPECT_EQ(fit.frozen, 0);
}

TEST_F(FitCounts, TellsHowFarItIs) {
  std::vector<std::string> read;
  std::vector<double> shares;
  const CountTable table = read_counts(
      file("A.csv", "10,7\n13,4\n"), file("t.csv", "1.2\n0.9\n"), [&](const std::string& name) {
        return [&read, name](std::uint64_t bytes, std::uint64_t of_bytes) {
          if (bytes == of_bytes) read.push_back(name);
        };
      });
  ASSERT_EQ(read.size(), 2U);
  EXPECT_TRUE(read[0].ends_with("A.csv") && read[1].ends_with("t.csv"));
  fit_counts(table, FitMethod::robust, [&](double done) { shares.push_back(done); });
  ASSERT_FALSE(shares.empty());
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_GT(shares.front(), 0);
  EXPECT_EQ(shares.back(), 1);
}

TEST_F(FitCounts, SaysWhatTheDataCannotTell) {
  const CountTable table =
      read_counts(file("A.csv", "5,5\n5,5\n5,5\n"), file("t.csv", "1\n1.01\n0.99\n"));
  const WorkEstimate fit = fit_counts(table, FitMethod::robust);
  EXPECT_GT(fit.frozen, 0);
  EXPECT_MENTIONS(report_of(table, fit, FitMethod::robust, false), "cannot determine");
}

TEST_F(FitCounts, RefusesWhatMakesNoSense) {
  const std::string counts = file("A.csv", "1,2\n3,4\n"), seconds = file("t.csv", "1\n2\n");
  EXPECT_ERROR(read_counts(counts, file("s.csv", "1\n")), "has 1 rows");
  EXPECT_ERROR(read_counts(counts, file("s.csv", "1\n-2\n")), "row 1, column 0 is -2");
  EXPECT_ERROR(read_counts(file("B.csv", "1,-2\n3,4\n"), seconds), "row 0, column 1 is -2");
  EXPECT_ERROR(read_counts(file("B.csv", "1,nan\n3,4\n"), seconds), "B.csv");
  EXPECT_ERROR(fit_counts(read_counts(counts, file("s.csv", "0\n0\n")), FitMethod::robust),
               "All seconds are 0");
  EXPECT_ERROR(fit_method_from("least"), "There is no method");
  EXPECT_EQ(fit_method_from("robust"), FitMethod::robust);
  EXPECT_EQ(fit_method_from("minimum_norm"), FitMethod::minimum_norm);
  std::string wide = "1";
  for (std::size_t t = 1; t < WorkModel::most_columns; ++t) wide += ",1";
  EXPECT_ERROR(read_counts(file("B.csv", wide + '\n'), file("s.csv", "1\n")), "types at most");
}

}  // namespace
}  // namespace evenkeel::tool::counts_test
