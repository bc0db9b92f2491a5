"""The generalized-alpha method for constrained mechanical systems, with rotations as a Lie group.

J. Chung, G. M. Hulbert, J. Appl. Mech. 60 (1993) 371; M. Arnold, O. Bruels, Multibody Syst. Dyn. 18 (2007) 185
(index 3); M. Arnold, O. Bruels, A. Cardona, Numer. Math. 129 (2015) 149 (stabilized index 2); O. Bruels,
A. Cardona, M. Arnold, Mech. Mach. Theory 48 (2012) 121 (the exponential map updates the Euler parameters, so that their
length is one without a constraint).
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace

import numpy as np

from fem.common.arguments import check_arguments
from fem.common.errors import InputError
from fem.common.numbers import is_count, is_number

from ..compile.plan import Plan
from ..core.drive_errors import new_misses
from ..core.kinds import (
    CLOUD,
    GEOMETRY,
    GIVEN,
    HOLONOMIC,
    JUST_BEGUN,
    LAST_ANGLE,
    PAUSED,
    RIGID_SPEED,
    SINGULAR,
    SURFACE,
    SWING_BLOWS,
    TOP_RATE,
    VELOCITY,
)
from ..core.law_states import first_order
from ..core.structures import AlphaSettings, AlphaState, AlphaTrial, Tracked, Tree, Work
from ..equations.accelerations import accelerations
from ..equations.lost_connections import lost_connection, whirling
from ..equations.position import displaced
from ..equations.start import Start
from ..equations.state import move_state
from ..formulations.state import MachineState
from ..functions.pulses import NO_PULSES, Pulses
from .base import (
    NO_COORDINATES,
    CoreRun,
    Run,
    Striking,
    Within,
    check_positive,
    describe_steps,
    no_counts,
)
from .explicit import SMALLEST_SHARE
from .foresight import PILOT_OUTPUTS, Motion, calls_back, foreseen_motion
from .forgetting import forgetting_time, may_forget
from .not_followed import NotFollowed, lost_deformations, not_followed, worst_of
from .prescribed import prescribed_bodies
from .rebounding import bodies_that_rebound
from .ringing import Ringing, ringing_of, steady_rotations

#: Contraction of Newton's iteration that is expected before one was measured, as in alpha.cpp.
EXPECTED_CONTRACTION = 0.1
#: Error that Newton's iteration may leave, as a fraction of the change of the accelerations in a step that is not
#: linear in time, and of the local error that is allowed.
NEWTON_FRACTION = 0.0005
#: Newton's tolerance refers to at least this fraction of the accelerations that the single forces would cause.
BALANCED_FRACTION = 1e-2


#: The default tolerance, and the part of the motion that a step may then lose of vibrations. With it the default run
#: of a machine that rings is about as exact (0.5 %) as the coarsest fixed step that is good enough for an engineer.
DEFAULT_RTOL, PART_AT_DEFAULT = 1e-5, 5e-4
#: The default tolerance is up to so many times as large in short motions with large deformations; as in step_error.hpp.
LOOSEST = 2.5
#: It is up to so many times as large where damping takes errors away long before the end of the run, or the second
#: where no pilot run has told where the machine goes. That is looked at when the motion is foreseen, at the states of
#: the pilot run too, and whenever the number of steps has grown by LOOK_FACTOR, if for each velocity at least so many
#: steps are left: a look at one state takes as long as six steps for each.
LOOSEST_DAMPED, LOOSEST_BLIND, LOOK_FACTOR, STEPS_FOR_EACH = 20.0, 5.0, 4, 40
#: The largest such part at looser tolerances, and the tolerance below which all vibrations are resolved.
LARGEST_PART, ALL_RESOLVED = 5e-3, 1e-7

#: After this number of steps a pilot run foresees the motion, if no more than the second part of the run has passed.
FORESEE_AFTER, PILOT_PART = 20, 0.01
#: Deformations below this part of the way of the machine are small, as in vibrations.hpp.
NEARLY_RIGID = 0.1
#: A machine has hardly moved where all speeds are below this part of what is foreseen: what vibrates so carries no more
#: than a hundredth of the energy.
AT_REST = 0.1
#: After so many short steps massless bodies are looked at: they may whirl.
WHIRL_STEPS = 256
#: Where massless bodies resist little, but have not lost what holds them, they are looked at again below this part.
STILL_HELD = 0.1


@check_arguments
@dataclass(frozen=True)
class GeneralizedAlpha:
    """Implicit integration of second order by the generalized-alpha method, with error control or with a fixed step.

    Parameters
    ----------
    rho_inf : float, optional
        Spectral radius at infinite frequency, from 0 (high frequencies disappear in one step) to 1 (no numerical
        dissipation).
    step : float, optional
        Fixed time step, s. By default the error control chooses the steps. A fixed step in which dry friction brings
        a body to rest is divided where Newton's iteration does not converge.
    rtol : float, optional
        Error control: error of the positions that each step may add, relative to the distance that each body (and its
        deformation) travels in the step at its top speed. The default is 1e-5. Without ``rtol`` and ``vibrations``
        it is up to 2.5e-5 where deformations are not small beside the motion, and all steps together add less than
        0.7 % of how far the machine moves; in machines that damping makes forget errors before the end of the run,
        up to 2e-4, and the errors of this time count. Errors of bodies that drives alone move on the ground may be
        fifty times as large, and beside flexible bodies those that constraints put right in the same step ten times.
    vibrations : float, optional
        Error control: the error that a step may leave in a vibration, as a fraction of the distance that the machine
        has moved; of the largest deformation of a body a tenth of this fraction. All steps together may leave ten times
        as much. Beside a motion that is ten times as large as all deformations, the phase of a vibration may be off by
        80 times this value (rad) at the end of the run. Vibrations of bodies may be off by 160 times this value of the
        largest deformation (8 % by default), if the run takes no more than 5600 steps for that: some tens of
        periods of a vibration that is half of the deformation. A larger value skips more vibrations; with 0 ``rtol``
        alone decides, which permits errors relative to the top speed of a body. The default is 5e-4 at ``rtol=1e-5``,
        is proportional to ``rtol**1.5`` elsewhere (at most 5e-3), and is 0 below ``rtol=1e-7``.
    max_step, min_step : float, optional
        Bounds of the variable step, s; by default no step is longer than the output step, or shorter than 1e-10 of
        ``t_end``. No step is longer than a twelfth of the period of a load, drive or input that goes to and fro. Steps
        also end where a function of time begins to change, so that they do not pass over a pulse that lasts longer than
        a 4000th of the run, or whose times its function names (see :class:`flexbody.PointForce`).
    newton_rtol : float, optional
        Newton's iteration stops at this error of the accelerations, relative to the accelerations that occur. The
        default is 1e-9 with a fixed step. With error control it is a hundredth of ``rtol``, and the iteration stops
        earlier if its remaining error is a small fraction of the error of the step.
    max_iterations : int, optional
        Largest number of Newton iterations in a step.
    index : int, optional
        2 (default) or 3, the index of the differential-algebraic equations.

    Raises
    ------
    fem.InputError
        If a value is out of range.

    Notes
    -----
    ``index=2`` satisfies the constraints of positions and of velocities in every step (stabilized index-2 form:
    positions are corrected in the range of ``M^-1 G^T``) [3]_. Positions, velocities and multipliers converge with
    order 2, with fixed and with variable steps. ``index=3`` satisfies the constraints of positions only [2]_. It needs
    a fixed step, because each change of the step causes an oscillation of the multipliers that grows for smaller steps.

    Where ``vibrations`` is at least 5e-4, as by default, a run that is still at its beginning after 20 steps looks
    ahead: a pilot run of at most 160 rough steps tells how far and fast the bodies will move and how much they will
    deform, and errors are relative to that. There is none where functions of the user can't be compiled, and where
    parts already move at a tenth of the speed.

    Beside rotors, whose axes move less than a fifth as far as their rims, vibrations up to three times as fast as the
    rotation are errors relative to how far the axis moves, so that the whirl at a critical speed is right. The axis
    moves in space, or beside the body on the other side of the bearings, such as a carriage or a car: what springs and
    bushings join to the rotor, or to what joints hold it in. So are vibrations of torsion between bodies that turn, in
    couplings and shafts, relative to the largest twist.

    Vibrations that are skipped may be all of the force of a stiff contact, of teeth or of a mount. Where that is more
    than a tenth of the force for a twentieth of the run, a warning tells the element with its frequency and force. So
    it tells the flexible bodies of which vibrations are lost, or out of phase, by more than a tenth of their largest
    deformation (root mean square over mass), with frequency, error and time. Both are also in
    ``result.statistics.why``. :class:`Explicit` follows such vibrations; here it takes a tolerance of 1e-7 or less.

    Where an input jumps, the accelerations behind it are softened by the filter that takes from a vibration what a step
    can't follow.

    The exponential map updates the Euler parameters, so that their length is one without a constraint [4]_.

    References
    ----------
    .. [1] J. Chung, G. M. Hulbert, J. Appl. Mech. 60 (1993) 371.
    .. [2] M. Arnold, O. Bruels, Multibody Syst. Dyn. 18 (2007) 185.
    .. [3] M. Arnold, O. Bruels, A. Cardona, Numer. Math. 129 (2015) 149.
    .. [4] O. Bruels, A. Cardona, M. Arnold, Mech. Mach. Theory 48 (2012) 121.

    Examples
    --------
    >>> import flexbody as fb
    >>> integrator = fb.GeneralizedAlpha(rho_inf=0.9, step=1e-4)
    """

    rho_inf: float = 0.8
    _: KW_ONLY
    step: float | None = None
    rtol: float | None = None
    vibrations: float | None = None
    max_step: float | None = None
    min_step: float | None = None
    newton_rtol: float | None = None
    max_iterations: int = 12
    index: int = 2

    def __post_init__(self) -> None:
        if not (is_number(self.rho_inf) and 0 <= self.rho_inf <= 1):
            raise InputError(
                f"GeneralizedAlpha: rho_inf is {self.rho_inf!r}; it must be a number between 0 and 1"
            )
        names = ("step", "rtol", "max_step", "min_step", "newton_rtol")
        given = {name: getattr(self, name) for name in names}
        check_positive("GeneralizedAlpha", given | {"rtol": self.tolerance})
        if not (self.vibrations is None or (is_number(self.vibrations) and 0 <= self.vibrations < 1)):
            raise InputError(
                f"GeneralizedAlpha: vibrations is {self.vibrations!r}; it must be a number from 0 to below 1"
            )
        if not is_count(self.max_iterations):
            raise InputError(
                f"GeneralizedAlpha: max_iterations is {self.max_iterations!r}; give a whole number, at least one"
            )
        if self.index not in (2, 3):
            raise InputError(f"GeneralizedAlpha: index is {self.index!r}; it must be 2 (stabilized) or 3")

    def coefficients(self) -> np.ndarray:
        """Return the coefficients of the method.

        Returns
        -------
        numpy.ndarray
            alpha_m, alpha_f, beta, gamma and the constant of the position error, (5,).

        Examples
        --------
        Without numerical dissipation it is the trapezoidal rule at the middle of the step:

        >>> import flexbody as fb
        >>> fb.GeneralizedAlpha(rho_inf=1.0).coefficients().round(4)
        array([0.5   , 0.5   , 0.25  , 0.5   , 0.0833])
        """
        rho = self.rho_inf
        alpha_m = (2 * rho - 1) / (rho + 1)
        alpha_f = rho / (rho + 1)
        gamma = 0.5 + alpha_f - alpha_m
        beta = 0.25 * (gamma + 0.5) ** 2
        error = abs(beta + 0.5 * (alpha_m - alpha_f) - 1 / 6)
        return np.array([alpha_m, alpha_f, beta, gamma, error])

    @property
    def tolerance(self) -> float:
        """The tolerance ``rtol``, or the smallest one by default."""
        return DEFAULT_RTOL if self.rtol is None else self.rtol

    def unresolved_vibrations(self) -> float:
        """Return the part of the motion that a step may lose of vibrations.

        Returns
        -------
        float
            The part; 0 if all vibrations are resolved, and for a fixed step.
        """
        if self.step is not None:
            return 0.0
        if self.vibrations is not None:
            return float(self.vibrations)
        if self.tolerance < ALL_RESOLVED:
            return 0.0
        return min(LARGEST_PART, PART_AT_DEFAULT * (self.tolerance / DEFAULT_RTOL) ** 1.5)

    def begin(self, plan: Plan, start: Start, t_end: float, output_step: float | None) -> AlphaRun:
        """Return a run from a consistent start.

        Parameters
        ----------
        plan : Plan
            The compiled system.
        start : Start
            The consistent start.
        t_end : float
            End of the run, s.
        output_step : float or None
            Distance of the output times, s.

        Returns
        -------
        Run
            The run, see :class:`flexbody.integrators.base.Run`.
        """
        if self.index == 3 and self.step is None:
            raise InputError("GeneralizedAlpha(index=3) needs a fixed step; give step=, or use index=2")
        return AlphaRun(self, plan, start, t_end, output_step)


#: The method of pilot runs: rough, and what it does not follow it damps, so that it foresees rather too little.
PILOT = GeneralizedAlpha(rho_inf=0.0, rtol=0.1, vibrations=0.5)


class AlphaRun(CoreRun):
    """A run of the generalized-alpha method."""

    def __init__(
        self,
        method: GeneralizedAlpha,
        plan: Plan,
        start: Start,
        t_end: float,
        output_step: float | None,
        pulses: Pulses | None = None,
    ) -> None:
        super().__init__(method, plan, start, t_end, output_step, pulses)
        self._start = start
        self._motion: Motion | None = None  # of the pilot run
        alpha_m, alpha_f, beta, gamma, error_constant = method.coefficients()
        self.settings = AlphaSettings(
            alpha_m=alpha_m, alpha_f=alpha_f, beta=beta, gamma=gamma, error_constant=error_constant,
            rtol=0.0 if method.step else method.tolerance,
            by_default=int(method.rtol is None and method.vibrations is None),
            newton_rtol=method.newton_rtol or (1e-9 if method.step else 0.01 * method.tolerance),
            max_iterations=method.max_iterations, min_step=method.min_step or 1e-10 * t_end,
            crawl=0.0 if method.step else SMALLEST_SHARE * (t_end - start.t), max_step=self._largest,
            stabilized=int(method.index == 2), vibrations=method.unresolved_vibrations(),
            tells=int(method.step is None and method.vibrations != 0), duration=t_end - start.t,
            share=0.0 if method.newton_rtol or method.step else NEWTON_FRACTION,
        )  # fmt: skip
        step = self._first_step if method.step else min(self._first_step, self._largest)
        self._state = _first_state(plan, self.work, start, self.settings, step)
        self._trial, self._speeds = _trial(plan, self._state), self._state.v

    @property
    def name(self) -> str:
        """Name and accuracy of the method, for :class:`flexbody.Statistics`."""
        largest, given = self._state.largest_rtol, self.tolerance
        looser = f", up to {largest:.2g} where errors hardly add up" if largest > 1.01 * given > 0.0 else ""
        return f"GeneralizedAlpha({describe_steps(self._method.step, self._method.tolerance)}{looser})"

    @property
    def next_step(self) -> float:
        """The step that the error allows next, s."""
        return float(self._state.wanted)

    @property
    def damps_vibrations(self) -> bool:
        """True: long steps damp vibrations."""
        return True

    @property
    def ringing(self) -> Ringing | None:
        """The vibration that determined most steps."""
        S, in_space = (
            self._state,
            self.plan.layout.carrier_at[:-1],
        )  # the first carrier of each body is the ground
        rotations = steady_rotations(self.plan, S.axes[in_space, TOP_RATE], S.body_v)
        return ringing_of(self.plan, S.ringing, rotations)

    @property
    def striking(self) -> Striking:
        """The force elements that set in in most steps, all blows, and how many bodies rebound together."""
        L, elements = self.plan.layout, self.plan.elements.elements
        each, blows = np.zeros(len(elements)), np.zeros(len(elements))
        np.maximum.at(each, L.deformation_element, self._state.struck)
        np.maximum.at(blows, L.deformation_element, self._state.swings[:, SWING_BLOWS])
        found = np.flatnonzero((blows > 0) & (each > 0) & (each >= 0.5 * each.max(initial=0.0)))
        labels = tuple(elements[e].label for e in found)
        return Striking(labels, int(blows.sum()), bodies_that_rebound(self.plan, blows))

    @property
    def not_followed(self) -> list[NotFollowed]:
        """Vibrations of elements and bodies that the steps have not followed, the largest part of a force first."""
        S, masses = self._state, self.plan.layout.body_mass
        motion = float(masses @ S.top_speed[:, RIGID_SPEED]) / self.settings.duration
        lost = not_followed(self.plan, self.work, S.swings, motion)
        lost += lost_deformations(self.plan, S.lost, self.way(self.settings.duration))
        return worst_of([*self.lost_before, *lost])

    @property
    def tolerance(self) -> float:
        """The tolerance ``rtol``, 0 for fixed steps."""
        return float(self.settings.rtol)

    @property
    def largest_tolerance(self) -> float:
        """The largest tolerance of a step so far, or the given one."""
        return max(float(self._state.largest_rtol), self.tolerance)

    @property
    def stiffest(self) -> float:
        """Highest frequency of a force element between the bodies as they are, rad/s."""
        return float(np.sqrt(max(self._state.stiffest, 0.0)))

    @property
    def compliance(self) -> np.ndarray:
        """Compliance of the deformations of the force elements in the latest iteration matrix, (nx,); 0 without one."""
        return self._state.compliance

    @property
    def largest_deformations(self) -> np.ndarray:
        """The largest deformation of each body so far, or what was foreseen, (nb,), m, root mean square over mass."""
        return self._state.deformation

    def way(self, duration: float) -> float:
        """Return how far the machine will move in a run of so many seconds, m: as foreseen, or as it has begun."""
        S = self._state
        begun = max(S.t - self._start.t, np.finfo(float).tiny)
        return max(S.foreseen_travel, S.travel * duration / begun)

    def learn(self, before: Run) -> None:
        """Take the vibrations that were found before an event."""
        if isinstance(before, AlphaRun):
            self._state.ringing[:] = before._state.ringing

    def advance(self, t_out: float, max_steps: int) -> int:
        """Advance to ``t_out`` or by ``max_steps``, and look ahead once; see :class:`flexbody.integrators.base.Run`."""
        made = self.counts.steps + self.counts.rejected
        if made == FORESEE_AFTER:
            self._foresee()
        look = FORESEE_AFTER
        while look <= made:
            look *= LOOK_FACTOR
        if made * LOOK_FACTOR == look:
            self._look_for_damping()
        return super().advance(t_out, min(max_steps, look - made))

    def _look_for_damping(self) -> None:
        """Enlarge the default tolerance where damping takes errors away long before the end of the run."""
        S, duration = self._state, self.settings.duration
        rest, deformation = self._start.t + duration - S.t, max(S.stretch, S.deformation.max(initial=0.0))
        by_default = self.settings.by_default and not self.fixed
        if (
            not by_default
            or S.remembered >= duration
            or rest < STEPS_FOR_EACH * self.plan.n_velocities * S.before
        ):
            return
        if deformation < NEARLY_RIGID * S.foreseen_travel or not may_forget(self.plan):
            return
        foreseen = self._motion.states if self._motion is not None and S.remembered == 0.0 else ()
        for state in (self.state, *foreseen):
            S.remembered = max(S.remembered, forgetting_time(self.plan, state))
            if S.remembered >= duration:
                return
        S.loosest = LOOSEST_DAMPED if self._motion is not None else LOOSEST_BLIND

    def _foresee(self) -> None:
        """Compare vibrations with the motion of a pilot run from now on, if the machine has hardly moved."""
        S, duration, started = self._state, self.settings.duration, self._start.t
        exact = self.settings.vibrations < PART_AT_DEFAULT
        if exact or S.t - started > PILOT_PART * duration or calls_back(self.plan):
            return
        if self._motion is None:  # (a run that begins anew after a trial has it already)
            # (short steps at pulses, after its long ones, would shake what a pilot run does not follow)
            end, interval = started + duration, duration / PILOT_OUTPUTS
            pilot = AlphaRun(PILOT, self.plan, self._start, end, interval, NO_PULSES)
            self._motion = foreseen_motion(pilot, self._start)
        motion = self._motion
        if S.top_speed.max() > AT_REST * motion.speeds.max():
            return
        S.foreseen_travel = max(S.travel, motion.travel)
        S.rotation = max(S.rotation, motion.rotation)
        S.loosest = LOOSEST if self.settings.by_default else 1.0
        S.top_speed[:, RIGID_SPEED] = np.maximum(S.top_speed[:, RIGID_SPEED], motion.speeds)
        S.deformation[:] = np.maximum(S.deformation, motion.deformations)

    def _make_steps(self, t_out: float, max_steps: int, restart: bool, tracked: Tracked) -> int:
        L, method = self.plan.layout, self.plan.formulation
        if (L.auxiliary_mass > 0).any():
            max_steps = min(max_steps, WHIRL_STEPS)
        status = method.step_alpha(
            L, self.work, self._state, self._trial, t_out, self.settings, max_steps, restart, tracked
        )
        if status == SINGULAR and not lost_connection(self.plan, self.state):
            self._state.best_held *= STILL_HELD  # short steps alone, in which springs hold less
            return PAUSED
        if status == PAUSED and self.step < self.settings.crawl and whirling(self.plan, self.state):
            return SINGULAR
        return status

    @property
    def state(self) -> MachineState:
        """The state at ``t``."""
        s, counted = self._state, self.work.revolutions[:, LAST_ANGLE]
        return MachineState(
            s.t, s.c, s.q, s.alpha, s.body_v, s.body_vdot, s.multipliers, s.law_state, counted
        )

    @property
    def work_done(self) -> np.ndarray:
        """Dissipated and input energy, (2,), J."""
        return self._state.energy

    def within(self, t: float) -> Within:
        """Return the state at a time inside the last step: that of a shorter step from its beginning.

        An interpolation would take the speeds at the ends of long steps, which rest of vibrations that the method does
        not follow, for displacements of springs.
        """

        def go() -> int:
            self._state.wanted = t - self.t
            return self.proceed(t, 1000, False, NO_COORDINATES)

        return self.from_before(go)


def _frames_for_work(plan: Plan, W: Work) -> dict[str, np.ndarray]:
    """Return the frames at the start where the work of a step is computed from them, else none."""
    L = plan.layout
    n = len(L.frame_body)
    if not (
        np.isin(L.element[:, GEOMETRY], (CLOUD, SURFACE)).any()
        or np.isin(L.row_kind, (HOLONOMIC, VELOCITY)).any()
    ):
        n = 0
    return {f"work_{name}": getattr(W, name)[:n].copy() for name in ("frame_r", "frame_R", "frame_w")}


def _first_state(plan: Plan, W: Work, s: Start, settings: AlphaSettings, h: float) -> AlphaState:
    L, tree = plan.layout, plan.formulation.new_tree()
    W.law_mode = GIVEN
    W.law_state[:] = s.law_states
    places, speeds, rates, jerk, slope = _jerk(plan, W, tree, s, h)
    W.law_state[:] = s.law_states
    move_state(plan, W, s)
    plan.formulation.residual(L, W, s)
    law_rate = W.law_rate.copy()
    delta_m, delta_f, _ = first_order(settings.alpha_f)
    relative = len(tree.body) > 0
    return AlphaState(
        t=s.t, wanted=h, last=h, factored=0.0, fresh=0, tries=0, first_try=0.0, divided_until=0.0,
        whole_step=0.0, before=0.0, earlier=0.0, changed=0.0,
        contraction=EXPECTED_CONTRACTION, recent=0.0, stiffest=0.0, best_held=0.0, magnified=0.0,
        # If all forces balance, the accelerations are round-off errors and can't serve as a reference.
        balanced=BALANCED_FRACTION * s.balanced,
        c=s.c.copy(), q=s.q.copy(), alpha=s.all_alpha.copy(), v=speeds, vdot=rates,
        a=rates + (settings.alpha_m - settings.alpha_f) * h * jerk, jerk=jerk,
        jumped=JUST_BEGUN, before_jump=np.zeros((2, len(rates))), behind_jump=np.array([rates, jerk]),
        mean=rates.copy(), slope=0.5 * jerk, curve=np.zeros_like(jerk),
        multipliers=s.multipliers.copy(), multipliers_rate=np.zeros(plan.n_rows),
        multipliers_curve=np.zeros(plan.n_rows), energy=np.zeros(2), power=W.power.copy(),
        work_deformation=W.deformation.copy(), work_rate=W.deformation_rate.copy(), work_force=W.element_force.copy(),
        work_input=W.law_input.copy(), work_power=W.element_power.copy(), work_signal=W.signal.copy(),
        work_acted=W.acted.copy(), work_phi_t=W.phi_t.copy(), work_driven=W.driven.copy(), work_load=W.load.copy(),
        **_frames_for_work(plan, W),
        law_state=s.law_states.copy(), law_rate=law_rate, law_variable=law_rate + (delta_m - delta_f) * h * slope,
        law_slope=slope, law_top_rate=abs(law_rate), law_top=np.maximum(abs(s.law_states), plan.elements.state_sizes),
        top_speed=np.zeros((len(L.body_mass), 2)),
        first_c=s.c.copy(), first_q=s.q.copy(), vibrates=0, filtered_count=0, filtered_wait=0, filtered_blows=0,
        filtered_step=0.0, filtered_usual=0.0, filtered_error=0.0, filtered_whirl=0.0,
        load_reach=plan.reach_of(L.load_law), input_reach=plan.reach_of(L.element_input),
        drive_reach=np.zeros(len(L.drive_law)),
        ringing=np.zeros((len(L.body_mass), 8)), first_deformation=W.deformation.copy(),
        twist=np.zeros(len(L.deformation_element)),
        stretch=0.0, travel=0.0, foreseen_travel=0.0, axes=np.zeros((len(L.carrier), 3)), rotation=0.0,
        loosest=1.0, remembered=0.0,
        prescribed=prescribed_bodies(plan, W), prescribed_part=1.0, largest_rtol=0.0,
        deformation=np.zeros(len(L.body_mass)),
        compliance=np.zeros(len(L.deformation_element)), held_since=np.full(len(L.deformation_element), s.t),
        held_force=np.zeros(len(L.deformation_element)),
        struck=np.zeros(len(L.deformation_element)), held_rate=np.zeros(len(L.deformation_element)),
        swings=np.zeros((len(L.deformation_element), 15)), ring_steps=0.0, ring_time=0.0, ring_cubes=0.0,
        ring_step=0.0,
        rings=np.zeros((plan.n_modes + len(L.deformation_element), 20)), lost=np.zeros((len(L.body_mass), 6)),
        bad_row=-1, counts=no_counts(), misses=new_misses(L.length), places=places,
        body_v=s.v.copy() if relative else speeds, body_vdot=s.vdot.copy() if relative else rates, tree=tree,
    )  # fmt: skip


def _trial(plan: Plan, S: AlphaState) -> AlphaTrial:
    L, n, tree = plan.layout, len(S.v), S.tree
    nb, na, m = plan.n_bodies, plan.n_modes, len(L.elimination)
    nv, nr = plan.n_velocities, plan.n_rows
    z = np.zeros
    # where the speeds are those of the bodies, both are the same arrays
    relative = len(tree.body) > 0
    v, vdot, delta = z(n), z(n), z(nv)
    return AlphaTrial(
        c=tree.c if relative else z((nb, 3)), q=tree.q if relative else z((nb, 4)), alpha=z(na), v=v, vdot=vdot, a=z(n),
        multipliers=z(nr), delta=delta, ydelta=z(m), increment=z(n), p=z(n), move=z(nv), miss=z(nr),
        places=z(len(S.places)), body_v=tree.v if relative else v, body_vdot=tree.vdot if relative else vdot,
        own=z(n) if relative else delta,
    )  # fmt: skip


def _jerk(plan: Plan, W: Work, tree: Tree, s: Start, h: float) -> tuple[np.ndarray, ...]:
    """Return places, speeds and their rates at the start, and rates of these and of the state rates, by differences.

    The differences use times after the start only, because functions of time need not be defined before it.
    """
    L, d = plan.layout, 1e-4 * h
    near = replace(displaced(plan, s, d * s.v), t=s.t + d, v=s.v + d * s.vdot)
    W.law_state[:] = s.law_states
    move_state(plan, W, s)
    plan.formulation.residual(L, W, s)
    rate = W.law_rate.copy()
    W.law_state[:] = s.law_states + d * rate
    vdot = accelerations(plan, W, near)[0]
    law_slope = (W.law_rate - rate) / d
    _, _, later = plan.formulation.unknowns(L, W, tree, replace(near, vdot=vdot))
    places, speeds, rates = plan.formulation.unknowns(L, W, tree, s)
    return places, speeds, rates, (later - rates) / d, law_slope
