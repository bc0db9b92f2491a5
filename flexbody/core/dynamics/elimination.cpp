// Block elimination of the equations of motion with constraints, see elimination.hpp.
#include "elimination.hpp"

#include "../../../fem/core/export.hpp"

namespace flexbody {

// A number of columns as a constant, so that loops over them are written out: as many as most joints have rows, or a
// rigid body velocities.
template <Index N>
using Width = std::integral_constant<Index, N>;

// Call f with n, as a constant where it is small.
template <class F>
static FLEXBODY_INLINE void with_width(Index n, F f) {
  switch (n) {
    case 1:
      return f(Width<1>{});
    case 2:
      return f(Width<2>{});
    case 3:
      return f(Width<3>{});
    case 4:
      return f(Width<4>{});
    case 5:
      return f(Width<5>{});
    case 6:
      return f(Width<6>{});
    default:
      return f(n);
  }
}

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

namespace {

// The rows at a body: Y (rows, n) over its velocities, and their places in the elimination.
template <class Real>
struct BodyRows {
  Index rows, n;
  Real* Y;
  const Index* place;
};

}  // namespace

template <class Real>
static BodyRows<Real> rows_of_body(const Layout& layout, const Work<Real>& work, Index b) {
  const Index n = 6 + layout.body_modes[b], first = layout.body_row_at[b], rows = layout.body_row_at[b + 1] - first;
  return {rows, n, work.Y.part(layout.body_block_at[b], rows * n).data, layout.body_row.part(first, rows).data};
}

// S += Y^T Y of one body; `pair` says where in S the product of two rows goes, lower triangle.
template <class Real>
static void add_products(const BodyRows<Real>& body, const Index* pair, Real* __restrict S) {
  const Real* __restrict Y = body.Y;
  const Index n = body.n;
  for (Index r = 0; r < body.rows; ++r) {
    const Real* y = Y + r * n;
    if (n == 6) {
      const Real y0 = y[0], y1 = y[1], y2 = y[2], y3 = y[3], y4 = y[4], y5 = y[5];
      for (const Real* z = Y; z <= y; z += 6) {
        const Real value = (z[0] * y0 + z[1] * y1) + (z[2] * y2 + z[3] * y3);
        S[*pair++] += value + (z[4] * y4 + z[5] * y5);
      }
      continue;
    }
    const Real* z = Y;
    for (; z + 3 * n <= y; z += 4 * n, pair += 4) {  // four sums at once, none of which waits for another
      Real one = 0.0, two = 0.0, three = 0.0, four = 0.0;
      for (Index i = 0; i < n; ++i) {
        one += y[i] * z[i];
        two += y[i] * z[n + i];
        three += y[i] * z[2 * n + i];
        four += y[i] * z[3 * n + i];
      }
      S[pair[0]] += one, S[pair[1]] += two, S[pair[2]] += three, S[pair[3]] += four;
    }
    for (; z <= y; z += n) {
      Real value = 0.0;
      for (Index i = 0; i < n; ++i) value += y[i] * z[i];
      S[*pair++] += value;
    }
  }
}

// Y = Y B^-T of one body, its rows of Y (rows, n); four rows at once, none of which waits for another.
template <class Real>
static void forward_rows(const BodyFactor<Real>& factor, const BodyRows<Real>& body) {
  const Index n = factor.n, first = factor.apart, whole = factor.is_plain() ? 0 : body.rows - body.rows % 4;
  for (Index r = 0; r < whole; r += 4) {
    Real *one = body.Y + r * n, *two = one + n, *three = two + n, *four = three + n;
    for (Index i = 0; i < n; ++i) {
      const Real* row = factor.B + i * n;
      Real a = one[i], b = two[i], c = three[i], d = four[i];
      for (Index k = first; k < i; ++k)
        a -= row[k] * one[k], b -= row[k] * two[k], c -= row[k] * three[k], d -= row[k] * four[k];
      one[i] = a * row[i], two[i] = b * row[i], three[i] = c * row[i], four[i] = d * row[i];
    }
  }
  for (Index r = whole; r < body.rows; ++r) forward_body(factor, body.Y + r * n);
}

template <class Real>
void fill_complement(const Layout& layout, Work<Real>& work) {
  work.S.fill(0.0);
  work.Y.copy(work.G);
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const auto factor = body_factor(layout, work, b);
    const auto body = rows_of_body(layout, work, b);
    forward_rows(factor, body);
    const Index pairs = body.rows * (body.rows + 1) / 2;
    add_products(body, layout.pair.part(layout.body_pair_at[b], pairs).data, work.S.data);
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

// row = row C^-T up to column `count`, with the factor C (n, n) of a panel's own rows, reciprocal diagonal.
template <class Real, class N>
static FLEXBODY_INLINE void eliminate(Real* __restrict row, const Real* __restrict C, Index count, N width) {
  const Index n = width;
  FLEXBODY_UNROLL
  for (Index c = 0; c < count; ++c) {
    Real value = row[c];
    FLEXBODY_UNROLL
    for (Index k = 0; k < c; ++k) value -= row[k] * C[c * n + k];
    row[c] = value * C[c * n + c];
  }
}

// Whether all rows of a panel are left out, as those of contacts that are open, and of all elements in an explicit
// method.
template <class Real>
static bool none_kept(const Work<Real>& work, const Panel<Real>& panel) {
  for (Index r = 0; r < panel.n; ++r)
    if (work.kept[panel.first + r] != 0) return false;
  return true;
}

// Factorise a panel's own rows in place, S = C C^T with reciprocal diagonal; 0 where a row has no pivot.
template <class Real, class N>
static FLEXBODY_INLINE void factorise_panel(Work<Real>& work, const Panel<Real>& panel, N width) {
  using std::sqrt;
  const Index n = width;
  FLEXBODY_UNROLL
  for (Index r = 0; r < n; ++r) {
    Real* row = panel.S + r * n;
    eliminate(row, panel.S, r, width);
    Real value = row[r];
    FLEXBODY_UNROLL
    for (Index k = 0; k < r; ++k) value -= row[k] * row[k];
    const Real diagonal = work.diagonal[panel.first + r];
    row[r] = 0.0;
    if (work.kept[panel.first + r] == 0 || !(value > PIVOT * diagonal)) continue;
    row[r] = 1.0 / sqrt(value);
    work.pivot = smaller(work.pivot, value / diagonal);
  }
}

// Eliminate the rows (below, n) below a panel, and subtract their products from S; `update` says where, lower
// triangle.
template <class Real, class N>
static FLEXBODY_INLINE void eliminate_below(const Panel<Real>& panel, N width, const Index* update,
                                            Real* __restrict S) {
  const Index n = width;
  Real* rows = panel.S + n * n;
  for (Index r = 0; r < panel.below; ++r) eliminate(rows + r * n, panel.S, n, width);
  const Real* row = rows;
  for (Index r = 0; r < panel.below; ++r, row += n) {
    for (const Real* other = rows; other <= row; other += n) {
      Real value = 0.0;
      FLEXBODY_UNROLL
      for (Index k = 0; k < n; ++k) value += row[k] * other[k];
      S[*update++] -= value;
    }
  }
}

template <class Real>
void factorise_rows(const Layout& layout, Work<Real>& work) {
  work.pivot = 1.0;
  work.held = 1.0;
  for (Index g = 0; g < layout.panel_at.size() - 1; ++g) {
    const auto panel = panel_of(layout, work, g);
    if (none_kept(work, panel)) {
      std::fill_n(panel.S, (panel.n + panel.below) * panel.n, Real(0.0));
      continue;
    }
    const Index* update = layout.update.part(layout.update_at[g], panel.below * (panel.below + 1) / 2).data;
    with_width(panel.n, [&](auto n) {
      factorise_panel(work, panel, n);
      eliminate_below(panel, n, update, work.S.data);
    });
  }
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
      const Real given = compliance[k - rows];  // may be Work.compliance itself
      work.compliance[k - rows] = larger(given, Real(0.0));
      work.S[at] += work.compliance[k - rows];
      work.kept[p] = given >= 0.0;
    }
    work.diagonal[p] = work.S[at];
  }
  factorise_rows(layout, work);
  work.rank = 0;  // of the constraints: contacts may open
  for (Index p = 0; p < layout.elimination.size(); ++p)
    if (layout.elimination[p] < rows && work.S[layout.diagonal_at[p]] != 0.0) ++work.rank;
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

namespace {

// A panel's part of a right side, at z: copied where its length is a constant, so that it stays in registers, and
// written back in the end.
template <class Number, class N>
struct OwnPart {
  Number* z;

