"""Small motions of a machine about a state: frequencies, damping, mode shapes, stability.

About a nominal motion the equations of motion and constraints become, in components of the bases of the bodies
(:mod:`flexbody.equations.tangent`)::

    M xi'' + C xi' + K xi + G^T mu = B u,      G xi = 0

where K includes the derivatives of ``G^T lambda``. With ``xi = Z y``, G Z = 0, they are ``f`` equations for the f
degrees of freedom. Force laws with states (currents, pressures) add their own equations
(:mod:`flexbody.analyses.linear.force_law_states`). G changes along the motion of a machine, and so does Z:
``xi' = Z y' + Z' y``. All matrices are constant for machines at rest and in steady motion
(:mod:`flexbody.analyses.linear.steady_motion`). Nonholonomic constraints leave more degrees of freedom of position than
of velocity (:mod:`flexbody.analyses.linear.nonholonomic`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from fem.common.arguments import check_arguments
from fem.common.errors import InputError, called, percent, warn

from ...compile.plan import Plan
from ...core.force_elements import evaluate_laws, relax
from ...core.structures import Work
from ...equations.auxiliary_mass import with_auxiliary
from ...equations.consistent_start import consistent_start
from ...equations.free_motions import words
from ...equations.revolutions import set_revolutions
from ...equations.start import Start
from ...equations.state import drawn_state, move_state
from ...equations.tangent import (
    body_axes,
    mass_and_jacobian,
    residual_forces,
    units,
)
from ...equations.unit_work import unit_work
from ...formulations import Formulation
from ...formulations.state import MachineState
from ...model.sides import Body, BodyFrame
from ...model.system import System
from ..compiled import compiled
from ..earlier_state import description_from
from ..equilibrium import equilibrium
from ..result import Result, State
from ..starts import AsDrawn, beginning
from .eigenvalues import Spectrum, spectrum
from .force_law_states import hold
from .joint_states import joint_states
from .minimal_coordinates import Reduced, changes, reduced
from .mode_motion import mode_motion
from .nonholonomic import is_velocity, velocity_spectrum
from .state_space import StateSpace, state_space, with_states
from .steady_motion import Steady, steady_motion

#: a matrix that changes by more than this part while a machine turns is periodic
PERIODIC_CHANGE = 1e-5
#: a state is at rest if less than this part of the forces that occur accelerate it, and if it moves by less than this
#: part of its own size within a period
REST_TOLERANCE = 1e-4
#: states of force laws that change by less than this part meanwhile stay
STATE_TOLERANCE = 1e-3
#: velocities below this part of those that the forces would cause count as zero
LEAST_VELOCITY = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Linearization(Reduced):
    """Small motions of a machine about a state, and their eigenvalues; see :func:`linearize`.

    Attributes
    ----------
    M, C, K : numpy.ndarray
        Matrices (f, f) of ``M y'' + C y' + K y + H zeta = 0`` in minimal coordinates y, with the states zeta of force
        laws held in C and K. The coordinates are scaled to similar stiffness: y is in J^(1/2), so that M is in s^2, C
        in s, and K is a number. They are ``Z^T`` times the matrices of the bodies times Z, whose units are kg, Ns/m,
        N/m for displacements; frequencies, damping ratios, shapes and transfer functions do not depend on the scale.
    Z, rate_Z : numpy.ndarray
        The small motions of the bodies are ``Z y``, (nv, f): for each body displacement (m) and rotation vector (rad)
        in components of its base, then its modal coordinates; and the rate of Z.
    state : State
        The state.
    eigenvalues : numpy.ndarray
        Eigenvalues (n,), 1/s, by ascending frequency: of each oscillation the one with positive imaginary part, and
        each real one. They include the states of force laws, such as the pole of the current of a motor.
    vectors : numpy.ndarray
        Eigenvectors in minimal coordinates, (f, n), complex.
    shapes : numpy.ndarray
        Motion of all bodies in each mode, (nv, n), complex; the largest displacement is one.
    noise : numpy.ndarray
        Round-off of each eigenvalue, (n,), 1/s.
    law : flexbody.analyses.linear.force_law_states.LawTangent
        States of force laws, ``zeta' = A zeta + A_y y + A_v y'``.
    rolling : flexbody.analyses.linear.nonholonomic.VelocityRows or None
        Nonholonomic constraints of a machine in motion, ``y' = N u - W y``; their reactions do not appear in the
        equations above.
    """

    state: State
    eigenvalues: np.ndarray
    vectors: np.ndarray  # (f, n) in minimal coordinates
    shapes: np.ndarray
    noise: np.ndarray  # (n,) 1/s, round-off of each eigenvalue

    def __repr__(self) -> str:
        real = (self.eigenvalues.imag == 0) & (self.eigenvalues.real != 0)
        shown = [_few(self.frequencies_hz[~real], "", "Hz")]
        for word, one in (("decay", self.eigenvalues.real < 0), ("growth", self.eigenvalues.real > 0)):
            shown.append(
                _few(1 / np.abs(self.eigenvalues.real[real & one]), f"{word} with time constant ", "s")
            )
        laws = f", {len(self.law.A)} states of force laws" if len(self.law.A) else ""
        verdict = "stable" if self.stable else "unstable"
        if self.rolling is not None:
            laws = f" of position, {self.rolling.N.shape[1]} of velocity{laws}"
        degrees = "degree" if len(self.M) == 1 else "degrees"
        size = f"{len(self.M)} {degrees} of freedom{laws}"
        poles = "; ".join(filter(None, shown)) or "no modes"
        return f"<Linearization at t = {self.state.t:.6g} s: {size}, {verdict}, {poles}>"

    @property
    def frequencies_hz(self) -> np.ndarray:
        """Undamped frequencies |eigenvalue| / 2 pi of all modes, (n,), Hz; zero for a motion without stiffness.

        Of a real eigenvalue, which decays or grows without oscillation, it is the rate / 2 pi.
        """
        return np.abs(self.eigenvalues) / (2 * np.pi)

    @property
    def damped_frequencies_hz(self) -> np.ndarray:
        """Frequencies of oscillation, (n,), Hz; zero for modes that do not oscillate."""
        return np.abs(self.eigenvalues.imag) / (2 * np.pi)

    @property
    def damping_ratios(self) -> np.ndarray:
        """Damping ratio of each mode, (n,), -1 to 1; negative if the motion grows."""
        size = np.abs(self.eigenvalues)
        return np.where(size > 0, -self.eigenvalues.real / np.where(size > 0, size, 1.0), 0.0)

    @property
    def stable(self) -> bool:
        """Whether no small motion grows exponentially; motions without stiffness do not count as growing."""
        return bool(np.all(self.eigenvalues.real <= self.noise))

    @check_arguments
    def shape(self, mode: int, body: Body | str) -> np.ndarray:
        """Return the motion of one body in a mode.

        Parameters
        ----------
        mode : int
            Index of the mode, from 0, as in :attr:`frequencies_hz`.
        body : RigidBody, FlexibleBody or str
            The body or its name.

        Returns
        -------
        numpy.ndarray
            Displacement, rotation vector (components of the body's base) and modal coordinates, (6 + N,), complex.
        """
        b = self.state.plan.body_index[self.state.system.body(body).name]
        if not 0 <= mode < self.shapes.shape[1]:
            raise InputError(f"mode is {mode}; it is an index from 0 to {self.shapes.shape[1] - 1}")
        return self.shapes[self.state.plan.velocities(b), mode]

    @check_arguments
    def motion(self, mode: int, *, size: float = 0.05, frames: int = 60) -> Result:
        """Return one period of a mode as a result, to be drawn and animated.

        Parameters
        ----------
        mode : int
            Index of the mode, from 0, as in :attr:`frequencies_hz`.
        size : float
            Largest displacement relative to the size of the machine, or largest rotation, rad.
        frames : int
            Number of stored states.

        Returns
        -------
        Result
            The motion, without damping or growth. A mode of zero frequency moves in half a second from rest to its
            shape and back. A machine that turns is seen from its rotating base.
        """
        return mode_motion(self.state, self.shapes, self.eigenvalues, mode, size, frames)

    @check_arguments(own=("inputs", "displacements", "velocities", "accelerations"))
    def state_space(
        self,
        inputs: Sequence[object] | None = None,
        *,
        displacements: Sequence[Body | BodyFrame | str] = (),
        velocities: Sequence[Body | BodyFrame | str] = (),
        accelerations: Sequence[Body | BodyFrame | str] = (),
        joint_coordinates: bool = False,
    ) -> StateSpace:
        """Return the small motions with inputs and outputs, ``x' = A x + B u``, ``z = C x + D u``.

        Parameters
        ----------
        inputs : sequence of loads, springs and force elements or their names, optional
            The inputs, by default all of the machine. A load has three channels (its components, N or Nm), a spring
            has one (the force of its actuator, N), and a force element has the input of its law (voltage of a motor,
            target of a servo) or otherwise its force. Each is an increment.
        displacements, velocities, accelerations : sequence of bodies, frames or names
            The outputs, three channels each, in inertial components (those of the rotating base for a machine that
            turns). For a state in motion they are increments to its own motion at that instant.
        joint_coordinates : bool
            Whether the states are increments of joint coordinates, m or rad (with modal coordinates of flexible
            bodies), and their rates, with their names in ``states``; as many as the machine has degrees of freedom. By
            default they are the minimal coordinates of the linearization.

        Returns
        -------
        StateSpace
            The matrices and the names of the channels.

        Raises
        ------
        fem.InputError
            An object is unknown, or has no input; or ``joint_coordinates`` of a machine that rolls.

        Examples
        --------
        >>> import flexbody as fb
        >>> mass = fb.RigidBody("mass", mass=2.0, inertia=(1e-3, 1e-3, 1e-3))
        >>> guide = fb.Prismatic("guide", fb.GROUND, mass, point=(0, 0, 0), axis="z")
        >>> spring = fb.SpringDamper("spring", fb.GROUND, mass, stiffness=500.0, first_point=(0, 0, 1))
        >>> small = fb.linearize(fb.System([mass], [guide], [spring]))
        >>> plant = small.state_space(["spring"], displacements=["mass"])
        >>> plant
        <StateSpace: 2 states, 1 inputs, 3 outputs>
        >>> abs(plant.response(0.0)[0, 2, 0]).round(6)  # m/N, 1 / stiffness
        np.float64(0.002)

        In joint coordinates the matrix says what it is: ``slide'' = -stiffness / mass slide``.

        >>> plant = small.state_space(["spring"], joint_coordinates=True)
        >>> plant.states
        ('guide: slide', 'guide: slide rate')
        >>> (plant.A + 0.0).round(6).tolist()
        [[0.0, 1.0], [-250.0, 0.0]]
        """
        plant = state_space(self.state, self, inputs, displacements, velocities, accelerations)
        return with_states(plant, joint_states(self.state, self)) if joint_coordinates else plant


@check_arguments(own=("machine", "description", "state", "spin", "about"))
def linearize(
    machine: System | State | Result,
    state: State | Result | AsDrawn | None = None,
    *,
    t: float | None = None,
    spin: ArrayLike | None = None,
    about: ArrayLike = (0.0, 0.0, 0.0),
    description: Formulation | None = None,
) -> Linearization:
    """Return the small motions of a machine about a state: frequencies, damping and mode shapes.

    Parameters
    ----------
    machine : System, State or Result
        A machine, whose equilibrium is computed first unless ``state`` is given; or a state; or a result, whose state
        at time ``t`` (by default the last) is used.
    state : State, Result or AsDrawn, optional
        The state, also of another machine with the same bodies (other gravity, springs or joints). Its positions and
        velocities are used as :func:`simulate` uses those of a start; a warning names the differences.
        ``fb.AsDrawn()`` gives the drawn state with the velocities of the bodies, such as those of a rolling wheel.
    t : float, optional
        Time, s: of the equilibrium, or of the state of a result; of a result the stored state nearest to it is taken,
        whose time is ``linearization.state.t``.
    spin : array_like, optional
        Angular velocity of the whole machine at its equilibrium, (3,), rad/s, see :func:`equilibrium`.
    about : array_like
        Point on the axis of ``spin``, (3,), m.
    description : Absolute or Relative, optional
        How the equations of motion are written; by default that of the state, and :class:`Absolute` without
        one.

    Returns
    -------
    Linearization
        Matrices, eigenvalues and shapes. Drives continue to move as they do at that time.

    Raises
    ------
    fem.InputError
        An argument is not valid, or nonholonomic constraints act in a state that is neither at rest nor in steady
        motion.
    fem.ConvergenceError, fem.ConstraintError
        As :func:`equilibrium`.

    Warns
    -----
    fem.FlexbodyWarning
        The equations change within a period of the motion, so that the eigenvalues mean little; or a frequency is
        lost in round-off beside stiffnesses of 1e12 times its own.

    Notes
    -----
    About a nominal motion the equations of motion and constraints are::

        M xi'' + C xi' + K xi + G^T mu = B u,      G xi = 0

    with ``xi = Z y``, G Z = 0 in minimal coordinates y; K includes the derivatives of ``G^T lambda``.

    At rest and in steady motion (a cart in a curve, a top that precesses, a disc that rolls) the equations are
    constant; steady motion is detected. About any other state the matrices hold at that instant only.

    At rest, a machine with nonholonomic constraints is considered among the positions to which it can roll. In
    motion, the positions that it rolls or turns away from count as motions of zero frequency.

    Friction is a damper here, with the slope of its regularised law: about rest ``static / regularisation_velocity +
    viscous`` (Ns/m or Nms/rad). That is usually so much that a motion decays in two ways, fast and slow, and does not
    oscillate.

    ``fb.animate(linearization.motion(0), "mode.mp4")`` films a mode.

    If a force law has a kink exactly at the state (a corner of a table, a stop that just touches, an ``if`` of a
    user's law), the derivative is the mean of the slopes on both sides. Such derivatives are differences over some
    thousandths of the length of the machine (or of a radian, or of these per second); kinks within that distance have
    an influence.

    Examples
    --------
    The frequency of a pendulum, ``sqrt(m g s / J) / 2 pi``:

    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0, 0, -0.3))
    >>> hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    >>> small = fb.linearize(fb.System([bar], [hinge], gravity=(0, 0, -9.81)))
    >>> small.frequencies_hz.round(4)  # Hz
    array([0.7882])
    """
    found = _given(machine, state, t, spin, about, description)
    plan, W = found.plan, found.plan.work()
    hold(plan, W, found.numbers)
    small, values = _small_motions(plan, W, found)
    u = units(plan, W, found.numbers)
    _warn_of_lost_motion(plan, found.numbers, small, values, u)
    shapes = small.Z @ values.vectors
    largest = np.argmax(np.abs(shapes) / u[:, None], axis=0) if shapes.size else np.zeros(0, dtype=int)
    for k, i in enumerate(largest):
        if shapes[i, k] == 0:  # only states of laws change
            continue
        factor = u[i] / shapes[i, k]
        shapes[:, k] *= factor
        values.vectors[:, k] *= factor
    return Linearization(
        **vars(small), state=found, eigenvalues=values.values, vectors=values.vectors, shapes=shapes,
        noise=values.noise,
    )  # fmt: skip


def _warn_of_lost_motion(
    plan: Plan, s: MachineState, small: Reduced, values: Spectrum, u: np.ndarray
) -> None:
    """Warn of a motion that counts as free although it might only be slow."""
    if not values.lost or values.lost_vector is None:
        return
    motion = words(plan, s.q, small.Z @ values.lost_vector, u)
    warn(
        f"a motion of about {values.lost / (2 * np.pi):.2g} Hz counts as one of zero frequency ({motion}): beside the "
        "largest forces and stiffnesses of this machine it can't be told from round-off. This is right if nothing "
        "holds it, as a free bearing. If a soft spring holds it, replace springs that are 1e12 times stiffer by joints"
    )


def _few(values: np.ndarray, before: str, unit: str) -> str:
    """Return the first six values with words before them and a unit, "" without values."""
    few = ", ".join(f"{value:.6g}" for value in values[:6])
    return f"{before}{few}{', ...' if len(values) > 6 else ''} {unit}" if few else ""


def _given(
    machine: System | State | Result,
    state: State | Result | AsDrawn | None,
    t: float | None,
    spin,
    about,
    description: Formulation | None,
) -> State:
    """Return the state for :func:`linearize` as a state of the given machine."""
    if isinstance(machine, System):
        return _of_machine(machine, state, t, spin, about, description)
    if not isinstance(machine, State | Result):
        raise InputError(f"linearize takes a system, a state or a result, and was given {called(machine)}")
    if isinstance(state, AsDrawn):
        raise InputError("state=AsDrawn() goes with a system, and brings its own velocities")
    if state is not None:
        _check_state(state)
    if spin is not None:
        raise InputError("spin= belongs to a system; a state brings its own velocities")
    if description is not None:
        raise InputError("description= belongs to a system; a state brings its own")
    if state is not None:
        raise InputError(
            f"linearize was given {called(machine)} and also state={called(state)}. Give the system first, "
            "fb.linearize(machine, state), or the state or result alone"
        )
    return machine.state(t)


def _of_machine(
    machine: System,
    state: State | Result | AsDrawn | None,
    t: float | None,
    spin,
    about,
    description: Formulation | None,
) -> State:
    """Return the equilibrium, the drawn state or a given state of a machine."""
    if state is None:
        return equilibrium(machine, t=t or 0.0, spin=spin, about=about, description=description)
    if isinstance(state, AsDrawn):
        if spin is not None:
            raise InputError("state=AsDrawn() goes with a system, and brings its own velocities")
        plan = compiled(machine, max(t or 0.0, 1.0), description)
        return _started(plan, consistent_start(plan, drawn_state(plan, t or 0.0)))
    _check_state(state)
    if spin is not None:
        raise InputError("spin= belongs to a system; a state brings its own velocities")
    found = state.state(t)
    description = description_from(description, found)
    if machine is found.system and description == found.plan.formulation.unbound():
        return found
    return _taken_over(machine, found, description)


def _check_state(state: State | Result) -> None:
    """Raise InputError if an argument is neither a state nor a result."""
    if not isinstance(state, State | Result):
        what = "a system" if isinstance(state, System) else called(state)
        raise InputError(f"state= is {what}; give a state, or a result of the machine")


def _taken_over(machine: System, state: State, description: Formulation | None) -> State:
    """Return a state of one machine as a state of another, corrected for its joints, as at the start of a run.

    Raises :class:`fem.InputError` if the bodies differ; other differences, except drives and forces, give a warning.
    """
    plan = compiled(machine, max(state.t, 1.0), description)
    s = beginning(plan, state, np.inf)
    W, unknown = plan.work(), np.isnan(s.law_states)
    if unknown.any():  # of laws that the other machine does not have: where they stay
        set_revolutions(plan, W, s)
        move_state(plan, W, s)
        for e in range(len(plan.elements.elements)):
            relax(plan.layout, W, e, s.t)
        s = replace(s, law_states=np.where(unknown, W.law_state, s.law_states))
    return _started(plan, consistent_start(plan, s))


def _started(plan: Plan, s: Start) -> State:
    """Return a consistent start as a state."""
    return State(plan, s, undetermined=s.undetermined, rank=s.rank)


def _small_motions(plan: Plan, W: Work, state: State) -> tuple[Reduced, Spectrum]:
    """Return the equations in minimal coordinates and their eigenvalues.

    If the equations change along the motion, warn, or raise InputError for a machine that rolls.
    """
    s, steady = state.numbers, None
    moves = _moves(plan, W, s)
    rolls = moves and bool(is_velocity(plan).any())
    if state.spin.any():
        own = np.zeros((len(s.c), 3))
        speed = np.cross(state.spin, s.c.mean(axis=0) - state.about)
        steady = Steady(state.spin, speed, s.c.mean(axis=0), own)
    elif moves:
        steady = steady_motion(plan, W, s)
        steady = steady if steady is None or _settled(plan, W, s, steady) else None
    small = reduced(plan, W, s, steady, rolls)
    change = changes(plan, W, s, steady, small) if steady is not None else 0.0
    if steady is not None and not state.spin.any() and change > REST_TOLERANCE + 100 * steady.mismatch:
        steady = None
        small = small if rolls else reduced(plan, W, s, None, False)
    if rolls and steady is None:
        owner = plan.row_owner(int(np.argmax(is_velocity(plan))))
        raise InputError(
            f"{owner} constrains velocities, and this state at t = {s.t:.6g} s is not a steady motion: small motions "
            "about it have no constant equations. In a steady motion all bodies move together, straight, in a circle "
            "or along a screw, and bodies of revolution may also spin about their axes; currents and other states of "
            "force laws are constant. Give such a state (state=fb.AsDrawn() uses the velocities of the bodies), or "
            "one at rest"
        )
    if small.rolling is not None and steady is not None:
        rate = 1 / steady.period(float(plan.layout.length))
        values = velocity_spectrum(
            small.M,
            small.C,
            small.K,
            small.stiffness_noise,
            small.rolling,
            small.law,
            rate * (1 + 1e8 * steady.mismatch),
        )
    else:
        values = spectrum(small.M, small.C, small.K, small.stiffness_noise, small.law)
    if state.spin.any():
        _warn_of_periodic_changes(change)
    elif steady is None:
        _warn_of_motion(plan, W, state, small, values.values)
    return small, values


def _settled(plan: Plan, W: Work, s: MachineState, steady: Steady) -> bool:
    """Return whether states of force laws, held in ``W``, are constant in a motion by a radian or by the size."""
    move_state(plan, W, s)
    evaluate_laws(plan.layout, W, s.t)
    z, rates = np.abs(W.law_state), np.abs(W.law_rate)
    change = rates * steady.period(float(plan.layout.length))
    return bool(
        np.all(change <= STATE_TOLERANCE * np.maximum(z, REST_TOLERANCE * z.max(initial=0.0)) + 1e-12)
    )


def _moves(plan: Plan, W: Work, s: MachineState) -> bool:
    """Return whether velocities exceed round-off relative to those that the forces would cause in a radian."""
    u = units(plan, W, s)
    M, G = mass_and_jacobian(plan, W, s)
    work = unit_work(plan, residual_forces(plan, W, s, body_axes(plan, W, s)), G, s, u)
    rate = float(np.sqrt(np.max(work / (u**2 * np.diag(with_auxiliary(plan, M))), initial=0.0)))
    return float(np.max(np.abs(s.v) / u, initial=0.0)) > LEAST_VELOCITY * rate


def _warn_of_motion(plan: Plan, W: Work, state: State, small: Reduced, eigenvalues: np.ndarray) -> None:
    """Warn of a state that is not an equilibrium: it moves, or the forces at rest there are not in balance."""
    s = state.numbers
    still = replace(s, v=np.zeros_like(s.v), vdot=np.zeros_like(s.vdot))
    u = units(plan, W, s)
    left = residual_forces(plan, W, still, body_axes(plan, W, s))
    _, G = mass_and_jacobian(plan, W, s)
    occurring = unit_work(plan, left, G, s, u) + 1e-300
    part = float(np.max(np.abs(u * left) / occurring, initial=0.0))
    part = 0.0 if _is_round_off(small, left, u) else part
    rates = np.abs(eigenvalues[eigenvalues != 0])
    speed = float(np.max(np.abs(s.v) / u, initial=0.0))
    moved = 2 * np.pi * speed / float(rates.min()) if len(rates) else 0.0
    if part > REST_TOLERANCE or moved > REST_TOLERANCE:
        said = (
            [f"{100 * min(part, 1.0):.3g} % of the forces in it accelerate the machine"]
            if part > REST_TOLERANCE
            else []
        )
        said += (
            [f"it moves by {moved:.2g} times its size (or rad) within a period"]
            if moved > REST_TOLERANCE
            else []
        )
        warn(
            f"this state at t = {s.t:.6g} s is not an equilibrium: {', and '.join(said)}. Frequencies, damping and "
            "stability are those of the equations at that instant, and say little about the motion. Linearise about "
            "an equilibrium (fb.linearize(machine), with spin= for a machine that turns steadily). If a free joint "
            "moves, there may be none: hold the joint by a drive or a spring, such as a yaw hinge by its motor"
        )


def _is_round_off(small: Reduced, left: np.ndarray, u: np.ndarray) -> bool:
    """Return whether the stiffness balances the remaining forces (nv,) with a negligible motion, in units ``u``."""
    force = small.Z.T @ left
    y = np.linalg.lstsq(small.K, force, rcond=1e-12)[0] if len(force) else force
    held = np.linalg.norm(force - small.K @ y) <= LEAST_VELOCITY * np.linalg.norm(force)
    return bool(held and np.max(np.abs(small.Z @ y) / u, initial=0.0) < LEAST_VELOCITY)


def _warn_of_periodic_changes(change: float) -> None:
    """Warn where the matrices of a turning machine change while it turns."""
    if change > PERIODIC_CHANGE:
        warn(
            f"the equations of this turning machine's small motions change while it turns (by {percent(change)} "
            "after 50 degrees): something beside it, such as a spring to the ground or a bearing, is not the same in "
            "all directions. The frequencies are those of the present position, and say little",
        )
