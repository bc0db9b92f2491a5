"""Force elements as flat arrays; a part of :mod:`flexbody.compile.plan`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from fem.common.errors import InputError

from ..core.force_elements import exchange_pairs, relax
from ..core.kinds import LINE, SLIP_FORCES
from ..functions.time_law import NO_LAW, Law
from ..model.forces import Element, ForceLaw
from ..model.forces.law import Pointer
from ..model.forces.user_controller import UserControlPointer
from ..model.forces.user_law import UserPointer
from ..model.joints.coordinates import X
from ..model.sides import Body, FrameData
from .controllers import Signals
from .networks import network_complaint
from .offsets import offsets
from .rows import Rows


class Elements:
    """The force elements of a system in order, and the positions of their deformations, states and inputs.

    ``signals`` are those of controllers. ``inputs`` (ne,) are the positions of their constant inputs in
    ``Layout.element_value``, ``input_laws`` (ne,) their inputs that are functions of time, or None.
    """

    def __init__(
        self,
        elements: Sequence[Element],
        laws: Sequence[ForceLaw],
        pointers: Sequence[Pointer],
        inputs: Sequence[int],
        input_laws: Sequence[Law | None],
        signals: Signals,
    ) -> None:
        self.elements, self.laws, self.pointers = tuple(elements), tuple(laws), tuple(pointers)
        self.at = offsets(element.count for element in elements)
        self.state_at = offsets(law.n_states for law in laws)
        self.signals = signals
        self.inputs, self.input_laws = np.array(inputs, dtype=np.int64), tuple(input_laws)

    @property
    def dry_friction(self) -> list[int]:
        """The elements with dry friction."""
        return [e for e, law in enumerate(self.laws) if law.dry_friction]

    @property
    def n_deformations(self) -> int:
        """Number of deformations of all elements."""
        return int(self.at[-1])

    @property
    def n_states(self) -> int:
        """Number of states of all laws."""
        return int(self.state_at[-1])

    @property
    def with_states(self) -> np.ndarray:
        """The deformations of elements whose laws have states."""
        return np.flatnonzero(np.repeat(np.diff(self.state_at) > 0, np.diff(self.at)))

    def deformations(self, e: int) -> slice:
        """Return the deformations of element ``e``."""
        return slice(int(self.at[e]), int(self.at[e + 1]))

    def states(self, e: int) -> slice:
        """Return the states of element ``e``."""
        return slice(int(self.state_at[e]), int(self.state_at[e + 1]))

    def starts(self) -> np.ndarray:
        """Return the states at t = 0, (nz,), with NaN for those that start at their stationary values."""
        out = np.full(self.n_states, np.nan)
        for e, law in enumerate(self.laws):
            given = law.start_states()
            if given is not None:
                out[self.states(e)] = given
        return out

    @property
    def state_sizes(self) -> np.ndarray:
        """Sizes of the states that count in any case, (nz,)."""
        return np.repeat([law.state_size for law in self.laws], [law.n_states for law in self.laws])


def element_arrays(
    elements: Sequence[Element], frames: Sequence[FrameData], rows: Rows, kept: list[Law], t_end: float
) -> tuple[Elements, dict[str, np.ndarray]]:
    """Return the elements of a system and their part of the layout; ``kept`` receives the laws of inputs.

    All joints must have their rows.
    """
    bodies = rows.coordinates.bodies
    table, sources, values, input_at = [], [], [], []
    frictions: list[tuple[int, ...]] = []
    laws = [element.force_law(bodies) for element in elements]
    pointers = []
    at = state_at = value_at = 0
    signals = Signals({one.name: one.wiring for one in elements if one.wiring is not None})
    for e, (element, law) in enumerate(zip(elements, laws, strict=True)):
        i, *_, j = rows.at[f"force {element.name}"]
        reference, drawn = _undeformed(element, frames[i], frames[j], bodies)
        with np.errstate(all="ignore"):  # functions are tried; nan has its own error
            pointer = law.pointer(t_end, drawn, element.label)
        source = law.input_law(t_end, element.label)
        kept += [source] if source else []
        followed = _followed(rows, element, law)
        table.append(
            (element.kind, i, j, at, element.count, state_at, law.n_states, pointer.address,
             pointer.slope, value_at,
             _measured(rows, element),
             law.dry_friction, len(frictions) if followed else -1, law.elastic, signals.input_of(element.name))
        )  # fmt: skip
        frictions += [(e, *columns) for columns in followed]
        sources.append(source)
        input_at.append(value_at)
        numbers = [
            law.input_value(),
            *reference,
            *signals.numbers(element.name, i, rows.coordinates.find),
            *(float(rows.coordinates.find(term.joint, term.which)) for term in element.counted),
            *pointer.numbers,
        ]
        values += numbers
        at, state_at, value_at = at + element.count, state_at + law.n_states, value_at + len(numbers)
        pointers.append(pointer)
    counts = [element.count for element in elements]
    inputs = [source.pair if source else NO_LAW for source in sources]
    # the numbers of every law are passed as an array, which must not be empty
    return Elements(elements, laws, pointers, input_at, sources, signals), {
        "element": np.array(table, dtype=np.int64).reshape(-1, 15),
        "element_input": np.array(inputs, dtype=np.int64).reshape(-1, 2),
        "element_value": np.array([*values, 0.0]),
        "deformation_element": np.repeat(np.arange(len(elements)), counts).astype(np.int64),
        "reaction_friction": np.array(frictions, dtype=np.int64).reshape(-1, 6),
    }


def _undeformed(
    element: Element, first: FrameData, second: FrameData, bodies: Mapping[str, Body]
) -> tuple[np.ndarray, float]:
    """Return the measures of the undeformed element, and its first deformation in the drawn configuration."""
    drawn = second.drawn(bodies) - first.drawn(bodies)
    reference = element.reference(drawn)
    length = float(np.linalg.norm(drawn)) if element.kind == LINE else 0.0
    return reference, length - float(reference[:1].sum())


def _measured(rows: Rows, element: Element) -> int:
    """Return the number of the coordinate, or of the first recorded rate of slip, that an element acts along, or -1.

    Of an element between two frames it is the axis about which it turns freely.
    """
    if element.rolling is not None:
        return rows.record_slip(element.rolling)
    return rows.coordinates.find(*element.coordinate) if element.coordinate else element.free_axis


def _followed(rows: Rows, element: Element, law: ForceLaw) -> list[tuple[int, ...]]:
    """Return the columns of each force that follows the reaction, none for other laws.

    They are the rows of the joint, the frame and axis of the motion, and the other coordinate along which it slides.
    """
    if element.teeth is not None:
        row = rows.owned[element.name].start
        return [(row, row + 1, rows.at[f"joint {element.teeth.name}"][0], X, -1)]
    if element.rolling is not None:
        row = rows.owned[element.name].start
        frame = rows.at[f"joint {element.name}"][0]
        return [(row, row + 1, frame, which, -1) for which in range(SLIP_FORCES)]
    if element.coordinate is None:
        return []
    joint = rows.coordinates.joints[element.coordinate[0].name]
    slides = law.sliding(joint, element.coordinate[1])
    if slides is None:
        return []
    own = rows.owned[joint.name]
    partner = -1 if slides.partner is None else rows.coordinates.find(joint, slides.partner)
    return [(own.start, own.stop, rows.at[f"joint {joint.name}"][slides.host], slides.axis, partner)]


def start_states(plan, W, t: float, carried: np.ndarray) -> None:
    """Write the states at the start into ``W``, for a position and velocity that are already computed.

    Parameters
    ----------
    plan : Plan
        The plan.
    W : Work
        Working arrays.
    t : float
        Time, s.
    carried : numpy.ndarray
        States of an earlier run, (nz,), NaN where there is none.

    Raises
    ------
    fem.InputError
        For a law without a stationary state.
    """
    found: Elements = plan.elements
    start = np.where(np.isnan(carried), found.starts(), carried)
    W.law_state[:] = np.nan_to_num(start)
    exchange_pairs(plan.layout, W, W.law_state)
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
    if (complaint := network_complaint(found.elements, plan.body_index, W, since)) is not None:
        return complaint
    t, e, x, rate = W.bad_time, W.bad_element, W.bad_deformation, W.bad_rate
    if e < 0 or t < since:
        return None
    label, pointer = found.elements[e].label, found.pointers[e]
    if isinstance(pointer, (UserPointer, UserControlPointer)) and pointer.failed is not None:
        return pointer.failed
    if found.elements[e].count == 0:
        return InputError(f"{label}: its output is not finite at t = {t:.6g} s, where it measures {x:.6g}")
    if found.elements[e].count > 1:
        if np.isnan(x):  # the rotation vector between both ends is not defined
            return InputError(
                f"{label}: its ends have rotated relative to each other by half a turn at t = {t:.6g} s, which is the "
                "limit of this element. About one axis a bushing turns without limit if it has no stiffness about it, "
                "and equal stiffness and equal damping across it; about all axes if it has no stiffness about any, and "
                "the same stiffness and damping along and about all. Another bearing of a shaft is a bushing from the "
                "ground to a ring, a light RigidBody, and a Revolute between ring and shaft"
            )
        return InputError(f"{label}: its force is not finite at t = {t:.6g} s, first deformation {x:.6g}")
    if isinstance(pointer, UserPointer) and np.isfinite([x, rate]).all():
        try:
            pointer.values(max(t, 0.0), np.array([x]), np.array([rate]), W.law_state[found.states(e)])
        except InputError as error:
            return error
    return None
