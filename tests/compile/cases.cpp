// Each case has one mistake; see CMakeLists.txt beside this file.

#include <evenkeel/evenkeel.hpp>

#include <string>
#include <vector>

namespace ek = evenkeel;

struct WithPointers {
  std::string name;
};

struct Unknown {};

void use(ek::Balancer& balancer) {
  Kokkos::View<double* [3]> position;
  std::vector<double> mass;
  static_cast<void>(ek::set(position, ek::carry(mass), {.count = 0, .weight = mass}));
  balancer.step(position, ek::carry(mass), {.weight = mass}, {.may_move = false});

#if defined(CASE_const_view)
  Kokkos::View<const double*> field;
  static_cast<void>(ek::carry(field));
#elif defined(CASE_const_variable)
  const std::vector<double> field;
  static_cast<void>(ek::carry(field));
#elif defined(CASE_rvalue_view)
  static_cast<void>(ek::set(Kokkos::View<double* [3]>("x", 4)));
#elif defined(CASE_rvalue_vector)
  static_cast<void>(ek::carry(std::vector<double>(4)));
#elif defined(CASE_element_with_pointers)
  std::vector<WithPointers> field;
  static_cast<void>(ek::carry(field));
#elif defined(CASE_unknown_container)
  Unknown field;
  static_cast<void>(ek::carry(field));
#elif defined(CASE_view_of_rank_3)
  Kokkos::View<double***> field;
  static_cast<void>(ek::carry(field));
#elif defined(CASE_vector_of_bool)
  std::vector<bool> field;
  static_cast<void>(ek::carry(field));
#elif defined(CASE_set_without_carry)
  static_cast<void>(ek::set(position, mass));
#elif defined(CASE_step_without_carry)
  if (auto moved = balancer.step(position, mass)) static_cast<void>(moved);
#elif defined(CASE_rebalance_without_carry)
  balancer.rebalance(position, ek::named("mass", mass), {.count = 0});
#elif defined(CASE_migrate_without_carry)
  balancer.migrate(position, mass, {});
#elif defined(CASE_several_without_carry)
  balancer.migrate(position, mass, mass);
#elif defined(CASE_temporary_weight)
  static_cast<void>(ek::set(position, {}, {.weight = std::vector<double>(4)}));
#elif defined(CASE_count_of_bool)
  static_cast<void>(ek::set(position, {}, {.count = true}));
#elif defined(CASE_own_clock_in_seconds)
  const ek::Options options{.own_clock = [] { return 0.5; }};
  static_cast<void>(options);
#elif defined(CASE_copied_communicator)
  const ek::Communicator a = ek::Communicator::self();
  const ek::Communicator b = a;
#endif
}
