#pragma once

// The containers of a set of the fuzzer. In every set, an object has a position, an id, two floats
// and a letter. So ranks may mix containers. Only records differ: the position is in the record.

#include "monitor/drive/balancer/configurations/configuration.hpp"

#include <evenkeel/core/field/kokkos_view.hpp>
#include <evenkeel/core/field/standard.hpp>

namespace evenkeel::test {

template <class Real, std::size_t n>
struct FuzzRecord {
  char letter;
  Real x[n];
  double mass;
};
template <class Record>
inline constexpr std::size_t place_in = offsetof(Record, x);

}  // namespace evenkeel::test

template <class Real, std::size_t n>
struct evenkeel::PositionIn<evenkeel::test::FuzzRecord<Real, n>>
    : evenkeel::PositionAt<Real, static_cast<int>(n),
                           evenkeel::test::place_in<evenkeel::test::FuzzRecord<Real, n>>> {};

namespace evenkeel::test {

constexpr std::size_t fuzz_room = most_alive + 200;  // the size of limited memory

class FuzzCloud {
 public:
  FuzzCloud() = default;
  FuzzCloud(const FuzzCloud&) = delete;
  FuzzCloud& operator=(const FuzzCloud&) = delete;
  virtual ~FuzzCloud() = default;
  // Changes the number of objects as an application does, so that the values are lost.
  virtual void resize(std::size_t objects) = 0;
  virtual Field position() = 0;
  virtual Carried carried() = 0;  // ids first
  virtual SetOptions options() = 0;
};

// The options of a style. Slack or ghosts are behind the counted objects.
class Styled : public FuzzCloud {
 public:
  explicit Styled(Style style) : style_(style) {}
  SetOptions options() override {
    SetOptions options;
    if (is_counted()) options.count = &owned_;
    options.keep_allocation = style_ == Style::kept;
    options.allow_aliases = style_ == Style::aliased;
    if (style_ == Style::reserved) options.reserve = 1.25;
    return options;
  }

 protected:
  bool is_counted() const { return style_ != Style::plain && style_ != Style::aliased; }
  std::size_t all_of(std::size_t objects) {
    owned_ = static_cast<int>(objects);
    if (style_ == Style::kept) return fuzz_room;
    return is_counted() ? objects + 3 : objects;
  }
  Style style() const { return style_; }

 private:
  Style style_;
  int owned_ = 0;
};

template <class Real, std::size_t n>
class VectorCloud final : public Styled {
 public:
  using Styled::Styled;
  void resize(std::size_t objects) override {
    const std::size_t all = all_of(objects);
    x_.resize(all);
    id_.resize(all);
    charge_.resize(all);
    letter_.resize(all);
  }
  Field position() override { return field_of(x_); }
  Carried carried() override { return carry(id_, charge_, letter_); }

 private:
  std::vector<std::array<Real, n>> x_;
  Ids id_;
  std::vector<std::array<float, 2>> charge_;
  std::vector<char> letter_;
};

template <class Real, std::size_t n>
class RecordCloud final : public Styled {
 public:
  using Styled::Styled;
  void resize(std::size_t objects) override {
    const std::size_t all = all_of(objects);
    records_.resize(all);
    id_.resize(all);
  }
  Field position() override { return field_of(records_); }
  Carried carried() override { return carry(id_); }

 private:
  std::vector<FuzzRecord<Real, n>> records_;
  Ids id_;
};

template <class Real, std::size_t n, class Layout>
class ViewCloud final : public Styled {
 public:
  using Styled::Styled;
  void resize(std::size_t objects) override {
    const std::size_t all = all_of(objects);
    const bool suffices = style() == Style::reserved && x_.extent(0) >= all;
    if (!suffices && x_.extent(0) != all) {
      x_ = decltype(x_)("x", all);
      id_ = decltype(id_)("id", all);
      charge_ = decltype(charge_)("charge", all);
      letter_ = decltype(letter_)("letter", all);
    }
    if (style() == Style::aliased) other_ = x_;
  }
  Field position() override { return field_of(x_); }
  Carried carried() override { return carry(id_, charge_, letter_); }

 private:
  Kokkos::View<Real*[n], Layout, Kokkos::HostSpace> x_, other_;
  Kokkos::View<std::int64_t*, Kokkos::HostSpace> id_;
  Kokkos::View<float* [2], Layout, Kokkos::HostSpace> charge_;
  Kokkos::View<char*, Kokkos::HostSpace> letter_;
};

// Borrowed memory of a fixed size.
template <class Real, std::size_t n>
class SpanCloud final : public FuzzCloud {
 public:
  void resize(std::size_t objects) override { owned_ = static_cast<unsigned>(objects); }
  Field position() override { return field_of(x_); }
  Carried carried() override { return carry(id_, charge_, letter_); }
  SetOptions options() override { return {.count = &owned_}; }

