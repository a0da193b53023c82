#include "support.hpp"

#include <evenkeel/backends/comm/ballot.hpp>
#include <evenkeel/backends/exec/compatibility.hpp>
#include <evenkeel/backends/text.hpp>
#include <evenkeel/monitor/options_text.hpp>

#include <Kokkos_Core.hpp>

#include <cstdlib>
#include <cstring>
#include <sstream>

namespace evenkeel {
namespace c {
namespace {

thread_local std::string last_message;  // NOLINT: the C interface has one per thread

struct TypeOfC {
  ScalarType scalar;
  int bytes;
};
TypeOfC type_of(int type) {
  switch (type) {
    case EK_BYTES: return {ScalarType::none, 0};
    case EK_INT8: return {ScalarType::int8, 1};
    case EK_UINT8: return {ScalarType::uint8, 1};
    case EK_INT16: return {ScalarType::int16, 2};
    case EK_UINT16: return {ScalarType::uint16, 2};
    case EK_INT32: return {ScalarType::int32, 4};
    case EK_UINT32: return {ScalarType::uint32, 4};
    case EK_INT64: return {ScalarType::int64, 8};
    case EK_UINT64: return {ScalarType::uint64, 8};
    case EK_FLOAT: return {ScalarType::float32, 4};
    case EK_DOUBLE: return {ScalarType::float64, 8};
    default: return {ScalarType::none, -1};
  }
}
int type_of(ScalarType scalar) {
  for (int type = EK_BYTES; type <= EK_DOUBLE; ++type)
    if (type_of(type).scalar == scalar) return type;
  return EK_BYTES;
}

bool started_kokkos = false;

ek_field nothing = {};  // its layout is an Error

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}
// Keeps the value of an entry "key = value" if its key is one of these.
bool take(const std::string& entry, OtherOptions& others) {
  const std::size_t at = entry.find('=');
  if (at == std::string::npos) return false;
  const std::string key = trimmed(entry.substr(0, at));
  for (auto& [name, value] : others) {
    if (name != key) continue;
    if (value) refuse("The option " + key + " is given twice.", "Give it once.");
    value = trimmed(entry.substr(at + 1));
    return true;
  }
  return false;
}

}  // namespace

int keep(const Error& error) noexcept {
  try {
    last_message = error.what();
  } catch (...) {
    last_message.clear();
  }
  switch (error.kind()) {
    case ErrorKind::bad_input: return EK_BAD_INPUT;
    case ErrorKind::out_of_memory: return EK_OUT_OF_MEMORY;
    case ErrorKind::communication: return EK_COMMUNICATION;
    case ErrorKind::disagreement: return EK_DISAGREEMENT;
    case ErrorKind::application: return EK_APPLICATION;
    case ErrorKind::internal: break;
  }
  return EK_INTERNAL;
}

void start_kokkos() {
  if (exec::kokkos_is_running()) return;
  Kokkos::initialize();
  started_kokkos = true;
}

Communicator communicator_of([[maybe_unused]] int fortran_handle) {
#if EVENKEEL_HAS_MPI
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (initialized == 0 || finalized != 0)
    refuse("MPI is not running.", "Call MPI_Init before, and MPI_Finalize after.");
  MPI_Comm users = MPI_Comm_f2c(static_cast<MPI_Fint>(fortran_handle));
  if (users == MPI_COMM_NULL)
    refuse("The communicator is MPI_COMM_NULL.", "Give MPI_Comm_c2f of a communicator.");
  return Communicator(users);
#else
  return Communicator::self();
#endif
}

Options options_of(const char* text, OtherOptions* others) {
  std::string lines;
  std::istringstream entries(text != nullptr ? text : "");
  for (std::string part; std::getline(entries, part);) {
    std::istringstream line(part);
    for (std::string entry; std::getline(line, entry, ';');)
      if (others == nullptr || !take(entry, *others)) lines += entry + '\n';
  }
  return from_text(lines, {}, "the options of a create function");
}

void check(const ek_field& field) {
  if (field.size != sizeof(ek_field))
    refuse(
        "A field, a set or another structure is a null pointer, or its .size is not that of this "
        "version.",
        "Begin with ek_field_of, and set .size to sizeof(the structure).");
  const std::string name = FieldTraits<ek_field>::label(field);
  const TypeOfC type = type_of(field.type);
  const auto refuse_field = [&](const std::string& what) {
    refuse("The field '" + name + "' " + what, "Begin with ek_field_of, and change what differs.");
  };
  if (type.bytes < 0) refuse_field("has the unknown type " + std::to_string(field.type) + '.');
  if (type.bytes == 0 && field.element_bytes <= 0)
    refuse_field("is of bytes, but has no element_bytes.");
  if (field.components < 1)
    refuse_field("has " + std::to_string(field.components) + " components.");
  if (field.count < 0 || field.capacity < field.count)
    refuse_field("has " + std::to_string(field.count) + " objects and room for " +
                 std::to_string(field.capacity) + '.');
  if (field.data == nullptr && field.capacity > 0) refuse_field("is a null pointer.");
  if (field.memory < EK_HOST || field.memory > EK_SHARED)
    refuse_field("is in memory of the unknown kind " + std::to_string(field.memory) + '.');
  if (field.object_stride < 0 || field.component_stride < 0) refuse_field("has a negative stride.");
  if ((field.allocate == nullptr) != (field.replace == nullptr) ||
      (field.allocate == nullptr) != (field.release == nullptr))
    refuse_field("has some of the call-backs allocate, replace and release, but not all.");
}

Field field_of(ek_field* field) {
  return Field(field != nullptr ? field : &nothing, detail::operations_of<ek_field>);
}

Carried carried_of(ek_field* const* fields, int count) {
  Carried carried;
  for (int f = 0; f < count; ++f)
    carried.fields.push_back(field_of(fields != nullptr ? fields[f] : nullptr));
  return carried;
}

NumberSource numbers_of(ek_field* field) {
  return field != nullptr ? NumberSource(*field) : NumberSource();
}
NumberSource required_numbers(ek_field* field) { return field != nullptr ? *field : nothing; }

Set set_of(const ek_set* set) {
  SetOptions options;
  if (!is_known(set)) return Set(field_of(nullptr), {}, options);
  const ek_set& given = *set;
  if (given.count != nullptr) options.count = given.count;
  options.weight = numbers_of(given.weight);
  options.type = numbers_of(given.type);
  options.key = numbers_of(given.key);
  options.group = numbers_of(given.group);
  options.pinned = numbers_of(given.pinned);
  options.bytes = numbers_of(given.bytes);
  options.bytes_per_object = given.bytes_per_object;
  options.reserve = given.reserve;
  if (given.graph != nullptr) options.graph = graph_of(given.graph);
  Carried carried = carried_of(given.carried, given.carried_count);
  for (int r = 0; r < given.row_count; ++r) {
    const ek_rows rows = given.rows != nullptr ? given.rows[r] : ek_rows{};
    if (rows.offsets == nullptr || rows.values == nullptr) return Set(field_of(nullptr), {}, {});
    carried.payloads.push_back(csr(field_of(rows.offsets), field_of(rows.values)));
  }
  return Set(field_of(given.position), std::move(carried), options);
}

std::vector<Set> sets_of(const ek_set* sets, int count) {
  std::vector<Set> all;
  all.reserve(static_cast<std::size_t>(std::max(count, 0)));
  for (int s = 0; s < count; ++s) all.push_back(set_of(sets != nullptr ? &sets[s] : nullptr));
  return all;
}

Graph graph_of(const ek_graph* graph) {
  const ek_graph given = is_known(graph) ? *graph : ek_graph{};
  GraphOptions options;
  const bool has_rows = is_known(given.offsets);
  options.count = has_rows ? std::max<std::int64_t>(given.offsets->count - 1, 0) : 0;
  options.id = numbers_of(given.id);
  options.weight = numbers_of(given.weight);
  options.edge_weight = numbers_of(given.edge_weight);
  options.uncuttable = numbers_of(given.uncuttable);
  options.bytes = numbers_of(given.bytes);
  options.position = numbers_of(given.position);
  options.fixed = numbers_of(given.fixed);
  return {required_numbers(given.offsets), required_numbers(given.columns), options};
}

ek_field as_field(const FieldLayout& at) {
  ek_field field = ek_field_of(at.data, type_of(at.scalar), at.components, at.count);
  field.element_bytes = at.element_bytes;
  field.memory = static_cast<int>(at.memory);
  field.capacity = at.capacity;
  field.object_stride = at.object_stride_bytes / at.element_bytes;
  field.component_stride = at.component_stride_bytes / at.element_bytes;
  return field;
}

ByGraph graph_method(const char* text) {
  if (text == nullptr) return {};
  const std::optional<Method> method = method_from_text(text);
  const ByGraph* const by = method ? std::get_if<ByGraph>(&*method) : nullptr;
  if (by == nullptr)
    refuse("The method of a cut is " + in_quotes(text) + '.',
           "Give graph, with or without effort, target lambda and moving cost.");
  return *by;
}

}  // namespace c