  OwnPart(Number* z, N) : z(z) {}
  Number& operator[](Index k) { return z[k]; }
};

template <class Number, Index N>
struct OwnPart<Number, Width<N>> {
  Number* z;
  Number copy[N];

  FLEXBODY_INLINE OwnPart(Number* z, Width<N>) : z(z) {
    FLEXBODY_UNROLL
    for (Index k = 0; k < N; ++k) copy[k] = z[k];
  }
  FLEXBODY_INLINE ~OwnPart() {
    FLEXBODY_UNROLL
    for (Index k = 0; k < N; ++k) z[k] = copy[k];
  }
  FLEXBODY_INLINE Number& operator[](Index k) { return copy[k]; }
};

}  // namespace

// The number for the first right side.
template <class Real>
static Real& first_of(Pair<Real>& z) {
  return z.one;
}
template <class Real>
static Real& first_of(Real& z) {
  return z;
}

// C z = z of a panel, and z -= L z of the rows below it. Number is Real, or a Pair of them.
template <class Real, class N, class Number>
static FLEXBODY_INLINE void forward_panel(const Panel<Real>& panel, N width, const Index* below, Number* z) {
  const Index n = width;
  const Real* row = panel.S;
  OwnPart<Number, N> own(z + panel.first, width);
  FLEXBODY_UNROLL
  for (Index r = 0; r < n; ++r, row += n) {
    Number value = own[r];
    FLEXBODY_UNROLL
    for (Index k = 0; k < r; ++k) value -= row[k] * own[k];
    own[r] = row[r] * value;
  }
  for (Index r = 0; r < panel.below; ++r, row += n) {
    Number value{};
    FLEXBODY_UNROLL
    for (Index k = 0; k < n; ++k) value += row[k] * own[k];
    z[below[r]] -= value;
  }
}

// z -= L^T z of the rows below a panel, and C^T z = z.
template <class Real, class N, class Number>
static FLEXBODY_INLINE void backward_panel(const Panel<Real>& panel, N width, const Index* below, Number* z) {
  const Index n = width;
  const Real* row = panel.S + n * n;
  OwnPart<Number, N> own(z + panel.first, width);
  for (Index r = 0; r < panel.below; ++r, row += n) {
    const Number value = z[below[r]];
    FLEXBODY_UNROLL
    for (Index k = 0; k < n; ++k) own[k] -= row[k] * value;
  }
  FLEXBODY_UNROLL
  for (Index r = n - 1; r >= 0; --r) {
    row = panel.S + r * n;
    const Number value = row[r] * own[r];
    own[r] = value;
    FLEXBODY_UNROLL
    for (Index k = 0; k < r; ++k) own[k] -= row[k] * value;
  }
}

// S z = z in place, z (m,) in the order of the elimination, with the factor of `factorise_rows`; rows that are left
// out get zero.
template <class Number, class Real>
static void solve_panels(const Layout& layout, const Work<Real>& work, Number* z) {
  const Index panels = layout.panel_at.size() - 1;
  for (Index g = 0; g < panels; ++g) {
    const auto panel = panel_of(layout, work, g);
    const Index* below = layout.below.data + layout.below_at[g];
    with_width(panel.n, [&](auto n) { forward_panel(panel, n, below, z); });
  }
  for (Index g = panels - 1; g >= 0; --g) {
    const auto panel = panel_of(layout, work, g);
    const Index* below = layout.below.data + layout.below_at[g];
    with_width(panel.n, [&](auto n) { backward_panel(panel, n, below, z); });
  }
}

// z += Y^T x; x (nv,), z (m,) in the order of the elimination; of two right sides the first.
template <class Real, class Number>
static void add_rows(const Layout& layout, const Work<Real>& work, const Real* x, Number* z) {
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const auto [rows, n, Y, place] = rows_of_body(layout, work, b);
    const Real* own = x + layout.v_at[b];
    if (n == 6) {
      for (Index r = 0; r < rows; ++r) first_of(z[place[r]]) += row_times(Y + 6 * r, own, 6);
    } else {
      for (Index r = 0; r < rows; ++r) first_of(z[place[r]]) += row_times(Y + r * n, own, n);
    }
  }
}

