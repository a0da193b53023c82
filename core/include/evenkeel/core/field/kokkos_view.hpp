#pragma once

// Fields in Kokkos Views: rank 1 (an object is one element) or rank 2 (objects by components),
// LayoutLeft, LayoutRight or LayoutStride, in any memory space, subviews included.
//
// If the application holds a second copy of a View, that copy would keep the old values. The
// ownership of such a View is `shared`, which is an Error before anything moves, unless the set has
// .keep_allocation or .allow_aliases. Unmanaged Views and strided subviews do not own their memory,
// and a View whose first extent is part of its type cannot be re-allocated: these are `borrowed`.
// Label, layout and memory space survive a re-allocation.

#include <evenkeel/backends/exec/kokkos_spaces.hpp>
#include <evenkeel/core/field.hpp>

#include <Kokkos_Core.hpp>
#include <Kokkos_DualView.hpp>

namespace evenkeel {

template <class T, std::size_t n>
struct ElementShape<Kokkos::Array<T, n>> : VectorOf<T, static_cast<int>(n)> {};

namespace detail {

template <class View>
inline constexpr unsigned view_rank = static_cast<unsigned>(View::rank);

template <class View>
FieldLayout view_layout(const View& view) {
  using Element = typename View::value_type;
  const auto stride_bytes = [&](unsigned dimension) {
    return static_cast<std::int64_t>(view.stride(dimension)) *
           static_cast<std::int64_t>(sizeof(Element));
  };
  const auto count = static_cast<std::int64_t>(view.extent(0));
  FieldLayout layout =
      packed_layout(view.data(), count, count, memory_kind_of<typename View::memory_space>());
  layout.object_stride_bytes = stride_bytes(0);
  if constexpr (view_rank<View> == 2) {
    layout.components = static_cast<int>(view.extent(1));
    layout.component_stride_bytes = stride_bytes(1);
  }
  return layout;
}

// Makes a View like this one for another number of objects. It is not initialised, because all
// values will be written.
template <class View>
View view_like(const View& view, const Room& room) {
  const auto allocation = Kokkos::view_alloc(view.label(), Kokkos::WithoutInitializing);
  const auto objects = static_cast<std::size_t>(room.count);
  View like = [&] {
    if constexpr (static_cast<unsigned>(View::rank_dynamic) == 2)
      return View(allocation, objects, static_cast<std::size_t>(room.components));
    else
      return View(allocation, objects);
  }();
  if constexpr (std::is_same_v<typename View::memory_space, Kokkos::HostSpace>)
    ask_for_large_pages(like.data(), like.span() * sizeof(typename View::value_type));
  return like;
}

}  // namespace detail

template <class DataType, class... Properties>
struct FieldTraits<Kokkos::View<DataType, Properties...>> {
  using Container = Kokkos::View<DataType, Properties...>;
  using Element = typename Container::value_type;
  using Layout = typename Container::array_layout;
  using Staged = Container;

  static constexpr unsigned rank = detail::view_rank<Container>;
  static constexpr bool is_strided = std::is_same_v<Layout, Kokkos::LayoutStride>;
  static constexpr bool is_fixed = static_cast<unsigned>(Container::rank_dynamic) == 0;
  static constexpr bool is_unmanaged = Container::memory_traits::is_unmanaged;
  static_assert(rank == 1 || rank == 2, "evenkeel: a field is a View of rank 1 or 2");
  static_assert(rank == 1 || ElementShape<std::remove_const_t<Element>>::components == 1,
                "evenkeel: the components of a field are the second rank or the element, not both");
  static_assert(is_strided || std::is_same_v<Layout, Kokkos::LayoutLeft> ||
                    std::is_same_v<Layout, Kokkos::LayoutRight>,
                "evenkeel: a field is a View of LayoutLeft, LayoutRight or LayoutStride");

