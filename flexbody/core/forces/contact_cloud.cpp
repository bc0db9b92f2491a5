// Clouds of spheres: see contact_cloud.hpp.
#include "contact_cloud.hpp"

#include "../../../fem/core/export.hpp"
#include "contact_distance.hpp"
#include "contact_press.hpp"
#include "force_elements.hpp"

namespace flexbody {

// Neighbours of a cell, one of each two opposite ones
constexpr Index NEIGHBOURS[13][3] = {{1, 0, 0},  {-1, 1, 0}, {0, 1, 0},  {1, 1, 0}, {-1, -1, 1},
                                     {0, -1, 1}, {1, -1, 1}, {-1, 0, 1}, {0, 0, 1}, {1, 0, 1},
                                     {-1, 1, 1}, {0, 1, 1},  {1, 1, 1}};
// Factors that scatter the coordinates of cells over the table: M. Teschner et al., Proc. VMV (2003) 47
constexpr Index SCATTER[3] = {73856093, 19349663, 83492791};
// The square of the bending below which a bristle is straight
constexpr double STRAIGHT = 1e-12;

// Entries of a table for n numbers: a power of two, at least half of them free.
static Index table_size(Index n) {
  Index entries = 16;
  while (entries < 2 * n) entries *= 2;
  return entries;
}

namespace {

// The spheres of an element, and what is called for two shapes that touch: touch(i, j, gap, n, C), shapes counted
// from the first sphere, the normal n from i to j at the point C.
template <class Real, class Touch>
struct Cloud {
  const Layout& layout;
  const Work<Real>& work;
  const double* p;
  Index first, n;
  const Touch& touch;

  double radius(Index i) const { return p[CLOUD_SIZES + i]; }

  // whether shapes i and j, counted from the first sphere, are on one rigid body: they don't press on each other
  bool as_one(Index i, Index j) const {
    const Index b = layout.frame_body[first + i];
    return b == layout.frame_body[first + j] && (b < 0 || layout.body_modes[b] == 0);
  }
};

// The table of cells: the first sphere of each entry, the next one of each sphere, and the cells (n, 3).
struct Cells {
  Reals<Index> head, next;
  Array<Index, 2, 3> cell;