// x -= Y z of one body, x (n,).
template <class Real, class N>
static FLEXBODY_INLINE void take_body(const BodyRows<Real>& body, N width, const Real* __restrict z,
                                      Real* __restrict x) {
  const Index n = width;
  const Real* __restrict y = body.Y;
  for (Index r = 0; r < body.rows; ++r, y += n) {
    const Real value = z[body.place[r]];
    FLEXBODY_UNROLL
    for (Index i = 0; i < n; ++i) x[i] -= y[i] * value;
  }
}

// x -= Y z.one and shift -= Y z.two of one body, x and shift (n,).
template <class Real, class N>
static FLEXBODY_INLINE void take_body(const BodyRows<Real>& body, N width, const Pair<Real>* __restrict z,
                                      Real* __restrict x, Real* __restrict shift) {
  const Index n = width;
  const Real* __restrict y = body.Y;
  for (Index r = 0; r < body.rows; ++r, y += n) {
    const Pair<Real> value = z[body.place[r]];
    FLEXBODY_UNROLL
    for (Index i = 0; i < n; ++i) {
      x[i] -= y[i] * value.one;
      shift[i] -= y[i] * value.two;
    }
  }
}

// x -= Y z; z (m,) in the order of the elimination, x (nv,). With two right sides `x` are two such vectors.
template <class Real, class Number, class... Vectors>
static void take_rows(const Layout& layout, const Work<Real>& work, const Number* z, Vectors*... x) {
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const auto body = rows_of_body(layout, work, b);
    const Index v = layout.v_at[b];
    if (body.n == 6) {
      take_body(body, Width<6>{}, z, x + v...);
    } else {
      take_body(body, body.n, z, x + v...);
    }
  }
}

