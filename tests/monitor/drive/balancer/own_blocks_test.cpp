// Programs that move their own blocks: evenkeel moves one small entry for each block.

#include "monitor/drive/virtual_clock.hpp"
#include "support/scratch.hpp"

#include <evenkeel/core/field/standard.hpp>
#include <evenkeel/monitor/balancer.hpp>

#include <nlohmann/json.hpp>

#include <fstream>

namespace evenkeel::own_blocks_test {
namespace {

using nlohmann::json;
using namespace test;

constexpr std::int64_t block_bytes = 263'000;
constexpr Box unit = {{0, 0, 0}, {1, 1, 1}};

class OwnBlocks : public test::OnRanks {
 protected:
  test::ScratchDirectory scratch;
  std::vector<std::array<double, 3>> centre;
  std::vector<std::int64_t> number;

  // In a row, in equal parts.
  void begin(std::int64_t blocks) {
    virtual_time = 0;
    centre.clear();
    number.clear();
    for (std::int64_t b = blocks * rank / size; b < blocks * (rank + 1) / size; ++b) {
      centre.push_back({(static_cast<double>(b) + 0.5) / static_cast<double>(blocks), 0.5, 0.5});
      number.push_back(b);
    }
  }
  Set as_set(std::int64_t bytes_per_object = block_bytes) {
    return set(centre, carry(number), {.key = number, .bytes_per_object = bytes_per_object});
  }
  Options options() const {
    return {.trigger = Threshold{.lambda = 1.1},
            .box = unit,
            .own_clock = &virtual_now,
            .watcher = false,
            .log = LogLevel::off,
            .journal = scratch.path_of("journal")};
  }
  // Blocks of the lower half cost three times as much.
  void work(const Kernel& kernel) const {
    for (const std::array<double, 3>& at : centre)
      spend(kernel, at[0] < 0.5 ? 3'000'000 : 1'000'000);
  }
  // Collective. The lines of the journal on rank 0.
  std::vector<json> lines() const {
    std::vector<json> read;
    if (rank != 0) return read;
    std::ifstream file(scratch.path_of("journal"));
    for (std::string text; std::getline(file, text);) read.push_back(json::parse(text));
    return read;
  }
};

// The report of the move, the journal and the survey count the blocks.
TEST_F(OwnBlocks, AreCountedInsteadOfTheirEntries) {
  begin(60 * size);
  Balancer balancer(communicator, options());
  balancer.adopt(GridDomains::uniform({3, {size, 1, 1}}, unit, GridScheme::tensor));
  const Kernel kernel = balancer.kernel("blocks");
  std::int64_t objects = 0;
  for (int step = 1; step <= 20; ++step) {
    work(kernel);
    const MoveReport report = balancer.step(as_set());
    EXPECT_EQ(report.bytes, report.objects * block_bytes);
    objects += report.objects;
  }
  balancer.finish();
  EXPECT_EQ(objects > 0, size > 1);
  std::int64_t moved = 0, foreseen = 0, learned = 0;
  for (const json& line : lines()) {
    moved += line.value("bytes_moved", std::int64_t{0});
    if (!line.contains("totals")) continue;
    learned += line.at("totals").at("bytes").get<std::int64_t>();
    const auto would_move = line.at("totals").at("would_be").at("moved").get<std::int64_t>();
    if (foreseen <= 0) foreseen = would_move;
  }
  if (rank != 0) return;
  EXPECT_EQ(moved, objects * block_bytes);
  EXPECT_EQ(learned, objects * block_bytes);
  EXPECT_NEAR(static_cast<double>(foreseen), static_cast<double>(moved),
              0.2 * static_cast<double>(moved));
}

// evenkeel does not know how long the program takes to move its blocks after the first
// distribution. So the bytes of this distribution do not limit the cost of later ones.
TEST_F(OwnBlocks, SayNothingAboutTheCostOfAByteAtFirst) {
  for (const std::int64_t bytes : {std::int64_t{0}, block_bytes}) {
    begin(60);
    std::ranges::fill(centre, std::array<double, 3>{0.5, 0.5, 0.5});  // all leave but one rank's
    Balancer balancer(communicator, options());
    balancer.before_move([] { virtual_time += 1000; });
    balancer.rebalance(as_set(bytes));
    const Kernel kernel = balancer.kernel("blocks");
    for (int step = 1; step <= 12; ++step) {
      work(kernel);
      balancer.step(as_set(bytes));
    }
    balancer.finish();
    std::int64_t first = 0;
    for (const json& line : lines())
      if (line.contains("totals")) first += line.at("totals").at("first_bytes").get<std::int64_t>();
    if (rank != 0) continue;
    EXPECT_EQ(first > 0, bytes == 0 && size > 1);
  }
}

}  // namespace
}  // namespace evenkeel::own_blocks_test
