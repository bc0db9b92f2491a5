"""Frequencies of a turning machine against its rate: Campbell's diagram."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from fem.common.arguments import check_arguments
from fem.common.errors import FlexbodyError, InputError, warn
from fem.common.files import check_file, new_file
from fem.common.known_attributes import KnownAttributes
from fem.common.numbers import LARGEST, is_number

from ...compile.plan import check_description
from ...core.rotation import direction
from ...equations.tangent import mass_and_jacobian
from ...formulations import Formulation
from ...model.system import System
from ...results.curve_colours import CURVES
from ...results.shown_figure import shown
from .linearize import Linearization, linearize

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: modes whose frequencies differ by less than this part span one space, in which a shape is followed
CLOSE_FREQUENCIES = 1e-4
#: how much a difference of frequencies, relative to the largest, counts beside the assurance of shapes
FREQUENCY_WEIGHT = 1e-3
#: rates and modes at most in the short table
SHOWN_RATES, SHOWN_MODES = 10, 6
PLOT_ENDINGS = (".png", ".pdf", ".svg", ".jpg")


@dataclass(frozen=True, eq=False, repr=False)
class Campbell(KnownAttributes):
    """Natural frequencies of a rotating machine against its rate; each column is one mode.

    Attributes
    ----------
    rates : numpy.ndarray
        Rates of rotation, (nr,), rad/s.
    frequencies_hz : numpy.ndarray
        Undamped frequencies in the rotating base, (nr, n), Hz.
    damped_frequencies_hz : numpy.ndarray
        Frequencies of oscillation in the rotating base, (nr, n), Hz.
    damping_ratios : numpy.ndarray
        Damping ratios, (nr, n); negative for motions that grow.
    mac : numpy.ndarray
        Modal assurance criterion, 0 to 1, of each shape and the shape at the next higher rate, (nr, n); 1 at the
        highest rate.
    linearizations : tuple of Linearization
        The linearization at each rate.
    modes : numpy.ndarray
        Number of each mode in the linearization of its rate, (nr, n).
    """

    rates: np.ndarray
    frequencies_hz: np.ndarray
    damped_frequencies_hz: np.ndarray
    damping_ratios: np.ndarray
    mac: np.ndarray
    linearizations: tuple[Linearization, ...]
    modes: np.ndarray

    def __repr__(self) -> str:
        rates, modes = self.frequencies_hz.shape
        shown = np.unique(np.linspace(0, rates - 1, min(rates, SHOWN_RATES)).astype(int))
        columns = range(min(modes, SHOWN_MODES))
        lines = ["rate rad/s" + "".join(f"{f'mode {k + 1} Hz':>12}" for k in columns)]
        for i in shown:
            row = self.frequencies_hz[i, : len(columns)]
            lines.append(f"{self.rates[i]:10.5g}" + "".join(f"{f:12.6g}" for f in row))
        if len(shown) < rates or len(columns) < modes:
            lines.append(f"({len(shown)} of {rates} rates, {len(columns)} of {modes} modes)")
        return "\n".join(lines)

    @check_arguments
    def plot(
        self,
        path: str | os.PathLike | None = None,
        *,
        orders: Sequence[int] = (1, 2, 3, 4),
        title: str | None = None,
    ) -> Figure:
        """Draw the frequencies against the rate, with lines at multiples of the rate.

        Parameters
        ----------
        path : path_like, optional
            File to write: .png, .pdf, .svg or .jpg.
        orders : sequence of int
            Multiples of the rate; a resonance is possible where such a line crosses a curve.
        title : str, optional
            Title of the figure.

        Returns
        -------
        matplotlib.figure.Figure
            The figure. A cross marks an unstable mode, whose motion grows.

        Raises
        ------
        fem.InputError
            The ending of the file is not supported.
        fem.FileError
            The file cannot be written.
        """
        check_file(path, PLOT_ENDINGS, "a plot")
        from matplotlib.figure import Figure

        figure = Figure(figsize=(7.5, 5.0), layout="constrained")
        ax = figure.subplots()
        top = 1.06 * float(np.max(self.frequencies_hz, initial=1e-3))
        for order in orders:
            line = order * self.rates / (2 * np.pi)
            ax.plot(self.rates, line, color="#b8c0c8", linewidth=0.8, linestyle="--", zorder=1)
            # outside the axes, where the line leaves them: no curve goes through the text
            over_top = order * self.rates.max() / (2 * np.pi) > top
            x = top * 2 * np.pi / order if over_top else float(self.rates.max())
            place: dict[str, Any] = (
                {"ha": "center", "va": "bottom"} if over_top else {"ha": "left", "va": "center"}
            )
            ax.annotate(
                f"{order}×", (x, min(order * x / (2 * np.pi), top)), (0, 2) if over_top else (3, 0),
                textcoords="offset points", color="#7d8790", fontsize=8, annotation_clip=False, **place,
            )  # fmt: skip
        for k, column in enumerate(self.damped_frequencies_hz.T):
            ax.plot(
                self.rates,
                column,
                linewidth=1.6,
                marker="o",
                markersize=2.5,
                label=f"mode {k + 1}",
                **CURVES[k % len(CURVES)],
            )
        unstable = self.damping_ratios < -1e-6
        for n, (i, k) in enumerate(np.argwhere(unstable)):
            ax.plot(
                [self.rates[i]], [self.damped_frequencies_hz[i, k]], "x", color="#c02020", markersize=7,
                label="unstable" if n == 0 else "_",
            )  # fmt: skip
        ax.set_xlabel("rate (rad/s)")
        ax.set_ylabel("frequency in the rotating machine (Hz)")
        ax.set_ylim(0, top)
        ax.set_xlim(float(self.rates.min()), float(self.rates.max()))
        ax.grid(color="#d9dfe4", linewidth=0.6)
        ax.spines[["top", "right"]].set_visible(False)
        ax.legend(loc="upper left", bbox_to_anchor=(1.03, 1.0), frameon=False, fontsize=9, handlelength=2.8)
        figure.suptitle(
            title or "Campbell diagram", fontsize=12, fontweight="bold", x=0.01, ha="left", wrap=True
        )
        if path is not None:
            with new_file(path) as partial:
                figure.savefig(partial, dpi=130)
        return shown(figure)


@check_arguments(own=("machine", "description"))
def campbell(
    machine: System | Callable[[float], System],
    rates: ArrayLike,
    *,
    axis: str | ArrayLike = "z",
    about: ArrayLike = (0.0, 0.0, 0.0),
    modes: int | None = None,
    description: Formulation | None = None,
) -> Campbell:
    """Return the natural frequencies of a rotating machine for several rates of rotation.

    Parameters
    ----------
    machine : System or callable
        The machine, or a function ``rate -> System`` if it depends on the rate (as the rate of a drive does).
    rates : array_like
        Rates of rotation, (nr,), rad/s.
    axis : str or array_like
        Axis of rotation: "x", "y", "z" or a direction (3,), inertial components.
    about : array_like
        Point on the axis of rotation, (3,), m.
    modes : int, optional
        Number of modes, the lowest at the first rate; by default six, or all if there are fewer.
    description : Absolute or Relative, optional
        How the equations of motion are written; by default :class:`Absolute`.

    Returns
    -------
    Campbell
        Frequencies (nr, n), Hz, and damping ratios of each mode at each rate.

    Raises
    ------
    fem.InputError, fem.ConvergenceError, fem.ConstraintError
        As :func:`linearize`; the message names the rate.

    Warns
    -----
    fem.FlexbodyWarning
        The machine has fewer modes than ``modes``; all are returned.

    Notes
    -----
    A mode is followed by its shape, from the highest rate down: of the shapes of neighbouring rates those with the
    largest modal assurance criterion in the mass metric belong together first. A whirl goes on through the critical
    speed, where its frequency is zero.

    Examples
    --------
    A block of 1 kg in a slot of a rotor, on a spring of k = 100 N/m: ``omega^2 = k / m - Omega^2``, rad/s.

    >>> import flexbody as fb
    >>> hub = fb.RigidBody("hub", mass=1.0, inertia=(1, 1, 1), markers={"rim": (1, 0, 0)})
    >>> block = fb.RigidBody("block", mass=1.0, inertia=(1e-3, 1e-3, 1e-3), center=(0.2, 0, 0))
    >>> bearing = fb.Revolute("bearing", fb.GROUND, hub, point=(0, 0, 0), axis="z")
    >>> slot = fb.Prismatic("slot", hub, block, point=(0.2, 0, 0), axis="x")
    >>> spring = fb.SpringDamper("spring", hub["rim"], block, stiffness=100.0)
    >>> def rotor(rate):
    ...     return fb.System([hub, block], [bearing, slot, fb.Drive("motor", bearing, rate=rate)], [spring])
    >>> table = fb.campbell(rotor, [0.0, 6.0])
    >>> table
    rate rad/s   mode 1 Hz
             0     1.59155
             6     1.27324
    """
    values = _rates(rates)
    along = direction(axis, "axis")
    if not (isinstance(machine, System) or callable(machine)):
        raise InputError(f"machine is {machine!r}; give a System, or a function of the rate that returns one")
    if modes is not None and not (isinstance(modes, int | np.integer) and modes > 0):
        raise InputError(f"modes is {modes!r}; give a number above zero")
    check_description(description)
    found: list[Linearization] = []
    for rate in values:
        system = machine if isinstance(machine, System) else _at_rate(machine, float(rate))
        if not isinstance(system, System):
            raise InputError(f"machine({rate:g}) gives {system!r}; it must return a System")
        try:
            found.append(linearize(system, spin=rate * along, about=about, description=description))
        except FlexbodyError as error:
            drives = isinstance(machine, System) and bool(machine.drives)
            advice = (
                ". Drives that turn with it need a function of the rate: fb.campbell(lambda rate: ..., rates)"
            )
            raise type(error)(f"at {rate:.6g} rad/s: {error}{advice if drives else ''}") from error
    _check_alike(found, values)
    chosen, mac = _follow(found, values)
    if modes is not None and modes > chosen.shape[1]:
        warn(
            f"campbell: the machine has {chosen.shape[1]} modes, not {modes}; all of them are given",
        )
    # modes of one frequency stay in the order that they have at the highest rate
    lowest = np.array([found[0].frequencies_hz[k] for k in chosen[0]])
    first = np.argsort(np.round(np.log(lowest + 1e-300) / (10 * CLOSE_FREQUENCIES)), kind="stable")[
        : modes or 6
    ]
    chosen, mac = chosen[:, first], mac[:, first]

    def take(what: str) -> np.ndarray:
        return np.array([getattr(one, what)[k] for one, k in zip(found, chosen, strict=True)])

    return Campbell(
        values, take("frequencies_hz"), take("damped_frequencies_hz"), take("damping_ratios"), mac,
        tuple(found), chosen,
    )  # fmt: skip


def _rates(rates: ArrayLike) -> np.ndarray:
    try:
        values = np.atleast_1d(np.asarray(rates, dtype=float))
    except (TypeError, ValueError):
        values = np.zeros(0)
    if values.ndim != 1 or not len(values) or not all(is_number(x) for x in values):
        raise InputError(f"rates is {rates!r}; give a list of numbers, rad/s")
    return np.where(np.abs(values) * LARGEST < 1, 0.0, values)


def _at_rate(machine: Callable[[float], System], rate: float) -> System:
    """Return the machine of a user's function at a rate; InputError if the function fails."""
    try:
        return machine(rate)
    except FlexbodyError:
        raise
    except Exception as error:
        raise InputError(
            f"the function of the rate, machine({rate:g}), fails: {type(error).__name__}: {error}"
        ) from error


