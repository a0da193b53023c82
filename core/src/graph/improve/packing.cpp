#include "graph/improve/packing.hpp"

#include <algorithm>
#include <numeric>

namespace evenkeel::graphs {

namespace {

constexpr std::size_t most_partners = 32;  // parts with which a part exchanges vertices
constexpr std::size_t most_members = 64;   // vertices of a part that are tried

std::size_t place(std::int64_t i) { return static_cast<std::size_t>(i); }

class Packing {
 public:
  Packing(const Goal& goal, const std::vector<std::int64_t>& weights,
          const std::vector<Leaver>& all)
      : goal_(goal), constraints_(place(goal.constraints)), all_(all), weights_(weights) {
    parts_.reserve(all.size());
    for (const Leaver& one : all) parts_.push_back(one.part);
  }

  const std::vector<int>& parts() const { return parts_; }
  double excess() const {
    double greatest = -1;
    for (int p = 0; p < goal_.parts; ++p) greatest = std::max(greatest, excess_of(p));
    return greatest;
  }

  // Moves and exchanges vertices as long as this relieves the part that exceeds its limit most.
  void exchange() {
    list_members();
    for (int step = 0; step < 8 * goal_.parts + 64; ++step) {
      int heaviest = 0;
      for (int p = 1; p < goal_.parts; ++p)
        if (excess_of(p) > excess_of(heaviest)) heaviest = p;
      if (excess_of(heaviest) <= 0 || !relieve(heaviest)) return;
    }
  }

  // Distributes all vertices again. If `stays` is set, a vertex that fits into its part stays
  // there.
  void distribute(bool stays) {
    for (std::size_t i = 0; i < all_.size(); ++i) add(parts_[i], all_[i], -1);
    for (const std::size_t i : by_size()) {
      const Leaver& one = all_[i];
      if (!stays || excess_with(parts_[i], &one, nullptr) > 0) parts_[i] = lightest_for(one);
      add(parts_[i], one, 1);
    }
  }

 private:
  // A vertex that leaves the heaviest part, and one that comes in return, if there is one.
  struct Exchange {
    int to = nowhere;
    std::size_t leaves = 0, comes = 0;
    bool is_mutual = false;
    double excess = 0;
    std::int64_t loss = 0;
    bool is_better_than(const Exchange& other) const {
      if (other.to == nowhere || excess != other.excess)
        return other.to == nowhere || excess < other.excess;
      return loss < other.loss;
    }
  };

  void add(int part, const Leaver& one, int sign) {
    for (std::size_t c = 0; c < constraints_; ++c)
      weights_[place(part) * constraints_ + c] += sign * one.weights[c];
  }
  double filling(int part, const Leaver* comes, const Leaver* leaves) const {
    double greatest = 0;
    for (std::size_t c = 0; c < constraints_; ++c) {
      const std::int64_t weight = weights_[place(part) * constraints_ + c] +
                                  (comes != nullptr ? comes->weights[c] : 0) -
                                  (leaves != nullptr ? leaves->weights[c] : 0);
      const auto limit =
          static_cast<double>(std::max<std::int64_t>(goal_.limit_of(place(part), c), 1));
      greatest = std::max(greatest, static_cast<double>(weight) / limit);
    }
    return greatest;
  }
  // The share by which a part would exceed its limit; 0 or less if it would be within the limit.
  double excess_with(int part, const Leaver* comes, const Leaver* leaves) const {
    return filling(part, comes, leaves) - 1;
  }
  double excess_of(int part) const { return excess_with(part, nullptr, nullptr); }

  // The heaviest vertices first.
  std::vector<std::size_t> by_size() const {
    std::vector<double> sizes;
    for (const Leaver& one : all_) {
      double size = 0;
      for (std::size_t c = 0; c < constraints_; ++c)
        size = std::max(size, static_cast<double>(one.weights[c]) /
                                  static_cast<double>(std::max<std::int64_t>(goal_.limits[c], 1)));
      sizes.push_back(size);
    }
    std::vector<std::size_t> order(all_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return sizes[a] != sizes[b] ? sizes[a] > sizes[b] : all_[a].name < all_[b].name;
    });
    return order;
  }
  int lightest_for(const Leaver& one) const {
    int lightest = 0;
    double least = filling(0, &one, nullptr);
    for (int p = 1; p < goal_.parts; ++p) {
      const double its = filling(p, &one, nullptr);
      if (its < least) {
        least = its;
        lightest = p;
      }
    }
    return lightest;
  }

