// The laws of force elements: see force_laws.hpp.
#include "force_laws.hpp"

#include <bit>

#include "../laws/tape.hpp"
#include "../laws/time_laws.hpp"

using namespace flexbody;

// F = k x + d x. + u, Koppens (4.3); p = (k, d).
FLEXBODY_LAW(linear) {
  out[0] = p[0] * x[0] + p[1] * rate[0] + u[0];
  out[1] = 0.5 * p[0] * x[0] * x[0];
  out[2] = p[1] * rate[0] * rate[0];
  out[3] = -u[0] * rate[0];
}

FLEXBODY_LAW_SLOPE(linear) {
  out[0] = p[0];
  out[1] = p[1];
}

// By how much a stop is overrun, at what rate, and on which side (1 upper, -1 lower, 0 none).
struct Overlap {
  double depth, speed, side;
};

// depth = x - upper or lower - x, where that is above zero.
static Overlap overlap(double x, double rate, double lower, double upper) {
  if (x > upper) return {x - upper, rate, 1.0};
  if (x < lower) return {lower - x, -rate, -1.0};
  return {0.0, 0.0, 0.0};
}

// Stops at both ends of a range; p = (lower and upper end, k, n, d).
//
// F = k delta^n (1 + d delta.), never pulling, U = k delta^(n + 1) / (n + 1), K. H. Hunt, F. R. E. Crossley, J. Appl.
// Mech. 42 (1975) 440.
FLEXBODY_LAW(stop) {
  const Overlap over = overlap(x[0], rate[0], p[0], p[1]);
  const double elastic = over.depth > 0.0 ? p[2] * std::pow(over.depth, p[3]) : 0.0;
  const double force = larger(elastic * (1.0 + p[4] * over.speed), 0.0);
  out[0] = over.side * force;
  out[1] = elastic * over.depth / (p[3] + 1.0);
  out[2] = (force - elastic) * over.speed;
  out[3] = 0.0;
}

// dF/dx = k n delta^(n - 1) (1 + d delta.), dF/dx. = k delta^n d.
FLEXBODY_LAW_SLOPE(stop) {
  const Overlap over = overlap(x[0], rate[0], p[0], p[1]);
  const double k = p[2], n = p[3], d = p[4];
  const bool touches = over.side != 0.0;
  out[0] = touches ? k * n * std::pow(over.depth, n - 1.0) * larger(1.0 + d * over.speed, 0.0) : 0.0;
  out[1] = touches ? k * std::pow(over.depth, n) * d : 0.0;
}

// Dry friction of given size; p as FrictionNumber says up to REGULARISATION_VELOCITY, MU and MU_STATIC times the
// normal force.
//
// F = mu(s) tanh(s / regularisation velocity) + viscous s, with mu(s) of `stribeck`.
FLEXBODY_LAW(friction) {
  out[0] = stribeck(p, rate[0]) * std::tanh(rate[0] / p[REGULARISATION_VELOCITY]) + p[VISCOUS] * rate[0];
  out[1] = 0.0;
  out[2] = out[0] * rate[0];
  out[3] = 0.0;
}

// dF/ds without what mu changes.
FLEXBODY_LAW_SLOPE(friction) {
  const double part = std::tanh(rate[0] / p[REGULARISATION_VELOCITY]);
  out[0] = 0.0;
  out[1] = stribeck(p, rate[0]) * (1.0 - part * part) / p[REGULARISATION_VELOCITY] + p[VISCOUS];
}

// Dry friction that follows the reaction of its joint, see reaction_friction.hpp; p as FrictionNumber says, u = (N,
// rate of the other coordinate along which the surfaces slide).
//
// F = h N + viscous s.
FLEXBODY_LAW(reaction_friction) {
  out[0] = friction_coefficient(p, rate[0], u[1]).value * u[0] + p[VISCOUS] * rate[0];
  out[1] = 0.0;
  out[2] = out[0] * rate[0];
  out[3] = 0.0;
}

FLEXBODY_LAW_SLOPE(reaction_friction) {
  out[0] = 0.0;
  out[1] = friction_coefficient(p, rate[0], u[1]).slope * u[0] + p[VISCOUS];
}

