#include "journal/line.hpp"
#include "monitor/over_ranks.hpp"
#include "support/harness.hpp"
#include "support/sampled.hpp"
#include "support/scratch.hpp"

#include <evenkeel/monitor/options.hpp>
#include <evenkeel/monitor/options_text.hpp>

#include <nlohmann/json.hpp>

#include <cerrno>
#include <exception>

#include <sys/stat.h>

namespace evenkeel::journal_test {
namespace {

using nlohmann::json;
using tool::state_from;
using tool::totals_from;

constexpr std::int64_t int64_least = std::numeric_limits<std::int64_t>::lowest();
constexpr std::int64_t int64_most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t second = 1'000'000'000;

json parsed(const JournalLine& line) { return json::parse(to_json(line)); }

void expect_null(const json& line, const std::vector<const char*>& keys) {
  for (const char* key : keys) EXPECT_TRUE(line.at(key).is_null()) << key;
}

const std::vector<CostTable::Row> cost_rows = {
    {.set = 1, .number = 3, .amount = 40, .seconds = 0.5, .error = 0.25},
    {.is_feature = true, .number = 2, .amount = 7, .seconds = 0.125}};
const DomainSections sections = {{0, -1}, {2, 1.5}, {{0, 1, 0.5, 3, 2, {0, 0, 1, 1, 7, 7}}}};

// --- One look at four ranks ----------------------------------------------------------------------

// Two steps of 10 s each. One rank worked for 8 s per step, and three ranks for 4 s.
JournalLine small_line() {
  JournalLine line;
  line.step = 8;
  line.before = {.trigger = Threshold{.lambda = 1.25},
                 .floor_percent = 2,
                 .least_coverage = 0.125,
                 .cooldown_steps = 6,
                 .looks = 3,
                 .step = 0,
                 .generation = 1,
                 .rebalances = 1,
                 .rebalanced_at = 2,
                 .mean_load = 10 * second};
  Totals totals;
  totals.step_least = totals.step_greatest = 8;
  totals.generation_least = totals.generation_greatest = 1;
  totals.names_least = totals.names_greatest = 0xFEDCBA9876543210U;
  totals.ranks = 4;
  totals.steps = 2;
  totals.load = totals.kernels[0] = {40 * second, 8 * second, 16 * second};
  totals.duration = {80 * second, 20 * second, 20 * second};
  totals.objects = {10, 1, 4};
  totals.cost = 5;
  totals.rebuild = 4;
  totals.noted = 7;
  totals.extra = 3;
  totals.rebalances = 2;
  totals.first_cost = 8;
  totals.first_bytes = 9;
  totals.survey = 6;
  totals.unit = second;
  totals.spread = 48;
  totals.variance = 7;
  totals.kernels[Totals::other] = RankTally::of(0);
  totals.all_steps = 3;
  totals.all_load = 60 * second;
  totals.slots = {8 * second, 9 * second, 10 * second};
  totals.other_slots = {1, 2, 3};
  totals.would_be = {.first = 20 * second, .fresh = 11 * second, .guessed = 5, .moved = 96};
  totals.would_be.earlier = {12, 13};
  totals.would_be.age = {8, 16};
  line.totals = totals;
  line.decision = {Action::rebalance, Reason::above_threshold};
  line.decision.predicted_gain = 1.5 * second;
  line.taken_at = 13;
  line.kind = RebalanceKind::fresh;
  line.reason = "too much";
  line.kernels = {"force"};
  line.picture.emplace();
  std::fill_n(line.picture->values.begin(), 4, 8 * second);
  line.picture->values[2] = 16 * second;
  line.outcome = {.objects_moved = 3,
                  .bytes_moved = 96,
                  .seconds = 0.75,
                  .lambda = 1.125,
                  .stages = {{"order", 0.5}, {"cut", 0.25}}};
  return line;
}

TEST(JournalLine, ByHand) {
  std::string text = to_json(small_line());
  // The state is written as in its own text.
  const std::size_t begin = text.find(R"("state":{)"), end = text.find('}', begin);
  EXPECT_EQ(hash_of(state_from(parsed(small_line()).at("state"))), hash_of(small_line().before));
  text.erase(begin, end + 2 - begin);
  EXPECT_EQ(text,
            R"({"step":8,"generation":1,)"
            R"("totals":{"step_least":8,"step_greatest":8,)"
            R"("generation_least":1,"generation_greatest":1,)"
            R"("names_least":"fedcba9876543210","names_greatest":"fedcba9876543210",)"
            R"("ranks":4,"unfit":0,"steps":2,"load":[40000000000,8000000000,16000000000],)"
            R"("duration":[80000000000,20000000000,20000000000],"objects":[10,1,4],)"
            R"("cost":5,"rebuild":4,"noted":7,"extra":3,"bytes":0,"rebalances":2,"first_cost":8,)"
            R"("first_bytes":9,"command":0,"survey":6,)"
            R"("unit":1000000000,"spread":48,"variance":7,)"
            R"("kernels":[[40000000000,8000000000,16000000000]],"other":[0,0,0],"phases":[],)"
            R"("all_steps":3,"all_load":60000000000,)"
            R"("slots":[8000000000,9000000000,10000000000,0,0,0,0,0,0,0,0,0,0,0,0,0],)"
            R"("other_slots":[1,2,3,0,0,0,0,0,0,0,0,0,0,0,0,0],)"
            R"("would_be":{"first":20000000000,"previous":-1,"first_again":-1,"previous_again":-1,)"
            R"("fresh":11000000000,"as_weighed":-1,"advised":-1,"guessed":5,"moved":96,)"
            R"("earlier":[12,13,0,0,0,0,0,0,0,0,0,0],)"
            R"("age":[8,16,0,0,0,0,0,0,0,0,0,0]}},)"
            R"("decision":"rebalance","cause":"above_threshold","reason":"too much",)"
            R"("predicted_gain":1.5,"taken_at":13,"kind":"fresh","changed":true,)"
            R"("trigger":"threshold lambda 1.25","kernels":{"force":{"min":4,"avg":5,"max":8}},)"
            R"("coverage":0.5,"lambda":1.6,"imbalance_percent":50,"wasted_seconds":3,)"
            R"("cost":0.75,"realised_gain":null,"lambda_foreseen":1.125,)"
            R"("phases_foreseen":null,)"
            R"("objects_moved":3,"bytes_moved":96,"seconds":{"order":0.5,"cut":0.25},)"
            R"("costs":null,"per_rank":[4,4,8,4]})");
}

TEST(JournalLine, OfPhasesAndCosts) {
  JournalLine line = small_line();
  line.outcome->phase_lambdas = {1.25, 2};
  line.outcome->shortfall_percent = 12.5;
  line.costs = {.rows = cost_rows, .fixed_seconds = 2, .condition = 16, .frozen = 1};
  const std::string text = to_json(line);
  EXPECT_MENTIONS(text, R"("phases_foreseen":{"lambdas":[1.25,2],"shortfall_percent":12.5})");
  EXPECT_MENTIONS(text,
                  R"("costs":{"rows":[{"set":1,"type":3,"amount":40,"seconds":0.5,"error":0.25},)"
                  R"({"set":0,"feature":2,"amount":7,"seconds":0.125,"error":0}],)"
                  R"("fixed_seconds":2,"noise":0,"condition":16,"frozen":1})");
}

TEST(JournalLine, OfASlowRank) {
  JournalLine line = small_line();
  EXPECT_FALSE(parsed(line).contains("slow_rank"));
  line.slow = {
      .rank = 2, .percent = 14.5, .error = 1.5, .waiting = 12, .since = 4096, .speed = 0.875};
  EXPECT_MENTIONS(to_json(line), R"(,"slow_rank":{"rank":2,"percent":14.5,"error":1.5,)"
                                 R"("waiting":12,"since":4096,"speed":0.875}})");
}

// Owners are written row by row, in runs that continue from one row to the next.
TEST(JournalLine, OfDomains) {
  JournalLine line = small_line();
  EXPECT_FALSE(parsed(line).contains("domains"));
  line.outcome->domains = sections;
  EXPECT_MENTIONS(to_json(line),
                  R"(,"domains":{"low":[0,-1],"high":[2,1.5],"planes":[{"axes":[0,1],"at":0.5,)"
                  R"("cells":[3,2],"owners":[0,2,1,2,7,2]}]}})");
}

TEST(JournalLine, OfTheEnd) {
  DecisionState state = small_line().before;
  state.ledger.slowest = 3e9;
  const Account account = {.steps = 8,
                           .measured_steps = 7,
                           .mean = 2,
                           .actual = 3,
                           .never = 4,
                           .knows_never = true,
                           .uncertainty = 0.5,
                           .own_cost = 0.25,
                           .rebuild_cost = 0.125,
                           .advised = 0};
  std::string text = to_json(JournalFinish{9, state, account, "Two\nlines \"of\" words."});
  const std::size_t begin = text.find(R"("state":{)"), end = text.find('}', begin);
  EXPECT_EQ(hash_of(state_from(json::parse(text).at("state"))), hash_of(state));
  text.erase(begin, end + 2 - begin);
  EXPECT_EQ(text, R"({"finished":true,"step":9,"account":{"steps":8,"measured_steps":7,"mean":2,)"
                  R"("actual":3,"never":4,"knows_never":true,"uncertainty":0.5,"own_cost":0.25,)"
                  R"("rebuild_cost":0.125,"advised":0},"summary":"Two\nlines \"of\" words."})");
}

TEST(JournalLine, WithoutALook) {
  JournalLine line = small_line();
  line.totals.reset();
  line.picture.reset();
  const json read = parsed(line);
  expect_null(read, {"totals", "kernels", "coverage", "lambda", "imbalance_percent",
                     "wasted_seconds", "per_rank"});
  EXPECT_EQ(read.at("decision"), "rebalance");
  EXPECT_EQ(read.at("objects_moved"), 3);
  EXPECT_EQ(read.at("state").at("looks"), 3);
}

TEST(JournalLine, WithoutAnOutcome) {
  JournalLine line = small_line();
  line.outcome.reset();
  const json read = parsed(line);
  expect_null(read, {"cost", "kind", "changed", "lambda_foreseen"});
  EXPECT_EQ(read.at("objects_moved"), 0);
  EXPECT_EQ(read.at("bytes_moved"), 0);
  EXPECT_EQ(read.at("seconds"), json::object());
}

TEST(JournalLine, SaysHowARebalanceCameAbout) {
  JournalLine line = small_line();
  for (const RebalanceKind kind : {RebalanceKind::application, RebalanceKind::fresh,
                                   RebalanceKind::earlier, RebalanceKind::shift}) {
    line.kind = kind;
    EXPECT_EQ(parsed(line).at("kind"), name_of(kind));
  }
  line.taken_at = -1;
  line.outcome->lambda = 0;
  expect_null(parsed(line), {"taken_at", "lambda_foreseen"});
}

// The rebalance has cost half a second. Since then, ranks have worked 6 s instead of 9 s. Before
// the first look after it, the gain is unknown.
TEST(JournalLine, SaysWhatTheLastRebalanceHasGained) {
  JournalLine line = small_line();
  Ledger& ledger = line.before.ledger;
  ledger.last.open = 1;
  ledger.last.price = 0.5 * second;
  EXPECT_TRUE(parsed(line).at("realised_gain").is_null());
  ledger.last.looks_since = 1;
  ledger.last.replaced.add(6.0 * second, 0.5);
  ledger.last.since = 6.0 * second;
  EXPECT_EQ(parsed(line).at("realised_gain"), 2.5);
  ledger.settle();
  EXPECT_TRUE(parsed(line).at("realised_gain").is_null()) << "it is over";
}

TEST(JournalLine, HasTheSameKeysWhateverHappened) {
  JournalLine nothing;
  const json all = parsed(small_line()), none = parsed(nothing);
  ASSERT_EQ(all.size(), none.size());
  for (const auto& item : all.items()) EXPECT_TRUE(none.contains(item.key())) << item.key();
}

// --- Kernels -------------------------------------------------------------------------------------

JournalLine line_with_kernels(int count) {
  JournalLine line = small_line();
  line.kernels.clear();
  for (int i = 0; i < count; ++i) {
    line.kernels.push_back("kernel " + std::to_string(i));
    const int slot = std::min<int>(i, Totals::other);
    line.totals->kernels[static_cast<std::size_t>(slot)] = {40 * second, 8 * second, 16 * second};
  }
  return line;
}

TEST(JournalLine, NoKernels) {
  const json read = parsed(line_with_kernels(0));
  EXPECT_EQ(read.at("kernels"), json::object());
  EXPECT_EQ(read.at("totals").at("kernels"), json::array());
}

TEST(JournalLine, KernelsBeyondTheNamedOnesAreOther) {
  const json named = parsed(line_with_kernels(Totals::named_kernels));
  EXPECT_EQ(named.at("kernels").size(), 32U);
  EXPECT_FALSE(named.at("kernels").contains("other"));

  const json more = parsed(line_with_kernels(Totals::named_kernels + 3));
  EXPECT_EQ(more.at("kernels").size(), 33U);
  EXPECT_EQ(more.at("totals").at("kernels").size(), 32U);
  EXPECT_EQ(more.at("kernels").at("other"), (json{{"min", 4}, {"avg", 5}, {"max", 8}}));
  EXPECT_EQ(more.at("totals").at("other"), (json{40 * second, 8 * second, 16 * second}));
}

TEST(JournalLine, AKernelMayBeCalledOther) {
  JournalLine line = line_with_kernels(Totals::named_kernels + 1);
  line.kernels[0] = "other";
  line.totals->kernels[0] = RankTally::of(2 * second);
  const json read = parsed(line).at("kernels");
  EXPECT_EQ(read.size(), 33U);
  EXPECT_EQ(read.at("other").at("max"), 1);
  EXPECT_EQ(read.at("other (2)").at("max"), 8);
}

TEST(JournalLine, KernelsOfDifferentNamesAreUnknown) {
  JournalLine line = small_line();
  line.totals->names_greatest += 1;
  const json read = parsed(line);
  expect_null(read, {"kernels"});
  expect_null(read.at("totals"), {"kernels", "other"});
  EXPECT_EQ(read.at("lambda"), 1.6);
}

// --- Text ----------------------------------------------------------------------------------------

std::string as_reason(const std::string& text) {
  JournalLine line;
  line.reason = text;
  const std::string written = to_json(line);
  EXPECT_TRUE(
      std::ranges::none_of(written, [](char c) { return static_cast<unsigned char>(c) < 0x20; }));
  return json::parse(written).at("reason").get<std::string>();
}

TEST(JournalText, IsEscaped) {
  JournalLine line;
  line.reason = std::string("a\"b\\c/\b\f\n\r\t\x01\x1F\x7F") + '\0' + "d";
  const std::string expected = R"("reason":"a\"b\\c/\u0008\u000c\n\r\t\u0001\u001f)"
                               "\x7F"
                               R"(\u0000d",)";
  EXPECT_MENTIONS(to_json(line), expected);
  EXPECT_EQ(as_reason(line.reason), line.reason);
}

