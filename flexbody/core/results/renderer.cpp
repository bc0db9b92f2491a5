// Pictures without OpenGL: triangles and lines into a depth buffer, with several samples in each pixel.
//
// Points xyz (n, 3) are in samples: x to the right, y downward, z toward the viewer; sample (i, j) of the picture has
// its middle at y = i + 1/2, x = j + 1/2. The picture is drawn in strips of some rows, which stay in the cache.
#include "../../../fem/core/array.hpp"
#include "../../../fem/core/export.hpp"
#include "../../../fem/core/vector.hpp"

namespace flexbody {

constexpr double EDGE_ON = 1e-3;       // a triangle of a smaller area, samples squared, has no certain depth
constexpr double ON_THE_RIM = 1e-9;    // so far (share of a triangle) outside it a sample counts: no gaps between two
constexpr double FAR_OUTSIDE = 1e9;    // samples
constexpr double LINE_IN_FRONT = 2.0;  // samples that a line is drawn before its place, in front of its own surface

namespace {

// The samples first..last along one direction; none if first > last.
struct Range {
  Index first, last;
};

// What is drawn.
struct Drawing {
  Array<const double, 2> xyz;    // (n, 3)
  IndexRows triangles;           // (t, 3)
  Array<const double, 2> shade;  // (n, 3) colours in 0..1
  IndexRows edges;               // (e, 2)
  Array<const double, 2> ink;    // (e, 3) colours of lines in 0..1
  double line_width;             // samples
};

// Rows of the picture, and the columns where something is drawn.
struct Strip {
  Array<float, 3> colour;  // (3, rows, width) in 0..255
  Array<float, 2> depth;   // (rows, width) z of what lies in front
  Range rows, columns;

  void clear() const {
    for (Index i = 0; i <= rows.last - rows.first; ++i) {
      fill(&depth(i, 0), -float(INF));
      for (Index m = 0; m < 3; ++m) fill(&colour(m, i, 0), 255.0f);
    }
  }