// The force by which teeth separate their wheels, see reaction_friction.hpp; p as SeparationNumber says, u = (F_n,
// 0).
//
// F = -F_n.
FLEXBODY_LAW(separation) {
  out[0] = -u[0];
  out[1] = 0.0;
  out[2] = out[0] * rate[0];
  out[3] = 0.0;
}

FLEXBODY_LAW_SLOPE(separation) {
  out[0] = 0.0;
  out[1] = 0.0;
}

// A spring beside Maxwell branches; p = (k, d, n, where e lies in p or 0, k_i and tau_i of each, e as for `piece`), z
// = strokes of the dashpots.
//
// F = k e(x) + d x. + sum k_i (e(x) - z_i), z_i. = (e(x) - z_i) / tau_i, with e(x) = x where no e is given: Sol
// (3.4.4), generalized Maxwell model. With e(x) the branches have no stored energy: their work is put in.
FLEXBODY_LAW(viscoelastic) {
  const Index n = Index(p[2]), at = Index(p[3]);
  const PieceValue e = at > 0 ? piece(p, at, x[0]) : PieceValue{x[0], 0.5 * x[0] * x[0]};
  double branches = 0.0, energy = p[0] * e.integral, lost = p[1] * rate[0] * rate[0];
  for (Index i = 0; i < n; ++i) {
    const double k = p[4 + 2 * i], tau = p[5 + 2 * i];
    const double stretch = e.value - z[i];
    branches += k * stretch;
    if (at == 0) {
      energy += 0.5 * k * stretch * stretch;
      lost += k * stretch * stretch / tau;
    }
    out[1 + i] = stretch / tau;
  }
  out[0] = p[0] * e.value + p[1] * rate[0] + branches;
  out[1 + n] = energy;
  out[2 + n] = lost;
  out[3 + n] = at > 0 ? -branches * rate[0] : 0.0;
}

// A piston of area p[0] under the pressure u, which pushes apart, Sol (3.5.6): F = -A u.
FLEXBODY_LAW(pressure) {
  out[0] = -p[0] * u[0];
  out[1] = out[2] = 0.0;
  out[3] = p[0] * u[0] * rate[0];
}

// A piston on oil: p = (area A, stiffness of the oil E/V, leakage c), z = pressure, u = flow.
//
// z. = E/V (u - A x. - c z), F = -A z; the oil stores z^2 V / 2 E.
FLEXBODY_LAW(cylinder) {
  out[0] = -p[0] * z[0];
  out[1] = p[1] * (u[0] - p[0] * rate[0] - p[2] * z[0]);
  out[2] = 0.5 * z[0] * z[0] / p[1];
  out[3] = p[2] * z[0] * z[0];
  out[4] = u[0] * z[0];
}

// A direct-current motor: p = (c, R, L), z = current, u = voltage; Sol (3.5.7)-(3.5.8).
//
// L z. = u - R z - c x., torque c z on the second body: the back-e.m.f. takes from the circuit what the torque gives
// (in Sol's equations the sign fits a torque on the element).
FLEXBODY_LAW(motor) {
  out[0] = -p[0] * z[0];
  out[1] = (u[0] - p[1] * z[0] - p[0] * rate[0]) / p[2];
  out[2] = 0.5 * p[2] * z[0] * z[0];
  out[3] = p[1] * z[0] * z[0];
  out[4] = u[0] * z[0];
}

// A motor whose voltage is b (u - x) - b1 x. within +- limit; p = (c, R, L, b, b1, limit), u = the set-point.
//
// Sol (3.5.9).
FLEXBODY_LAW(servo) {
  double voltage = p[3] * (u[0] - x[0]) - p[4] * rate[0];
  voltage = smaller(larger(voltage, -p[5]), p[5]);
  out[0] = -p[0] * z[0];
  out[1] = (voltage - p[1] * z[0] - p[0] * rate[0]) / p[2];
  out[2] = 0.5 * p[2] * z[0] * z[0];
  out[3] = p[1] * z[0] * z[0];
  out[4] = voltage * z[0];
}