TEST(JournalText, KeepsUtf8) {
  for (const std::string text :
       {"", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80", "\xEF\xBF\xBF",
        "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF", "\xC3\xA4 \xE2\x88\x91 \xF0\x9F\x9A\xA2 z"})
    EXPECT_EQ(as_reason(text), text);
}

TEST(JournalText, ReplacesWhatIsNoUtf8) {
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(as_reason("a\x80z"), "a" + bad + "z");                             // a byte too many
  EXPECT_EQ(as_reason("\xFF\xFE"), bad + bad);                                 // never in UTF-8
  EXPECT_EQ(as_reason("\xC0\xAF"), bad + bad);                                 // overlong
  EXPECT_EQ(as_reason("\xE0\x9F\xBF"), bad + bad + bad);                       // overlong
  EXPECT_EQ(as_reason("\xF0\x8F\xBF\xBF"), bad + bad + bad + bad);             // overlong
  EXPECT_EQ(as_reason("\xED\xA0\x80"), bad + bad + bad);                       // a surrogate
  EXPECT_EQ(as_reason("\xF4\x90\x80\x80"), bad + bad + bad + bad);             // above U+10FFFF
  EXPECT_EQ(as_reason("\xF5\x80\x80\x80"), bad + bad + bad + bad);             // above U+10FFFF
  EXPECT_EQ(as_reason("\xC3"), bad);                                           // cut off
  EXPECT_EQ(as_reason("\xE2\x88"), bad + bad);                                 // cut off
  EXPECT_EQ(as_reason("\xE2\x88\""), bad + bad + "\"");                        // cut off by a quote
  EXPECT_EQ(as_reason("\xF0\x9F\x9A\xC3\xA4"), bad + bad + bad + "\xC3\xA4");  // by another
}

