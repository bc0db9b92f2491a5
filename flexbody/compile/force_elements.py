"""Force elements as flat arrays; a part of :mod:`flexbody.compile.plan`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from fem.common.errors import InputError

from ..core.element import relax
from ..core.kinds import LINE
from ..functions.function_pointers import NO_LAW, Law
from ..model.bodies import Body
from ..model.forces import Element, ForceLaw
from ..model.forces.law import Pointer
from ..model.forces.user_law import UserPointer
from ..model.joints import Joint
from ..model.sides import FrameData


class Elements:
    """The force elements of a system in order, and the positions of their deformations and states."""

    def __init__(
        self, elements: Sequence[Element], laws: Sequence[ForceLaw], pointers: Sequence[Pointer]
    ) -> None:
        self.elements, self.laws, self.pointers = tuple(elements), tuple(laws), tuple(pointers)
        self.at = np.cumsum([0, *(element.count for element in elements)])
        self.state_at = np.cumsum([0, *(law.n_states for law in laws)])

    def deformations(self, e: int) -> slice:
        """Return the slice of the deformations of element ``e``."""
        return slice(int(self.at[e]), int(self.at[e + 1]))

    def states(self, e: int) -> slice:
        """Return the slice of the states of element ``e``."""
        return slice(int(self.state_at[e]), int(self.state_at[e + 1]))

    def starts(self) -> np.ndarray:
        """Return the states at t = 0, (nz,), with NaN for those that start at their stationary values."""
        out = np.full(int(self.state_at[-1]), np.nan)
        for e, law in enumerate(self.laws):
            given = law.start_states()
            if given is not None:
                out[self.states(e)] = given
        return out


def element_arrays(
    elements: Sequence[Element],
    frames: Sequence[FrameData],
    frame_of: Sequence[tuple[int, ...]],
    bodies: Mapping[str, Body],
    kept: list[Law],
    t_end: float,
    find: Callable[[Joint, str], int],
) -> tuple[Elements, dict[str, np.ndarray]]:
    """Return the elements and their part of the layout.

    ``kept`` receives the laws of inputs. ``find`` returns the index of a joint coordinate.
    """
    rows, inputs, values, laws, pointers = [], [], [], [], []
    at = state_at = value_at = 0
    for element, (i, j) in zip(elements, frame_of, strict=True):
        law = element.force_law(bodies)
        ends = [f.x + (bodies[f.body].start if f.body in bodies else 0.0) for f in (frames[i], frames[j])]
        drawn = ends[1] - ends[0]
        reference = element.reference(drawn)
        stretch = (float(np.linalg.norm(drawn)) if element.kind == LINE else 0.0) - float(reference[0])
        pointer = law.pointer(t_end, stretch, element.label)
        source = law.input_law(t_end, element.label)
        kept += [source] if source else []
        rows.append(
            (element.kind, i, j, at, element.count, state_at, law.n_states, pointer.address, value_at,
             find(*element.coordinate) if element.coordinate else -1)
        )  # fmt: skip
        inputs.append(source.pair if source else NO_LAW)
        numbers = [law.input_value(), *reference, *pointer.numbers]
        values += numbers
        at, state_at, value_at = at + element.count, state_at + law.n_states, value_at + len(numbers)
        laws.append(law)
        pointers.append(pointer)
    # the numbers of every law are passed as an array, which must not be empty
    return Elements(elements, laws, pointers), {
        "element": np.array(rows, dtype=np.int64).reshape(-1, 10),
        "element_input": np.array(inputs, dtype=np.int64).reshape(-1, 2),
        "element_value": np.array([*values, 0.0]),
    }


def start_states(plan, W, t: float, carried: np.ndarray | None = None) -> None:
    """Write the states at the start into ``W``, for a position and velocity that are already computed.

    Parameters
    ----------
    plan : Plan
        The plan.
    W : Work
        Working arrays.
    t : float
        Time, s.
    carried : numpy.ndarray, optional
        States of an earlier run, (nz,), NaN where there is none.

    Raises
    ------
    fem.InputError
        For a law without a stationary state.
    """
    found: Elements = plan.elements
    start = found.starts()
    if carried is not None:
        start = np.where(np.isnan(carried), start, carried)
    W.law_state[:] = np.nan_to_num(start)
    for e, element in enumerate(found.elements):
        part = found.states(e)
        if not np.isnan(start[part]).any():
            continue
        relax(plan.layout, W, e, t)
        if not np.isfinite(W.law_state[part]).all():
            raise InputError(f"{element.label}: its law has no stationary state at the start; give start=")


def element_complaint(plan, W, since: float) -> InputError | None:
    """Return an error that names an element without finite force after ``since`` (s), or None."""
    found: Elements = plan.elements
    t, e, x, rate = W.bad_time, W.bad_element, W.bad_deformation, W.bad_rate
    if e < 0 or t < since:
        return None
    label, pointer = found.elements[e].label, found.pointers[e]
    if found.elements[e].count == 6:
        return InputError(
            f"{label}: its ends have rotated relative to each other by half a turn at t = {t:.6g} s, which is the "
            "limit of this element"
        )
    if isinstance(pointer, UserPointer) and np.isfinite([x, rate]).all():
        try:
            pointer.values(max(t, 0.0), x, rate, W.law_state[found.states(e)])
        except InputError as error:
            return error
    return None
