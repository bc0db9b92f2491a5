"""A film as one interactive HTML page, which can be rotated, zoomed and stopped in a browser."""

from __future__ import annotations

import base64
import html
import json
import zlib
from collections.abc import Sequence
from functools import singledispatch
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from ..geometry import colours
from ..geometry.parts import Anchor, Flexible, Lines, Part, Rigid, Trace
from ..geometry.poses import Pose, Poses
from ..geometry.scale import Scale
from ..geometry.shading import Painter
from ..scenes.machine import Scene
from .caption import Caption

#: Index of the last colour, for unknown values.
UNKNOWN_COLOUR = 255
#: Rotation (9) and position (3) without any motion.
IDENTITY_POSE = np.concatenate([np.eye(3).ravel(), np.zeros(3)])


def write_page(
    path: Path,
    scene: Scene,
    painters: Sequence[Painter],
    caption: Caption,
    camera: Any,
    factor: float,
    film: Any,
) -> None:
    """Write the page.

    Rigid bodies are stored once and moved by their poses. Flexible bodies are deformed by their base functions in the
    browser, with one byte for the colour of each point and frame. ``film`` is a tuple of times (k,) in s, frames per
    second, and a progress bar.
    """
    times, fps, bar = film
    blob = _Blob()
    frames = [scene.motion.at(time) for time in times]
    larger = [scene.motion.at(time, larger=1.0) for time in times] if scene.motion.carries else frames
    parts = []
    for painter in painters:
        parts.append(_part(blob, painter, frames, larger))
        bar.update(1)
    scale = caption.scale
    header = {
        "title": caption.title,
        "note": caption.note,
        "times": [float(f"{time:.9g}") for time in times],
        "milliseconds": bool(scene.motion.t[-1] < 1),
        "fps": float(fps),
        "factor": float(factor),
        "legend": [[name, list(colour)] for name, colour in caption.legend.items()],
        "scale": _bar(scale),
        "arrows": _scale_arrows(scene),
        "palette": _palette(scale),
        "camera": _camera(camera, scene, frames),
        "parts": parts,
    }
    page = (resources.files("flexbody.view.render") / "viewer.html").read_text(encoding="utf-8")
    data = json.dumps(header).replace("</", "<\\/")
    text = page.replace("@TITLE@", html.escape(caption.title or "flexbody")).replace("@HEADER@", data)
    path.write_text(text.replace("@DATA@", blob.text()), encoding="utf-8")


class _Blob:
    """Arrays in one compressed block; the headers contain their positions."""

    TYPES = (("f", np.float32), ("u", np.uint32), ("b", np.uint8))

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def put(self, values: Any, kind: str) -> list[Any]:
        """Add an array of kind f, u or b; returns kind, place and length."""
        array = np.ascontiguousarray(values, dtype=dict(self.TYPES)[kind]).ravel()
        entry = [kind, self._size, len(array)]
        content = array.tobytes()
        content += bytes(-len(content) % 4)
        self._parts.append(content)
        self._size += len(content)
        return entry

    def text(self) -> str:
        """Return the compressed block as text."""
        return base64.b64encode(zlib.compress(b"".join(self._parts), 6)).decode("ascii")


#: Arrays of a part, each with its kind of number.
Arrays = dict[str, tuple[Any, str]]


def _part(blob: _Blob, painter: Painter, frames: list[Poses], larger: list[Poses]) -> dict[str, Any]:
    part = painter.part
    surface = part.surface
    own, own_arrays = _described(part, painter, frames)
    found: dict[str, Any] = {
        "kind": "rigid",
        "n": len(surface.source),
        "still": True,
        "front": part.layer,
        "colour": list(part.colour or colours.PLAIN),
        "ink": list(surface.ink),
        "light": list(painter.light),
        **own,
    }
    arrays: Arrays = {
        "triangles": (surface.triangles, "u"),
        "edges": (surface.edges, "u"),
        "poses": (IDENTITY_POSE, "f"),
        **own_arrays,
        **_enlargement(part, frames, larger),
    }
    found["arrays"] = {name: blob.put(values, kind) for name, (values, kind) in arrays.items()}
    return found


