#include "replay/options.hpp"

#include "support/harness.hpp"

namespace evenkeel::tool::options_test {
namespace {

using test::error_of;

using Given = std::optional<std::string> ReplayArguments::*;

ReplayArguments plain() {
  ReplayArguments asked;
  asked.chain = "chain.npy";
  asked.ranks = "4";
  asked.cost = "2.5";
  return asked;
}

ChainReplayOptions with(Given option, const std::string& text) {
  ReplayArguments asked = plain();
  asked.*option = text;
  return checked(asked);
}

std::string refusal_with(Given option, const std::string& text) {
  return error_of([&] { with(option, text); });
}

std::string refusal(const std::string& text) { return "evenkeel: tools/replay: " + text; }

void expect_refused(Given option, const std::string& text, const std::string& said) {
  EXPECT_EQ(refusal_with(option, text), refusal(said));
}

const std::vector<std::string> no_whole_numbers = {"",       "-1",
                                                   "2.5",    "two",
                                                   " 2",     "2 ",
                                                   "+2",     "0x2",
                                                   "1e3",    "9007199254740993",
                                                   "--json", "99999999999999999999"};

// Expects the option to refuse texts that are no whole numbers. `more` has whole numbers out of
// range.
void expect_whole(Given option, const std::string& name, const std::string& range,
                  std::vector<std::string> more = {}) {
  more.insert(more.end(), no_whole_numbers.begin(), no_whole_numbers.end());
  for (const std::string& text : more)
    expect_refused(option, text,
                   name + " is '" + text + "'. Give a whole number from " + range + ".");
}

TEST(ReplayOptions, Defaults) {
  const ChainReplayOptions options = checked(plain());
  EXPECT_EQ(options.chain, "chain.npy");
  EXPECT_EQ(options.ranks, 4);
  EXPECT_EQ(options.cost, 2.5);
  EXPECT_EQ(options.trigger, Trigger(CostAware{}));
  EXPECT_FALSE(options.horizon) << "as long as the chain";
  EXPECT_EQ(options.start, ReplayStart::optimal);
  EXPECT_EQ(options.epoch_steps, 1);
  EXPECT_EQ(options.latency, 0);
  EXPECT_FALSE(options.json);
}

TEST(ReplayOptions, AllOfThem) {
  ReplayArguments asked = plain();
  asked.trigger = "procassini 1.5";
  asked.horizon = "1000";
  asked.start = "uniform";
  asked.epoch = "10";
  asked.latency = "3";
  asked.json = true;
  const ChainReplayOptions options = checked(asked);
  EXPECT_EQ(options.trigger, Trigger(Procassini{.rho = 1.5}));
  EXPECT_EQ(options.horizon, 1000);
  EXPECT_EQ(options.start, ReplayStart::uniform);
  EXPECT_EQ(options.epoch_steps, 10);
  EXPECT_EQ(options.latency, 3);
  EXPECT_TRUE(options.json);
}

TEST(ReplayOptions, WhatAChainNeeds) {
  const std::string text = refusal(
      "A replay of a chain needs --chain, --ranks and --cost. Give all three, or a journal alone "
      "by --journal.");
  for (const Given needed :
       {&ReplayArguments::chain, &ReplayArguments::ranks, &ReplayArguments::cost}) {
    ReplayArguments asked = plain();
    (asked.*needed).reset();
    EXPECT_EQ(error_of([&] { checked(asked); }), text);
  }
  EXPECT_EQ(error_of([] { checked({}); }), text);
}

TEST(ReplayOptions, AJournalHoldsAllElse) {
  ReplayArguments asked;
  asked.journal = "journal.jsonl";
  asked.json = true;
  EXPECT_EQ(checked_journal(asked).journal, "journal.jsonl");
  EXPECT_FALSE(checked_journal(asked).trigger) << "what is on record is decided again";
  EXPECT_TRUE(checked_journal(asked).json);
  EXPECT_FALSE(checked_journal(asked).write_chain);
  asked.write_chain = "chain.csv";
  EXPECT_EQ(checked_journal(asked).write_chain, "chain.csv");
  asked.write_chain = "chain";
  EXPECT_ERROR(checked_journal(asked), "The name 'chain' does not say which format");
  asked.write_chain.reset();
  for (const Given other :
       {&ReplayArguments::chain, &ReplayArguments::ranks, &ReplayArguments::cost,
        &ReplayArguments::horizon, &ReplayArguments::start, &ReplayArguments::epoch,
        &ReplayArguments::latency}) {
    ReplayArguments more = asked;
    more.*other = std::string("1");
    EXPECT_EQ(
        error_of([&] { checked_journal(more); }),
        refusal("--journal goes only with --trigger, --write-chain and --json. A journal holds "
                "the rest; leave the other options out, or replay a chain."));
  }
}

TEST(ReplayOptions, ATriggerForAJournal) {
  ReplayArguments asked;
  asked.journal = "journal.jsonl";
  asked.trigger = "every 0:100:5";
  EXPECT_EQ(checked_journal(asked).trigger, Trigger(Every{.start = 0, .stop = 100, .period = 5}));
  for (const char* text : {"custom", "sometimes", "every 0", "threshold lambda 0.5"}) {
    asked.trigger = text;
    EXPECT_MENTIONS(error_of([&] { checked_journal(asked); }), "--trigger");
  }
}

TEST(ReplayOptions, Ranks) {
  EXPECT_EQ(with(&ReplayArguments::ranks, "1").ranks, 1);
  EXPECT_EQ(with(&ReplayArguments::ranks, "16777216").ranks, ChainReplayOptions::most_ranks);
  expect_whole(&ReplayArguments::ranks, "--ranks", "1 to 16777216",
               {"0", "16777217", "4294967297"});
}

TEST(ReplayOptions, Costs) {
  for (const auto& [text, cost] : std::vector<std::pair<std::string, double>>{
           {"0", 0}, {"-0", 0}, {"1", 1}, {".5", 0.5}, {"2e3", 2000}, {"1e-300", 1e-300}})
    EXPECT_EQ(with(&ReplayArguments::cost, text).cost, cost);
  for (const std::string text :
       {"", "-1", "-1e-300", "nan", "inf", "-inf", "1e999", "five", "1,5", " 1", "1 ", "1x"})
    expect_refused(&ReplayArguments::cost, text,
                   "--cost is '" + text +
                       "'. Give the cost of a rebalance, a number of at least 0; its unit is the "
                       "mean load of a rank in the first step.");
}

TEST(ReplayOptions, Triggers) {
  const auto trigger = [](const std::string& text) {
    return with(&ReplayArguments::trigger, text).trigger;
  };
  EXPECT_EQ(trigger("cost_aware"), Trigger(CostAware{}));
  EXPECT_EQ(trigger("never"), Trigger(Never{}));
  EXPECT_EQ(trigger("always"), Trigger(Every{}));
  EXPECT_EQ(trigger("every 10"), Trigger(Every{.period = 10}));
  EXPECT_EQ(trigger("every 5:50:10"), Trigger(Every{.start = 5, .stop = 50, .period = 10}));
  EXPECT_EQ(trigger("threshold lambda 1.1"), Trigger(Threshold{.lambda = 1.1}));
  EXPECT_EQ(trigger("threshold imbalance_percent 10"), Trigger(Threshold{.imbalance_percent = 10}));
  EXPECT_EQ(trigger("menon"), Trigger(Menon{}));
  EXPECT_EQ(trigger("zhai"), Trigger(Zhai{}));
  EXPECT_EQ(trigger("procassini"), Trigger(Procassini{}));
  EXPECT_EQ(trigger("procassini 2"), Trigger(Procassini{.rho = 2}));
  EXPECT_EQ(trigger("boulmier"), Trigger(Boulmier{}));
}

// An error must name the option that is wrong, and the valid values.
TEST(ReplayOptions, TriggersThatAreNone) {
  for (const std::string bad :
       {"", "Menon", "cost-aware", "every", "every 0", "every -1", "every 9:3:1", "every 1:2",
        "threshold", "threshold 1.1", "threshold lambda 1", "threshold lambda nan",
        "threshold imbalance_percent 101", "procassini 0", "procassini two", "menon 2", "custom"}) {
    const std::string text = refusal_with(&ReplayArguments::trigger, bad);
    EXPECT_MENTIONS(text, "--trigger");
    EXPECT_MENTIONS(text, "'" + bad + "'");
    EXPECT_MENTIONS(text, " Give ");
    EXPECT_FALSE(text.ends_with("custom.")) << "which is refused here: " << text;
  }
}

TEST(ReplayOptions, Horizons) {
  EXPECT_EQ(with(&ReplayArguments::horizon, "0").horizon, 0);
  EXPECT_EQ(with(&ReplayArguments::horizon, "9007199254740992").horizon, std::int64_t{1} << 53);
  expect_whole(&ReplayArguments::horizon, "--horizon", "0 to 9007199254740992");
}

TEST(ReplayOptions, Starts) {
  EXPECT_EQ(with(&ReplayArguments::start, "optimal").start, ReplayStart::optimal);
  EXPECT_EQ(with(&ReplayArguments::start, "uniform").start, ReplayStart::uniform);
  for (const std::string text : {"", "Optimal", "even", "optimal ", "1"})
    expect_refused(&ReplayArguments::start, text,
                   "--start is '" + text +
                       "'. Give optimal (the best cut of the first step) or uniform (the same "
                       "number of bins for each rank).");
}

TEST(ReplayOptions, Epochs) {
  EXPECT_EQ(with(&ReplayArguments::epoch, "1").epoch_steps, 1);
  EXPECT_EQ(with(&ReplayArguments::epoch, "1000000").epoch_steps,
            ChainReplayOptions::most_steps_of_epoch);
  EXPECT_EQ(with(&ReplayArguments::epoch, "adaptive").epoch_steps, 0);
  EXPECT_EQ(with(&ReplayArguments::epoch, "0").epoch_steps, 0);
  std::vector<std::string> bad = no_whole_numbers;
  bad.insert(bad.end(), {"1000001", "Adaptive"});
  for (const std::string& text : bad) {
    const std::string said = refusal_with(&ReplayArguments::epoch, text);
    EXPECT_MENTIONS(said, refusal("--epoch is '" + text + "'. Give a whole number"));
    EXPECT_MENTIONS(said, " to 1000000");
  }
  EXPECT_MENTIONS(refusal_with(&ReplayArguments::epoch, "adapt"), " or adaptive.");
}

TEST(ReplayOptions, Latencies) {
  EXPECT_EQ(with(&ReplayArguments::latency, "0").latency, 0);
  EXPECT_EQ(with(&ReplayArguments::latency, "9007199254740992").latency, std::int64_t{1} << 53);
  expect_whole(&ReplayArguments::latency, "--latency", "0 to 9007199254740992");
}

}  // namespace
}  // namespace evenkeel::tool::options_test
