// The line of a path, see path.hpp: its splines, and where a follower is nearest to it or touches it.
#pragma once
#include "../../../fem/core/vector.hpp"
#include "../data/kinds.hpp"
#include "../data/layout.hpp"
#include "../data/work.hpp"
#include "round_distance.hpp"

namespace flexbody {

// Newton's iterations for s; the change of s, over the length of the path, at which they end (the error is then its
// square); and the distance from the line, over its length, above which all of the line is searched.
constexpr int ITERATIONS = 30;
constexpr double CONVERGED = 1e-9, DISTANT = 1e-3;
// Places on each segment among which the nearest is searched
constexpr int SAMPLES = 8;
constexpr double FACTORIAL[4] = {1.0, 1.0, 2.0, 6.0};

// The arrays of path p, with n modal coordinates and r second-order terms.
template <class Real>
struct PathArrays {
  Index frame, follower, body, n, r, places, segments, degree, width;
  Index touch;
  bool closed;
  const double *sizes, *breaks, *columns;  // sizes: of a rim or tread (2,), the distance at which it touches
  const Index* terms;                      // (r, 3) i, j and component of each second-order term
  Real *value[3], *half, *numbers;         // columns at s with derivatives by s, products of alpha

  PathArrays(const Layout& layout, const Work<Real>& work, Index p)
      : frame(layout.path(p, PATH_FRAME)),
        follower(layout.path(p, PATH_FOLLOWER)),
        body(layout.frame_body[frame]),
        n(body < 0 ? 0 : layout.body_modes[body]),
        r(layout.path(p, PATH_TERMS)),
        places(layout.path(p, PATH_PLACE_TERMS)),
        segments(layout.path(p, PATH_SEGMENTS)),
        degree(layout.path(p, PATH_DEGREE)),
        width(6 + 6 * n + r),
        touch(layout.path(p, PATH_TOUCH)),
        closed(layout.path(p, PATH_CLOSED) != 0) {
    sizes = layout.path_value.data + layout.path(p, PATH_VALUE_AT) + 1;
    breaks = sizes + 3;
    columns = breaks + segments + 1;
    terms = layout.path_term.data + 3 * layout.path(p, PATH_TERM_AT);
    Real* at = work.path_rows.data + layout.path(p, PATH_ROW_AT);
    for (int d = 0; d < 3; ++d) value[d] = at + d * width;
    half = at + 3 * width;
    numbers = work.path.data + p * PATH_NUMBERS;
  }

  double length() const { return breaks[segments] - breaks[0]; }

  bool on_round() const { return touch == RIM || touch == TREAD; }

  // Whether an open line goes on with the curvature of its ends, p + b p_s + b^2 p_ss / 2 at b beyond one, and not
  // straight: a flat face touches no straight line at one place.
  bool bent_beyond() const { return touch == FACE; }

  const double* power(Index segment, Index k) const { return columns + (segment * (degree + 1) + k) * width; }

  // The second-order terms of columns.
  template <class Number>
  const Number* second(const Number* of) const {
    return of + 6 + 6 * n;
  }
};

// Where s lies: the segment, the distance from its beginning, and how far it is beyond an end of the line.
template <class Real>
struct Place {
  Index segment;
  Real within, beyond;
};

// `near` is a segment that is tried first.
template <class Real>
Place<Real> locate(const PathArrays<Real>& path, Real s, Index near = 0) {
  const double first = path.breaks[0], last = path.breaks[path.segments];
  if (path.closed) s -= path.length() * std::floor((s - first) / path.length());
  const Real inside = smaller(larger(s, Real(first)), Real(last));
  Index low = near, high = near + 1;
  if (inside < path.breaks[near] || path.breaks[near + 1] <= inside) low = 0, high = path.segments;
  while (high - low > 1) {
    const Index middle = (low + high) / 2;
    (path.breaks[middle] <= inside ? low : high) = middle;
  }
  return {low, inside - path.breaks[low], s - inside};
}

// out[d][i] = the derivatives by s of the columns i = first .. last - 1, d = 0 .. D - 1, by Horner's scheme.
template <int D, class Real>
void evaluate(const PathArrays<Real>& path, const Place<Real>& at, Index first, Index last, Real* const* out) {
  const Real x = at.within;
  for (Index i = first; i < last; ++i) {
    out[0][i] = path.power(at.segment, path.degree)[i];
    for (int d = 1; d < D; ++d) out[d][i] = 0.0;
  }
  for (Index k = path.degree; k-- > 0;) {
    const double* column = path.power(at.segment, k);
    for (int d = D - 1; d > 0; --d) {
      const Real* below = out[d - 1];
      for (Index i = first; i < last; ++i) out[d][i] = x * out[d][i] + below[i];
    }
    for (Index i = first; i < last; ++i) out[0][i] = x * out[0][i] + column[i];
  }
  for (int d = 2; d < D; ++d) {
    for (Index i = first; i < last; ++i) out[d][i] *= FACTORIAL[d];
  }
}

// x + Phi alpha of columns (at 0), or B alpha (at 3), with the second-order terms.
template <class Real, class Number>
Vector<Real> combined(const PathArrays<Real>& path, const Number* of, const Real* alpha, Index at) {
  const Index n = path.n;
  Vector<Real> out{0.0, 0.0, 0.0};
  if (at == 0) out = {of[0], of[1], of[2]};
  out = plus_product(out, of + 6 + n * at, alpha, n);
  const Number* second = path.second(of);
  const Index first = at == 0 ? 0 : path.places, last = at == 0 ? path.places : path.r;
  for (Index m = first; m < last; ++m) out[path.terms[3 * m + 2] - at] += path.half[m] * second[m];
  return out;
}

// The deformed line on one segment: a polynomial for its place.
template <class Real>
struct Line {
  const PathArrays<Real>& path;
  const Real* alpha;
  Index segment = -1;
  Vector<Real> power[8] = {};

