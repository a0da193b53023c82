#include "support/harness.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/comm/vote.hpp>

#include <new>

namespace evenkeel::vote_test {
namespace {

Status failure(const std::string& what) {
  return Status(Error(ErrorKind::bad_input, Where{"tests/vote"}, what, "Mend it."));
}

using Vote = test::OnRanks;
using VotedGather = test::OnRanks;

TEST_F(Vote, AllGoOn) { EXPECT_NO_THROW(vote(communicator, Status())); }

// Each rank in turn is the only one that fails. All ranks must throw the same text, and then
// continue.
TEST_F(Vote, OneFailureStopsAllWithTheSameError) {
  for (int bad = 0; bad < size; ++bad) {
    const bool mine = rank == bad;
    const std::string text = test::error_everywhere(
        [&] { vote(communicator, mine ? failure("A wheel came off.") : Status()); });
    EXPECT_EQ(text,
              "evenkeel: rank " + std::to_string(bad) + ": tests/vote: A wheel came off. Mend it.");
  }
  EXPECT_NO_THROW(vote(communicator, Status()));
}

TEST_F(Vote, TheErrorKeepsItsParts) {
  const int last = size - 1;
  try {
    vote(communicator, rank == last ? failure("A wheel came off.") : Status());
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_EQ(error.rank(), last);
    EXPECT_EQ(error.where(), "tests/vote");
    EXPECT_EQ(error.problem(), "A wheel came off.");
    EXPECT_EQ(error.remedy(), "Mend it.");
  }
}

TEST_F(Vote, OfSeveralFailuresTheLowestRankSpeaks) {
  if (size < 3) GTEST_SKIP() << "needs three ranks";
  const bool fails = rank != 0;
  const std::string text = test::error_of([&] {
    vote(communicator, fails ? failure("Rank " + std::to_string(test::rank())) : Status());
  });
  const std::string all = std::to_string(size);
  EXPECT_EQ(text, "evenkeel: rank 1 (the first of " + std::to_string(size - 1) +
                      " failed ranks of " + all + "): tests/vote: Rank 1 Mend it.");
}

TEST_F(Vote, LongTextIsCutTheSameEverywhere) {
  std::string umlauts;
  for (int i = 0; i < 4000; ++i) umlauts += "\xc3\xa4";
  const std::string text = test::error_everywhere([&] { vote(communicator, failure(umlauts)); });
  EXPECT_LT(text.size(), 1200U);
  EXPECT_MENTIONS(text, "Mend it.");
  // The text is never cut inside a character: both bytes of each character remain.
  EXPECT_EQ(std::ranges::count(text, '\xc3'), std::ranges::count(text, '\xa4'));
}

TEST_F(Vote, EveryPartMayBeTooLong) {
  const std::string endless(5000, 'x');
  const Status status(Error(ErrorKind::internal, Where{endless}, endless, endless));
  EXPECT_TRUE(
      test::same_everywhere(communicator, test::error_of([&] { vote(communicator, status); })));
}

// A collective stage that has voted throws on all ranks. A second vote around it must give the same
// error.
TEST_F(Vote, ASettledErrorKeepsItsRank) {
  const int last = size - 1;
  const Status inner = attempt(
      "outer", [&] { vote(communicator, rank == last ? failure("A wheel came off.") : Status()); });
  const std::string text = test::error_of([&] { vote(communicator, inner); });
  EXPECT_EQ(text, inner.error()->what());
  EXPECT_MENTIONS(text, "rank " + std::to_string(last) + ": tests/vote");
}

struct LargeTally {
  std::int64_t values[1000];
};
void combine_large(LargeTally& into, const LargeTally& from) noexcept {
  for (int i = 0; i < 1000; ++i) into.values[i] += from.values[i];
}

TEST_F(Vote, ATallyMayBeLarge) {
  LargeTally mine;
  for (int i = 0; i < 1000; ++i) mine.values[i] = i;
  const LargeTally all = vote<&combine_large>(communicator, Status(), mine);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(all.values[i], i * size);
}

struct Tally {
  std::int64_t objects;
  int fewest;
};
void combine(Tally& into, const Tally& from) noexcept {
  into.objects += from.objects;
  into.fewest = std::min(into.fewest, from.fewest);
}

TEST_F(Vote, CarriesATally) {
  const Tally all = vote<&combine>(communicator, Status(), Tally{rank + 1, 10 - rank});
  EXPECT_EQ(all.objects, size * (size + 1) / 2);
  EXPECT_EQ(all.fewest, 10 - (size - 1));
  EXPECT_ERROR(vote<&combine>(communicator, failure("No."), Tally{}), "rank 0");
}

TEST_F(VotedGather, BringsTheValuesOfAllRanks) {
  const std::vector<int> mine(static_cast<std::size_t>(rank), 10 + rank);  // rank 0 has no values
  const Gathered<int> all = all_gather(communicator, Status(), std::span<const int>(mine));
  const Gathered<int> at_last =
      gather(communicator, Status(), std::span<const int>(mine), size - 1);
  for (int r = 0; r < size; ++r) {
    const std::vector<int> theirs(static_cast<std::size_t>(r), 10 + r);
    EXPECT_TRUE(std::ranges::equal(all.of_rank(r), theirs));
    const bool is_here = rank == size - 1;
    EXPECT_TRUE(!is_here || std::ranges::equal(at_last.of_rank(r), theirs));
  }
  EXPECT_EQ(at_last.values.empty(), rank != size - 1 || size == 1);
}

TEST_F(VotedGather, AFailureOnOneRankIsTheSameErrorOnAll) {
  const std::vector<int> mine(3, rank);
  for (int culprit = 0; culprit < size; ++culprit) {
    const Status status = rank == culprit ? failure("No memory for my part.") : Status();
    const std::string text = test::error_everywhere(
        [&] { all_gather(communicator, status, std::span<const int>(mine)); });
    EXPECT_MENTIONS(text, "rank " + std::to_string(culprit));
    EXPECT_MENTIONS(text, "No memory for my part.");
  }
}

// An exception that is copied must not throw.
static_assert(std::is_nothrow_copy_constructible_v<Error> &&
              std::is_nothrow_copy_assignable_v<Error>);

TEST(Error, CopiesShareTheirText) {
  const Error error(ErrorKind::bad_input, Where{"here"}, "No.", "Yes.");
  const Error copy(error);
  EXPECT_EQ(copy.what(), error.what());  // the same memory
  EXPECT_EQ(&copy.problem(), &error.problem());
  EXPECT_STREQ(static_cast<const std::exception&>(copy).what(), "evenkeel: here: No. Yes.");
}

TEST(Ballot, HasAnotherRemedy) {
  detail::Ballot ballot = detail::Ballot::of(failure("No."), 4);
  ballot.set_remedy("Balancing is off.");
  EXPECT_ERROR(ballot.throw_if_failed(7), "No. Balancing is off.");
  detail::Ballot none;
  none.set_remedy("Balancing is off.");
  EXPECT_NO_THROW(none.throw_if_failed(7));
  const std::string endless(5000, 'x');
  detail::Ballot full =
      detail::Ballot::of(Status(Error(ErrorKind::internal, Where{endless}, endless, endless)), 0);
  full.set_remedy("Balancing is off.");
  EXPECT_ERROR(full.throw_if_failed(7), "xxx Balancing is off.");
}

TEST(Attempt, TurnsExceptionsIntoStatus) {
  EXPECT_TRUE(attempt("here", [] {}).ok());
  const auto unlucky = [] { throw std::runtime_error("out of\nluck"); };
  EXPECT_EQ(attempt("here", unlucky).error()->kind(), ErrorKind::internal);
  const Status own = attempt("here", unlucky, ErrorKind::application);
  EXPECT_EQ(own.error()->kind(), ErrorKind::application);
  EXPECT_NE(std::string(own.error()->what()).find("out of luck"), std::string::npos);
  EXPECT_EQ(attempt("here", [] { throw std::bad_alloc(); }).error()->kind(),
            ErrorKind::out_of_memory);
  EXPECT_EQ(attempt("here", [] { throw 42; }).error()->kind(), ErrorKind::internal);
  const Status error =
      attempt("here", [] { throw Error(ErrorKind::disagreement, Where{"there"}, "No.", "Yes."); });
  EXPECT_EQ(error.error()->where(), "there");
}

TEST_F(Vote, VotersBringTheirStatus) {
  const auto begin = [](const Voters& voters) {  // as a stage does
    vote(voters.communicator(), attempt("stage", [&] { voters.require_success(); }));
  };
  EXPECT_NO_THROW(begin(communicator));
  EXPECT_NO_THROW(begin({communicator, Status()}));
  const Status mine = rank == size - 1 ? failure("A wheel came off.") : Status();
  EXPECT_EQ(
      test::error_everywhere([&] {
        begin({communicator, mine});
      }),
      "evenkeel: rank " + std::to_string(size - 1) + ": tests/vote: A wheel came off. Mend it.");
}

TEST(AssertAll, StopsAllRanksAtItsLevelAlone) {
  const Communicator communicator = test::world();
  const bool broken = communicator.rank() == communicator.size() - 1;
  const std::string text =
      test::error_of([&] { EVENKEEL_ASSERT_ALL(communicator, !broken, "order"); });
#if EVENKEEL_ASSERTION_LEVEL >= 2
  EXPECT_MENTIONS(text, "'order' does not hold (!broken)");
  EXPECT_TRUE(test::same_everywhere(communicator, text));
#else
  EXPECT_EQ(text, "nothing was thrown");
#endif
}

}  // namespace
}  // namespace evenkeel::vote_test