@singledispatch
def _described(part: Part, painter: Painter, frames: list[Poses]) -> tuple[dict[str, Any], Arrays]:
    """Return how the page draws a part: its entries in the header, and its arrays.

    The points of springs and arrows differ in each frame.
    """
    return {"kind": "moving"}, {"points": ([part.points(poses) for poses in frames], "f")}


@_described.register(Trace)
@_described.register(Lines)
def _(part: Part, painter: Painter, frames: list[Poses]) -> tuple[dict[str, Any], Arrays]:
    return {}, {"points": (part.points(frames[0]), "f")}


@_described.register
def _(part: Rigid, painter: Painter, frames: list[Poses]) -> tuple[dict[str, Any], Arrays]:
    points = part.solid[0][part.surface.source]
    arrays: Arrays = {"points": (points, "f"), "normals": (_normals(points, part.surface.triangles), "f")}
    if part.body == "ground":
        return {}, arrays
    return {"still": False}, {**arrays, "poses": ([_pose(part.pose(poses)) for poses in frames], "f")}


@_described.register
def _(part: Flexible, painter: Painter, frames: list[Poses]) -> tuple[dict[str, Any], Arrays]:
    header = {"kind": "flexible", "still": False, "modes": part.Phi.shape[2]}
    return header, _flexible(painter, part, frames)


def _enlargement(part: Part, frames: list[Poses], larger: list[Poses]) -> Arrays:
    """Return how parts attached to flexible bodies move when the factor on the deformation increases by one.

    For each frame it is one displacement (3,), or those of both ends (6,), between which points are interpolated by
    their relative position ``along``. Parts of bodies that a flexible body carries also rotate: ``swing`` (9) is the
    increase of their rotation matrix. ``larger`` are the poses at a factor that is larger by one.
    """
    anchors = part.anchors
    if not any(_grows(a) or _carried(frames, larger, a.body) for a in anchors):
        return {}
    drift = [
        np.concatenate([_grown(poses[a.body], grown[a.body], a) for a in anchors])
        for poses, grown in zip(frames, larger, strict=True)
    ]
    found: Arrays = {"drift": (drift, "f")}
    along = part.between_anchors(frames[0])
    if along is not None:
        found["along"] = (along, "f")
    if isinstance(part, Rigid | Flexible) and _carried(frames, larger, part.body):
        swing = [grown[part.body].Q - poses[part.body].Q for poses, grown in zip(frames, larger, strict=True)]
        found["swing"] = (swing, "f")
    return found


def _grows(anchor: Anchor) -> bool:
    """Return whether a point moves when the deformation of its body is drawn larger."""
    return anchor.growth is not None and bool(np.any(anchor.growth))


def _carried(frames: list[Poses], larger: list[Poses], body: str) -> bool:
    """Return whether a body moves when the deformation of others is drawn larger."""
    return any(np.any(grown[body].c != poses[body].c) for poses, grown in zip(frames, larger, strict=True))


def _grown(pose: Pose, grown: Pose, anchor: Anchor) -> np.ndarray:
    """Return the displacement of an anchor from one pose to the pose at a larger factor, (3,), m, inertial base."""
    carried = grown.c - pose.c + (grown.Q - pose.Q) @ anchor.x
    if anchor.growth is None or not anchor.growth.size:
        return carried
    return carried + pose.Q @ (anchor.growth @ pose.alpha)


