#include "agree/meeting.hpp"

#include "support/harness.hpp"

#include <chrono>

namespace evenkeel::meeting_test {
namespace {

MeetingMessage from(int rank, Meeting meeting, std::int64_t step) {
  MeetingMessage message;
  message.callers[static_cast<std::size_t>(meeting)] = {rank, step};
  return message;
}

Totals load_of(int rank) { return totals_of({.step = 7, .steps = 4, .load = 100 + rank}, 50); }

MeetingMessage combined(const std::vector<MeetingMessage>& messages) {
  MeetingMessage all = messages.front();
  for (std::size_t i = 1; i < messages.size(); ++i) MeetingMessage::combine(all, messages[i]);
  return all;
}

std::string error_of(const MeetingMessage& message) {
  return test::error_of([&] { message.require_together(); });
}

// --- Contents ------------------------------------------------------------------------------------

// The combined message of two ranks.
template <class Content>
MeetingMessage of_two(Meeting meeting, const Content& first, const Content& second) {
  MeetingMessage all = from(0, meeting, 7), other = from(1, meeting, 7);
  all.put(first);
  other.put(second);
  return combined({all, other});
}

TEST(Meeting, ContentsAreCombinedByWhatTheyAre) {
  Comparison one, two;
  one.least = one.greatest = {3, 1, 4, 1, 5};
  two.least = two.greatest = {2, 7, 1, 8, 2};
  MeetingMessage look = of_two(Meeting::look, load_of(0), load_of(1));
  MeetingMessage finish = of_two(Meeting::finish, load_of(0), load_of(1));
  MeetingMessage comparison = of_two(Meeting::comparison, one, two);
  MeetingMessage picture =
      of_two(Meeting::picture, picture_of(40, 0, 2, 0), picture_of(50, 1, 2, 0));
  EXPECT_EQ(look.get<Totals>().load.sum, 201);
  EXPECT_EQ(finish.get<Totals>().load.greatest, 101);
  EXPECT_EQ(comparison.get<Comparison>().least,
            (std::array<std::uint64_t, Comparison::items>{2, 1, 1, 1, 2}));
  EXPECT_EQ(comparison.get<Comparison>().greatest,
            (std::array<std::uint64_t, Comparison::items>{3, 7, 4, 8, 5}));
  EXPECT_EQ(picture.get<LoadPicture>().values[0], 40);
  EXPECT_EQ(picture.get<LoadPicture>().values[1], 50);
  for (const MeetingMessage& message : {look, finish, comparison, picture})
    EXPECT_EQ(error_of(message), "nothing was thrown");
}

// MPI chooses the order in which a reduction combines messages.
TEST(Meeting, TheOrderDoesNotMatter) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    const int kinds = 1 + round % 4, ranks = 2 + round % 7;
    std::vector<MeetingMessage> messages;
    for (int rank = 0; rank < ranks; ++rank) {
      const auto meeting = static_cast<Meeting>(random() % static_cast<unsigned>(kinds));
      MeetingMessage& message =
          messages.emplace_back(from(rank, meeting, static_cast<std::int64_t>(random() % 5)));
      if (meeting == Meeting::look) message.put(load_of(rank));
    }
    const MeetingMessage expected = combined(messages);
    for (int shuffle = 0; shuffle < 5; ++shuffle) {
      std::shuffle(messages.begin(), messages.end(), random);
      std::vector<MeetingMessage> pairs = messages;  // combine in pairs, as a tree does
      while (pairs.size() > 1) {
        MeetingMessage last = pairs.back();
        pairs.pop_back();
        MeetingMessage::combine(pairs[random() % pairs.size()], last);
      }
      EXPECT_EQ(pairs[0].is_apart(), expected.is_apart());
      EXPECT_EQ(error_of(pairs[0]), error_of(expected));
      EXPECT_TRUE(
          expected.is_apart() ||
          std::memcmp(pairs[0].content.data(), expected.content.data(), MeetingMessage::room) == 0);
    }
  }
}

// --- Ranks that run apart ------------------------------------------------------------------------

TEST(Meeting, WhoCameForWhatIsTold) {
  EXPECT_EQ(
      error_of(combined({from(4, Meeting::look, 107), from(1, Meeting::finish, 100),
                         from(2, Meeting::look, 108), from(3, Meeting::farewell, 12)})),
      "evenkeel: monitor/epoch: The ranks have diverged: rank 1 was in finish after step "
      "100, rank 2 was at a look after step 108, rank 3 was at the end without finish after "
      "step 12. Nothing was moved. Call step, rebalance, migrate and finish equally often on all "
      "ranks. Balancing is off from here on.");
}

TEST(Meeting, EachHasAName) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < MeetingMessage::meetings; ++i)
    names.push_back(name_of(static_cast<Meeting>(i)));
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::unique(names.begin(), names.end()) - names.begin(), 8) << "looks have pictures";
  EXPECT_EQ(std::count(names.begin(), names.end(), "somewhere"), 0);
}

// --- Patience ------------------------------------------------------------------------------------

struct Slow {
  std::chrono::steady_clock::time_point end;
  bool test() const { return std::chrono::steady_clock::now() >= end; }
};

int times_told(double patience, std::chrono::milliseconds wait) {
  int told = 0;
  const MeetingPatience waiting(patience, [&](const std::string& who, double seconds) {
    ++told;
    EXPECT_EQ(who, "some rank");
    EXPECT_EQ(seconds, patience);
  });
  Slow pending{std::chrono::steady_clock::now() + wait};
  waiting.wait_for(pending, [] { return std::string("some rank"); });
  EXPECT_TRUE(pending.test());
  return told;
}

TEST(Patience, TellsOnceAndGoesOn) {
  EXPECT_EQ(times_told(0.001, std::chrono::milliseconds(20)), 1);
  EXPECT_EQ(times_told(60, std::chrono::milliseconds(5)), 0);
  EXPECT_EQ(times_told(0, std::chrono::milliseconds(5)), 0) << "off";
  EXPECT_EQ(times_told(1e-9, std::chrono::milliseconds(0)), 0) << "nothing to wait for";
}

}  // namespace
}  // namespace evenkeel::meeting_test
