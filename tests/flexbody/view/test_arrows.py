"""Arrows that can be told apart: what drives prescribe is flat with two heads, loads are round with one."""

import numpy as np
import pytest

from flexbody.view.geometry.shapes import arrow
from flexbody.view.symbols.arrows import curved_arrow, flat_arrow, flat_curved_arrow

Z = np.array([0.0, 0.0, 1.0])
WIDTH = 0.05


def around(points: np.ndarray) -> np.ndarray:
    """Points (n, 3) of a solid about the z axis rolled out: along its circle of 1 m, outward, and upward."""
    x, y, z = points.T
    angle = np.unwrap(np.sort(np.arctan2(y, x)))
    gap = int(np.argmax(np.diff(angle))) + 1  # where the circle is open
    return np.column_stack([(np.arctan2(y, x) - angle[gap]) % (2 * np.pi), np.hypot(x, y) - 1.0, z])


SOLIDS = {
    "flat turn": around(flat_curved_arrow(np.zeros(3), Z, 1.0, WIDTH)[0]),
    "flat": flat_arrow(np.zeros(3), np.array([4.0, 0, 0]), Z, WIDTH)[0],
    "round turn": around(curved_arrow(np.zeros(3), Z, 1.0, WIDTH, 4.4)[0]),
    "round": arrow(np.zeros(3), np.array([4.0, 0, 0]), WIDTH)[0],
}


@pytest.mark.parametrize("name", SOLIDS)
def test_heads(name):
    points = SOLIDS[name]
    s = (points[:, 0] - points[:, 0].min()) / np.ptp(points[:, 0])
    wide = [
        np.abs(points[part, 1]).max(initial=0.0) > 1.8 * WIDTH
        for part in (s < 0.3, (s > 0.35) & (s < 0.65), s > 0.7)
    ]
    flat = np.abs(points[:, 2]).max() < 0.5 * WIDTH
    if name.startswith("flat"):
        assert flat
        assert wide == [True, False, True]
    else:
        assert not flat
        assert sum(wide) == 1


@pytest.mark.parametrize(
    "solid",
    [flat_curved_arrow(np.zeros(3), Z, 1.0, WIDTH), flat_arrow(np.zeros(3), 4 * Z, np.eye(3)[0], WIDTH)],
)
def test_they_are_closed_and_face_outward(solid):
    """Each edge of a triangle belongs to one other, the other way; the volume is above zero."""
    points, triangles = solid
    keys = np.unique(np.round(points, 12), axis=0, return_inverse=True)[1].ravel()[triangles]
    keys = keys[
        (keys[:, 0] != keys[:, 1]) & (keys[:, 1] != keys[:, 2]) & (keys[:, 2] != keys[:, 0])
    ]  # at the tips
    edges = np.concatenate([keys[:, [0, 1]], keys[:, [1, 2]], keys[:, [2, 0]]])
    assert {tuple(e) for e in edges} == {tuple(e[::-1]) for e in edges}
    a, b, c = points[triangles].transpose(1, 0, 2)
    assert np.einsum("ij,ij->", a, np.cross(b, c)) > 0
