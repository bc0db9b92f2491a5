"""The tree of a machine as flat arrays, for the relative description."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from fem.common.errors import InputError, listing

from ..core.kinds import SHIFT, TURN
from ..core.structures import Layout
from ..model.joints import Connection, Joint
from ..model.sides import Body
from ..model.tree import Hinge, spanning_tree
from .rows import offsets

#: Free motions of a body without a joint: along the inertial axes, about its own axes.
FREE_MOTIONS = [(SHIFT, axis, 0) for axis in range(3)] + [(TURN, axis, 1) for axis in range(3)]


def _hinges(
    bodies: Sequence[Body], items: Sequence[Connection], base: Sequence[str], friction: bool
) -> tuple[Hinge, ...]:
    """Return the hinges of an open tree, or raise InputError that names what closes it."""
    joints = [item for item in items if isinstance(item, Joint)]
    tree = spanning_tree(bodies, joints, base=base)
    closed = [cut.joint.label for cut in tree.cut_joints]
    closed += [item.label for item in items if item.host is not item]
    if friction:
        closed.append("friction that follows reactions")
    if closed:
        raise InputError(
            f"description=Relative() takes open trees without drives and bearing friction, but this machine has "
            f"{listing(closed[:5])}{f' and {len(closed) - 5} more' if len(closed) > 5 else ''}; use fb.Absolute()"
        )
    return tree.hinges


def tree_arrays(
    bodies: Sequence[Body],
    items: Sequence[Connection],
    base: Sequence[str],
    L: Layout,
    frames: Mapping[str, Sequence[int]],
    rows: Mapping[str, slice],
) -> dict[str, np.ndarray]:
    """Return the arrays of :class:`flexbody.core.structures.Tree`.

    ``items``: joints, drives, ...; ``base``: names of bodies that hang on free joints; ``frames``: numbers of the
    frames of each joint; ``rows``: its constraint rows. Raises :class:`fem.InputError` if the machine is not an open
    tree without drives.
    """
    hinges = _hinges(bodies, items, base, len(L.reaction_friction) > 0)
    nb, nv = len(hinges), int(L.v_at[-1])
    number = {"ground": -1, **{body.name: b for b, body in enumerate(bodies)}}
    motions = [FREE_MOTIONS if h.joint is None else h.joint.hinge_motions() for h in hinges]
    free = np.array([len(each) for each in motions], dtype=np.int64)
    ball = np.array([sum(kind == TURN for kind, _, _ in each) == 3 for each in motions], dtype=np.int64)
    joined = [
        (-1, -1) if h.joint is None else tuple(frames[h.joint.name])[:: -1 if h.reversed else 1]
        for h in hinges
    ]
    owned = [range(0) if h.joint is None else range(len(L.row_kind))[rows[h.joint.name]] for h in hinges]
    body = np.array([number[h.outer] for h in hinges], dtype=np.int64)
    own = free + L.body_modes[body]
    z, by_name = np.zeros, {body.name: body for body in bodies}
    return dict(
        body=body, inner=np.array([number[h.inner] for h in hinges], dtype=np.int64),
        frame=np.array(joined, dtype=np.int64).reshape(nb, 2),
        reversed=np.array([h.reversed for h in hinges], dtype=np.int64), ball=ball,
        place_at=offsets(free + ball), speed_at=offsets(free),
        motion=np.array([each for group in motions for each in group], dtype=np.int64).reshape(-1, 3),
        screw=np.array([(0.0, 0.0) if h.joint is None else h.joint.screw(by_name) for h in hinges]).reshape(nb, 2),
        matrix_at=offsets(own**2), own_at=offsets(own), row_at=offsets([len(each) for each in owned]),
        row=np.array([k for each in owned for k in each], dtype=np.int64),
        c=z((nb, 3)), q=z((nb, 4)), v=z(nv), vdot=z(nv), kept_c=z((nb, 3)), kept_q=z((nb, 4)), kept_v=z(nv),
        kept_vdot=z(nv), inertia=z(int(L.matrix_at[-1])), load=z(nv), matrix=z(int(np.sum(own**2))),
        own=z(int(own.sum())), drag=z(6 * int(own.sum())), carried=z((nb, 6, 6)), wrench=z((nb, 6)),
        shift=z((nb, 6)),
    )  # fmt: skip