 private:
  std::vector<std::array<Real, n>> x_memory_ = decltype(x_memory_)(fuzz_room);
  Ids id_memory_ = Ids(fuzz_room);
  std::vector<std::array<float, 2>> charge_memory_ = decltype(charge_memory_)(fuzz_room);
  std::vector<char> letter_memory_ = std::vector<char>(fuzz_room);
  std::span<std::array<Real, n>> x_ = x_memory_;
  std::span<std::int64_t> id_ = id_memory_;
  std::span<std::array<float, 2>> charge_ = charge_memory_;
  std::span<char> letter_ = letter_memory_;
  unsigned owned_ = 0;
};

// Raw fields that store their number of objects themselves, with separate components.
template <class Real, std::size_t n>
class RawCloud final : public FuzzCloud {
 public:
  void resize(std::size_t objects) override {
    const auto count = static_cast<std::int64_t>(objects);
    x_.shape.count = id_.shape.count = charge_.shape.count = letter_.shape.count = count;
  }
  Field position() override { return field_of(x_); }
  Carried carried() override { return carry(id_, charge_, letter_); }
  SetOptions options() override { return {}; }

 private:
  static RawShape shape_of(int components) {
    return {.count = 0,
            .capacity = static_cast<std::int64_t>(fuzz_room),
            .components = components,
            .component_stride = components > 1 ? static_cast<std::int64_t>(fuzz_room) : 0};
  }
  std::vector<Real> x_memory_ = std::vector<Real>(n * fuzz_room);
  Ids id_memory_ = Ids(fuzz_room);
  std::vector<float> charge_memory_ = std::vector<float>(2 * fuzz_room);
  std::vector<char> letter_memory_ = std::vector<char>(fuzz_room);
  RawField<Real> x_ = raw_field(x_memory_.data(), shape_of(static_cast<int>(n)));
  RawField<std::int64_t> id_ = raw_field(id_memory_.data(), shape_of(1));
  RawField<float> charge_ = raw_field(charge_memory_.data(), shape_of(2));
  RawField<char> letter_ = raw_field(letter_memory_.data(), shape_of(1));
};

// Columns of wider arrays.
template <class Real, std::size_t n>
class SubviewCloud final : public FuzzCloud {
 public:
  void resize(std::size_t objects) override {
    owned_ = static_cast<std::int64_t>(objects);
    id_.resize(fuzz_room);  // a move leaves them with the required length
    letter_.resize(fuzz_room);
  }
  Field position() override { return field_of(x_); }
  Carried carried() override { return carry(id_, charge_, letter_); }
  SetOptions options() override { return {.count = &owned_}; }

 private:
  template <class T>
  using Wide = Kokkos::View<T**, Kokkos::LayoutRight, Kokkos::HostSpace>;
  template <class T>
  using Strided = Kokkos::View<T**, Kokkos::LayoutStride, Kokkos::HostSpace>;
  using Columns = std::pair<int, int>;
  Wide<Real> all_{"all", fuzz_room, 5};
  Wide<float> charges_{"charges", fuzz_room, 4};
  Strided<Real> x_{Kokkos::subview(all_, Kokkos::ALL(), Columns(1, 1 + static_cast<int>(n)))};
  Strided<float> charge_{Kokkos::subview(charges_, Kokkos::ALL(), Columns(2, 4))};
  Ids id_ = Ids(fuzz_room);
  std::vector<char> letter_ = std::vector<char>(fuzz_room);
  std::int64_t owned_ = 0;
};

template <class Real, std::size_t n>
std::unique_ptr<FuzzCloud> make_cloud(Container container, Style style) {
  switch (container) {
    case Container::vectors: return std::make_unique<VectorCloud<Real, n>>(style);
    case Container::left_views:
      return std::make_unique<ViewCloud<Real, n, Kokkos::LayoutLeft>>(style);
    case Container::right_views:
      return std::make_unique<ViewCloud<Real, n, Kokkos::LayoutRight>>(style);
    case Container::records: return std::make_unique<RecordCloud<Real, n>>(style);
    case Container::spans: return std::make_unique<SpanCloud<Real, n>>();
    case Container::raw: return std::make_unique<RawCloud<Real, n>>();
    case Container::subviews: break;
  }
  return std::make_unique<SubviewCloud<Real, n>>();
}

inline std::unique_ptr<FuzzCloud> make_cloud(const SetChoice& set, int dimensions, int rank) {
  constexpr Container mixed[] = {Container::vectors, Container::left_views, Container::spans,
                                 Container::right_views, Container::raw};
  const Container container =
      set.is_mixed ? mixed[static_cast<std::size_t>(rank) % std::size(mixed)] : set.container;
  if (set.is_single)
    return dimensions == 2 ? make_cloud<float, 2>(container, set.style)
                           : make_cloud<float, 3>(container, set.style);
  return dimensions == 2 ? make_cloud<double, 2>(container, set.style)
                         : make_cloud<double, 3>(container, set.style);
}

}  // namespace evenkeel::test