  void set(Index wanted) {
    if (wanted == segment) return;
    segment = wanted;
    const Index n = path.n, powers = path.degree + 1;
    const double* column[8];
    for (Index k = 0; k < powers; ++k) {
      column[k] = path.power(segment, k);
      power[k] = {column[k][0], column[k][1], column[k][2]};
    }
    for (Index i = 0; i < n; ++i) {
      for (Index k = 0; k < powers; ++k) {
        const double* of = column[k] + 6 + i;
        power[k] += alpha[i] * Vector<Real>{of[0], of[n], of[2 * n]};
      }
    }
    const Index at = 6 + 6 * n;
    for (Index m = 0; m < path.places; ++m) {
      const Index l = path.terms[3 * m + 2];
      for (Index k = 0; k < powers; ++k) power[k][l] += path.half[m] * column[k][at + m];
    }
  }

  // Place and its first two derivatives by s; beyond the ends the line is straight, or bent as at the end.
  void at(Real s, Vector<Real> out[3]) {
    const Place<Real> place = locate(path, s, segment < 0 ? 0 : segment);
    set(place.segment);
    const Real x = place.within;
    out[0] = power[path.degree];
    out[1] = out[2] = {0.0, 0.0, 0.0};
    for (Index k = path.degree; k-- > 0;) {
      out[2] = x * out[2] + out[1];
      out[1] = x * out[1] + out[0];
      out[0] = x * out[0] + power[k];
    }
    out[2] = 2.0 * out[2];
    if (place.beyond == 0.0) return;
    if (!path.bent_beyond()) out[2] = {0.0, 0.0, 0.0};
    out[0] += place.beyond * (out[1] + (0.5 * place.beyond) * out[2]);
    out[1] += place.beyond * out[2];
  }
};

// s, and the distance of the line from the follower there.
template <class Real>
struct Nearest {
  Real s, distance;
};

// The point of the line nearest to y, by Newton's method from s on.
template <class Real>
Nearest<Real> approach(Line<Real>& line, const Vector<Real>& y, Real s) {
  using std::abs, std::sqrt;
  Vector<Real> p[3];
  const Real longest = 0.25 * line.path.length();
  for (int k = 0; k < ITERATIONS; ++k) {
    line.at(s, p);
    const Vector<Real> d = y - p[0];
    const Real square = dot(p[1], p[1]), curved = square - dot(p[2], d);
    const Real step = dot(p[1], d) / (curved > 0.1 * square ? curved : square);
    s += smaller(larger(step, Real(-longest)), longest);
    if (!(abs(step) > CONVERGED * line.path.length())) {
      const Vector<Real> left = d - step * p[1];
      return {s, sqrt(dot(left, left))};
    }
  }
  return {s, INF};
}

// The nearest of some places of the line.
template <class Real>
Real nearest_sample(Line<Real>& line, const Vector<Real>& y) {
  const PathArrays<Real>& path = line.path;
  Real best = INF, found = path.breaks[0];
  Vector<Real> p[3];
  for (Index i = 0; i < path.segments; ++i) {
    for (int k = 0; k <= SAMPLES; ++k) {
      const Real s = path.breaks[i] + (path.breaks[i + 1] - path.breaks[i]) * k / SAMPLES;
      line.at(s, p);
      const Vector<Real> d = y - p[0];
      if (dot(d, d) < best) best = dot(d, d), found = s;
    }
  }
  return found;
}

// The place of the line farthest along n, by Newton's method from s on; infinite where it finds no bulge. Beyond an
// end p_s . n is linear in s, and one step finds the place there.
template <class Real>
Real farthest(Line<Real>& line, const Vector<Real>& n, Real s) {
  using std::abs;
  const PathArrays<Real>& path = line.path;
  Vector<Real> p[3];
  const Real first = path.breaks[0], last = path.breaks[path.segments], longest = 0.05 * path.length();
  for (int k = 0; k < ITERATIONS; ++k) {
    line.at(s, p);
    const Real bulge = -dot(p[2], n);
    if (!(bulge > 0.0)) return INF;
    const Real step = dot(p[1], n) / bulge;
    if (!path.closed && s > last) {
      s = larger(s + step, last);
    } else if (!path.closed && s < first) {
      s = smaller(s + step, first);
    } else {
      s += smaller(larger(step, Real(-longest)), longest);
    }
    if (abs(step) <= CONVERGED * path.length()) return s;
  }
  return INF;
}

// The farthest along n of some places of the line.
template <class Real>
Real farthest_sample(Line<Real>& line, const Vector<Real>& n) {
  const PathArrays<Real>& path = line.path;
  Real best = -INF, found = path.breaks[0];
  Vector<Real> p[3];
  for (Index i = 0; i < path.segments; ++i) {
    for (int k = 0; k <= SAMPLES; ++k) {
      const Real s = path.breaks[i] + (path.breaks[i + 1] - path.breaks[i]) * k / SAMPLES;
      line.at(s, p);
      if (dot(p[0], n) > best) best = dot(p[0], n), found = s;
    }
  }
  return found;
}

// Where a face with the normal n touches the line. A face that touches neither an open line nor what goes on beyond
// its ends is far beyond one.
template <class Real>
Real find_touch(Line<Real>& line, const Vector<Real>& n) {
  const PathArrays<Real>& path = line.path;
  const Real near = farthest(line, n, path.numbers[PATH_S]);
  if (near < INF) return near;
  const Real sample = farthest_sample(line, n), other = farthest(line, n, sample);
  if (other < INF) return other;
  if (path.closed) return sample;
  const Real middle = 0.5 * (path.breaks[0] + path.breaks[path.segments]);
  return sample < middle ? sample - path.length() : sample + path.length();
}

// The place of the line nearest to a rim or tread with the middle y and the axis u, by Newton's method from s on;
// infinitely far where it finds none.
template <class Real>
Nearest<Real> approach_round(Line<Real>& line, const Vector<Real>& y, const Vector<Real>& u, Real s) {
  using std::abs;
  const PathArrays<Real>& path = line.path;
  Vector<Real> p[3];
  const Real longest = 0.05 * path.length();
  for (int k = 0; k < ITERATIONS; ++k) {
    line.at(s, p);
    const RoundDistance<Real> round = round_distance(path.touch, path.sizes, p[0] - y, u);
    const Real curved = dot(p[1], round.curved(p[1])) + dot(p[2], round.gradient);
    if (!(curved > 0.0)) break;
    const Real step = -dot(p[1], round.gradient) / curved;
    s += smaller(larger(step, Real(-longest)), longest);
    if (abs(step) <= CONVERGED * path.length()) return {s, round.value};
  }
  return {s, INF};
}

// Where a rim or tread touches the line: near to its middle, because a cone without ends may come near elsewhere too.
template <class Real>
Real find_round(Line<Real>& line, const Vector<Real>& y, const Vector<Real>& u) {
  const PathArrays<Real>& path = line.path;
  const Nearest<Real> near = approach_round(line, y, u, path.numbers[PATH_S]);
  if (near.distance <= path.sizes[2] + DISTANT * path.length()) return near.s;
  const Real sample = nearest_sample(line, y);
  const Nearest<Real> other = approach_round(line, y, u, sample);
  if (near.distance <= other.distance) return near.distance < INF ? near.s : sample;
  return other.s;
}

template <class Real>
Real find_s(Line<Real>& line, const Vector<Real>& y) {
  const PathArrays<Real>& path = line.path;
  const Nearest<Real> near = approach(line, y, path.numbers[PATH_S]);
  if (near.distance <= path.sizes[2] + DISTANT * path.length()) return near.s;
  const Nearest<Real> other = approach(line, y, nearest_sample(line, y));
  return near.distance <= 1.000001 * other.distance ? near.s : other.s;
}

}  // namespace flexbody
