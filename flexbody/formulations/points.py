"""Attia's description: bodies are particles, which are shared at joints; the unknowns are joint coordinates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from fem.common.arguments import check_arguments
from fem.common.errors import InputError

from ..core import coordinate, followed_coordinates
from ..core import equations as eq
from ..core.kinds import DONE, DRIVEN_BY, DRIVEN_ROW, INPUT, NOT_FINITE, PAUSED, STUCK
from ..core.structures import ExplicitSettings, ExplicitState, Layout, Tableau, Tracked, Tree, Work
from .particle_dynamics import Motion, body_motion, jacobian, normalise, particle_accelerations, place_rates
from .particle_model import ParticleModel, particle_model
from .relative import BoundRelative, Relative, TreesOfMachine
from .state import MachineState

#: What particles take, by the names of the classes.
TAKEN = ("Revolute", "Spherical", "Prismatic", "Cylindrical", "Universal", "Distance", "Drive")
#: Forces that depend on reactions.
REFUSED = ("BearingFriction",)
#: Cost of an evaluation, which runs in Python, in iterations of the implicit method: more than any other.
PYTHON_COST = 100.0
_OTHER = "give integrator=fb.Explicit(), or description=fb.Absolute() or fb.Relative()"


@check_arguments
@dataclass(frozen=True)
class Points(Relative):
    """Attia's description of machines of rigid bodies: equivalent particles and joint coordinates, for teaching.

    Parameters
    ----------
    base, keep, cut : sequence, optional
        As for :class:`Relative`.

    Notes
    -----
    Every body is replaced by particles with its mass, center of mass and moments of inertia: three in a machine that
    moves in a plane (two for a rod, whose middle follows its ends), four in space. Particles at joints are shared, so
    that these joints need no constraints. Forces and moments on bodies are distributed to particles. The velocities of
    the particles are those of the joint coordinates of a tree times a matrix B. It makes the distance constraints
    inside the bodies vanish: ``B' M B du/dt = B' (g - M Bdot u) - C' nu``, Attia (13) and (17), where the rows C are
    cut joints and drives.

    It is meant for teaching and for comparison: the equations are NumPy, evaluated in Python (``particle_dynamics.py``
    is short and can be read beside the paper). Motions and reactions are those of :class:`Absolute` and
    :class:`Relative`, which are some hundred times as fast and describe all machines.

    Bodies are rigid; joints are revolute, spherical, prismatic, cylindrical, universal and distance joints, driven or
    not. All forces are taken but friction that follows reactions. The integrator is :class:`Explicit`, which
    :class:`Automatic` chooses. ``result.plan.formulation.particles`` holds the particles.

    References
    ----------
    .. [1] H. A. Attia, "A computer method for the dynamic analysis of a system of rigid bodies in plane motion", 2003.

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    >>> pendulum = fb.System([bar], [hinge], gravity=(0, 0, -9.81))
    >>> options = dict(t_end=0.1, output_step=0.01, integrator=fb.Explicit(), show_progress=False)
    >>> found = fb.simulate(pendulum, description=fb.Points(), **options).coordinate(hinge)
    >>> usual = fb.simulate(pendulum, **options).coordinate(hinge)
    >>> bool(abs(found - usual).max() < 1e-6)
    True
    """

    implicit: ClassVar[bool] = False

    def check(self, machine: Any) -> None:
        """Raise :class:`fem.InputError` for bodies, joints and forces that particles don't take.

        Parameters
        ----------
        machine : System
            The machine.
        """
        found = [f"body '{body.name}' is flexible" for body in machine.flexible_bodies]
        found += [f"body '{body.name}' has no mass" for body in machine.bodies if body.massless]
        found += [item.label for item in machine.joints if type(item).__name__ not in TAKEN]
        found += [f"{e.label} follows a reaction" for e in machine.elements if type(e).__name__ in REFUSED]
        if found:
            raise InputError(
                f"fb.Points() can't describe this machine: {'; '.join(found)}. It takes rigid bodies with "
                f"{', '.join(TAKEN)}, and forces that don't follow reactions; fb.Absolute() and fb.Relative() take all"
            )

    def bound(self, trees: TreesOfMachine) -> BoundPoints:
        """Return this description with the tree of a machine; see :meth:`Relative.bound`."""
        tree = trees.told(self.base, self.keep, self.cut)
        parts = dict(tree.arrays)
        # drives are constraints here
        driven = parts["driven"].copy()
        rows = driven[driven[:, DRIVEN_BY] >= 0, DRIVEN_ROW]
        driven[:, DRIVEN_BY] = -1
        parts |= {"driven": driven, "drive": np.zeros((0, 2), dtype=np.int64)}
        parts["closing"] = np.union1d(parts["closing"], rows).astype(np.int64)
        return BoundPoints(tree.base, keep=tree.keep, cut=tree.cut, arrays=parts)


@dataclass(frozen=True)
class BoundPoints(BoundRelative, Points):
    """Attia's description of one machine."""

    _known: list[ParticleModel] = field(default_factory=list, compare=False, repr=False)

    def unbound(self) -> Points:
        """Return this description without the arrays of its tree."""
        return Points(self.base, keep=self.keep, cut=self.cut)

    @property
    def particles(self) -> ParticleModel:
        """The particles of the machine, after a run has begun."""
        if not self._known:
            raise InputError("the particles are known when a run with fb.Points() has begun")
        return self._known[0]

    def vector(self, L: Layout, W: Work, tree: Tree, s: MachineState) -> np.ndarray:
        """Return places and speeds of a state as the first part of a state vector; finds the particles."""
        if not self._known:
            self._known.append(particle_model(L, tree))
        return super().vector(L, W, tree, s)

    def evaluation_cost(self, L: Layout) -> float:
        """Return what an evaluation of the accelerations costs."""
        return PYTHON_COST

    def rates(
        self,
        L: Layout,
        W: Work,
        S: ExplicitState,
        t: float,
        y: np.ndarray,
        out: np.ndarray,
        multipliers: np.ndarray,
    ) -> bool:
        """Compute the rate of a state vector, accelerations and multipliers included: Attia (17)."""
        tree = S.tree
        S.counts.iterations += 1
        np_, nh, nz = int(tree.place_at[-1]), int(tree.speed_at[-1]), len(W.law_state)
        if len(W.revolutions):
            coordinate.expect_revolutions(W, t - S.t)
        W.law_state[:] = y[-2 - nz : -2]
        motion = self._evaluate(L, W, tree, t, y)
        found = particle_accelerations(L, W, tree, self.particles, motion, t)
        out[:np_] = place_rates(tree, y[:np_], motion.u)
        out[np_ : np_ + nh] = found.rates
        out[-2 - nz : -2] = W.law_rate
        out[-2:] = W.power
        out[-2 + INPUT] += found.multipliers @ W.phi_t
        multipliers[:] = 0.0
        multipliers[: len(found.multipliers)] = found.multipliers
        tree.c[:], tree.q[:], tree.v[:], tree.vdot[:] = motion.c, motion.q, motion.v, found.vdot
        return bool(np.isfinite(found.rates).all())

    def _evaluate(self, L: Layout, W: Work, tree: Tree, t: float, y: np.ndarray) -> Motion:
        """Move the tree, the bodies and the frames to a state, and evaluate the forces on the bodies."""
        motion = body_motion(L, W, tree, self.particles, y)
        none = np.zeros(0)
        eq.place(L, W, t, motion.c, motion.q, none)
        eq.move(L, W, none, motion.v)
        eq.residual(L, W, t, none, motion.v, np.zeros(len(motion.v)), np.zeros(len(W.phi)))
        return motion

    def step_alpha(self, *given: object) -> int:
        """Raise InputError: joint coordinates of particles are integrated by the explicit method."""
        raise InputError(f"fb.Points() is integrated by the explicit method; {_OTHER}")

    def speed_rows(self, *given: object) -> None:
        """Raise InputError as :meth:`step_alpha`."""
        raise InputError(f"fb.Points() is not integrated by other packages; {_OTHER}")

    def fed_back_rates(self, *given: object) -> bool:
        """Raise InputError as :meth:`step_alpha`."""
        raise InputError(f"fb.Points() is not integrated by other packages; {_OTHER}")

    def step_explicit(
        self, L: Layout, W: Work, S: ExplicitState, tableau: Tableau, t_out: float, settings: ExplicitSettings,
        max_steps: int, restart: bool, tracked: Tracked,
    ) -> int:  # fmt: skip
        """Advance by the explicit method of order 8, in Python."""
        if restart:
            self.rates(L, W, S, S.t, S.y, S.rate, S.multipliers)
            self.keep_state(S)
        status = PAUSED
        for _ in range(max_steps):
            if S.t >= t_out:
                break
            status = self._step(L, W, S, tableau, t_out, settings)
            if status != DONE:
                return status
        followed_coordinates.read_coordinates(
            L, W, S.tree.kept_c, S.tree.kept_q, np.zeros(0), S.tree.kept_v, tracked
        )
        return DONE if S.t >= t_out else PAUSED

    def _step(
        self, L: Layout, W: Work, S: ExplicitState, tableau: Tableau, t_out: float, settings: ExplicitSettings
    ) -> int:
        """Make one step whose error is small enough; the shortest one whatever its error."""
        while True:
            remaining = t_out - S.t
            h = min(S.wanted, settings.max_step, remaining)
            h = remaining if h > 0.999 * remaining else h
            S.last = h
            good = self._attempt(L, W, S, tableau, h)
            error = self._error(L, S, tableau, h, settings) if good else np.inf
            if settings.rtol > 0.0:
                S.wanted = h * float(np.clip(0.9 * (error + 1e-16) ** -0.125, 0.25, 4.0))
            if error <= 1.0 or (good and settings.rtol == 0.0):
                return self._accept(L, W, S, S.t + h if h < remaining else t_out)
            S.counts.rejected += 1
            if settings.rtol == 0.0 or h <= settings.min_step:
                return STUCK if good else NOT_FINITE

    def _attempt(self, L: Layout, W: Work, S: ExplicitState, tableau: Tableau, h: float) -> bool:
        """Compute all stages, and the new state in ``S.trial``."""
        S.stages[0] = S.rate
        for i in range(1, 12):
            S.trial[:] = S.y + h * (tableau.A[i, :i] @ S.stages[:i])
            if not self.rates(L, W, S, S.t + tableau.C[i] * h, S.trial, S.stages[i], S.trial_multipliers):
                return False
        S.trial[:] = S.y + h * (tableau.B @ S.stages[:12])
        return self.rates(L, W, S, S.t + h, S.trial, S.stages[12], S.trial_multipliers)

    def _error(
        self, L: Layout, S: ExplicitState, tableau: Tableau, h: float, settings: ExplicitSettings
    ) -> float:
        """Return the error of a step over what it may be: of places by lengths and one, of speeds by the fastest."""
        places = self.position_sizes(L, S.tree)
        kinds = self.speed_sizes(L, S.tree, 1.0)
        end = len(places) + len(kinds)
        fastest = np.abs(S.trial[len(places) : end] / kinds).max(initial=0.0) + settings.pace
        states = np.abs(S.trial[end:-2]) + np.abs(h * S.rate[end:-2]) + 1e-300
        sizes = settings.rtol * np.concatenate([places, fastest * kinds, states])
        fifth, third = (
            float(np.abs(h * (E @ S.stages[:13, :-2]) / sizes).max(initial=0.0))
            for E in (tableau.E5, tableau.E3)
        )
        return fifth**2 / float(np.sqrt(fifth**2 + 0.01 * third**2 + 1e-60))

    def _accept(self, L: Layout, W: Work, S: ExplicitState, t: float) -> int:
        """Take the trial as the state at ``t``, projected on cut joints and drives."""
        self._project(L, W, S, t)
        if not self.rates(L, W, S, t, S.trial, S.rate, S.multipliers):
            return NOT_FINITE
        S.y[:] = S.trial
        self.keep_state(S)
        if len(W.revolutions):
            coordinate.measure_revolutions(L, W, t - S.t)
            coordinate.count_revolutions(W)
        S.t = t
        S.counts.steps += 1
        return DONE

    def _project(self, L: Layout, W: Work, S: ExplicitState, t: float) -> None:
        """Move the trial by the smallest change of the joint coordinates that closes the cut joints."""
        tree = S.tree
        np_, nh = int(tree.place_at[-1]), int(tree.speed_at[-1])
        normalise(tree, S.trial)
        if not len(tree.closing):
            return
        rates = np.empty(len(W.phi))
        motion = self._evaluate(L, W, tree, t, S.trial)
        C = motion.closing(W, tree, jacobian(L, W))
        eq.velocity_residual(L, W, motion.v, rates)
        change, faster = (
            np.linalg.lstsq(C, -x[tree.closing] * (W.active[tree.closing] != 0), rcond=1e-10)[0]
            for x in (W.phi, rates)
        )
        S.trial[:np_] += place_rates(tree, S.trial[:np_], change)
        S.trial[np_ : np_ + nh] += faster
        normalise(tree, S.trial)
