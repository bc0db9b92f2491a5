"""Surfaces of bodies as points with area vectors, for contacts of bodies of any form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

import fem
from fem.common.arguments import check_arguments
from fem.common.errors import InputError, called
from fem.common.numbers import floats, vector
from fem.common.signatures import Described

from ..flexible_body import FlexibleBody
from ..rigid_motion import AT_REST, Motions
from ..sides import Body, FrameData, Side
from .place import frame_at, side_problems

#: points in a leaf of the tree that the compiled core looks at
LEAF = 16
#: distance from a point to the surface of its flexible body, over the size of this, that is round-off of the drawing
ON_SURFACE = 1e-6


@dataclass(frozen=True, eq=False)
class Surface(Described):
    """The surface of a body as points, each with the vector of the area about it.

    Parameters
    ----------
    side : RigidBody, FlexibleBody or GROUND
        What has the surface. The points of a flexible body must be points of its surface, and deform with it.
    points : array_like
        Places in the drawn configuration, (n, 3), m.
    areas : array_like
        Vectors of the areas about the points, (n, 3), m^2: the normal times the area, drawn. What presses on a point
        along n acts on ``|area . n|``, so that the corner of a block has the right share of each face.
    triangles : array_like of int, optional
        Triangles of the points, (nt, 3), for pictures of a rigid body.

    Examples
    --------
    >>> import fem
    >>> import flexbody as fb
    >>> block = fb.RigidBody("block", mass=1.0, inertia=(0.1, 0.1, 0.1), center=(0.1, 0.1, 0.1))
    >>> fb.Surface.of(block, fem.box((0.2, 0.2, 0.2), (4, 4, 4)))
    Surface(block, 290 points, 0.220139 m^2)
    """

    side: Side
    points: np.ndarray
    areas: np.ndarray
    _: KW_ONLY
    triangles: ArrayLike | None = None

    def __post_init__(self) -> None:
        """Keep points and areas as arrays."""
        if not isinstance(self.side, Side):
            raise InputError(f"Surface: side is {called(self.side)}; give a body or GROUND")
        for name in ("points", "areas"):
            found = floats(getattr(self, name))
            if found is None or not np.isfinite(found).all():
                raise InputError(f"Surface: {name} is {getattr(self, name)!r}; give finite numbers, (n, 3)")
            object.__setattr__(self, name, found)
        if self.points.ndim != 2 or self.points.shape[1] != 3:
            raise InputError(f"Surface: points must have the shape (n, 3), not {self.points.shape}")
        if self.areas.shape != self.points.shape:
            raise InputError(
                f"Surface: areas must be {len(self.points)} vectors, (n, 3), one for each point, and its shape is "
                f"{self.areas.shape}"
            )
        drawn = np.zeros((0, 3)) if self.triangles is None else floats(self.triangles)
        numbers = range(len(self.points))
        if drawn is None or drawn.shape[1:] != (3,) or not np.isin(drawn, numbers).all():
            raise InputError(
                f"Surface: triangles must be numbers of its {len(self.points)} points, (nt, 3), not {self.triangles!r}"
            )

    @classmethod
    @check_arguments
    def of(
        cls, body: Body, mesh: fem.Mesh | None = None, *, box: tuple[ArrayLike, ArrayLike] | None = None
    ) -> Surface:
        """Return the surface of a body.

        Parameters
        ----------
        body : RigidBody or FlexibleBody
            The body.
        mesh : fem.Mesh, optional
            Mesh of a rigid body, drawn where the body is; a flexible body has its own.
        box : tuple of array_like, optional
            Lowest and highest corner, (3,) each, m, drawn, of a box: points outside it are left out.

        Returns
        -------
        Surface
            The surface: each point has a third of the triangles about it.

        Raises
        ------
        fem.InputError
            The mesh is missing, or is given for a flexible body, or no point of the surface is in the box.
        """
        points, triangles = _drawn(body, mesh)
        a, b, c = (points[triangles[:, k]] for k in range(3))
        third = np.repeat(np.cross(b - a, c - a) / 6, 3, axis=0)
        areas = np.stack([np.bincount(triangles.ravel(), third[:, k], len(points)) for k in range(3)], axis=1)
        kept = np.any(areas != 0, axis=1)
        if box is not None:
            low, high = (vector(corner, "Surface.of: a corner of box") for corner in box)
            kept &= ((points >= low) & (points <= high)).all(axis=1)
        if not kept.any():
            held = "" if box is None else f" in the box from {low.tolist()} to {high.tolist()} m"
            raise InputError(
                f"body '{body.name}' has no point of its surface{held}; its points lie from "
                f"{points.min(axis=0).round(6).tolist()} to {points.max(axis=0).round(6).tolist()} m"
            )
        number = np.cumsum(kept) - 1
        return cls(body, points[kept], areas[kept], triangles=number[triangles[kept[triangles].all(axis=1)]])

    def __repr__(self) -> str:
        return f"Surface({self.side.address}, {len(self.points)} points, {self.size:.6g} m^2)"

    @property
    def size(self) -> float:
        """Sum of the sizes of all area vectors, m^2."""
        return float(np.linalg.norm(self.areas, axis=1).sum())

    @property
    def bends(self) -> bool:
        """Whether the body is flexible: each point has a frame then."""
        return isinstance(self.body, FlexibleBody)

    @property
    def sizes(self) -> tuple[float, ...]:
        """Half the diagonal of the box about the points, m."""
        return (0.5 * float(np.linalg.norm(np.ptp(self.points, axis=0))),)

    @property
    def body(self) -> Any:
        """The body, or the ground."""
        return self.side.body

    def problems(self, label: str) -> list[str]:
        """Return the problems of this surface as sentences.

        Parameters
        ----------
        label : str
            Name of the contact in messages.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        found = [] if self.bends else side_problems(self.side, None, f"{label}: Surface")
        return found if len(self.points) else [*found, f"{label}: the surface has no points"]

    def redrawn(self, motions: Motions) -> Surface:
        """Return this surface on a body that is drawn elsewhere.

        Parameters
        ----------
        motions : mapping of str to RigidMotion
            The motions of the bodies by name.

        Returns
        -------
        Surface
            The surface.
        """
        motion = motions.get(self.body.name, AT_REST)
        points, areas = self.points, self.areas
        return replace(
            self, points=motion.end + (points - motion.start) @ motion.R.T, areas=areas @ motion.R.T
        )

    def frames(self, bodies: Mapping[str, Body], label: str) -> tuple[FrameData, ...]:
        """Return the frame of a rigid body, or those of all points of a flexible one.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.
        label : str
            Name of the contact in messages.

        Returns
        -------
        tuple of FrameData
            The frames.

        Raises
        ------
        fem.InputError
            A point is not on the surface of its flexible body.
        """
        if not self.bends:
            return (frame_at(self.side, None, bodies, label),)
        body = bodies[self.body.name]
        if not isinstance(body, FlexibleBody):  # taken as rigid
            return tuple(body.frame_at_point(x) for x in self.points)
        surface = _own_surface(body)
        x = self.points - body.start
        apart, rows = scipy.spatial.cKDTree(surface.points).query(x)
        worst = int(np.argmax(apart))
        if apart[worst] > ON_SURFACE * float(np.linalg.norm(np.ptp(surface.points, axis=0))):
            raise InputError(
                f"{label}: point {worst} of the surface, {self.points[worst].tolist()} m, lies "
                f"{apart[worst]:.3g} m from the nearest point of body '{body.name}'; use fb.Surface.of(body)"
            )
        none = np.zeros((3, body.n_modes))
        return tuple(
            FrameData(body.name, surface.points[row], np.eye(3), surface.Phi[row], none) for row in rows
        )

    def numbers(self, place: np.ndarray | None) -> tuple[list[float], list[float]]:
        """Return the numbers of leaves and points for the compiled core.

        Parameters
        ----------
        place : numpy.ndarray or None
            Place of the frame of a rigid body in the drawn configuration, (3,), m; None for a flexible body.

        Returns
        -------
        tuple of list of float
            End, centre and radius of each leaf; area vector and place of each point.
        """
        points, areas = self.points, self.areas
        if place is None:
            return [], np.column_stack([areas, np.zeros_like(points)]).ravel().tolist()
        points = points - place
        groups = _leaves(scipy.spatial.cKDTree(points, leafsize=LEAF).tree)
        order, leaves, end = np.concatenate(groups), [], 0
        for group in groups:
            end += len(group)
            centre = 0.5 * (points[group].min(axis=0) + points[group].max(axis=0))
            leaves += [end, *centre, np.linalg.norm(points[group] - centre, axis=1).max()]
        return leaves, np.column_stack([areas[order], points[order]]).ravel().tolist()


def _leaves(node: Any) -> list[np.ndarray]:
    """Return the points of each leaf below a node of a tree."""
    return [node.indices] if node.split_dim < 0 else _leaves(node.lesser) + _leaves(node.greater)


def _own_surface(body: FlexibleBody) -> Any:
    surface = body.turned.recovery
    if surface is None:
        raise InputError(
            f"body '{body.name}' has no surface; reduce it from a mesh with modal.reduce, or put spheres on its markers"
        )
    return surface


def _drawn(body: Body, mesh: fem.Mesh | None) -> tuple[np.ndarray, np.ndarray]:
    """Return points (n, 3) and triangles (nt, 3) of the surface of a body as drawn."""
    if isinstance(body, FlexibleBody):
        if mesh is not None:
            raise InputError(f"body '{body.name}' is flexible and has its own surface; leave mesh out")
        surface = _own_surface(body)
        return surface.points + body.start, surface.triangles
    if mesh is None:
        raise InputError(
            f"body '{body.name}' is rigid; give the mesh of its surface, as drawn: fb.Surface.of(body, mesh)"
        )
    triangles = mesh.surface()
    if not len(triangles):
        raise InputError(f"mesh {mesh.name!r} has no faces; give one of solids or shells")
    return mesh.points, triangles
