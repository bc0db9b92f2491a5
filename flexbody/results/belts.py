"""The friction that a belt needs on its pulleys."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fem.common.arguments import check_arguments
from fem.common.errors import InputError

from ..model.forces.belt import BeltSpan
from .force_elements import element
from .record import Record


@check_arguments
def belt_grip(result: Record, spans: Sequence[BeltSpan]) -> np.ndarray:
    """Return the coefficient of friction that an endless belt needs on each pulley so that it does not slip.

    Parameters
    ----------
    result : Result
        A run with the belt.
    spans : sequence of BeltSpan
        All spans of the belt, as :func:`belt` returned them.

    Returns
    -------
    numpy.ndarray
        Coefficients over time, (nt, n), for the first pulley of each span; infinite where one of both tensions is zero.

    Raises
    ------
    fem.InputError
        The spans are not those of one endless belt.

    Notes
    -----
    Euler and Eytelwein: ``mu = |ln(T_1 / T_2)| / phi`` with the tensions on both sides of a pulley and the wrap angle
    phi as drawn.

    Examples
    --------
    >>> import flexbody as fb
    >>> bodies = [fb.RigidBody(n, 1.0, (0.01,) * 3, center=(x, 0, 0)) for n, x in (("one", 0.0), ("two", 0.5))]
    >>> shafts = [fb.Revolute(b.name, fb.GROUND, b, point=b.center, axis="z") for b in bodies]
    >>> spans = fb.belt("belt", shafts, (0.1, 0.1), stiffness=1e5, pretension=200.0)
    >>> hold, load = fb.Drive("hold", shafts[0], value=0.0), fb.PointMoment("load", bodies[1], (0, 0, 20.0))
    >>> state = fb.equilibrium(fb.System(bodies, [*shafts, hold], [*spans, load]))
    >>> fb.belt_grip(state.result, spans).round(3)  # ln(300 / 100) / pi
    array([[0.35, 0.35]])
    """
    spans = list(spans)
    following = [*spans[1:], *spans[:1]]
    if not spans or any(
        one.second.name != other.first.name for one, other in zip(spans, following, strict=True)
    ):
        raise InputError(
            "belt_grip needs all spans of one endless belt in their order, as fb.belt returned them"
        )
    bodies = result.system.bodies_by_name()
    lines = []
    for span in spans:
        leaves, arrives = span.touched(bodies)
        lines.append((arrives - leaves) / np.linalg.norm(arrives - leaves))
    out = []
    for k, span in enumerate(spans):
        before, after = (element(result, spans[n].name).force for n in (k - 1, k))
        axes = span.tangents(bodies).axes
        sense = -span.side * np.sign(span.radii[0])
        turn = np.arctan2(sense * np.cross(lines[k - 1], lines[k]) @ axes[:, 2], lines[k - 1] @ lines[k])
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = np.abs(np.log(after / before)) / np.mod(turn, 2 * np.pi)
        out.append(np.where((after == 0.0) & (before == 0.0), 0.0, needed))
    return np.stack(out, axis=1)