def _check_alike(found: list[Linearization], rates: np.ndarray) -> None:
    """Raise :class:`fem.InputError` where the machine of some rate has other bodies than that of the first."""
    bodies = [{body.name: body.n_modes for body in one.state.system.bodies} for one in found]
    for rate, these in zip(rates, bodies, strict=True):
        if list(these.items()) != list(bodies[0].items()):
            one, other = (
                ", ".join(f"'{name}' ({n} modes)" for name, n in x.items()) for x in (bodies[0], these)
            )
            raise InputError(
                f"machine({rates[0]:.6g}) has the bodies {one}, machine({rate:.6g}) has {other}; shapes can be "
                "followed only where all rates have the same bodies and modes, in the same order"
            )


def _follow(found: list[Linearization], rates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return which mode of each linearization continues each column, and how like it is to its neighbour.

    From the highest rate down: at rest modes in two planes are often alike, and nothing tells one from the other. A
    whirl goes on through a rate at which its frequency is zero, behind which its shape is the conjugate one: each shape
    therefore stands for two, which turn forward and backward, with the frequencies w and -w.
    """
    order = np.argsort(-np.abs(rates), kind="stable")
    count = min(len(one.eigenvalues) for one in found)
    chosen = np.zeros((len(rates), count), dtype=int)
    mac = np.ones((len(rates), count))
    chosen[order[0]] = np.arange(count)
    shapes, signed = found[order[0]].shapes[:, :count], found[order[0]].damped_frequencies_hz[:count]
    for i in order[1:]:
        one = found[i]
        plan = one.state.plan
        M, _ = mass_and_jacobian(plan, plan.work(), one.state.numbers)
        w = one.damped_frequencies_hz
        both = np.concatenate([one.shapes, one.shapes.conj()], axis=1)
        # near frequencies break ties
        near = np.abs(np.subtract.outer(signed, np.concatenate([w, -w])))
        score = _assurance(M, shapes, both) - FREQUENCY_WEIGHT * near / max(near.max(), 1e-300)
        turned = score[:, len(w) :] > score[:, : len(w)]
        best = _pairs(np.maximum(score[:, : len(w)], score[:, len(w) :]))
        chosen[i], before = best, shapes
        back = turned[np.arange(count), best]
        own = [
            _continued(M, s.conj() if b else s, one, k) for s, b, k in zip(shapes.T, back, best, strict=True)
        ]
        shapes = np.stack([x.conj() if b else x for x, b in zip(own, back, strict=True)], axis=1)
        signed = np.where(back, -w[best], w[best])
        mac[i] = np.diag(_assurance(M, before, shapes))
    return chosen, mac


def _pairs(score: np.ndarray) -> np.ndarray:
    """Return the column of each row (p, n), p <= n: the pair of the largest score first, then the next of the others.

    The largest sum of scores would exchange two modes where one of them changes much and the other doesn't.
    """
    left, found = score.copy(), np.zeros(len(score), dtype=int)
    for _ in found:
        k, j = np.unravel_index(np.argmax(left), left.shape)
        found[k] = j
        left[k], left[:, j] = -np.inf, -np.inf
    return found


def _assurance(M: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Modal assurance of shapes a (nv, p) and b (nv, n): (p, n)."""
    sizes = [np.sqrt(np.einsum("ik,ij,jk->k", x.conj(), M, x).real) + 1e-300 for x in (a, b)]
    found: np.ndarray = (np.abs(a.conj().T @ M @ b) / np.outer(*sizes)) ** 2
    return found


def _continued(M: np.ndarray, shape: np.ndarray, one: Linearization, k: int) -> np.ndarray:
    """Return the shape that continues ``shape``: mode k, or its part in the space of modes of one frequency."""
    close = np.abs(one.frequencies_hz - one.frequencies_hz[k]) <= CLOSE_FREQUENCIES * one.frequencies_hz[k]
    if close.sum() < 2:
        return one.shapes[:, k]
    space = one.shapes[:, close]
    part = np.linalg.lstsq(space.conj().T @ M @ space, space.conj().T @ M @ shape, rcond=1e-12)[0]
    return space @ part if np.abs(part).max(initial=0.0) > 0 else one.shapes[:, k]
