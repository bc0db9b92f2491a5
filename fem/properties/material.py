"""Material laws.

Voigt order everywhere: xx, yy, zz, yz, xz, xy; strains with engineering shear, gamma = 2 epsilon.
"""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass

import numpy as np

from ..common.arguments import check_arguments
from ..common.errors import InputError
from ..common.numbers import is_number, numbers, shown
from ..common.short_repr import short_repr

#: density (kg/m^3) of a material to which its file gives none
NO_MASS = 1e-30
#: index pairs of the six components in Voigt order
VOIGT = ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))


@check_arguments
@dataclass(frozen=True)
class Isotropic:
    """A linear elastic, isotropic material.

    Parameters
    ----------
    E : float, Pa
        Young's modulus, positive.
    nu : float
        Poisson's ratio, -1 < nu < 0.5.
    rho : float, kg/m^3
        Density.

    Raises
    ------
    InputError
        A value is outside its range; the message lists all such values.

    Examples
    --------
    >>> import fem
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> round(steel.lame[1] / 1e9, 2)  # shear modulus, GPa
    80.77
    """

    E: float
    nu: float
    rho: float

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Check the three numbers."""
        wrong = []
        if not (is_number(self.E) and self.E > 0):
            wrong.append(f"Young's modulus E = {shown(self.E)} Pa must be a positive number")
        if not (is_number(self.nu) and -1 < self.nu < 0.5):
            wrong.append(f"Poisson's ratio nu = {shown(self.nu)} must lie between -1 and 0.5, both excluded")
        wrong += _density(self.rho)
        if wrong:
            raise InputError("this material is not valid: " + "; ".join(wrong))
        for name in ("E", "nu", "rho"):
            object.__setattr__(self, name, float(getattr(self, name)))

    @property
    def lame(self) -> tuple[float, float]:
        """Lamé's constants (lambda, mu) in Pa."""
        return self.E * self.nu / ((1 + self.nu) * (1 - 2 * self.nu)), self.E / (2 * (1 + self.nu))

    @property
    def stiffness(self) -> np.ndarray:
        """Elasticity matrix (6, 6) in Pa, stress = stiffness @ strain, Voigt order: lambda tr(eps) I + 2 mu eps."""
        lam, mu = self.lame
        C = np.diag([2.0 * mu] * 3 + [mu] * 3)
        C[:3, :3] += lam
        return C


