#pragma once

// The shapes of the cells of a power diagram: the boxes around them, and the sites around each
// site. They show which cells meet a box.

#include "domains/power/cells.hpp"
#include "domains/power/polyhedron.hpp"

#include <cmath>
#include <mutex>
#include <utility>

namespace evenkeel {

// For kernels: finds out whether cells meet boxes and balls. A cell may have several pieces, one
// for each image of its site that owns places of the box of all domains. The arrays are in memory
// that the caller can access.
struct CellsMeeting {
  const PowerRival* pieces = nullptr;  // in the order of parts
  const int* first_piece = nullptr;    // of each part, then the number of all pieces
  const PowerRival* around = nullptr;  // the rivals that touch each piece
  const int* first_around = nullptr;   // of each piece, then the number of all
  int dimensions = 0;

  // Returns true if a cell may have a place in a closed box of lattice cells, and in a ball if one
  // is given. The answer is exact for a box of one cell. Otherwise it is false if one rival takes
  // all these places, or two rivals together. Only at a corner, where three rivals take them, it
  // may be true for no reason.
  KOKKOS_FUNCTION bool operator()(int part, const double* lower, const double* upper,
                                  const LatticeBall* ball = nullptr) const {
    for (int piece = first_piece[part]; piece < first_piece[part + 1]; ++piece)
      if (meets(piece, lower, upper, ball)) return true;
    return false;
  }

 private:
  // How much more than the own site a rival costs: a linear function of the place.
  struct Lead {
    double constant, slope[3];

    KOKKOS_FUNCTION double at_best(const double* lower, const double* upper) const {
      double lead = constant;
      for (int d = 0; d < 3; ++d)
        if (slope[d] != 0) lead += slope[d] * (slope[d] > 0 ? upper[d] : lower[d]);
      return lead;
    }
    // Returns at least the greatest lead at the cells of a ball. A cell is named by the corner with
    // its least coordinates, which may be up to one cell below a place of the ball.
    KOKKOS_FUNCTION double at_best(const LatticeBall& ball) const {
      double lead = constant, square = 0;
      for (int d = 0; d < 3; ++d) {
        lead += slope[d] * ball.center[d] - (slope[d] < 0 ? slope[d] : 0);
        square += slope[d] * slope[d] * ball.radius[d] * ball.radius[d];
      }
      return lead + std::sqrt(square);
    }
    // Returns (1 - share) of this function and `share` of the other one.
    KOKKOS_FUNCTION Lead mixed(const Lead& other, double share) const {
      Lead mix = {};
      mix.constant = (1 - share) * constant + share * other.constant;
      for (int d = 0; d < 3; ++d) mix.slope[d] = (1 - share) * slope[d] + share * other.slope[d];
      return mix;
    }
  };

  // More than rounding changes the lead of a mix or in a ball.
  static constexpr double margin = 1;

  KOKKOS_FUNCTION bool meets(int piece, const double* lower, const double* upper,
                             const LatticeBall* ball) const {
    constexpr int most = 8;
    const PowerRival& own = pieces[piece];
    Lead cutting[most];  // of rivals that take a share of the box
    int count = 0;
    for (int i = first_around[piece]; i < first_around[piece + 1]; ++i) {
      const PowerRival& rival = around[i];
      if (own.loses_to(rival, lower, upper)) return false;
      Lead lead = {rival.constant - own.constant, {}};
      for (int d = 0; d < dimensions; ++d) lead.slope[d] = own.twice[d] - rival.twice[d];
      if (ball != nullptr && lead.at_best(*ball) < -margin) return false;
      if (count < most && lead.at_best(upper, lower) < 0) cutting[count++] = lead;
    }
    if (count < 2 || finds_place(cutting, count, lower, upper, ball)) return true;
    for (int i = 1; i < count; ++i)
      for (int j = 0; j < i; ++j)
        if (lose_together(cutting[i], cutting[j], lower, upper) ||
            (ball != nullptr && lose_together(cutting[i], cutting[j], *ball)))
          return false;
    return true;
  }

