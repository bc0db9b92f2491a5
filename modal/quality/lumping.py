"""The effect of lumped mass on a body: the difference of two inertias computed in the same way, Koppens 5.4.3."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import fem
from fem.common.arguments import check_arguments
from fem.common.errors import InputError, in_percent, percent_at_most
from fem.common.known_attributes import KnownAttributes
from fem.model.structure import check_elements

from ..bases.basis import Basis, Proposal, basis_of
from ..body.inertia import FloatArray
from .accuracy import ritz_modes


@dataclass(frozen=True, eq=False)
class Lumping(KnownAttributes):
    """Relative differences of the inertia with lumped mass and with consistent mass, the result of :func:`lumping`.

    Attributes
    ----------
    moments : array (3,)
        Principal moments of inertia about the mass centre, ascending.
    center : array (3,)
        Shift of the mass centre over the body's size.
    mass : array (n,)
        Modal masses of the free modes of the basis with consistent mass.
    load : array (n,)
        Largest change of the inertia load by rigid accelerations on these modes, with the interfaces (or the whole
        body) held: the integrals of rho phi and rho x cross phi, over the modal mass and the body's.
    consistent_hz : array (n,), Hz
        Frequencies with consistent mass.

    Examples
    --------
    >>> import fem, modal
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> modal.lumping(bar, modal.eigenmodes(bar, n=2)).mass.shape
    (2,)
    """

    moments: FloatArray
    center: FloatArray
    mass: FloatArray
    load: FloatArray
    consistent_hz: FloatArray

    def __repr__(self) -> str:
        """Return one line; :meth:`report` says more."""
        hz, moments = (
            percent_at_most(np.abs(part).max(initial=0.0)) for part in (self.frequency, self.moments)
        )
        count = f"{len(self.mass)} frequencies"
        return f"<Lumping changes {count} by up to {hz}, moments of inertia by up to {moments}>"

    @property
    def frequency(self) -> FloatArray:
        """(n,) relative change of the frequencies for unchanged shapes; infinite for a mode without mass."""
        with np.errstate(divide="ignore"):
            return 1 / np.sqrt(np.maximum(1 + self.mass, 0)) - 1

    def report(self) -> str:
        """Return the differences as text.

        Returns
        -------
        str
            Several lines, to print.
        """
        values = ", ".join(in_percent(value, "+") for value in self.moments)
        lines = [
            "lumped mass against consistent mass [%]",
            f"  principal moments of inertia: {values}",
            f"  mass centre: {in_percent(np.abs(self.center).max())} of the body's size",
            "  free mode   consistent [Hz]   frequency  modal mass  rigid accelerations",
        ]
        rows = zip(self.consistent_hz, self.frequency, self.mass, self.load, strict=True)
        lines += [
            f"  {k:9d} {hz:17.6g} {in_percent(nu, '+'):>11} {in_percent(m, '+'):>11} {in_percent(load):>20}"
            for k, (hz, nu, m, load) in enumerate(rows, start=1)
        ]
        return "\n".join(lines)


@check_arguments
def lumping(structure: fem.Structure, basis: Basis | Proposal, *, n: int = 8) -> Lumping:
    """Compare the inertia of a body with lumped and with consistent mass.

    Both are computed by the same integrals; shapes and stiffness are those of ``structure``. Small differences show
    that the mesh is fine enough for ``fem.assemble(..., lumped=True)``.

    Parameters
    ----------
    structure : fem.Structure
        A structure with consistent mass.
    basis : Basis or Recommendation
        A basis of this structure.
    n : int
        Number of modes.

    Returns
    -------
    Lumping
        The relative differences.

    Raises
    ------
    InputError
        The basis belongs to another structure, or the structure is lumped itself or has no elements.

    Examples
    --------
    >>> import fem, modal
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> modal.lumping(bar, modal.eigenmodes(bar, n=2)).moments.round(2).tolist()
    [1.23, 0.09, 0.09]
    """
    basis = basis_of(basis)
    if basis.structure is not structure:
        raise InputError("the basis was made for another structure; make it again for this one")
    check_elements(structure, "the lumped mass")
    other = fem.assemble(structure.mesh, structure.material, parts=structure.parts, lumped=True)
    if abs(other.mass - structure.mass) > 1e-9 * structure.mass:
        raise InputError(f"the lumped structure weighs {other.mass:.6g} kg, not {structure.mass:.6g} kg")
    if np.abs(other.inertia - structure.inertia).max() <= 1e-12 * np.abs(structure.inertia).max():
        raise InputError(
            "the structure is lumped already; assemble it with lumped=False to see the difference"
        )
    squares, X = ritz_modes(basis)
    X = X[:, :n]
    lumped = other.inertia_forces(X)
    size = structure.mesh.size
    R = structure.rigid_modes()
    held = _held(structure, basis, X)
    change = R.T @ (other.inertia_forces(held) - structure.inertia_forces(held))
    own = np.sqrt(np.einsum("ui,ui->i", held, structure.inertia_forces(held)))
    body = np.sqrt(np.maximum((R.T @ structure.inertia_forces(R)).diagonal(), 1e-300))
    moments = np.linalg.eigvalsh(structure.inertia)
    return Lumping(
        moments=np.linalg.eigvalsh(other.inertia) / moments - 1,
        center=(other.center - structure.center) / size,
        mass=np.einsum("ui,ui->i", X, lumped) - 1,
        load=np.abs(change / np.outer(body, np.maximum(own, 1e-300))).max(axis=0),
        consistent_hz=np.sqrt(squares[:n]) / (2 * np.pi),
    )


def _held(structure: fem.Structure, basis: Basis, X: FloatArray) -> FloatArray:
    """Return modes X plus the rigid motions that bring the interfaces as close as possible to their original place."""
    if not basis.interfaces:
        return X
    T = np.vstack([interface.T.toarray() for interface in basis.interfaces])
    size = structure.mesh.size
    T = T * np.tile([1, 1, 1, 0.01 * size, 0.01 * size, 0.01 * size], len(basis.interfaces))[:, None]
    R = structure.rigid_modes()
    return X - R @ np.linalg.lstsq(T @ R, T @ X, rcond=None)[0]