// F = f(x) + d x.; p = (d, f as for `piece`).
FLEXBODY_LAW(table) {
  const PieceValue f = piece(p, 1, x[0]);
  out[0] = f.value + p[0] * rate[0];
  out[1] = f.integral;
  out[2] = p[0] * rate[0] * rate[0];
  out[3] = 0.0;
}

// F = k x + f(x.); p = (k, f as for `piece`).
FLEXBODY_LAW(rate_table) {
  const double force = piece(p, 1, rate[0]).value;
  out[0] = p[0] * x[0] + force;
  out[1] = 0.5 * p[0] * x[0] * x[0];
  out[2] = force * rate[0];
  out[3] = 0.0;
}

// F = K x + D x. + f(x); p = (K (36,), D (36,), for each component 0 or where its table is in p, tables).
FLEXBODY_LAW(bushing) {
  double energy = 0.0, lost = 0.0;
  for (Index i = 0; i < 6; ++i) {
    double elastic = 0.0, damping = 0.0;
    for (Index j = 0; j < 6; ++j) {
      elastic += p[6 * i + j] * x[j];
      damping += p[36 + 6 * i + j] * rate[j];
    }
    energy += 0.5 * elastic * x[i];
    lost += damping * rate[i];
    const Index at = Index(p[72 + i]);
    if (at > 0) {
      const PieceValue f = piece(p, at, x[i]);
      elastic += f.value;
      energy += f.integral;
    }
    out[i] = elastic + damping;
  }
  out[6] = energy;
  out[7] = lost;
  out[8] = 0.0;
}

// A beam between two frames: U = y K y / 2 with y = x but the elongation y_0 = x_0 + x S x / 2.
//
// The second part is what bending takes from the length (with it, axial forces stiffen or buckle the beam).
// p = (K (36,), S (36,), beta); damping forces beta K y..
FLEXBODY_LAW(beam) {
  const double *K = p, *S = p + 36, beta = p[72];
  double elongation = x[0], speed = rate[0];
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j < 6; ++j) {
      elongation += 0.5 * x[i] * S[6 * i + j] * x[j];
      speed += rate[i] * S[6 * i + j] * x[j];
    }
  }
  double energy = 0.0, lost = 0.0;
  for (Index i = 0; i < 6; ++i) {
    double elastic = K[6 * i] * elongation, damping = K[6 * i] * speed;
    for (Index j = 1; j < 6; ++j) {
      elastic += K[6 * i + j] * x[j];
      damping += K[6 * i + j] * rate[j];
    }
    energy += 0.5 * elastic * (i == 0 ? elongation : x[i]);
    lost += beta * damping * (i == 0 ? speed : rate[i]);
    out[i] = elastic + beta * damping;
  }
  const double axial = out[0];
  for (Index i = 0; i < 6; ++i)
    for (Index j = 0; j < 6; ++j) out[i] += axial * S[6 * i + j] * x[j];
  out[6] = energy;
  out[7] = lost;
  out[8] = 0.0;
}

// Input k of a recorded law: t, u, x (m,), x. (m,), z (nz,), then the user's own numbers. A user's function is asked
// for times from 0 on only.
static double recorded_input(Index k, Index m, Index nz, double t, const double* u, const double* x,
                             const double* rate, const double* z, const double* numbers) {
  if (k == 0) return larger(t, 0.0);
  if (k == 1) return u[0];
  if (k < 2 + m) return x[k - 2];
  if (k < 2 + 2 * m) return rate[k - 2 - m];
  if (k < 2 + 2 * m + nz) return z[k - 2 - 2 * m];
  return numbers[k - 2 - 2 * m - nz];
}

