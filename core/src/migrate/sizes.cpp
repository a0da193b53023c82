#include "migrate/sizes.hpp"
#include "migrate/stage.hpp"

#include "field/call.hpp"

#include <evenkeel/backends/exec/lists.hpp>
#include <evenkeel/backends/exec/reduce.hpp>

#include <string>

namespace evenkeel {

namespace {

constexpr const char* sizes_label = "evenkeel::migrate::sizes";

struct IsNoSize {
  const std::int64_t* sizes;
  std::int64_t unit;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    return sizes[i] < 0 || sizes[i] % unit != 0;
  }
};

void require_sizes(const Space& space, const Payload& payload,
                   const exec::Array<std::int64_t>& sizes) {
  const std::int64_t unit = payload.unit_bytes();
  if (unit < 1)
    throw Error(
        ErrorKind::application, Where{stage_name},
        std::string("'") + payload.label() + "' has units of " + std::to_string(unit) + " bytes.",
        "Return units of 1 byte or more; a View of values must have extents.");
  const std::int64_t bad = exec::first_that(space, sizes.size(), IsNoSize{sizes.data(), unit});
  if (bad == sizes.size()) return;
  std::int64_t bytes = 0;
  sizes.fetch(bad, {&bytes, 1});
  throw Error(ErrorKind::application, Where{stage_name},
              std::string("'") + payload.label() + "' says that object " + std::to_string(bad) +
                  " has " + std::to_string(bytes) + " bytes.",
              "Sizes are multiples of " + std::to_string(unit) + " and not negative.");
}

// Returns the size of an arrival. Objects that stay count as arrivals.
struct SizeOfArrival {
  const std::int64_t *staying, *coming;
  std::int64_t first_kept, kept;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    if (i < first_kept) return coming[i];
    return i < first_kept + kept ? staying[i - first_kept] : coming[i - kept];
  }
};

// Writes the size of each arrival, and a 0 after the last.
struct WriteSizes {
  SizeOfArrival size_of;
  std::int64_t count;
  std::int64_t* sizes;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { sizes[i] = i < count ? size_of(i) : 0; }
};

}  // namespace

std::vector<Sizes> ask_sizes(std::span<const Set> sets, const Plan& plan) {
  bool fit = sets.empty() || sets.size() == plan.sets.size();
  for (std::size_t s = 0; fit && s < sets.size(); ++s)
    fit = sets[s].count() == plan.sets[s].count_before();
  if (!fit)
    refuse("The sets given to a plan do not match its objects.",
           "Give the sets that the orders or destinations belong to.");
  std::vector<Sizes> all;
  for (std::size_t s = 0; s < sets.size(); ++s)
    for (const auto& payload : sets[s].payloads()) {
      const SetPlan& set = plan.sets[s];
      const Space space = Space::where(payload->memory());
      const exec::Array<std::int64_t> sizes(space, sizes_label, set.count_before());
      call_payload([&] { payload->write_sizes(sizes.span()); });
      require_sizes(space, *payload, sizes);
      const exec::Reached<std::int64_t> objects(space, sizes_label, set.objects);
      Sizes& told = all.emplace_back();
      told.set = s;
      told.leaving = exec::chosen(space, sizes_label, sizes.data(),
                                  {objects.data(), static_cast<std::size_t>(objects.size())});
    }
  return all;
}

PayloadPlan starts_of(const SetPlan& set, const Sizes& sizes) {
  const Space space = sizes.leaving.space();
  PayloadPlan starts;
  const auto sum = [&](exec::Array<std::int64_t>& into, const SizeOfArrival& size_of,
                       std::int64_t count) {
    into = {space, "evenkeel::migrate::starts", count + 1};
    exec::for_each(space, sizes_label, into.size(), WriteSizes{size_of, count, into.data()});
    return exec::sum_up(into);
  };
  const std::int64_t before = set.count_before();
  starts.bytes_leaving = sum(starts.leaving, {nullptr, sizes.leaving.data(), before, 0}, before);
  starts.bytes_arriving = sum(starts.arriving,
                              {sizes.leaving.data() + set.first_staying, sizes.arriving.data(),
                               set.first_kept, set.staying},
                              set.count_after);
  return starts;
}

}  // namespace evenkeel
