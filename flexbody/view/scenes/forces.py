"""Forces and moments over time as arrows: reactions of joints, loads, drives and force elements."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import singledispatch
from typing import Any

import numpy as np

from fem.common.errors import InputError, called, listing

from ...model.constraints import Constraint
from ...model.drives import Drive
from ...model.forces import Element, Load
from ...model.joints import Joint
from ...results.record import Wrench
from ...results.tables import load_over_time
from ..geometry import colours
from ..geometry.colours import Colour
from ..symbols.arrows import LONGEST_ARC, Arc, Arrow
from ..symbols.sketch import Sketch

#: Length of the longest arrow of a run relative to the size of the machine.
LONGEST_ARROW = 0.2
#: Arrows below this fraction of the longest arrow are not drawn.
SHORTEST_ARROW = 0.01
REACTION: Colour = colours.LOAD
LOAD: Colour = colours.SUPPORT
DRIVE: Colour = colours.DRIVE
ELEMENT: Colour = colours.ELEMENT
#: Colours of the arrows.
LEGEND = {"reaction": REACTION, "load": LOAD, "drive": DRIVE, "element": ELEMENT}
LEGEND_NAMES = {"reaction": "reactions", "load": "loads", "drive": "drives", "element": "force elements"}


@dataclass(frozen=True)
class Arrows:
    """The arrows of a scene, the largest force (N) and moment (Nm), and the legend."""

    parts: list[Arrow | Arc] = field(default_factory=list)
    force: float = 0.0
    moment: float = 0.0
    legend: dict[str, Colour] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class _Action:
    """A force (nt, 3), N, or moment (nt, 3), Nm, at a frame, in inertial components."""

    kind: str
    name: str
    frame: Any
    values: np.ndarray
    moment: bool = False


def arrows_of(result: Any, sketch: Sketch, wanted: Any) -> Arrows:
    """Return the arrows of the joints, drives, loads and force elements ``wanted`` (True for all).

    A joint shows its reaction force on its second body at the joint point of that body. A drive, coupling, user
    constraint, load or force element shows its force or moment on its second (last) body. The longest arrow is a fifth
    of the size of the machine.
    """
    actions = [action for item in _items(result, wanted) for action in _actions(item, result, sketch)]
    sizes = {
        turning: max(
            (float(np.linalg.norm(a.values, axis=1).max()) for a in actions if a.moment == turning),
            default=0.0,
        )
        for turning in (False, True)
    }
    for turning, other in ((False, sizes[True] / sketch.extent), (True, sizes[False] * sketch.extent)):
        if sizes[turning] < 1e-6 * other:
            sizes[turning] = 0.0  # round-off
    longest, radius = LONGEST_ARROW * sketch.extent, 0.25 * sketch.unit
    offset = sketch.before - 1.4 * sketch.unit * sketch.away if sketch.normal is not None else np.zeros(3)
    found = Arrows([], sizes[False], sizes[True])
    rounds: dict[tuple[float, ...], int] = {}
    for action in actions:
        if not sizes[action.moment] > 0:
            continue
        name = f"{action.kind} {action.name}" + (", moment" if action.moment else "")
        sketch.motion.add(name, action.values)
        frame, colour = sketch.drawn(action.frame), LEGEND[action.kind]
        growth = sketch.growth(action.frame)[0]
        if action.moment:
            scale = LONGEST_ARC / sizes[True]
            place = tuple(np.round((sketch.place(frame, sketch.samples[0])) / sketch.unit))
            rounds[place] = rounds.get(place, -1) + 1  # arcs at one place get increasing radii
            circle = (4 + 0.9 * rounds[place]) * sketch.unit
            found.parts.append(
                Arc(name, frame, offset, scale, SHORTEST_ARROW * LONGEST_ARC, circle, radius, colour, growth)
            )
        else:
            scale = longest / sizes[False]
            found.parts.append(
                Arrow(name, frame, offset, scale, SHORTEST_ARROW * longest, radius, colour, growth)
            )
        found.legend[LEGEND_NAMES[action.kind]] = colour
    return found


def _items(result: Any, wanted: Any) -> list[Any]:
    system = result.system
    known: dict[str, Any] = {item.name: item for item in system.joints}
    known |= {force.name: force for force in system.forces}
    if wanted is True:
        return list(known.values())
    if wanted is False or wanted is None:
        return []
    one = getattr(wanted, "name", wanted)
    try:
        names = [one] if isinstance(one, str) else [getattr(item, "name", item) for item in wanted]
    except TypeError:
        raise InputError(
            f"forces is {called(wanted)}; give joints, drives or forces, their names, or True for all"
        ) from None
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InputError(
            f"forces: no arrows can be drawn for {listing(unknown)}; there are the joints, drives and forces "
            f"{listing(known)}"
        )
    return [known[name] for name in dict.fromkeys(names)]


@singledispatch
def _actions(item: Any, result: Any, sketch: Sketch) -> list[_Action]:
    """Return the force and the moment that a coupling exerts on the last body that it acts on, if not zero."""
    frame = sketch.frames[item.couplings[0][-1].joint.name][1]
    return _not_zero("reaction", item.name, frame, result.reaction(item))


@_actions.register
def _(load: Load, result: Any, sketch: Sketch) -> list[_Action]:
    frame = load.frames(sketch.bodies)[0]
    return [_Action("load", load.name, frame, load_over_time(result, load), load.is_moment)]


@_actions.register
def _(joint: Joint, result: Any, sketch: Sketch) -> list[_Action]:
    return [_Action("reaction", joint.name, sketch.frames[joint.name][1], result.reaction(joint).force)]


@_actions.register
def _(drive: Drive, result: Any, sketch: Sketch) -> list[_Action]:
    joint, wrench = result.system.joint(drive.joint), result.reaction(drive)
    is_moment = joint.coordinates[drive.coordinate].is_angle
    values = wrench.moment if is_moment else wrench.force
    return [_Action("drive", drive.name, sketch.frames[joint.name][1], values, is_moment)]


@_actions.register
def _(constraint: Constraint, result: Any, sketch: Sketch) -> list[_Action]:
    frame = [place for place in constraint.frames(sketch.bodies) if place.body != "ground"][-1]
    wrench = result.reaction(constraint, body=frame.body)
    return _not_zero("reaction", constraint.name, frame, wrench)


@_actions.register
def _(element: Element, result: Any, sketch: Sketch) -> list[_Action]:
    history = result.element(element)
    along = element.coordinate
    first, second = sketch.springs[element.name] if along is None else sketch.frames[along[0].name]
    on_first = second.body == "ground"
    load = history.first if on_first else history.second
    wrench = Wrench(load[:, :3], load[:, 3:])
    return _not_zero("element", element.name, first if on_first else second, wrench)


def _not_zero(kind: str, name: str, frame: Any, wrench: Wrench) -> list[_Action]:
    """Return a force and a moment at a frame, each if it is not zero."""
    found = [_Action(kind, name, frame, wrench.force), _Action(kind, name, frame, wrench.moment, moment=True)]
    return [action for action in found if np.any(action.values)]
