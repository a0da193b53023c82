#pragma once

// Fields in a Kokkos DualView: the side that was modified last is the field; after a move both
// sides have the new extent, and that side is marked as modified, so that the next sync brings the
// other up to date. It is also the model for a container of one's own: all it needs is one
// specialisation of FieldTraits.

#include <evenkeel/core/field/kokkos_view.hpp>

#include <Kokkos_DualView.hpp>

namespace evenkeel {

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
    // In older Kokkos view_host() returns a copy, which counts as a holder until the statement
    // ends. Where host and device are one memory, both sides hold the same allocation.
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
