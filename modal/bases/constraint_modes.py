"""Constraint modes of interfaces, and Craig-Bampton bases on averaged and on rigid interfaces.

A constraint mode is the static shape for a unit displacement or rotation of one interface frame with all others
held. On *averaged* interfaces (RBE3) the frame's motion is the weighted mean T u of its nodes, and the forces that
hold it are distributed by T'. On *rigid* interfaces (RBE2) the nodes move with the frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import scipy

import fem
from fem.analysis.eigen import lowest_modes
from fem.analysis.mode_shapes import check_number
from fem.common.errors import InputError, listing
from fem.common.tall_matrices import combine, inner, orthonormal
from fem.model.free_body_flexibility import HeldFlexibility, flexibility_of

from ..body.inertia import FloatArray
from .basis import Basis

DIRECTIONS = ("x", "y", "z", "turn about x", "turn about y", "turn about z")


def constraint_modes(
    structure: fem.Structure, interfaces: Sequence[str], *, interface: str = "averaged"
) -> Basis:
    """Return the 6 m static shapes for unit displacements and rotations of m interface frames.

    They span all static deformations by loads at the interfaces, and the six rigid motions.

    Parameters
    ----------
    structure : fem.Structure
        The structure.
    interfaces : sequence of str
        Node sets, each of which becomes one frame with six degrees of freedom.
    interface : str
        "averaged" (RBE3: the frame follows the weighted mean of its nodes) or "rigid" (RBE2: the nodes follow the
        frame).

    Returns
    -------
    Basis
        Columns x, y, z (m per m) and rotations about x, y, z (m per rad) of the first interface, then of the next.

    Raises
    ------
    InputError
        A set is unknown, can't carry a rotation, or depends on another interface.

    Examples
    --------
    >>> import fem, modal
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> modal.constraint_modes(bar, ("x0", "x1")).N
    12
    """
    model = interface_model(structure, interfaces, interface)
    labels = _labels(model)
    return Basis(
        structure,
        model.constraint_modes(),
        labels,
        model.interfaces,
        f"constraint modes, {interface} interfaces",
    )


def craig_bampton(
    structure: fem.Structure, interfaces: Sequence[str], *, n_normal: int, interface: str = "averaged"
) -> Basis:
    """Return constraint modes and the lowest eigenmodes with all interface frames held.

    One factorisation serves both.

    Parameters
    ----------
    structure : fem.Structure
        The structure.
    interfaces : sequence of str
        Node sets at which joints or forces act.
    n_normal : int
        Number of eigenmodes with the interfaces held (fixed-interface normal modes); 0 gives the constraint modes
        alone.
    interface : str
        "averaged" (RBE3) or "rigid" (RBE2), see :func:`constraint_modes`.

    Returns
    -------
    Basis
        6 m constraint modes of m interfaces, then the normal modes.

    Raises
    ------
    InputError
        As in :func:`constraint_modes` and :func:`eigenmodes`.

    References
    ----------
    R. R. Craig, M. C. C. Bampton: Coupling of substructures for dynamic analyses. AIAA Journal 6 (1968) 1313-1319.

    Examples
    --------
    >>> import fem, modal
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> modal.craig_bampton(bar, ("x0", "x1"), n_normal=4)
    <Basis: 16 fields, Craig-Bampton, averaged interfaces, interfaces 'x0', 'x1'>
    """
    check_number(n_normal, structure, 0)
    model = interface_model(structure, interfaces, interface)
    check_number(n_normal, structure, model.conditions)
    return with_constraint_modes(structure, model, *held_modes(structure, model, n_normal))


def with_constraint_modes(
    structure: fem.Structure, model: InterfaceModel, frequencies: FloatArray, normal: FloatArray
) -> Basis:
    """Return the Craig-Bampton basis of known normal modes (unknowns, n) with their frequencies (n,) in Hz."""
    labels = _labels(model) + tuple(f"normal mode {k + 1}, {f:.5g} Hz" for k, f in enumerate(frequencies))
    return Basis(
        structure,
        np.hstack([model.constraint_modes(), normal]),
        labels,
        model.interfaces,
        f"Craig-Bampton, {model.interfaces[0].kind} interfaces",
        frequencies,
    )


def held_modes(structure: fem.Structure, model: InterfaceModel, n: int) -> tuple[FloatArray, FloatArray]:
    """Return the frequencies (n,) in Hz and shapes (unknowns, n) of the lowest modes with all frames held."""
    squares, shapes = lowest_modes(
        structure.K,
        structure.inertia_forces,
        n,
        inverse=model.inverse,
        unloaded=model.unloaded,
        forces=structure.elastic_forces,
        what=f"the body held at {', '.join(i.name for i in model.interfaces)}",
    )
    return np.sqrt(squares) / (2 * np.pi), shapes


def _labels(model: InterfaceModel) -> tuple[str, ...]:
    return tuple(f"{i.name} {direction}" for i in model.interfaces for direction in DIRECTIONS)


class InterfaceModel(Protocol):
    """The way in which interface frames hold the body."""

    interfaces: tuple[fem.Interface, ...]

    @property
    def conditions(self) -> int:
        """Number of degrees of freedom that are removed when all frames are held."""

    def constraint_modes(self) -> FloatArray:
        """Return the static shapes (unknowns, 6m) for unit motions of the frames."""

    def inverse(self, load: FloatArray) -> FloatArray:
        """Return the displacements (unknowns, k) under loads (unknowns, k) with all frames held."""

    def unloaded(self, residual: FloatArray) -> FloatArray:
        """Return a residual (unknowns, k) without the part that forces on the frames carry."""


def interface_model(structure: fem.Structure, names: Sequence[str], kind: str) -> InterfaceModel:
    """Return the averaged or rigid interfaces of a structure after checking them."""
    names = (names,) if isinstance(names, str) else tuple(names)
    if kind not in ("averaged", "rigid"):
        raise InputError(f"an interface is 'averaged' or 'rigid', not {kind!r}")
    if not names:
        raise InputError("no interfaces are named; name the node sets where joints or forces act")
    if len(set(names)) < len(names):
        raise InputError(f"an interface is named twice among {listing(names)}")
    interfaces = tuple(fem.interface(structure, name, kind=kind) for name in names)
    weak = [i.name for i in interfaces if not i.has_rotation]
    if weak:
        raise InputError(
            f"the node sets {listing(weak)} can't carry a rotation (fewer than three nodes, or on one line); "
            "choose more nodes for an interface, or pass such a set as a marker to modal.reduce"
        )
    if kind == "averaged":
        return AveragedInterfaces(structure, interfaces)
    return RigidInterfaces(structure, interfaces)


class AveragedInterfaces:
    """Frames that move with the weighted mean of their nodes, q = T u (RBE3); the body keeps its stiffness.

    With A the inverse on a statically determinate support, T stacked (6m, unknowns) and R the rigid modes::

        u = A (f + T' lam) + R a,    [T A T'  T R] [lam]   [q - T A f]
                                     [(T R)'   0 ] [ a ] = [ -R' f   ]
    """

    def __init__(self, structure: fem.Structure, interfaces: tuple[fem.Interface, ...]) -> None:
        self.interfaces = interfaces
        self.body = flexibility_of(structure)
        self.T = scipy.sparse.csr_array(scipy.sparse.vstack([i.T for i in interfaces]))
        # one column of T' per frame direction; rotations in units of the body's size, for the condition
        size = float(np.linalg.norm(np.ptp(structure.mesh.points, axis=0)))
        self.units = np.tile([1.0, 1.0, 1.0, size, size, size], len(interfaces))
        forces = self.T.T.toarray() * self.units
        self._touched = np.flatnonzero(forces.any(axis=1))  # the unknowns that forces on the frames act on
        touched = forces[self._touched]
        try:
            self._carried, triangle = orthonormal(touched / np.linalg.norm(touched, axis=0))
        except np.linalg.LinAlgError:
            triangle = np.zeros((1, 1))
        if triangle.diagonal().min() < 1e-6:
            raise InputError(
                f"the interfaces {listing(i.name for i in interfaces)} depend on each other; their node sets "
                "must not be the same"
            )
        self.AT = self.body.solve(forces)
        m = self.conditions
        TR = self.units[:, None] * (self.T @ self.body.rigid.R)
        flexibility = self.units[:, None] * (self.T @ self.AT)
        self.softness = float(np.trace(flexibility)) / m or 1.0  # zero: the body is held at this very frame
        unit_R = np.linalg.norm(TR, axis=0)
        self.R = self.body.rigid.R / unit_R
        TR = TR / unit_R
        matrix = np.block(
            [[0.5 * (flexibility + flexibility.T) / self.softness, TR], [TR.T, np.zeros((6, 6))]]
        )
        self._system = scipy.linalg.lu_factor(matrix)

    @property
    def conditions(self) -> int:
        """Number of degrees of freedom that are removed when all frames are held."""
        return len(self.units)

    def _shape(self, q: FloatArray, resultant: FloatArray) -> FloatArray:
        solution = scipy.linalg.lu_solve(self._system, np.concatenate([q, resultant]))
        m = self.conditions
        return combine(self.AT, solution[:m] / self.softness) + combine(self.R, solution[m:])

    def constraint_modes(self) -> FloatArray:
        """Return the static shapes (unknowns, 6m) for unit motions of the frames."""
        shapes = self._shape(np.diag(self.units), np.zeros((6, self.conditions)))
        return _with_rigid_motions(shapes, self.body.rigid.R, self.T @ self.body.rigid.R)

    def inverse(self, load: FloatArray) -> FloatArray:
        """Return the displacements (unknowns, k) under loads (unknowns, k) with all frames held."""
        u = self.body.solve(load)
        u = u + self._shape(-((self.T @ u).T * self.units).T, -self.softness * inner(self.R, load))
        # repeated: for slender bodies the condition of the system limits how well the frames are held
        return u + self._shape(-((self.T @ u).T * self.units).T, np.zeros((6, *load.shape[1:])))

    def unloaded(self, residual: FloatArray) -> FloatArray:
        """Return a residual (unknowns, k) without the part that forces on the frames carry."""
        left = residual.copy()
        left[self._touched] -= self._carried @ (self._carried.T @ residual[self._touched])
        return left


class RigidInterfaces:
    """Frames whose nodes move with them as a rigid body, u_b = R q (RBE2); this stiffens the eyes."""

    def __init__(self, structure: fem.Structure, interfaces: tuple[fem.Interface, ...]) -> None:
        self.interfaces = interfaces
        self.structure = structure
        nodes = np.concatenate([i.nodes for i in interfaces])
        unique, count = np.unique(nodes, return_counts=True)
        if len(unique) < len(nodes):
            raise InputError(
                f"the rigid interfaces {listing(i.name for i in interfaces)} share {(count > 1).sum()} "
                "nodes; a node can follow one frame only"
            )
        self.held = np.concatenate([i.unknowns for i in interfaces])
        self.R = scipy.linalg.block_diag(*(i.R for i in interfaces))  # u_b = R q
        self.body = HeldFlexibility(structure, self.held)
        self.inverse, self.unloaded = self.body.solve, self.body.unloaded

    @property
    def conditions(self) -> int:
        """Number of degrees of freedom that are removed when all frames are held."""
        return len(self.held)

    def constraint_modes(self) -> FloatArray:
        """Return the static shapes (unknowns, 6m) for unit motions of the frames."""
        u = np.zeros((self.structure.K.shape[0], 6 * len(self.interfaces)))
        u[self.held] = self.R
        rigid = self.structure.rigid_modes()
        motion = np.linalg.lstsq(self.R, rigid[self.held], rcond=None)[0]
        shapes = u - self.inverse(self.structure.K @ u)
        shapes = shapes - self.inverse(self.structure.elastic_forces(shapes))  # the rounding of K u
        return _with_rigid_motions(shapes, rigid, motion)


def _with_rigid_motions(shapes: FloatArray, rigid: FloatArray, motion: FloatArray) -> FloatArray:
    """Return constraint modes (unknowns, 6m) that reproduce rigid motions of the frames to the last digit.

    ``motion`` (6m, 6) of the frames under the rigid modes (unknowns, 6). The solution has an error of the condition
    of K, 1e-6 for slender beams, which would appear as a mode of its own.
    """
    scale = np.linalg.norm(rigid, axis=0)
    inverse = np.linalg.pinv(motion / scale)
    return shapes + combine((rigid - combine(shapes, motion)) / scale, inverse)