@check_arguments
@dataclass(frozen=True)
class Orthotropic:
    """A linear elastic material with three planes of symmetry: wood, a rolled or printed part, a ply.

    Parameters
    ----------
    E : (E1, E2, E3), Pa
        Young's moduli along the material's axes.
    nu : (nu12, nu13, nu23)
        Poisson's ratios: nu12 is the contraction along 2 under tension along 1, so that nu21 = nu12 E2 / E1.
    G : (G12, G13, G23), Pa
        Shear moduli.
    rho : float, kg/m^3
        Density.
    axes : array (3, 3)
        Rows are the material's directions 1, 2, 3 in global components, at right angles; they are normalised.

    Raises
    ------
    InputError
        A value is not positive, the compliance is not positive definite, or the axes are not at right angles; the
        message lists all problems.

    Examples
    --------
    >>> import fem
    >>> spruce = fem.Orthotropic(E=(11e9, 0.8e9, 0.5e9), nu=(0.37, 0.42, 0.47), G=(0.7e9, 0.6e9, 0.05e9), rho=430.0)
    >>> spruce.stiffness.shape
    (6, 6)
    """

    E: tuple[float, float, float]
    nu: tuple[float, float, float]
    G: tuple[float, float, float]
    _: KW_ONLY
    rho: float
    axes: tuple[tuple[float, float, float], ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Check the constants and turn sequences into tuples of floats (so that materials can be compared)."""
        for name in ("E", "nu", "G"):
            values = numbers(getattr(self, name), (3,), f"{name} of an orthotropic material")
            object.__setattr__(self, name, tuple(map(float, values)))
        axes = numbers(self.axes, (3, 3), "axes= of an orthotropic material, three directions,")
        wrong = [*self._constants(), *_density(self.rho), *_directions(axes)]
        if wrong:
            raise InputError("this material is not valid: " + "; ".join(wrong))
        object.__setattr__(self, "rho", float(self.rho))
        axes = axes / np.linalg.norm(axes, axis=1, keepdims=True)
        object.__setattr__(self, "axes", tuple(tuple(map(float, row)) for row in axes))

    def _constants(self) -> list[str]:
        wrong = []
        for name, values, indices in (("E", self.E, "1 2 3"), ("G", self.G, "12 13 23")):
            for index, value in zip(indices.split(), values, strict=True):
                if not value > 0:
                    wrong.append(f"{name}{index} = {value:g} Pa must be positive")
        if wrong:
            return wrong
        for (i, j), value in zip(((0, 1), (0, 2), (1, 2)), self.nu, strict=True):
            limit = math.sqrt(self.E[i] / self.E[j])
            if not abs(value) < limit:
                wrong.append(
                    f"|nu{i + 1}{j + 1}| = {abs(value):g} must be below sqrt(E{i + 1}/E{j + 1}) = {limit:g}"
                )
        a, b, c = self._normalised()
        left = 1.0 - a * a - b * b - c * c - 2.0 * a * b * c
        if not wrong and not left > 0:
            wrong.append(
                f"1 - nu12 nu21 - nu13 nu31 - nu23 nu32 - 2 nu21 nu32 nu13 = {left:g} must be positive"
            )
        return wrong

    def _normalised(self) -> list[float]:
        """nu_ij sqrt(E_j / E_i): minus the off-diagonal terms of the compliance scaled to a unit diagonal."""
        pairs = zip(((0, 1), (0, 2), (1, 2)), self.nu, strict=True)
        return [value * math.sqrt(self.E[j] / self.E[i]) for (i, j), value in pairs]

    @property
    def lame(self) -> None:
        """None: Lamé's constants describe isotropic materials only."""

    @property
    def stiffness(self) -> np.ndarray:
        """Elasticity matrix (6, 6) in Pa, stress = stiffness @ strain, global axes, Voigt order."""
        (E1, E2, E3), (nu12, nu13, nu23), (G12, G13, G23) = self.E, self.nu, self.G
        normal = np.array(
            [
                [1 / E1, -nu12 / E1, -nu13 / E1],
                [-nu12 / E1, 1 / E2, -nu23 / E2],
                [-nu13 / E1, -nu23 / E2, 1 / E3],
            ]
        )
        C = np.zeros((6, 6))
        C[:3, :3] = np.linalg.inv(normal)
        C[[3, 4, 5], [3, 4, 5]] = G23, G13, G12
        T = stress_rotation(np.array(self.axes).T)
        C = T @ C @ T.T
        return np.asarray(0.5 * (C + C.T))


@check_arguments
@dataclass(frozen=True)
class Anisotropic:
    """A linear elastic material without any symmetry: 21 constants.

    Parameters
    ----------
    constants : array (6, 6), Pa
        Stiffness in the material's axes, stress = constants @ strain, order 11, 22, 33, 23, 13, 12 with engineering
        shear; symmetric and positive definite.
    rho : float, kg/m^3
        Density.
    axes : array (3, 3)
        Rows are the material's directions 1, 2, 3 in global components, at right angles; they are normalised.

    Raises
    ------
    InputError
        The constants are not symmetric or not positive definite, or the axes are not at right angles; the message lists
        all problems.

    Examples
    --------
    >>> import fem, numpy as np
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> the_same = fem.Anisotropic(steel.stiffness, rho=7850.0)
    >>> bool(np.allclose(the_same.E, 210e9))
    True
    """

    constants: tuple[tuple[float, ...], ...]
    rho: float
    _: KW_ONLY
    axes: tuple[tuple[float, float, float], ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))

    def __post_init__(self) -> None:
        """Check the constants and turn sequences into tuples of floats (so that materials can be compared)."""
        C = numbers(self.constants, (6, 6), "constants= of an anisotropic material")
        axes = numbers(self.axes, (3, 3), "axes= of an anisotropic material, three directions,")
        wrong, largest = [], float(np.abs(C).max())
        away = np.abs(C - C.T)
        if away.max() > 1e-6 * largest:
            i, j = np.unravel_index(int(away.argmax()), (6, 6))
            wrong.append(
                f"constants[{i}][{j}] = {C[i, j]:g} and constants[{j}][{i}] = {C[j, i]:g} must be equal"
            )
        elif not (least := float(np.linalg.eigvalsh((C + C.T) / 2)[0])) > 1e-12 * largest:
            wrong.append(f"the smallest eigenvalue of constants, {least:g} Pa, must be positive")
        wrong += [*_density(self.rho), *_directions(axes)]
        if wrong:
            raise InputError("this material is not valid: " + "; ".join(wrong))
        object.__setattr__(self, "rho", float(self.rho))
        axes = axes / np.linalg.norm(axes, axis=1, keepdims=True)
        for name, rows in (("constants", (C + C.T) / 2), ("axes", axes)):
            object.__setattr__(self, name, tuple(tuple(map(float, row)) for row in rows))

    @property
    def E(self) -> tuple[float, float, float]:
        """Young's moduli (E1, E2, E3) in Pa along the axes."""
        flexible = np.linalg.inv(np.array(self.constants)).diagonal()
        return (float(1 / flexible[0]), float(1 / flexible[1]), float(1 / flexible[2]))

    @property
    def lame(self) -> None:
        """None: Lamé's constants describe isotropic materials only."""

    @property
    def stiffness(self) -> np.ndarray:
        """Elasticity matrix (6, 6) in Pa, stress = stiffness @ strain, global axes, Voigt order."""
        T = stress_rotation(np.array(self.axes).T)
        C = T @ np.array(self.constants) @ T.T
        return np.asarray(0.5 * (C + C.T))