def _flexible(painter: Painter, part: Flexible, frames: list[Poses]) -> dict[str, tuple[Any, str]]:
    """Return the arrays of a flexible body.

    The deformation relative to the chord is given by shapes, which the page multiplies by its factor. The small rigid
    motion that remains of Phi alpha is given for each frame by a matrix (9) times x and a displacement (3).
    """
    x = part.x
    rest = np.concatenate([x, np.ones((len(x), 1))], axis=1)
    fitted = np.linalg.pinv(rest, rcond=1e-9)
    of_modes = np.einsum(
        "am,mij->aij", fitted, part.Phi - part.relative
    )  # (4, 3, N): exact, it is linear in x
    alphas = np.array([poses[part.body].alpha for poses in frames])
    motion = np.einsum("aij,tj->tia", of_modes, alphas)
    source = part.surface.source
    arrays = {
        "points": (x, "f"),
        "source": (source, "u"),
        "normals": (_normals(x[source], part.surface.triangles), "f"),
        "shapes": (part.relative, "f"),
        "alpha": (alphas, "f"),
        "rigid": (np.concatenate([motion[:, :, :3].reshape(-1, 9), motion[:, :, 3]], axis=1), "f"),
        "poses": ([_pose(poses[part.body]) for poses in frames], "f"),
    }
    first = np.zeros(len(x), dtype=np.int64)  # one point of the surface for each point of the body
    first[source] = np.arange(len(source))
    if not part.plain:
        values = []
        for poses in frames:
            found = part.values(poses)
            assert found is not None
            values.append(_bytes(painter.scale, found[first]))
        arrays["values"] = (values, "b")
    return arrays


def _pose(pose: Any) -> np.ndarray:
    return np.concatenate([pose.Q.ravel(), pose.c])


def _normals(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Return normals at points (n, 3): the mean of the adjacent triangles, weighted by area."""
    a, b, c = points[triangles].transpose(1, 0, 2)
    total = np.zeros_like(points)
    np.add.at(total, triangles, np.cross(b - a, c - a)[:, None])
    size = np.linalg.norm(total, axis=1, keepdims=True)
    return total / np.where(size > 0, size, 1)


def _bytes(scale: Scale | None, values: np.ndarray) -> np.ndarray:
    """Return values as indices of colours, 0 to 254."""
    known = np.isfinite(values)
    part = np.zeros(len(values))
    if scale is not None and scale.high > scale.low:
        part[known] = np.clip((values[known] - scale.low) / (scale.high - scale.low), 0, 1)
    return np.where(known, np.rint(part * (UNKNOWN_COLOUR - 1)), UNKNOWN_COLOUR)


def _palette(scale: Scale | None) -> list[int]:
    shown = scale or Scale("", 0.0, 1.0)
    table = shown.colour(np.linspace(shown.low, shown.high, UNKNOWN_COLOUR))
    return np.rint(255 * np.vstack([table, colours.UNKNOWN])).astype(int).ravel().tolist()


def _bar(scale: Scale | None) -> dict[str, Any] | None:
    if scale is None:
        return None
    stops = scale.colour(np.linspace(scale.low, scale.high, 33))
    span = scale.high - scale.low
    return {
        "heading": scale.heading(),
        "ticks": [[(value - scale.low) / span, text] for value, text in scale.ticks()],
        "stops": np.rint(255 * stops).astype(int).tolist(),
        "capped": list(scale.capped),
    }


def _scale_arrows(scene: Scene) -> dict[str, Any]:
    """Return the scale arrows: length (m) of a force and angle (rad) of a moment, each with its text."""
    arrows, found = scene.arrows, {}
    if arrows.force:
        value, text = arrows.round_force
        found["force"] = [value * arrows.length, text]
    if arrows.moment:
        value, text = arrows.round_moment
        found["moment"] = [value * arrows.angle, text]
    return found


def _camera(camera: Any, scene: Scene, frames: list[Poses]) -> dict[str, Any]:
    some = frames[:: max(1, len(frames) // 8)]
    points = np.concatenate([_places(part, poses) for poses in some for part in scene.parts])
    reach = 4 * float(np.linalg.norm(points - camera.center, axis=1).max())
    return {
        "view": np.concatenate([camera.right, camera.up, -camera.forward]).tolist(),
        "middle": camera.center.tolist(),
        "height": camera.height,
        "aspect": 16 / 9,
        "reach": reach,
    }


def _places(part: Part, poses: Poses) -> np.ndarray:
    return part.points(poses)[::5]
