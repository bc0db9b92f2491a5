"""Stress modes in HDF5: arrays with their units, one group."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fem.properties.section import Section

from .stress_modes import StressModes

if TYPE_CHECKING:
    import h5py

ARRAYS = {
    "points": "m",
    "nodes": "",
    "side": "0 solid, 1 bottom, 2 top of a shell, 3 end of a line",
    "tensors": "Pa (xx yy zz yz xz xy) for unit modal coordinates",
    "forces": "N, N m (N, Vy, Vz, T, My, Mz) for unit modal coordinates",
    "section": "",
    "drawn": "",
    "drawn_at": "1, m, m",
    "R": "",
}
CONSTANTS = ("A", "Iy", "Iz", "J", "Iyz", "radius", "torsion_modulus", "shear_peak_y", "shear_peak_z")


def write_stress(group: h5py.Group, modes: StressModes) -> None:
    """Write stress modes into an empty group."""
    import h5py

    for name, units in ARRAYS.items():
        value = getattr(modes, name)
        packed = {"compression": "gzip", "shuffle": True} if value.size > 1000 else {}
        group.create_dataset(name, data=value, **packed)
        group[name].attrs["units"] = units
    group.create_dataset(
        "section_constants", data=np.array([_constants(s) for s in modes.sections]).reshape(-1, 9)
    )
    group["section_constants"].attrs["names"] = ", ".join(CONSTANTS)
    most = max((len(section.points) for section in modes.sections), default=0)
    points = np.full((len(modes.sections), most, 2), np.nan)
    for k, section in enumerate(modes.sections):
        points[k, : len(section.points)] = np.reshape(section.points, (-1, 2))
    group["section_points"] = points
    group.create_dataset("set_names", data=list(modes.sets), dtype=h5py.string_dtype())
    sizes = [len(rows) for rows in modes.sets.values()]
    group["set_sizes"] = np.array(sizes, dtype=np.int64)
    group["set_rows"] = np.concatenate([np.empty(0, np.int64), *modes.sets.values()])


def read_stress(group: h5py.Group) -> StressModes:
    """Read stress modes that :func:`write_stress` has written."""
    sections = [
        _section(constants, points)
        for constants, points in zip(
            group["section_constants"][...], group["section_points"][...], strict=True
        )
    ]
    names = group["set_names"].asstr()[...]
    rows = np.split(group["set_rows"][...], np.cumsum(group["set_sizes"][...])[:-1]) if len(names) else []
    return StressModes(
        **{name: group[name][...] for name in ARRAYS},
        sections=tuple(sections),
        sets=dict(zip(names, rows, strict=True)),
    )


def _constants(section: Section) -> list[float]:
    known = (
        section.A,
        section.Iy,
        section.Iz,
        section.J,
        section.Iyz,
        section.radius,
        section.torsion_modulus,
    )
    return [
        np.nan if value is None else value for value in (*known, *(section.shear_peak or (np.nan, np.nan)))
    ]


def _section(constants: np.ndarray, points: np.ndarray) -> Section:
    A, Iy, Iz, J, Iyz, radius, modulus, y, z = (
        None if np.isnan(value) else float(value) for value in constants
    )
    corners = tuple((float(a), float(b)) for a, b in points if np.isfinite(a))
    peak = None if y is None or z is None else (y, z)
    assert A is not None and Iy is not None and Iz is not None and J is not None and Iyz is not None  # noqa: PT018
    return Section(
        A=A,
        Iy=Iy,
        Iz=Iz,
        J=J,
        Iyz=Iyz,
        points=corners,
        radius=radius,
        torsion_modulus=modulus,
        shear_peak=peak,
    )
