// Block elimination of the equations of motion with constraints, see elimination.hpp.
#include "elimination.hpp"

#include "../../fem/core/export.hpp"

namespace flexbody {

// M = B B^T in place, column by column: B_jj = sqrt(M_jj - sum B_jk^2), B_ij = (M_ij - sum B_ik B_jk) / B_jj. The
// first `apart` velocities are coupled to no other; false if M is not definite.
template <class Real>
static bool factorise_body(Real* A, Index n, Index apart) {
  using std::sqrt;
  for (Index j = 0; j < n; ++j) {
    const Index start = j >= apart ? apart : j;
    Real* column = A + j * n;
    Real value = column[j];
    for (Index k = start; k < j; ++k) value -= column[k] * column[k];
    if (!(value > 0.0)) return false;
    const Real pivot = 1.0 / sqrt(value);
    column[j] = pivot;
    if (j < apart) continue;
    for (Index i = j + 1; i < n; ++i) {
      Real* row = A + i * n;
      Real entry = row[j];
      for (Index k = start; k < j; ++k) entry -= row[k] * column[k];
      row[j] = entry * pivot;
    }
  }
  return true;
}

template <class Real>
bool factorise_bodies(const Layout& layout, Work<Real>& work) {
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const Index n = 6 + layout.body_modes[b];
    Real* A = work.matrix.part(layout.matrix_at[b], n * n).data;
    if (!factorise_body(A, n, 3 * layout.body_mean[b])) return false;
  }
  return true;
}

template <class Real>
void forward_bodies(const Layout& layout, const Work<Real>& work, Reals<Real> x) {
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const auto factor = body_factor(layout, work, b);
    forward_body(factor, x.part(layout.v_at[b], factor.n).data);
  }
}

template <class Real>
void backward_bodies(const Layout& layout, const Work<Real>& work, Reals<Real> x) {
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const auto factor = body_factor(layout, work, b);
    backward_body(factor, x.part(layout.v_at[b], factor.n).data);
  }
}

// S += Y^T Y of one body: its rows Y (rows, n), and where in S the product of two rows goes, lower triangle.
template <class Real>
static void add_products(const Real* __restrict Y, Index rows, Index n, const Index* pair, Real* __restrict S) {
  for (Index r = 0; r < rows; ++r) {
    const Real* y = Y + r * n;
    if (n == 6) {
      const Real y0 = y[0], y1 = y[1], y2 = y[2], y3 = y[3], y4 = y[4], y5 = y[5];
      for (const Real* z = Y; z <= y; z += 6) {
        const Real value = (z[0] * y0 + z[1] * y1) + (z[2] * y2 + z[3] * y3);
        S[*pair++] += value + (z[4] * y4 + z[5] * y5);
      }
      continue;
    }
    for (const Real* z = Y; z <= y; z += n) {
      Real value = 0.0;
      for (Index i = 0; i < n; ++i) value += y[i] * z[i];
      S[*pair++] += value;
    }
  }
}

template <class Real>
void fill_complement(const Layout& layout, Work<Real>& work) {
  work.S.fill(0.0);
  work.Y.copy(work.G);
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const auto factor = body_factor(layout, work, b);
    const Index n = factor.n, rows = layout.body_row_at[b + 1] - layout.body_row_at[b];
    Real* Y = work.Y.part(layout.body_block_at[b], rows * n).data;
    for (Index r = 0; r < rows; ++r) forward_body(factor, Y + r * n);
    add_products(Y, rows, n, layout.pair.part(layout.body_pair_at[b], rows * (rows + 1) / 2).data, work.S.data);
  }
}

namespace {

// A panel of the factor: its n rows from `first` on in the order of the elimination, then those below, over its own
// columns; S (n + below, n), row by row.
template <class Real>
struct Panel {
  Index first, n, below;
  Real* S;
};

}  // namespace

template <class Real>
static Panel<Real> panel_of(const Layout& layout, const Work<Real>& work, Index g) {
  const Index first = layout.panel_row_at[g], n = layout.panel_row_at[g + 1] - first;
  const Index below = layout.below_at[g + 1] - layout.below_at[g];
  return {first, n, below, work.S.part(layout.panel_at[g], (n + below) * n).data};
}

