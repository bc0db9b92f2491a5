"""Elastodynamic analysis: the rigid motion of a machine, and the deformation that its loads cause.

Koppens (1989), appendix D: the loads on each body are its inertia in the rigid motion, gravity, applied loads and
reactions; the deformation follows them without delay (quasi-statically).
"""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import scipy

from fem.common.arguments import check_arguments
from fem.common.blas_threads import few_threads
from fem.common.errors import ConvergenceError, InputError, percent, warn
from fem.common.files import check_file
from fem.common.hdf5 import ENDINGS

from ..compile.plan import Plan
from ..core.force_elements import evaluate_laws
from ..core.kinds import EXPECTED, GIVEN
from ..core.kinds import K as STIFFNESS
from ..core.structures import Work
from ..equations.consistent_start import redundancy
from ..equations.constraint_jacobian import jacobian, row_lengths, scaled
from ..equations.frame_jacobian import element_columns
from ..equations.least_squares import RANK_TOLERANCE
from ..equations.position import advance_position
from ..equations.reaction_friction import add_reaction_friction
from ..equations.state import place_state
from ..equations.tangent import stiffness
from ..formulations import Formulation
from ..model.system import System, check_system, refuse_forces
from .deflections import DeflectionWatch
from .kinematics import _Path, followed
from .law_history import LawHistory
from .result import Result

#: where the deformation's own inertia, which is left out, would change it by this part, a warning says so
INERTIA_WARNING = 0.2
#: states of force laws and deformations follow from each other again and again, until states change by this part
STATE_TOLERANCE = 1e-6
MAX_ROUNDS = 30
#: deformations of elements below this part of the machine's size (or of a radian) count as zero
ROUND_OFF = 1e-13