  void fill(float* row, float value) const {
    for (Index j = columns.first; j <= columns.last; ++j) row[j] = value;
  }
};

}  // namespace

// The samples of `all` that low..high covers.
static Range samples(double low, double high, Range all) {
  const double first = double(all.first), last = double(all.last);
  return {Index(smaller(larger(first, std::floor(low)), last + 1.0)),
          Index(larger(first - 1.0, smaller(last, std::ceil(high))))};
}

static double least(double a, double b, double c) {
  return smaller(smaller(a, b), c);
}
static double largest(double a, double b, double c) {
  return larger(larger(a, b), c);
}

// Reduce a range of samples of a row to those at which a linear function is not negative. The function is `value` at
// sample 0 and grows by `growth` from one sample to the next; `inverse` = 1 / growth.
FLEXBODY_INLINE void leave_above_zero(double value, double growth, double inverse, Range& range) {
  const double first = double(range.first), last = double(range.last), zero = -(value + ON_THE_RIM) * inverse;
  if (growth > 0.0) {
    range.first = Index(larger(first, smaller(std::ceil(zero), last + 1.0)));
  } else if (growth < 0.0) {
    range.last = Index(smaller(last, larger(std::floor(zero), first - 1.0)));
  } else if (value < -ON_THE_RIM) {
    range.last = range.first - 1;
  }
}

// Draw one triangle abc in the colours (3,) of its corners where nothing lies in front of it.
static void fill_triangle(const Vector<double> (&at)[3], const Vector<double> (&shade)[3], const Strip& strip) {
  const auto& [a, b, c] = at;
  const double area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  if (!(std::abs(area) >= EDGE_ON && std::abs(area) < square(FAR_OUTSIDE))) return;
  const Range rows = samples(least(a.y, b.y, c.y), largest(a.y, b.y, c.y), strip.rows);
  const Range columns = samples(least(a.x, b.x, c.x), largest(a.x, b.x, c.x), strip.columns);
  // parts of the area: (x, y) = u a + v b + w c
  const double inverse = 1.0 / area, x = 0.5, du = (b.y - c.y) * inverse, dv = (c.y - a.y) * inverse;
  const double per_u = 1.0 / du, per_v = 1.0 / dv, per_w = -1.0 / (du + dv);
  double corners[4][3];  // of red, green, blue and z
  for (Index l = 0; l < 3; ++l) {
    for (Index m = 0; m < 3; ++m) corners[m][l] = 255.0 * shade[l][m];
    corners[3][l] = at[l].z;
  }
  float growth[4];
  for (Index m = 0; m < 4; ++m)
    growth[m] = float(du * (corners[m][0] - corners[m][2]) + dv * (corners[m][1] - corners[m][2]));
  for (Index i = rows.first; i <= rows.last; ++i) {
    const double y = double(i) + 0.5;
    const double u0 = ((b.x - x) * (c.y - y) - (b.y - y) * (c.x - x)) * inverse;
    const double v0 = ((c.x - x) * (a.y - y) - (c.y - y) * (a.x - x)) * inverse;
    Range inside = columns;
    leave_above_zero(u0, du, per_u, inside);
    leave_above_zero(v0, dv, per_v, inside);
    leave_above_zero(1.0 - u0 - v0, -du - dv, per_w, inside);
    if (inside.first > inside.last) continue;
    const double u = u0 + double(inside.first) * du, v = v0 + double(inside.first) * dv, w = 1.0 - u - v;
    float start[4];
    for (Index m = 0; m < 4; ++m) start[m] = float(u * corners[m][0] + v * corners[m][1] + w * corners[m][2]);
    const Index row = i - strip.rows.first;
    float* const depth = &strip.depth(row, inside.first);
    float* const red = &strip.colour(0, row, inside.first);
    float* const green = &strip.colour(1, row, inside.first);
    float* const blue = &strip.colour(2, row, inside.first);
    const int count = int(inside.last - inside.first + 1);
    for (int k = 0; k < count; ++k) {
      const float s = float(k), z = start[3] + s * growth[3];
      const bool in_front = z > depth[k];
      depth[k] = in_front ? z : depth[k];
      red[k] = in_front ? start[0] + s * growth[0] : red[k];
      green[k] = in_front ? start[1] + s * growth[1] : green[k];
      blue[k] = in_front ? start[2] + s * growth[2] : blue[k];
    }
  }
}

// Draw a line from a to b with round ends where nothing lies in front of it.
static void draw_line(const Vector<double>& a, const Vector<double>& b, double width, const Vector<double>& ink,
                      const Strip& strip) {
  const double dx = b.x - a.x, dy = b.y - a.y, squared = square(dx) + square(dy), radius = width / 2;
  if (!(squared + square(a.x) + square(a.y) < square(FAR_OUTSIDE))) return;  // or not a number
  const Range rows = samples(smaller(a.y, b.y) - radius, larger(a.y, b.y) + radius, strip.rows);
  // half of what the line covers of a row, where it isn't flat
  const double half = std::abs(dy) > 1e-9 ? radius * std::sqrt(squared) / std::abs(dy) : INF;
  for (Index i = rows.first; i <= rows.last; ++i) {
    const double y = double(i) + 0.5 - a.y;
    double low = smaller(0.0, dx) - radius, high = larger(0.0, dx) + radius;
    if (half < INF) {
      low = larger(low, y * dx / dy - half - radius);
      high = smaller(high, y * dx / dy + half + radius);
    }
    const Range columns = samples(a.x + low, a.x + high, strip.columns);
    const Index row = i - strip.rows.first;
    for (Index j = columns.first; j <= columns.last; ++j) {
      const double x = double(j) + 0.5 - a.x;
      const double part = squared > 0.0 ? larger(0.0, smaller(1.0, (x * dx + y * dy) / squared)) : 0.0;
      if (square(x - part * dx) + square(y - part * dy) > square(radius)) continue;
      if (a.z + part * (b.z - a.z) + LINE_IN_FRONT < double(strip.depth(row, j))) continue;
      for (Index m = 0; m < 3; ++m) strip.colour(m, row, j) = float(255.0 * ink[m]);
    }
  }
}

// The columns (axis 0) or rows (axis 1) of `count` that a drawing covers, out to whole pixels of n samples.
static Range covered(const Drawing& drawing, Index axis, Index count, Index n) {
  double low = INF, high = -INF;
  for (Index k = 0; k < drawing.xyz.shape[0]; ++k) {
    low = smaller(low, drawing.xyz(k, axis));
    high = larger(high, drawing.xyz(k, axis));
  }
  const Range found = samples(low - drawing.line_width, high + drawing.line_width, {0, count - 1});
  return {found.first / n * n, (found.last + n) / n * n - 1};
}

// Note the rows, first and last, that low..high and `reach` around it cover.
static void note_rows(double low, double high, double reach, Range all, Array<Index, 1> found) {
  const Range rows = samples(low - reach, high + reach, all);
  found[0] = rows.first;
  found[1] = rows.last;
}

// The rows (t + e, 2), first and last, that each triangle and each line covers.
static void find_rows(const Drawing& drawing, Range all, Array<Index, 2> found) {
  const Index t = drawing.triangles.shape[0];
  const auto y = [&](Index point) { return drawing.xyz(point, 1); };
  for (Index k = 0; k < t; ++k) {
    const double a = y(drawing.triangles(k, 0)), b = y(drawing.triangles(k, 1)), c = y(drawing.triangles(k, 2));
    note_rows(least(a, b, c), largest(a, b, c), 0.0, all, found[k]);
  }
  for (Index k = 0; k < drawing.edges.shape[0]; ++k) {
    const double a = y(drawing.edges(k, 0)), b = y(drawing.edges(k, 1));
    note_rows(smaller(a, b), larger(a, b), drawing.line_width, all, found[t + k]);
  }
}

// Draw the surfaces of a strip, and its lines on them; `rows` from find_rows.
static void draw_strip(const Drawing& drawing, Array<const Index, 2> rows, const Strip& strip) {
  const auto& [xyz, triangles, shade, edges, ink, line_width] = drawing;
  const Index t = triangles.shape[0];
  const auto seen = [&](Index k) { return rows(k, 0) <= strip.rows.last && rows(k, 1) >= strip.rows.first; };
  for (Index k = 0; k < t; ++k) {
    if (!seen(k)) continue;
    const Index a = triangles(k, 0), b = triangles(k, 1), c = triangles(k, 2);
    fill_triangle({vector_of(xyz, a), vector_of(xyz, b), vector_of(xyz, c)},
                  {vector_of(shade, a), vector_of(shade, b), vector_of(shade, c)}, strip);
  }
  for (Index k = 0; k < edges.shape[0]; ++k)
    if (seen(t + k))
      draw_line(vector_of(xyz, edges(k, 0)), vector_of(xyz, edges(k, 1)), line_width, vector_of(ink, k), strip);
}

// Write the pixels of a strip into the picture (height, width, 3), each the mean of n by n samples.
static void shrink(const Strip& strip, Index n, Array<unsigned char, 3> picture) {
  const auto& [first, last] = strip.columns;
  const float share = 1.0f / float(n * n);
  for (Index i = 0; i <= strip.rows.last - strip.rows.first; i += n)
    for (Index m = 0; m < 3; ++m) {
      float* const sum = &strip.colour(m, i, 0);
      for (Index k = 1; k < n; ++k) {
        const float* const next = &strip.colour(m, i + k, 0);
        for (Index j = first; j <= last; ++j) sum[j] += next[j];
      }
      for (Index j = first; j <= last; j += n) {
        float total = 0.0f;
        for (Index l = 0; l < n; ++l) total += sum[j + l];
        picture((strip.rows.first + i) / n, j / n, m) = static_cast<unsigned char>(total * share + 0.5f);
      }
    }
}

}  // namespace flexbody

