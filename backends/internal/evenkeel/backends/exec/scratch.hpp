#pragma once

// Scratch memory of a stage, uninitialised and with a label. If an allocation is refused, this
// throws an Error; Kokkos itself throws types that differ between its versions and are not derived
// from std::bad_alloc.

#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/exec/space.hpp>

#include <Kokkos_Core.hpp>

#include <exception>
#include <string>

namespace evenkeel::exec {

// Makes a View of the given extents. If the memory is refused, throws an Error that names the
// label.
template <class View, class... Extents>
View scratch(const std::string& label, Extents... extents) {
  try {
    View view(Kokkos::view_alloc(label, Kokkos::WithoutInitializing),
              static_cast<std::size_t>(extents)...);
    if constexpr (std::is_same_v<typename View::memory_space, Kokkos::HostSpace>)
      evenkeel::detail::ask_for_large_pages(view.data(), view.span() * sizeof(*view.data()));
    return view;
  } catch (const std::exception& exception) {
    throw Error(ErrorKind::out_of_memory, Where{"backends/exec"},
                "Memory for '" + label + "' was refused: " + exception.what() + '.',
                "Use more ranks or fewer objects.");
  }
}

}  // namespace evenkeel::exec