// row = row C^-T up to column `count`, with the factor C of the rows above, reciprocal diagonal.
template <class Real>
static void eliminate(Real* row, const Real* C, Index count, Index n) {
  for (Index c = 0; c < count; ++c, C += n) {
    Real value = row[c];
    for (Index k = 0; k < c; ++k) value -= row[k] * C[k];
    row[c] = value * C[c];
  }
}

// Factorise a panel's own rows, C C^T = S; returns how many have a pivot.
template <class Real>
static Index factorise_panel(Work<Real>& work, const Panel<Real>& panel) {
  using std::sqrt;
  Index rank = 0;
  Real* row = panel.S;
  for (Index r = 0; r < panel.n; ++r, row += panel.n) {
    eliminate(row, panel.S, r, panel.n);
    Real value = row[r];
    for (Index k = 0; k < r; ++k) value -= row[k] * row[k];
    const Real diagonal = work.diagonal[panel.first + r];
    row[r] = 0.0;
    if (work.kept[panel.first + r] == 0 || !(value > PIVOT * diagonal)) continue;
    row[r] = 1.0 / sqrt(value);
    work.pivot = smaller(work.pivot, value / diagonal);
    ++rank;
  }
  return rank;
}

// Subtract from S the products of the rows (below, n) below a panel; `update` says where, lower triangle.
template <class Real>
static void update_rows(const Real* rows, Index below, Index n, const Index* update, Real* S) {
  const Real* row = rows;
  for (Index r = 0; r < below; ++r, row += n) {
    for (const Real* other = rows; other <= row; other += n) {
      Real value = 0.0;
      for (Index k = 0; k < n; ++k) value += row[k] * other[k];
      S[*update++] -= value;
    }
  }
}

template <class Real>
Index factorise_rows(const Layout& layout, Work<Real>& work) {
  Index rank = 0;
  work.pivot = 1.0;
  for (Index g = 0; g < layout.panel_at.size() - 1; ++g) {
    const auto panel = panel_of(layout, work, g);
    rank += factorise_panel(work, panel);
    Real* below = panel.S + panel.n * panel.n;
    for (Index r = 0; r < panel.below; ++r) eliminate(below + r * panel.n, panel.S, panel.n, panel.n);
    const Index* update = layout.update.part(layout.update_at[g], panel.below * (panel.below + 1) / 2).data;
    update_rows(below, panel.below, panel.n, update, work.S.data);
  }
  return rank;
}

template <class Real>
bool factorise(const Layout& layout, Work<Real>& work, Reals<Real> compliance) {
  const Index rows = layout.row_kind.size();
  if (!factorise_bodies(layout, work)) return false;
  fill_complement(layout, work);
  for (Index p = 0; p < layout.elimination.size(); ++p) {
    const Index k = layout.elimination[p], at = layout.diagonal_at[p];
    if (k < rows) {
      work.kept[p] = work.active[k];
    } else {
      work.compliance[k - rows] = larger(compliance[k - rows], Real(0.0));
      work.S[at] += work.compliance[k - rows];
      work.kept[p] = compliance[k - rows] >= 0.0;
    }
    work.diagonal[p] = work.S[at];
  }
  work.rank = factorise_rows(layout, work);
  return true;
}

namespace {

// A number for each of two right sides.
template <class Real>
struct Pair {
  Real one, two;

  Pair& operator+=(const Pair& b) {
    one += b.one, two += b.two;
    return *this;
  }
  Pair& operator-=(const Pair& b) {
    one -= b.one, two -= b.two;
    return *this;
  }
};

}  // namespace

template <class Real>
static Pair<Real> operator*(std::type_identity_t<Real> s, const Pair<Real>& a) {
  return {s * a.one, s * a.two};
}

// C z = z of a panel, and z -= L z of the rows below it. Number is Real, or a Pair of them.
template <class Number, class Real>
static void forward_panel(const Panel<Real>& panel, const Index* below, Number* z) {
  const Real* row = panel.S;
  Number* own = z + panel.first;
  const Index n = panel.n;
  for (Index r = 0; r < n; ++r, row += n) {
    Number value = own[r];
    for (Index k = 0; k < r; ++k) value -= row[k] * own[k];
    own[r] = row[r] * value;
  }
  for (Index r = 0; r < panel.below; ++r, row += n) {
    Number value{};
    for (Index k = 0; k < n; ++k) value += row[k] * own[k];
    z[below[r]] -= value;
  }
}

