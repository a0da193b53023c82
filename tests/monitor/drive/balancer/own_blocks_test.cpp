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
    return {.trigger = Every{.start = 12, .stop = 12},  // after the first look
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
  // On rank 0, the lines of looks and rebalances in the journal; on other ranks nothing.
  std::vector<json> lines() const {
    std::vector<json> read;
    if (rank != 0) return read;
    std::ifstream file(scratch.path_of("journal"));
    for (std::string text; std::getline(file, text);) {
      json line = json::parse(text);
      if (line.contains("totals")) read.push_back(std::move(line));
    }
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
  for (int step = 1; step <= 40; ++step) {
    work(kernel);
    const MoveReport report = balancer.step(as_set());
    EXPECT_EQ(report.bytes, report.objects * block_bytes);
    objects += report.objects;
  }
  balancer.finish();
  EXPECT_EQ(objects > 0, size > 1);
  std::int64_t moved = 0, foreseen = 0, learned = 0;
  for (const json& line : lines()) {
    moved += line.at("bytes_moved").get<std::int64_t>();
    if (line.at("totals").is_null()) continue;
    learned += line.at("totals").at("bytes").get<std::int64_t>();
    const auto would_move = line.at("totals").at("would_be").at("moved").get<std::int64_t>();
    if (foreseen <= 0) foreseen = would_move;
  }
  if (rank != 0 || size == 1) return;
  EXPECT_EQ(moved, objects * block_bytes);
  EXPECT_EQ(learned, objects * block_bytes);
  EXPECT_NEAR(static_cast<double>(foreseen), static_cast<double>(moved),
              0.5 * static_cast<double>(moved));
}

// Ranks take unequal times to move their blocks, and note them. Each then rebuilds its lists, which
// the next step shows. Neither counts twice.
TEST_F(OwnBlocks, AreMovedInATimeThatIsNoted) {
  constexpr std::int64_t per_block = 1'000'000, lists = 5'000'000;
  begin(60 * size);
  Balancer balancer(communicator, options());
  balancer.adopt(GridDomains::uniform({3, {size, 1, 1}}, unit, GridScheme::tensor));
  const Kernel kernel = balancer.kernel("blocks");
  std::int64_t moving = 0, moves = 0;
  for (int step = 1; step <= 40; ++step) {
    work(kernel);
    const MoveReport report = balancer.step(as_set());
    if (!report) continue;
    const std::int64_t took = per_block * (report.sent + report.received);
    virtual_time += took;
    balancer.note_cost(static_cast<double>(took / 2) * 1e-9);
    balancer.note_cost(static_cast<double>(took - took / 2) * 1e-9);
    virtual_time += lists;
    moving += communicator.all_reduce(took, Reduction::greatest);
    ++moves;
  }
  balancer.finish();
  EXPECT_EQ(moves > 0, size > 1);
  const Account account = balancer.account();
  EXPECT_EQ(account.own_cost, 0);
  EXPECT_NEAR(account.rebuild_cost, static_cast<double>(moving + moves * lists) * 1e-9, 1e-12);
  std::int64_t noted = 0, rebuilt = 0;
  for (const json& line : lines()) {
    if (line.at("totals").is_null()) continue;
    noted += line.at("totals").at("noted").get<std::int64_t>();
    rebuilt += line.at("totals").at("rebuild").get<std::int64_t>();
  }
  if (rank != 0) return;
  EXPECT_EQ(noted, moving);
  EXPECT_EQ(rebuilt, moves * lists);
}

TEST_F(OwnBlocks, NoteNoCostThatDoesNotExist) {
  begin(6);
  Balancer balancer(communicator, options());
  const std::string without =
      "monitor: note_cost was called without a rebalance since the last step. Call it after a "
      "rebalance, or after accept(), and before the next step.";
  EXPECT_ERROR(balancer.note_cost(1), without);
  balancer.rebalance(as_set());
  EXPECT_ERROR(balancer.note_cost(-1),
               "monitor: note_cost got -1.000000 seconds. Give the seconds");
  EXPECT_ERROR(balancer.note_cost(std::nan("")), "note_cost got nan seconds.");
  EXPECT_ERROR(balancer.note_cost(INFINITY), "note_cost got inf seconds.");
  EXPECT_NO_THROW(balancer.note_cost(0));
  balancer.step(as_set());
  EXPECT_ERROR(balancer.note_cost(1), without);
  balancer.finish();
  EXPECT_ERROR(balancer.note_cost(1), "monitor: note_cost was called after finish.");
}

// evenkeel does not know how long the program takes to move its blocks after the first
// distribution, unless the program notes it. If it is unknown, this distribution does not limit the
// cost of a byte in later ones.
TEST_F(OwnBlocks, LimitTheCostOfAByteIfItIsKnown) {
  struct Given {
    std::int64_t bytes;
    double noted;
  };
  for (const auto& [bytes, noted] : {Given{0, 0}, {block_bytes, 0}, {block_bytes, 2}}) {
    begin(60);
    std::ranges::fill(centre, std::array<double, 3>{0.5, 0.5, 0.5});  // one rank gets all
    Balancer balancer(communicator, options());
    balancer.before_move([] { virtual_time += 1'000'000'000; });
    const MoveReport first = balancer.rebalance(as_set(bytes));
    if (noted > 0) balancer.note_cost(noted);
    const Kernel kernel = balancer.kernel("blocks");
    for (int step = 1; step <= 20; ++step) {
      work(kernel);
      balancer.step(as_set(bytes));
    }
    balancer.finish();
    EXPECT_EQ(balancer.account().spent(), 0);
    std::int64_t first_bytes = 0, first_cost = 0;
    for (const json& line : lines()) {
      if (line.at("totals").is_null()) continue;
      first_bytes += line.at("totals").at("first_bytes").get<std::int64_t>();
      first_cost += line.at("totals").at("first_cost").get<std::int64_t>();
    }
    if (rank != 0 || size == 1) continue;
    const bool is_known = bytes == 0 || noted > 0;
    EXPECT_EQ(first_bytes, is_known ? first.bytes : 0);
    EXPECT_EQ(first_cost, is_known ? 1'000'000'000 + std::llround(noted * 1e9) : 0);
  }
}

}  // namespace
}  // namespace evenkeel::own_blocks_test
