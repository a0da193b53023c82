#include "support/harness.hpp"

#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/stretch.hpp>
#include <evenkeel/core/weights/stretches.hpp>

namespace evenkeel::stretches_test {
namespace {

TEST(StretchBegin, DividesAllEvenly) {
  for (const std::int64_t stretches : {1, 2, 3, 128})
    for (const std::int64_t objects : {0, 1, 2, 5, 127, 128, 129, 1000}) {
      EXPECT_EQ(stretch_begin(0, stretches, objects), 0);
      EXPECT_EQ(stretch_begin(stretches, stretches, objects), objects);
      for (std::int64_t s = 0; s < stretches; ++s) {
        const std::int64_t length =
            stretch_begin(s + 1, stretches, objects) - stretch_begin(s, stretches, objects);
        EXPECT_GE(length, objects / stretches);
        EXPECT_LE(length, objects / stretches + 1);
        for (const std::int64_t finer : {2, 4, 7}) {
          EXPECT_EQ(stretch_begin(finer * s, finer * stretches, objects),
                    stretch_begin(s, stretches, objects));
        }
      }
    }
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(stretch_begin(128, 128, most), most);
}

// Each object is in one stretch, and must get its share of this stretch.
TEST(AddStretches, ToEachObject) {
  const Space space = test::space();
  for (const std::int64_t count : {1, 3, 64, 128})
    for (const std::int64_t objects : {0, 1, 2, 50, 128, 1000, 1001})
      for (const std::int64_t present : {std::int64_t{0}, objects / 2, objects, objects + 10}) {
        std::vector<double> stretches(static_cast<std::size_t>(count));
        std::iota(stretches.begin(), stretches.end(), 1.0);
        std::vector<double> expected(static_cast<std::size_t>(present), 0.5);
        for (std::int64_t s = 0; s < count; ++s) {
          const std::int64_t begin = stretch_begin(s, count, objects);
          const std::int64_t end = stretch_begin(s + 1, count, objects);
          for (std::int64_t i = begin; i < std::min(end, present); ++i)
            expected[static_cast<std::size_t>(i)] +=
                stretches[static_cast<std::size_t>(s)] / static_cast<double>(end - begin);
        }
        const double sum = static_cast<double>(count * (count + 1)) / 2;
        for (std::int64_t i = objects; i < present && objects > 0; ++i)
          expected[static_cast<std::size_t>(i)] += sum / static_cast<double>(objects);
        const exec::Array<double> costs = exec::filled(space, "costs", present, 0.5);
        add_stretches(stretches, objects, costs);
        const std::vector<double> found = costs.on_host();
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t i = 0; i < found.size(); ++i)
          ASSERT_DOUBLE_EQ(found[i], expected[i]) << count << ' ' << objects << ' ' << i;
      }
}

}  // namespace
}  // namespace evenkeel::stretches_test
