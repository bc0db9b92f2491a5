// Clouds of spheres: see contact_cloud.hpp.
#include "contact_cloud.hpp"

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

namespace {

// The spheres of an element.
template <class Real>
struct Cloud {
  const Layout& layout;
  Pressing<Real>& pressing;
  const double* p;
  Index first, n;

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

template <class Real>
static void touch_spheres(Cloud<Real>& cloud, Index i, Index j) {
  const Vector<Real> r = vector_of(cloud.pressing.work.frame_r, cloud.first + i);
  const Vector<Real> d = vector_of(cloud.pressing.work.frame_r, cloud.first + j) - r;
  const Real reach = cloud.radius(i) + cloud.radius(j), squared = dot(d, d);
  if (!(squared < reach * reach) || !(squared > 0.0) || cloud.as_one(i, j)) return;
  const Real distance = std::sqrt(squared), gap = distance - reach;
  const Vector<Real> n = (1.0 / distance) * d;
  press(cloud.pressing, cloud.first + i, cloud.first + j, gap, n, r + (cloud.radius(i) + 0.5 * gap) * n);
}

// Enter all spheres in the table; false if a position is not finite.
template <class Real>
static bool fill(const Cloud<Real>& cloud, const Cells& cells, Real size) {
  cells.head.fill(-1);
  for (Index i = 0; i < cloud.n; ++i) {
    const Vector<Real> r = (1.0 / size) * vector_of(cloud.pressing.work.frame_r, cloud.first + i);
    if (!(std::abs(r.x) + std::abs(r.y) + std::abs(r.z) < 1e15)) return false;
    for (Index k = 0; k < 3; ++k) cells.cell(i, k) = Index(std::floor(r[k]));
    Index& head = cells.head[cells.entry(cells.cell(i, 0), cells.cell(i, 1), cells.cell(i, 2))];
    cells.next[i] = head;
    head = i;
  }
  return true;
}

template <class Real>
static void touch_neighbours(Cloud<Real>& cloud, const Cells& cells) {
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

template <class Real>
static void touch_others(Cloud<Real>& cloud) {
  const Index others = Index(cloud.p[CLOUD_OTHERS]);
  for (Index k = 0; k < others; ++k) {
    const Index f = cloud.first + cloud.n + k;
    const Placed<Real> host = placed(cloud.pressing.work, f, cloud.p + CLOUD_SIZES + cloud.n + 4 * k);
    for (Index i = 0; i < cloud.n; ++i) {
      const Vector<Real> at = vector_of(cloud.pressing.work.frame_r, cloud.first + i);
      const Distance<Real> from = distance_to(host, at);
      const Real gap = from.value - cloud.radius(i);
      if (gap < 0.0 && !cloud.as_one(cloud.n + k, i))
        press(cloud.pressing, f, cloud.first + i, gap, from.normal, at - (cloud.radius(i) + 0.5 * gap) * from.normal);
    }
  }
}

template <class Real>
void add_cloud(const Layout& layout, Work<Real>& work, Index e) {
  const double* p = law_numbers(layout, e);
  Pressing<Real> pressing(work, p + CLOUD_HARDNESS, p + CLOUD_FRICTION);
  Cloud<Real> cloud{layout, pressing, p, layout.element(e, FIRST), Index(p[CLOUD_SPHERES])};
  Real largest = 0.0;
  for (Index i = 0; i < cloud.n; ++i) largest = larger(largest, Real(cloud.radius(i)));
  Index entries = 16;
  while (entries < 2 * cloud.n) entries *= 2;
  Buffer<Index> head(entries), next(cloud.n);
  Buffer<Index, 2, 96, 3> cell(cloud.n, 3);
  const Cells cells{head.view(), next.view(), cell.view()};
  if (fill(cloud, cells, 2.0 * largest)) {
    touch_neighbours(cloud, cells);
    touch_others(cloud);
  } else {
    pressing.stored = NaN;
  }
  pressing.put_powers(e);
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
template bool cloud_is_slow<double>(const Layout&, const Work<double>&, Index, double);

}  // namespace flexbody