  Index entry(Index x, Index y, Index z) const {
    return (x * SCATTER[0] ^ y * SCATTER[1] ^ z * SCATTER[2]) & (head.size() - 1);
  }
  bool holds(Index i, Index x, Index y, Index z) const {
    return cell(i, 0) == x && cell(i, 1) == y && cell(i, 2) == z;
  }
};

}  // namespace

template <class Real, class Touch>
static void touch_spheres(const Cloud<Real, Touch>& cloud, Index i, Index j) {
  const Vector<Real> r = vector_of(cloud.work.frame_r, cloud.first + i);
  const Vector<Real> d = vector_of(cloud.work.frame_r, cloud.first + j) - r;
  const Real reach = cloud.radius(i) + cloud.radius(j), squared = dot(d, d);
  if (!(squared < reach * reach) || !(squared > 0.0) || cloud.as_one(i, j)) return;
  const Real distance = std::sqrt(squared), gap = distance - reach;
  const Vector<Real> n = (1.0 / distance) * d;
  cloud.touch(i, j, gap, n, r + (cloud.radius(i) + 0.5 * gap) * n);
}

// Enter all spheres in the table; false if a position is not finite.
template <class Real, class Touch>
static bool fill(const Cloud<Real, Touch>& cloud, const Cells& cells, Real size) {
  cells.head.fill(-1);
  for (Index i = 0; i < cloud.n; ++i) {
    const Vector<Real> r = (1.0 / size) * vector_of(cloud.work.frame_r, cloud.first + i);
    if (!(std::abs(r.x) + std::abs(r.y) + std::abs(r.z) < 1e15)) return false;
    for (Index k = 0; k < 3; ++k) cells.cell(i, k) = Index(std::floor(r[k]));
    Index& head = cells.head[cells.entry(cells.cell(i, 0), cells.cell(i, 1), cells.cell(i, 2))];
    cells.next[i] = head;
    head = i;
  }
  return true;
}

template <class Real, class Touch>
static void touch_neighbours(const Cloud<Real, Touch>& cloud, const Cells& cells) {
  for (Index i = 0; i < cloud.n; ++i) {
    const Index x = cells.cell(i, 0), y = cells.cell(i, 1), z = cells.cell(i, 2);
    for (Index j = cells.next[i]; j >= 0; j = cells.next[j])
      if (cells.holds(j, x, y, z)) touch_spheres(cloud, i, j);
    for (const Index* at : NEIGHBOURS) {
      const Index u = x + at[0], v = y + at[1], w = z + at[2];
      for (Index j = cells.head[cells.entry(u, v, w)]; j >= 0; j = cells.next[j])
        if (cells.holds(j, u, v, w)) touch_spheres(cloud, i, j);
    }
  }
}

template <class Real, class Touch>
static void touch_others(const Cloud<Real, Touch>& cloud) {
  const Index others = Index(cloud.p[CLOUD_OTHERS]);
  for (Index k = 0; k < others; ++k) {
    const Placed<Real> host = placed(cloud.work, cloud.first + cloud.n + k, cloud.p + CLOUD_SIZES + cloud.n + 4 * k);
    for (Index i = 0; i < cloud.n; ++i) {
      const Vector<Real> at = vector_of(cloud.work.frame_r, cloud.first + i);
      const Distance<Real> from = distance_to(host, at);
      const Real gap = from.value - cloud.radius(i);
      if (gap < 0.0 && !cloud.as_one(cloud.n + k, i))
        cloud.touch(cloud.n + k, i, gap, from.normal, at - (cloud.radius(i) + 0.5 * gap) * from.normal);
    }
  }
}

// Call touch(i, j, gap, n, C) for all shapes of element e that touch, see Cloud; false if a position is not finite.
template <class Real, class Touch>
static bool for_touching(const Layout& layout, const Work<Real>& work, Index e, const Touch& touch) {
  const double* p = law_numbers(layout, e);
  const Cloud<Real, Touch> cloud{layout, work, p, layout.element(e, FIRST), Index(p[CLOUD_SPHERES]), touch};
  Real largest = 0.0;
  for (Index i = 0; i < cloud.n; ++i) largest = larger(largest, Real(cloud.radius(i)));
  Buffer<Index> head(table_size(cloud.n)), next(cloud.n);
  Buffer<Index, 2, 96, 3> cell(cloud.n, 3);
  const Cells cells{head.view(), next.view(), cell.view()};
  if (!fill(cloud, cells, 2.0 * largest)) return false;
  touch_neighbours(cloud, cells);
  touch_others(cloud);
  return true;
}

namespace {

// The states of pairs whose friction sticks, PAIR_STATES for each, and a table of them by the numbers of the pairs.
template <class Real>
class Pairs {
 public:
  explicit Pairs(Reals<Real> states)
      : states_(states), n_(states.size() / PAIR_STATES), table_(n_ > 0 ? table_size(n_) : 1) {
    mask_ = table_.size() - 1;
    table_.view().fill(-1);
    for (Index k = 0; k < n_; ++k)
      if (number(k) > 0) table_[place_of(number(k))] = k;
  }

  Index size() const { return n_; }
  Index number(Index k) const { return Index(states_[k * PAIR_STATES + PAIR_NUMBER]); }
  // where the states of a pair are, -1 if it has none
  Index find(Index number) const { return n_ > 0 ? table_[place_of(number)] : -1; }
  // the bending of its bristle
  Real* bending(Index k) const { return &states_[k * PAIR_STATES + PAIR_BRISTLE]; }
  void set(Index k, Index number) const {
    states_[k * PAIR_STATES + PAIR_NUMBER] = double(number);
    for (Index l = 0; l < BRISTLES; ++l) bending(k)[l] = 0.0;
  }

 private:
  Index place_of(Index number) const {
    Index at = (number * SCATTER[0]) & mask_;
    while (table_[at] >= 0 && this->number(table_[at]) != number) at = (at + 1) & mask_;
    return at;
  }

  Reals<Real> states_;
  Index n_, mask_;
  Buffer<Index> table_;
};

}  // namespace

// Number of a pair of shapes of an element, above zero.
static Index number_of(const double* p, Index i, Index j) {
  return 1 + i * (Index(p[CLOUD_SPHERES]) + Index(p[CLOUD_OTHERS])) + j;
}

template <class Real>
void add_cloud(const Layout& layout, Work<Real>& work, Index e) {
  const double* p = law_numbers(layout, e);
  const Index first = layout.element(e, FIRST), at = layout.element(e, STATE_AT);
  Pressing<Real> pressing(work, p + CLOUD_HARDNESS, p + CLOUD_FRICTION);
  const Pairs<Real> pairs(work.law_state.part(at, layout.element(e, STATES)));
  for (Index k = 0; k < pairs.size(); ++k) {
    work.law_rate[at + k * PAIR_STATES + PAIR_NUMBER] = 0.0;
    straighten(pressing, bristle_at(work, at, k, PAIR_STATES, PAIR_BRISTLE));
  }
  const auto touch = [&](Index i, Index j, Real gap, const Vector<Real>& n, const Vector<Real>& C) {
    const Index k = pairs.find(number_of(p, i, j));
    const Bristle<Real> bristle = k >= 0 ? bristle_at(work, at, k, PAIR_STATES, PAIR_BRISTLE) : Bristle<Real>{};
    press(pressing, first + i, first + j, gap, n, C, bristle);
  };
  if (!for_touching(layout, work, e, touch)) pressing.stored = NaN;
  pressing.put_powers(e);
}

namespace {

// What an exchange of pairs finds: whether any pair has changed, and whether pairs that touch have no bristle.
struct Exchanged {
  bool changed, full;
};

}  // namespace

// Forget the pairs of element e that don't touch and whose bristles are straight, and give those that touch for the
// first time a bristle as long as there is room.
template <class Real>
static Exchanged exchange_pairs(const Layout& layout, const Work<Real>& work, Index e, Reals<Real> states) {
  const double* p = law_numbers(layout, e);
  const Pairs<Real> pairs(states);
  Buffer<Index> touches(pairs.size()), fresh(pairs.size());
  touches.view().fill(0);
  Index found = 0, free = 0;
  bool full = false;
  for_touching(layout, work, e, [&](Index i, Index j, Real, const Vector<Real>&, const Vector<Real>&) {
    const Index number = number_of(p, i, j), k = pairs.find(number);
    if (k >= 0)
      touches[k] = 1;
    else if (found < pairs.size())
      fresh[found++] = number;
    else
      full = true;
  });
  bool changed = false;
  for (Index k = 0; k < pairs.size(); ++k) {
    const Real* zeta = pairs.bending(k);
    if (touches[k] || pairs.number(k) == 0 || square(zeta[0]) + square(zeta[1]) + square(zeta[2]) > STRAIGHT)
      continue;
    pairs.set(k, 0);
    changed = true;
  }
  for (Index l = 0; l < found; ++l) {
    while (free < pairs.size() && pairs.number(free) != 0) ++free;
    if (free == pairs.size()) return {changed, true};
    pairs.set(free, fresh[l]);
    changed = true;
  }
  return {changed, full};
}

template <class Real>
bool exchange_pairs(const Layout& layout, const Work<Real>& work, Reals<Real> states, Index& full) {
  bool changed = false, any_full = false;
  for (Index e = 0; e < layout.element.shape[0]; ++e) {
    const Index n = layout.element(e, STATES);
    if (n == 0 || layout.element(e, GEOMETRY) != CLOUD) continue;
    const Exchanged one = exchange_pairs(layout, work, e, states.part(layout.element(e, STATE_AT), n));
    changed = one.changed || changed;
    any_full = one.full || any_full;
  }
  if (any_full) full += 1;
  return changed;
}

template <class Real>
bool cloud_is_slow(const Layout& layout, const Work<Real>& work, Index e, double h) {
  const double* p = law_numbers(layout, e);
  const Index n = Index(p[CLOUD_SPHERES]), first = layout.element(e, FIRST);
  Real fastest = 0.0, smallest = INF;
  for (Index i = 0; i < n; ++i) {
    const Vector<Real> v = vector_of(work.frame_v, first + i);
    fastest = larger(fastest, dot(v, v));
    smallest = smaller(smallest, Real(p[CLOUD_SIZES + i]));
  }
  return std::sqrt(fastest) * h <= smallest;
}

template void add_cloud<double>(const Layout&, Work<double>&, Index);
template bool exchange_pairs<double>(const Layout&, const Work<double>&, Reals<double>, Index&);
template bool cloud_is_slow<double>(const Layout&, const Work<double>&, Index, double);

}  // namespace flexbody

using namespace flexbody;

// states (nz,) of all laws; 1 if they have changed.
FLEXBODY_EXPORT Index flexbody_exchange_pairs(const Layout* layout, const Work<double>* work, double* states) {
  Index full = 0;  // (a run finds it again in its first step)
  return exchange_pairs(*layout, *work, Reals<double>{states, {work->law_state.size()}}, full);
}
