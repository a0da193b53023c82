#pragma once

// What a refined patch costs, by its size: a ((mx + B)(my + C) + D) seconds in 2-D and
// a ((mx + B)(my + C)(mz + E) + D) in 3-D. B, C and E act as ghost cells along each axis, since a
// solver works on them too, and D as cells that stand for the overhead of a patch. None of them is
// negative and a is positive, so costs are positive and grow with the size.
//
// The product in 3-D has 5 numbers where the general form, with a term for each face and edge, has
// 8: ghost layers make a box of mx + B by my + C by mz + E cells, so the other three follow.
//
// Local: no communication, no Kokkos.

#include <evenkeel/backends/export.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace evenkeel {

// The cells of a patch along each axis. Axes beyond the dimensions do not count.
using PatchSize = std::array<std::int64_t, 3>;

struct PatchModel {
  int dimensions = 2;
  double seconds_per_cell = 1;               // a: positive
  std::array<double, 3> ghosts = {0, 0, 0};  // B, C, E
  double overhead_cells = 0;                 // D

  // Seconds of one step of a patch. Throws an Error for a patch without cells, and for numbers that
  // are not as said above.
  EVENKEEL_API double seconds_of(const PatchSize& size) const;
};

// How long a step of a patch has taken.
struct PatchTiming {
  PatchSize size = {1, 1, 1};
  double seconds = 0;  // positive
};

// Why timings do not tell a number.
enum class PatchDoubt : int {
  none,     // they do
  few,      // there are fewer timings than it takes
  alike,    // sizes vary too little: along this axis they are all the same
  squares,  // all patches are squares or cubes, so the axes cannot be told apart
  noise     // timings scatter so much that the number is hardly more than a guess
};
EVENKEEL_API const char* text_of(PatchDoubt doubt) noexcept;

// One number of the model, and how sure it is.
struct PatchNumber {
  const char* name = "";   // "a", "B", "C", "E", "D"
  double value = 0;        // that of the model
  double uncertainty = 0;  // one standard error; infinite where timings say nothing
  PatchDoubt doubt = PatchDoubt::few;
  bool is_told() const noexcept { return doubt == PatchDoubt::none; }
};

// What timings tell.
struct PatchFit {
  // Fit for use whatever is told: a number that timings say nothing of is as near to 0 as they
  // allow.
  PatchModel model;
  std::vector<PatchNumber> numbers;  // a, B, C, in 3-D E, and D
  // What a patch costs beside what grows with its size: a (B C + D), in 3-D a (B C E + D). Timings
  // tell this far better than D, which is the small difference of such costs.
  double fixed_seconds = 0, fixed_uncertainty = 0;
  double timings = 0;   // how many count, less where earlier ones are half forgotten
  double outliers = 0;  // of them, off by more than 5 times the noise
  double noise = 0;     // relative standard error of one timing, outliers aside
  EVENKEEL_API bool is_told() const noexcept;  // all numbers are
};

// Fits a model to timings of patches, each of one step. Weighs timings by their relative errors,
// because the noise of timings is a share of them, and bounds what an outlier can do (Huber, Ann.
// Math. Stat. 35, 1964). A number counts as told when its standard error is at most a quarter of
// it, or when it changes the cost of no patch timed by more than 2 %.
//
// Throws an Error for dimensions other than 2 and 3, no timings, patches without cells, and seconds
// that are zero, negative, NaN or infinite.
EVENKEEL_API PatchFit fit_patches(int dimensions, std::span<const PatchTiming> timings);

// Sizes that tell most when `count` patches between two sizes may be timed: three in four stand at
// the corners of the range, where the standard errors of all numbers together are least; the others
// lie between, so that a cost that does not follow the model shows as noise.
EVENKEEL_API std::vector<PatchSize> patch_sizes_to_time(int dimensions, std::int64_t least,
                                                        std::int64_t greatest, int count);

// The same fit on the fly. The first 32 timings are kept and fitted as above; from then on it keeps
// sums, weighs a timing by the model as it is, and forgets. The first ones never count less than a
// tenth, so that a run whose patches have all become alike does not unlearn the rest; and where all
// timings of an epoch are off alike, the machine has another speed now, and only `a` changes.
class EVENKEEL_API PatchFitter {
 public:
  // `memory`: how much the timings so far count after an epoch, above 0 and up to 1.
  explicit PatchFitter(int dimensions, double memory = 0.9);
  ~PatchFitter();
  PatchFitter(PatchFitter&&) noexcept;
  PatchFitter& operator=(PatchFitter&&) noexcept;

  // Takes a timing into account, and ends an epoch, after which all timings so far count less.
  void add(const PatchTiming& timing);
  void end_epoch();

  // Throws an Error before the first timing.
  PatchFit fit() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel
