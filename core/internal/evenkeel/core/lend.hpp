#pragma once

// The stages by which ranks lend each other the objects of one kernel: trades_of() finds how much
// work each rank lends to which ranks, choose() finds the objects, and a LoanTrip carries them
// there and back.

#include <evenkeel/backends/comm/vote.hpp>
#include <evenkeel/backends/exec/array.hpp>
#include <evenkeel/core/lend/batch.hpp>
#include <evenkeel/core/migrate/report.hpp>

#include <functional>
#include <span>
#include <vector>

namespace evenkeel {

// Work of this rank that another rank is to do.
struct Trade {
  int to;
  std::int64_t nanoseconds;
};

// The ranks that may trade, and those of them on the node of this rank.
struct TradingRanks {
  Communicator all, node;
  std::vector<int> of_node;  // their ranks among all

  // Collective over all ranks.
  EVENKEEL_API TradingRanks(Communicator every, Communicator near);
  // The same, with nodes of ranks that share memory.
  EVENKEEL_API static TradingRanks of(Communicator every);
};

// Collective. `surplus` is the work that this rank has above the level, and `deficit` what it lacks
// to the level; one of them is 0. Ranks trade within their node first, and then with all ranks.
// Each time, ranks that lend and ranks that borrow are lined up in the order of ranks, so that
// together they have fewer trades than there are ranks. If the sums of both differ, all shares of
// the greater one shrink in proportion. Returns what this rank lends. Only ranks that trade send
// messages. If this rank fails, writes the failure to `ready`, and takes part in all calls
// nevertheless.
EVENKEEL_API std::vector<Trade> trades_of(const TradingRanks& ranks, Status& ready,
                                          std::int64_t surplus, std::int64_t deficit);

// Returns the first `count` numbers of a field, whose name is for messages. An Error if one is
// negative or not finite. Local.
EVENKEEL_API exec::Array<double> read_amounts(const Space& space, const FieldLayout& at,
                                              const std::string& name, std::int64_t count);

// Returns amounts times a rate, as whole numbers, for choose(). Local.
EVENKEEL_API exec::Array<std::int64_t> in_nanoseconds(const exec::Array<double>& amounts,
                                                      double rate);
EVENKEEL_API std::int64_t sum_of(const exec::Array<std::int64_t>& nanoseconds);

// The objects that a rank lends.
struct LentObjects {
  std::vector<Parcel> parcels;  // one for each trade with objects; `first` counts in `objects`
  exec::Array<std::int64_t> objects;  // those of each parcel in ascending order, then those that
                                      // stay, in ascending order
  std::int64_t count = 0;             // of lent objects
  std::int64_t nanoseconds = 0;       // of lent objects
};

// Chooses objects for trades, the most expensive ones first. Objects that cost less than `least`
// stay. No trade gets more than it asks for. `costs` are in nanoseconds, and not negative. The same
// costs lead to the same choice on every space. Local; blocks.
EVENKEEL_API LentObjects choose(const Space& space, const exec::Array<std::int64_t>& costs,
                                std::span<const Trade> trades, std::int64_t least);

// Fields by what happens to their values: `inputs` travel to the borrower, `results` travel back,
// and `kept` do both. `cost` is empty or one field, into which costs are written.
struct LoanFields {
  std::span<const Field> kept, inputs, results, cost;
};

// Lends the chosen objects, works, and takes the results home. First make() on all ranks, then a
// vote, then start(), run() and deliver().
class EVENKEEL_API LoanTrip {
 public:
  struct Totals {
    std::int64_t own = 0;     // nanoseconds that this rank worked on objects that it owns,
    std::int64_t others = 0;  // and on borrowed ones
    std::int64_t away = 0;    // and that others worked on its objects
    std::int64_t objects_lent = 0, objects_borrowed = 0, bytes_sent = 0;
    int partners = 0;  // ranks with which this rank trades
  };
  using Kernel = std::function<void(const Batch&)>;
  struct Terms {
    const Communicator& ranks;
    LoanFields fields;
    std::int64_t count;  // objects that this rank owns
    int batches;         // into which own objects are divided, at least 1
    // The expected cost of each object, in memory of the space. The time of a batch is divided in
    // proportion to it, if the kernel writes no costs; equally, if it is empty.
    std::span<const double> expected;
    const Kernel& kernel;
    const std::function<std::int64_t()>& now;  // nanoseconds
  };

  // Local. All fields must have room for the objects, and be in memory that `space` reaches. An
  // Error says which one is not.
  LoanTrip(const Space& space, const Terms& terms);
  LoanTrip(LoanTrip&&) noexcept;
  LoanTrip& operator=(LoanTrip&&) noexcept;
  ~LoanTrip();

  // The bytes of an object that travel, there and back.
  std::int64_t bytes_of_object() const noexcept;
  // A number for comparisons between ranks. It differs if fields have different types.
  std::uint64_t signature() const noexcept;

  // Announces what is lent to whom, and makes all memory that is needed. Collective; if this rank
  // fails, writes the failure to `ready`. A vote must follow.
  void make(Status& ready, LentObjects lent);
  // Without this, or after discard(), run() works on all own objects and sends nothing.
  void discard() noexcept;
  // Collective if objects are lent: sends them. Never throws; run() returns failures.
  void start();
  // After start(). Collective if objects are lent: works on own and borrowed objects, and receives
  // results, but does not write them into the fields. Never throws. The status has the first
  // failure, of the kernel or of a message.
  Status run();
  // Writes the results of lent objects and all costs into the fields. Local; allocates nothing.
  void deliver();

  // The cost of each own object, as the kernel has written it or else in nanoseconds. After run().
  exec::Array<double>& costs() noexcept;
  const Totals& totals() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel
