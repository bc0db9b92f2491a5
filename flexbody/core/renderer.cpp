// Pictures without OpenGL: triangles and lines into a depth buffer.
//
// Points xyz (n, 3) are in samples: x to the right, y downward, z toward the viewer; sample (i, j) of the picture has
// its middle at y = i + 1/2, x = j + 1/2.
#include "../../fem/core/array.hpp"
#include "../../fem/core/export.hpp"
#include "../../fem/core/vector.hpp"

namespace flexbody {

namespace {

// What is drawn into.
struct Canvas {
  Array<float, 3> colour;  // (height, width, 3) in 0..1
  Array<float, 2> depth;   // (height, width) z of what lies in front

  Index height() const { return depth.shape[0]; }
  Index width() const { return depth.shape[1]; }
};

// The samples first..last along one direction that low..high covers, of count; none if first > last.
struct Range {
  Index first, last;
};

}  // namespace

static Range samples(double low, double high, Index count) {
  const double end = double(count - 1);
  return {Index(smaller(larger(0.0, std::floor(low)), end + 1.0)),
          Index(larger(-1.0, smaller(end, std::ceil(high))))};
}

static double least(double a, double b, double c) {
  return smaller(smaller(a, b), c);
}
static double largest(double a, double b, double c) {
  return larger(larger(a, b), c);
}

// Draw one triangle abc in the colours (3,) of its corners where nothing lies in front of it.
static void fill_triangle(const Vector<double> (&at)[3], const Vector<double> (&shade)[3], const Canvas& canvas) {
  const auto& [a, b, c] = at;
  const double area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  if (!(std::abs(area) >= 1e-3)) return;  // seen edge on: its depth would be arbitrary
  const Range columns = samples(least(a.x, b.x, c.x), largest(a.x, b.x, c.x), canvas.width());
  const Range rows = samples(least(a.y, b.y, c.y), largest(a.y, b.y, c.y), canvas.height());
  for (Index i = rows.first; i <= rows.last; ++i) {
    const double y = double(i) + 0.5;
    for (Index j = columns.first; j <= columns.last; ++j) {
      const double x = double(j) + 0.5;
      // parts of the area: x = u a + v b + w c
      const double u = ((b.x - x) * (c.y - y) - (b.y - y) * (c.x - x)) / area;
      const double v = ((c.x - x) * (a.y - y) - (c.y - y) * (a.x - x)) / area;
      const double w = 1.0 - u - v;
      if (u < 0.0 || v < 0.0 || w < 0.0) continue;
      const double z = u * a.z + v * b.z + w * c.z;
      if (!(z > double(canvas.depth(i, j)))) continue;
      canvas.depth(i, j) = float(z);
      for (Index m = 0; m < 3; ++m)
        canvas.colour(i, j, m) = float(u * shade[0][m] + v * shade[1][m] + w * shade[2][m]);
    }
  }
}

// Draw triangles (t, 3) of points xyz (n, 3) with colours shade (n, 3).
static void fill(Array<const double, 2> xyz, IndexRows triangles, Array<const double, 2> shade,
                 const Canvas& canvas) {
  for (Index k = 0; k < triangles.shape[0]; ++k) {
    const Index a = triangles(k, 0), b = triangles(k, 1), c = triangles(k, 2);
    fill_triangle({vector_of(xyz, a), vector_of(xyz, b), vector_of(xyz, c)},
                  {vector_of(shade, a), vector_of(shade, b), vector_of(shade, c)}, canvas);
  }
}

// Draw a disc of this diameter around (x, y) where nothing lies in front of z.
static void dot_at(double x, double y, double z, double diameter, const Vector<float>& ink, const Canvas& canvas) {
  const Index reach = Index(std::ceil(diameter / 2)), row = Index(std::floor(y)), column = Index(std::floor(x));
  for (Index i = row - reach; i <= row + reach; ++i)
    for (Index j = column - reach; j <= column + reach; ++j) {
      if (i < 0 || j < 0 || i >= canvas.height() || j >= canvas.width() || double(canvas.depth(i, j)) > z) continue;
      if (square(double(i) + 0.5 - y) + square(double(j) + 0.5 - x) <= diameter * diameter / 4)
        put(canvas.colour, i, j, ink);
    }
}

// Draw lines (l, 2) `width` samples wide where nothing lies in front of them (two samples of tolerance).
static void lines(Array<const double, 2> xyz, IndexRows edges, Table ink, double width, const Canvas& canvas) {
  const Vector<float> colour{float(ink[0]), float(ink[1]), float(ink[2])};
  for (Index k = 0; k < edges.shape[0]; ++k) {
    const Vector<double> a = vector_of(xyz, edges(k, 0)), d = vector_of(xyz, edges(k, 1)) - a;
    const double length = larger(std::abs(d.x), std::abs(d.y));
    if (!(length + std::abs(a.x) + std::abs(a.y) < 1e9)) continue;  // far outside, or not a number
    const Index steps = 2 * Index(std::ceil(length)) + 1;
    for (Index s = 0; s <= steps; ++s)
      dot_at(a.x + d.x * double(s) / double(steps), a.y + d.y * double(s) / double(steps),
             a.z + d.z * double(s) / double(steps) + 2.0, width, colour, canvas);
  }
}

// Bytes (height / n, width / n, 3), each the mean of n by n samples.
static void shrink(Array<const float, 3> colour, Index n, Array<unsigned char, 3> out) {
  for (Index i = 0; i < out.shape[0]; ++i)
    for (Index j = 0; j < out.shape[1]; ++j)
      for (Index m = 0; m < 3; ++m) {
        double total = 0.0;
        for (Index k = 0; k < n; ++k)
          for (Index l = 0; l < n; ++l) total += double(colour(i * n + k, j * n + l, m));
        out(i, j, m) = static_cast<unsigned char>(255.0 * total / double(n * n) + 0.5);
      }
}

}  // namespace flexbody

using namespace flexbody;

FLEXBODY_EXPORT void flexbody_render_triangles(Index n, Index count, Index height, Index width, const double* xyz,
                                               const Index* triangles, const double* shade, float* colour,
                                               float* depth) {
  fill({xyz, {n, 3}}, {triangles, {count, 3}}, {shade, {n, 3}},
       {{colour, {height, width, 3}}, {depth, {height, width}}});
}

FLEXBODY_EXPORT void flexbody_render_lines(Index n, Index count, Index height, Index width, const double* xyz,
                                           const Index* edges, const double* ink, double line_width, float* colour,
                                           float* depth) {
  lines({xyz, {n, 3}}, {edges, {count, 2}}, {ink, {3}}, line_width,
        {{colour, {height, width, 3}}, {depth, {height, width}}});
}

FLEXBODY_EXPORT void flexbody_render_shrink(Index height, Index width, Index n, const float* colour,
                                            unsigned char* out) {
  shrink({colour, {height, width, 3}}, n, {out, {height / n, width / n, 3}});
}
