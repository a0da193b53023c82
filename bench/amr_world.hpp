#pragma once

// A mesh of blocks, for a benchmark of codes with block AMR. Spheres move through the unit cube.
// The cube is divided into root blocks. Blocks that the surface of a sphere crosses are divided
// into eight, down to the finest level, and so are blocks near them: blocks that touch differ by
// one level at most. A mesh depends only on the scene, the seed, the number of ranks and the step.

#include "whole_loads.hpp"

namespace evenkeel::bench {

struct Scene {
  std::string name;
  bool apart;  // true if nothing may be tuned on this scene
  int spheres;
  double least, most;  // radii of spheres
  double way;          // of a centre in 100 steps; the edge of the cube is 1
  double growth = 0;   // radii grow and shrink by this share
};

inline std::vector<Scene> scenes() {
  return {{"one", false, 1, 0.25, 0.35, 0.3},        {"two", false, 2, 0.15, 0.25, 0.3},
          {"fast", false, 1, 0.15, 0.25, 1.2},       {"several", true, 4, 0.08, 0.2, 0.4},
          {"growing", true, 2, 0.15, 0.2, 0.1, 0.6}, {"slow", true, 1, 0.2, 0.3, 0.1}};
}

// A leaf of the octree. `first` is the number, in depth-first order, of the first of the finest
// blocks that fit into it.
struct Block {
  std::int64_t first;
  int level;
  Point centre;
  double cost;  // 1, or more if the surface of a sphere crosses the block

  std::int64_t number() const { return first * 8 + level; }  // no other block ever has it
};
using Mesh = std::vector<Block>;  // in depth-first order

class AmrWorld {
 public:
  static constexpr int levels = 3;

  // If costs are not even, blocks at the surface of a sphere cost up to 4 times as much as others.
  AmrWorld(const Scene& scene, std::uint64_t seed, int ranks, bool even)
      : roots_(static_cast<int>(std::lround(4 * std::cbrt(ranks / 2.0)))), scene_(scene) {
    Draw draw(seed, std::ssize(scene.name) * 1000 + scene.name.front());
    for (int s = 0; s < scene.spheres; ++s) {
      Sphere sphere;
      for (std::size_t d = 0; d < 3; ++d) {
        sphere.at[d] = draw.between(0, 2);
        sphere.way[d] = draw.gaussian();
      }
      const double length = std::sqrt(loads::square_distance(sphere.way, {}));
      for (double& way : sphere.way) way *= scene.way / 100 / length;
      sphere.radius = draw.between(scene.least, scene.most);
      sphere.cost = 1 + (even ? 0 : draw.between(0, 3));
      sphere.phase = draw.between(0, 1);
      spheres_.push_back(sphere);
    }
  }

  Mesh mesh(int step) const {
    std::vector<Sphere> spheres = spheres_;
    for (Sphere& sphere : spheres) {
      for (std::size_t d = 0; d < 3; ++d) {  // the walls reflect it
        const double along = sphere.at[d] + sphere.way[d] * step;
        sphere.at[d] = 0.1 + 0.8 * std::abs(along - 2 * std::round(along / 2));
      }
      const double turns = sphere.phase + step / 200.0;
      sphere.radius *= 1 + scene_.growth * std::sin(2 * std::numbers::pi * turns);
    }
    Mesh mesh;
    std::int64_t first = 0;
    for (int root = 0; root < roots_ * roots_ * roots_; ++root)
      add(spheres, 0, {root / (roots_ * roots_), root / roots_ % roots_, root % roots_}, first,
          mesh);
    return mesh;
  }

 private:
  struct Sphere {
    Point at, way;  // the centre, and its way in a step
    double radius, cost, phase;
  };
  using Place = std::array<int, 3>;  // of a block in the lattice of its level

  double edge(int level) const { return 1.0 / (roots_ << level); }

  // True if the surface crosses the block or is nearer than `margin` to it.
  bool reaches(const Sphere& sphere, int level, const Place& place, double margin) const {
    const double half = edge(level) / 2;
    double nearest = 0, farthest = 0;  // squares
    for (std::size_t d = 0; d < 3; ++d) {
      const double away = std::abs(sphere.at[d] - (2 * place[d] + 1) * half);
      nearest += std::max(0.0, away - half) * std::max(0.0, away - half);
      farthest += (away + half) * (away + half);
    }
    return std::sqrt(nearest) < sphere.radius + margin &&
           std::sqrt(farthest) > sphere.radius - margin;
  }

  // Adds a block, or those into which it is divided. Blocks that touch a divided block of the next
  // finer level must be divided, too; they are less than its diagonal farther from the surface.
  void add(const std::vector<Sphere>& spheres, int level, const Place& place, std::int64_t& first,
           Mesh& mesh) const {
    const double margin = std::sqrt(3.0) * (edge(level) - edge(levels - 2));
    const auto divides = [&](const Sphere& s) { return reaches(s, level, place, margin); };
    if (level < levels - 1 && std::ranges::any_of(spheres, divides)) {
      for (int c = 0; c < 8; ++c)
        add(spheres, level + 1,
            {2 * place[0] + c / 4, 2 * place[1] + c / 2 % 2, 2 * place[2] + c % 2}, first, mesh);
      return;
    }
    Block block{first, level, {}, 1};
    for (std::size_t d = 0; d < 3; ++d) block.centre[d] = (place[d] + 0.5) * edge(level);
    for (const Sphere& sphere : spheres)
      if (reaches(sphere, level, place, 0)) block.cost = std::max(block.cost, sphere.cost);
    first += std::int64_t{1} << (3 * (levels - 1 - level));
    mesh.push_back(block);
  }

  int roots_;  // along an edge of the cube
  Scene scene_;
  std::vector<Sphere> spheres_;
};

// The owner of each block of a new mesh. A new block begins on the owner of the old block around
// it, or of the first of the old blocks that were merged into it.
inline std::vector<int> inherited(const Mesh& old, const std::vector<int>& owners,
                                  const Mesh& fresh) {
  std::vector<int> result;
  std::size_t parent = 0;
  for (const Block& block : fresh) {
    while (parent + 1 < old.size() && old[parent + 1].first <= block.first) ++parent;
    result.push_back(owners[parent]);
  }
  return result;
}

}  // namespace evenkeel::bench
