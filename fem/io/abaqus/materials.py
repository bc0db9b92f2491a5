"""Materials of Abaqus files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...common.errors import FileError
from ...mesh.left_out import Omissions
from ...properties.material import NO_MASS, Anisotropic, Isotropic, Material, Orthotropic, Ply
from ..units import Units
from .keywords import Keyword

#: constants of each type of *Elastic
_COUNTS = {"ISOTROPIC": 2, "ENGINEERING CONSTANTS": 9, "ORTHOTROPIC": 9, "LAMINA": 6, "ANISOTROPIC": 21}
_FIRST_ROW = "its values are those of the first row of the table"
_ELASTIC = "only isotropic, orthotropic and anisotropic materials are read"


@dataclass(eq=False)
class Constants:
    """The constants of a material as in the file."""

    name: str
    place: str
    density: float | None = None
    kind: str = "ISOTROPIC"
    elastic: list[float] | None = None

    def read(self, word: Keyword, left_out: Omissions) -> None:
        """Read *Density or *Elastic."""
        line = word.place.removeprefix("line ")
        if word.name == "DENSITY":
            values = word.floats()
            self.density = values[0]
            if len(word.data) > 1:
                left_out.add("rows of *Density", _FIRST_ROW, line, len(word.data) - 1)
            return
        kind = " ".join(word.options.get("TYPE", "ISOTROPIC").upper().split())
        kind = next((name for name in _COUNTS if kind and name.startswith(kind[:3])), kind)
        if kind not in _COUNTS:
            left_out.add(
                f"*Elastic, type={kind}",
                _ELASTIC,
                line,
            )
            self.elastic = None
            return
        values = [value for k in range(len(word.data)) for value in word.floats(k)]
        count = _COUNTS[kind]
        if len(values) < count:
            raise ValueError(f"{kind.lower()} elasticity has {count} constants, here are {len(values)}")
        self.kind, self.elastic = kind, values[:count]
        lines = (count + 7) // 8
        if len(word.data) > lines:
            left_out.add("rows of *Elastic", _FIRST_ROW, line, len(word.data) // lines - 1)

    @property
    def lacks(self) -> list[str]:
        """What is missing."""
        return ["*Elastic"] * (self.elastic is None) + ["*Density"] * (self.density is None)

    def material(self, path: Path, units: Units) -> Material | None:
        """Return the material in SI, without mass if it has no density; None without elasticity.

        FileError if it is not valid.
        """
        if self.elastic is None:
            return None
        rho = NO_MASS if self.density is None else self.density * units.density
        try:
            if self.kind == "ISOTROPIC":
                return Isotropic(self.elastic[0] * units.modulus, self.elastic[1], rho)
            if self.kind == "LAMINA":
                E1, E2, nu12, *G = self.elastic
                G12, G13, G23 = (units.modulus * g for g in G)
                E1, E2 = units.modulus * E1, units.modulus * E2
                return Ply(E1, E2, nu12=nu12, G12=G12, rho=rho, G13=G13, G23=G23)
            if self.kind == "ANISOTROPIC":
                return Anisotropic(tuple(map(tuple, units.modulus * _symmetric(self.elastic))), rho)
            E, nu, G = _engineering(self.kind, self.elastic)
            modulus = units.modulus
            return Orthotropic(
                (modulus * E[0], modulus * E[1], modulus * E[2]),
                (nu[0], nu[1], nu[2]),
                (modulus * G[0], modulus * G[1], modulus * G[2]),
                rho=rho,
            )
        except ValueError as error:
            raise FileError(f"{path}, {self.place}, material {self.name!r}: {error}") from None


def beam_material(E: float, G: float, density: float, units: Units) -> tuple[Isotropic, float]:
    """Return an isotropic material in SI for E and G of a beam section, and G over that of the material.

    Poisson's ratio follows from E and G where they are those of an isotropic material, else it is 0.3.
    """
    nu = 0.5 * E / G - 1.0
    if not -0.9 < nu < 0.499:
        nu = 0.3
    return Isotropic(E * units.modulus, nu, density * units.density), G * 2 * (1 + nu) / E


def _engineering(kind: str, c: list[float]) -> tuple[list[float], list[float], list[float]]:
    """Return E1, E2, E3, nu12, nu13, nu23 and G12, G13, G23."""
    if kind == "ENGINEERING CONSTANTS":
        return c[:3], c[3:6], c[6:9]
    D = np.array([[c[0], c[1], c[3]], [c[1], c[2], c[4]], [c[3], c[4], c[5]]])
    if not np.linalg.eigvalsh(D)[0] > 0:
        raise ValueError(
            "its constants D1111 to D3333 give a strain without stress; they do not describe a solid"
        )
    S = np.linalg.inv(D)
    E = (1.0 / S.diagonal()).tolist()
    return E, [-S[0, 1] * E[0], -S[0, 2] * E[0], -S[1, 2] * E[1]], c[6:9]


def _symmetric(constants: list[float]) -> np.ndarray:
    """Return the stiffness (6, 6), order 11, 22, 33, 23, 13, 12, from its 21 constants in Abaqus' order.

    Abaqus counts shear as 12, 13, 23 and gives the upper triangle column by column.
    """
    C = np.zeros((6, 6))
    C[np.tril_indices(6)] = constants
    ours = [0, 1, 2, 5, 4, 3]
    return (C + np.tril(C, -1).T)[np.ix_(ours, ours)]