// Bytes at the limits of ranges come often, so that most kinds of sequences occur.
TEST(JournalText, AnyBytesGiveAValidLine) {
  std::mt19937 random(1);
  const std::string limits =
      "\"\\\x01\x7F\x80\x8F\x90\x9F\xA0\xBF\xC1\xC2\xDF\xE0\xE1\xED\xEF\xF0\xF1\xF4\xF5\xFF";
  for (int round = 0; round < test::sampled(3000); ++round) {
    std::string text(random() % 12, ' ');
    for (char& c : text)
      c = random() % 4 == 0 ? static_cast<char>(random() % 256) : limits[random() % limits.size()];
    const std::string read = as_reason(text);
    EXPECT_EQ(as_reason(read), read);  // mended text does not change
  }
}

TEST(JournalText, HostileNamesOfKernels) {
  JournalLine line = line_with_kernels(5);
  // Both of the last two become the same text.
  line.kernels = {"", "\"},\"step\":0,{\"", "line\nfeed", "\xFF", "\xFE"};
  const json read = parsed(line);
  EXPECT_EQ(read.at("step"), 8);
  const json& kernels = read.at("kernels");
  EXPECT_EQ(kernels.size(), 5U);
  for (const std::string name : {"", "\"},\"step\":0,{\"", "line\nfeed", "\xEF\xBF\xBD"})
    EXPECT_TRUE(kernels.contains(name)) << name;
  EXPECT_TRUE(kernels.contains("\xEF\xBF\xBD (2)"));

  JournalHeader header;
  header.kernels = line.kernels;
  EXPECT_EQ(json::parse(to_json(header)).at("kernels").at(1), line.kernels[1]);
}

