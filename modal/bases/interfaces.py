"""Interfaces of a body: averaged (RBE3) and rigid (RBE2) frames, and the body that is held at them.

On *averaged* interfaces the frame's motion is the weighted mean T u of its nodes, and the forces that hold it are
distributed by T'. On *rigid* interfaces the nodes move with the frame.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
import scipy

import fem
from fem.common.errors import InputError, listing
from fem.common.names import as_names
from fem.common.tall_matrices import combine, inner, orthonormal
from fem.model.free_body_flexibility import HeldFlexibility, flexibility_of

from ..body.inertia import FloatArray


class InterfaceModel(Protocol):
    """The way in which interface frames hold the body."""

    interfaces: tuple[fem.Interface, ...]

    @property
    def n_held(self) -> int:
        """Number of degrees of freedom that are removed when all frames are held."""

    def constraint_modes(self) -> FloatArray:
        """Return the static shapes (unknowns, 6m) for unit motions of the frames."""

    def inverse(self, load: FloatArray) -> FloatArray:
        """Return the displacements (unknowns, k) under loads (unknowns, k) with all frames held."""

    def unloaded(self, residual: FloatArray) -> FloatArray:
        """Return a residual (unknowns, k) without the part that forces on the frames carry."""


class InterfaceKind(ABC):
    """The constraint that joints impose at interfaces: :class:`Averaged` or :class:`Rigid`."""

    rigid: ClassVar[bool]

    @abstractmethod
    def model(self, structure: fem.Structure, names: Sequence[str]) -> InterfaceModel:
        """Return the structure with these interfaces, after checking them.

        Parameters
        ----------
        structure : fem.Structure
            The structure of the body.
        names : sequence of str
            Node sets, one for each interface.

        Returns
        -------
        InterfaceModel
            The frames, and the body that is held at them.
        """

    def frames(self, structure: fem.Structure, names: Sequence[str]) -> tuple[fem.Interface, ...]:
        """Return the frames of node sets; InputError if one can't be an interface.

        Parameters
        ----------
        structure : fem.Structure
            The structure of the body.
        names : sequence of str
            Node sets, one for each interface.

        Returns
        -------
        tuple of fem.Interface
            One frame for each name.
        """
        names = as_names(names)
        if not names:
            raise InputError("no interfaces are named; name the node sets where joints or forces act")
        if len(set(names)) < len(names):
            raise InputError(f"an interface is named twice among {listing(names)}")
        frames = tuple(fem.interface(structure, name, rigid=self.rigid) for name in names)
        weak = [frame.name for frame in frames if not frame.has_rotation]
        if weak:
            raise InputError(
                f"the node sets {listing(weak)} can't carry a rotation (fewer than three nodes, or on one line); "
                "choose more nodes for an interface, or pass such a set as a marker to modal.reduce"
            )
        return frames


@dataclass(frozen=True)
class Averaged(InterfaceKind):
    """Averaged interfaces (RBE3), the default: a frame follows the weighted mean of its nodes.

    The body keeps its stiffness; a load on the frame is distributed over the nodes.

    Examples
    --------
    >>> import fem, modal
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> modal.constraint_modes(bar, ("x0", "x1"), interface=modal.Averaged()).kind
    'constraint modes, averaged interfaces'
    """

    rigid: ClassVar[bool] = False

    def model(self, structure: fem.Structure, names: Sequence[str]) -> AveragedInterfaces:
        """Return the structure with these interfaces, after checking them."""
        return AveragedInterfaces(structure, self.frames(structure, names))


@dataclass(frozen=True)
class Rigid(InterfaceKind):
    """Rigid interfaces (RBE2): all nodes of a set follow the frame, which stiffens the body there.

    Examples
    --------
    >>> import fem, modal
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> modal.constraint_modes(bar, ("x0", "x1"), interface=modal.Rigid()).kind
    'constraint modes, rigid interfaces'
    """

    rigid: ClassVar[bool] = True

    def model(self, structure: fem.Structure, names: Sequence[str]) -> RigidInterfaces:
        """Return the structure with these interfaces, after checking them."""
        return RigidInterfaces(structure, self.frames(structure, names))


def interface_model(structure: fem.Structure, names: Sequence[str], kind: InterfaceKind) -> InterfaceModel:
    """Return the structure with interfaces of a kind; InputError if ``kind`` is something else."""
    if not isinstance(kind, InterfaceKind):
        raise InputError(
            f"interface={kind!r} is not a kind of interface; give modal.Averaged() or modal.Rigid(), with parentheses"
        )
    return kind.model(structure, names)


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
        size = structure.mesh.size
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
        m = self.n_held
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
    def n_held(self) -> int:
        """Number of degrees of freedom that are removed when all frames are held."""
        return len(self.units)

    def _shape(self, q: FloatArray, resultant: FloatArray) -> FloatArray:
        solution = scipy.linalg.lu_solve(self._system, np.concatenate([q, resultant]))
        m = self.n_held
        return combine(self.AT, solution[:m] / self.softness) + combine(self.R, solution[m:])

    def constraint_modes(self) -> FloatArray:
        """Return the static shapes (unknowns, 6m) for unit motions of the frames."""
        shapes = self._shape(np.diag(self.units), np.zeros((6, self.n_held)))
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
    """Frames whose nodes move with them as a rigid body, u_b = R q (RBE2); this stiffens the body there."""

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
    def n_held(self) -> int:
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