FieldLayout FieldTraits<ek_field>::layout(Container& field) {
  c::check(field);
  const c::TypeOfC type = c::type_of(field.type);
  FieldLayout at;
  at.data = field.data;
  at.memory = static_cast<MemoryKind>(field.memory);
  at.scalar = type.scalar;
  at.element_bytes = type.bytes > 0 ? type.bytes : field.element_bytes;
  at.components = field.components;
  at.count = field.count;
  at.capacity = field.capacity;
  const bool is_packed = field.object_stride == 0 && field.component_stride == 0;
  const std::int64_t object =
      is_packed ? field.components : std::max<std::int64_t>(field.object_stride, 1);
  const std::int64_t component = is_packed ? 1 : std::max<std::int64_t>(field.component_stride, 1);
  at.object_stride_bytes = object * at.element_bytes;
  at.component_stride_bytes = component * at.element_bytes;
  return at;
}

}  // namespace evenkeel

using namespace evenkeel;  // NOLINT: this file defines the functions of C

extern "C" {

const char* ek_message(void) { return c::last_message.c_str(); }
const char* ek_version(void) { return EVENKEEL_VERSION; }
int ek_version_number(void) { return EVENKEEL_VERSION_NUMBER; }

int ek_start(void) {
  return c::guarded([] { c::start_kokkos(); });
}
int ek_stop(void) {
  return c::guarded([] {
    if (std::exchange(c::started_kokkos, false) && exec::kokkos_is_running()) Kokkos::finalize();
  });
}

ek_field ek_field_of(void* data, int type, int components, int64_t count) {
  ek_field field = {};
  field.size = sizeof field;
  field.data = data;
  field.type = type;
  field.components = components;
  field.count = field.capacity = count;
  return field;
}
ek_field ek_field_on_heap(void** pointer, int type, int components, int64_t count) {
  ek_field field = ek_field_of(pointer != nullptr ? *pointer : nullptr, type, components, count);
  field.owner = pointer;
  field.allocate = [](void*, size_t bytes) { return std::malloc(bytes); };
  field.replace = [](void* owner, void* data) {
    void** const held = static_cast<void**>(owner);
    std::free(*held);
    *held = data;
  };
  field.release = [](void*, void* data) { std::free(data); };
  return field;
}

}  // extern "C"
