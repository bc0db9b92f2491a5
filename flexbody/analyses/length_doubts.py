"""Lengths of a machine that look like millimetres: points of joints and forces, and free lengths of springs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from fem.common.numbers import is_number

from ..compile.plan import Plan
from ..model.forces.force_element import ForceElement
from ..model.forces.geometry import Line
from ..model.forces.passive_laws import Linear
from ..model.forces.spring_damper import SpringDamper
from ..model.joints import Joint
from ..model.rigid_body import RigidBody

#: A point is doubted if it is so many times farther from its body's mass centre than the rest of the machine is large.
LEAST_FAR, LARGEST_FAR = 100.0, 3000.0
#: And if a thousandth of it lies so near to that mass centre, over the size of the rest: there it is, if it is in mm.
MEANT_DISTANCE = 10.0
#: A free length is doubted if it and the drawn length are in this proportion: 1000 for mm, but for a deformation.
LEAST_RATIO, LARGEST_RATIO = 500.0, 2000.0
#: The shorter of both is not below this, m: springs of nearly no free length balance weights.
SHORTEST_LENGTH = 0.01
#: The longer of both is so many times as large as the rest of the machine; a spring that is drawn closed is not.
BEYOND = 10.0
METRES_OF_MM = 1e-3


def points_in_mm(plan: Plan) -> Iterator[str]:
    """Yield a sentence for each joint and force with a point on a rigid body that is far outside of the machine.

    Parameters
    ----------
    plan : Plan
        The compiled machine.

    Yields
    ------
    str
        The sentence.

    Notes
    -----
    A point is doubted only if another one of the same body lies near. Ends on the ground are not doubted, as they may
    be those of long cables, and joints on the ground are not, as they may be those of long pendulums. A machine of one
    body has nothing to compare with.
    """
    system, bodies = plan.system, plan.system.bodies_by_name()
    if len(system.bodies) < 2:
        return
    centres = {body.name: np.asarray(body.start, dtype=float) for body in system.bodies}
    places = [
        (item, frame.body, np.asarray(frame.drawn(bodies), dtype=float))
        for item in (*system.joints, *system.forces)
        if not item.uses()
        for frame in item.frames(bodies)
        if isinstance(bodies.get(frame.body), RigidBody)
    ]
    size = max(_extent(list(centres.values())), float(plan.layout.body_size.max(initial=0.0)))
    arms = [float(np.linalg.norm(place - centres[body])) for _, body, place in places]
    near = [(body, x) for (_, body, x), arm in zip(places, arms, strict=True) if arm < LEAST_FAR * size]
    size = max(size, _extent([*(x for _, x in near), *centres.values()]))
    held, told = {body for body, _ in near}, set()
    for (item, body, place), arm in zip(places, arms, strict=True):
        on_ground = isinstance(item, Joint) and not all(side.moves for side in item.sides())
        if item.name in told or body not in held or on_ground:
            continue
        if not LEAST_FAR * size < arm < LARGEST_FAR * size:
            continue
        if np.linalg.norm(METRES_OF_MM * place - centres[body]) > MEANT_DISTANCE * size:
            continue
        told.add(item.name)
        held.update(
            frame.body for frame in item.frames(bodies)
        )  # a joint in mm is near on its other body too
        yield (
            f"{item.label}: its point ({', '.join(f'{x:g}' for x in place)}) m is {arm:.4g} m from the mass centre of "
            f"body '{body}', in a machine whose other parts lie within {size:.3g} m. Lengths are in m; if this point "
            "is in mm, divide it by 1000"
        )


def free_lengths_in_mm(plan: Plan) -> Iterator[str]:
    """Yield a sentence for each spring on a line whose free length and drawn length differ by a factor of about 1000.

    Parameters
    ----------
    plan : Plan
        The compiled machine.

    Yields
    ------
    str
        The sentence.
    """
    system, bodies = plan.system, plan.system.bodies_by_name()
    centres = [np.asarray(body.start, dtype=float) for body in system.bodies]
    places = {
        item.name: [np.asarray(frame.drawn(bodies), dtype=float) for frame in item.frames(bodies)]
        for item in (*system.joints, *system.forces)
        if not item.uses()
    }
    least = float(plan.layout.body_size.max(initial=0.0))
    for element in system.elements:
        if not isinstance(element, ForceElement | SpringDamper):
            continue
        line = element.geometry
        # (laws that do not push are those of ropes, which may be slack)
        if not (isinstance(line, Line) and is_number(line.free_length)):
            continue
        if not isinstance(element.force_law(bodies), Linear):
            continue
        others = [place for name, own in places.items() if name != element.name for place in own]
        ends = places[element.name]
        size = max(_extent([*centres, *others]), least)
        free, drawn = float(line.free_length), float(np.linalg.norm(ends[1] - ends[0]))  # type: ignore[arg-type]
        if min(free, drawn) < SHORTEST_LENGTH:
            continue
        ratio = free / drawn
        said = f"{element.label}: free_length is {free:g} m, and its ends are drawn {drawn:.4g} m apart"
        if LEAST_RATIO < ratio < LARGEST_RATIO and free > BEYOND * max(size, drawn):
            yield f"{said}. Lengths are in m; if free_length is in mm, divide it by 1000"
        elif LEAST_RATIO < 1.0 / ratio < LARGEST_RATIO and drawn > BEYOND * size:
            yield f"{said}. Lengths are in m; if its points are in mm, divide them by 1000"


def _extent(places: list[np.ndarray]) -> float:
    """Return the diagonal of the box about places (3,), m."""
    return float(np.linalg.norm(np.ptp(np.array(places), axis=0))) if places else 0.0
