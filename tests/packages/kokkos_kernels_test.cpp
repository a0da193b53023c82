#include "support/harness.hpp"

#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#include <Kokkos_Core.hpp>

namespace evenkeel {
namespace {

// y = A x with A = tridiag(-1, 2, -1) and x = 1: zero inside, one at both ends.
TEST(KokkosKernels, MultipliesASparseMatrix) {
  using Space = Kokkos::DefaultHostExecutionSpace;
  using Matrix = KokkosSparse::CrsMatrix<double, int, Space, void, int>;
  constexpr int n = 10, entries = 3 * n - 2;
  Kokkos::View<int*, Space> row("row", n + 1), column("column", entries);
  Kokkos::View<double*, Space> value("value", entries), x("x", n), y("y", n);
  int next = 0;
  for (int i = 0; i < n; ++i) {
    x(i) = 1;
    for (int j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); ++j) {
      column(next) = j;
      value(next++) = i == j ? 2 : -1;
    }
    row(i + 1) = next;
  }
  const Matrix matrix("tridiagonal", n, n, entries, value, row, column);
  KokkosSparse::spmv("N", 1.0, matrix, x, 0.0, y);
  for (int i = 0; i < n; ++i) EXPECT_EQ(y(i), i == 0 || i == n - 1 ? 1 : 0);
}

}  // namespace
}  // namespace evenkeel
