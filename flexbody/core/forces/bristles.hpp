// Coulomb friction that sticks: bristles of two surfaces that bend in the presliding displacement d.
//
// Of a bristle zeta (three components in the plane of contact, |zeta| = 1 where friction is full), the slip s, the
// regularisation velocity v and the normal force N,
//
//     F = N mu(|s|) ((1 - T) zeta + T s/|s|),   T = tanh(|s|/v)      mu N is never passed, and is met while sliding
//     d zeta. = s - a(|zeta|) max(0, e . s) e,   e = zeta/|zeta|,   a(r) = max(0, (r - b)/(1 - b))
//
// The bristle is elastic below the part b of full friction, so that nothing creeps under loads to and fro, and gives
// way above it: P. Dupont, V. Hayward, B. Armstrong, F. Altpeter, IEEE Trans. Autom. Control 47 (2002) 787, with a
// damping that falls with the slip as in H. Olsson, K. J. Astrom, C. Canudas de Wit, M. Gafvert, P. Lischinsky, Eur.
// J. Control 4 (1998) 176. At slips far above v, where it carries little, the bristle turns more slowly than that:
// d (1 + |s|/(10 v)) takes the place of d. Without contact it straightens at the rate v/d.
#pragma once
#include "../../../fem/core/vector.hpp"
#include "contact_law.hpp"

// Friction of given size along one deformation.
FLEXBODY_LAW(sticking_friction);

namespace flexbody {

// Part of full friction below which bristles are elastic, and slips over v above which they turn more slowly.
constexpr double ELASTIC_PART = 0.8, FAST_SLIP = 10.0;

// Friction over the normal force; friction: its five numbers.
inline Vector<double> friction_of_bristle(const double* friction, const Vector<double>& zeta,
                                          const Vector<double>& slip) {
  const double size = std::sqrt(dot(slip, slip)), full = stribeck(friction, size);
  const double held = 1.0 - std::tanh(size / friction[REGULARISATION_VELOCITY]);
  return (full * held) * zeta + friction_over_slip(friction, size) * slip;
}

// d (1 + |s|/(10 v))
inline double bristle_length(const double* friction, double presliding, const Vector<double>& slip) {
  return presliding * (1.0 + std::sqrt(dot(slip, slip)) / (FAST_SLIP * friction[REGULARISATION_VELOCITY]));
}

// zeta. of surfaces that touch, or don't.
inline Vector<double> bristle_rate(const double* friction, double presliding, bool touches,
                                   const Vector<double>& zeta, const Vector<double>& slip) {
  if (!touches) return (-friction[REGULARISATION_VELOCITY] / presliding) * zeta;
  const double size = std::sqrt(dot(zeta, zeta)), yields = (size - ELASTIC_PART) / (1.0 - ELASTIC_PART);
  const double inverse = 1.0 / bristle_length(friction, presliding, slip);
  if (!(yields > 0.0)) return inverse * slip;
  const double along = larger(dot(zeta, slip), 0.0) / square(size);
  return inverse * (slip - (yields * along) * zeta);
}

// zeta with `zeta - kappa zeta. = known`, in closed form: zeta has the direction of `known + kappa s / d`.
inline Vector<double> stepped_bristle(const double* friction, double presliding, bool touches,
                                      const Vector<double>& known, double kappa, const Vector<double>& slip) {
  if (!touches) return (1.0 / (1.0 + kappa * friction[REGULARISATION_VELOCITY] / presliding)) * known;
  const double part = kappa / bristle_length(friction, presliding, slip);
  const Vector<double> elastic = known + part * slip;
  const double size = std::sqrt(dot(elastic, elastic));
  if (!(size > ELASTIC_PART)) return elastic;
  const double yields = part * larger(dot(elastic, slip), 0.0) / (size * (1.0 - ELASTIC_PART));
  return ((1.0 + yields * ELASTIC_PART / size) / (1.0 + yields)) * elastic;
}

// Find the bristles z (3 a point) of a contact where a step expects them; known (3 a point), and gaps and slips with
// their rates, as of the law of contact.
void step_bristles(const double* p, const double* x, const double* rate, const double* known, double kappa,
                   double* z);

// Put the derivatives of friction by the slips into by_rate (m, m) of the law of contact, for bristles that follow
// the slip as a step expects them (kappa), or stay (kappa zero; known are then the bristles).
void add_bristle_slopes(const double* p, const double* x, const double* rate, const double* known, double kappa,
                        double* by_rate);

}  // namespace flexbody