  void list_members() {
    members_.assign(place(goal_.parts), {});
    for (std::size_t i = 0; i < all_.size(); ++i) members_[place(parts_[i])].push_back(i);
  }
  // Returns the vertices of a part, or a choice of all sizes if there are many.
  std::vector<std::size_t> some_of(int part) const {
    std::vector<std::size_t> some = members_[place(part)];
    if (some.size() <= most_members) return some;
    std::sort(some.begin(), some.end(), [&](std::size_t a, std::size_t b) {
      if (all_[a].weights[0] != all_[b].weights[0]) return all_[a].weights[0] < all_[b].weights[0];
      return all_[a].name < all_[b].name;
    });
    for (std::size_t i = 0; i < most_members; ++i)
      some[i] = some[i * (some.size() - 1) / (most_members - 1)];
    some.resize(most_members);
    return some;
  }
  std::vector<int> lightest_parts() const {
    std::vector<int> lightest(place(goal_.parts));
    std::iota(lightest.begin(), lightest.end(), 0);
    std::vector<double> fillings(lightest.size());
    for (int p = 0; p < goal_.parts; ++p) fillings[place(p)] = filling(p, nullptr, nullptr);
    const std::size_t count = std::min(lightest.size(), most_partners);
    std::partial_sort(lightest.begin(), lightest.begin() + static_cast<std::ptrdiff_t>(count),
                      lightest.end(), [&](int a, int b) {
                        return fillings[place(a)] != fillings[place(b)]
                                   ? fillings[place(a)] < fillings[place(b)]
                                   : a < b;
                      });
    lightest.resize(count);
    return lightest;
  }

  static std::int64_t loss_of(const Leaver& one, int to) {
    return to == one.neighbour ? one.loss : one.loss_apart;
  }
  // Carries out the exchange after which the two parts exceed their limits least; among those that
  // are within the limits, the one with the least loss. Returns false if no exchange helps.
  bool relieve(int part) {
    Exchange best;
    const double now = excess_of(part);
    const std::vector<std::size_t> leavers = some_of(part);
    const auto offer = [&](int to, std::size_t leaves, const std::size_t* comes) {
      const Leaver& one = all_[leaves];
      const Leaver* const other = comes != nullptr ? &all_[*comes] : nullptr;
      const double then =
          std::max({excess_with(part, other, &one), excess_with(to, &one, other), 0.0});
      if (then >= now) return;
      const Exchange offered{to,
                             leaves,
                             comes != nullptr ? *comes : 0,
                             comes != nullptr,
                             then,
                             loss_of(one, to) + (other != nullptr ? loss_of(*other, part) : 0)};
      if (offered.is_better_than(best)) best = offered;
    };
    for (const int to : lightest_parts()) {
      if (to == part) continue;
      const std::vector<std::size_t> comers = some_of(to);
      for (const std::size_t leaves : leavers) {
        offer(to, leaves, nullptr);
        for (const std::size_t comes : comers) offer(to, leaves, &comes);
      }
    }
    if (best.to == nowhere) return false;
    move(best.leaves, best.to);
    if (best.is_mutual) move(best.comes, part);
    return true;
  }
  void move(std::size_t i, int to) {
    std::vector<std::size_t>& before = members_[place(parts_[i])];
    before.erase(std::find(before.begin(), before.end(), i));
    members_[place(to)].push_back(i);
    add(parts_[i], all_[i], -1);
    add(to, all_[i], 1);
    parts_[i] = to;
  }

  const Goal& goal_;
  std::size_t constraints_;
  const std::vector<Leaver>& all_;
  std::vector<std::int64_t> weights_;
  std::vector<int> parts_;
  std::vector<std::vector<std::size_t>> members_;  // by part
};

}  // namespace

std::vector<int> packed(const Goal& goal, const std::vector<std::int64_t>& weights,
                        const std::vector<Leaver>& all) {
  Packing first(goal, weights, all);
  first.exchange();
  std::vector<int> best = first.parts();
  double excess = first.excess();
  for (const bool stays : {true, false}) {
    if (excess <= 0) break;
    Packing other(goal, weights, all);
    other.distribute(stays);
    other.exchange();
    if (std::max(other.excess(), 0.0) >= (stays ? excess : excess / 2)) continue;
    best = other.parts();
    excess = other.excess();
  }
  return best;
}

}  // namespace evenkeel::graphs