  // Looks for a place of the box and the ball at which no lead is below 0. Starts in the middle
  // and goes to the border of each rival that is better. If there is such a place, no two rivals
  // take all places, which saves the comparison of all pairs.
  KOKKOS_FUNCTION bool finds_place(const Lead* leads, int count, const double* lower,
                                   const double* upper, const LatticeBall* ball) const {
    constexpr int walks = 3;
    double at[3] = {};
    for (int d = 0; d < dimensions; ++d) {
      const double middle = ball != nullptr ? ball->center[d] : 0.5 * (lower[d] + upper[d]);
      at[d] = middle < lower[d] ? lower[d] : middle > upper[d] ? upper[d] : middle;
    }
    for (int walk = 0; walk < walks; ++walk) {
      bool has_moved = false;
      for (int i = 0; i < count; ++i) {
        double lead = leads[i].constant, square = 0;
        for (int d = 0; d < dimensions; ++d) {
          lead += leads[i].slope[d] * at[d];
          square += leads[i].slope[d] * leads[i].slope[d];
        }
        if (lead >= 0) continue;
        if (walk + 1 == walks) return false;
        has_moved = true;
        for (int d = 0; d < dimensions; ++d) {
          const double next = at[d] - (lead - margin) / square * leads[i].slope[d];
          at[d] = next < lower[d] ? lower[d] : next > upper[d] ? upper[d] : next;
        }
      }
      if (has_moved) continue;
      if (ball == nullptr) return true;
      double square = 0;
      for (int d = 0; d < dimensions; ++d) {
        const double away = (at[d] - ball->center[d]) / ball->radius[d];
        square += away * away;
      }
      return square <= 1;
    }
    return false;
  }
  // Returns true if some mix of two leads is below 0 in the whole box: then one of the two rivals
  // is better at each place. The greatest value of a mix is a convex function of the share, and has
  // its least value where the mix does not depend on one coordinate.
  KOKKOS_FUNCTION bool lose_together(const Lead& one, const Lead& other, const double* lower,
                                     const double* upper) const {
    for (int d = 0; d < dimensions; ++d) {
      if (!(one.slope[d] * other.slope[d] < 0)) continue;
      const double share = one.slope[d] / (one.slope[d] - other.slope[d]);
      if (one.mixed(other, share).at_best(lower, upper) < -margin) return true;
    }
    return false;
  }
  // The same for a ball: there the greatest value of a mix is a linear function of the share plus
  // the length of a vector that changes linearly with it. The share makes its derivative 0.
  KOKKOS_FUNCTION bool lose_together(const Lead& one, const Lead& other,
                                     const LatticeBall& ball) const {
    double change = other.constant - one.constant, first = 0, both = 0, last = 0;
    for (int d = 0; d < dimensions; ++d) {
      const double from = one.slope[d] * ball.radius[d];
      const double by = other.slope[d] * ball.radius[d] - from;
      change += (other.slope[d] - one.slope[d]) * ball.center[d];
      first += from * from;
      both += from * by;
      last += by * by;
    }
    const double rest = last - change * change, area = last * first - both * both;
    if (!(rest > 0)) return false;
    const double share = -(both + change * std::sqrt((area > 0 ? area : 0) / rest)) / last;
    return share > 0 && share < 1 && one.mixed(other, share).at_best(ball) < -margin;
  }
};

// A diagram and the shapes of its cells, on the host. The shapes are made when they are first asked
// for.
class PowerShapes {
 public:
  PowerShapes(const Lattice& lattice, std::span<const PowerSite> sites)
      : lattice_(lattice), cells_(lattice, sites), parts_(sites.size()) {}

  const Lattice& lattice() const noexcept { return lattice_; }
  const PowerCells& cells() const noexcept { return cells_; }

  struct Pieces {
    std::vector<PowerRival> pieces, around;
    std::vector<int> first_piece, first_around;
    std::vector<LatticeBox> boxes;  // around each piece
  };
  const Pieces& pieces() const;

  CellsMeeting meeting() const {
    const Pieces& all = pieces();
    return {all.pieces.data(), all.first_piece.data(), all.around.data(), all.first_around.data(),
            lattice_.dimensions()};
  }
  // The box around all pieces of a part; first is above last without pieces.
  LatticeBox box_of(int part) const;
  // The polyhedron of a piece.
  PowerPolyhedron polyhedron_of(int piece) const {
    const Pieces& all = pieces();
    const auto p = static_cast<std::size_t>(piece);
    return polyhedron_of(
        all.pieces[p],
        std::span(all.around)
            .subspan(static_cast<std::size_t>(all.first_around[p]),
                     static_cast<std::size_t>(all.first_around[p + 1] - all.first_around[p])));
  }
  // The parts that touch a part, with the areas of faces, in squares of lattice cells. A part
  // occurs once for each face and each contact.
  std::vector<std::pair<int, double>> touching(int part) const;

 private:
  void make_pieces(Pieces& all) const;
  bool owns_places(const PowerRival& rival, const std::vector<PowerRival>& around,
                   const LatticeBox& box) const;
  PowerPolyhedron polyhedron_of(const PowerRival& own, std::span<const PowerRival> around) const;

  Lattice lattice_;
  PowerCells cells_;
  std::size_t parts_;
  mutable std::once_flag is_made_;
  mutable Pieces pieces_;
};

}  // namespace evenkeel
