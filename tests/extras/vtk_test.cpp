#include "core/domains/asking.hpp"
#include "support/scratch.hpp"

#include <evenkeel/extras/vtk.hpp>

namespace evenkeel::vtk_test {
namespace {

using test::error_of;
using Cells = std::vector<DomainCell>;

constexpr CurveKind curves[] = {CurveKind::hilbert, CurveKind::morton, CurveKind::snake};

// --- Cells of any decomposition ------------------------------------------------------------------

bool holds(const Box& box, const std::vector<double>& point) {
  for (std::size_t axis = 0; axis < point.size(); ++axis)
    if (point[axis] < box.lower[axis] || point[axis] > box.upper[axis]) return false;
  return true;
}

double volume_of(const Box& box, int dimensions) {
  double volume = 1;
  for (std::size_t axis = 0; std::cmp_less(axis, dimensions); ++axis)
    volume *= box.upper[axis] - box.lower[axis];
  return volume;
}

// Returns p + 0.5 for part p.
std::vector<double> some_work(int parts) {
  std::vector<double> work(static_cast<std::size_t>(parts));
  for (std::size_t p = 0; p < work.size(); ++p) work[p] = static_cast<double>(p) + 0.5;
  return work;
}

// A point that is on no border must be in one cell only, which belongs to its owner.
template <class AnyDecomposition>
void expect_points_at_home(const AnyDecomposition& decomposition, const Cells& cells,
                           std::mt19937_64& random) {
  const int dimensions = decomposition.dimensions();
  std::uniform_real_distribution<double> anywhere(0, 1);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<double> point;
    for (std::size_t axis = 0; std::cmp_less(axis, dimensions); ++axis)
      point.push_back(std::lerp(decomposition.box().lower[axis], decomposition.box().upper[axis],
                                anywhere(random)));
    const auto holder =
        std::ranges::find_if(cells, [&](const auto& cell) { return holds(cell.box, point); });
    ASSERT_NE(holder, cells.end());
    EXPECT_EQ(holder->rank, decomposition.owner_of(point));
    EXPECT_EQ(std::count_if(cells.begin(), cells.end(),
                            [&](const auto& cell) { return holds(cell.box, point); }),
              1);
  }
}

template <class AnyDecomposition>
void expect_domains(const AnyDecomposition& decomposition, std::mt19937_64& random) {
  const Cells cells = cells_of(decomposition, some_work(decomposition.parts()));
  double volume = 0;
  for (const DomainCell& cell : cells) {
    volume += volume_of(cell.box, decomposition.dimensions());
    EXPECT_GT(volume_of(cell.box, decomposition.dimensions()), 0);
    EXPECT_EQ(cell.rank, decomposition.rank_of(cell.part));
    EXPECT_EQ(cell.work, cell.part + 0.5);
  }
  EXPECT_NEAR(volume, volume_of(decomposition.box(), decomposition.dimensions()), 1e-12);
  EXPECT_TRUE(std::ranges::is_sorted(cells, {}, &DomainCell::part));
  expect_points_at_home(decomposition, cells, random);
}

// --- On a curve ----------------------------------------------------------------------------------

TEST(Cells, OnACurve) {
  std::mt19937_64 random(3);
  for (const CurveKind curve : curves)
    for (const int dimensions : {2, 3})
      for (int trial = 0; trial < 20; ++trial) {
        SCOPED_TRACE(name_of(curve));
        const Box box{{-1, 2, 5}, {1, 2.0 + 0.37 * (trial % 5 + 1), 5.0 + 0.29 * (trial % 7 + 1)}};
        const int parts = 1 + trial % 9;
        expect_domains(
            CurveDomains(1, dimensions, box, {false, trial % 2 == 0, true},
                         test::random_splitters(dimensions, parts, random),
                         {curve, dimensions == 2 ? 4 : 3}, test::shuffled_ranks(parts, random)),
            random);
      }
}

// On the finest lattice, the number of boxes must be at most the number that the header promises.
TEST(Cells, OnACurveAreFewBoxes) {
  std::mt19937_64 random(5);
  for (const int dimensions : {2, 3}) {
    const Box box{{0, 0, 0}, {1, 1, 1}};
    const Splitters splitters = test::random_splitters(dimensions, 50, random);
    const int levels = dimensions == 3 ? 21 : 31, children = 1 << dimensions;
    for (const CurveKind curve : curves) {
      const CurveDomains decomposition(1, dimensions, box, {}, splitters, {curve});
      std::vector<int> boxes(50);
      for (const DomainCell& cell : cells_of(decomposition))
        ++boxes[static_cast<std::size_t>(cell.part)];
      const int most = curve == CurveKind::snake ? 5 : 2 * (children - 1) * levels;
      EXPECT_LE(std::ranges::max(boxes), most) << name_of(curve);
    }
  }
}

const Box odd_boxes[] = {{{1, 2, 3}, {1, 2, 3}},
                         {{0, 0, 0}, {1, 0, 0}},
                         {{-1.7e308, -1.7e308, 0}, {1.7e308, 1.7e308, 1}},
                         {{0, 0, 0}, {5e-324, 5e-324, 0}},
                         {{1e9, 0, 0}, {1e9 + 1e-6, 1, 0}}};

TEST(Cells, OfOnePart) {
  for (const Box& box : odd_boxes) {
    const auto expect_box = [&](const Cells& cells) {
      ASSERT_EQ(cells.size(), 1U);
      EXPECT_EQ(cells[0].box, box);
      EXPECT_EQ(cells[0].work, 0) << "unknown";
    };
    for (const CurveKind curve : curves)
      expect_box(cells_of(CurveDomains(1, 3, box, {}, {{0}, end_of_curve(3)}, {curve})));
    expect_box(cells_of(GridDomains::uniform({}, box, GridScheme::tensor)));
    expect_box(cells_of(TreeDomains(1, 3, box, {}, {})));
  }
}

TEST(Cells, OnACurveInAPoint) {
  const Splitters splitters = {{0}, {0}, {1}, {1U << 20U}, end_of_curve(2)};
  const Cells cells =
      cells_of(CurveDomains(1, 2, Box{}, {}, splitters), std::vector<double>{0, 3, 0, 0});
  ASSERT_EQ(cells.size(), 1U);
  EXPECT_EQ(cells[0].part, 1);
  EXPECT_EQ(cells[0].work, 3);
  EXPECT_EQ(cells[0].box, Box{});
}

// --- Boxes ---------------------------------------------------------------------------------------

TEST(Cells, OfAGrid) {
  std::mt19937_64 random(7);
  const Box box{{-1, 2, 5}, {1, 3, 5.5}};
  for (const GridScheme scheme : {GridScheme::tensor, GridScheme::staggered})
    for (int trial = 0; trial < 60; ++trial) {
      GridShape shape{1 + trial % 3, {1, 1, 1}};
      for (std::size_t d = 0; std::cmp_less(d, shape.dimensions); ++d)
        shape.extents[d] = 1 + static_cast<int>(random() % 5);
      const GridBorders borders =
          test::random_grid_borders(shape, box, scheme, usual_axes(shape.dimensions), random);
      expect_domains(GridDomains(1, shape, box, {false, trial % 2 == 0, true}, borders,
                                 test::shuffled_ranks(shape.parts(), random)),
                     random);
    }
}

TEST(Cells, OfATree) {
  const Box box{{0, 0, 0}, {4, 1, 1}};
  const std::vector<Bisection> nodes = {{1, 0, 1}, {3, 0, 3}, {1, 1, 2}};
  const Cells cells = cells_of(TreeDomains(1, 2, box, {}, nodes, {3, 1, 0, 2}), some_work(4));
  ASSERT_EQ(cells.size(), 3U) << "part 2 has no extent along y";
  EXPECT_EQ(cells_of(Domains(TreeDomains(1, 2, box, {}, nodes))).size(), 3U);
  EXPECT_EQ(cells[0].box, (Box{{0, 0, 0}, {1, 1, 1}}));
  EXPECT_EQ(cells[1].box, (Box{{1, 0, 0}, {3, 1, 1}}));
  EXPECT_EQ(cells[2].box, (Box{{3, 0, 0}, {4, 1, 1}}));
  const std::vector<std::pair<int, int>> owners = {{0, 3}, {1, 1}, {3, 2}};
  for (std::size_t i = 0; i < cells.size(); ++i)
    EXPECT_EQ((std::pair(cells[i].part, cells[i].rank)), owners[i]);
  std::mt19937_64 random(11);
  expect_domains(TreeDomains(1, 2, box, {}, nodes, {3, 1, 0, 2}), random);
  expect_domains(TreeDomains(1, 1, box, {true}, {{1, 0, 1}, {3, 0, 2}}), random);
}

// If a box has no extent along an axis, the owner of all its places must fill the whole picture.
TEST(Cells, WhereTheBoxIsFlat) {
  const Box flat{{1, 2, 3}, {2, 2, 3}};
  for (const GridScheme scheme : {GridScheme::tensor, GridScheme::staggered}) {
    const Cells cells = cells_of(GridDomains::uniform({3, {2, 3, 2}}, flat, scheme));
    ASSERT_EQ(cells.size(), 2U);
    EXPECT_EQ(cells[0].part, 0);
    EXPECT_EQ(cells[1].part, 6);
    EXPECT_EQ(cells[1].box, (Box{{1.5, 2, 3}, {2, 2, 3}}));
  }
  const Cells leaves = cells_of(TreeDomains(1, 3, flat, {}, {{2, 1, 2}, {1.5, 0, 1}}));
  ASSERT_EQ(leaves.size(), 2U);
  EXPECT_EQ(leaves[1].box, (Box{{1.5, 2, 3}, {2, 2, 3}}));
}

// The volume of a convex polyhedron: the sum of pyramids over its faces.
double volume_of(const DomainShape& shape) {
  using Point = std::array<double, 3>;
  const auto minus = [](const Point& a, const Point& b) {
    return Point{a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  };
  const auto corner = [&](int index) { return shape.corners[static_cast<std::size_t>(index)]; };
  double volume = 0;
  for (const std::vector<int>& face : shape.faces)
    for (std::size_t i = 1; i + 1 < face.size(); ++i) {
      const Point a = minus(corner(face[0]), shape.corners[0]);
      const Point b = minus(corner(face[i]), shape.corners[0]);
      const Point c = minus(corner(face[i + 1]), shape.corners[0]);
      volume += std::abs(a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
                         a[2] * (b[0] * c[1] - b[1] * c[0])) /
                6;
    }
  return volume;
}

// Hexahedra fill the box.
TEST(Cells, OfAMesh) {
  std::vector<MeshVertex> vertices;
  for (int v = 0; v < 27; ++v) {
    const std::array<int, 3> at = GridShape{3, {3, 3, 3}}.at(v);
    vertices.push_back({at[0] << 19, at[1] << 19, at[2] << 18});
  }
  vertices[13] = {500000, 600000, 200000};
  const Domains domains = MeshDomains(1, {3, {2, 2, 2}}, {{-1, 2, 5}, {1, 4, 6}}, {}, vertices);
  const Cells all = cells_of(domains, some_work(8));
  ASSERT_EQ(all.size(), 8U);
  double volume = 0;
  for (const DomainCell& cell : all) {
    EXPECT_EQ(cell.shape.corners.size(), 8U);
    EXPECT_EQ(cell.shape.faces.size(), 12U);
    volume += volume_of(cell.shape);
  }
  EXPECT_NEAR(volume, 4, 1e-9);
  EXPECT_NE(vtu_of(3, all).find("faceoffsets"), std::string::npos);
}

// Polyhedra fill the box. Each corner is where its own cell is as near as any other.
TEST(Cells, OfAPowerDiagram) {
  std::mt19937_64 random(13);
  const Box box{{-1, 2, 5}, {1, 3, 5.5}};
  for (const bool is_periodic : {false, true}) {
    std::vector<PowerSite> sites(12);
    const std::array<unsigned, 3> cells = {1U << 21U, 1U << 20U, 1U << 19U};
    for (PowerSite& site : sites)
      for (std::size_t d = 0; d < 3; ++d)
        site.anchor[d] = static_cast<std::int32_t>(random() % cells[d]);
    const Domains domains = VoronoiDomains(1, 3, box, {is_periodic, false, is_periodic}, sites, {});
    const Cells all = cells_of(domains, some_work(12));
    double volume = 0;
    for (const DomainCell& cell : all) {
      volume += volume_of(cell.shape);
      std::array<double, 3> middle = {};
      for (const auto& corner : cell.shape.corners)
        for (std::size_t d = 0; d < 3; ++d)
          middle[d] += corner[d] / static_cast<double>(cell.shape.corners.size());
      EXPECT_EQ(owner_of(domains, middle), cell.rank);
    }
    EXPECT_NEAR(volume, 1, 1e-9);
    EXPECT_NE(vtu_of(3, all).find("faceoffsets"), std::string::npos);
  }
  const Domains flat =
      VoronoiDomains(1, 2, {{0, 0, 0}, {2, 1, 0}}, {}, {{{1 << 19, 5, 0}}, {{3 << 19, 5, 0}}});
  const Cells halves = cells_of(flat);
  ASSERT_EQ(halves.size(), 2U);
  EXPECT_EQ(halves[0].shape.faces.size(), 1U);
  EXPECT_EQ(halves[0].shape.corners.size(), 4U);
  EXPECT_EQ(vtu_of(2, halves).find("faceoffsets"), std::string::npos);
  Cells mixed = halves;
  mixed[1].shape = {};
  EXPECT_EQ(error_of([&] { vtu_of(2, mixed); }),
            "evenkeel: extras/vtk: Some cells are boxes, and others are polyhedra. Write two "
            "pictures.");
}

TEST(Cells, OfNobody) {
  EXPECT_TRUE(cells_of(CurveDomains()).empty());
  EXPECT_TRUE(cells_of(GridDomains()).empty());
  EXPECT_TRUE(cells_of(TreeDomains()).empty());
  EXPECT_TRUE(cells_of(Domains()).empty());
}

TEST(Cells, TheWorkIsOfEachPart) {
  const std::string text =
      "evenkeel: extras/vtk: The work of 3 parts was given, but there are 2 parts. Give the work "
      "of each part, or "
      "of no part.";
  const std::vector<double> work(3);
  const Box box{{0, 0, 0}, {1, 1, 1}};
  EXPECT_EQ(error_of([&] {
              cells_of(CurveDomains(1, 3, box, {}, {{0}, {5}, end_of_curve(3)}), work);
            }),
            text);
  EXPECT_EQ(error_of([&] {
              cells_of(GridDomains::uniform({1, {2, 1, 1}}, box, GridScheme::tensor), work);
            }),
            text);
  EXPECT_EQ(error_of([&] { cells_of(TreeDomains(1, 3, box, {}, {{0.5, 0, 1}}), work); }), text);
}

// --- The bytes -----------------------------------------------------------------------------------

template <class Number>
Number number_at(const std::string& bytes, std::size_t offset) {
  Number number = 0;
  EXPECT_LE(offset + sizeof(Number), bytes.size());
  std::memcpy(&number, bytes.data() + offset, sizeof(Number));
  return number;
}

// Reads as a reader of the format does: the offset is in the XML, and counts from the byte after
// the '_'.
template <class Number>
std::vector<Number> array_of(const std::string& bytes, const std::string& declared) {
  const std::size_t element = bytes.find("<DataArray " + declared);
  EXPECT_NE(element, std::string::npos) << declared;
  const std::string mark = "offset=\"";
  const std::size_t offset = bytes.find(mark, element) + mark.size();
  const std::string start = "encoding=\"raw\">\n_";
  const std::size_t block = bytes.find(start) + start.size() + std::stoul(bytes.substr(offset, 20));
  const auto size = number_at<std::uint64_t>(bytes, block);
  EXPECT_EQ(size % sizeof(Number), 0U);
  std::vector<Number> numbers;
  for (std::uint64_t at = 0; at < size; at += sizeof(Number))
    numbers.push_back(number_at<Number>(bytes, block + 8 + at));
  return numbers;
}

template <class Number>
void expect_array(const std::string& bytes, const std::string& type, const std::string& name,
                  const std::vector<Number>& numbers) {
  EXPECT_EQ(array_of<Number>(bytes, "type=\"" + type + "\" Name=\"" + name + '"'), numbers);
}

void expect_points(const std::string& bytes, const std::vector<double>& coordinates) {
  expect_array(bytes, "Float64", "Points", coordinates);
  EXPECT_MENTIONS(bytes, R"(Name="Points" NumberOfComponents="3")");
}

TEST(Vtu, BoxesInThreeDimensions) {
  const std::string bytes = vtu_of(
      3, Cells{{{{0, 1, 2}, {10, 11, 12}}, 7, 5, 0.5}, {{{-1, -1, -1}, {-1, -1, -1}}, -1, 0, 1.5}});
  EXPECT_MENTIONS(bytes, R"(<Piece NumberOfPoints="16" NumberOfCells="2">)");
  std::vector<double> corners = {0, 1, 2,  10, 1, 2,  0, 11, 2,  10, 11, 2,
                                 0, 1, 12, 10, 1, 12, 0, 11, 12, 10, 11, 12};
  corners.insert(corners.end(), 24, -1.0);
  expect_points(bytes, corners);
  expect_array<std::int64_t>(bytes, "Int64", "connectivity",
                             {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  expect_array<std::int64_t>(bytes, "Int64", "offsets", {8, 16});
  expect_array<std::uint8_t>(bytes, "UInt8", "types", {11, 11});
  expect_array<std::int32_t>(bytes, "Int32", "part", {7, -1});
  expect_array<std::int32_t>(bytes, "Int32", "rank", {5, 0});
  expect_array<double>(bytes, "Float64", "work", {0.5, 1.5});
  expect_array<double>(bytes, "Float64", "share", {0.25, 0.75});
  EXPECT_TRUE(bytes.ends_with("\n  </AppendedData>\n</VTKFile>\n"));
}

TEST(Vtu, BoxesInTwoDimensions) {
  const double any = std::numeric_limits<double>::quiet_NaN();
  const std::string bytes = vtu_of(2, Cells{{{{0, 1, any}, {10, 11, any}}, 3, 3, 2.0}});
  EXPECT_MENTIONS(bytes, R"(<Piece NumberOfPoints="4" NumberOfCells="1">)");
  expect_points(bytes, {0, 1, 0, 10, 1, 0, 0, 11, 0, 10, 11, 0});
  expect_array<std::int64_t>(bytes, "Int64", "offsets", {4});
  expect_array<std::uint8_t>(bytes, "UInt8", "types", {8});
}

TEST(Vtu, BoxesInOneDimension) {
  const std::string bytes = vtu_of(1, Cells{{{{-2, 9, 9}, {3, 9, 9}}, 0, 0, 0}, {}});
  EXPECT_MENTIONS(bytes, R"(<Piece NumberOfPoints="4" NumberOfCells="2">)");
  expect_points(bytes, {-2, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0});
  expect_array<std::uint8_t>(bytes, "UInt8", "types", {3, 3});
  expect_array<double>(bytes, "Float64", "share", {0, 0});
}

// Arrays must be in the order of their declarations, without gaps.
TEST(Vtu, TheOrderOfArrays) {
  const std::string bytes = vtu_of(3, Cells(5));
  const std::string mark = "offset=\"";
  std::vector<std::size_t> offsets;
  for (std::size_t at = bytes.find(mark); at != std::string::npos; at = bytes.find(mark, at + 1))
    offsets.push_back(std::stoul(bytes.substr(at + mark.size(), 20)));
  const std::vector<std::size_t> sizes = {5 * 24 * 8, 5 * 8 * 8, 5 * 8, 5, 5 * 4, 5 * 4, 5 * 8};
  ASSERT_EQ(offsets.size(), sizes.size() + 1);
  EXPECT_EQ(offsets[0], 0U);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    EXPECT_EQ(offsets[i + 1], offsets[i] + 8 + sizes[i]);
}

TEST(Vtu, NoBoxes) {
  const std::string bytes = vtu_of(3, {});
  EXPECT_MENTIONS(bytes, R"(<Piece NumberOfPoints="0" NumberOfCells="0">)");
  EXPECT_TRUE(array_of<std::int32_t>(bytes, R"(type="Int32" Name="part")").empty());
}

// The work of a part must count once, however many cells it has and wherever they are.
TEST(Vtu, Shares) {
  const std::string bytes =
      vtu_of(3, Cells{{{}, 4, 0, 1}, {{}, 9, 0, 3}, {{}, 4, 0, 1}, {{}, 9, 0, 3}, {{}, 4, 0, 1}});
  expect_array<double>(bytes, "Float64", "share", {0.25, 0.75, 0.25, 0.75, 0.25});
}

TEST(Vtu, WhatIsNoCell) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const int dimensions : {0, 4})
    EXPECT_ERROR(vtu_of(dimensions, {}), "extras/vtk: A .vtu cannot hold boxes in " +
                                             std::to_string(dimensions) + " dimensions.");
  EXPECT_ERROR(vtu_of(3, Cells{{{{infinity, 0, 0}, {-infinity, 0, 0}}, 4, 0, 0}}),
               "extras/vtk: The box of part 4 is not finite. Leave out empty parts.");
  EXPECT_ERROR(
      vtu_of(3, Cells{{{}, 4, 0, -1}}),
      "extras/vtk: The work of part 4 is -1. Give numbers that are finite and not negative.");
  EXPECT_ERROR(vtu_of(3, Cells{{{}, 4, 0, infinity}}), "The work of part 4 is inf.");
}

// --- The file ------------------------------------------------------------------------------------

const Cells one_cell = {{{{0, 0, 0}, {1, 1, 1}}, 0, 0, 1}};

TEST(VtuFile, IsWholeAndReplacesWhatWasThere) {
  const test::ScratchDirectory directory;
  for (const char* name : {"fresh", "old"}) {
    const std::string path =
        name[0] == 'o' ? directory.with_file(name, "old") : directory.path_of(name);
    write_vtu(path, 3, one_cell);
    EXPECT_EQ(test::content_of(path), vtu_of(3, one_cell));
  }
  EXPECT_EQ(directory.files().size(), 2U);
}

TEST(VtuFile, ALinkStays) {
  const test::ScratchDirectory directory;
  const std::string target = directory.with_file("target", "old"), link = directory.path_of("link");
  std::filesystem::create_symlink("target", link);
  write_vtu(link, 3, one_cell);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(test::content_of(target), vtu_of(3, one_cell));
}

TEST(VtuFile, TargetsThatAreNone) {
  const test::ScratchDirectory directory;
  const auto refusal = [](const std::string& path, const std::string& reason) {
    return "evenkeel: extras/vtk: The file '" + path + "' cannot be written: " + reason +
           ". Name a file in a directory that exists and that you may write to.";
  };
  const auto writing = [](const std::string& path) {
    return error_of([&] { write_vtu(path, 3, one_cell); });
  };
  const std::string here = directory.path_of(""), nowhere = directory.path_of("missing/out");
  EXPECT_EQ(writing(here), refusal(here, "Is a directory"));
  EXPECT_EQ(writing(nowhere), refusal(nowhere, "No such file or directory"));
  EXPECT_EQ(writing("/dev/null"), refusal("/dev/null", "Invalid argument"));
  EXPECT_NE(writing(""), "nothing was thrown");
  const std::string below_file = directory.with_file("file", "") + "/out";
  EXPECT_EQ(writing(below_file), refusal(below_file, "Not a directory"));
  EXPECT_EQ(directory.files(), std::vector<std::string>{"file"});
  EXPECT_ERROR(write_vtu(directory.path_of("out"), 0, one_cell), "boxes in 0 dimensions");
  EXPECT_EQ(directory.files(), std::vector<std::string>{"file"});
}

// A limit on the bytes that a process may write simulates a full disk. Nothing may be left of the
// file.
TEST(VtuFile, AFullDiskLeavesNothing) {
  const test::ScratchDirectory directory;
  const std::string path = directory.with_file("out", "old");
  const std::string text = [&] {
    const test::FullDisk full(100);
    return error_of([&] { write_vtu(path, 3, one_cell); });
  }();
  EXPECT_EQ(text, "evenkeel: extras/vtk: The file '" + path +
                      "' could not be written: File too large. Free some space or name another "
                      "path; no part of the file was left.");
  EXPECT_EQ(test::content_of(path), "old");
  EXPECT_EQ(directory.files(), std::vector<std::string>{"out"});
}

}  // namespace
}  // namespace evenkeel::vtk_test
