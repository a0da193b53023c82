#include <evenkeel/backends/error.hpp>
#include <evenkeel/backends/text.hpp>
#include <evenkeel/extras/vtk.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

namespace evenkeel {

namespace {

constexpr const char* stage_name = "extras/vtk";

[[noreturn]] void refuse(const std::string& problem, const std::string& remedy,
                         ErrorKind kind = ErrorKind::bad_input) {
  throw Error(kind, Where{stage_name}, problem, remedy);
}

// --- The bytes -----------------------------------------------------------------------------------

// The number that VTK gives to a box: a line in 1-D, a pixel in 2-D, a voxel in 3-D.
constexpr std::array<std::uint8_t, 3> vtk_types = {3, 8, 11};

// The XML, and the arrays after it. Before each array is the number of its bytes. Offsets of arrays
// include these numbers.
class VtuWriter {
 public:
  void add(std::string_view text) { xml_ += text; }
  template <class Number>
  void add_array(std::string_view type, std::string_view name, const std::vector<Number>& numbers) {
    add("        <DataArray type=\"");
    xml_.append(type).append("\" Name=\"").append(name);
    add(name == "Points" ? "\" NumberOfComponents=\"3" : "");
    add("\" format=\"appended\" offset=\"" + std::to_string(bytes_.size()) + "\"/>\n");
    const std::uint64_t size = numbers.size() * sizeof(Number);
    bytes_.append(reinterpret_cast<const char*>(&size), sizeof(size));
    bytes_.append(reinterpret_cast<const char*>(numbers.data()), size);
  }
  std::string take() {
    add("  <AppendedData encoding=\"raw\">\n_");
    add(bytes_);
    add("\n  </AppendedData>\n</VTKFile>\n");
    return std::move(xml_);
  }

