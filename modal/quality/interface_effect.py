"""What rigid interfaces do to a body's frequencies, compared with averaged ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

import fem
from fem.analysis.eigen import lowest_modes
from fem.analysis.mode_shapes import check_number
from fem.common.errors import listing
from fem.model.free_body_flexibility import RigidMotion

from ..bases.basis import Basis
from ..bases.constraint_modes import RigidInterfaces, interface_model
from ..bases.eigenmodes import eigenmodes
from ..body.inertia import FloatArray


@dataclass(frozen=True, eq=False)
class InterfaceEffect:
    """Elastic frequencies of the free body: as it is (averaged interfaces), and with rigid interfaces."""

    interfaces: tuple[str, ...]
    averaged_hz: FloatArray  # (n,)
    rigid_hz: FloatArray  # (n,)

    @property
    def increase(self) -> FloatArray:
        """(n,) how much higher the frequencies with rigid interfaces are, as a fraction."""
        return self.rigid_hz / self.averaged_hz - 1

    def report(self) -> str:
        """Return a small table for reading."""
        rows = [
            f"  {k:4d} {soft:12.2f} {stiff:12.2f} {100 * more:+9.2f} %"
            for k, (soft, stiff, more) in enumerate(
                zip(self.averaged_hz, self.rigid_hz, self.increase, strict=True), start=1
            )
        ]
        title = f"free body, interfaces {listing(self.interfaces)}: frequencies [Hz]"
        return "\n".join([title, "  mode     averaged        rigid  difference", *rows])


def interface_effect(structure: fem.Structure, interfaces: Sequence[str], n: int = 8) -> InterfaceEffect:
    """Return the ``n`` lowest elastic frequencies of the free body with averaged and with rigid interfaces.

    An averaged interface only reads off and spreads forces, so the free body keeps its own frequencies; a
    rigid one stiffens it. Errors as in :func:`modal.craig_bampton`.
    """
    names = (interfaces,) if isinstance(interfaces, str) else tuple(interfaces)
    rigid = tied_eigenmodes(structure, n, names)
    averaged = eigenmodes(structure, n)
    return InterfaceEffect(names, averaged.frequencies_hz, rigid.frequencies_hz)


def tied_eigenmodes(
    structure: fem.Structure, n: int, rigid: Sequence[str], model: RigidInterfaces | None = None
) -> Basis:
    """Return the ``n`` lowest elastic modes of the free body whose sets ``rigid`` move as rigid bodies each.

    With the frames held, K_ii u_i = f_i; the frames' motion q follows from the static condensation
    C' K C q = C' f onto them, C the constraint modes, with the first frame held and the mean rigid motion
    taken out again. ``model``: these interfaces, factorised already. Errors as in :func:`modal.craig_bampton` and
    :func:`modal.eigenmodes`.
    """
    model = model or interface_model(structure, rigid, "rigid")
    assert isinstance(model, RigidInterfaces)
    check_number(n, structure, model.conditions, least=1)
    motion = RigidMotion(structure)
    C = model.constraint_modes()[:, 6:]
    condensed = scipy.linalg.cho_factor(C.T @ structure.elastic_forces(C)) if C.size else None

    def inverse(load: FloatArray) -> FloatArray:
        load = motion.balanced(load)
        u = model.inverse(load)
        if condensed is not None:
            u = u + C @ scipy.linalg.cho_solve(condensed, C.T @ load)
        return motion.elastic(u)

    size = float(np.linalg.norm(np.ptp(structure.mesh.points, axis=0)))
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
