"""Beams in space, Timoshenko or Euler-Bernoulli, with two nodes of six degrees of freedom each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...common.arguments import check_arguments
from ...common.errors import InputError
from ...common.numbers import floats, is_number, shown
from ...common.short_repr import short_repr
from ...properties.material import Isotropic, wrong_material
from ...properties.section import Section
from ..line import FloatArray, check_kind, check_lengths, check_up, gauss01
from ..outline import Outline, contour, sides_of
from ..property import Property, Samples
from . import fields as beam_fields
from .ends import (
    Placed,
    end_stiffness,
    place,
    release,
    released_freedoms,
    section_axes,
    wrong_releases,
)
from .stress import BeamStress, joined, line_stress, section_forces, stresses

#: the direction of beams of which any is meant
_ANY_UP = (0.0, 0.0, 1.0)


@check_arguments
@dataclass(frozen=True)
class Beam(Property):
    """Straight beams of one section on "line2" elements, with displacements and rotations at each node.

    Parameters
    ----------
    material : Isotropic
        Material.
    section : Section
        Cross section.
    up : (3,)
        Direction that defines the local axes: x from the first node to the second, z = ``up`` made perpendicular to x,
        y = z cross x.
    shear : bool
        Whether the sections deform in shear. True: Timoshenko's theory, exact at the nodes for static end loads. False:
        Bernoulli and Euler's.
    rotary : bool or pair of float, kg m
        Rotary inertia of the sections. True: rho Iy and rho Iz. Two numbers: mass moments of inertia of a unit length
        about the local y and z axes; that about x is their sum. False puts the mass on the axis, for comparison with
        such theories: sections then have no inertia in bending or torsion.
    line_mass : float, kg/m, optional
        Mass of a unit length, rho A by default; give it for sections that carry more mass than their own. It does not
        change the rotary inertia.
    offset : (y, z), or pair of (y, z) or (x, y, z), m
        Position of the section's centroid relative to the line between the nodes, in local axes, one for both ends or
        one for each; rigid arms connect them. With x, the beam begins or ends beside its node. The shear centre is that
        of the section: forces on a node act at the centroid.
    releases : mapping
        {"start": (...), "end": (...)}: degrees of freedom ("ux", "uy", "uz", "rx", "ry", "rz" in local axes) that the
        beam's end does not share with its node, e.g. ("ry", "rz") for a hinge.

    Raises
    ------
    InputError
        The message lists all invalid values.

    Notes
    -----
    Warping of the sections is free: there is no bimoment. Where several beams meet, at least one must leave the
    node's rotations unreleased. Rotations are components of a rotation vector; a constant nodal moment is therefore
    semitangential in :meth:`geometric`, and frames may have corners.

    Examples
    --------
    >>> import fem
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> mesh = fem.Mesh([[0, 0, 0], [1, 0, 0]], (fem.Block("line2", [[0, 1]]),), {"root": [0], "tip": [1]})
    >>> arm = fem.assemble(mesh, fem.Beam(steel, fem.Circle(0.02), shear=False))
    >>> tip = fem.static(arm, "root", fem.Force("tip", (0.0, 0.0, 10.0))).at("tip")
    >>> round(float(tip[2]) * 1e3, 3)  # mm: F l^3 / 3 E I
    2.021
    """

    material: Isotropic
    section: Section
    _: KW_ONLY
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)
    shear: bool = True
    rotary: bool | tuple[float, float] = True
    line_mass: float | None = None
    offset: tuple = (0.0, 0.0)
    releases: Mapping[str, Sequence[str]] = field(default_factory=dict, hash=False)

    kinds: ClassVar[tuple[str, ...]] = ("line2",)
    freedoms: ClassVar[int] = 6
    bends: ClassVar[bool] = True
    stretches_by_green: ClassVar[bool] = False
    uses_loads: ClassVar[bool] = True

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Check the input."""
        wrong = wrong_material(self.material, orthotropic=False)
        if not isinstance(self.section, Section):
            wrong.append("section must be a fem.Section, e.g. fem.Circle(0.02) (diameter in m)")
        up, offset = floats(self.up), floats(self.offset)
        if up is None or up.shape != (3,) or not np.all(np.isfinite(up)) or not np.any(up):
            wrong.append(f"up = {shown(self.up)} must be three numbers, not all zero")
        if self.shear not in (True, False):
            wrong.append(f"shear = {self.shear!r} must be True or False")
        wrong += self._wrong_inertia()
        if offset is None or offset.shape not in ((2,), (2, 2), (2, 3)) or not np.all(np.isfinite(offset)):
            wrong.append(f"offset = {shown(self.offset)} must be (y, z), or (y, z) or (x, y, z) for each end")
        wrong += wrong_releases(self.releases)
        if wrong or up is None or offset is None:
            raise InputError("this beam is not valid: " + "; ".join(wrong))
        pairs = tuple(map(tuple, offset.tolist())) if offset.ndim == 2 else tuple(offset.tolist())
        rotary = self.rotary if isinstance(self.rotary, bool | np.bool_) else tuple(map(float, self.rotary))
        releases = {end: tuple(names) for end, names in self.releases.items()}
        of_one_form = {"up": tuple(up.tolist()), "offset": pairs, "releases": releases, "rotary": rotary}
        for name, value in of_one_form.items():  # so that properties can be compared
            object.__setattr__(self, name, value)

    def _wrong_inertia(self) -> list[str]:
        """Return a sentence for each part of the inertia that is not valid."""
        wrong = []
        if not isinstance(self.rotary, bool | np.bool_):
            pair = floats(self.rotary)
            if pair is None or pair.shape != (2,) or not np.all(np.isfinite(pair)) or np.any(pair < 0):
                wrong.append(
                    f"rotary = {shown(self.rotary)} must be True, False, or two moments of inertia per length about y "
                    "and z, kg m, none below zero"
                )
        if self.line_mass is not None and not (is_number(self.line_mass) and self.line_mass > 0):
            wrong.append(f"line_mass = {shown(self.line_mass)} kg/m must be a positive number")
        return wrong

    @property
    def mass_per_length(self) -> float:
        """Mass of a unit length, kg/m: ``line_mass`` if given, otherwise rho A."""
        return self.material.rho * self.section.A if self.line_mass is None else float(self.line_mass)

    def _mass_points(self) -> list[tuple[float, float]]:
        """Return four points (y, z) of the section, principal axes, whose masses have its rotary inertia, m."""
        rho, section, mass = self.material.rho, self.section.principal, self.mass_per_length
        if isinstance(self.rotary, bool | np.bool_):
            b, a = np.sqrt(np.array([section.Iy, section.Iz]) * rho / mass) * self.rotary
            angle = 0.0
        else:  # the points lie on the local axes
            b, a = np.sqrt(np.array(self.rotary) / mass)
            angle = self.section.angle
        c, s = math.cos(angle), math.sin(angle)
        corners = ((a, b), (-a, b), (-a, -b), (a, -b))
        return [(c * y + s * z, c * z - s * y) for y, z in corners]

    def without_direction(self) -> Property:
        """Return this beam with ``up`` along z."""
        return self.along(_ANY_UP)

    def along(self, up: Any) -> Property:
        """Return this beam with other directions, (3,) or (ne, 3), which are not checked."""
        other = copy(self)
        object.__setattr__(other, "up", up)
        return other

    def check(self, kind: str, X: FloatArray) -> None:
        """Raise InputError for elements X (ne, 2, 3) m without length, or parallel to ``up``."""
        check_kind(kind, self.kinds, "a beam")
        check_lengths(X, "beams")
        check_up(X, self.up)
        offset = self._offset
        if np.any(offset[0] != offset[1]):
            ends = place(X, self.up, offset, self.section).ends
            check_lengths(ends, "beams between their offset ends")
            check_up(ends, self.up)

    def stiffness(self, kind: str, X: FloatArray) -> FloatArray:
        """Return K (ne, 12, 12) in global axes for nodes X (ne, 2, 3) m: N/m, N, N m."""
        _, T, K, *_ = self._local(kind, X)
        K = np.swapaxes(T, 1, 2) @ K @ T
        return 0.5 * (K + np.swapaxes(K, 1, 2))

    def samples(self, kind: str, X: FloatArray, lumped: bool = False) -> Samples:
        """Return the mass as points: M = sum w S'S is exactly the consistent mass of the interpolation.

        There are four Gauss points along the beam, and at each four points of the section at (+-radius of gyration)
        along its axes: they have its mass, its centroid and its rotary inertia about all three axes. With
        ``rotary=False`` they lie on the axis. ``lumped``: half of the mass at each end, as four
        such points that move with the node.
        """
        at, T, _, Phi, _ = self._local(kind, X)
        section, mass, places = self.section.principal, self.mass_per_length * at.length, self._mass_points()
        if lumped:
            xi, weights, T = (
                np.array([0.0, 1.0]),
                np.array([0.5, 0.5]),
                section_axes(self.section) @ at.to_ends,
            )
        else:
            xi, weights = gauss01(4)
        shape = np.empty((len(X), 4 * len(xi), 3, 12))
        points = np.empty((len(X), 4 * len(xi), 3))
        ex, ey, ez = np.moveaxis(at.principal[..., None], 1, 0)  # (ne, 3, 1) each
        for k, x in enumerate(xi):
            H = beam_fields.fields(x, at.length, Phi, section.shear_centre)[:, :6] @ T
            centre = np.swapaxes(at.principal, 1, 2) @ H[:, :3]
            tx, ty, tz = np.moveaxis(H[:, 3:, None], 1, 0)  # (ne, 1, 12) each
            by_y, by_z = ez * tx - ex * tz, ex * ty - ey * tx  # displacement for each metre of y and z
            for j, (y, z) in enumerate(places):
                shape[:, 4 * k + j] = centre + y * by_y + z * by_z
                points[:, 4 * k + j] = (1 - x) * at.ends[:, 0] + x * at.ends[:, 1]
                points[:, 4 * k + j] += y * at.principal[:, 1] + z * at.principal[:, 2]
        return Samples(points, np.repeat(weights, 4) / 4 * mass[:, None], shape)

    def geometric(self, kind: str, X: FloatArray, u: FloatArray) -> FloatArray:
        """Return K_G (ne, 12, 12) for the linear section forces of displacements u (ne, 12).

        From axial force, both bending moments, shear forces and torque, the rigid arms included, so that K + K_G
        is the tangent; see :func:`fem.elements.beam.fields.geometric` for the derivation.
        """
        at, T, K, Phi, ends = self._local(kind, X)
        f = np.einsum("eij,ej->ei", K @ T, u)
        G = np.swapaxes(T, 1, 2) @ beam_fields.geometric(self.section.principal, at.length, Phi, f) @ T
        if np.any(self._offset) or any(self.releases.values()):
            G += end_stiffness(at, ends, f @ section_axes(self.section))
        return 0.5 * (G + np.swapaxes(G, 1, 2))

    def stress(self, kind: str, X: FloatArray, u: FloatArray, load: FloatArray | None = None) -> BeamStress:
        """Return section forces and extreme stresses at both ends for displacements u (ne, 12).

        ``load`` (ne, 12): the nodal loads that stand for weight and other loads along each beam (consistent, of this
        element alone). Without them, the forces at its ends lack the part that such loads cause.
        """
        return stresses(self.section, section_forces(self._end_forces(kind, X, u, load)))

    def strain(self, kind: str, X: FloatArray, u: FloatArray, load: FloatArray | None = None) -> FloatArray:
        """Return the strains of the line at both ends (ne, 2, 6), local principal axes.

        Extension, shear angles along y and z (0 without shear deformation), twist rate, curvatures about y and z (1/m).

        Parameters
        ----------
        kind, X, u
            As in all properties.
        load : numpy.ndarray, optional
            Line loads, as of :meth:`stress`.
        """
        section, E, G = self.section.principal, self.material.E, self._G
        shear = G * section.A if self.shear else np.inf
        rigidity = [E * section.A, section.ky * shear, section.kz * shear, G * section.J]
        forces = section_forces(self._end_forces(kind, X, u, load))
        return forces / np.array([*rigidity, E * section.Iy, E * section.Iz])

    def joined(self, values: list[Any]) -> BeamStress:
        """Return the stresses of several batches of elements as those of all."""
        return joined(values)

    def equivalent(self, value: BeamStress) -> FloatArray:
        """Return the equivalent stress (ne, 2) in Pa at both ends."""
        return value.von_mises

    def section_forces(self, value: BeamStress) -> FloatArray:
        """Return the section forces (ne, 2, 6) in N and N m at both ends."""
        return value.forces

    def line_stress(self, value: BeamStress, xi: FloatArray, yz: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return normal and shear stress (ne, q) in Pa, linear between the ends; see :class:`.stress.BeamStress`."""
        return line_stress(self.section, value, xi, yz)

    @property
    def line_section(self) -> Section:
        """The cross section."""
        return self.section

    def outline(self, kind: str, X: FloatArray, stations: int = 9) -> Outline:
        """Return the section swept along each beam, with ``stations`` sections, bent by the interpolation."""
        X = np.asarray(X, dtype=float)
        at, T, _, Phi, _ = self._local(kind, X)
        section = self.section.principal
        outer, inner, smooth = contour(section)
        yz = outer if inner is None else np.concatenate([outer, inner])
        places = np.linspace(0.0, 1.0, stations)
        shape = np.empty((len(X), stations, len(yz), 3, 12))
        points = np.empty((len(X), stations, len(yz), 3))
        for s, x in enumerate(places):
            fields = beam_fields.fields(x, at.length, Phi, section.shear_centre)[:, :6]
            u, v, w, tx, ty, tz = np.moveaxis(fields, 1, 0)
            line = (1 - x) * at.ends[:, 0] + x * at.ends[:, 1]
            for j, (y, z) in enumerate(yz):
                local = np.stack([u + z * ty - y * tz, v - z * tx, w + y * tx], axis=1)
                shape[:, s, j] = np.swapaxes(at.principal, 1, 2) @ local @ T
                points[:, s, j] = line + y * at.principal[:, 1] + z * at.principal[:, 2]
        return Outline(
            points.reshape(len(X), -1, 3),
            shape.reshape(len(X), -1, 3, 12),
            np.repeat(places, len(yz)),
            np.tile(yz, (stations, 1)),
            *sides_of(outer, inner, smooth, stations),
        )

    def axes(self, kind: str, X: FloatArray) -> FloatArray:
        """Return the local axes (ne, 3, 3), rows x, y, z.

        Parameters
        ----------
        kind : str
            Name of the element, such as "tet10".
        X : numpy.ndarray
            Points of the elements, (ne, nn, 3), m.

        Returns
        -------
        numpy.ndarray
            Unit vectors, (ne, 3, 3).
        """
        return place(np.asarray(X, float), self.up, self._offset, self.section).axes

    @property
    def _offset(self) -> FloatArray:
        """Return (x, y, z) of the centroid from the node at both ends, (2, 3) m."""
        given = np.atleast_2d(np.asarray(self.offset, float))
        along = np.zeros((2, 3))
        along[:, 3 - given.shape[1] :] = given
        return along

    @property
    def _G(self) -> float:
        """Return the shear modulus E / 2 (1 + nu) in Pa."""
        return self.material.E / (2 * (1 + self.material.nu))

    def _end_forces(self, kind: str, X: FloatArray, u: FloatArray, load: FloatArray | None) -> FloatArray:
        """Return the loads on the ends (ne, 12) in the degrees of freedom of the interpolation."""
        at, T, K, *_ = self._local(kind, X)
        f = np.einsum("eij,ej->ei", K @ T, u)
        if load is None:
            return f
        whole = np.swapaxes(
            section_axes(self.section) @ at.to_ends, 1, 2
        )  # without releases: can be inverted
        return f - np.linalg.solve(whole, np.asarray(load, float)[:, :, None])[:, :, 0]

    def _local(self, kind: str, X: FloatArray) -> _Local:
        """Return the local matrices in principal axes, from which all others follow."""
        check_kind(kind, self.kinds, "a beam")
        at = place(np.asarray(X, float), self.up, self._offset, self.section)
        section, E, G = self.section.principal, self.material.E, self._G
        Phi = beam_fields.shear_parameters(section, E, G, at.length)
        if not self.shear:
            Phi = (np.zeros_like(at.length), np.zeros_like(at.length))
        K = beam_fields.stiffness(section, E, G, at.length, Phi)
        Z, ends = section_axes(self.section), at.to_ends
        if any(self.releases.values()):
            ends = release(Z.T @ K @ Z, released_freedoms(self.releases)) @ ends
        return _Local(at, Z @ ends, K, Phi, ends)


class _Local(NamedTuple):
    """Beams in local axes: matrices from the nodes to the interpolation (T) and to the beam's ends, and K."""

    at: Placed
    T: FloatArray
    K: FloatArray
    Phi: tuple[FloatArray, FloatArray]
    ends: FloatArray
