"""The strain energy that axial modes add to a reduced body."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fem.common.arguments import check_arguments
from fem.common.errors import InputError
from fem.common.known_attributes import KnownAttributes

from .inertia import FloatArray


@dataclass(frozen=True, eq=False)
class AxialEnergy(KnownAttributes):
    """The strain energy that axial modes add to that of linear theory, Koppens (C.21) completed.

    It is ``sum_A s_A h_A + h_A^2 / 2`` with ``s = direction alpha`` and ``h_A = alpha' quadratic_A alpha / 2``.

    Parameters
    ----------
    direction : array (n, N), J^(1/2)
        Share of each of the n axial modes in the N base functions, for unit modal coordinates.
    quadratic : array (n, N, N), J^(1/2)
        Quadratic axial strain on the axial modes, symmetric in its last two axes, for unit modal coordinates.

    Raises
    ------
    InputError
        The shapes do not match, a value is not finite, or ``quadratic`` is not symmetric.

    See Also
    --------
    modal.AxialModes : asks :func:`modal.reduce` for this energy.

    Examples
    --------
    >>> import numpy as np, modal
    >>> energy = modal.AxialEnergy(direction=[[1.0, 0.0]], quadratic=[[[0.0, 0.0], [0.0, 2.0]]])
    >>> energy.n, energy.energy(np.array([0.5, 1.0]))  # s = 0.5, h = 1: s h + h^2 / 2
    (1, 1.0)
    """

    direction: FloatArray
    quadratic: FloatArray

    def __repr__(self) -> str:
        return f"<AxialEnergy of {self.n} axial modes in {self.direction.shape[1]} base functions>"

    def __post_init__(self) -> None:
        direction, quadratic = (np.array(x, dtype=np.float64) for x in (self.direction, self.quadratic))
        n, N = direction.shape if direction.ndim == 2 else (0, 0)
        if n == 0 or quadratic.shape != (n, N, N):
            raise InputError(
                f"axial energy needs direction (n, N) and quadratic (n, N, N), not {direction.shape} and "
                f"{quadratic.shape}"
            )
        if not (np.isfinite(direction).all() and np.isfinite(quadratic).all()):
            raise InputError("axial energy holds values that are not finite")
        if np.abs(quadratic - quadratic.transpose(0, 2, 1)).max() > 1e-9 * np.abs(quadratic).max():
            raise InputError("axial energy: quadratic must be symmetric in its last two axes")
        for name, value in (("direction", direction), ("quadratic", quadratic)):
            value.setflags(write=False)
            object.__setattr__(self, name, value)

    @property
    def n(self) -> int:
        """Number of axial modes."""
        return len(self.direction)

    @check_arguments
    def energy(self, alpha: FloatArray) -> float:
        """Return the energy in J that is added to ``alpha' K alpha / 2``.

        Parameters
        ----------
        alpha : array (N,)
            Modal coordinates.

        Returns
        -------
        float
            Energy in J.
        """
        if np.shape(alpha) != self.direction.shape[-1:]:
            raise InputError(
                f"alpha has the shape {np.shape(alpha)}; there are {self.direction.shape[-1]} modal coordinates"
            )
        s, h = self.direction @ alpha, 0.5 * np.einsum("nij,i,j", self.quadratic, alpha, alpha)
        return float(s @ h + 0.5 * h @ h)
