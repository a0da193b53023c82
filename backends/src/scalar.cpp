#include <evenkeel/backends/scalar.hpp>

namespace evenkeel {

const char* name_of(ScalarType type) noexcept {
  switch (type) {
    case ScalarType::none: return "bytes";
    case ScalarType::int8: return "int8";
    case ScalarType::int16: return "int16";
    case ScalarType::int32: return "int32";
    case ScalarType::int64: return "int64";
    case ScalarType::uint8: return "uint8";
    case ScalarType::uint16: return "uint16";
    case ScalarType::uint32: return "uint32";
    case ScalarType::uint64: return "uint64";
    case ScalarType::float32: return "float";
    case ScalarType::float64: return "double";
  }
  return "unknown";
}

int bytes_of(ScalarType type) noexcept {
  switch (type) {
    case ScalarType::none: return 0;
    case ScalarType::int8:
    case ScalarType::uint8: return 1;
    case ScalarType::int16:
    case ScalarType::uint16: return 2;
    case ScalarType::int32:
    case ScalarType::uint32:
    case ScalarType::float32: return 4;
    case ScalarType::int64:
    case ScalarType::uint64:
    case ScalarType::float64: return 8;
  }
  return 0;
}

}  // namespace evenkeel