using namespace flexbody;

// Draw into `picture` (height, width, 3), white before, with n by n samples in each pixel and `lines` lines of pixels
// at a time. Work arrays: colour (3, lines n, width n), depth (lines n, width n), rows (t + e, 2).
FLEXBODY_EXPORT void flexbody_render(Index points, Index t, Index e, Index height, Index width, Index n, Index lines,
                                     const double* xyz, const Index* triangles, const double* shade,
                                     const Index* edges, const double* ink, double line_width, float* colour,
                                     float* depth, Index* rows, unsigned char* picture) {
  const Drawing drawing{{xyz, {points, 3}}, {triangles, {t, 3}}, {shade, {points, 3}},
                        {edges, {e, 2}},    {ink, {e, 3}},       line_width};
  if (points == 0) return;
  const Range columns = covered(drawing, 0, width * n, n), down = covered(drawing, 1, height * n, n);
  find_rows(drawing, down, {rows, {t + e, 2}});
  for (Index first = down.first; first <= down.last; first += lines * n) {
    const Index last = first + lines * n - 1;
    const Strip strip{{colour, {3, lines * n, width * n}},
                      {depth, {lines * n, width * n}},
                      {first, last < down.last ? last : down.last},
                      columns};
    strip.clear();
    draw_strip(drawing, {rows, {t + e, 2}}, strip);
    shrink(strip, n, {picture, {height, width, 3}});
  }
}

// Normals (n, 3) of length one at points (n, 3): of the triangles (t, 3) around each, by their area.
FLEXBODY_EXPORT void flexbody_normals(Index n, Index t, const double* points, const Index* triangles,
                                      double* normals) {
  const Array<const double, 2> x{points, {n, 3}};
  const IndexRows corners{triangles, {t, 3}};
  const Array<double, 2> out{normals, {n, 3}};
  for (Index i = 0; i < n; ++i) put(out, i, Vector<double>{0, 0, 0});
  for (Index k = 0; k < t; ++k) {
    const auto a = vector_of(x, corners(k, 0)), b = vector_of(x, corners(k, 1)), c = vector_of(x, corners(k, 2));
    const auto normal = cross(b - a, c - a);
    for (Index l = 0; l < 3; ++l) put(out, corners(k, l), vector_of(out, corners(k, l)) + normal);
  }
  for (Index i = 0; i < n; ++i) {
    const auto normal = vector_of(out, i);
    const double size = std::sqrt(dot(normal, normal));
    if (size > 0.0) put(out, i, 1.0 / size * normal);
  }
}
