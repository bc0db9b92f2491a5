// The law of contacts, see contact_law.hpp; p as ContactNumber says. Bristles are its states, see bristles.hpp.
#include "contact_law.hpp"

#include "bristles.hpp"

using namespace flexbody;

static Hardness hardness(const double* p) {
  return {p[CONTACT_STIFFNESS], p[CONTACT_EXPONENT], p[CONTACT_DISSIPATION]};
}

static void put_three(double* out, const Vector<double>& a) {
  for (Index k = 0; k < 3; ++k) out[k] = a[k];
}

static Vector<double> three(const double* a) {
  return {a[0], a[1], a[2]};
}

static Vector<double> slip_of(const double* rate) {
  return three(rate + 1);
}

static double size_of(const Vector<double>& slip) {
  return std::sqrt(dot(slip, slip));
}

FLEXBODY_LAW(contact) {
  const Index points = Index(p[CONTACT_POINTS]), m = PER_POINT * points;
  const bool sticks = p[CONTACT_PRESLIDING] > 0.0;
  const double* friction = p + CONTACT_FRICTION;
  double energy = 0.0, lost = 0.0;
  for (Index i = 0, at = 0; i < m; i += PER_POINT, at += BRISTLES) {
    const Pressed now = pressed(hardness(p), x[i], rate[i]);
    const Vector<double> slip = slip_of(rate + i);
    Vector<double> drag{0.0, 0.0, 0.0};
    if (sticks) {
      const Vector<double> zeta = three(z + at);
      if (now.normal > 0.0) drag = now.normal * friction_of_bristle(friction, zeta, slip);
      put_three(out + m + at, bristle_rate(friction, p[CONTACT_PRESLIDING], now.normal > 0.0, zeta, slip));
    } else if (now.normal > 0.0) {
      drag = now.normal * friction_over_slip(friction, size_of(slip)) * slip;
    }
    out[i] = -now.normal;
    put_three(out + i + 1, drag);
    energy += now.elastic * now.depth / (p[CONTACT_EXPONENT] + 1.0);
    lost += (now.elastic - now.normal) * rate[i] + dot(drag, slip);
  }
  double* powers = out + m + (sticks ? BRISTLES * points : 0);
  powers[0] = energy;
  powers[1] = lost;
  powers[2] = 0.0;
}

FLEXBODY_LAW_SLOPE(contact) {
  const Index points = Index(p[CONTACT_POINTS]), m = PER_POINT * points;
  double *by_x = out, *by_rate = out + m * m;
  for (Index k = 0; k < 2 * m * m; ++k) out[k] = 0.0;
  for (Index i = 0; i < m; i += PER_POINT) {
    const Pressed now = pressed(hardness(p), x[i], rate[i]);
    const double slip = size_of(slip_of(rate + i));
    if (!(now.depth > 0.0)) continue;
    const PressedSlope slope = slope_of(hardness(p), p + CONTACT_FRICTION, now, slip);
    by_x[i * m + i] = slope.by_depth;
    by_rate[i * m + i] = slope.by_rate;
    const double inverse = slip > 0.0 ? 1.0 / square(slip) : 0.0;
    for (Index k = i + 1; k < i + PER_POINT; ++k) {
      by_rate[k * m + k] = slope.across;
      for (Index l = i + 1; l < i + PER_POINT; ++l)
        by_rate[k * m + l] += (slope.along - slope.across) * rate[k] * rate[l] * inverse;
    }
  }
}

namespace flexbody {

void step_bristles(const double* p, const double* x, const double* rate, const double* known, double kappa,
                   double* z) {
  for (Index k = 0; k < Index(p[CONTACT_POINTS]); ++k) {
    const double* at = rate + PER_POINT * k;
    const bool touches = pressed(hardness(p), x[PER_POINT * k], at[0]).normal > 0.0;
    put_three(z + BRISTLES * k, stepped_bristle(p + CONTACT_FRICTION, p[CONTACT_PRESLIDING], touches,
                                                three(known + BRISTLES * k), kappa, slip_of(at)));
  }
}

void add_bristle_slopes(const double* p, const double* x, const double* rate, const double* known, double kappa,
                        double* by_rate) {
  const Index points = Index(p[CONTACT_POINTS]), m = PER_POINT * points;
  const double *friction = p + CONTACT_FRICTION, presliding = p[CONTACT_PRESLIDING];
  for (Index k = 0; k < points; ++k) {
    const Index i = PER_POINT * k;
    const Pressed now = pressed(hardness(p), x[i], rate[i]);
    if (!(now.normal > 0.0)) continue;
    const Vector<double> slip = slip_of(rate + i), start = three(known + BRISTLES * k);
    const auto drag = [&](const Vector<double>& s) {
      return friction_of_bristle(friction, stepped_bristle(friction, presliding, true, start, kappa, s), s);
    };
    // central differences of a closed form, over a part of the slip in which friction changes
    const double h = 1e-5 * (friction[REGULARISATION_VELOCITY] + size_of(slip));
    for (Index l = 0; l < 3; ++l) {
      Vector<double> ahead = slip, behind = slip;
      ahead[l] += h, behind[l] -= h;
      const Vector<double> change = (0.5 * now.normal / h) * (drag(ahead) - drag(behind));
      for (Index j = 0; j < 3; ++j) by_rate[(i + 1 + j) * m + i + 1 + l] = change[j];
    }
  }
}

}  // namespace flexbody
