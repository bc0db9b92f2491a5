"""Frames on bodies as flat arrays, with their second-order terms; a part of :mod:`flexbody.compile.plan`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..core.kinds import PATH_NUMBERS, PATH_S
from ..core.structures import Layout
from ..model.sides import FrameData
from .offsets import offsets


def frame_arrays(
    frames: list[FrameData], index: Mapping[str, int], massless: Mapping[str, int]
) -> dict[str, np.ndarray]:
    """Return the arrays of the layout for these frames on the bodies numbered by ``index`` and ``massless``."""
    modes = [np.concatenate([frame.Phi, frame.B]).ravel() for frame in frames]
    return {
        "frame_body": np.array([index.get(frame.body, -1) for frame in frames], dtype=np.int64),
        "frame_massless": np.array([massless.get(frame.body, -1) for frame in frames], dtype=np.int64),
        "frame_x": np.array([frame.x for frame in frames], dtype=float).reshape(-1, 3),
        "frame_A": np.array([frame.A for frame in frames], dtype=float).reshape(-1, 3, 3),
        "frame_at": offsets(m.size for m in modes),
        "frame_modes": np.concatenate([np.zeros(0), *modes]),
        **_term_arrays(frames),
        **_path_arrays(frames),
    }


def _path_arrays(frames: list[FrameData]) -> dict[str, np.ndarray]:
    """Return the arrays of the frames that slide along a path, each following the next frame."""
    of_frame, values = np.full(len(frames), -1, dtype=np.int64), [np.zeros(0)]
    table: list[tuple[int, ...]] = []
    terms = [np.zeros((0, 3), dtype=np.int64)]
    value_at = row_at = term_at = 0
    for f, frame in enumerate(frames):
        path = frame.path
        if path is None:
            continue
        segments, powers, width = path.coefficients.shape
        r, places = len(path.terms), int(np.count_nonzero(path.terms[:, 2] < 3))
        of_frame[f] = len(table)
        kinds = int(path.closed), row_at, term_at, places, path.touch
        table.append((f, f + 1, segments, powers - 1, value_at, r, *kinds))
        values += [np.array([path.start, *path.sizes]), path.breaks, path.coefficients.ravel()]
        terms.append(path.terms)
        value_at += sum(part.size for part in values[-3:])
        row_at += 3 * width + r
        term_at += r
    return {
        "frame_path": of_frame,
        "path": np.array(table, dtype=np.int64).reshape(-1, 11),
        "path_value": np.concatenate(values),
        "path_term": np.concatenate(terms),
    }


def path_work(L: Layout) -> dict[str, np.ndarray]:
    """Return the work arrays of the paths of a layout, each at its coordinate as drawn."""
    numbers, rows = np.zeros((len(L.path), PATH_NUMBERS)), 0
    for k, (frame, _, _, _, at, r, _, row_at, *_) in enumerate(L.path):
        n = int(L.frame_at[frame + 1] - L.frame_at[frame]) // 6
        numbers[k, PATH_S] = L.path_value[at]
        rows = int(row_at) + 3 * (6 + 6 * n + int(r)) + int(r)
    return {"path": numbers, "path_rows": np.zeros(rows)}


def _term_arrays(frames: list[FrameData]) -> dict[str, np.ndarray]:
    """Return the second-order terms: G (6, N, N) of each frame as few symmetric S (N, N) with a direction (6,) each.

    They are the singular values of GF as (3, N^2) and of GM; those below 1e-9 of the largest are left out. This is
    exact for any placement, because a rotation of the body rotates the directions only.
    """
    found = [_terms(frame.G) for frame in frames]
    directions = [direction for terms in found for direction, _ in terms]
    values = [S for terms in found for _, S in terms]
    return {
        "frame_term_at": offsets(len(terms) for terms in found),
        "term_direction": np.array(directions, dtype=float).reshape(-1, 6),
        "term_at": offsets(S.size for S in values)[:-1],
        "term_value": np.concatenate([np.zeros(0), *(S.ravel() for S in values)]),
        "term_row": offsets(len(S) for S in values)[:-1],
    }


def _terms(G: np.ndarray | None) -> list[tuple[np.ndarray, np.ndarray]]:
    if G is None or G.size == 0:
        return []
    out = []
    for part in range(2):
        block = G[3 * part : 3 * part + 3]
        U, size, S = np.linalg.svd(block.reshape(3, -1), full_matrices=False)
        for k in np.flatnonzero(size > 1e-9 * size[0]):
            direction = np.zeros(6)
            direction[3 * part : 3 * part + 3] = size[k] * U[:, k]
            shape = S[k].reshape(block.shape[1:])
            out.append((direction, 0.5 * (shape + shape.T)))
    return out
