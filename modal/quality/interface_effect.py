"""The effect of rigid interfaces on a body's frequencies, compared with averaged ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

import fem
from fem.analysis.eigen import lowest_modes
from fem.analysis.mode_shapes import check_number
from fem.common.arguments import check_arguments
from fem.common.errors import listing, percent_at_most
from fem.common.known_attributes import KnownAttributes
from fem.common.names import as_names
from fem.model.free_body_flexibility import RigidMotion

from ..bases.basis import Basis
from ..bases.eigenmodes import eigenmodes
from ..bases.interfaces import Rigid, RigidInterfaces
from ..body.inertia import FloatArray


@dataclass(frozen=True, eq=False)
class InterfaceEffect(KnownAttributes):
    """Elastic frequencies of the free body with averaged and with rigid interfaces.

    Averaged interfaces (RBE3) do not change the free body; rigid ones (RBE2) stiffen it. The result of
    :func:`interface_effect`.

    Attributes
    ----------
    interfaces : tuple of str
        The node sets.
    averaged_hz, rigid_hz : array (n,), Hz
        Frequencies with averaged and with rigid interfaces.

    Examples
    --------
    >>> import fem, modal
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> effect = modal.interface_effect(bar, ("x0", "x1"), n=2)
    >>> print(effect.report().splitlines()[0])
    free body, interfaces 'x0', 'x1': frequencies [Hz]
    """

    interfaces: tuple[str, ...]
    averaged_hz: FloatArray  # (n,)
    rigid_hz: FloatArray  # (n,)

    def __repr__(self) -> str:
        """Return one line; :meth:`report` says more."""
        worst = percent_at_most(self.increase.max(initial=0.0))
        count = f"{len(self.rigid_hz)} free frequencies"
        return f"<InterfaceEffect: rigid interfaces raise {count} by up to {worst}>"

    @property
    def increase(self) -> FloatArray:
        """(n,) relative increase of the frequencies by rigid interfaces."""
        return self.rigid_hz / self.averaged_hz - 1

    def report(self) -> str:
        """Return a small table as text.

        Returns
        -------
        str
            Several lines, to print.
        """
        rows = [
            f"  {k:4d} {soft:12.2f} {stiff:12.2f} {100 * more:+9.2f} %"
            for k, (soft, stiff, more) in enumerate(
                zip(self.averaged_hz, self.rigid_hz, self.increase, strict=True), start=1
            )
        ]
        title = f"free body, interfaces {listing(self.interfaces)}: frequencies [Hz]"
        return "\n".join([title, "  mode     averaged        rigid  difference", *rows])


@check_arguments
def interface_effect(
    structure: fem.Structure, interfaces: str | Sequence[str], *, n: int = 8
) -> InterfaceEffect:
    """Compare the elastic frequencies of the free body with averaged and with rigid interfaces.

    An averaged interface (RBE3) only reads motions and distributes forces, so that the free body keeps its
    frequencies; a rigid one (RBE2) stiffens it.

    Parameters
    ----------
    structure : fem.Structure
        The structure.
    interfaces : sequence of str
        Node sets.
    n : int
        Number of frequencies.

    Returns
    -------
    InterfaceEffect
        Both sets of frequencies.

    Raises
    ------
    InputError
        As in :func:`modal.craig_bampton`.

    Examples
    --------
    >>> import fem, modal
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> bool(modal.interface_effect(bar, ("x0", "x1"), n=2).increase.max() < 0.001)
    True
    """
    names = as_names(interfaces)
    rigid = tied_eigenmodes(structure, n, names)
    averaged = eigenmodes(structure, n=n)
    return InterfaceEffect(names, averaged.frequencies_hz, rigid.frequencies_hz)


def tied_eigenmodes(
    structure: fem.Structure, n: int, rigid: Sequence[str], model: RigidInterfaces | None = None
) -> Basis:
    """Return the ``n`` lowest elastic modes of the free body whose sets ``rigid`` each move as a rigid body.

    With the frames held, K_ii u_i = f_i; the frames' motion q follows from the static condensation
    C' K C q = C' f onto them, C the constraint modes, with the first frame held and the mean rigid motion
    removed again. ``model``: these interfaces, factorised already. Errors as in :func:`modal.craig_bampton` and
    :func:`modal.eigenmodes`.
    """
    model = model or Rigid().model(structure, rigid)
    check_number(n, structure, model.n_held, least=1)
    motion = RigidMotion(structure)
    C = model.constraint_modes()[:, 6:]
    condensed = scipy.linalg.cho_factor(C.T @ structure.elastic_forces(C)) if C.size else None

    def inverse(load: FloatArray) -> FloatArray:
        load = motion.balanced(load)
        u = model.inverse(load)
        if condensed is not None:
            u = u + C @ scipy.linalg.cho_solve(condensed, C.T @ load)
        return motion.elastic(u)

    size = structure.mesh.size
    units = np.tile([1, 1, 1, 1 / size, 1 / size, 1 / size], len(model.interfaces))[:, None]

    def unloaded(residual: FloatArray) -> FloatArray:
        return np.concatenate([model.unloaded(residual), units * (model.R.T @ residual[model.held])])

    names = listing(i.name for i in model.interfaces)
    what = f"the free body, rigid at {names}"
    squares, Phi = lowest_modes(
        structure.K,
        structure.inertia_forces,
        n,
        inverse=inverse,
        unloaded=unloaded,
        forces=structure.elastic_forces,
        what=what,
    )
    frequencies = np.sqrt(squares) / (2 * np.pi)
    labels = tuple(f"eigenmode {k + 1}, {f:.5g} Hz" for k, f in enumerate(frequencies))
    return Basis(structure, Phi, labels, model.interfaces, f"free eigenmodes, rigid at {names}", frequencies)
