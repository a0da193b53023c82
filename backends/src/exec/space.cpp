#include <evenkeel/backends/exec/compatibility.hpp>
#include <evenkeel/backends/exec/kokkos_spaces.hpp>
#include <evenkeel/backends/exec/space.hpp>
#include <evenkeel/backends/exec/with_space.hpp>

#include <algorithm>
#include <cctype>

namespace evenkeel {

namespace {

void require_kokkos(const char* stage) {
  if (!exec::kokkos_is_running())
    throw Error(
        ErrorKind::bad_input, Where{stage}, "Kokkos is not running.",
        "Call Kokkos::initialize (or make a Kokkos::ScopeGuard) first and finalize it last.");
}

template <class... Instances>
Space default_of_type(detail::TypeList<Instances...>, int type) {
  using Make = Space (*)();
  constexpr Make makes[] = {&default_space<Instances>...};
  return makes[type]();
}

template <class... Instances>
std::vector<std::string> names_of(detail::TypeList<Instances...>) {
  return {std::string(Instances::name())...};
}

template <class... Instances>
const char* name_of_type(detail::TypeList<Instances...>, int type) {
  using Name = const char* (*)();
  constexpr Name names[] = {&Instances::name...};
  return names[type]();
}

template <class... Instances>
bool type_can_access(detail::TypeList<Instances...>, int type, MemoryKind kind) {
  using Access = bool (*)(MemoryKind);
  constexpr Access access[] = {&space_can_access<Instances>...};
  return access[type](kind);
}

bool same_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

template <class Instance>
void fence_instance(const Instance& instance, const char* label) {
  exec::fence(instance, label);
}

thread_local const InUse* in_use = nullptr;  // the innermost one of this thread

}  // namespace

InUse::InUse(std::optional<Space> space) : space_(std::move(space)), outer_(in_use) {
  in_use = this;
}
InUse::~InUse() { in_use = outer_; }

Space Space::where(MemoryKind kind) {
  require_kokkos("backends/exec");
  const bool on_device = has_device && kind != MemoryKind::host;
  for (const InUse* now = in_use; now != nullptr; now = now->outer_)
    if (now->space_ && now->space_->is_device() == on_device) return *now->space_;
  if (kind == MemoryKind::host) return default_space<Kokkos::DefaultHostExecutionSpace>();
  if (!has_device && kind == MemoryKind::device)
    throw Error(ErrorKind::bad_input, Where{"backends/exec"},
                "Device memory was named, but this evenkeel was built without a device.",
                "Build evenkeel with a Kokkos that enables CUDA or HIP, or pass host memory.");
  return default_space<exec::Device>();
}

Space Space::named(std::string_view name) {
  require_kokkos("backends/exec");
  const auto known = names();
  std::string list;
  for (std::size_t type = 0; type < known.size(); ++type) {
    if (same_ignoring_case(known[type], name))
      return default_of_type(EnabledSpaces{}, static_cast<int>(type));
    list += (list.empty() ? "" : ", ") + known[type];
  }
  throw Error(ErrorKind::bad_input, Where{"backends/exec"},
              "There is no space '" + std::string(name) + "'.", "This build has: " + list + ".");
}

std::vector<std::string> Space::names() { return names_of(EnabledSpaces{}); }

std::string_view Space::name() const noexcept { return name_of_type(EnabledSpaces{}, type_); }

bool Space::can_access(MemoryKind kind) const noexcept {
  return type_can_access(EnabledSpaces{}, type_, kind);
}

bool Space::is_device() const noexcept { return has_device && can_access(MemoryKind::device); }

void Space::fence(const char* label) const {
  with_space(*this, [&](const auto& instance) { fence_instance(instance, label); });
}

}  // namespace evenkeel