  static FieldLayout layout(const Container& view) { return detail::view_layout(view); }
  static std::string label(const Container& view) {
    const std::string label = is_unmanaged ? std::string() : view.label();
    return label.empty() ? "an unlabelled View" : label;
  }

  static Ownership ownership(const Container& view) {
    if (is_unmanaged || is_strided || is_fixed) return Ownership::borrowed;
    const int holders = view.use_count();
    if (holders > 1) return Ownership::shared;
    return holders == 0 && view.data() != nullptr ? Ownership::borrowed : Ownership::sole;
  }

  // Never called for borrowed Views.
  static Staged allocate([[maybe_unused]] const Container& view,
                         [[maybe_unused]] const Room& room) {
    if constexpr (is_unmanaged || is_strided || is_fixed || std::is_const_v<Element>)
      throw Error(ErrorKind::internal, Where{"core/field"}, "A borrowed View was allocated.", "");
    else
      return detail::view_like(view, room);
  }
  static FieldLayout staged_layout(Staged& staged) { return layout(staged); }
  static void commit(Container& view, Staged& staged) noexcept { view = std::move(staged); }
};

// --- DualViews -----------------------------------------------------------------------------------
// Fields in a Kokkos DualView. The side that was modified last is the field. After a move both
// sides have the new extent. The side of the field is marked as modified, so the next sync updates
// the other side. This code is also an example for a container of your own, which needs only one
// specialisation of FieldTraits.

template <class DataType, class... Properties>
struct FieldTraits<Kokkos::DualView<DataType, Properties...>> {
  using Container = Kokkos::DualView<DataType, Properties...>;
  using Element = typename Container::t_dev::value_type;
  struct Staged {
    Container dual;
    bool on_host;
  };

  static FieldLayout layout(const Container& dual) { return side(dual, host_is_newer(dual)); }
  static std::string label(const Container& dual) {
    const std::string label = dual.view_host().label();
    return label.empty() ? "an unlabelled DualView" : label;
  }

  static Ownership ownership(const Container& dual) {
    // In older versions of Kokkos view_host() returns a copy, which counts as a holder until the
    // statement ends. If host and device share one memory, both sides hold the same allocation.
    constexpr int copies = std::is_reference_v<decltype(dual.view_host())> ? 0 : 1;
    const int host_holders = dual.view_host().use_count() - copies;
    const int device_holders = dual.view_device().use_count() - copies;
    const void* const host = dual.view_host().data();
    const void* const device = dual.view_device().data();
    if (device != nullptr && device_holders <= 0) return Ownership::borrowed;  // made from pointers
    const int own = host == device ? 2 : 1;
    return host_holders > own || device_holders > own ? Ownership::shared : Ownership::sole;
  }

  static Staged allocate(const Container& dual, const Room& room) {
    const std::string label = dual.view_host().label();
    const auto objects = static_cast<std::size_t>(room.count);
    if constexpr (static_cast<unsigned>(Container::t_dev::rank_dynamic) == 2)
      return {Container(label, objects, static_cast<std::size_t>(room.components)),
              host_is_newer(dual)};
    else
      return {Container(label, objects), host_is_newer(dual)};
  }
  static FieldLayout staged_layout(Staged& staged) { return side(staged.dual, staged.on_host); }
  static void commit(Container& dual, Staged& staged) noexcept {
    dual = std::move(staged.dual);
    mark_modified(dual, staged.on_host);
  }
  static void changed(Container& dual) noexcept { mark_modified(dual, host_is_newer(dual)); }

 private:
  static void mark_modified(Container& dual, bool on_host) noexcept {
    if (on_host)
      dual.modify_host();
    else
      dual.modify_device();
  }
  static bool host_is_newer(const Container& dual) { return dual.need_sync_device(); }
  static FieldLayout side(const Container& dual, bool on_host) {
    return on_host ? detail::view_layout(dual.view_host())
                   : detail::view_layout(dual.view_device());
  }
};

}  // namespace evenkeel