// A user's law of m deformations and nz states that was recorded as operations (tape.hpp), all of it in p:
// (n, the user's own numbers (n,), m, nz, number of operations no, number of results nr, operations (no, 4), results
// (nr,)). The law of a controller has m errors.
//
// An operation is a row (code, first argument, second argument, constant), arguments being earlier rows; a CONSTANT
// has the last number, an INPUT the number of the input (see above) as its first argument. The results say which row
// gives each of the outputs.
FLEXBODY_LAW(recorded) {
  const double *numbers = p + 1, *sizes = numbers + Index(p[0]), *rows = sizes + 4;
  const Index m = Index(sizes[0]), nz = Index(sizes[1]), no = Index(sizes[2]), nr = Index(sizes[3]);
  const double* results = rows + 4 * no;
  Buffer<double, 1, 512> f(no);
  for (Index k = 0; k < no; ++k) {
    const double* row = rows + 4 * k;
    const Operation operation = Operation(Index(row[0]));
    const Index first = Index(row[1]), second = Index(row[2]);
    if (operation == Operation::CONSTANT) {
      f[k] = row[3];
    } else if (operation == Operation::INPUT) {
      f[k] = recorded_input(first, m, nz, t, u, x, rate, z, numbers);
    } else if (operation <= Operation::ARCTAN2) {
      f[k] = binary(operation, f[first], f[second]).f;
    } else {
      f[k] = unary(operation, f[first]).f;
    }
  }
  for (Index i = 0; i < nr; ++i) out[i] = f[Index(results[i])];
}

// The address that lies in memory as a double.
static Index address_in(double number) {
  return std::bit_cast<Index>(number);
}

// A user's law in another language: p = (the address of `void function(double t)`, the address of its doubles, both
// as the bits of a double, n inputs, whether their rates are given, m outputs, k states). The doubles are the outputs
// and the states' rates, which it leaves there, then the inputs, their rates if these are given, and the states,
// which it finds there. It is asked for times from 0 on only.
//
// Inputs with rates are deformations, and the outputs forces against them, whose work counts as input.
FLEXBODY_LAW(called_back) {
  double* numbers = reinterpret_cast<double*>(address_in(p[1]));
  const Index n = Index(p[2]), m = Index(p[4]), k = Index(p[5]);
  const bool rates = p[3] != 0.0;
  double* given = numbers + m + k;
  for (Index i = 0; i < n; ++i) given[i] = x[i];
  for (Index i = 0; i < (rates ? n : 0); ++i) given[n + i] = rate[i];
  for (Index i = 0; i < k; ++i) given[(rates ? 2 : 1) * n + i] = z[i];
  reinterpret_cast<void (*)(double)>(address_in(p[0]))(larger(t, 0.0));
  for (Index i = 0; i < m + k; ++i) out[i] = numbers[i];
  double power = 0.0;
  for (Index i = 0; i < (rates ? m : 0); ++i) power -= out[i] * rate[i];
  out[m + k] = out[m + k + 1] = 0.0;
  out[m + k + 2] = power;
}

static const LawWithCorners& jumps_of(const double* p) {
  return *reinterpret_cast<const LawWithCorners*>(address_in(p[0]));
}

ForceLaw flexbody::law_beside_jumps(const double* p) {
  return reinterpret_cast<ForceLaw>(jumps_of(p).law);
}

// A user's law that jumps with time, beside its jumps: p = (the address of a LawWithCorners as the bits of a double,
// the numbers of the law).
FLEXBODY_LAW(beside_jumps) {
  law_beside_jumps(p)(beside_corners(jumps_of(p), t), u, x, rate, z, p + 1, out);
}

// out (2,) = value and integral of `piece`.
FLEXBODY_EXPORT void flexbody_piece(const double* p, Index first, double x, double* out) {
  const PieceValue f = piece(p, first, x);
  out[0] = f.value;
  out[1] = f.integral;
}

// Call a law `times` times: how long a law takes is measured without the calls of this function.
FLEXBODY_EXPORT void flexbody_repeat_force_law(Index law, Index times, double t, const double* x, const double* rate,
                                               const double* z, const double* p, double* out) {
  const double u = 0.0;
  for (Index k = 0; k < times; ++k) reinterpret_cast<ForceLaw>(law)(t, &u, x, rate, z, p, out);
}

// The results of a law at `count` times, s; out (count, size).
FLEXBODY_EXPORT void flexbody_sample_force_law(Index law, const double* times, Index count, Index size,
                                               const double* x, const double* rate, const double* z, const double* p,
                                               double* out) {
  const double u = 0.0;
  for (Index k = 0; k < count; ++k) reinterpret_cast<ForceLaw>(law)(times[k], &u, x, rate, z, p, out + size * k);
}