@check_arguments
def Ply(
    E1: float,
    E2: float,
    *,
    nu12: float,
    G12: float,
    rho: float,
    G13: float | None = None,
    G23: float | None = None,
) -> Orthotropic:
    """Return the material of a ply, of which plane stress and transverse shear are known (Nastran's MAT8).

    Parameters
    ----------
    E1, E2 : float, Pa
        Young's moduli along and across the fibres.
    nu12 : float
        Poisson's ratio: the contraction along 2 under tension along 1.
    G12 : float, Pa
        Shear modulus in the plane.
    rho : float, kg/m^3
        Density.
    G13, G23 : float, Pa, optional
        Transverse shear moduli, by default G12.

    Returns
    -------
    Orthotropic
        The material, for shells: the contraction of the thickness, which is not known, is zero.

    Raises
    ------
    InputError
        A value is not positive, or nu12 is too large.

    Examples
    --------
    >>> import fem
    >>> carbon = fem.Ply(E1=135e9, E2=10e9, nu12=0.3, G12=5e9, rho=1600.0, G23=3.5e9)
    >>> carbon.G
    (5000000000.0, 5000000000.0, 3500000000.0)
    """
    G13, G23 = (G12 if G is None else G for G in (G13, G23))
    return Orthotropic((E1, E2, E2), (nu12, 0.0, 0.0), (G12, G13, G23), rho=rho)


#: the materials of solids and shells
Material = Isotropic | Orthotropic | Anisotropic


def is_material(given: object) -> bool:
    """Return whether an object is a material."""
    return isinstance(given, Material)


def wrong_material(given: object, orthotropic: bool = True) -> list[str]:
    """Return the problem of a property's material in a list, which is empty for a material that the property takes."""
    if orthotropic:
        if is_material(given):
            return []
        return [f"its material must be Isotropic, Orthotropic or Anisotropic, not {given!r}"]
    if isinstance(given, Isotropic):
        return []
    return [f"its material must be isotropic (fem.Isotropic), not {type(given).__name__}"]


def stress_rotation(Q: np.ndarray) -> np.ndarray:
    """Return T (..., 6, 6) with sigma' = T sigma in Voigt order for the tensor sigma' = Q sigma Q'.

    A stiffness becomes T C T'. ``Q`` (..., 3, 3) has the old axes, in new components, as its columns.
    """
    T = np.empty((*Q.shape[:-2], 6, 6))
    for row, (i, j) in enumerate(VOIGT):
        for column, (k, l) in enumerate(VOIGT):
            both = Q[..., i, l] * Q[..., j, k] if k != l else 0.0
            T[..., row, column] = Q[..., i, k] * Q[..., j, l] + both
    return T


def own_stiffness(material: Material) -> np.ndarray:
    """Return the elasticity matrix (6, 6) in Pa in the axes of the material."""
    axes = getattr(material, "axes", None)
    if axes is None:
        return material.stiffness
    T = stress_rotation(np.array(axes))
    return np.asarray(T @ material.stiffness @ T.T)


def _density(rho: float) -> list[str]:
    if is_number(rho) and rho > 0:
        return []
    return [f"density rho = {shown(rho)} kg/m^3 must be a positive number"]


def _directions(axes: np.ndarray) -> list[str]:
    length = np.linalg.norm(axes, axis=1)
    if not (length > 0).all():
        return ["axes= holds a direction without length"]
    cosines = np.abs(axes @ axes.T / np.outer(length, length))[[0, 0, 1], [1, 2, 2]]
    if cosines.max() > 1e-6:
        return [f"the three directions of axes= are not at right angles (largest cosine {cosines.max():.3g})"]
    return []