// --- Numbers -------------------------------------------------------------------------------------

TEST(JournalNumbers, WhatIsNoNumberIsNull) {
  JournalLine line = small_line();
  line.outcome->seconds = std::nan("");
  line.outcome->stages = {{"plus", HUGE_VAL}, {"minus", -HUGE_VAL}};
  line.totals->steps = 0;
  const json read = parsed(line);
  expect_null(read, {"cost"});
  expect_null(read.at("seconds"), {"plus", "minus"});
  EXPECT_EQ(read.at("per_rank"), json::array({nullptr, nullptr, nullptr, nullptr}));
  EXPECT_TRUE(read.at("kernels").at("force").at("avg").is_null());
  EXPECT_EQ(totals_from(read.at("totals")).steps, 0);
}

TEST(JournalNumbers, DoublesKeepTheirBits) {
  using Limits = std::numeric_limits<double>;
  std::vector<double> values({0.0, -0.0, 0.1 + 0.2, 1e22, 1e23, 123456789012345678e3, 1e-9, 0x1p60,
                              0x1p64, Limits::max(), Limits::lowest(), Limits::min(),
                              -Limits::min(), Limits::denorm_min(), std::nextafter(1.0, 2.0)});
  std::mt19937_64 random(2);
  for (int i = 0; i < 1000; ++i)
    values.push_back(std::ldexp(static_cast<double>(random() | 1U), static_cast<int>(i) - 500));
  for (const double value : values) {
    JournalLine line;
    line.before.floor_percent = value;
    const double read = state_from(parsed(line).at("state")).floor_percent;
    EXPECT_EQ(read, value);
    EXPECT_EQ(std::signbit(read), std::signbit(value));
  }
}