@check_arguments(own=("machine", "description", "t_end", "output_step", "rtol"))
def elastodynamics(
    machine: System,
    t_end: float,
    *,
    output_step: float | None = None,
    rtol: float = 1e-8,
    description: Formulation | None = None,
    save: str | os.PathLike | None = None,
    show_progress: bool | None = None,
) -> Result:
    """Return the rigid motion of a driven machine with the quasi-static deformation of its bodies.

    Parameters
    ----------
    machine : System
        A machine with flexible bodies, whose drives leave no degree of freedom.
    t_end : float
        End of the motion, s; it starts at t = 0.
    output_step : float, optional
        Time between stored states, s; by default a 500th of ``t_end``.
    rtol : float
        Relative error per step of the quantities that are integrated, see :func:`kinematics`.
    description : Absolute or Relative, optional
        How the equations of motion are written; by default :class:`Absolute`.
    save : path_like, optional
        HDF5 file for the result, ``.h5`` or ``.hdf5``.
    show_progress : bool, optional
        Whether a progress bar is shown; by default if standard error is a terminal.

    Returns
    -------
    Result
        The motion with the modal coordinates and the reactions of the deformed machine.

    Raises
    ------
    fem.InputError
        The machine has no flexible bodies, or the drives leave degrees of freedom.
    fem.ConstraintError
        The machine cannot be assembled.
    fem.ConvergenceError
        The machine locks during the motion; ``error.result`` holds the motion up to there.

    Warns
    -----
    fem.FlexbodyWarning
        The loads vary too fast for a quasi-static deformation; the warning gives a number.

    Notes
    -----
    The drives determine the rigid motion (:func:`kinematics`). At each output time, linear equations of equilibrium
    give the modal coordinates, the small displacements of the bodies that keep the joints closed, and the reactions
    [1]_. The theory is linear, without geometric stiffening; springs and loads that follow bodies change with the
    displacements. If joints are redundant, the stiffness of the bodies determines how they share the load. Rates are
    derivatives of quintic splines through the output times.

    States of force laws (currents, pressures, creep) start as for the rigid machine and are integrated along the motion
    with its deformation: a beam on an old mount sags as the mount creeps. If bodies roll, the rigid motion rolls; the
    added displacements leave the points of contact at their positions.

    The analysis is much faster than :func:`simulate`, and accurate if the loads vary slowly compared with the natural
    frequencies of the bodies.

    References
    ----------
    .. [1] W. P. Koppens, The dynamics of systems of deformable bodies (1989), appendix D.

    Examples
    --------
    The sag of a clamped beam under its weight, ``m g l^3 / (8 EI)`` = 12.26 mm:

    >>> from numpy.polynomial import Polynomial
    >>> import flexbody as fb
    >>> import modal
    >>> shapes = [Polynomial([0, 0, 1]), Polynomial([0, 0, 0, 1]), Polynomial([0, 0, 0, 0, 1])]
    >>> data = modal.assumed.beam(1.0, mass=1.0, EI=100.0, polar_inertia=1e-4, z=shapes, frame=modal.Unchanged())
    >>> beam = fb.FlexibleBody("beam", data)
    >>> clamp = fb.Fixed("clamp", fb.GROUND, beam["start"])
    >>> machine = fb.System([beam], [clamp], gravity=(0, 0, -9.81))
    >>> result = fb.elastodynamics(machine, 1.0, output_step=0.5, show_progress=False)
    >>> round(1e3 * float(result.displacement(beam, "end")[-1, 2]), 2)  # mm
    -12.26
    """
    check_system(machine, "elastodynamics")
    refuse_forces(machine, "elastodynamics")
    check_file(save, ENDINGS, "the result")
    if not machine.n_modes:
        raise InputError("elastodynamics needs a flexible body; for rigid ones use kinematics")
    options = output_step, rtol, description, show_progress
    motion, path = followed(machine, t_end, *options, quiet=True, blows=False)
    plan, W = motion.plan, motion.plan.work()
    first = motion.state_at(0)
    _, undetermined, _ = redundancy(plan, W, first, scipy.sparse.csr_matrix(jacobian(plan, W, first)))
    motion = replace(motion, undetermined=undetermined)
    nt = len(motion.t)
    for k in range(MAX_ROUNDS + 1):
        small, multipliers, K = _deformations(plan, W, motion)
        states = _states(path, W, motion, K, small)
        change = float(
            np.max(np.abs(states - motion.law_states) / (np.abs(states).max(axis=0) + 1e-300), initial=0.0)
        )
        if not change > STATE_TOLERANCE:
            break
        if k == MAX_ROUNDS:
            raise ConvergenceError(
                "elastodynamics: forces whose laws have states and the bodies that they deform don't settle between "
                f"them ({percent(change)} of a state after {MAX_ROUNDS} rounds): the forces are too stiff for the "
                "bodies. Use simulate"
            )
        motion = replace(motion, law_states=states)
    degree = min(5, nt - 1)
    spline = scipy.interpolate.make_interp_spline(
        motion.t, small, degree if degree % 2 else degree - 1, axis=0
    )
    rate, second = spline(motion.t, 1), spline(motion.t, 2)
    _warn_of_inertia(plan, W, K, motion, small, second)
    found = _moved(motion, W, small, rate, second, multipliers)
    watch = DeflectionWatch(plan)
    for t, alpha in zip(found.t, found.all_alpha, strict=True):
        watch.look(float(t), alpha)
    watch.warn()
    if save is not None:
        found.save(save)
    return found


def _deformations(plan: Plan, W: Work, motion: Result) -> tuple[np.ndarray, np.ndarray, _Stiffness]:
    """Return small displacements (nt, nv) and multipliers (nt, nr), and the stiffness that they come of."""
    nt, K = len(motion.t), _Stiffness(motion)
    small, multipliers = np.zeros((nt, plan.n_velocities)), np.zeros((nt, plan.n_rows))
    for k in range(nt):
        small[k], multipliers[k] = _deformation(plan, W, K, motion, k)
    return small, multipliers, K


