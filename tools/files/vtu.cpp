#include "files/vtu.hpp"

#include "files/refusal.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace evenkeel::tool {

namespace {

constexpr std::uint8_t vtk_pixel = 8, vtk_voxel = 11;

// The arrays behind the XML: each is preceded by the number of its bytes, which the offset of an
// array counts in.
class AppendedData {
 public:
  // Returns the offset, as the XML has to state it.
  template <class Number>
  std::uint64_t append(const std::vector<Number>& numbers) {
    const std::uint64_t offset = bytes_.size();
    const std::uint64_t size = numbers.size() * sizeof(Number);
    bytes_.append(reinterpret_cast<const char*>(&size), sizeof(size));
    bytes_.append(reinterpret_cast<const char*>(numbers.data()), size);
    return offset;
  }
  const std::string& bytes() const noexcept { return bytes_; }

 private:
  std::string bytes_;
};

void check_cells(int dimensions, std::span<const DomainCell> cells) {
  if (dimensions != 2 && dimensions != 3)
    refuse(
        joined({"Boxes in ", std::to_string(dimensions), " dimensions have no place in a .vtu."}),
        "Give boxes in 2 or 3 dimensions.");
  for (const DomainCell& cell : cells)
    for (std::size_t axis = 0; std::cmp_less(axis, dimensions); ++axis)
      if (!std::isfinite(cell.box.lower[axis]) || !std::isfinite(cell.box.upper[axis]))
        refuse(joined({"The box of part ", std::to_string(cell.part), " is not finite."}),
               "Leave out parts without objects.");
}

// Corners of a cell: the first axis runs fastest. Cells share no points.
std::vector<double> corners_of(int dimensions, std::span<const DomainCell> cells) {
  const std::size_t corners = std::size_t{1} << static_cast<unsigned>(dimensions);
  std::vector<double> points;
  points.reserve(3 * corners * cells.size());
  for (const DomainCell& cell : cells)
    for (std::size_t corner = 0; corner < corners; ++corner)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const bool upper = (corner >> axis & 1U) != 0;
        const double place = upper ? cell.box.upper[axis] : cell.box.lower[axis];
        points.push_back(std::cmp_less(axis, dimensions) ? place : 0.0);
      }
  return points;
}

// 0, step, 2 step, ... from `first` on.
std::vector<std::int64_t> progression(std::int64_t first, std::int64_t step, std::size_t count) {
  std::vector<std::int64_t> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = first + step * static_cast<std::int64_t>(i);
  return numbers;
}

std::string array_element(std::string_view type, std::string_view name, std::uint64_t offset) {
  const std::string_view components = name == "Points" ? " NumberOfComponents=\"3\"" : "";
  return joined({"        <DataArray type=\"", type, "\" Name=\"", name, "\"", components,
                 " format=\"appended\" offset=\"", std::to_string(offset), "\"/>\n"});
}

}  // namespace

void write_vtu(OutputFile& file, int dimensions, std::span<const DomainCell> cells) {
  check_cells(dimensions, cells);
  const std::int64_t corners = std::int64_t{1} << static_cast<unsigned>(dimensions);
  const std::size_t points = static_cast<std::size_t>(corners) * cells.size();
  std::vector<std::int32_t> parts(cells.size());
  std::vector<double> weights(cells.size());
  std::ranges::transform(cells, parts.begin(), &DomainCell::part);
  std::ranges::transform(cells, weights.begin(), &DomainCell::weight);
  const std::vector<std::uint8_t> types(cells.size(), dimensions == 3 ? vtk_voxel : vtk_pixel);

  AppendedData data;
  constexpr std::string_view order =
      std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian";
  const std::string xml = joined(
      {"<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"",
       order, "\" header_type=\"UInt64\">\n  <UnstructuredGrid>\n    <Piece NumberOfPoints=\"",
       std::to_string(points), "\" NumberOfCells=\"", std::to_string(cells.size()),
       "\">\n      <Points>\n",
       array_element("Float64", "Points", data.append(corners_of(dimensions, cells))),
       "      </Points>\n      <Cells>\n",
       array_element("Int64", "connectivity", data.append(progression(0, 1, points))),
       array_element("Int64", "offsets", data.append(progression(corners, corners, cells.size()))),
       array_element("UInt8", "types", data.append(types)),
       "      </Cells>\n      <CellData Scalars=\"part\">\n",
       array_element("Int32", "part", data.append(parts)),
       array_element("Float64", "weight", data.append(weights)),
       "      </CellData>\n    </Piece>\n  </UnstructuredGrid>\n",
       "  <AppendedData encoding=\"raw\">\n_"});
  file.write(xml);
  file.write(data.bytes());
  file.write("\n  </AppendedData>\n</VTKFile>\n");
}

}  // namespace evenkeel::tool