// The part of x (nv,) at massless bodies, to out (nv,); the rest of out is zero.
template <class Real>
static void part_of_massless(const Layout& layout, Reals<Real> x, Reals<Real> out) {
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const bool taken = layout.auxiliary_mass[b] > 0.0;
    for (Index i = layout.v_at[b]; i < layout.v_at[b + 1]; ++i) out[i] = taken ? x[i] : Real(0.0);
  }
}

// x = u - Y z with Y^T x - z/s = 0 of rows that are kept; all weighted, x and u (nv,). Work.solution = z.
template <class Real>
static void respond(const Layout& layout, const Work<Real>& work, Reals<Real> u, Reals<Real> x) {
  const auto z = work.solution;
  z.fill(0.0);
  add_rows(layout, work, u.data, z.data);
  solve_panels(layout, work, z.data);
  x.copy(u);
  take_rows(layout, work, z.data, x.data);
}

template <class Real>
static Real product(Reals<Real> a, Reals<Real> b) {
  Real sum = 0.0;
  for (Index i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// x += B^T before at massless bodies, whose factor B is a diagonal.
template <class Real>
static void add_before(const Layout& layout, const Work<Real>& work, Reals<Real> before, Reals<Real> x) {
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    if (!(layout.auxiliary_mass[b] > 0.0)) continue;
    const auto factor = body_factor(layout, work, b);
    for (Index i = 0; i < 6; ++i) x[layout.v_at[b] + i] += before[layout.v_at[b] + i] / factor.B[7 * i];
  }
}

// The sum of the squares of what the multipliers y (m,) do to massless bodies, row by row, weighted.
template <class Real>
static Real reactions_squared(const Layout& layout, const Work<Real>& work, Reals<Real> y) {
  Real sum = 0.0;
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    if (!(layout.auxiliary_mass[b] > 0.0)) continue;
    const auto body = rows_of_body(layout, work, b);
    for (Index r = 0; r < body.rows; ++r) {
      const Real* row = body.Y + r * body.n;
      sum += square(y[layout.elimination[body.place[r]]]) * row_times(row, row, body.n);
    }
  }
  return sum;
}

