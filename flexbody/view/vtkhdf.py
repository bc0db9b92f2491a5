"""Writer of VTKHDF files: surfaces that change with time, as named blocks of one file.

Reference: VTKHDF file format, version 2.2, https://docs.vtk.org/en/latest/vtk_file_formats/vtkhdf_file_format
("PolyData", "MultiBlockDataSet", "Temporal Data"). What does not change is written once: at each step the offsets of
triangles, and of the points of a surface at rest, are zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..files.datasets import free_name

if TYPE_CHECKING:
    import h5py

#: Rows of a chunk, at least: small surfaces have several steps in one chunk.
CHUNK = 4096
TOPOLOGIES = ("Vertices", "Lines", "Polygons", "Strips")


class Blocks:
    """The blocks of an open file; ``times`` (nt,) are those of all steps, s."""

    def __init__(self, file: h5py.File, times: np.ndarray) -> None:
        self._root = _group(file, "VTKHDF")
        _typed(self._root, "MultiBlockDataSet")
        self._times = times
        # VTK 9.7 forgets the number of steps of the blocks after the first one is read
        self._steps(self._root)
        self._assembly = _group(self._root, "Assembly")

    def add(
        self, name: str, triangles: np.ndarray, n_points: int, fields: Mapping[str, int], still: bool = False
    ) -> Surface:
        """Create a block with triangles (m, 3) and ``fields``, names with numbers of components.

        A block that is ``still`` has the points and values of the first step at all steps.
        """
        import h5py

        group = _group(self._root, f"block{len(self._assembly)}")
        # a body may have any name, also that of a group of the format
        self._assembly[free_name(self._assembly, name)] = h5py.SoftLink(group.name)
        _typed(group, "PolyData")
        group["NumberOfPoints"] = np.array([n_points])
        for topology in TOPOLOGIES:
            _put_cells(_group(group, topology), triangles if topology == "Polygons" else triangles[:0])
        steps = self._steps(group)
        n = len(self._times)
        own = np.zeros(n, np.int64) if still else n_points * np.arange(n)
        steps["PointOffsets"] = own
        steps["PartOffsets"], steps["NumberOfParts"] = np.zeros(n, np.int64), np.ones(n, np.int64)
        for what in ("CellOffsets", "ConnectivityIdOffsets"):
            steps[what] = np.zeros((n, len(TOPOLOGIES)), np.int64)
        rows = n_points * (1 if still else n)
        arrays = {"": _changing(group, "Points", rows, 3)}
        data, offsets = _group(group, "PointData"), _group(steps, "PointDataOffsets")
        for field, width in fields.items():
            arrays[field] = _changing(data, field, rows, width)
            offsets[field] = own
        return Surface(arrays, n_points)

    def _steps(self, group: h5py.Group) -> h5py.Group:
        steps = _group(group, "Steps")
        steps.attrs["NSteps"] = len(self._times)
        steps["Values"] = self._times
        return steps


class Surface:
    """The points and fields of a block, written step by step."""

    def __init__(self, arrays: Mapping[str, h5py.Dataset], n_points: int) -> None:
        self._arrays = arrays
        self._n = n_points

    def write(self, step: int, points: np.ndarray, fields: Mapping[str, np.ndarray]) -> None:
        """Write the points (n, 3) and the values (n, width) of all fields at a step."""
        rows = slice(step * self._n, (step + 1) * self._n)
        for name, values in {"": points, **fields}.items():
            self._arrays[name][rows] = values


def rounded(values: np.ndarray, accuracy: float) -> np.ndarray:
    """Return values as float32, rounded to ``accuracy`` times the largest of them.

    They are multiples of a power of two, which compress to half the size or less.
    """
    finite = np.isfinite(values)
    largest = np.abs(values).max(initial=0.0, where=finite)
    if largest < 1e-30:  # float32 has no smaller numbers of full precision
        return np.where(finite, 0.0, values).astype(np.float32)
    unit = 2.0 ** np.floor(np.log2(2 * accuracy * largest))
    return (np.round(values / unit) * unit).astype(np.float32)


def _group(parent: h5py.Group, name: str) -> h5py.Group:
    return parent.create_group(name, track_order=True)  # VTK reads blocks and fields in the order of creation


def _typed(group: h5py.Group, kind: str) -> None:
    group.attrs["Version"] = np.array([2, 2])
    group.attrs["Type"] = np.bytes_(kind)


def _put_cells(group: h5py.Group, cells: np.ndarray) -> None:
    group["NumberOfCells"] = np.array([len(cells)])
    group["NumberOfConnectivityIds"] = np.array([cells.size])
    _packed(group, "Connectivity", cells.ravel().astype(np.int64))
    _packed(group, "Offsets", cells.shape[1] * np.arange(len(cells) + 1))


def _packed(group: h5py.Group, name: str, values: np.ndarray) -> None:
    packed = {"compression": "gzip", "shuffle": True} if values.size > CHUNK else {}
    group.create_dataset(name, data=values, **packed)


def _changing(group: h5py.Group, name: str, rows: int, width: int) -> h5py.Dataset:
    shape: Sequence[int] = (rows, width) if width > 1 else (rows,)
    chunks = (min(CHUNK, rows), *shape[1:])
    return group.create_dataset(name, shape, "<f4", chunks=chunks, compression=1, shuffle=True)