// z -= L^T z of the rows below a panel, and C^T z = z.
template <class Number, class Real>
static void backward_panel(const Panel<Real>& panel, const Index* below, Number* z) {
  Number* own = z + panel.first;
  const Index n = panel.n;
  const Real* row = panel.S + n * n;
  for (Index r = 0; r < panel.below; ++r, row += n) {
    const Number value = z[below[r]];
    for (Index k = 0; k < n; ++k) own[k] -= row[k] * value;
  }
  for (Index r = n - 1; r >= 0; --r) {
    row = panel.S + r * n;
    const Number value = row[r] * own[r];
    own[r] = value;
    for (Index k = 0; k < r; ++k) own[k] -= row[k] * value;
  }
}

// S z = z in place, z (m,) in the order of the elimination, with the factor of `factorise_rows`; rows that are left
// out get zero.
template <class Number, class Real>
static void solve_panels(const Layout& layout, const Work<Real>& work, Number* z) {
  const Index panels = layout.panel_at.size() - 1;
  const Index *below = layout.below.data, *below_at = layout.below_at.data;
  for (Index g = 0; g < panels; ++g) forward_panel(panel_of(layout, work, g), below + below_at[g], z);
  for (Index g = panels - 1; g >= 0; --g) backward_panel(panel_of(layout, work, g), below + below_at[g], z);
}

// z += Y^T x; x (nv,), z (m,) in the order of the elimination.
template <class Real>
static void add_rows(const Layout& layout, const Work<Real>& work, const Real* x, Real* z) {
  const Real* y = work.Y.data;
  const Index* row = layout.body_row.data;
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const Index n = 6 + layout.body_modes[b], rows = layout.body_row_at[b + 1] - layout.body_row_at[b];
    const Real* own = x + layout.v_at[b];
    for (Index r = 0; r < rows; ++r, y += n) z[*row++] += row_times(y, own, n);
  }
}

// x -= Y z; z (m,) in the order of the elimination, x (nv,).
template <class Real>
static void take_rows(const Layout& layout, const Work<Real>& work, const Real* z, Real* x) {
  const Real* y = work.Y.data;
  const Index* row = layout.body_row.data;
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const Index n = 6 + layout.body_modes[b], rows = layout.body_row_at[b + 1] - layout.body_row_at[b];
    Real* own = x + layout.v_at[b];
    for (Index r = 0; r < rows; ++r, y += n) {
      const Real value = z[*row++];
      for (Index i = 0; i < n; ++i) own[i] -= y[i] * value;
    }
  }
}

template <class Real>
void solve(const Layout& layout, Work<Real>& work, Reals<Real> right, Reals<Real> x, Reals<Real> y) {
  const auto z = work.solution;
  const Index rows = layout.row_kind.size();
  forward_bodies(layout, work, x);
  y.fill(0.0);
  // a light body between heavy ones costs digits: what the rows then miss is solved for again
  const int passes = work.pivot > CANCELLED ? 1 : 3;
  for (int pass = 0; pass < passes; ++pass) {
    for (Index p = 0; p < z.size(); ++p) {
      const Index k = layout.elimination[p];
      z[p] = -right[k];
      if (k >= rows) z[p] -= work.compliance[k - rows] * y[k];
    }
    add_rows(layout, work, x.data, z.data);
    solve_panels(layout, work, z.data);
    take_rows(layout, work, z.data, x.data);
    for (Index p = 0; p < z.size(); ++p) y[layout.elimination[p]] += z[p];
  }
  backward_bodies(layout, work, x);
}

template <class Real>
void solve_rows_only(const Layout& layout, Work<Real>& work, Reals<Real> right, Reals<Real> x, Reals<Real> y) {
  x.fill(0.0);
  if (work.pivot <= CANCELLED) {
    solve(layout, work, right, x, y);
    return;
  }
  const auto z = work.solution;
  for (Index p = 0; p < z.size(); ++p) z[p] = -right[layout.elimination[p]];
  solve_panels(layout, work, z.data);
  take_rows(layout, work, z.data, x.data);
  for (Index p = 0; p < z.size(); ++p) y[layout.elimination[p]] = z[p];
  backward_bodies(layout, work, x);
}

// x = B^-1 x of all bodies, and z.one += Y^T x; x (nv,), z (m,).
template <class Real>
static void forward_two(const Layout& layout, const Work<Real>& work, Real* x, Pair<Real>* z) {
  const Real* y = work.Y.data;
  const Index* row = layout.body_row.data;
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const auto factor = body_factor(layout, work, b);
    const Index rows = layout.body_row_at[b + 1] - layout.body_row_at[b];
    Real* own = x + layout.v_at[b];
    forward_body(factor, own);
    for (Index r = 0; r < rows; ++r, y += factor.n) z[*row++].one += row_times(y, own, factor.n);
  }
}

// x = B^-T (x - Y z.one) and shift = -B^-T Y z.two of all bodies; x and shift (nv,), z (m,).
template <class Real>
static void backward_two(const Layout& layout, const Work<Real>& work, const Pair<Real>* z, Real* x, Real* shift) {
  const Real* y = work.Y.data;
  const Index* row = layout.body_row.data;
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const auto factor = body_factor(layout, work, b);
    const Index n = factor.n, v = layout.v_at[b], rows = layout.body_row_at[b + 1] - layout.body_row_at[b];
    Real* __restrict first = x + v, * __restrict second = shift + v;
    for (Index i = 0; i < n; ++i) second[i] = 0.0;
    for (Index r = 0; r < rows; ++r, y += n) {
      const Pair<Real> value = z[*row++];
      for (Index i = 0; i < n; ++i) {
        first[i] -= y[i] * value.one;
        second[i] -= y[i] * value.two;
      }
    }
    backward_body(factor, first);
    backward_body(factor, second);
  }
}

template <class Real>
void solve_two(const Layout& layout, Work<Real>& work, Reals<Real> right, Reals<Real> x, Reals<Real> y,
               Reals<Real> other, Reals<Real> shift) {
  if (work.pivot <= CANCELLED) {
    solve(layout, work, right, x, y);
    solve_rows_only(layout, work, other, shift, work.unused);
    return;
  }
  const Index m = layout.elimination.size();
  auto* z = reinterpret_cast<Pair<Real>*>(work.solutions.data);
  for (Index p = 0; p < m; ++p) {
    const Index k = layout.elimination[p];
    z[p] = {-right[k], -other[k]};
  }
  forward_two(layout, work, x.data, z);
  solve_panels(layout, work, z);
  backward_two(layout, work, z, x.data, shift.data);
  for (Index p = 0; p < m; ++p) y[layout.elimination[p]] = z[p].one;
}

template bool factorise_bodies<double>(const Layout&, Work<double>&);
template void forward_bodies<double>(const Layout&, const Work<double>&, Reals<double>);
template void backward_bodies<double>(const Layout&, const Work<double>&, Reals<double>);
template void fill_complement<double>(const Layout&, Work<double>&);
template Index factorise_rows<double>(const Layout&, Work<double>&);
template bool factorise<double>(const Layout&, Work<double>&, Reals<double>);
template void solve<double>(const Layout&, Work<double>&, Reals<double>, Reals<double>, Reals<double>);
template void solve_rows_only<double>(const Layout&, Work<double>&, Reals<double>, Reals<double>, Reals<double>);
template void solve_two<double>(const Layout&, Work<double>&, Reals<double>, Reals<double>, Reals<double>,
                                Reals<double>, Reals<double>);

}  // namespace flexbody

using namespace flexbody;

// compliance (m - nr,). Returns 0 if a body's matrix is not positive definite.
FLEXBODY_EXPORT Index flexbody_factorise(const Layout* layout, Work<double>* work, double* compliance) {
  return factorise(*layout, *work, Reals<double>{compliance, {work->compliance.size()}});
}

// right and y (m,), x (nv,).
FLEXBODY_EXPORT void flexbody_solve(const Layout* layout, Work<double>* work, double* right, double* x, double* y) {
  const Index m = layout->elimination.size(), nv = layout->v_at[layout->body_mass.size()];
  solve(*layout, *work, Reals<double>{right, {m}}, Reals<double>{x, {nv}}, Reals<double>{y, {m}});
}
