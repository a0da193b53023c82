#pragma once

// Balances one kernel without moving the mesh. Ranks with much work send the inputs of some of
// their objects to ranks with little work, which compute them and send the results home, within one
// call.
//
//   ek::Loan chemistry = balancer.loan("chemistry");
//   while (...) {
//     chemistry.run(ek::carry(state), {.count = cells}, [&](const ek::Batch& batch) {
//       const auto of = batch.field<double>(0);
//       for (std::int64_t i = 0; i < batch.count(); ++i) integrate(&of(i));  // own or borrowed
//     });
//   }
//
// begin() and end() are the same call in two halves, with other work of the step between them.
//
// The objects must be independent of each other: the kernel reads and writes only the fields of its
// batch, and gives the same result on every rank.

#include <evenkeel/core/field/set.hpp>
#include <evenkeel/core/lend/batch.hpp>
#include <evenkeel/monitor/clock.hpp>

#include <functional>
#include <memory>
#include <string>

namespace evenkeel {

class Engine;  // private

// One kernel whose objects ranks lend each other; Balancer::loan() and the loan() of the other
// facades make it. The facade must outlive it.
class EVENKEEL_API Loan {
 public:
  // The calls in which objects are lent.
  enum class Lend {
    when_it_pays,  // lends if that takes less time than it saves, by what the run has measured
    always,        // lends if ranks have unequal work
    never          // only measures how much time could be saved
  };
  // The same on all ranks.
  struct Options {
    Lend lend = Lend::when_it_pays;
    // The number of batches into which the kernel's own objects are divided. Messages make progress
    // between batches. If the kernel writes no costs, the time of a batch is divided over its
    // objects, so more batches give better estimates. If it is 0, hosts take 32 and devices 4.
    int batches = 0;
    KernelOptions kernel = {};
  };
  // The objects of one call.
  struct Objects {
    // The number of objects. If it is not set, all objects of the fields count.
    OwnedCount count = {};
    // The expected cost of each object in any unit that all ranks share. Without it, an object is
    // expected to cost as much as in the last call.
    NumberSource weight = {};
    // One number of type double per object, such as `ek::carry(cost)`. It is the expected cost, and
    // the call writes the measured one into it. Give it if objects change their places between
    // calls, and carry it along. Without it, evenkeel remembers costs by place, as long as the
    // number of objects stays. Before the first call, all numbers must be equal, such as 0.
    Carried cost = {};
    Carried inputs = {};   // fields that the kernel only reads
    Carried results = {};  // fields that the kernel only writes, for every object
  };
  // The result of a call on this rank. It converts to true if ranks have lent objects.
  struct Report {
    bool lent = false;  // the same on all ranks
    std::int64_t objects_lent = 0, objects_borrowed = 0, bytes_sent = 0;
    int partners = 0;
    double seconds = 0;       // that this rank has worked, also between begin() and end()
    double seconds_home = 0;  // that it would have worked without lending
    // The same on all ranks: greatest of these two over all ranks.
    double most_seconds = 0, most_seconds_home = 0;
    explicit operator bool() const noexcept { return lent; }
  };
  // Sums over all calls so far; the same on all ranks.
  struct Totals {
    std::int64_t calls = 0, calls_lent = 0;
    double saved_seconds = 0;     // by lending, less what it took
    double possible_seconds = 0;  // that perfectly even work would have saved in all calls
  };
  using Kernel = std::function<void(const Batch&)>;

  Loan(Loan&&) noexcept;
  Loan& operator=(Loan&&) noexcept;
  ~Loan();

  // Collective. Works on all objects of all ranks; when it returns, results are home. The kernel is
  // called for batches of objects, on this thread, and may launch work on the space of the fields.
  // `fields` are read and written in place. If the kernel throws anywhere, all ranks throw the same
  // Error; then objects that were lent have their old values. If memory for lending is refused,
  // each rank works on its own objects.
  Report run(const Carried& fields, const Objects& objects, const Kernel& kernel);

  // The same in two halves, both collective: objects are on their way while this rank does other
  // work, and a rank that has had much other work between the halves of the last call lends more.
  // Between them, make no collective call, and leave the variables of the fields as they are. Large
  // messages may make progress only while MPI is called.
  void begin(const Carried& fields, const Objects& objects, Kernel kernel);
  Report end();

  Totals totals() const noexcept;
  const std::string& name() const noexcept;

 private:
  friend class Facade;
  struct Impl;
  static Loan make(Engine& engine, const std::string& name, const Options& options);  // collective
  explicit Loan(std::unique_ptr<Impl> impl) noexcept;
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel
