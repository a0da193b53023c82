#include "fit/patches.hpp"
#include "support/harness.hpp"
#include "support/scratch.hpp"

#include <nlohmann/json.hpp>

namespace evenkeel::tool::patches_test {
namespace {

class Patches : public testing::Test {
 protected:
  PatchTable table(const std::string& content) const {
    return read_patch_timings(directory_.with_file("timings.csv", content));
  }
  std::string error(const std::string& content) const {
    return test::error_of([&] { table(content); });
  }
  test::ScratchDirectory directory_;
};

TEST_F(Patches, RowsOfTwoAndThreeDimensions) {
  for (const std::string header : {"", "mx,my,seconds\n"}) {
    const PatchTable flat = table(header + "3,4,0.5\n1,32,2e-3\n");
    EXPECT_EQ(flat.dimensions, 2);
    ASSERT_EQ(flat.timings.size(), 2U);
    EXPECT_EQ(flat.timings[1].size, (PatchSize{1, 32, 1}));
    EXPECT_EQ(flat.timings[1].seconds, 2e-3);
  }
  const PatchTable deep = table("mx,my,mz,seconds\n3,4,5,0.5\n");
  EXPECT_EQ(deep.dimensions, 3);
  EXPECT_EQ(deep.timings.at(0).size, (PatchSize{3, 4, 5}));
}

TEST_F(Patches, RowsThatAreRefused) {
  const std::string whole = "Give whole numbers of cells, 1 or more.";
  EXPECT_MENTIONS(error("3,4\n"), "has 2 columns. Give mx, my and seconds");
  EXPECT_MENTIONS(error("3,4,5,6,7\n"), "has 5 columns.");
  EXPECT_MENTIONS(error("3,4,1\n0,4,1\n"), "row 1, column 0 is 0. " + whole);
  EXPECT_MENTIONS(error("3,4.5,1\n"), "row 0, column 1 is 4.5. " + whole);
  EXPECT_MENTIONS(error("3,1e300,1\n"), "row 0, column 1 is 1e+300. " + whole);
  const std::string positive = "Give seconds that are positive and finite.";
  EXPECT_MENTIONS(error("3,4,-1\n"), "row 0, column 2 is -1. " + positive);
  EXPECT_MENTIONS(error("3,4,0\n"), "row 0, column 2 is 0. " + positive);
  EXPECT_MENTIONS(error("3,4,nan\n"), "tools/files");
  EXPECT_MENTIONS(error("mx,my,seconds\n"), "timings.csv'");
}

PatchFit sample() {
  PatchFit fit;
  fit.model = {2, 1.5e-6, {4, 0, 0}, 7.25};
  fit.numbers = {{"a", 1.5e-6, 2e-8, PatchDoubt::none},
                 {"B", 4, 0.123456, PatchDoubt::none},
                 {"C", 0, std::numeric_limits<double>::infinity(), PatchDoubt::alike},
                 {"D", 7.25, 6, PatchDoubt::noise}};
  fit.timings = 50;
  fit.outliers = 2;
  fit.noise = 0.0512345;
  fit.fixed_seconds = 1.25e-5;
  fit.fixed_uncertainty = 3.21e-7;
  return fit;
}

TEST(PatchReport, Text) {
  EXPECT_EQ(
      report_of(sample(), false),
      "model    a ((mx + B) (my + C) + D) seconds\n"
      "timings  50, noise 5.12 %, 2 outliers\n"
      "number   value        +-           verdict\n"
      "a        1.5e-06      2e-08        told\n"
      "B        4            0.12         told\n"
      "C        -            -            the data cannot determine it: the sizes are too similar\n"
      "D        7.25         6            the data cannot determine it: the timings are too noisy\n"
      "fixed    1.25e-05     3.2e-07      a (B C + D) seconds\n");
}

TEST(PatchReport, Json) {
  const nlohmann::json said = nlohmann::json::parse(report_of(sample(), true));
  EXPECT_EQ(said["dimensions"], 2);
  EXPECT_EQ(said["timings"], 50);
  EXPECT_EQ(said["outliers"], 2);
  EXPECT_EQ(said["noise"], 0.0512345);
  EXPECT_EQ(said["told"], false);
  EXPECT_EQ(said["numbers"][0]["value"], 1.5e-6);
  EXPECT_EQ(said["numbers"][0]["verdict"], "told");
  EXPECT_EQ(said["numbers"][1]["uncertainty"], 0.123456);
  EXPECT_TRUE(said["numbers"][2]["value"].is_null());
  EXPECT_TRUE(said["numbers"][2]["uncertainty"].is_null());
  EXPECT_EQ(said["numbers"][2]["told"], false);
  EXPECT_EQ(said["numbers"][3]["value"], 7.25);
  EXPECT_EQ(said["fixed"].dump(), R"({"seconds":1.25e-05,"uncertainty":3.21e-07})");
  EXPECT_EQ(said["model"].dump(), R"({"B":4.0,"C":0.0,"D":7.25,"a":1.5e-06})");
}

}  // namespace
}  // namespace evenkeel::tool::patches_test