// Take the auxiliary masses out of the weighted solution x (nv,) and y (m,). See `solve` for `before`.
template <class Real>
static void take_auxiliary_out(const Layout& layout, Work<Real>& work, Reals<Real> before, Reals<Real> x,
                               Reals<Real> y) {
  const Index n = x.size();
  Buffer<Real> left(n), u(n), search(n), response(n);
  part_of_massless(layout, x, left.view());
  // what cancels in `left` leaves round-off there, with a part in motions that nothing holds
  const Real parts = product(left.view(), left.view()) + reactions_squared(layout, work, y);
  if (before.size() > 0) add_before(layout, work, before, left.view());
  Real size = product(left.view(), left.view());
  const Real whole = size + parts;
  search.view().copy(left.view());
  u.view().fill(0.0);
  for (int step = 0; step < GRADIENT_STEPS && size > square(MOTION_LEFT) * whole; ++step) {
    respond(layout, work, search.view(), response.view());
    part_of_massless(layout, response.view(), response.view());
    for (Index i = 0; i < n; ++i) response[i] = search[i] - response[i];
    const Real resisted = product(search.view(), response.view());
    const Real freely = product(search.view(), search.view());
    if (!(resisted > IDLE_RESISTANCE * freely)) break;
    if (size > square(RESISTANCE_KNOWN) * whole) work.held = smaller(work.held, Real(resisted / freely));
    const Real along = size / resisted;
    for (Index i = 0; i < n; ++i) u[i] += along * search[i];
    for (Index i = 0; i < n; ++i) left[i] -= along * response[i];
    const Real last = size;
    size = product(left.view(), left.view());
    for (Index i = 0; i < n; ++i) search[i] = left[i] + size / last * search[i];
  }
  work.pivot = smaller(work.pivot, work.held);
  respond(layout, work, u.view(), response.view());
  for (Index i = 0; i < n; ++i) x[i] += response[i];
  for (Index p = 0; p < work.solution.size(); ++p) y[layout.elimination[p]] += work.solution[p];
}

template <class Real>
void solve(const Layout& layout, Work<Real>& work, Reals<Real> right, Reals<Real> x, Reals<Real> y,
           Reals<Real> before) {
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
  if (has_massless(layout)) take_auxiliary_out(layout, work, before, x, y);
  backward_bodies(layout, work, x);
}

template <class Real>
void solve_rows_only(const Layout& layout, Work<Real>& work, Reals<Real> right, Reals<Real> x, Reals<Real> y) {
  x.fill(0.0);
  if (work.pivot <= CANCELLED || has_massless(layout)) {
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

template <class Real>
void solve_two(const Layout& layout, Work<Real>& work, Reals<Real> right, Reals<Real> x, Reals<Real> y,
               Reals<Real> other, Reals<Real> shift, Reals<Real> before) {
  if (work.pivot <= CANCELLED || has_massless(layout)) {
    solve(layout, work, right, x, y, before);
    solve_rows_only(layout, work, other, shift, work.unused);
    return;
  }
  const Index m = layout.elimination.size();
  auto* z = reinterpret_cast<Pair<Real>*>(work.solutions.data);
  for (Index p = 0; p < m; ++p) {
    const Index k = layout.elimination[p];
    z[p] = {-right[k], -other[k]};
  }
  shift.fill(0.0);
  forward_bodies(layout, work, x);
  add_rows(layout, work, x.data, z);
  solve_panels(layout, work, z);
  take_rows(layout, work, z, x.data, shift.data);
  backward_bodies(layout, work, x);
  backward_bodies(layout, work, shift);
  for (Index p = 0; p < m; ++p) y[layout.elimination[p]] = z[p].one;
}

template bool factorise_bodies<double>(const Layout&, Work<double>&);
template void forward_bodies<double>(const Layout&, const Work<double>&, Reals<double>);
template void backward_bodies<double>(const Layout&, const Work<double>&, Reals<double>);
template void fill_complement<double>(const Layout&, Work<double>&);
template void factorise_rows<double>(const Layout&, Work<double>&);
template bool factorise<double>(const Layout&, Work<double>&, Reals<double>);
template void solve<double>(const Layout&, Work<double>&, Reals<double>, Reals<double>, Reals<double>, Reals<double>);
template void solve_rows_only<double>(const Layout&, Work<double>&, Reals<double>, Reals<double>, Reals<double>);
template void solve_two<double>(const Layout&, Work<double>&, Reals<double>, Reals<double>, Reals<double>,
                                Reals<double>, Reals<double>, Reals<double>);

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