def _states(path: _Path, W: Work, motion: Result, K: _Stiffness, small: np.ndarray) -> np.ndarray:
    """Return the states of force laws (nt, nz) along the motion with small displacements (nt, nv).

    The deformation of an element by these displacements depends on the forces F of all elements with states,
    ``b - Gamma F``, with the compliance Gamma of the bodies on which it acts. States and the displacements that their
    forces cause are therefore solved together. Between output times, b and Gamma are splines. Rates of the deformation
    are those of the given displacements.
    """
    plan, nt = motion.plan, len(motion.t)
    if not motion.law_states.size or nt < 2:
        return motion.law_states
    own = plan.elements.with_states
    nx = len(own)
    more, free, give = np.zeros((nt, nx)), np.zeros((nt, nx)), np.zeros((nt, nx, nx))
    for k, t in enumerate(motion.t):
        _hold(W, motion, k)
        G = jacobian(plan, W, motion.state_at(k))
        plan.formulation.move(plan.layout, W, motion.state_at(k))
        evaluate_laws(plan.layout, W, t)
        columns = plan.turn_translations(W.Q, element_columns(plan, W)[:, own])
        more[k], give[k] = columns.T @ small[k], columns.T @ _equilibrium(K.at(motion, k), G, columns)[0]
        free[k] = more[k] + give[k] @ W.element_force[own]
    if np.abs(more).max() < ROUND_OFF * plan.layout.length:
        return motion.law_states
    b, Gamma = (
        scipy.interpolate.make_interp_spline(motion.t, x, min(3, nt - 1), axis=0) for x in (free, give)
    )
    rate = scipy.interpolate.PchipInterpolator(
        motion.t, more
    ).derivative()  # which does not ring where states are fast

    def yielding(t: float, forces: np.ndarray) -> np.ndarray:
        return np.array([b(t) - Gamma(t) @ forces, rate(t)])

    return LawHistory(path.plan, path.W, path.move_to, path.rtol, yielding).along(
        motion.t, motion.law_states[0]
    )


def _moved(motion: Result, W, small, rate, second, multipliers) -> Result:
    """Return the rigid motion with small displacements (nt, nv), their rates and accelerations added."""
    plan, L = motion.plan, motion.plan.layout
    c, q, alpha = motion.c.copy(), motion.q.copy(), motion.all_alpha.copy()
    v, vdot = motion.v + rate, motion.vdot + second
    for b in range(plan.n_bodies):
        # omega = exp(-theta~) omega* + theta. of a body turned by the small theta, to first order
        at = plan.rotation(b)
        theta, omega = small[:, at], motion.v[:, at]
        v[:, at] -= np.cross(theta, omega)
        vdot[:, at] -= np.cross(theta, motion.vdot[:, at]) + np.cross(rate[:, at], omega)
    energy, power = np.zeros((len(motion.t), 3)), np.zeros((len(motion.t), 2))
    for k in range(len(motion.t)):
        _hold(W, motion, k)
        advance_position(plan, c[k], q[k], alpha[k], small[k])
        s = replace(
            motion.state_at(k),
            c=c[k],
            q=q[k],
            all_alpha=alpha[k],
            v=v[k],
            vdot=vdot[k],
            multipliers=multipliers[k],
        )
        plan.formulation.observe(L, W, s, energy[k])
        plan.formulation.move(L, W, s)
        plan.formulation.residual(L, W, s)
        power[k] = W.power
    work = (
        scipy.integrate.cumulative_simpson(power, x=motion.t, axis=0, initial=0.0)
        if len(motion.t) > 2
        else 0 * power
    )
    return replace(
        motion, c=c, q=q, all_alpha=alpha, v=v, vdot=vdot, multipliers=multipliers,
        energies=np.column_stack([energy, work]),
    )  # fmt: skip


class _Stiffness:
    """The stiffness of bodies, and of springs and following loads where there are any, by place."""

    def __init__(self, motion: Result) -> None:
        plan, L = motion.plan, motion.plan.layout
        # without gravity: what turns a body against it is no stiffness, its inertia is left out as well
        self.plan = replace(plan, layout=L.replaced(gravity=np.zeros(3)))
        self.W, self.changes = plan.work(), bool(plan.system.forces)
        self.elastic = np.zeros((plan.n_velocities, plan.n_velocities))
        for b in range(plan.n_bodies):
            own = plan.modal_velocities(b)
            self.elastic[own, own] = plan.coefficient(STIFFNESS, b)

    def at(self, motion: Result, k: int) -> np.ndarray:
        """Return it (nv, nv) at the k-th state of a rigid motion."""
        if not self.changes:
            return self.elastic
        still, none = np.zeros(self.plan.n_velocities), np.zeros(self.plan.n_rows)
        _hold(self.W, motion, k)
        K = stiffness(self.plan, self.W, replace(motion.state_at(k), v=still, vdot=still, multipliers=none))
        turned = self.plan.turn_translations(self.W.Q, K)
        return self.plan.turn_translations(self.W.Q, turned.T).T


def _deformation(plan: Plan, W, K: _Stiffness, motion: Result, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return small displacements (nv,) and multipliers (nr,) in equilibrium with the loads of the rigid motion."""
    s = replace(motion.state_at(k), multipliers=np.zeros(plan.n_rows))
    _hold(W, motion, k)
    G = jacobian(plan, W, s)
    plan.formulation.move(plan.layout, W, s)
    plan.formulation.residual(plan.layout, W, s)
    stiffness_now = K.at(motion, k)
    small, multipliers = _equilibrium(stiffness_now, G, -W.residual)
    add_reaction_friction(plan, W, lambda load: _equilibrium(stiffness_now, G, load), small, multipliers)
    return small, multipliers


def _hold(W: Work, motion: Result, k: int) -> None:
    """Hold the states of force laws in ``W`` at those of the k-th instant, and angles near theirs."""
    W.revolutions[:, EXPECTED] = motion.counted_coordinates[k]
    W.law_mode = GIVEN
    W.law_state[:] = motion.law_states[k]


def _equilibrium(K: np.ndarray, G: np.ndarray, load: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return x (nv,) and y (nr,) with K x + G'y = load and G x = 0, of least norm if they are not unique.

    For loads (nv, m), x and y are (nv, m) and (nr, m).
    """
    with few_threads(max(K.shape[0], len(G))):
        return _dense_equilibrium(K, G, load)


def _dense_equilibrium(K: np.ndarray, G: np.ndarray, load: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    # the rank is that of the plain Jacobian: stiff bodies decide how redundant joints share a load, however stiff
    # they are, so that unknowns scaled to unit stiffness can't tell a weak share from none
    rank = int(np.linalg.matrix_rank(scaled(G), RANK_TOLERANCE)) if len(G) else 0
    own, scale = np.diag(K), np.ones(len(K))
    stiff = own > 1e-9 * own.max()  # differences leave less where there is none
    scale[stiff] = 1.0 / np.sqrt(own[stiff])
    size = row_lengths(G * scale)
    U, s, Vt = np.linalg.svd((G * scale) / size[:, None])
    free, held = Vt[rank:].T, Vt[:rank]
    A, right = K * np.outer(scale, scale), (load.T * scale).T
    x = free @ np.linalg.lstsq(free.T @ A @ free, free.T @ right, rcond=RANK_TOLERANCE)[0]
    y = U[:, :rank] @ ((held @ (right - A @ x)).T / s[:rank]).T
    return (x.T * scale).T, (y.T / size).T


def _warn_of_inertia(
    plan: Plan, W, K: _Stiffness, motion: Result, small: np.ndarray, second: np.ndarray
) -> None:
    """Warn of bodies that the inertia of the deformation itself, which is left out, would deform as well."""
    nt = len(motion.t)
    some = np.unique(np.linspace(0, nt - 1, min(nt, 60)).astype(int))
    more = np.zeros((len(some), plan.n_velocities))
    M, G = np.empty_like(K.elastic), np.empty((plan.n_rows, plan.n_velocities))
    for row, k in enumerate(some):
        place_state(plan, W, motion.state_at(k))
        plan.formulation.dense(plan.layout, W, M, G)
        more[row] = _equilibrium(K.at(motion, k), G, -M @ second[k])[0]
    for b, body in enumerate(plan.system.bodies):
        own = plan.modal_velocities(b)
        energies = [
            np.einsum("ti,ij,tj", x[:, own], K.elastic[own, own], x[:, own]) for x in (more, small[some])
        ]
        share = np.sqrt(energies[0] / energies[1]) if energies[1] > 0 else 0.0
        if share > INERTIA_WARNING:
            warn(
                f"body '{body.name}': the inertia of its deformation, which elastodynamic analysis leaves out, would "
                f"change it by about {100 * share:.0f} %; use simulate, or read the deformation as a rough guess",
            )