TEST(JournalNumbers, ExtremeIntegers) {
  for (const std::int64_t value : {int64_least, int64_most, (std::int64_t{1} << 53) + 1}) {
    JournalLine line = small_line();
    line.step = value;
    line.before.mean_load = line.before.rebalanced_at = value;
    line.totals->names_least = line.totals->names_greatest =
        std::numeric_limits<std::uint64_t>::max();
    line.totals->load = {value, int64_most, int64_least};
    line.totals->spread = value;
    line.totals->slots.fill(value);
    line.totals->would_be.first = line.totals->would_be.age[11] = value;
    line.totals->kernels[0] = RankTally{};
    line.outcome->bytes_moved = value;
    const json read = parsed(line);
    EXPECT_EQ(read.at("step").get<std::int64_t>(), value);
    EXPECT_EQ(read.at("bytes_moved").get<std::int64_t>(), value);
    EXPECT_EQ(state_from(read.at("state")).mean_load, value);
    const Totals totals = totals_from(read.at("totals"));
    EXPECT_EQ(totals.names_least, std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(totals.load.sum, value);
    EXPECT_EQ(totals.load.least, int64_most);
    EXPECT_EQ(totals.load.greatest, int64_least);
    EXPECT_EQ(totals.spread, value);
    EXPECT_EQ(totals.slots[15], value);
    EXPECT_EQ(totals.would_be.first, value);
    EXPECT_EQ(totals.would_be.age[11], value);
    EXPECT_EQ(totals.kernels[0].greatest, int64_least);
  }
}

// --- Single ranks --------------------------------------------------------------------------------

json picture_of_ranks(std::int64_t ranks) {
  JournalLine line = small_line();
  line.totals->ranks = ranks;
  for (std::size_t i = 0; i < line.picture->values.size(); ++i)
    line.picture->values[i] = static_cast<std::int64_t>(i) * 2 * second;
  return parsed(line);
}

TEST(JournalPicture, ShowsSingleRanksUpToItsSlots) {
  EXPECT_EQ(picture_of_ranks(0).at("per_rank"), json::array());
  EXPECT_EQ(picture_of_ranks(1).at("per_rank"), json::array({0}));
  for (const std::size_t ranks : {2U, 255U, 256U}) {
    const json read = picture_of_ranks(static_cast<std::int64_t>(ranks));
    EXPECT_FALSE(read.contains("histogram"));
    ASSERT_EQ(read.at("per_rank").size(), ranks);
    EXPECT_EQ(read.at("per_rank").back(), ranks - 1);  // seconds per step
  }
}

TEST(JournalPicture, ShowsAHistogramAbove) {
  const json read = picture_of_ranks(257);
  EXPECT_FALSE(read.contains("per_rank"));
  ASSERT_EQ(read.at("histogram").size(), 256U);
  EXPECT_EQ(read.at("histogram").back(), 255 * 2 * second);  // a count, unchanged
}

// --- Deciding again ------------------------------------------------------------------------------

Totals totals_of_loads(const std::vector<std::int64_t>& loads, const DecisionState& before) {
  return test::over_ranks(loads.size(), [&](std::size_t rank) {
    const std::int64_t load = loads[rank];
    Sample sample = {.step = before.step + 8, .steps = 8, .generation = before.generation};
    sample.load = load;
    sample.duration = 2 * std::ranges::max(loads) + 1;
    sample.kernels = {load / 3, load - load / 3};
    sample.names = 0xFFFFFFFFFFFFFFF0U;
    test::tell_all_steps(sample, test::StepLoads(11, load / 8));
    return totals_of(sample, before.mean_load);
  });
}

// Writes the decision of fold() as a line. Expects to get the same decision from this line alone.
Verdict expect_replay(const DecisionState& before, const Totals& totals) {
  const Verdict verdict = fold(before, totals);
  JournalLine line;
  line.step = totals.step_greatest;
  line.before = before;
  line.totals = totals;
  line.decision = verdict.decision;
  line.reason = explain(before, totals, verdict.decision);
  if (totals.names_agree()) line.kernels = {"a", "b"};
  const std::string written = to_json(line);
  const json read = json::parse(written);

  const DecisionState state = state_from(read.at("state"));
  const Totals again = totals_from(read.at("totals"));
  const Verdict replayed = fold(state, again);
  EXPECT_EQ(name_of(replayed.decision.action), read.at("decision").get<std::string>());
  EXPECT_EQ(name_of(replayed.decision.reason), read.at("cause").get<std::string>());
  EXPECT_EQ(explain(state, again, replayed.decision), read.at("reason").get<std::string>());
  EXPECT_EQ(replayed.decision, verdict.decision);
  EXPECT_EQ(hash_of(state), hash_of(before));
  EXPECT_EQ(hash_of(replayed.state), hash_of(verdict.state));

  line.before = state;
  line.totals = again;
  EXPECT_EQ(to_json(line), written);
  return verdict;
}

TEST(JournalReplay, EveryReasonOfTheLoad) {
  const DecisionState before = {.trigger = Threshold{.lambda = 1.1},
                                .floor_percent = 0.1 + 0.2,
                                .least_coverage = 0.01,
                                .cooldown_steps = 8,
                                .looks = 5,
                                .step = 40,
                                .generation = 2,
                                .rebalances = 2,
                                .rebalanced_at = 12,
                                .mean_load = 1000};
  const std::vector<std::int64_t> even = {1000, 1000, 1000}, uneven = {2000, 1000, 1000};
  const auto reason_of = [&](const DecisionState& state, const Totals& totals) {
    return expect_replay(state, totals).decision.reason;
  };
  EXPECT_EQ(reason_of(before, totals_of_loads(uneven, before)), Reason::above_threshold);
  EXPECT_EQ(reason_of(before, totals_of_loads({1020, 1000, 1000}, before)),
            Reason::below_threshold);
  EXPECT_EQ(reason_of(before, totals_of_loads(even, before)), Reason::below_floor);
  EXPECT_EQ(reason_of(before, totals_of_loads({0, 0}, before)), Reason::no_load);

  Totals unfit = totals_of_loads(uneven, before), outdated = unfit, uncovered = unfit;
  unfit.unfit = 1;
  outdated.generation_least = outdated.generation_greatest = before.generation - 1;
  uncovered.duration.sum *= 1000;
  EXPECT_EQ(reason_of(before, unfit), Reason::unfit);
  EXPECT_EQ(reason_of(before, outdated), Reason::outdated);
  EXPECT_EQ(reason_of(before, uncovered), Reason::low_coverage);

  DecisionState cooling = before, asleep = before;
  cooling.rebalanced_at = 44;
  asleep.trigger = Never{};
  EXPECT_EQ(reason_of(cooling, totals_of_loads(uneven, cooling)), Reason::cooling_down);
  EXPECT_EQ(reason_of(asleep, totals_of_loads(uneven, asleep)), Reason::not_asked);
  asleep.trigger = Every{.start = 3, .stop = 500, .period = 7};
  EXPECT_EQ(reason_of(asleep, totals_of_loads(uneven, asleep)), Reason::not_asked);

  Totals unlike = totals_of_loads(uneven, before);
  unlike.names_least = 0;
  expect_replay(before, unlike);
}

// Draws from one second to two.
std::int64_t any_load(std::mt19937_64& random) {
  return second + static_cast<std::int64_t>(random() % static_cast<unsigned>(second));
}

std::vector<std::int64_t> any_loads(std::mt19937_64& random, std::size_t ranks) {
  std::vector<std::int64_t> loads(ranks);
  std::ranges::generate(loads, [&] { return any_load(random); });
  return loads;
}

// Replays a run of 300 looks. `look` makes the totals of each look.
template <class Look>
std::set<Reason> reasons_in_a_replayed_run(DecisionState state, Look look) {
  std::set<Reason> reasons;
  for (int i = 0; i < 300; ++i) {
    const auto [next, decision] = expect_replay(state, look(state));
    reasons.insert(decision.reason);
    state = next;
    if (decision.action == Action::rebalance)
      state = rebalanced(
          state, state.step, state.generation + 1,
          decision.reason == Reason::goes_back ? RebalanceKind::earlier : RebalanceKind::fresh);
  }
  EXPECT_GE(reasons.size(), 3U);
  return reasons;
}

TEST(JournalReplay, ARunOfRandomLoads) {
  std::mt19937_64 random(3);
  const DecisionState first = {.trigger = Threshold{.imbalance_percent = 100.0 / 3},
                               .floor_percent = 1e-3,
                               .cooldown_steps = 16};
  const std::set<Reason> reasons =
      reasons_in_a_replayed_run(first, [&](const DecisionState& state) {
        const std::size_t ranks = 1 + random() % 40;
        return totals_of_loads(any_loads(random, ranks), state);
      });
  EXPECT_TRUE(reasons.contains(Reason::above_threshold));
}

// Looks have all data by which cost_aware decides.
TEST(JournalReplay, ARunThatKnowsWhatWouldHaveBeen) {
  std::mt19937_64 random(4);
  const DecisionState first = {.trigger = CostAware{}, .expected_cost = 2, .kept_from = 0};
  const std::set<Reason> reasons =
      reasons_in_a_replayed_run(first, [&](const DecisionState& state) {
        Totals totals = totals_of_loads(any_loads(random, 4), state);
        const auto any = [&] { return any_load(random); };
        totals.would_be = {any(), any(), any(), any(), any(), any()};
        const std::size_t cuts = random() % (Counterfactual::earlier_cuts + 1);
        for (std::size_t i = 0; i < cuts; ++i) {
          totals.would_be.earlier[i] = any();
          totals.would_be.age[i] = static_cast<std::int64_t>(1 + random() % 1000);
        }
        if (random() % 3 == 0) totals.would_be = {};
        for (std::int64_t& slot : totals.other_slots) slot = any() / 8;
        totals.survey = static_cast<std::int64_t>(random() % 1'000'000);
        if (state.rebalanced_at == state.step) {
          totals.cost = any();
          totals.rebuild = any() / 8;
          totals.noted = any() / 8;
          totals.extra = any() / 8;
          totals.bytes = any();
          totals.rebalances = static_cast<std::int64_t>(random() % 3);
        }
        return totals;
      });
  EXPECT_TRUE(reasons.contains(Reason::goes_back));
}

// --- Read again ----------------------------------------------------------------------------------

// The file has all members that a reader needs. If a line is read and written again, it must be the
// same, except for the order of stages.
void expect_again(const std::string& written) {
  for (const tool::Care care : {tool::Care::exact, tool::Care::tolerant})
    std::visit(
        [&](const auto& read) {
          if constexpr (requires { to_json(read); }) {
            EXPECT_EQ(json::parse(to_json(read)), json::parse(written));
          }
        },
        tool::line_from(written, care));
}

TEST(JournalRead, EveryLineIsWrittenAsItWas) {
  JournalLine line = small_line();
  expect_again(to_json(line));
  line.outcome->phase_lambdas = {1.25, 2};
  line.outcome->domains = sections;
  line.costs.rows = cost_rows;
  line.slow = {
      .rank = 2, .percent = 14.5, .error = 1.5, .waiting = 12, .since = 4096, .speed = 0.875};
  expect_again(to_json(line));
  line.totals->kernels[Totals::other] = RankTally::of(second);
  expect_again(to_json(line));
  line.totals->ranks = 300;
  expect_again(to_json(line));
  line.totals->memory = {{3, 10, 20}, {2, 5, 40, 7}, 9};
  EXPECT_EQ(parsed(line).at("totals").at("memory").at("soonest").dump(),
            R"({"bytes":5,"limit":40,"rank":2,"steps_left":7})");
  expect_again(to_json(line));
  line.decided_at = 5;
  EXPECT_EQ(parsed(line).at("decided_at"), 5);
  expect_again(to_json(line));
  line.taken_at = -1;
  line.decided_at.reset();
  line.outcome.reset();
  line.totals.reset();
  expect_again(to_json(line));
  expect_again(to_json(JournalFinish{9, small_line().before, {.steps = 8, .mean = 2}, "Words."}));
}

TEST(JournalRead, WhatIsMissingIsRefusedOrLeftOut) {
  json line = parsed(small_line());
  line.at("state").erase("floor_percent");
  EXPECT_THROW(tool::line_from(line.dump(), tool::Care::exact), std::exception);
  const auto read = std::get<JournalLine>(tool::line_from(line.dump(), tool::Care::tolerant));
  EXPECT_EQ(read.before.floor_percent, 0);
  EXPECT_EQ(read.before.least_coverage, 0.125);
  line = parsed(small_line());
  line.at("state")["of_another_version"] = 1;
  EXPECT_THROW(tool::line_from(line.dump(), tool::Care::exact), std::exception);
  EXPECT_NO_THROW(tool::line_from(line.dump(), tool::Care::tolerant));
  for (const char* needed : {"step", "decision"}) {
    line = parsed(small_line());
    line.erase(needed);
    EXPECT_THROW(tool::line_from(line.dump(), tool::Care::tolerant), std::exception) << needed;
  }
}

// --- The header ----------------------------------------------------------------------------------

TEST(JournalHeader, SaysWhatTheRunStartedFrom) {
  Options options;
  options.box = Box{{0, -1, 0.1}, {1, 1, 1e30}};
  options.target_lambda = 1 + 1e-15;
  options.journal = "runs/a = b.jsonl";
  JournalHeader header;
  header.options = to_text(options);
  header.ranks = 12;
  header.kernels = {"force", "neighbours"};
  header.state.trigger = Every{.start = 0, .stop = 500, .period = 10};
  const json read = json::parse(to_json(header));

  EXPECT_EQ(read.size(), 6U);
  EXPECT_EQ(read.at("version"), EVENKEEL_VERSION);
  EXPECT_EQ(read.at("ranks"), 12);
  EXPECT_EQ(read.at("kernels"), (json{"force", "neighbours"}));
  EXPECT_EQ(read.at("restored"), false);
  EXPECT_EQ(read.at("state").at("trigger"), "every 0:500:10");
  EXPECT_EQ(hash_of(state_from(read.at("state"))), hash_of(header.state));

  std::string text;
  for (const auto& [key, value] : read.at("options").items())
    text += key + " = " + value.get<std::string>() + '\n';
  EXPECT_EQ(from_text(text, {}, "the journal"), options);
}

TEST(JournalHeader, ByDefault) {
  JournalHeader header;
  header.options = to_text(Options{});
  const json read = json::parse(to_json(header));
  EXPECT_EQ(read.at("kernels"), json::array());
  EXPECT_EQ(read.at("options").at("warmup_steps"), "3");
}

// --- The file ------------------------------------------------------------------------------------

using test::content_of;

class JournalFile : public testing::Test {
 protected:
  test::ScratchDirectory scratch;
  const std::string path = scratch.path_of("run.jsonl");
};

TEST_F(JournalFile, HasEachLineWhenItIsWritten) {
  const std::string large(100'000, 'x');
  std::ofstream(path) << "{\"version\":\"an older journal, longer than the new one\"";
  Journal journal(path);
  EXPECT_EQ(content_of(path), "");
  journal.write("{}");
  EXPECT_EQ(content_of(path), "{}\n");
  journal.write(large);
  EXPECT_EQ(content_of(path), "{}\n" + large + '\n');
  Journal moved = std::move(journal);
  moved.write("");
  EXPECT_EQ(content_of(path), "{}\n" + large + "\n\n");
  EXPECT_FALSE(moved.failed());
}

TEST_F(JournalFile, ThatCannotBeMadeIsAnError) {
  const std::string directory = scratch.path_of("."), nowhere = scratch.path_of("none/run.jsonl");
  EXPECT_ERROR(Journal{directory},
               "The journal '" + directory + "' cannot be written: Is a directory. Name a file");
  EXPECT_ERROR(Journal{nowhere}, "'" + nowhere + "' cannot be written: No such file or directory.");
  EXPECT_ERROR(Journal{""}, "The journal '' cannot be written");
  try {
    const Journal journal(nowhere);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_EQ(error.where(), "monitor/journal");
  }
}

TEST_F(JournalFile, OnAFullDiskEndsAndTheRunDoesNot) {
  for (const auto signal : {test::FullDisk::Signal::ignored, test::FullDisk::Signal::as_it_is})
    for (const std::size_t length : {9U, 10U, 100'000U}) {
      std::filesystem::remove(path);
      Journal journal(path);
      const test::FullDisk full(12, signal);
      journal.write("{}");
      EXPECT_FALSE(journal.failed());
      journal.write(std::string(length, 'x'));
      EXPECT_TRUE(journal.failed());
      EXPECT_EQ(journal.error_number(), EFBIG);
      journal.write("{}");
      EXPECT_TRUE(journal.failed());
      EXPECT_EQ(content_of(path), "{}\n") << "whole lines alone";
    }
}

// Opening these files would wait, or change them.
TEST_F(JournalFile, IsARegularFile) {
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  for (const auto begin : {Journal::OpenMode::over, Journal::OpenMode::anew})
    for (const std::string& odd : {path, std::string("/dev/full")})
      EXPECT_ERROR(Journal(odd, begin), "cannot be written: it is not a regular file.");
}

// A mistyped path must do no harm.
TEST_F(JournalFile, ReplacesNothingButAJournal) {
  for (const char* content :
       {"a work of years", "{\"versio", "{\"versions\":1}", "\n{\"version\":", "{"}) {
    std::ofstream(path) << content;
    if (std::string("{\"version\":").starts_with(content)) {
      EXPECT_NO_THROW(Journal{path}) << "a run may have been killed early";
      continue;
    }
    EXPECT_ERROR(Journal{path}, "cannot be written: it holds data that is not a journal. Name");
    EXPECT_EQ(content_of(path), content);
  }
}

TEST_F(JournalFile, ThatIsToBeNewReplacesNothing) {
  const std::string link = scratch.path_of("link"), nothing = scratch.path_of("nothing");
  std::ofstream(path) << "precious";
  EXPECT_ERROR(Journal(path, Journal::OpenMode::anew),
               "cannot be written: File exists. Name a file");
  std::filesystem::create_symlink(nothing, link);
  EXPECT_ERROR(Journal(link, Journal::OpenMode::anew), "cannot be written: File exists.");
  EXPECT_EQ(content_of(path), "precious");
  EXPECT_FALSE(std::filesystem::exists(nothing));
  EXPECT_NO_THROW(Journal(scratch.path_of("new"), Journal::OpenMode::anew));
}

// Two writers would overwrite each other's lines. The first writer must continue undisturbed.
TEST_F(JournalFile, HasOneWriterAtATime) {
  {
    Journal first(path);
    first.write("{\"version\":1}");
    EXPECT_ERROR(Journal another(path), "is writing to it");
    first.write("still");
    EXPECT_EQ(content_of(path), "{\"version\":1}\nstill\n");
  }
  EXPECT_NO_THROW(Journal third(path)) << "free again, and empty";
  EXPECT_EQ(std::filesystem::file_size(path), 0U);
}

}  // namespace
}  // namespace evenkeel::journal_test
