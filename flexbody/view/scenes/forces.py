"""Forces and moments over time as arrows: reactions of joints, loads, drives and force elements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import singledispatch
from typing import Any

import numpy as np

from fem.common.errors import InputError, called, listing
from fem.common.names import with_match

from ...model.constraints import Constraint
from ...model.cut_body import BodyCut, ModesCut
from ...model.drives import Drive
from ...model.forces import Element, Load
from ...model.forces.belt import BeltSpan
from ...model.forces.surface_contact import SurfaceContact
from ...model.forces.tooth_contact import ToothContact
from ...model.hinge_joint import HingeJoint
from ...model.joints import Joint
from ...model.joints.cams import FaceOnGuideway
from ...model.joints.gears import Toothed
from ...model.rolling import Rolling
from ...results.contacts import contact_points, frame_positions
from ...results.contacts_history import ContactsHistory
from ...results.force_elements import ContactHistory
from ...results.loads import load_over_time
from ...results.record import Wrench
from ..geometry import colours
from ..geometry.colours import Colour
from ..geometry.motion import Motion
from ..geometry.scale import round_factor, with_unit
from ..symbols.arrows import LONGEST_ARC, Arc, Arrow
from ..symbols.sketch import Sketch

#: Length of the longest arrow relative to the size of the machine.
LONGEST_ARROW = 0.2
#: Forces below this fraction of the largest get arrows of this fraction of the longest; moments likewise.
SHORTEST_ARROW, SHORTEST_ARC = 0.1, 0.25
#: Forces and moments below this fraction of the largest get no arrow.
NO_ARROW = 1e-3
#: Where nobody has chosen them, reactions and forces of elements below these fractions of the largest force or moment
#: get none either: their arrows would be many times too long. Loads and drives are what a user gives.
SMALL_FORCE, SMALL_ARC = 0.02, 0.05
#: Forces and moments below this part of the others, over or times the size of the machine, are round-off.
ROUND_OFF = 1e-6
#: Moments below this part of the largest force times the size of the machine are drawn only where they are named.
SMALL_MOMENT = 1e-3
#: So many forces and so many moments, the largest ones, are drawn where nobody has chosen them.
MAX_ARROWS, MAX_ARCS = 12, 8
REACTION: Colour = colours.LOAD
LOAD: Colour = colours.SUPPORT
DRIVE: Colour = colours.DRIVE
ELEMENT: Colour = colours.ELEMENT
#: Colours of the arrows.
LEGEND = {"reaction": REACTION, "load": LOAD, "drive": DRIVE, "element": ELEMENT}
LEGEND_NAMES = {"reaction": "reactions", "load": "loads", "drive": "drives", "element": "force elements"}


@dataclass(frozen=True)
class Arrows:
    """The arrows of a scene, the largest force (N) and moment (Nm), and the legend.

    ``length`` (m/N) and ``angle`` (rad/Nm) are the scales of straight and of curved arrows.
    """

    parts: list[Arrow | Arc] = field(default_factory=list)
    force: float = 0.0
    moment: float = 0.0
    legend: dict[str, Colour] = field(default_factory=dict)
    length: float = 0.0
    angle: float = 0.0
    small: tuple[str, ...] = ()  # the values below which arrows are longer than to scale, if there are any
    chosen: tuple[str, ...] = ()  # which forces and moments are drawn, where only the largest are
    left_out: str = ""  # what is said of moments that are too small

    @property
    def round_force(self) -> tuple[float, str]:
        """A round force (N) not above the largest, and its text."""
        value = round_factor(self.force)
        return value, with_unit(value, "N")

    @property
    def round_moment(self) -> tuple[float, str]:
        """A round moment (Nm) not above the largest, and its text."""
        value = round_factor(self.moment)
        return value, with_unit(value, "N m")

    def note(self) -> str:
        """Return a note on arrows that are missing or not to scale; empty if there are none."""
        chosen = f"arrows of the {' and the '.join(self.chosen)}" if self.chosen else ""
        small = f"arrows below {' and '.join(self.small)} not to scale" if self.small else ""
        return ", ".join(filter(None, [chosen, small, self.left_out]))


@dataclass(frozen=True, eq=False)
class _Action:
    """A force (nt, 3), N, or moment (nt, 3), Nm, at a frame, in inertial components."""

    kind: str
    name: str
    frame: Any
    values: np.ndarray
    moment: bool = False
    shift: np.ndarray | None = (
        None  # (nt, 3), m, from the frame to the point of action, in inertial components
    )


def arrows_of(result: Any, sketch: Sketch, wanted: Any, time: float | None = None) -> Arrows:
    """Return the arrows of the joints, drives, loads and force elements ``wanted`` (True for all).

    A joint shows its reaction force and moment on its second body at the joint point of that body. A drive, coupling,
    user constraint, load or force element shows its force or moment on its second (last) body; teeth show their force
    at the pitch point, contacts where they press. Arrows start at the point of action. The longest arrow is a fifth of
    the size of the machine, and the longest curved arrow has the angle ``LONGEST_ARC``: at the time ``time`` (s) of a
    picture, or in the whole run. Of all (``wanted`` is True) the largest are drawn.
    """
    actions = [action for item in _items(result, wanted) for action in _actions(item, result, sketch)]
    now = [_size(action, sketch.motion, time) for action in actions]
    largest = {
        turning: max((size for size, a in zip(now, actions, strict=True) if a.moment == turning), default=0.0)
        for turning in (False, True)
    }
    for turning, other in ((False, largest[True] / sketch.extent), (True, largest[False] * sketch.extent)):
        if largest[turning] < ROUND_OFF * other:
            largest[turning] = 0.0
    left_out: list[str] = []
    if wanted is True and largest[True] < SMALL_MOMENT * largest[False] * sketch.extent:
        left_out = [f"moments up to {with_unit(largest[True], 'N m')}"] if largest[True] > 0 else []
        largest[True] = 0.0
    longest = {False: LONGEST_ARROW * sketch.extent, True: LONGEST_ARC}
    scales = {turning: longest[turning] / size if size > 0 else 0.0 for turning, size in largest.items()}
    found: list[Arrow | Arc] = []
    legend: dict[str, Colour] = {}
    small: dict[bool, str] = {}
    rounds: dict[tuple[float, ...], int] = {}
    seen = [
        k
        for k, (action, size) in enumerate(zip(actions, now, strict=True))
        if largest[action.moment] > 0 and (time is None or size > NO_ARROW * largest[action.moment])
    ]
    chosen: tuple[str, ...] = ()
    if wanted is True:
        seen, more = _large(seen, actions, now, largest)
        left_out += more
        seen, chosen = _largest(seen, actions, now)
    for k in seen:
        action, size, top = actions[k], now[k], largest[actions[k].moment]
        least = (SHORTEST_ARC if action.moment else SHORTEST_ARROW) * top
        if NO_ARROW * top < size < least:
            small[action.moment] = with_unit(least, "N m" if action.moment else "N")
        found.append(_arrow(action, sketch, rounds, scales[action.moment], longest[action.moment]))
        legend[LEGEND_NAMES[action.kind]] = LEGEND[action.kind]
    texts = tuple(small[turning] for turning in sorted(small))
    words = f"{' and '.join(left_out)} not drawn" if left_out else ""
    return Arrows(
        found, largest[False], largest[True], legend, scales[False], scales[True], texts, chosen, words
    )


def _large(
    seen: Sequence[int], actions: Sequence[_Action], sizes: Sequence[float], largest: dict[bool, float]
) -> tuple[list[int], list[str]]:
    """Return which of the actions ``seen`` are drawn where nobody has chosen them, and what is said of small ones."""
    kept: list[int] = []
    said: list[str] = []
    for moment, part, what, unit in (
        (False, SMALL_FORCE, "forces", "N"),
        (True, SMALL_ARC, "moments", "N m"),
    ):
        alike, least = [k for k in seen if actions[k].moment == moment], part * largest[moment]
        small = {k for k in alike if sizes[k] < least and actions[k].kind in ("reaction", "element")}
        kept += [k for k in alike if k not in small]
        if any(sizes[k] > NO_ARROW * largest[moment] for k in small):
            said.append(f"{what} below {with_unit(least, unit)}")
    return sorted(kept), said


def _largest(
    seen: Sequence[int], actions: Sequence[_Action], sizes: Sequence[float]
) -> tuple[list[int], tuple[str, ...]]:
    """Return which of the actions ``seen`` are drawn, in their order, and what is said where these are not all."""
    kept: list[int] = []
    chosen: list[str] = []
    for moment, most, what in ((False, MAX_ARROWS, "forces"), (True, MAX_ARCS, "moments")):
        alike = [k for k in seen if actions[k].moment == moment]
        if len(alike) > most:
            chosen.append(f"{most} largest of {len(alike)} {what}")
        kept += sorted(alike, key=lambda k: -sizes[k])[:most]
    return sorted(kept), tuple(chosen)


def _size(action: _Action, motion: Motion, time: float | None) -> float:
    """Return the magnitude of a force or moment at a time (s), or its largest magnitude."""
    if time is None:
        return float(np.linalg.norm(action.values, axis=1).max())
    return float(np.linalg.norm(motion.vector(action.values, action.frame.body, time)))


def _arrow(
    action: _Action, sketch: Sketch, rounds: dict[tuple[float, ...], int], scale: float, longest: float
) -> Arrow | Arc:
    """Return the arrow of a force or moment; ``rounds`` counts the curved arrows at each place."""
    name = f"{action.kind} {action.name}" + (", moment" if action.moment else "")
    sketch.motion.add(name, action.values, action.frame.body)
    shift = "" if action.shift is None else f"{name}, place"
    if action.shift is not None:
        sketch.motion.add(shift, action.shift)
    frame, colour = sketch.drawn(action.frame), LEGEND[action.kind]
    growth = sketch.growth(action.frame)[0]
    offset = sketch.before if action.kind == "element" else sketch.depth(action.frame.body)
    none, radius = NO_ARROW * longest, 0.25 * sketch.unit
    if not action.moment:
        return Arrow(
            name, frame, offset, scale, SHORTEST_ARROW * longest, none, radius, colour, growth, shift
        )
    place = tuple(np.round((sketch.place(frame, sketch.samples[0])) / sketch.unit))
    rounds[place] = rounds.get(place, -1) + 1  # arcs at one place get increasing radii
    circle = (4 + 0.9 * rounds[place]) * sketch.unit
    return Arc(
        name, frame, offset, scale, SHORTEST_ARC * longest, none, circle, radius, colour, growth, shift
    )


def _items(result: Any, wanted: Any) -> list[Any]:
    system = result.system
    # a body that is cut is one body for the eye
    known: dict[str, Any] = {
        item.name: item for item in system.joints if not isinstance(item, BodyCut | ModesCut)
    }
    known |= {force.name: force for force in system.forces}
    if wanted is True:
        return list(known.values())
    if wanted is False or wanted is None:
        return []
    one = getattr(wanted, "name", wanted)
    try:
        names = [one] if isinstance(one, str) else [getattr(item, "name", item) for item in wanted]
        unknown = [name for name in names if name not in known]
    except TypeError:
        raise InputError(
            f"forces is {called(wanted)}; give joints, drives or forces, their names, or True for all"
        ) from None
    if unknown:
        raise InputError(
            f"forces: no arrows can be drawn for {with_match(unknown, known)}; there are the joints, drives and forces "
            f"{listing(known)}"
        )
    return [known[name] for name in dict.fromkeys(names)]


@singledispatch
def _actions(item: Any, result: Any, sketch: Sketch) -> list[_Action]:
    """Return the force and the moment that a coupling exerts on the last body that it acts on, if not zero."""
    frame = sketch.frames[item.uses()[-1].joint.name][1]
    return _not_zero("reaction", item.name, frame, result.reaction(item))


@_actions.register
def _(gear: Toothed, result: Any, sketch: Sketch) -> list[_Action]:
    teeth = result.plan.teeth.get(gear.name)
    if teeth is None:
        frame = sketch.frames[gear.couplings[0][-1].joint.name][1]
        return _not_zero("reaction", gear.name, frame, result.reaction(gear))
    return [_Action("reaction", gear.name, teeth.pitch_frame(sketch.bodies), result.reaction(gear).force)]


@_actions.register
def _(load: Load, result: Any, sketch: Sketch) -> list[_Action]:
    frame = load.frames(sketch.bodies)[0]
    return [_Action("load", load.name, frame, load_over_time(result, load), load.is_moment)]


@_actions.register
def _(joint: Joint, result: Any, sketch: Sketch) -> list[_Action]:
    return _not_zero("reaction", joint.name, sketch.frames[joint.name][1], result.reaction(joint))


@_actions.register
def _(face: FaceOnGuideway, result: Any, sketch: Sketch) -> list[_Action]:
    """Return the force where the face touches the line; about that place it has no moment."""
    wrench, frame = result.reaction(face), sketch.frames[face.name][1]
    shift = _on_line(wrench, np.zeros_like(wrench.force))
    return [_Action("reaction", face.name, frame, wrench.force, shift=shift)] if face.held else []


@_actions.register
def _(drive: Drive, result: Any, sketch: Sketch) -> list[_Action]:
    joint, wrench = result.system.joint(drive.joint), result.reaction(drive)
    is_moment = joint.coordinates[drive.coordinate].is_angle
    values = wrench.moment if is_moment else wrench.force
    return [_Action("drive", drive.name, sketch.frames[joint.name][1], values, is_moment)]


@_actions.register
def _(constraint: Constraint | HingeJoint, result: Any, sketch: Sketch) -> list[_Action]:
    frame = [place for place in constraint.frames(sketch.bodies) if place.body != "ground"][-1]
    wrench = result.reaction(constraint, body=frame.body)
    return _not_zero("reaction", constraint.name, frame, wrench)


@_actions.register
def _(rolling: Rolling, result: Any, sketch: Sketch) -> list[_Action]:
    """Return the load at the point of contact, on the second body, on the first if the second is the ground."""
    frames = sketch.springs[rolling.name]
    frame = frames[0] if frames[1].body == "ground" else frames[1]
    wrench = result.reaction(rolling, body=frame.body)
    shift = contact_points(result, rolling) - frame_positions(result, frame)
    about = Wrench(wrench.force, wrench.moment - np.cross(shift, wrench.force))
    return [replace(action, shift=shift) for action in _not_zero("reaction", rolling.name, frame, about)]


@_actions.register
def _(element: Element, result: Any, sketch: Sketch) -> list[_Action]:
    history = result.element(element)
    if isinstance(history, ContactsHistory):
        return _pressed(element, history, sketch)
    if element.count == 0:  # of a controller
        return []
    along = element.coordinate
    first, *_, second = sketch.springs[element.name] if along is None else sketch.frames[along[0].name]
    on_first = second.body == "ground"
    load = history.first if on_first else history.second
    wrench, frame = Wrench(load[:, :3], load[:, 3:]), first if on_first else second
    if isinstance(element, ToothContact | BeltSpan):
        near = frame_positions(result, element.place(sketch.bodies))
        shift = _on_line(wrench, near - frame_positions(result, frame))
        return [_Action("element", element.name, frame, wrench.force, shift=shift)]
    if not isinstance(history, ContactHistory):
        return _not_zero("element", element.name, frame, wrench)
    shift = history.point - frame_positions(result, frame)
    about = Wrench(wrench.force, wrench.moment - np.cross(shift, wrench.force))
    return [replace(action, shift=shift) for action in _not_zero("element", element.name, frame, about)]


def _on_line(wrench: Wrench, near: np.ndarray) -> np.ndarray:
    """Return the point on the line of action of each force that is nearest to ``near``, both (nt, 3), m.

    Both are relative to the point of the moments. The point on the line nearest to that point is F x M / F^2.
    """
    F, square = wrench.force, np.einsum("ti,ti->t", wrench.force, wrench.force)[:, None]
    pressed = square > 0.0
    square = np.where(pressed, square, 1.0)
    along = np.einsum("ti,ti->t", F, near)[:, None] * F
    return np.where(pressed, (np.cross(F, wrench.moment) + along) / square, near)


def _pressed(element: Element, history: ContactsHistory, sketch: Sketch) -> list[_Action]:
    """Return the force of many contacts on each moving shape, where it presses."""
    frames = sketch.springs[element.name]
    if isinstance(element, SurfaceContact):
        k, frame = (1, frames[-1]) if frames[0].body == "ground" else (0, frames[0])
        own, shift = {k: frame}, history.point - history.place[:, k]
    else:
        own, shift = dict(enumerate(frames)), None
    return [
        _Action("element", element.name, frame, history.force_on[:, k], shift=shift)
        for k, frame in own.items()
        if frame.body != "ground" and np.any(history.force_on[:, k])
    ]


def _not_zero(kind: str, name: str, frame: Any, wrench: Wrench) -> list[_Action]:
    """Return a force and a moment at a frame, each if it is not zero."""
    found = [_Action(kind, name, frame, wrench.force), _Action(kind, name, frame, wrench.moment, moment=True)]
    return [action for action in found if np.any(action.values)]