 private:
  std::string xml_, bytes_;
};

void check_cell(int dimensions, const DomainCell& cell) {
  const std::string part = std::to_string(cell.part);
  for (std::size_t axis = 0; std::cmp_less(axis, dimensions); ++axis)
    if (!std::isfinite(cell.box.lower[axis]) || !std::isfinite(cell.box.upper[axis]))
      refuse("The box of part " + part + " is not finite.", "Leave out empty parts.");
  if (!std::isfinite(cell.work) || cell.work < 0)
    refuse("The work of part " + part + " is " + text_of(cell.work) + '.',
           "Give numbers that are finite and not negative.");
}

void check_cells(int dimensions, std::span<const DomainCell> cells) {
  if (dimensions < 1 || dimensions > 3)
    refuse("A .vtu cannot hold boxes in " + std::to_string(dimensions) + " dimensions.",
           "Give boxes in 1, 2 or 3 dimensions.");
  for (const DomainCell& cell : cells) {
    check_cell(dimensions, cell);
    if (cell.shape.faces.empty() != cells.front().shape.faces.empty())
      refuse("Some cells are boxes, and others are polyhedra.", "Write two pictures.");
  }
}

// The corners of cells: the first axis runs fastest. Cells share no points.
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

// Returns `count` numbers: first, first + step, first + 2 step, ...
std::vector<std::int64_t> progression(std::int64_t first, std::int64_t step, std::size_t count) {
  std::vector<std::int64_t> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = first + step * static_cast<std::int64_t>(i);
  return numbers;
}

template <class Number, class Member>
std::vector<Number> column(std::span<const DomainCell> cells, Member member) {
  std::vector<Number> numbers(cells.size());
  std::ranges::transform(cells, numbers.begin(), member);
  return numbers;
}

// Counts the work of each part once, however many cells it has.
double work_of_all(std::span<const DomainCell> cells) {
  std::vector<std::pair<int, double>> parts(cells.size());
  std::ranges::transform(cells, parts.begin(),
                         [](const DomainCell& cell) { return std::pair(cell.part, cell.work); });
  std::ranges::sort(parts);
  double sum = 0;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (i == 0 || parts[i].first != parts[i - 1].first) sum += parts[i].second;
  return sum;
}

std::vector<double> shares_of(std::span<const DomainCell> cells) {
  const double all = work_of_all(cells);
  return column<double>(cells,
                        [&](const DomainCell& cell) { return all > 0 ? cell.work / all : 0.0; });
}

bool are_shapes(std::span<const DomainCell> cells) {
  return !cells.empty() && !cells.front().shape.faces.empty();
}

void add_points(VtuWriter& file, const std::vector<double>& points) {
  file.add("      <Points>\n");
  file.add_array("Float64", "Points", points);
  file.add("      </Points>\n");
}

std::vector<double> corners_of_shapes(std::span<const DomainCell> cells) {
  std::vector<double> points;
  for (const DomainCell& cell : cells)
    for (const std::array<double, 3>& corner : cell.shape.corners)
      points.insert(points.end(), corner.begin(), corner.end());
  return points;
}

// In three dimensions VTK wants, for each cell, the number of faces, and for each face the number
// of corners and these corners.
void add_shapes(VtuWriter& file, int dimensions, std::span<const DomainCell> cells) {
  constexpr std::uint8_t polygon = 7, polyhedron = 42;
  std::vector<std::int64_t> corners, offsets, faces, face_offsets;
  std::int64_t first = 0;
  for (const DomainCell& cell : cells) {
    const auto& its = cell.shape.faces;
    faces.push_back(std::ssize(its));
    for (const std::vector<int>& face : its) {
      faces.push_back(std::ssize(face));
      for (const int corner : face) faces.push_back(first + corner);
    }
    face_offsets.push_back(std::ssize(faces));
    const auto count = std::ssize(cell.shape.corners);
    if (dimensions == 2)
      for (const int corner : its.front()) corners.push_back(first + corner);
    else
      for (std::int64_t i = 0; i < count; ++i) corners.push_back(first + i);
    offsets.push_back(std::ssize(corners));
    first += count;
  }
  file.add("      <Cells>\n");
  file.add_array("Int64", "connectivity", corners);
  file.add_array("Int64", "offsets", offsets);
  file.add_array("UInt8", "types",
                 std::vector<std::uint8_t>(cells.size(), dimensions == 2 ? polygon : polyhedron));
  if (dimensions == 3) {
    file.add_array("Int64", "faces", faces);
    file.add_array("Int64", "faceoffsets", face_offsets);
  }
  file.add("      </Cells>\n");
}

void add_cells(VtuWriter& file, int dimensions, std::size_t cells) {
  const std::int64_t corners = std::int64_t{1} << static_cast<unsigned>(dimensions);
  const std::size_t points = static_cast<std::size_t>(corners) * cells;
  const std::uint8_t type = vtk_types[static_cast<std::size_t>(dimensions) - 1];
  file.add("      <Cells>\n");
  file.add_array("Int64", "connectivity", progression(0, 1, points));
  file.add_array("Int64", "offsets", progression(corners, corners, cells));
  file.add_array("UInt8", "types", std::vector<std::uint8_t>(cells, type));
  file.add("      </Cells>\n");
}

void add_data(VtuWriter& file, std::span<const DomainCell> cells) {
  file.add("      <CellData Scalars=\"part\">\n");
  file.add_array("Int32", "part", column<std::int32_t>(cells, &DomainCell::part));
  file.add_array("Int32", "rank", column<std::int32_t>(cells, &DomainCell::rank));
  file.add_array("Float64", "work", column<double>(cells, &DomainCell::work));
  file.add_array("Float64", "share", shares_of(cells));
  file.add("      </CellData>\n");
}

}  // namespace

std::string vtu_of(int dimensions, std::span<const DomainCell> cells) {
  check_cells(dimensions, cells);
  const std::vector<double> points =
      are_shapes(cells) ? corners_of_shapes(cells) : corners_of(dimensions, cells);
  VtuWriter file;
  file.add(
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"");
  file.add(std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian");
  file.add("\" header_type=\"UInt64\">\n  <UnstructuredGrid>\n    <Piece NumberOfPoints=\"" +
           std::to_string(points.size() / 3) + "\" NumberOfCells=\"" +
           std::to_string(cells.size()) + "\">\n");
  add_points(file, points);
  if (are_shapes(cells))
    add_shapes(file, dimensions, cells);
  else
    add_cells(file, dimensions, cells.size());
  add_data(file, cells);
  file.add("    </Piece>\n  </UnstructuredGrid>\n");
  return file.take();
}

// --- The file ------------------------------------------------------------------------------------

namespace {

[[noreturn]] void refuse_file(const std::string& path, const std::error_code& reason) {
  refuse("The file " + in_quotes(path) + " cannot be written: " + reason.message() + '.',
         "Name a file in a directory that exists and that you may write to.");
}

std::error_code last_error() { return {errno, std::generic_category()}; }

// If the path is a symbolic link, returns the target of the link. So the link stays.
std::string target_of(const std::string& path) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, error);
  if (error) refuse_file(path, error);
  const auto kind = std::filesystem::status(target, error).type();
  if (kind == std::filesystem::file_type::directory)
    refuse_file(path, std::make_error_code(std::errc::is_a_directory));
  if (kind != std::filesystem::file_type::regular && kind != std::filesystem::file_type::not_found)
    refuse_file(path, error ? error : std::make_error_code(std::errc::invalid_argument));
  return target.string();
}

// A new file under an unused name beside its target, because a rename is atomic only within one
// file system. The destructor removes it, unless it has replaced the target.
class Temporary {
 public:
  Temporary(const std::string& path, const std::string& target) {
    const std::string stem = target + ".partial-" + std::to_string(getpid()) + '-';
    constexpr int most_attempts = 1000;
    for (int attempt = 0; file_ == nullptr; ++attempt) {
      name_ = stem + std::to_string(attempt);
      file_ = std::fopen(name_.c_str(), "wbx");
      if (file_ == nullptr && (errno != EEXIST || attempt == most_attempts))
        refuse_file(path, last_error());
    }
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (file_ != nullptr) static_cast<void>(std::fclose(file_));
    if (!name_.empty()) static_cast<void>(std::remove(name_.c_str()));
  }

  // Returns false, with the reason in errno, if one of the steps fails.
  bool become(const std::string& target, std::string_view bytes) {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) return false;
    if (std::fclose(std::exchange(file_, nullptr)) != 0) return false;
    if (std::rename(name_.c_str(), target.c_str()) != 0) return false;
    name_.clear();
    return true;
  }

 private:
  std::string name_;
  std::FILE* file_ = nullptr;
};

}  // namespace

void write_vtu(const std::string& path, int dimensions, std::span<const DomainCell> cells) {
  const std::string bytes = vtu_of(dimensions, cells);
  const std::string target = target_of(path);
  Temporary file(path, target);
  if (!file.become(target, bytes))
    refuse("The file " + in_quotes(path) + " could not be written: " + last_error().message() + '.',
           "Free some space or name another path; no part of the file was left.",
           ErrorKind::application);
}

}  // namespace evenkeel
